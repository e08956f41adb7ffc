"""What cannot be borrowed beside continuous columns, word by word, and the way out of it."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc

RANDOM = np.random.default_rng(1)
A = RANDOM.choice(["x", "y"], 60).tolist()
B = RANDOM.choice(["u", "v"], 60).tolist()
X = RANDOM.normal(size=60).tolist()
OWN = {"A": A, "B": B, "X": X}
GAPS = {"A": A, "B": [None, *B[1:]], "X": [*X[:-1], None]}
DAG = "A -> B; A, B -> X"
NORMAL = tc.BestFragment(fusion="normal")
RULE = "P(B=u | A=x) >= 0.4"


def fitted(**options):
    return tc.fit(**{"structure": DAG, "data": OWN, "sources": [OWN], "seed": 1, **options})


CASES = {
    "no table here": (
        {"structure": "X", "data": {"X": X}},
        "every variable here is continuous, and only tables of variables with states are borrowed"
        "\n\nmake one discrete with tc.discretise, or leave out the sources",
        [
            {"sources": None},
            {"data": tc.discretise({"X": X}, ["X"]), "sources": tc.discretise({"X": X}, ["X"])},
        ],
    ),
    "no table there": (
        {"sources": tc.Source({"R": X}, "Leeds", structure="R")},
        "source 'Leeds': it has no table to lend: all its variables are continuous"
        "\n\nmake them discrete with tc.discretise, or leave this source out",
        [
            {"sources": tc.Source(tc.discretise({"R": X}, ["R"]), structure="R")},
            {"sources": None},
        ],
    ),
    "no value there": (
        {"sources": tc.Source({"A": [None] * 60, "B": [None] * 60}, "Leeds")},
        "source 'Leeds': it has no table to lend: A, B have no value in any case"
        "\n\ngive it cases that show states, or leave this source out",
        [{"sources": tc.Source({"A": A, "B": B}, "Leeds")}, {"sources": None}],
    ),
    "a parent with real values there": (
        {"sources": tc.Source({"R": X, "B": B}, "Leeds", structure="R -> B")},
        "source 'Leeds': it has no table to lend: B has a parent with real values"
        "\n\nmake that parent discrete with tc.discretise, or give the source a structure without "
        "it",
        [
            {"sources": tc.Source({"R": X, "B": B}, "Leeds", structure="B; R")},
            {"sources": tc.Source(tc.discretise({"R": X, "B": B}, ["R"]), structure="R -> B")},
        ],
    ),
    "an estimate of its own beside gaps": (
        {"data": GAPS, "transfer": tc.Aggregate(variant="distance")},
        "Aggregate(variant='distance') needs complete cases of variables with states, and B is not "
        "complete\n\nuse transfer=tc.BestFragment(), whose evidence goes into EM as well",
        [{"transfer": tc.BestFragment()}],
    ),
    "normal priors beside gaps": (
        {"data": GAPS, "transfer": NORMAL, "knowledge": RULE},
        "BestFragment(fusion='normal') needs complete cases of variables with states, and B is not "
        "complete\n\nuse transfer=tc.BestFragment(), whose evidence goes into EM as well",
        [{"transfer": tc.BestFragment()}],
    ),
    "tables of Aggregate under a rule": (
        {"transfer": tc.Aggregate(), "knowledge": f"{RULE}\nintercept(X | A=x) >= -9"},
        "Aggregate() takes tables together without regard to rules"
        "\n\nuse transfer=tc.BestFragment(), which keeps them, or leave out the knowledge",
        [{"transfer": tc.BestFragment()}, {"knowledge": None}],
    ),
    "a doubted rule beside gaps": (
        {"data": GAPS, "knowledge": f"{RULE} confidence 0.8"},
        "X is continuous: rules said with less than certainty need complete cases beside it"
        "\n\nleave out their confidence",
        [{"knowledge": RULE}],
    ),
    "another method": (
        {"data": GAPS, "method": tc.Gradient()},
        "X is continuous: its missing cells and hidden variables are inferred by EM"
        "\n\nuse method=tc.EM()",
        [{"method": tc.EM()}],
    ),
    "a hidden variable that nobody measured there": (
        {"structure": "H -> A, X", "hidden": {"H": 2}, "data": {"A": A, "X": X}},
        "source 'source 1': the cases have no column 'H'\n\ncolumns: A, B, X"
        "\n\na source with other variables says how they hang together: "
        'tc.Source(cases, structure="A -> B")',
        [{"sources": tc.Source(OWN, structure="A -> B")}],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_borrowed_is_said_and_the_advice_works(name):
    options, message, ways_out = CASES[name]
    with pytest.raises(tc.TacitError) as caught:
        fitted(**options)
    assert str(caught.value) == message
    for way_out in ways_out:
        fitted(**{**options, **way_out})


def test_a_checkpoint_is_refused_and_either_is_left_out(tmp_path):
    kept = {"data": GAPS, "checkpoint": tmp_path / "run.ckpt"}
    with pytest.raises(tc.OptionError) as caught:
        fitted(**kept)
    assert str(caught.value) == (
        "sources= goes with neither tied= nor checkpoint=\n\nleave out one or the other"
    )
    fitted(**{**kept, "checkpoint": None})
    fitted(**{**kept, "sources": None})


@pytest.mark.parametrize(
    ("source", "notes"),
    [
        (
            tc.Source({**OWN, "B": X}, "Leeds"),
            ["source 'Leeds': B has real values there and states here, and lends no table"],
        ),
        (
            tc.Source({"A": A, "B": [None] * 60}, "Leeds"),
            ["source 'Leeds': B has no value in any case, so no table with it can be lent"],
        ),
        (
            tc.Source({**OWN, "R": X, "C": A}, "Leeds", structure="A; R -> B, C"),
            ["source 'Leeds': B, C have a parent with real values there, and lend no table"],
        ),
        (tc.Source(OWN, "Leeds"), []),
        (tc.Source({"A": A, "B": B}, "Leeds"), []),
    ],
)
def test_what_a_source_was_asked_for_and_cannot_lend_is_noted(source, notes):
    told = [each for each in fitted(sources=source).notes if each.startswith("source ")]
    assert told == notes


def test_families_that_are_no_tables_are_named():
    notes = fitted().notes
    assert "X borrowed nothing: its family is no table, and only tables are lent" in notes
    two = fitted(structure="A -> B; A -> X; B -> Y", data={**OWN, "Y": X[::-1]})
    assert "X, Y borrowed nothing: their families are no tables, and only tables are lent" in (
        two.notes
    )
    assert not any("borrowed nothing" in each for each in fitted(structure="A -> B").notes)


@pytest.mark.parametrize(("largest", "lent"), [(30, 31), (31, None)])
def test_numbers_that_are_all_states_here_are_read_as_these_there(largest, lent):
    wide = tc.read_cases({"S": list(range(31)) * 3}, discrete=["S"])
    theirs = tc.read_cases({"S": [float(each) for each in range(largest + 1)]}, continuous=["S"])
    source = tc.Source(theirs, "Leeds")
    if lent is None:
        with pytest.raises(tc.OptionError, match="all its variables are continuous"):
            tc.fit("S", wide, sources=source)
        return
    fit = tc.fit("S", wide, sources=source, transfer=tc.Pool())
    assert fit.borrowed[0].loans[0].cases == lent
    assert fit.pseudo["S"].tolist() == pytest.approx([1 + 1 / 31] * 31)
