"""Laws of fits under rules: monotone in rules, in steps, and no better table exists."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete

RULES = (
    "P(C=u | A=x) <= P(C=u | A=y)",
    "P(C=u | B=*, A=*) <= 0.3",
    "P(C={u, v} | A=x) >= 0.4",
    "P(C | A=x, B=0) = P(C | A=y, B=0)",
    "P(C=u | A=x, B=1) = P(C=v | A=x, B=1)",
    "C increases with B",
    "P(B=0 | A=x) = 2 * P(B=0 | A=y)",
    "P(B=1 | A=x) ~ P(B=1 | A=y) +- 0.1",
    "P(A=x) >= 0.5",
    "P(C=w | A=*, B=2) + 2 * P(B=2 | A=*) <= 0.9",
    "C ignores A when B=2",
    "P(C=u | A=x, B=0) : P(C=v | A=x, B=0) = P(C=u | A=y, B=1) : P(C=v | A=y, B=1)",
)
LINEAR = RULES[:-1]
VARIABLES = {
    "A": Discrete("A", ("x", "y")),
    "B": Discrete("B", ("0", "1", "2")),
    "C": Discrete("C", ("u", "v", "w")),
}
DAG = "A -> B; A, B -> C"

chosen = st.lists(st.sampled_from(LINEAR), unique=True, min_size=1, max_size=5)
seeds = st.integers(0, 10_000)


def cases(seed, size=60, missing=0.0):
    random = np.random.default_rng(seed)
    codes = {}
    for name, variable in VARIABLES.items():
        column = random.integers(0, len(variable.states), size)
        column[random.random(size) < missing] = -1
        codes[name] = column
    return Dataset(VARIABLES, codes)


def fitted(data, rules, **further):
    try:
        return tc.fit(DAG, data, knowledge=list(rules), seed=1, **further)
    except tc.ConflictError:
        return None


@settings(max_examples=40, deadline=None)
@given(seeds, chosen)
def test_a_further_rule_never_raises_the_objective(seed, rules):
    data = cases(seed)
    ladder = [fitted(data, rules[:count]) for count in range(1, len(rules) + 1)]
    objectives = [tc.fit(DAG, data).objective, *(fit.objective for fit in ladder if fit)]
    for before, after in pairwise(objectives):
        assert after <= before + 1e-8 * abs(before)


@settings(max_examples=40, deadline=None)
@given(seeds, chosen)
def test_every_rule_holds_in_the_fitted_network(seed, rules):
    fit = fitted(cases(seed), rules)
    if fit is None:
        return
    theta = {name: fit.network[name].values for name in fit.network}
    bound = tc.check(list(rules), fit.network).bound
    flat = np.concatenate([theta[name].ravel() for name in bound.cells.families])
    assert bound.rows.excess(flat).max(initial=0.0) <= 1e-9


@settings(max_examples=25, deadline=None)
@given(seeds, chosen)
def test_rules_that_hold_already_change_nothing(seed, rules):
    first = fitted(cases(seed), rules)
    if first is None:
        return
    free = [rule.text for rule in first.rules if not rule.active]
    bound = [rule.text for rule in first.rules if rule.active]
    if not free or not bound:
        return
    without = fitted(cases(seed), bound)
    assert without.objective == pytest.approx(first.objective, rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(seeds, chosen, st.booleans())
def test_no_step_of_em_under_rules_lowers_the_objective(seed, rules, accelerate):
    fit = fitted(
        cases(seed, 40, missing=0.25), rules, method=tc.EM(accelerate=accelerate, max_steps=40)
    )
    if fit is None:
        return
    steps = np.diff(fit.trace)
    assert steps.min(initial=0.0) >= -1e-7 * abs(fit.objective)


@settings(max_examples=8, deadline=None)
@given(seeds)
def test_map_em_under_rules_is_monotone(seed):
    data = cases(seed, 40, missing=0.25)
    fit = fitted(data, RULES[:3], estimate=tc.MAP(), prior=tc.Dirichlet(2), method=tc.EM())
    assert np.diff(fit.trace).min(initial=0.0) >= -1e-7 * abs(fit.objective)


@pytest.mark.parametrize("rules", [LINEAR[:3], LINEAR[4:7], (LINEAR[5],), (LINEAR[9], LINEAR[10])])
def test_em_and_the_direct_method_meet_under_rules(rules):
    data = cases(5, 60, missing=0.15)
    climbed = fitted(data, rules, method=tc.EM(tolerance=1e-12, max_steps=5000))
    direct = fitted(data, rules, method=tc.Gradient(tolerance=1e-14))
    assert direct.objective == pytest.approx(climbed.objective, abs=1e-5)


@settings(max_examples=15, deadline=None)
@given(seeds, chosen)
def test_the_order_of_cases_and_of_rules_changes_nothing(seed, rules):
    data = cases(seed)
    order = np.random.default_rng(seed).permutation(len(data))
    turned = Dataset(VARIABLES, {name: data[name][order] for name in VARIABLES})
    one, other = fitted(data, rules), fitted(turned, rules[::-1])
    assert (one is None) == (other is None)
    if one is not None:
        for name in one.network:
            assert_allclose(other.network[name].values, one.network[name].values, atol=1e-7)


def test_same_seed_same_bits():
    data = cases(3, 50, missing=0.2)
    one, other = (fitted(data, LINEAR[:6], threads=threads) for threads in (1, 2))
    for name in one.network:
        assert np.array_equal(one.network[name].values, other.network[name].values)
