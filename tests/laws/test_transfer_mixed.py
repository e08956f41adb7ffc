"""Laws of transfer beside continuous columns: tables borrow as if these were not there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive_transfer as naive
import tacit as tc
from mixed import mixed_network

NORMAL = tc.BestFragment(fusion="normal")
WAYS = [
    tc.BestFragment(),
    tc.BestFragment(guided=True),
    tc.BestFragment(states="relabel", parents="align"),
    tc.Mixture(),
    tc.Aggregate(),
    tc.Pool(strength=0.5),
    NORMAL,
]
AROUND_EM = [each for each in WAYS if not isinstance(each, tc.Aggregate) and each is not NORMAL]
DAG = "A -> B; A -> X; B, X -> Y"
seeds = st.integers(0, 10_000)
ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.describe())


def columns(cases: tc.Dataset) -> dict[str, list]:
    """The cases as values."""
    found: dict[str, list] = {}
    for name, variable in cases.variables.items():
        column = cases[name].tolist()
        states = isinstance(variable, tc.Discrete)
        found[name] = [variable.states[each] for each in column] if states else column
    return found


def with_states(network: tc.Network) -> tc.Network:
    """The tables alone: continuous variables have no children with states."""
    return tc.Network.of(each for each in network.families.values() if isinstance(each, tc.Table))


def blanked(cases: dict[str, list], names: str | list[str], every: int) -> dict[str, list]:
    """The cases without every so-manieth cell of these columns."""
    return {
        name: [
            None if name in names and (at + len(name) * place) % every == 0 else value
            for at, value in enumerate(column)
        ]
        for place, (name, column) in enumerate(cases.items())
    }


def sites(seed: int) -> tuple[tc.Network, dict[str, list], dict[str, list]]:
    """A network with tables and Gaussians, few cases of it, and many of one much like it."""
    truth = mixed_network(seed % 50)
    own, other = tc.sample(truth, 40, seed=seed), tc.sample(truth, 300, seed=seed + 1)
    return truth, columns(own), columns(other)


def small(cases: int, seed: int) -> dict[str, list]:
    """A -> B; A -> X; B, X -> Y."""
    random = np.random.default_rng(seed)
    a = random.integers(0, 2, cases)
    b = (random.random(cases) < np.array([0.2, 0.7])[a]).astype(int)
    x = random.normal(a, 1.0)
    y = random.normal(0.5 * x + b, 1.0)
    label = np.array(["n", "y"])
    return {"A": label[a].tolist(), "B": label[b].tolist(), "X": x.tolist(), "Y": y.tolist()}


def tables(fit: tc.Fit) -> dict[str, np.ndarray]:
    return {
        n: each.values for n, each in fit.network.families.items() if isinstance(each, tc.Table)
    }


def same_gaussians(one: tc.Fit, other: tc.Fit, tolerance: float = 0.0) -> None:
    for name, each in one.network.families.items():
        if not isinstance(each, tc.Table):
            twin = other.network[name]
            for what in ("coefficients", "intercept", "sd"):
                assert_allclose(getattr(each, what), getattr(twin, what), rtol=0, atol=tolerance)


@settings(max_examples=6)
@given(seeds)
@ways
def test_complete_tables_borrow_to_the_bit_as_without_the_continuous_columns(way, seed):
    truth, own, other = sites(seed)
    plain = with_states(truth)
    named = list(plain)
    whole = tc.fit(truth.dag, own, sources=tc.Source(other, "L"), transfer=way, seed=1)
    part = tc.fit(
        plain.dag,
        {name: own[name] for name in named},
        sources=tc.Source({name: other[name] for name in named}, "L"),
        transfer=way,
        seed=1,
    )
    for name in named:
        assert_array_equal(whole.network[name].values, part.network[name].values)
        assert_array_equal(whole.pseudo[name], part.pseudo[name])
    assert whole.borrowed == part.borrowed
    assert whole.log_likelihood == pytest.approx(float(tc.log_likelihood(whole.network, own)))
    same_gaussians(whole, tc.fit(truth.dag, own))


@pytest.mark.parametrize("rule", ["P(B=y | A=y) >= 0.8", "P(B=y | A=y) >= 0.8 confidence 0.7"])
@pytest.mark.parametrize("way", [tc.BestFragment(), tc.BestFragment(guided=True), tc.Mixture()],
                         ids=lambda way: way.describe())  # fmt: skip
def test_rules_of_tables_do_as_without_the_continuous_columns_beside_rules_of_regressions(
    way, rule
):
    own, other = small(50, 1), small(400, 2)
    alone = {name: own[name] for name in "AB"}
    both = f"coefficient(Y, X) >= 0.6\n{rule}"
    whole = tc.fit(DAG, own, knowledge=both, sources=tc.Source(other, "L"), transfer=way)
    part = tc.fit("A -> B", alone, knowledge=rule, transfer=way,
                  sources=tc.Source({name: other[name] for name in "AB"}, "L"))  # fmt: skip
    for name, values in tables(part).items():
        assert_array_equal(whole.network[name].values, values)
    assert whole.borrowed == part.borrowed
    same_gaussians(whole, tc.fit(DAG, own, knowledge="coefficient(Y, X) >= 0.6"))
    assert [each.by for each in whole.rules] == ["", ""]
    assert whole.rules[0].text == "coefficient(Y, X) >= 0.6"
    assert (whole.rules[1].text, whole.rules[1].value) == (part.rules[0].text, part.rules[0].value)


@settings(max_examples=5)
@given(seeds)
@ways
def test_gaps_in_continuous_columns_alone_change_no_table(way, seed):
    truth, own, other = sites(seed)
    real = [name for name in truth if not isinstance(truth[name], tc.Table)]
    prior = [tc.BDeu(1), tc.NormalGamma()]
    source = tc.Source(other, "L")
    gappy = blanked(own, real, 6)
    em = {"method": tc.EM(tolerance=1e-13), "prior": prior, "seed": 1}
    whole = tc.fit(truth.dag, own, sources=source, transfer=way, prior=prior, seed=1)
    fit = tc.fit(truth.dag, gappy, sources=source, transfer=way, **em)
    for name, values in tables(whole).items():
        assert_allclose(fit.network[name].values, values, rtol=0, atol=1e-6)
    assert [each.loans for each in fit.borrowed] == [each.loans for each in whole.borrowed]
    assert fit.log_likelihood == pytest.approx(float(tc.log_likelihood(fit.network, gappy)))
    same_gaussians(fit, tc.fit(truth.dag, gappy, **em), 1e-4)


@settings(max_examples=5)
@given(seeds)
@pytest.mark.parametrize("way", AROUND_EM, ids=lambda way: way.describe())
def test_with_gaps_a_source_of_strength_zero_is_no_source(way, seed):
    truth, own, other = sites(seed)
    gappy = blanked(own, list(own), 9)
    prior = [tc.BDeu(1), tc.NormalGamma()]
    plain = tc.fit(truth.dag, gappy, prior=prior, seed=1)
    fit = tc.fit(truth.dag, gappy, prior=prior, seed=1, transfer=way,
                 sources=tc.Source(other, "L", strength=0))  # fmt: skip
    for name, values in tables(plain).items():
        assert_array_equal(fit.network[name].values, values)
    same_gaussians(fit, plain)
    assert fit.objective == plain.objective


@settings(max_examples=5)
@given(seeds)
def test_what_is_borrowed_with_gaps_is_a_prior_like_any_other(seed):
    truth, own, other = sites(seed)
    gappy = blanked(own, list(own), 9)
    fit = tc.fit(truth.dag, gappy, prior=[tc.BDeu(1), tc.NormalGamma()], seed=1,
                 sources=tc.Source(other, "L"))  # fmt: skip
    told = tc.Dirichlet(dict(fit.pseudo))
    again = tc.fit(truth.dag, gappy, prior=[told, tc.NormalGamma()], seed=1)
    for name, values in tables(fit).items():
        assert_allclose(again.network[name].values, values, rtol=0, atol=1e-12)
    assert again.objective == pytest.approx(fit.objective, abs=1e-9)
    assert all(after >= before - 1e-9 for before, after in pairwise(fit.trace))


def expected_by_hand(fit: tc.Fit, own: dict[str, list]) -> np.ndarray:
    """N(A, B) where B is missing here and there, case by case: P(B | A) times the normal of Y."""
    table, line = fit.network["B"].values, fit.network["Y"]
    found = np.zeros((2, 2))
    for a, b, x, y in zip(*own.values(), strict=True):
        at = "ny".index(a)
        away = (y - line.coefficients[:, 0] * x - line.intercept) / line.sd
        chance = table[at] * np.exp(-0.5 * away**2) / line.sd
        if b is not None:
            chance = np.eye(2)["ny".index(b)]
        found[at] += chance / chance.sum()
    return found


def test_with_gaps_a_loan_follows_from_the_counts_expected_without_a_source():
    own, other = blanked(small(60, 3), "B", 4), small(400, 4)
    em = {"seed": 1, "method": tc.EM(tolerance=1e-12)}
    fit = tc.fit(DAG, own, sources=tc.Source(other, "L"), transfer=tc.BestFragment(learned=False),
                 **em)  # fmt: skip
    expected, counted = expected_by_hand(tc.fit(DAG, own, **em), own), np.zeros((2, 2))
    for a, b in zip(other["A"], other["B"], strict=True):
        counted["ny".index(a), "ny".index(b)] += 1
    (loan,) = fit.borrowed[1].loans
    assert loan.fragment == "B"
    raised = np.ones((2, 2))  # the prior of the comparison has one case per state
    factor = naive.log_factor_exact(counted, expected, raised)
    assert loan.log_factor == pytest.approx(factor, abs=1e-6)
    sure = np.exp(factor) / (1 + np.exp(factor))
    assert loan.probability == pytest.approx(sure, abs=1e-6)
    alpha = 0.25  # BDeu(1)
    size, mass = counted.sum(1, keepdims=True), (alpha + expected).sum(1, keepdims=True)
    alone, both = (alpha + expected) / mass, (alpha + expected + counted) / (mass + size)
    lent = fit.pseudo["B"] + expected
    assert_allclose(
        lent / lent.sum(1, keepdims=True), (1 - sure) * alone + sure * both, rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("way", [tc.BestFragment(), tc.Pool()], ids=lambda way: way.describe())
def test_real_columns_of_a_source_say_nothing_whatever_is_in_them(way):
    own, other = small(50, 5), blanked(small(300, 6), "AB", 11)
    flat, gone = {**other, "X": [1.5] * 300}, {name: other[name] for name in "AB"}
    holes = blanked(other, "XY", 2)
    empty = {**other, "X": [None] * 300}
    fits = [
        tc.fit(DAG, own, sources=tc.Source(each, "L"), transfer=way)
        for each in (other, flat, gone, holes, empty)
    ]
    for fit in fits[1:]:
        assert fit.borrowed == fits[0].borrowed
        for name, values in tables(fits[0]).items():
            assert_array_equal(fit.network[name].values, values)


def test_a_source_says_the_same_as_cases_as_statistics_and_by_a_structure_with_reals():
    own, other = small(50, 5), small(300, 6)
    theirs = tc.fit(DAG, other).network
    sources = [
        tc.Source(other, "L"),
        tc.Source(tc.Statistics(DAG).update(other), "L"),
        tc.Source(other, "L", structure=DAG),
        tc.Source(other, "L", structure=theirs),
        tc.Source({"P": other["A"], "Q": other["B"], "R": other["X"]}, "L",
                  structure="P -> Q; P -> R"),
    ]  # fmt: skip
    fits = [tc.fit(DAG, own, sources=each) for each in sources]
    for fit in fits[1:]:
        for name, values in tables(fits[0]).items():
            assert_allclose(fit.network[name].values, values, atol=1e-12)
        assert [len(each.loans) for each in fit.borrowed] == [1, 1]


def test_a_published_network_with_gaussians_lends_its_tables():
    own, theirs = small(50, 5), tc.fit(DAG, small(300, 6)).network
    for cases in (own, blanked(own, "BX", 6)):
        fit = tc.fit(DAG, cases, sources=tc.Source(theirs, "York", strength=80), seed=1)
        part = tc.Source(with_states(theirs), "York", strength=80)
        alone = tc.fit(DAG, cases, sources=part, seed=1)
        assert fit.borrowed == alone.borrowed
        assert any(each.loans for each in fit.borrowed)


@pytest.mark.parametrize("kind", [tc.NoisyOr, tc.TreeTable, tc.DefaultTable])
@pytest.mark.parametrize("gaps", [False, True])
def test_links_and_shared_rows_borrow_nothing_while_the_tables_beside_them_do(kind, gaps):
    random = np.random.default_rng(7)
    label = np.array(["n", "y"])

    def cases(number):
        f, g = random.integers(0, 2, (2, number))
        y = random.random(number) < 1 - 0.9 * 0.4**f * 0.6**g
        return {n: label[c.astype(int)].tolist() for n, c in (("F", f), ("G", g), ("Y", y))}

    own, other = cases(80), cases(500)
    own = blanked(own, "Y", 7) if gaps else own
    source, dag = tc.Source(other, "L"), "F, G -> Y"
    fit = tc.fit(dag, own, families={"Y": kind}, sources=source, seed=1)
    plain = tc.fit(dag, own, families={"Y": kind}, seed=1)
    assert [each.variable for each in fit.borrowed] == ["F", "G"]
    assert all(each.loans for each in fit.borrowed)
    assert "Y borrowed nothing: its family is no table, and only tables are lent" in fit.notes
    if not gaps:
        part = tc.fit("F; G", {name: own[name] for name in "FG"},
                      sources=tc.Source({name: other[name] for name in "FG"}, "L"))  # fmt: skip
        assert tables(fit).keys() == tables(part).keys()
        for name, values in tables(part).items():
            assert_array_equal(fit.network[name].values, values)
        assert fit.network["Y"] == plain.network["Y"]


def clinic() -> tc.Network:
    """A rare state first, seen in two tables and a measurement."""
    state, cough = tc.Discrete("State", ("sick", "well")), tc.Discrete("Cough", ("no", "yes"))
    fever, marker = tc.Discrete("Fever", ("no", "yes")), tc.Continuous("Marker")
    return tc.Network.of(
        [
            tc.table(state, [], [0.3, 0.7]),
            tc.table(cough, [state], [[0.1, 0.9], [0.8, 0.2]]),
            tc.table(fever, [state], [[0.2, 0.8], [0.7, 0.3]]),
            tc.ConditionalGaussian((state, marker), np.zeros((2, 0)), [2.0, 0.0], [1.0, 1.0]),
        ]
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_source_that_has_seen_a_hidden_variable_names_its_states_beside_measurements(seed):
    truth = clinic()
    own = tc.sample(truth, 150, seed=seed).select(["Cough", "Fever", "Marker"])
    hidden = {"State": ["sick", "well"]}
    source = tc.Source(tc.sample(truth, 500, seed=9), "L")
    fit = tc.fit(truth.dag, own, hidden=hidden, seed=1, sources=source)
    assert all(each.loans for each in fit.borrowed)
    for name, values in tables(fit).items():
        assert_allclose(values, truth[name].values, atol=0.12)
    assert_allclose(fit.network["Marker"].intercept, [2.0, 0.0], atol=0.9)
    assert all(after >= before - 1e-9 for before, after in pairwise(fit.trace))


def test_a_prior_that_tells_hidden_states_apart_keeps_them_in_its_order():
    own = tc.sample(clinic(), 200, seed=1).select(["Marker"])
    prior = [tc.Dirichlet({"State": [2.0, 200.0]}), tc.NormalGamma()]
    fit = tc.fit("State -> Marker", own, hidden={"State": ["sick", "well"]}, prior=prior, seed=1)
    counts = fit.evidence["State"].values + np.array([2.0, 200.0])
    assert_allclose(fit.network["State"].values, counts / counts.sum(), atol=1e-4)
    assert fit.network["State"].values[1] > 0.9
