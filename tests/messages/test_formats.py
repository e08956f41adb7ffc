"""What is said about damaged files and about what a format cannot hold: the whole messages.

`formats/*.txt` begin with a file that is right; then, for each kind of damage, which words are
replaced by which others, and what is said then.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.io.formats import FORMATS

FILES = sorted((Path(__file__).parent / "formats").glob("*.txt"))


def good(path: Path) -> str:
    return path.read_text().partition("=== ")[0]


def kinds_of_damage() -> list[object]:
    found: list[object] = []
    for path in FILES:
        for block in path.read_text().split("\n=== ")[1:]:
            change, _, message = block.partition("\n")
            old, _, new = change.partition(" -> ")
            damage = json.loads(old), json.loads(new)
            found.append(
                pytest.param(path, *damage, message.rstrip("\n"), id=f"{path.stem} {change}")
            )
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_files_are_right_before_they_are_damaged(path: Path) -> None:
    network, notes = FORMATS[f".{path.stem}"].read(good(path), "clinic")
    assert [family.values.tolist() for family in network.families.values()] == [
        [0.3, 0.7],
        [[0.1, 0.9], [0.01, 0.99]],
    ]
    assert notes == ()


@pytest.mark.parametrize(("path", "old", "new", "message"), kinds_of_damage())
def test_damage_is_named_and_marked(path: Path, old: str, new: str, message: str) -> None:
    assert old in good(path)
    with pytest.raises(tc.TacitError) as caught:
        FORMATS[f".{path.stem}"].read(good(path).replace(old, new, 1), f"clinic.{path.stem}")
    assert str(caught.value) == message


def said(network: tc.Network, path: Path) -> str:
    with pytest.raises(tc.FormatError) as caught:
        tc.write(network, path)
    assert not path.exists()
    return str(caught.value)


def one(name: str, *states: str) -> tc.Network:
    even = np.full(len(states), 1 / len(states))
    return tc.Network.of([tc.table(tc.Discrete(name, states), [], even)])


def test_what_a_format_cannot_hold_is_named(tmp_path: Path) -> None:
    assert said(one("A B", "x"), tmp_path / "n.net") == (
        'NET cannot hold the name "A B": it takes letters, digits and _ only, no digit first'
        "\n\nrename it, or write a .json file, which holds any name"
    )
    assert said(one("A", "0", "1"), tmp_path / "n.xdsl") == (
        "XDSL cannot hold the state 0 of A: it takes letters, digits and _ only, a letter first"
        "\n\nrename it, or write a .json file, which holds any name"
    )
    assert said(one("A", "x\ny"), tmp_path / "n.bif") == (
        'BIF cannot hold the state "x\\ny" of A: it takes names without line breaks or control '
        "characters\n\nrename it, or write a .json file, which holds any name"
    )
    assert said(one("A", " x"), tmp_path / "n.xmlbif") == (
        'XMLBIF cannot hold the state " x" of A: it takes names without line breaks, control '
        "characters or blanks at either end"
        "\n\nrename it, or write a .json file, which holds any name"
    )


def test_a_family_that_a_format_cannot_hold_is_named(tmp_path: Path) -> None:
    wind = tc.LinearGaussian((tc.Continuous("Wind speed"),), np.array([]), 0.0, 1.0)
    assert said(tc.Network.of([wind]), tmp_path / "n.bif") == (
        'BIF holds tables only, and "Wind speed" has a linear gaussian family'
        "\n\nwrite a .json file, which holds every family"
    )


def test_rows_that_are_unknown_are_counted(tmp_path: Path) -> None:
    axis = tc.Discrete("A", ("x", "y"))
    network = tc.Network.of([tc.Table((axis,), np.array([np.nan, np.nan]), partial=True)])
    assert said(network, tmp_path / "n.json") == (
        "the table of A has 1 unknown row; a file holds complete networks only"
        '\n\nfill rows without cases when estimating, for example by ML(empty="uniform")'
    )


def test_half_a_character_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    message = f"{path}: a name holds half a character, which no file can hold"
    assert said(one("A", "x\ud800"), path) == message


def test_an_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    known = "known are: .bif .xmlbif .bifxml .xml .xdsl .net .dsc .uai .json, each also with .gz"
    message = f"'network.pgm': the suffix '.pgm' names no format of networks\n\n{known}"
    with pytest.raises(tc.FormatError) as caught:
        tc.read("network.pgm")
    assert str(caught.value) == message
    with pytest.raises(tc.FormatError) as caught:
        tc.write(one("A", "x"), "network.pgm")
    assert str(caught.value) == message
    with pytest.raises(tc.FormatError) as caught:
        tc.read(tmp_path / "missing.bif.gz")
    assert str(caught.value) == f"there is no file {str(tmp_path / 'missing.bif.gz')!r}"


def test_only_networks_are_written(tmp_path: Path) -> None:
    with pytest.raises(tc.OptionError, match="a network is written, not a Dag"):
        tc.write(tc.Dag.parse("A -> B"), tmp_path / "n.bif")
