"""Errors of sources and ways to borrow, word by word."""

from __future__ import annotations

import pytest

import tacit as tc

OWN = {"A": ["x", "y"] * 10, "B": ["u", "v", "v", "v"] * 5}
REAL = tc.read_cases({"X": [0.1, 0.5, 0.7], "Y": [1.5, 2.5, 0.5]}, continuous=["X", "Y"])
HOLES = {"A": ["x", "y", None], "B": ["u", None, "v"]}


def fitted(sources, **options):
    return tc.fit("A -> B", OWN, sources=sources, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tc.Source(OWN, strength=-1),
            "strength=-1 of a source is a number of cases, 0 or more",
        ),
        (
            lambda: tc.Source(OWN, strength=float("nan")),
            "strength=nan of a source is a number of cases, 0 or more",
        ),
        (
            lambda: tc.Source(OWN, related=1.5),
            "related=1.5 is a probability between 0 and 1",
        ),
        (
            lambda: tc.Source(OWN, related=True),
            "related=True is a probability between 0 and 1",
        ),
        (
            lambda: tc.Source(OWN, name=3),
            "the name of a source is a text, not 3",
        ),
        (
            lambda: fitted([tc.Source(tc.fit("A -> B", OWN).network, "Leeds")]),
            "source 'Leeds': a network without its cases does not say how much it is worth"
            "\n\nsay how many: tc.Source(network, strength=100)",
        ),
        (
            lambda: fitted([tc.Source(OWN, "Leeds"), tc.Source(OWN, "Leeds")]),
            "two sources are named 'Leeds'; give each a name of its own",
        ),
        (
            lambda: fitted([OWN], estimate=tc.ML()),
            "tc.ML() takes the cases alone, and borrows nothing"
            "\n\nuse estimate=tc.Smoothed(), which borrows, or leave out the sources",
        ),
        (
            lambda: fitted([OWN], transfer="best"),
            "transfer takes a value such as tc.BestFragment(), not 'best'",
        ),
        (
            lambda: tc.fit("A -> B", OWN, transfer=tc.BestFragment()),
            "transfer= says how to borrow; sources= must say from whom",
        ),
        (
            lambda: fitted([tc.Source({"A": ["x", "y"]}, "Leeds")]),
            "source 'Leeds': the cases have no column 'B'\n\ncolumns: A"
            "\n\na source with other variables says how they hang together: "
            'tc.Source(cases, structure="A -> B")',
        ),
        (
            lambda: fitted([{"A": [], "B": []}]),
            "source 'source 1': a dict of columns: there are columns but no cases",
        ),
        (
            lambda: fitted([tc.Source(tc.Statistics("A -> B"), "Leeds")]),
            "source 'Leeds': no cases were counted yet\n\nadd some with Statistics.update(cases)",
        ),
        (
            lambda: fitted([tc.Source(REAL, "Leeds", structure="X -> Y")]),
            "source 'Leeds': it has no table to lend: all its variables are continuous"
            "\n\nmake them discrete with tc.discretise",
        ),
        (
            lambda: fitted(["nowhere.csv"]),
            "source 'nowhere': there is no file 'nowhere.csv'",
        ),
        (
            lambda: fitted([OWN], prior=tc.Dirichlet(0.0)),
            "the prior of 'A' is 0, and comparing tables of several sites needs one above 0 in "
            "every cell\n\ntake tc.BDeu(1), tc.Jeffreys() or tc.K2(), for example",
        ),
        (
            lambda: fitted([OWN], transfer=tc.Aggregate(), knowledge="P(A=x) >= 0.2"),
            "Aggregate() takes tables together without regard to rules"
            "\n\nuse transfer=tc.BestFragment(), which keeps them, or leave out the knowledge",
        ),
        (
            lambda: tc.fit("A -> B", HOLES, sources=[OWN], transfer=tc.Aggregate(), seed=1),
            "Aggregate() needs complete cases"
            "\n\nuse transfer=tc.BestFragment(), whose evidence goes into EM as well",
        ),
        (
            lambda: tc.BestFragment(check="loose"),
            "check='loose' is none\n\nthere are: tolerant, strict, none",
        ),
        (
            lambda: tc.Mixture(states="any"),
            "states='any' is none\n\nthere are: same, aggregate, relabel",
        ),
        (
            lambda: tc.Pool(parents="any"),
            "parents='any' is none\n\nthere are: same, align",
        ),
        (
            lambda: tc.BestFragment(fusion="beta"),
            "fusion='beta' is none\n\nthere are: evidence, normal",
        ),
        (
            lambda: tc.Mixture(threshold=2),
            "threshold=2 must lie between 0 and 1",
        ),
        (
            lambda: tc.Pool(strength=-1),
            "strength=-1 must be a number, 0 or more",
        ),
        (
            lambda: tc.Aggregate(variant="mean"),
            "variant='mean' is none\n\nthere are: local, distance, linear, logarithmic",
        ),
        (
            lambda: tc.Aggregate(low="none"),
            "low='none' is none\n\nthere are: printed, linear",
        ),
    ],
)
def test_errors_about_sources_say_what_is_wrong_and_what_would_be_right(call, message):
    with pytest.raises(tc.TacitError) as caught:
        call()
    assert str(caught.value) == message
