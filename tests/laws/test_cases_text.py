"""Text files of any content: cases or one readable complaint, the same by both readers."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.core.errors import TacitError
from tacit.io import fastcsv, textfiles
from tacit.io.cases import read_cases

MORE = settings(max_examples=3 * settings.default.max_examples)
HEADERS = [b"a,b\n", b"a,b,c\r\n", b'"a",b\n', b"a\n", b",b\n", b"a;b\n", b"\xef\xbb\xbfa,b\n"]
pieces = st.sampled_from(
    [b"a", b"1", b"2.5", b"007", b",", b",", b",", b"\n", b"\n", b"\n", b"\r\n", b"\r", b'"', b'""',
     b'"x,y"', b'"l1\nl2"', b" ", b"NA", b"\xc3\xbc", b"\xff", b"\0", b";", b"\t", b"'", b"\\",
     b"#"]
)  # fmt: skip
bodies = st.lists(pieces, max_size=25).map(b"".join)
text_files = st.builds(bytes.__add__, st.sampled_from(HEADERS), bodies)
cells = st.one_of(
    st.sampled_from(["", "1", "2.5", "NA", " x", 'say "hi"', "a,b", "l1\nl2", '"', "ü", "#", "'"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4),
)


@st.composite
def proper_files(draw: st.DrawFn) -> bytes:
    """A file as programs write it."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=6))
    out = io.StringIO()
    style = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    writer = csv.writer(out, quoting=style, lineterminator=end)
    writer.writerow([f"c{at}" for at in range(width)])
    writer.writerows(rows)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    text = out.getvalue() if draw(st.booleans()) else out.getvalue().removesuffix(end)
    return (mark + text).encode()


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """A proper file with something put in or taken out."""
    content = draw(proper_files())
    at = draw(st.integers(0, len(content)))
    return content[:at] + draw(pieces) + content[at + draw(st.integers(0, 2)) :]


def outcome(path: Path) -> str:
    try:
        data = read_cases(path)
    except TacitError as problem:
        return str(problem)
    return f"{data.fingerprint()} {dict(data.variables)} {data.notes} {dict(data.kinds)}"


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def both_ways(content: bytes, path: Path) -> tuple[str, str]:
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fastcsv, "SMALL", 0)
        fast = outcome(path)
    return outcome(path), fast


@MORE
@given(content=st.one_of(text_files, proper_files(), damaged_files()))
@example(content=b"a,b\n1,2\n3,4,\n")
@example(content=b"a,b\n1,2\n\n3,4\n")
@example(content=b"a,b\n1,2\n\n3,4,\n")
@example(content=b'a,b\n1, "x"\n')
@example(content=b'a,b\n1,"x"y\n')
@example(content=b'a,b\n1,x"y\n')
@example(content=b"a,b\r\n1,2\n3,4\r\n")
@example(content=b"a\n1\n\n\n")
@example(content=b'a,b\n"x\r\ny",2\n')
def test_both_readers_say_the_same(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    careful, fast = both_ways(content, tmp_path_factory.mktemp("text") / "cases.csv")
    assert careful == fast


@MORE
@given(
    content=st.binary(max_size=60), suffix=st.sampled_from(["csv", "tsv", "txt", "jsonl", "json"])
)
def test_any_bytes_are_cases_or_a_complaint(
    content: bytes, suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"cases.{suffix}"
    path.write_bytes(content)
    assert outcome(path)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather", "sqlite", "db", "duckdb"])
@given(content=st.binary(max_size=60), start=st.sampled_from(["", "PAR1", "ARROW1", "DUCK"]))
def test_any_bytes_under_another_name_are_a_complaint(
    suffix: str, content: bytes, start: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"cases.{suffix}"
    path.write_bytes(start.encode() + content)
    with pytest.raises(TacitError):
        read_cases(path)


@given(cut=st.integers(0, 400), flip=st.integers(0, 400), mask=st.integers(1, 255))
def test_a_damaged_gzip_file_is_a_complaint_or_the_same_cases(
    cut: int, flip: int, mask: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("gz") / "cases.csv.gz"
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,x%d\n" % (n, n % 7) for n in range(90)), mtime=0)
    broken = bytearray(whole[: cut or None])
    if flip < len(broken):
        broken[flip] ^= mask
    path.write_bytes(bytes(broken))
    said = outcome(path)
    assert str(path) in said or said == outcome(_written(path, whole))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_large_plain_file_is_read_fast(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f'{case},x{case % 3},"a, ""{case % 5}""",{case / 7}' for case in range(6_000)]
    path = _written(tmp_path / "cases.csv", end.join(["id,group,quoted,real", *rows, ""]).encode())
    expected = outcome(path)
    assert "Continuous" in expected

    def unwanted(_: object) -> None:
        raise AssertionError("the careful reader was asked")

    monkeypatch.setattr(fastcsv, "SMALL", 0)
    monkeypatch.setattr(textfiles, "cases_of", unwanted)
    assert outcome(path) == expected
