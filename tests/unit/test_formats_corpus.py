"""Hostile and damaged files: each is one readable error, soon, and takes no memory to speak of."""

from __future__ import annotations

import gzip
import time
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest

import tacit as tc
from tacit.io import xmlsafe
from tacit.io.formats import FORMATS

CORPUS = sorted((Path(__file__).parents[1] / "corpus").iterdir())


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_every_file_of_the_corpus_is_one_readable_error(path: Path) -> None:
    tc.textbook("asia")
    tracemalloc.start()
    started = time.perf_counter()
    try:
        with pytest.raises(tc.TacitError) as caught:
            tc.read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - started < 5
    assert peak < 50_000_000
    message = str(caught.value)
    assert path.name in message.partition("\n")[0]
    assert len(message) < 3000


def test_a_million_parents_are_refused_at_once() -> None:
    parents = ", ".join(f"P{at}" for at in range(1_000_000))
    text = "network x {} variable A { type discrete [2] {a, b}; }\n"
    started = time.perf_counter()
    for suffix, file in {
        ".bif": f"{text}probability (A | {parents}) {{ table 1 0; }}",
        ".net": f"net {{}} node A {{ states = (a b); }} potential (A | {parents}) {{}}",
        ".uai": f"BAYES 1 2 1 1000001 {'0 ' * 1_000_001} 2 0.5 0.5",
        ".xdsl": '<smile><nodes><cpt id="A"><state id="a"/><parents>'
        f"{parents.replace(',', '')}</parents></cpt></nodes></smile>",
    }.items():
        with pytest.raises(tc.TacitError):
            FORMATS[suffix].read(file, "file")
    assert time.perf_counter() - started < 10


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.bif.gz"
    path.write_bytes(gzip.compress(b"network x {}" + b" " * 110_000_000, compresslevel=9, mtime=0))
    with pytest.raises(tc.FormatError, match="bytes when unpacked; this is refused"):
        tc.read(path)


def test_many_elements_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xmlsafe, "MOST_ELEMENTS", 1000)
    with pytest.raises(tc.FormatError, match="too many elements; the most are 1,000 in all"):
        FORMATS[".xml"].read("<BIF>" + "<a/>" * 1001 + "</BIF>", "file")


def test_long_chains_and_long_cycles_do_not_overflow() -> None:
    names = [f"V{at}" for at in range(3000)]
    text = "network x {}\n" + "".join(
        f"variable {name} {{ type discrete [1] {{a}}; }}\n" for name in names
    )
    links = "".join(
        f"probability ({child} | {parent}) {{ (a) 1; }}\n" for child, parent in pairwise(names)
    )
    root = f"probability ({names[-1]}) {{ table 1; }}"
    assert len(FORMATS[".bif"].read(text + links + root, "file")[0]) == 3000
    ring = f"probability ({names[-1]} | V0) {{ (a) 1; }}"
    with pytest.raises(tc.CycleError) as caught:
        FORMATS[".bif"].read(text + links + ring, "file")
    assert len(caught.value.cycle) == 3001
