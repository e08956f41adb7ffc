"""Searches at the edge of what can be: tables too large to keep, samples that lack a value."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

import tacit as tc
from tacit.core.variables import Continuous, Discrete
from tacit.families.counts import DENSE_CELLS
from tacit.families.table import MOST_CELLS
from tacit.knowledge.limits import reasons_of
from tacit.learn.structure.perturbing import drawn_again
from tacit.learn.structure.question import ask, joinable, scorer_of
from tacit.learn.structure.running import resampling

RNG = np.random.default_rng(4)
MANY = RNG.integers(0, 600, 100)
LARGE = {
    f"V{at}": tc.Discrete(f"V{at}", [f"s{state}" for state in range(600)]) for at in range(4)
}  # fmt: skip
WIDE = tc.Dataset(
    LARGE,
    {name: np.where(RNG.random(100) < 0.8, MANY, RNG.integers(0, 600, 100)) for name in LARGE},
)
QUICK = tc.HillClimb(restarts=2)
RARE = {
    "A": RNG.normal(size=40).tolist(),
    "Rare": [1.25, *[0.5] * 39],
    "B": RNG.normal(size=40).tolist(),
}


@pytest.mark.parametrize("score", [tc.LogLikelihood(), tc.BDeu(1), tc.Dirichlet(0.01)])
@pytest.mark.parametrize(
    "method",
    [
        QUICK,
        tc.Tabu(5, restarts=1),
        tc.Exact(),
        tc.SimulatedAnnealing(steps=10),
        tc.WeightAnnealing(tc.Tabu(2, restarts=0), start=0.1, end=0.05),
    ],
)
def test_no_method_chooses_a_table_too_large_to_keep(score, method):
    if isinstance(score, tc.Dirichlet) and not isinstance(method, tc.HillClimb):
        return
    found = tc.search(WIDE, score=score, method=method, seed=1)
    assert found.dag.arcs
    for name, who in found.dag.parents.items():
        assert prod(len(LARGE[each].states) for each in (name, *who)) <= MOST_CELLS


def test_what_can_be_kept_is_counted_cell_by_cell():
    sizes = {"A": 900, "B": 0, "C": 500, "D": 0, "E": 450, "F": 2}
    variables = {
        name: Discrete(name, tuple(f"s{at}" for at in range(many))) if many else Continuous(name)
        for name, many in sizes.items()
    }
    columns = {name: np.zeros(1, dtype=np.float64 if not sizes[name] else int) for name in sizes}
    cases = tc.Dataset(variables, columns)
    limits, names = joinable(cases, reasons_of(None, tuple(sizes))), tuple(sizes)

    def kept(child, parents):
        cells = prod(sizes[each] for each in (child, *parents) if sizes[each])
        reals = sum(not sizes[each] for each in (child, *parents))
        if sizes[child]:
            return cells <= MOST_CELLS
        return cells * reals * (reals + 1) <= DENSE_CELLS

    seen = set()
    for child in names:
        for parents in ((), ("A",), ("C",), ("A", "C"), ("A", "B", "C"), ("E", "F"), ("D", "E")):
            if child in parents:
                continue
            at, who = names.index(child), [names.index(each) for each in parents]
            assert limits.keeps(at, who) == kept(child, parents)
            more = limits.keeping(at, who)
            for other in set(names) - {child, *parents}:
                expected = kept(child, (*parents, other))
                assert expected if more is None else more[names.index(other)] == expected
                seen.add(expected)
    assert seen == {True, False}


def test_a_start_or_a_rule_that_asks_for_too_large_a_table():
    message = (
        "V1 given V0, V2 has more numbers than can be kept, and these arcs are required or in the "
        "start\n\nrequire fewer parents, or merge states with tc.discretise"
    )
    for wishes in (
        {"start": "V0 -> V1 <- V2; V3"},
        {"knowledge": "require V0 -> V1; require V2 -> V1"},
    ):
        with pytest.raises(tc.SizeError) as caught:
            tc.search(WIDE, **wishes)
        assert str(caught.value) == message


@pytest.mark.parametrize("more", [{}, {"G": ["u", "v"] * 20}])
@pytest.mark.parametrize("method", [QUICK, tc.HillClimb(restarts=3, perturb="bootstrap")])
def test_a_column_that_is_constant_in_a_sample_says_nothing_there(more, method):
    cases = tc.read_cases({**RARE, **more}, continuous=["Rare"])
    found = tc.search(cases, method=method, bootstrap=20, seed=1)
    sure = found.found.confidence
    assert sure.replicates == 20
    question = ask(cases, None, None, None)
    draws = [resampling(question, np.random.default_rng([1, number])) for number in range(20)]
    assert any(weights[0] == 0 for weights in draws)  # a sample with one value only


@pytest.mark.parametrize("more", [{}, {"G": ["u", "v"] * 20}])
def test_weights_that_leave_one_value_make_a_column_independent(more):
    cases = tc.read_cases({**RARE, **more}, continuous=["Rare"])
    scorer = scorer_of(cases, tc.BIC())
    weights = np.array([0.0, *[1.0] * 39])
    here = scorer.weighted(weights)
    names, price = here.names, np.log(39) / 2
    a, rare = names.index("A"), names.index("Rare")
    assert here.family(rare, ()) - here.family(rare, (a,)) == pytest.approx(price)
    assert here.family(a, ()) - here.family(a, (rare,)) == pytest.approx(price)
    assert np.isfinite(here.family(rare, ()))
    left_out = tc.read_cases({k: v[1:] for k, v in {**RARE, **more}.items() if k != "Rare"})
    plain = scorer_of(left_out, tc.BIC())
    b = names.index("B")
    there = plain.names.index
    assert here.family(a, (b,)) == pytest.approx(plain.family(there("A"), (there("B"),)))


def test_samples_in_which_a_required_arc_has_no_distribution_are_counted():
    a, c = RNG.normal(size=12), RNG.normal(size=12)
    b = 2 * a
    b[0] += 1
    cases = {"A": a.tolist(), "B": b.tolist(), "C": c.tolist()}
    for method in (QUICK, tc.Exact()):
        found = tc.search(cases, knowledge="require A -> B", method=method, bootstrap=20, seed=1)
        lost = 20 - found.found.confidence.replicates
        assert 0 < lost < 20
        assert found.notes[-1] == (
            f"in {lost} of 20 bootstrap samples no dag that the rules allow has a distribution; "
            "the others tell how sure arcs are"
        )


def test_a_climb_without_a_distribution_comes_to_an_end():
    rng = np.random.default_rng(0)
    rng.normal(size=(60, 4))
    a = rng.normal(size=12)
    b = 2 * a
    b[0] += 1
    c = rng.normal(size=12)
    d = c + 0.1 * rng.normal(size=12)
    cases = {name: column.tolist() for name, column in zip("ABCD", (a, b, c, d), strict=True)}
    found = tc.search(
        {**cases, "G": list("ab") * 6},
        knowledge="require A -> B",
        method=tc.HillClimb(restarts=5, perturb="bootstrap"),
        bootstrap=5,
        seed=1,
    )
    assert found.dag.parents["B"][0] == "A"


def test_shares_for_weights_do_not_reward_parameters():
    cases = {name: ["x", "y"] * 20 for name in "AB"}
    shares = tc.read_cases({**cases, "w": [1 / 80] * 40}, weights="w")
    for score in (tc.BIC(), tc.MDL()):
        free = tc.score("A; B", shares, score)
        assert tc.score("A -> B", shares, tc.LogLikelihood()).total >= free["A"] + free["B"]
    found = tc.search(shares, seed=1)
    assert found.notes[0] == (
        "40 cases weigh 0.5 in all, and are scored as so few: a weight says how often a case counts"
    )
    assert not any("weigh" in note for note in tc.search(cases, seed=1).notes)


def test_more_cases_than_can_be_drawn_are_drawn_as_many_as_can():
    cases = tc.read_cases({"A": ["x", "y"] * 5, "B": ["u", "v"] * 5, "w": [1e30] * 10}, weights="w")
    found = tc.search(cases, bootstrap=2, seed=1)
    assert found.found.confidence.link("A", "B") == 1
    weights = np.array([1.0, 3.0, 0.0, 2.5e18])
    drawn = drawn_again(weights, np.random.default_rng(1))
    assert drawn.sum() == pytest.approx(weights.sum())
    assert drawn[2] == 0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1e300, -2e300, 1.5e300], "has values as large as 2e+300"),
        ([1e-200, 2e-200, 0.0], "has no value larger than 2e-200"),
    ],
)
@pytest.mark.parametrize(
    "ask_",
    [
        tc.search,
        lambda data: tc.search(data, score=None if "G" in data else tc.BGe()),
        lambda data: tc.fit("X -> Y", data),
        lambda data: tc.fit("G -> X" if "G" in data else "X", data),
    ],
)
def test_numbers_whose_squares_are_none_are_refused(values, words, ask_):
    data = {"X": values, "Y": [0.5, 1.5, 0.7]}
    for more in ({}, {"G": list("aba")}):
        with pytest.raises(tc.CasesError) as caught:
            ask_(tc.read_cases({**data, **more}, continuous=["X", "Y"]))
        assert str(caught.value) == (
            f"X {words}, and the squares of such numbers cannot be computed with"
            "\n\nexpress the column in another unit, between 1e-75 and 1e+75"
        )


@pytest.mark.parametrize("slope", [1.0, 3.7, 1 / 3])
def test_cases_on_an_exact_function_are_on_it_for_the_fit_too(slope):
    x = RNG.normal(size=60)
    cases = {"X": x.tolist(), "Y": (slope * x + 1).tolist(), "G": list("uvw") * 20}
    for dag, family in (("X -> Y", "Y"), ("X -> Y <- G", "Y")):
        fit = tc.fit(dag, cases, estimate=tc.ML())
        assert (np.asarray(fit.network[family].sd) == 0).all()
        codes = [np.arange(60) % 3] if "G" in fit.network[family].parents else []
        density = fit.network[family].log_prob([x, *codes, slope * x + 1])
        assert (density == np.inf).all()
        off = slope * x + 1
        off[7] += 1e-3
        assert fit.network[family].log_prob([x, *codes, off])[7] == -np.inf
