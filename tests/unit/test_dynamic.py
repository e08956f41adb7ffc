"""Networks over time: hidden Markov models by unrolling and tying, beside Baum-Welch."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import naive_inference as naive
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, ColumnError, DagError, OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.learn.fits import Stop

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from hmmlearn.hmm import CategoricalHMM

HMM = "H[t-1] -> H[t] -> X[t]"


def hmm(start: np.ndarray, move: np.ndarray, emit: np.ndarray, length: int) -> Network:
    """An unrolled hidden Markov model with these tables."""
    families, before = [], None
    for t in range(1, length + 1):
        h = Discrete(f"H[{t}]", tuple(map(str, range(start.size))))
        x = Discrete(f"X[{t}]", tuple("abcdefg"[: emit.shape[1]]))
        families.append(Table((h,), start) if before is None else Table((before, h), move))
        families.append(Table((h, x), emit))
        before = h
    return Network.of(families)


def rows(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.dirichlet(np.ones(shape[-1]), shape[:-1])


def sampled(network: Network, cases: int, length: int, seed: int) -> tuple[Dataset, np.ndarray]:
    """Cases of the symbols alone, and the symbols as one matrix."""
    drawn = tc.sample(network, cases, seed=seed).select([f"X[{t}]" for t in range(1, length + 1)])
    return drawn, np.stack([drawn[name] for name in drawn.names], axis=1).astype(int)


def test_a_hidden_markov_model_is_baum_welch_by_enumeration():
    random = np.random.default_rng(1)
    tables = rows(random, 2), rows(random, 2, 2), rows(random, 2, 3)
    network = hmm(*tables, 4)
    unrolled = tc.unroll(HMM, 4, hidden={"H": 2})
    cases, symbols = sampled(network, 12, 4, seed=2)
    fit = tc.fit(
        network, cases, hidden="rest", tied=unrolled.tied, estimate=tc.ML(), start="given",
        method=tc.EM(accelerate=False, tolerance=0, max_steps=5),
    )  # fmt: skip
    start, move, emit, trace = naive.baum_welch(*tables, symbols.tolist(), 5)
    assert_allclose(fit.trace[:5], trace, rtol=1e-10)
    assert_allclose(fit.network["H[1]"].values, start, atol=1e-10)
    for t in range(1, 5):
        assert_allclose(fit.network[f"X[{t}]"].values, emit, atol=1e-10)
        if t > 1:
            assert_allclose(fit.network[f"H[{t}]"].values, move, atol=1e-10)


@pytest.mark.parametrize("strategy", ["contexts", "trees"])
def test_log_likelihoods_are_those_of_hmmlearn_step_by_step(strategy):
    random = np.random.default_rng(3)
    states, kinds, length, steps = 3, 4, 20, 15
    truth = hmm(rows(random, 3), rows(random, 3, 3), rows(random, 3, 4), length)
    cases, symbols = sampled(truth, 30, length, seed=4)
    begin = rows(random, states), rows(random, states, states), rows(random, states, kinds)
    peer = CategoricalHMM(
        n_components=states, n_features=kinds, n_iter=steps, tol=-np.inf, init_params=""
    )
    peer.startprob_, peer.transmat_, peer.emissionprob_ = begin
    peer.fit(symbols.reshape(-1, 1), [length] * len(symbols))
    fit = tc.fit(
        hmm(*begin, length), cases, hidden="rest", start="given", estimate=tc.ML(),
        tied=tc.unroll(HMM, length).tied,
        method=tc.EM(accelerate=False, tolerance=0, max_steps=steps, strategy=strategy),
    )  # fmt: skip
    assert_allclose(fit.trace[:steps], list(peer.monitor_.history), rtol=1e-8)
    assert_allclose(fit.network["H[1]"].values, peer.startprob_, atol=1e-8)
    assert_allclose(fit.network["H[2]"].values, peer.transmat_, atol=1e-8)
    assert_allclose(fit.network["X[9]"].values, peer.emissionprob_, atol=1e-8)


def test_gaps_inside_and_at_the_end_of_sequences_are_summed_out():
    random = np.random.default_rng(5)
    tables = rows(random, 2), rows(random, 2, 2), rows(random, 2, 2)
    network = hmm(*tables, 4)
    drawn, _ = sampled(network, 15, 4, seed=6)
    gone = random.random((15, 4)) < 0.3
    cases = Dataset(
        drawn.variables,
        {n: np.where(gone[:, at], -1, drawn[n].astype(int)) for at, n in enumerate(drawn.names)},
    )
    tied = tc.unroll(HMM, 4).tied
    fit = tc.fit(
        network, cases, hidden="rest", tied=tied, estimate=tc.ML(), start="given",
        method=tc.EM(accelerate=False, tolerance=0, max_steps=1),
    )  # fmt: skip
    counts, likelihood = naive.expected_counts(
        naive.tables_of(network), network.dag.parents, naive.cases_in(cases), [1.0] * 15
    )
    assert_allclose(fit.trace[0], likelihood, rtol=1e-10)
    moves = sum(counts[f"H[{t}]"] for t in (2, 3, 4))
    assert_allclose(fit.network["H[3]"].values, naive.rows_of(moves), atol=1e-10)


def test_hidden_states_turn_alike_in_all_slices():
    random = np.random.default_rng(7)
    truth = hmm(np.array([0.2, 0.8]), np.array([[0.9, 0.1], [0.05, 0.95]]), rows(random, 2, 4), 8)
    cases, _ = sampled(truth, 60, 8, seed=8)
    unrolled = tc.unroll(HMM, 8, hidden={"H": 2})
    fit = tc.fit(unrolled.dag, cases, hidden=unrolled.hidden, tied=unrolled.tied, seed=1)
    for t in range(3, 9):
        assert_array_equal(fit.network[f"H[{t}]"].values, fit.network["H[2]"].values)
    weight = fit.evidence["H[2]"].values.sum(axis=0)
    assert weight[0] >= weight[1]
    own = float(tc.log_likelihood(fit.network, cases))
    assert_allclose(fit.log_likelihood, own, rtol=1e-10)


def test_states_known_in_some_slices_keep_their_names():
    random = np.random.default_rng(9)
    truth = hmm(np.array([0.1, 0.9]), np.array([[0.8, 0.2], [0.1, 0.9]]), rows(random, 2, 3), 5)
    drawn = tc.sample(truth, 40, seed=10)
    cases = drawn.select(["H[3]", *(f"X[{t}]" for t in range(1, 6))])
    fit = tc.fit(truth, cases, hidden="rest", tied=tc.unroll(HMM, 5).tied, estimate=tc.ML(), seed=1)
    assert_allclose(fit.log_likelihood, float(tc.log_likelihood(fit.network, cases)), rtol=1e-10)


def test_long_chains_are_fitted():
    random = np.random.default_rng(11)
    truth = hmm(rows(random, 3), rows(random, 3, 3), rows(random, 3, 5), 300)
    cases, _ = sampled(truth, 2, 300, seed=12)
    unrolled = tc.unroll(HMM, 300, hidden={"H": 3})
    fit = tc.fit(
        unrolled.dag, cases, hidden=unrolled.hidden, tied=unrolled.tied, seed=1,
        method=tc.EM(restarts=1, max_steps=5),
    )  # fmt: skip
    assert fit.stop in (Stop.STEP_LIMIT, Stop.CONVERGED)
    assert list(fit.trace) == sorted(fit.trace)


def test_unrolling_names_slices_and_ties_families_that_have_all_their_parents():
    found = tc.unroll('"A b[t-1]", "A b[t-2]" -> "A b[t]" -> C[t]', 4)
    assert found.dag.parents["A b[1]"] == ()
    assert found.dag.parents["A b[2]"] == ("A b[1]",)
    assert set(found.dag.parents["A b[4]"]) == {"A b[3]", "A b[2]"}
    assert found.dag.parents["C[3]"] == ("A b[3]",)
    assert set(found.tied) == {("A b[3]", "A b[4]"), tuple(f"C[{t}]" for t in range(1, 5))}
    assert tc.unroll(HMM, 2, hidden={"H": 5}).hidden == {"H[1]": 5, "H[2]": 5}
    assert tc.unroll(HMM, 1).tied == ()


def test_steps_become_sequences():
    long = {
        "who": ["b", "a", "a", "b", "a"],
        "day": [10, 2, 1, 9, 10],
        "X": ["u", "v", "w", "x", "y"],
        "Z": ["0", "1", None, "0", "1"],
    }
    found = tc.sequences(long, of="who", at="day")
    assert found.names == ("X[1]", "Z[1]", "X[2]", "Z[2]", "X[3]", "Z[3]")
    x = found.variables["X[1]"].states
    assert [x[code] for code in found["X[1]"]] == ["w", "x"]
    assert [x[code] for code in found["X[2]"]] == ["v", "u"]
    assert [int(code) for code in found["X[3]"]] == [x.index("y"), -1]
    assert int(found["Z[1]"][0]) == -1
    only = tc.sequences(long, of="who", at="day", columns=["X"])
    assert only.names == ("X[1]", "X[2]", "X[3]")


def test_templates_and_steps_that_cannot_be_used():
    wrong = [
        (lambda: tc.unroll(HMM, 0), OptionError, "length=0 must be a whole number, 1 or more"),
        (lambda: tc.unroll("A -> B[t]", 3), DagError, "'A' has no time; write A[t] or A[t-1]"),
        (lambda: tc.unroll("X[t] -> X[t-1]", 3), DagError, "an arc leads into the past"),
        (lambda: tc.unroll("X[t-1] -> Y[t]", 3), DagError, "nothing is said of 'X[t]'"),
        (lambda: tc.unroll(HMM, 3, hidden={"Z": 2}), OptionError, "no variable 'Z' to be hidden"),
    ]
    steps = {"who": ["a", "a"], "day": [1, 2], "X": ["u", "v"]}
    wrong += [
        (lambda: tc.sequences(steps, of="whom", at="day"), ColumnError, "no column 'whom'"),
        (lambda: tc.sequences({**steps, "day": [1, 1]}, of="who", at="day"), CasesError,
         "cases 1 and 2 are the same step of one sequence"),
        (lambda: tc.sequences({**steps, "who": ["a", None]}, of="who", at="day"), CasesError,
         "'who' is missing in case 2"),
        (lambda: tc.sequences({**steps, "X": [0.5, 1.5]}, of="who", at="day"), ColumnError,
         "'X' is continuous; sequences are of discrete columns"),
        (lambda: tc.sequences(tc.read_cases({**steps, "w": [1, 2]}, weights="w"), of="who",
         at="day"), CasesError, "steps cannot be weighted"),
    ]  # fmt: skip
    for ask, kind, message in wrong:
        with pytest.raises(kind) as caught:
            ask()
        assert message in str(caught.value)
