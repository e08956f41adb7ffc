"""EM against slow EM, enumeration and other people's EM from the same start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import naive_inference as naive
import peers
import questions
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.errors import EstimateError, OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, table
from tacit.infer.flat import layout_of
from tacit.learn.canonical import canonical_order
from tacit.learn.fits import Stop

ESTIMATES = [tc.ML(), tc.Smoothed(), tc.MAP()]


def plain(steps: int, **further) -> tc.EM:
    """So many plain steps and no fewer."""
    return tc.EM(accelerate=False, tolerance=0, max_steps=steps, **further)


def gappy(network: Network, cases: int, seed: int, share: float = 0.25) -> Dataset:
    drawn = tc.sample(network, cases, seed=seed, missing=tc.AtRandom(share))
    weights = np.random.default_rng(seed).choice([0.5, 1.0, 2.0], cases)
    return drawn.with_weights(weights)


@pytest.mark.parametrize("estimate", ESTIMATES, ids=lambda each: each.describe())
@pytest.mark.parametrize("seed", range(3))
def test_plain_steps_are_those_of_slow_em_from_the_same_start(seed, estimate):
    truth = questions.random_network(seed, size=4)
    cases = gappy(truth, 20, seed)
    start = questions.random_network(seed, size=4)
    random = np.random.default_rng(seed + 100)
    start = Network.of(
        Table(
            start[n].variables,
            random.dirichlet(np.ones(start[n].values.shape[-1]), start[n].values.shape[:-1]),
        )
        for n in start
    )
    prior = tc.Dirichlet(1.5)
    fit = tc.fit(start, cases, prior=prior, estimate=estimate, start="given", method=plain(6))
    pseudo = {n: estimate.pseudo(np.full(start[n].values.shape, 1.5)) for n in start}
    tables, trace = naive.em(
        naive.tables_of(start), start.dag.parents, naive.cases_in(cases),
        naive.weights_in(cases), pseudo, 6,
    )  # fmt: skip
    assert_allclose(fit.trace, trace, rtol=1e-10)
    assert fit.stop is Stop.STEP_LIMIT
    for name in start:
        assert_allclose(fit.network[name].values, tables[name], atol=1e-10)
    counts, likelihood = naive.expected_counts(
        tables, start.dag.parents, naive.cases_in(cases), naive.weights_in(cases)
    )
    assert_allclose(fit.log_likelihood, likelihood, rtol=1e-10)
    for name in start:
        assert_allclose(fit.evidence[name].values, counts[name], atol=1e-9)


@pytest.mark.parametrize("name", ["asia", "cancer"])
def test_fifteen_steps_end_where_those_of_pyagrum_do(name, tmp_path: Path):
    truth = tc.textbook(name)
    cases = tc.sample(truth, 200, seed=1, missing=tc.AtRandom(0.2))
    start = Network.of(Table(truth[n].variables, 0.5 * truth[n].values + 0.25) for n in truth)
    theirs = peers.em_by_pyagrum(start, cases, 15, tmp_path / "cases.csv")
    fit = tc.fit(start, cases, estimate=tc.ML(), start="given", method=plain(15))
    for name in truth:
        assert_allclose(fit.network[name].values, theirs[name].values, atol=1e-9)
    assert_allclose(fit.log_likelihood, float(tc.log_likelihood(theirs, cases)), rtol=1e-9)


@pytest.mark.parametrize("method", [tc.EM(), tc.EM(strategy="trees"), tc.EM(strategy="contexts")])
def test_strategies_and_acceleration_find_the_same_maximum(method):
    truth = questions.random_network(5, size=6)
    cases = gappy(truth, 150, 5, share=0.15)
    slow = tc.fit(truth, cases, method=tc.EM(accelerate=False, tolerance=1e-13), seed=1)
    fit = tc.fit(truth, cases, method=method, seed=1)
    assert fit.stop is Stop.CONVERGED
    assert_allclose(fit.objective, slow.objective, rtol=1e-6)
    assert len(fit.trace) < len(slow.trace)


def test_the_strategy_changes_neither_the_start_nor_what_was_counted():
    truth = questions.random_network(6, size=5)
    cases = gappy(truth, 60, 6)
    one, other = (
        tc.fit(truth, cases, method=plain(10, strategy=strategy, restarts=2), seed=1)
        for strategy in ("contexts", "trees")
    )
    for ours, theirs in zip(one.runs, other.runs, strict=True):
        assert_allclose(ours.trace, theirs.trace, rtol=1e-10)
    for name in truth:
        assert_allclose(one.known[name].values, other.known[name].values)
        assert_allclose(one.network[name].values, other.network[name].values, atol=1e-10)


def test_data_missing_at_random_are_fitted_where_complete_cases_mislead():
    """B is seen in few cases of A=1, so the complete cases say P(A=1) = 0.16 where it is 0.50."""
    a, b = Discrete("A", ("0", "1")), Discrete("B", ("0", "1"))
    truth = Network.of([table(a, [], [0.5, 0.5]), table(b, [a], [[0.8, 0.2], [0.3, 0.7]])])
    drawn = tc.sample(truth, 20_000, seed=1)
    random = np.random.default_rng(2)
    gone = random.random(20_000) < np.where(drawn["A"] == 1, 0.81, 0.0)
    cases = Dataset(
        drawn.variables, {"A": drawn["A"], "B": np.where(gone, -1, drawn["B"].astype(int))}
    )
    complete = cases.take(np.flatnonzero(~gone))
    dropped = tc.fit("A -> B", complete, estimate=tc.ML())
    assert_allclose(dropped.network["A"].values[1], 0.16, atol=0.01)
    fit = tc.fit("A -> B", cases, estimate=tc.ML())
    assert_allclose(fit.network["A"].values[1], 0.50, atol=0.01)
    assert_allclose(fit.network["B"].values, truth["B"].values, atol=0.02)
    assert fit.cases_used == 20_000
    assert dict(fit.cases.missing) == {"B": int(gone.sum())}
    assert any("all cases were used" in note for note in fit.notes)


def test_available_cases_mislead_where_the_other_way_round_em_does_not():
    """A is missing where B=1: the family of A alone is counted on the wrong cases."""
    a, b = Discrete("A", ("0", "1")), Discrete("B", ("0", "1"))
    truth = Network.of([table(a, [], [0.5, 0.5]), table(b, [a], [[0.9, 0.1], [0.1, 0.9]])])
    drawn = tc.sample(truth, 20_000, seed=3)
    gone = np.random.default_rng(4).random(20_000) < np.where(drawn["B"] == 1, 0.9, 0.0)
    cases = Dataset(
        drawn.variables, {"A": np.where(gone, -1, drawn["A"].astype(int)), "B": drawn["B"]}
    )
    available = tc.fit("A -> B", cases, estimate=tc.ML(), method=tc.AvailableCases())
    assert available.network["A"].values[1] < 0.2
    fit = tc.fit("A -> B", cases, estimate=tc.ML())
    assert_allclose(fit.network["A"].values[1], 0.5, atol=0.02)


def latent(seed: int = 1, cases: int = 400) -> tuple[Network, Dataset]:
    """A hidden class with four observed children, and cases of the children."""
    h = Discrete("H", ("1", "2", "3"))
    random = np.random.default_rng(seed)
    families = [table(h, [], [0.5, 0.3, 0.2])]
    for number in range(4):
        x = Discrete(f"X{number}", ("a", "b", "c"))
        families.append(Table((h, x), random.dirichlet(0.5 * np.ones(3), 3)))
    truth = Network.of(families)
    return truth, tc.sample(truth, cases, seed=seed).select([f"X{n}" for n in range(4)])


DAG = "H -> X0, X1, X2, X3"


def test_hidden_states_come_in_order_the_most_common_first():
    _, cases = latent()
    fit = tc.fit(DAG, cases, hidden={"H": 3}, seed=1)
    share = fit.network["H"].values
    assert list(share) == sorted(share, reverse=True)
    assert fit.network.variables["H"].states == ("1", "2", "3")
    assert len(fit.runs) == 5
    assert fit.objective == max(run.objective for run in fit.runs)
    assert "H" not in fit.cases.missing


def test_starts_that_end_in_one_basin_end_in_one_network():
    _, cases = latent()
    best = tc.fit(DAG, cases, hidden={"H": 3}, seed=1, method=tc.EM(restarts=10, tolerance=1e-12))
    other = tc.fit(DAG, cases, hidden={"H": 3}, seed=2, method=tc.EM(restarts=10, tolerance=1e-12))
    assert_allclose(best.objective, other.objective, rtol=1e-9)
    for name in best.network:
        assert_allclose(best.network[name].values, other.network[name].values, atol=1e-3)


def test_a_seed_repeats_every_bit_for_any_number_of_threads():
    _, cases = latent()
    fits = [
        tc.fit(DAG, cases, hidden={"H": 3}, seed=7, threads=threads, method=tc.EM(restarts=4))
        for threads in (1, 2, 3)
    ]
    for fit in fits[1:]:
        assert fit.trace == fits[0].trace
        assert [run.trace for run in fit.runs] == [run.trace for run in fits[0].runs]
        for name in fit.network:
            assert_array_equal(fit.network[name].values, fits[0].network[name].values)
    other = tc.fit(DAG, cases, hidden={"H": 3}, seed=8, method=tc.EM(restarts=4))
    assert other.trace != fits[0].trace


def test_without_a_seed_one_is_made_up_and_kept():
    _, cases = latent(cases=50)
    fit = tc.fit(DAG, cases, hidden={"H": 2}, method=tc.EM(restarts=2, max_steps=20))
    again = tc.fit(
        DAG, cases, hidden={"H": 2}, seed=fit.seed, method=tc.EM(restarts=2, max_steps=20)
    )
    assert fit.trace == again.trace


def test_a_prior_that_names_hidden_states_keeps_them_in_its_order():
    _, cases = latent()
    prior = tc.Dirichlet({"H": [1, 1, 200]})
    fit = tc.fit(DAG, cases, hidden={"H": 3}, prior=prior, seed=1)
    share = fit.network["H"].values
    assert share.argmax() == 2
    pseudo = {name: fit.pseudo[name] for name in fit.network}
    own = float(tc.log_likelihood(fit.network, cases))
    own += naive.prior_term(naive.tables_of(fit.network), pseudo)
    assert_allclose(fit.objective, own, rtol=1e-10)


def test_hidden_variables_are_named_counted_or_left_to_the_network():
    truth, cases = latent()
    named = tc.fit(DAG, cases, hidden={"H": ("mild", "severe")}, seed=1)
    assert named.network.variables["H"].states == ("mild", "severe")
    rest = tc.fit(truth, cases, hidden="rest", seed=1)
    assert rest.network.variables == truth.variables
    counted = tc.fit(truth, cases, hidden={"H": np.int64(3)}, seed=1)
    assert counted.network.variables == truth.variables
    assert rest.trace == counted.trace
    given = tc.fit(truth, cases, hidden="rest", start="given", estimate=tc.ML(), method=plain(1))
    assert_allclose(given.trace[0], float(tc.log_likelihood(truth, cases)), rtol=1e-12)
    assert "its numbers were the start" in given.notes[0]


def test_two_hidden_variables_one_above_the_other_are_fitted():
    g, h = Discrete("G", ("1", "2")), Discrete("H", ("1", "2"))
    families = [table(g, [], [0.6, 0.4]), table(h, [g], [[0.9, 0.1], [0.2, 0.8]])]
    for number, parent in enumerate([g, g, g, h, h, h]):
        x = Discrete(f"X{number}", ("a", "b"))
        families.append(table(x, [parent], [[0.9, 0.1], [0.15, 0.85]]))
    truth = Network.of(families)
    cases = tc.sample(truth, 3000, seed=5).select([f"X{n}" for n in range(6)])
    fit = tc.fit(truth, cases, hidden="rest", seed=1)
    assert fit.log_likelihood > float(tc.log_likelihood(truth, cases)) - 5
    assert_allclose(fit.network["G"].values, [0.6, 0.4], atol=0.08)
    assert_allclose(fit.network["H"].values, truth["H"].values, atol=0.12)


def test_states_that_meet_in_a_shared_table_turn_alike():
    names = [f"{base}{n}" for n in (1, 2) for base in ("H", "X")]
    dag = tc.Dag.parse("H1 -> X1; H2 -> X2")
    variables = {name: Discrete(name, ("a", "b")) for name in names}
    layout = layout_of(dag, variables, [("H1", "H2"), ("X1", "X2")])
    expected = np.array([1.0, 3.0, 1, 2, 3, 4])
    hidden = [layout.places["H1"], layout.places["H2"]]
    order = canonical_order(layout, expected, hidden)
    assert_array_equal(expected[order], [3, 1, 3, 4, 1, 2])
    assert_array_equal(canonical_order(layout, expected, hidden[:1]), np.arange(6))


def test_tied_tables_of_complete_cases_pool_their_counts():
    dag = "A -> B; C -> D"
    random = np.random.default_rng(1)
    cases = Dataset(
        {name: Discrete(name, ("0", "1")) for name in "ABCD"},
        {name: random.integers(0, 2, 200) for name in "ABCD"},
    )
    fit = tc.fit(dag, cases, tied=[("A", "C"), ("B", "D")], estimate=tc.ML())
    pooled = np.bincount(np.concatenate([cases["A"], cases["C"]])) / 400
    assert_allclose(fit.network["A"].values, pooled, atol=1e-12)
    assert_array_equal(fit.network["A"].values, fit.network["C"].values)
    rows = np.zeros((2, 2))
    for one, other in (("A", "B"), ("C", "D")):
        np.add.at(rows, (cases[one], cases[other]), 1)
    assert_allclose(fit.network["B"].values, rows / rows.sum(axis=1, keepdims=True), atol=1e-12)
    assert_allclose(fit.evidence["D"].values, rows)
    assert_allclose(fit.log_likelihood, float(tc.log_likelihood(fit.network, cases)), rtol=1e-12)


@pytest.mark.parametrize(
    ("empty", "row"), [("uniform", [0.5, 0.5]), ("nan", [np.nan] * 2), ("zeros", [0, 0])]
)
def test_rows_without_any_case_follow_the_policy_of_the_estimate(empty, row):
    a, b = Discrete("A", ("x", "y")), Discrete("B", ("u", "v"))
    network = Network.of([table(a, [], [0.5, 0.5]), table(b, [a], [0.5] * 4)])
    cases = {"A": ["x", "x", "x"], "B": ["u", None, "v"]}
    fit = tc.fit(network, cases, estimate=tc.ML(empty=empty))
    assert_array_equal(fit.network["B"].values[1], row)
    assert_allclose(fit.network["B"].values[0], [0.5, 0.5])


def test_gradient_ends_where_em_does():
    truth, cases = latent()
    em = tc.fit(truth, cases, hidden="rest", start="given", method=tc.EM(tolerance=1e-13))
    gradient = tc.fit(truth, cases, hidden="rest", start="given", method=tc.Gradient())
    assert gradient.stop is Stop.CONVERGED
    assert_allclose(gradient.objective, em.objective, rtol=1e-7)
    for name in truth:
        assert_allclose(gradient.network[name].values, em.network[name].values, atol=2e-3)
    short = tc.fit(truth, cases, hidden="rest", start="given", method=tc.Gradient(max_steps=2))
    assert short.stop is Stop.STEP_LIMIT


@pytest.mark.parametrize("method", [tc.EM(), tc.Gradient(), tc.FillIn()])
def test_a_density_without_a_maximum_is_refused_by_every_method(method):
    _, cases = latent(cases=30)
    with pytest.raises(EstimateError, match="has no most probable value"):
        tc.fit(DAG, cases, hidden={"H": 3}, estimate=tc.MAP(), method=method, seed=1)


def test_random_starts_differ_and_the_first_may_be_random_too():
    truth = questions.random_network(5, size=5)
    cases = gappy(truth, 80, 5)
    data = tc.fit(truth, cases, seed=1, method=tc.EM(restarts=3))
    chance = tc.fit(truth, cases, seed=1, method=tc.EM(restarts=3, init="random"))
    assert len({run.trace[0] for run in (*data.runs, *chance.runs)}) == 4
    assert data.runs[0].trace[0] > data.runs[1].trace[0]


def test_progress_is_told_after_every_step():
    _, cases = latent(cases=60)
    heard = []
    fit = tc.fit(
        DAG, cases, hidden={"H": 2}, seed=1, method=tc.EM(restarts=2, max_steps=10), threads=1,
        progress=lambda done, total, objective: heard.append((done, total, objective)),
    )  # fmt: skip
    assert heard[-1][:2] == (20, 20)
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)
    assert heard[-1][2] == fit.objective


@pytest.mark.parametrize("method", [tc.EM(restarts=3), tc.Gradient(), tc.FillIn(tolerance=0)])
@pytest.mark.parametrize("threads", [1, 3])
def test_an_interruption_returns_the_best_so_far(method, threads):
    _, cases = latent(cases=80)
    calls = []

    def enough(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) >= 3:
            raise KeyboardInterrupt

    fit = tc.fit(
        DAG, cases, hidden={"H": 3}, seed=1, method=method, progress=enough, threads=threads
    )
    assert fit.stop is Stop.INTERRUPTED
    assert_allclose(fit.log_likelihood, float(tc.log_likelihood(fit.network, cases)), rtol=1e-10)
    assert "interrupted" in str(fit)


def test_options_of_em_are_checked():
    for wrong in (
        {"restarts": 0}, {"restarts": 2.5}, {"tolerance": -1}, {"tolerance": "no"},
        {"max_steps": 0}, {"max_steps": 1.5}, {"init": "zero"}, {"strategy": "magic"},
    ):  # fmt: skip
        with pytest.raises(OptionError, match=next(iter(wrong))):
            tc.EM(**wrong)
    assert tc.EM(restarts=3).describe() == "EM(restarts=3)"
    assert tc.EM().describe() == "EM()"
    assert tc.Gradient(max_steps=5).describe() == "Gradient(max_steps=5)"


def test_nothing_to_learn_from_is_no_trouble():
    a, b = Discrete("A", ("x", "y")), Discrete("B", ("u", "v"))
    network = Network.of([table(a, [], [0.5, 0.5]), table(b, [a], [0.5] * 4)])
    none = Dataset(network.variables, {"A": np.array([-1, -1]), "B": np.array([-1, -1])})
    fit = tc.fit(network, none)
    assert_allclose(fit.network["A"].values, [0.5, 0.5])
    assert_allclose(fit.log_likelihood, 0, atol=1e-12)
    assert fit.cases_used == 2
    weightless = none.with_weights(np.zeros(2))
    assert_allclose(tc.fit(network, weightless, estimate=tc.ML()).log_likelihood, 0, atol=1e-12)
