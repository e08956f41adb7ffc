"""Fits of discrete and continuous variables together, against least squares case by case."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive
import tacit as tc
from strategies import cases_of, mixed_networks
from tacit.core.dataset import Dataset, absent
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.conditional_gaussian import ConditionalGaussian


@st.composite
def problems(draw: st.DrawFn, **options: Any) -> tuple[Network, Dataset]:
    """A mixed network and cases of its variables, few enough that some regressions are thin."""
    network = draw(mixed_networks())
    return network, draw(cases_of(network, **({"least": 1, "most": 40} | options)))


def conditionals(network: Network) -> list[ConditionalGaussian]:
    """The families that a fit has to take apart by configuration."""
    families = network.families.values()
    return [each for each in families if isinstance(each, ConditionalGaussian) and each.discrete]


def apart(data: Dataset, family: ConditionalGaussian) -> tuple[np.ndarray, np.ndarray]:
    """Configurations and real values of the cases without a gap in the family."""
    where = np.array([data[each.name] for each in family.discrete]).T
    values = np.array([data[each.name] for each in family.continuous]).T
    whole = (where >= 0).all(axis=1) & ~np.isnan(values).any(axis=1)
    return where[whole], values[whole]


def unseen(network: Network, data: Dataset) -> bool:
    """Whether no case shows some family of a continuous variable whole."""
    return any(
        np.any([absent(data[axis.name]) for axis in family.variables], axis=0).all()
        for family in network.families.values()
        if isinstance(family, ConditionalGaussian)
    )


def expected(family: ConditionalGaussian, data: Dataset) -> dict[tuple[int, ...], Any]:
    """(coefficients, intercept, sd) by configuration: its own least squares, or that of all."""
    where, values = apart(data, family)
    found = {}
    for at in product(*(range(size) for size in family.shape)):
        own = values[(where == at).all(axis=1)]
        if len(own) <= values.shape[1] + 1:
            own = values
        found[at] = naive.least_squares(own[:, :-1], own[:, -1])
    return found


@given(problems(missing=True))
def test_every_configuration_has_its_own_least_squares(problem):
    network, data = problem
    few = any(len(apart(data, f)[0]) <= len(f.variables) + 2 for f in conditionals(network))
    if few or unseen(network, data):
        return
    fit = tc.fit(network, data, estimate=tc.ML(), method=tc.AvailableCases())
    for made in conditionals(network):
        family = fit.network[made.child]
        for at, (slopes, intercept, sd) in expected(made, data).items():
            assert_allclose(family.coefficients[at], slopes, rtol=1e-6, atol=1e-8)
            assert_allclose(family.intercept[at], intercept, rtol=1e-6, atol=1e-8)
            assert_allclose(family.sd[at], sd, rtol=1e-6, atol=1e-8)


def log_density(family: Any, states: dict[str, str], reals: dict[str, float]) -> float:
    """log P of one case, by the numbers that its states choose."""
    if isinstance(family, tc.Table):
        codes = tuple(axis.code(states[axis.name]) for axis in family.variables)
        return float(np.log(family.values[codes]))
    if isinstance(family, ConditionalGaussian):
        family = family.given({each.name: states[each.name] for each in family.discrete})
    slopes = dict(zip(family.parents, family.coefficients, strict=True))
    mean = family.intercept + sum(slopes[name] * reals[name] for name in slopes)
    return naive.normal_log_density(reals[family.child], mean, family.sd)


@given(problems(least=12))
def test_the_likelihood_is_the_sum_over_cases(problem):
    network, data = problem
    fit = tc.fit(network, data, estimate=tc.ML())
    total = 0.0
    for case in range(len(data)):
        here = [(variable, data[name][case]) for name, variable in data.variables.items()]
        states = {v.name: v.states[cell] for v, cell in here if isinstance(v, Discrete)}
        reals = {v.name: float(cell) for v, cell in here if isinstance(v, Continuous)}
        total += sum(log_density(fit.network[name], states, reals) for name in network)
    assert_allclose(tc.log_likelihood(fit.network, data), total, rtol=1e-7)
    assert_allclose(fit.log_likelihood, total, rtol=1e-6)


@given(problems(least=30, most=60))
def test_intervals_are_those_of_the_cases_of_a_configuration(problem):
    network, data = problem
    fit = tc.fit(network, data, estimate=tc.ML())
    for made in conditionals(network):
        where, values = apart(data, made)
        bounds, size = fit.intervals[made.child], values.shape[1]
        for at in product(*(range(states) for states in made.shape)):
            own = values[(where == at).all(axis=1)]
            if len(own) <= size + 1:
                assert np.isnan([bounds.lower[at], bounds.upper[at]]).all()
                continue
            names = [f"V{place}" for place in range(size)]
            alone = tc.fit(
                "; ".join([f"{', '.join(names[:-1])} -> {names[-1]}" if size > 1 else names[-1]]),
                Dataset(
                    {n: Continuous(n) for n in names}, dict(zip(names, own.T.copy(), strict=True))
                ),
                estimate=tc.ML(),
            ).intervals[names[-1]]
            assert_allclose(bounds.lower[at], alone.lower, rtol=1e-6, atol=1e-9)
            assert_allclose(bounds.upper[at], alone.upper, rtol=1e-6, atol=1e-9)


def same(one: tc.Statistics, other: tc.Statistics) -> None:
    for name, held in one.counts.items():
        again = other.counts[name]
        if isinstance(held, tc.ConditionalMoments):
            assert_allclose(held.weights, again.weights, atol=1e-9)
            assert_allclose(held.means, again.means, atol=1e-9)
            assert_allclose(held.scatter, again.scatter, atol=1e-8)
        elif isinstance(held, tc.Counts):
            assert_allclose(held.values, again.values, atol=1e-9)


@given(problems(weighted=True, missing=True), st.integers(0, 40))
def test_batches_add_and_can_be_taken_away(problem, cut):
    network, data = problem

    def counted(*spans: slice) -> tc.Statistics:
        found = tc.Statistics(network)
        for span in spans:
            found = found.update(data.take(np.arange(len(data))[span]), missing="available")
        return found

    whole, first, rest = counted(slice(None)), counted(slice(cut)), counted(slice(cut, None))
    same(whole, counted(slice(cut), slice(cut, None)))
    same(whole, first + rest)
    same(whole - rest, first)


@given(problems(weighted=True))
def test_moments_are_those_of_each_configuration(problem):
    network, data = problem
    counts = tc.Statistics(network).update(data).counts
    for made in conditionals(network):
        held, (where, values) = counts[made.child], apart(data, made)
        assert isinstance(held, tc.ConditionalMoments)
        for at in product(*(range(states) for states in made.shape)):
            mine = (where == at).all(axis=1)
            weights = data.weights[mine]
            assert_allclose(held.weights[at], weights.sum())
            if weights.sum() == 0:
                assert not held.means[at].any()
                assert not held.scatter[at].any()
                continue
            mean = np.average(values[mine], axis=0, weights=weights)
            off = values[mine] - mean
            assert_allclose(held.means[at], mean, atol=1e-12)
            assert_allclose(held.scatter[at], (off.T * weights) @ off, atol=1e-9)


@given(problems(least=2))
def test_a_weight_is_so_many_cases(problem):
    network, data = problem
    often = np.arange(len(data)) % 3
    often[-1] = 1
    weighed = Dataset(data.variables, {n: data[n] for n in data.names}, often.astype(float))
    many = data.take(np.repeat(np.arange(len(data)), often))
    one, other = (tc.Statistics(network).update(cases) for cases in (weighed, many))
    same(one, other)


@given(problems(least=10))
def test_saving_a_fit_keeps_it(tmp_path_factory, problem):
    network, data = problem
    path = tmp_path_factory.mktemp("saved") / "fit.json"
    fit = tc.fit(network, data)
    fit.save(path)
    again = tc.load_fit(path)
    assert again.network == fit.network
    assert again.notes == fit.notes
    assert again.log_likelihood == fit.log_likelihood
    assert dict(again.empty_rows) == dict(fit.empty_rows)
    for name in network:
        assert_allclose(again.intervals[name].lower, fit.intervals[name].lower)


def test_states_that_come_late_take_their_place():
    random = np.random.default_rng(4)
    cases = {"A": random.choice(["b", "d"], 40), "X": random.normal(size=40)}
    later = {"A": random.choice(["a", "c", "d"], 50), "X": random.normal(size=50)}
    both = {name: np.concatenate([cases[name], later[name]]) for name in cases}
    late = tc.Statistics("A -> X").update(cases).update(later)
    once = tc.Statistics("A -> X").update(both)
    assert late.variables["A"].states == ("a", "b", "c", "d")
    same(late, once)
    assert_allclose(tc.fit("A -> X", late).network["X"].sd, tc.fit("A -> X", both).network["X"].sd)


def test_samples_give_the_network_back():
    site, gust = Discrete("Site", ("hill", "coast")), Discrete("Gust", ("no", "yes"))
    wind, power = Continuous("Wind"), Continuous("Power")
    truth = tc.Network.of([
        tc.Table((site,), [0.4, 0.6]),
        tc.Table((site, gust), [[0.7, 0.3], [0.2, 0.8]]),
        ConditionalGaussian((site, wind), np.zeros((2, 0)), [6, 9], [1, 2]),
        ConditionalGaussian(
            (gust, wind, site, power), [[[2], [3]], [[-1], [0]]], [[1, 2], [3, 4]], [[1, 2], [3, 1]]
        ),
    ])  # fmt: skip
    fit = tc.fit(truth, tc.sample(truth, 40_000, seed=3), level=0.9999)
    for name in ("Wind", "Power"):
        bounds, made = fit.intervals[name], truth[name]
        parts = [made.coefficients, made.intercept[..., None], made.sd[..., None]]
        numbers = np.concatenate(parts, axis=-1)
        assert ((bounds.lower <= numbers) & (numbers <= bounds.upper)).all()
    assert not fit.notes[1:]


@pytest.mark.parametrize("threads", [1, 2])
def test_many_configurations_of_many_cases_add_up(monkeypatch, threads):
    """Too many numbers to keep those of every span of cases: they are added as they come."""
    random = np.random.default_rng(1)
    cases = {"A": random.integers(0, 15, 140_000).astype(str), "X": random.normal(size=140_000)}
    apart = tc.Statistics("A -> X").update(cases, threads=threads)
    monkeypatch.setattr("tacit.engines.memory.DENSE_CELLS", 20)
    together = tc.Statistics("A -> X").update(cases, threads=threads)
    for part in ("weights", "means", "scatter"):
        assert (getattr(apart.counts["X"], part) == getattr(together.counts["X"], part)).all()
