"""Noisy-or and its relatives where cells are missing, or a variable is never measured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_causes
import strategies
import tacit as tc
from tacit.core.variables import Discrete

NO_YES = ("no", "yes")
FEVER = Discrete("Fever", NO_YES)


def world(parents: int, cases: int, seed: int, leak: float = 0.1):
    """A noisy-or of so many causes, a symptom of it, and cases."""
    random = np.random.default_rng(seed)
    causes = [Discrete(f"C{at}", NO_YES) for at in range(parents)]
    links = dict(zip(causes, random.uniform(0.3, 0.9, parents).tolist(), strict=True))
    roots = [tc.table(each, [], [0.7, 0.3]) for each in causes]
    weary = tc.table(Discrete("Weary", NO_YES), [FEVER], [[0.9, 0.1], [0.2, 0.8]])
    network = tc.Network.of([*roots, tc.NoisyOr.of(FEVER, links, leak), weary])
    return network, tc.sample(network, cases, seed=seed)


def with_gaps(data, share: float, seed: int, only=None):
    """The cases with so many of their cells gone at random."""
    random = np.random.default_rng(seed)
    columns = {}
    for name in data.names:
        states = np.array([*data.variables[name].states, ""], dtype=object)
        codes = np.array(data[name], dtype=np.int64)
        if only is None or name in only:
            codes[random.random(codes.size) < share] = -1
        columns[name] = [state or None for state in states[codes]]
    return columns


@pytest.mark.parametrize("kind", ["noisy-or", "noisy-and", "noisy-max"])
@given(data=st.data())
def test_the_likelihood_of_cases_with_gaps_is_the_sum_over_what_they_leave_open(kind, data):
    network = data.draw(strategies.noisy_networks(kind, most=3))
    seed = data.draw(st.integers(0, 1000))
    cases = tc.read_cases(with_gaps(tc.sample(network, 12, seed=seed), 0.3, seed), like=network)
    assert_allclose(
        tc.log_likelihood(network, cases),
        naive_causes.log_likelihood(network, cases),
        rtol=1e-9,
        atol=1e-9,
    )


@pytest.mark.parametrize("kind", ["noisy-or", "noisy-and", "noisy-max"])
@given(data=st.data())
def test_no_step_of_em_lowers_the_objective_and_its_end_is_what_it_says(kind, data):
    network = data.draw(strategies.noisy_networks(kind, most=3))
    seed = data.draw(st.integers(0, 1000))
    cases = tc.read_cases(with_gaps(tc.sample(network, 40, seed=seed), 0.25, seed), like=network)
    fit = tc.fit(network, cases, prior=tc.Dirichlet(0.5), method=tc.EM(max_steps=30))
    assert (np.diff(fit.trace) >= -1e-8 * np.abs(fit.trace[:-1])).all()
    assert_allclose(fit.log_likelihood, naive_causes.log_likelihood(fit.network, cases), rtol=1e-8)
    prior = naive_causes.log_prior(fit.network, 0.5)
    assert_allclose(fit.objective, fit.log_likelihood + prior, rtol=1e-8)


def test_links_nearby_explain_cases_with_gaps_less_well():
    network, data = world(3, 150, 3)
    columns = with_gaps(data, 0.3, 4)
    fit = tc.fit(network, columns, prior=tc.K2(), method=tc.EM(tolerance=1e-12, max_steps=5000))
    cases = tc.read_cases(columns, like=network)
    best = naive_causes.log_likelihood(fit.network, cases) + naive_causes.log_prior(fit.network, 1)
    assert_allclose(best, fit.objective, rtol=1e-9)
    random = np.random.default_rng(0)
    family = fit.network["Fever"]
    for _ in range(40):
        near = np.append(family.links, family.leak) + 0.01 * random.standard_normal(4)
        near = np.clip(near, 1e-6, 1 - 1e-6)
        moved = tc.NoisyOr(family.variables, near[:-1], near[-1], family.absent)
        families = [moved if n == "Fever" else fit.network[n] for n in fit.network]
        other = tc.Network.of(families)
        value = naive_causes.log_likelihood(other, cases) + naive_causes.log_prior(other, 1)
        assert value <= best + 1e-6


@pytest.mark.parametrize("seed", [1, 2])
def test_em_with_one_latent_cause_per_parent_ends_at_the_concave_optimum(seed):
    network, data = world(3, 200, seed)
    fit = tc.fit(network, data, prior=tc.K2())
    family = fit.network["Fever"]
    columns = [data[name] for name in (*family.parents, "Fever")]
    links, leak = naive_causes.latent_em(np.array(columns).T, 1.0, steps=20000)
    assert_allclose(family.links, links, atol=1e-5)
    assert_allclose(family.leak, leak, atol=1e-5)


def test_gaps_in_other_variables_change_nothing_about_the_links():
    network, data = world(4, 300, 5)
    whole = tc.fit(network, data, prior=tc.K2())
    weary = with_gaps(data, 0.4, 6, only=["Weary"])
    gappy = tc.fit(network, weary, prior=tc.K2())
    # given Fever, what is missing of Weary says nothing of the links
    assert_allclose(gappy.network["Fever"].links, whole.network["Fever"].links, atol=1e-6)
    assert_allclose(gappy.intervals["Fever"].upper, whole.intervals["Fever"].upper, atol=1e-6)


def test_em_finds_links_again_though_cells_are_missing():
    network, data = world(5, 4000, 7)
    fit = tc.fit(network, with_gaps(data, 0.2, 8), prior=tc.K2())
    assert np.abs(fit.network["Fever"].links - network["Fever"].links).max() < 0.1
    held = fit.evidence["Fever"]
    assert_allclose(held.total, 4000, rtol=1e-9)
    interval, links = fit.intervals["Fever"], fit.network["Fever"].links
    assert (interval.lower[:-1] < links).all()
    assert (links < interval.upper[:-1]).all()


def test_a_noisy_or_nobody_measured_is_learned_from_what_it_causes():
    random = np.random.default_rng(0)
    flu = Discrete("Flu", NO_YES)
    cold = Discrete("Cold", NO_YES)
    families = [tc.table(flu, [], [0.6, 0.4]), tc.table(cold, [], [0.5, 0.5])]
    families.append(tc.NoisyOr.of(FEVER, {flu: 0.9, cold: 0.5}, 0.05))
    for at in range(4):
        rows = [[0.9, 0.1], [0.15, 0.85]]
        families.append(tc.table(Discrete(f"S{at}", NO_YES), [FEVER], rows))
    network = tc.Network.of(families)
    data = tc.sample(network, 3000, seed=int(random.integers(1000)))
    seen = {
        name: [data.variables[name].states[code] for code in data[name]]
        for name in data.names
        if name != "Fever"
    }
    fit = tc.fit(
        network.dag, seen, hidden={"Fever": list(NO_YES)}, families={"Fever": tc.NoisyOr}, seed=1
    )
    family = fit.network["Fever"]
    assert isinstance(family, tc.NoisyOr)
    assert (np.diff(fit.trace) >= -1e-6).all()
    truth = tc.log_likelihood(network, tc.read_cases(seen, like=network, partial=True))
    assert fit.log_likelihood > truth - 30


def test_a_fit_with_gaps_is_saved_and_reported(tmp_path):
    network, data = world(4, 200, 9)
    fit = tc.fit(network, with_gaps(data, 0.2, 10))
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.network == fit.network
    assert_allclose(again.evidence["Fever"].expected, fit.evidence["Fever"].expected)
    assert "noisy-or" in str(tc.report(fit))
    assert fit.settings["families"] == {"Fever": "noisy-or"}


def test_a_start_with_links_is_where_em_begins(tmp_path):
    network, data = world(3, 200, 11)
    columns = with_gaps(data, 0.2, 12)
    fit = tc.fit(network, columns, start="given", method=tc.EM(max_steps=1))
    again = tc.fit(network, columns, start="given", checkpoint=tmp_path / "run.ckpt")
    assert again.objective >= fit.objective
    assert_allclose(
        fit.runs[0].trace[0],
        tc.log_likelihood(network, tc.read_cases(columns, like=network))
        + naive_causes.log_prior(network, None),
        rtol=1e-8,
    )


def test_ties_of_seed_and_threads_leave_the_bits_alone():
    network, data = world(4, 300, 13)
    columns = with_gaps(data, 0.2, 14)
    one = tc.fit(network, columns, method=tc.EM(restarts=3), seed=3, threads=1)
    two = tc.fit(network, columns, method=tc.EM(restarts=3), seed=3, threads=2)
    assert one.objective == two.objective
    assert np.array_equal(one.network["Fever"].links, two.network["Fever"].links)
