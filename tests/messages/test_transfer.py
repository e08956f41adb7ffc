"""Errors of sources and ways to borrow, word by word."""

from __future__ import annotations

import pytest

import tacit as tc

OWN = {"A": ["x", "y"] * 10, "B": ["u", "v", "v", "v"] * 5}
REAL = tc.read_cases({"X": [0.1, 0.5, 0.7], "Y": [1.5, 2.5, 0.5]}, continuous=["X", "Y"])
NORMAL = tc.BestFragment(fusion="normal")
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
            lambda: tc.Source(OWN, strength=1e308),
            "strength=1e+308 of a source is too much; 1e+12 is the most",
        ),
        (
            lambda: tc.Pool(strength=1e308),
            "strength=1e+308 is too much; 1e+12 is the most",
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
            lambda: fitted([tc.Source(OWN, "Leeds", structure="A -> C")]),
            "source 'Leeds': the cases have no column 'C'\n\ncolumns: A, B"
            "\n\nevery variable in the structure of a source needs a column",
        ),
        (
            lambda: fitted([tc.Source(tc.textbook("asia"), "Leeds", "A -> B", 100)]),
            "source 'Leeds': a network has a structure of its own\n\nleave out structure=",
        ),
        (
            lambda: fitted([tc.Source(tc.Statistics("A -> B").update(OWN), "Leeds", "B -> A")]),
            "source 'Leeds': statistics have a structure of their own\n\nleave out structure=",
        ),
        (
            lambda: fitted([tc.Source(OWN, "Leeds", strength=1e11)]),
            "source 'Leeds': it would be worth 2e+12 cases\n\ngive it a strength that comes to "
            "1e+12 cases at most; beyond that the target's own are lost in rounding",
        ),
        (
            lambda: fitted([OWN], transfer=NORMAL, estimate=tc.MAP()),
            "BestFragment(fusion='normal') gives the posterior mean, not what is most probable"
            "\n\nleave out estimate=tc.MAP(), or use transfer=tc.BestFragment()",
        ),
        (
            lambda: fitted([OWN], transfer=tc.Aggregate(), estimate=tc.MAP(), prior=tc.K2()),
            "Aggregate() gives most likely tables taken together, not what is most probable"
            "\n\nleave out estimate=tc.MAP(), or use transfer=tc.BestFragment()",
        ),
        (
            lambda: fitted([OWN], transfer=NORMAL, knowledge="P(A=x) >= 0.2 confidence 70%"),
            "BestFragment(fusion='normal'): rules said with less than certainty need a Dirichlet "
            "prior and the multinomial likelihood"
            "\n\nuse transfer=tc.BestFragment(), whose evidence goes with all rules",
        ),
        (
            lambda: tc.BestFragment(threshold=True),
            "threshold=True must lie between 0 and 1",
        ),
        (
            lambda: tc.BestFragment(names=True),
            "names=True must be a number above 0",
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
            "\n\nmake them discrete with tc.discretise, or leave this source out",
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
            "Aggregate() needs complete cases of variables with states, and A, B are not complete"
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


def test_a_network_too_dense_to_sum_out_may_lend_cases_drawn_from_it(monkeypatch):
    def too_large(network, names):
        raise tc.SizeError("it needs a table of 134,217,728 cells on the way")

    monkeypatch.setattr("tacit.learn.sources.joint", too_large)
    with pytest.raises(tc.SizeError) as caught:
        fitted([tc.Source(tc.textbook("asia"), "Leeds", strength=100)])
    assert str(caught.value) == (
        "source 'Leeds': it needs a table of 134,217,728 cells on the way\n\ndraw cases from it "
        "instead: tc.Source(tc.sample(network, 1000, seed=1), structure=network.dag)"
    )


@pytest.mark.parametrize(
    ("source", "transfer", "why"),
    [
        (tc.Source(OWN, strength=0), tc.BestFragment(), "no source has a case to lend"),
        (tc.Source(OWN, strength=0), tc.Aggregate(), "no source has a case to lend"),
        (tc.Source(OWN, related=0.0), tc.Mixture(names=1e300), "no fragment fits"),
        (
            tc.Source(OWN, related=0.0),
            tc.Mixture(threshold=1),
            "that some fragment is the same table has probability 0 only",
        ),
    ],
)
def test_why_nothing_was_borrowed_is_told_as_it_is(source, transfer, why):
    found = fitted(source, transfer=transfer)
    assert [(table.loans, table.why) for table in found.borrowed] == [((), why)] * 2


def test_a_packed_file_lends_its_name_without_its_endings(tmp_path):
    tc.write_cases(tc.read_cases(OWN), tmp_path / "leeds.csv.gz")
    found = fitted(tmp_path / "leeds.csv.gz")
    assert {loan.source for table in found.borrowed for loan in table.loans} == {"leeds"}


def test_rules_that_too_few_draws_keep_are_left_to_another_way_to_borrow(monkeypatch):
    def too_few(told):
        raise tc.EstimateError("only 0 of 9 draws keep the rules\n\nuse tc.fit, which looks")

    monkeypatch.setattr("tacit.learn.normal_fit.posterior_of", too_few)
    with pytest.raises(tc.EstimateError) as caught:
        fitted([OWN], transfer=NORMAL, knowledge="P(A=x) >= 0.2")
    assert str(caught.value) == (
        "BestFragment(fusion='normal'): only 0 of 9 draws keep the rules"
        "\n\nuse transfer=tc.BestFragment(), whose evidence goes with all rules"
    )
