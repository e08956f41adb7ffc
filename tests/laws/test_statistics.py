"""Laws of statistics: batches add, cases can be taken away, order and threads change nothing."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive_counts
import tacit as tc
from strategies import cases_of, discrete_networks, gaussian_networks
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.engines.memory import statistics
from tacit.engines.statistics import Statistics
from tacit.families.counts import Counts
from tacit.families.moments import Moments


@st.composite
def discrete_problems(draw: st.DrawFn, **options: Any) -> tuple[Network, Dataset]:
    """A network and cases of its variables."""
    network = draw(discrete_networks(most=5))
    return network, draw(cases_of(network, **options))


def families(network: Network) -> list[Any]:
    return [network[name].variables for name in network.dag.names]


def same(one: Statistics, other: Statistics, rtol: float = 0.0) -> None:
    assert one.cases == other.cases
    assert_allclose(one.total_weight, other.total_weight, rtol=rtol)
    assert set(one.counts) == set(other.counts)
    for name, evidence in one.counts.items():
        again = other.counts[name]
        if isinstance(evidence, Counts):
            assert_allclose(evidence.values, again.values, rtol=rtol, atol=rtol)
        else:
            assert isinstance(evidence, Moments)
            assert_allclose(evidence.weight, again.weight, rtol=rtol)
            assert_allclose(evidence.means, again.means, rtol=rtol, atol=rtol)
            assert_allclose(evidence.scatter, again.scatter, rtol=rtol, atol=100 * rtol)


@given(discrete_problems(missing=True, weighted=True))
def test_counts_are_the_loop_over_cases(problem: tuple[Network, Dataset]) -> None:
    network, data = problem
    found = statistics(data, families(network), missing="available")
    for axes in families(network):
        columns = [data[axis.name] for axis in axes]
        truth = naive_counts.counts(columns, [len(axis.states) for axis in axes], data.weights)
        assert_allclose(found[axes[-1].name].values, truth, rtol=1e-12)


@given(discrete_problems(missing=True), st.integers(0, 2**32 - 1))
def test_the_order_of_cases_changes_neither_counts_nor_likelihood(
    problem: tuple[Network, Dataset], seed: int
) -> None:
    """A sufficient statistic: equal counts, hence equal likelihoods. [EST Def. 2.2, 3.1]"""
    network, data = problem
    shuffled = data.take(np.random.default_rng(seed).permutation(len(data)))
    one = statistics(data, families(network), missing="available")
    other = statistics(shuffled, families(network), missing="available")
    for name in one:
        assert_array_equal(one[name].values, other[name].values)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.nan_to_num(np.log(network[name].values), neginf=0.0)
        assert (one[name].values * logs).sum() == (other[name].values * logs).sum()


@given(discrete_problems(most=40), st.data())
def test_batches_in_any_order_are_one_batch(
    problem: tuple[Network, Dataset], data: st.DataObject
) -> None:
    """Whole weights: exactly. [EST 1.6]"""
    network, cases = problem
    start = Statistics(data.draw(st.sampled_from([network, network.dag])))
    together = start.update(cases)
    parts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(cases),
                                        max_size=len(cases))), dtype=int)  # fmt: skip
    batches = [cases.take(np.flatnonzero(parts == part)) for part in range(4)]
    one_by_one = start
    for batch in data.draw(st.permutations(batches)):
        one_by_one = one_by_one.update(batch)
    same(together, one_by_one)
    alone = [start.update(batch) for batch in batches]
    same(together, (alone[0] + alone[1]) + (alone[2] + alone[3]))
    same(together, alone[3] + (alone[1] + (alone[2] + alone[0])))


@given(discrete_problems(least=2), st.sampled_from([tc.ML(), tc.Smoothed()]))
def test_estimates_from_batches_are_those_of_all_cases(
    problem: tuple[Network, Dataset], estimate: Any
) -> None:
    """To the last bit: an online learner is the prior plus these counts. [EST 1.6]"""
    network, cases = problem
    half = len(cases) // 2
    counted = Statistics(network)
    for part in (np.arange(half, len(cases)), np.arange(half)):
        counted = counted.update(cases.take(part))
    online = tc.fit(network, counted, estimate=estimate)
    assert online.network == tc.fit(network, cases, estimate=estimate).network


@given(discrete_problems(missing=True, weighted=True), st.integers(0, 30))
def test_fractional_weights_agree_to_rounding(problem: tuple[Network, Dataset], cut: int) -> None:
    network, cases = problem
    start = Statistics(network)
    front, back = np.arange(len(cases))[:cut], np.arange(len(cases))[cut:]
    split = start.update(cases.take(back), missing="available").update(
        cases.take(front), missing="available"
    )
    same(start.update(cases, missing="available"), split, rtol=1e-12)


@given(discrete_problems(least=1))
def test_leaving_a_case_out_is_counting_the_others(problem: tuple[Network, Dataset]) -> None:
    """Cross-validation needs one count of everything. [EST-13]"""
    network, cases = problem
    start = Statistics(network.dag)
    everything = start.update(cases)
    for case in range(min(len(cases), 5)):
        one = start.update(cases.take(np.array([case])))
        others = start.update(cases.take(np.delete(np.arange(len(cases)), case)))
        same(everything - one, others)


@given(discrete_problems(weighted=True), st.floats(0, 3))
def test_fading_is_weighing_less(problem: tuple[Network, Dataset], strength: float) -> None:
    network, cases = problem
    start = Statistics(network)
    assert cases.weights is not None
    lighter = start.update(cases, weights=strength * cases.weights)
    same(strength * start.update(cases), lighter, rtol=1e-12)


@given(discrete_problems())
def test_a_case_of_weight_two_is_the_case_twice(problem: tuple[Network, Dataset]) -> None:
    network, cases = problem
    wanted = families(network)
    doubled = statistics(cases.with_weights(np.full(len(cases), 2.0)), wanted)
    twice = statistics(cases.take(np.repeat(np.arange(len(cases)), 2)), wanted)
    for name in twice:
        assert_array_equal(doubled[name].values, twice[name].values)


@given(discrete_problems(), st.sampled_from([0, 126, 127, 200, 40_000]))
def test_the_width_of_the_codes_changes_nothing(
    problem: tuple[Network, Dataset], more: int
) -> None:
    """States that never occur make codes wider and tables larger; the counts stay."""
    network, cases = problem
    name = network.dag.names[-1]
    states = network.variables[name].states
    wide = Discrete(name, (*states, *(f"never {at}" for at in range(more))))
    wider = Dataset({**cases.variables, name: wide}, cases.columns)
    narrow = statistics(cases, [(cases.variables[name],)])[name]
    found = statistics(wider, [(wide,)])[name]
    assert_array_equal(found.values[: len(states)], narrow.values)
    assert found.values[len(states) :].sum() == 0


@given(discrete_problems(weighted=True, missing=True), st.integers(1, 6))
def test_threads_change_no_bit(problem: tuple[Network, Dataset], threads: int) -> None:
    network, cases = problem
    wanted = families(network)
    one = statistics(cases, wanted, missing="available", threads=1)
    many = statistics(cases, wanted, missing="available", threads=threads)
    for name in one:
        assert_array_equal(one[name].values, many[name].values)


@given(discrete_problems(missing=True))
def test_columns_without_holes_are_counted_the_same_either_way(
    problem: tuple[Network, Dataset],
) -> None:
    network, cases = problem
    whole = np.flatnonzero(
        np.all([np.asarray(cases[name]) >= 0 for name in network.dag.names], axis=0)
    )
    complete = cases.take(whole)
    refused = statistics(complete, families(network))
    available = statistics(complete, families(network), missing="available")
    for name in refused:
        assert_array_equal(refused[name].values, available[name].values)


@given(discrete_problems(), st.randoms(use_true_random=False))
def test_new_labels_change_only_labels(problem: tuple[Network, Dataset], random: Any) -> None:
    """Batches that know the states in another order are counted into the same cells."""
    network, cases = problem
    axes, columns = {}, {}
    for name, axis in network.variables.items():
        order = list(range(len(axis.states)))
        random.shuffle(order)
        axes[name] = Discrete(name, tuple(axis.states[at] for at in order))
        columns[name] = np.argsort(order)[np.asarray(cases[name])]
    shuffled = Dataset(axes, columns)
    same(Statistics(network).update(cases), Statistics(network).update(shuffled))


@given(st.integers(0, 2**32 - 1), st.floats(10, 1e9))
def test_population_counts_of_a_wrong_structure_give_the_true_conditionals(
    seed: int, cases: float
) -> None:
    """n P(x) as weights: the estimate of a structure that lacks arcs is the nearest network, whose
    tables are the true P(child given parents); a prior of alpha is off by O(alpha / n). [EST 1.7]
    """
    random = np.random.default_rng(seed)
    shape = (2, 3, 2)
    joint = random.dirichlet(np.ones(12)).reshape(shape)
    axes = {
        name: Discrete(name, tuple("xyz"[:size])) for name, size in zip("ABC", shape, strict=True)
    }
    cells = np.array(list(product(*map(range, shape))))
    data = Dataset(
        axes, {name: cells[:, at] for at, name in enumerate(axes)}, cases * joint.ravel()
    )
    counted = Statistics(Dag.parse("A -> B; A -> C")).update(data)
    for name, kept in (("A", [0]), ("B", [0, 1]), ("C", [0, 2])):
        truth = naive_counts.population(joint, kept)
        counts = counted[name].values
        rows = counts.sum(axis=-1, keepdims=True)
        assert_allclose(counts / rows, truth, rtol=1e-9)
        smoothed = (counts + 1) / (rows + counts.shape[-1])
        assert (np.abs(smoothed - truth) <= counts.shape[-1] / rows).all()
        assert_allclose(counted[name].total, cases, rtol=1e-12)


@st.composite
def gaussian_problems(draw: st.DrawFn, **options: Any) -> tuple[Network, Dataset]:
    """A linear Gaussian network and cases of its variables."""
    network = draw(gaussian_networks())
    return network, draw(cases_of(network, **options))


@given(gaussian_problems(missing=True, weighted=True))
def test_moments_are_the_loop_over_cases(problem: tuple[Network, Dataset]) -> None:
    network, data = problem
    found = statistics(data, families(network), missing="available")
    for axes in families(network):
        moments = found[axes[-1].name]
        assert isinstance(moments, Moments)
        weight, means, scatter = naive_counts.moments(
            [data[axis.name] for axis in axes], data.weights
        )
        assert_allclose(moments.weight, weight, rtol=1e-13)
        assert_allclose(moments.means, means, rtol=1e-11, atol=1e-13)
        assert_allclose(moments.scatter, scatter, rtol=1e-10, atol=1e-10)
        assert_array_equal(moments.scatter, moments.scatter.T)


@given(gaussian_problems(weighted=True, least=1), st.integers(0, 30))
def test_moments_of_batches_add_and_can_be_taken_away(
    problem: tuple[Network, Dataset], cut: int
) -> None:
    network, cases = problem
    start = Statistics(network.dag)
    front, back = (cases.take(np.arange(len(cases))[part])
                   for part in (slice(None, cut), slice(cut, None)))  # fmt: skip
    everything = start.update(cases)
    same(everything, start.update(back).update(front), rtol=1e-12)
    left = everything - start.update(back)
    same(left, start.update(front), rtol=1e-8)
