"""Laws that every file format of networks obeys; a new format joins by a line in `FORMATS`."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit as tc
from strategies import discrete_networks, gaussian_networks, odd_names, plain_names
from tacit.io.formats import FORMATS as KNOWN
from tacit.io.formats import read_noted


def itself(network: tc.Network) -> tc.Network:
    return network


def generic(network: tc.Network) -> tc.Network:
    """The network with the only names that a format without names can give it."""
    names = {name: f"X{at}" for at, name in enumerate(network.dag.names)}
    return renamed(network, names.__getitem__, "")


def renamed(network: tc.Network, name_of: Callable[[str], str], state: str) -> tc.Network:
    """The network with other names, and with numbered states."""
    variables = {
        name: tc.Discrete(name_of(name), tuple(f"{state}{at}" for at in range(len(axis.states))))
        for name, axis in network.variables.items()
    }
    return tc.Network.of(
        tc.Table(tuple(variables[axis.name] for axis in table.variables), table.values)
        for table in network.families.values()
    )


FORMATS: dict[str, Callable[[tc.Network], tc.Network]] = {
    ".bif": itself,
    ".xmlbif": itself,
    ".bifxml": itself,
    ".xml": itself,
    ".xdsl": itself,
    ".net": itself,
    ".dsc": itself,
    ".uai": generic,
    ".json": itself,
}
every_format = pytest.mark.parametrize("suffix", FORMATS)
identifiers = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True)
plain_networks = discrete_networks(names=identifiers).map(
    lambda network: renamed(network, str, "s")
)
odd_networks = discrete_networks(names=st.one_of(plain_names, odd_names))


def same_bits(one: tc.Network, other: tc.Network) -> bool:
    return one == other and all(
        np.array_equal(one[name].values.view(np.int64), other[name].values.view(np.int64))
        for name in one
    )


def outcome(suffix: str, text: str) -> tc.Network | tc.TacitError:
    """What becomes of a text: anything but these two is a failure."""
    try:
        return KNOWN[suffix].read(text, "file")[0]
    except tc.TacitError as problem:
        return problem


def held(suffix: str, network: tc.Network) -> str | tc.FormatError:
    try:
        return KNOWN[suffix].write(network)
    except tc.FormatError as refusal:
        return refusal


def test_every_known_format_is_under_these_laws() -> None:
    assert set(FORMATS) == set(KNOWN)


@every_format
@given(network=plain_networks)
def test_what_is_written_reads_back_bit_for_bit(suffix: str, network: tc.Network) -> None:
    text = KNOWN[suffix].write(network)
    again, notes = KNOWN[suffix].read(text, "file")
    assert same_bits(again, FORMATS[suffix](network))
    assert notes == ()


@every_format
@given(network=odd_networks)
def test_odd_names_are_kept_or_refused_but_never_changed(suffix: str, network: tc.Network) -> None:
    text = held(suffix, network)
    if isinstance(text, str):
        assert same_bits(KNOWN[suffix].read(text, "file")[0], FORMATS[suffix](network))
    else:
        assert "cannot hold" in str(text)


@every_format
@given(network=plain_networks)
@settings(max_examples=5)
def test_writing_twice_gives_the_same_text(suffix: str, network: tc.Network) -> None:
    text = KNOWN[suffix].write(network)
    again, _ = KNOWN[suffix].read(text, "file")
    if FORMATS[suffix] is itself:
        assert KNOWN[suffix].write(again) == text


@every_format
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_files_may_be_packed(suffix: str, packed: str, tmp_path: Path) -> None:
    network = tc.textbook("insurance")
    path = tmp_path / f"network{suffix}{packed}"
    tc.write(network, path)
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == bool(packed)
    assert same_bits(tc.read(path), FORMATS[suffix](network))


@every_format
def test_a_packed_file_is_known_by_its_content(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"network{suffix}"
    path.write_bytes(gzip.compress(KNOWN[suffix].write(tc.textbook("asia")).encode(), mtime=0))
    assert tc.read(path) == FORMATS[suffix](tc.textbook("asia"))


@every_format
def test_line_ends_and_byte_marks_change_nothing(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"network{suffix}"
    text = KNOWN[suffix].write(tc.textbook("asia"))
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert tc.read(path) == FORMATS[suffix](tc.textbook("asia"))


@every_format
def test_the_order_of_variables_and_states_is_kept(suffix: str) -> None:
    network = tc.textbook("alarm")
    again, _ = KNOWN[suffix].read(KNOWN[suffix].write(network), "file")
    assert [v.states for v in again.variables.values()] == [
        v.states for v in FORMATS[suffix](again).variables.values()
    ]
    if suffix not in (".xdsl", ".uai"):  # SMILE wants parents first; UAI has no names
        assert again.dag.names == network.dag.names


@every_format
@given(network=gaussian_networks(least=1))
@settings(max_examples=10)
def test_linear_gaussians_are_kept_or_refused(suffix: str, network: tc.Network) -> None:
    if suffix == ".json":
        assert KNOWN[suffix].read(KNOWN[suffix].write(network), "file")[0] == network
    else:
        with pytest.raises(tc.FormatError, match="holds tables only"):
            KNOWN[suffix].write(network)


@every_format
def test_rows_that_are_only_rounded_are_rescaled_and_noted(suffix: str, tmp_path: Path) -> None:
    a = tc.Discrete("X0", ("s0", "s1", "s2"))
    network = tc.Network.of([tc.table(a, [], [0.25, 0.25, 0.5])])
    path = tmp_path / f"network{suffix}"
    path.write_text(KNOWN[suffix].write(network).replace("0.5", "0.4999995"))
    again, notes = read_noted(path)
    assert again["X0"].values.sum() == pytest.approx(1, abs=1e-15)
    assert notes == (
        f"{path}: 1 row of 'X0' was rescaled to add up to 1; it was off by at most 5e-07",
    )


@every_format
@pytest.mark.parametrize("wrong", ["0.499", "-0.5", "nan", "inf", "half", "1e999"])
def test_rows_that_are_wrong_are_errors(suffix: str, wrong: str) -> None:
    a = tc.Discrete("X0", ("s0", "s1", "s2"))
    text = KNOWN[suffix].write(tc.Network.of([tc.table(a, [], [0.25, 0.25, 0.5])]))
    with pytest.raises(tc.TacitError) as caught:
        KNOWN[suffix].read(text.replace("0.5", wrong), "file")
    assert str(caught.value).startswith("file")


@every_format
def test_partial_tables_are_refused_and_nothing_is_written(suffix: str, tmp_path: Path) -> None:
    a, b = tc.Discrete("A", ("x", "y")), tc.Discrete("B", ("x", "y"))
    unknown = tc.Table((a, b), np.array([[0.5, 0.5], [np.nan, np.nan]]), partial=True)
    path = tmp_path / f"network{suffix}"
    path.write_text("as before")
    with pytest.raises(tc.FormatError, match="1 unknown row;"):
        tc.write(tc.Network.of([tc.table(a, [], [0.5, 0.5]), unknown]), path)
    assert path.read_text() == "as before"
    assert list(tmp_path.iterdir()) == [path]


@every_format
def test_a_file_that_is_cut_short_anywhere_is_an_error(suffix: str) -> None:
    text = KNOWN[suffix].write(tc.textbook("sprinkler"))
    for length in range(0, len(text.rstrip())):
        found = outcome(suffix, text[:length])
        if isinstance(found, tc.Network):  # the last number may lose digits and still be one
            assert (suffix, len(found)) == (".uai", 4)
        else:
            assert str(found).startswith("file")


def damaged(draw: st.DrawFn, text: str) -> str:
    """The text after a few cuts, copies, moves and foreign words."""
    words = ["{", "}", "(", ")", ";", ",", '"', "\\", "/*", "*/", "//", "%", "#", "=", "|", "nan",
             "-1", "1e999", "9999999999", "\n", "<", ">", "&", "&#0;", "\x01", "\ufffe", "default",
             "null", "[[", "1_0", "<a>", "]]>", "é"]  # fmt: skip
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        end = min(end, start + draw(st.sampled_from([0, 1, 5, 40, 10_000])))
        match draw(st.sampled_from(["cut", "drop", "double", "replace", "insert", "move"])):
            case "cut":
                text = text[:start]
            case "drop":
                text = text[:start] + text[end:]
            case "double":
                text = text[:end] + text[start:end] + text[end:]
            case "replace":
                text = text[:start] + draw(st.sampled_from(words)) + text[end:]
            case "insert":
                text = text[:start] + draw(st.sampled_from(words)) + text[start:]
            case "move":
                text = text[end:] + text[start:end] + text[:start]
    return text


@every_format
@given(data=st.data(), name=st.sampled_from(["asia", "cancer"]))
@settings(max_examples=2 * settings().max_examples)
def test_a_damaged_file_is_a_network_or_one_readable_error(
    suffix: str, data: st.DataObject, name: str
) -> None:
    text = st.composite(damaged)(KNOWN[suffix].write(tc.textbook(name)))
    drawn = data.draw(text)
    started = time.perf_counter()
    found = outcome(suffix, drawn)
    assert isinstance(found, tc.Network) or 10 < len(str(found)) < 2000
    assert time.perf_counter() - started < 5


@every_format
@given(content=st.binary(max_size=200))
@settings(max_examples=settings().max_examples // 2)
def test_any_bytes_are_a_network_or_one_readable_error(
    suffix: str, content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"bytes{suffix}"
    path.write_bytes(content)
    with pytest.raises(tc.TacitError):
        tc.read(path)
