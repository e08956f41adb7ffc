"""Sharing, proportions, signs and bounds of regressions: Theorem 6.1.1 as printed, and solvers."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_regressions as naive
import tacit as tc
from tacit.estimate.continuous.quadratic import Program, solve

RANDOM = np.random.default_rng(1)
N = 60
A, B, C = RANDOM.normal(2, 1, N), RANDOM.normal(0, 2, N), RANDOM.normal(5, 1, N)
Y = 1 + 2 * A + 2.3 * B - 0.5 * C + RANDOM.normal(0, 1, N)
Z = 3 + 1.7 * A + RANDOM.normal(0, 1.5, N)
CASES = {"A": A, "B": B, "C": C, "Y": Y, "Z": Z}
DAG = "A, B, C -> Y; A -> Z"
FULL = np.column_stack([A, B, C, np.ones(N)])
ONE = np.column_stack([A, np.ones(N)])


def beta(fit: tc.Fit, name: str = "Y") -> np.ndarray:
    family = fit.network[name]
    return np.append(family.coefficients, family.intercept)


@pytest.mark.parametrize(("first", "second"), [(1, 1), (1, 3), (2, -0.5), (1, 0)])
def test_theorem_6_1_1_is_least_squares_on_abstracted_parents(first, second):
    """Z_j = Σ c_p Y_p;  θ' = (AᵀA)⁻¹ Aᵀ b;  σ² = |Aθ' - b|² / m;  θ_p = c_p θ'_j. [PDK-35, 36]"""
    abstracted = np.column_stack([first * A + second * B, C, np.ones(N)])
    theta = np.linalg.inv(abstracted.T @ abstracted) @ abstracted.T @ Y
    variance = np.mean((abstracted @ theta - Y) ** 2)
    rule = f"{first} * coefficient(Y, B) = {second} * coefficient(Y, A)"
    fit = tc.fit(DAG, CASES, estimate=tc.ML(), knowledge=rule)
    expected = [first * theta[0], second * theta[0], theta[1], theta[2]]
    assert_allclose(beta(fit), expected, atol=1e-10)
    assert_allclose(fit.network["Y"].sd ** 2, variance)
    assert fit.rules[0].solved_by.startswith("Theorem 6.1.1") or not second
    assert fit.stop is type(fit.stop).CLOSED_FORM


def test_sharing_is_proportionality_with_factors_of_one():
    shared = tc.fit(DAG, CASES, estimate=tc.ML(), knowledge="coefficient(Y, A) = coefficient(Y, B)")
    proportional = tc.fit(
        DAG, CASES, estimate=tc.ML(), knowledge="coefficient(Y, A) = 1.0 * coefficient(Y, B)"
    )
    assert_allclose(beta(shared), beta(proportional), rtol=1e-12)


def test_abstracted_parents_that_repeat_each_other_leave_the_shortest_solution():
    cases = {**CASES, "B": -A, "C": RANDOM.normal(size=N)}
    fit = tc.fit(DAG, cases, estimate=tc.ML(), knowledge="coefficient(Y, A) = coefficient(Y, B)")
    design = np.column_stack([cases["C"], np.ones(N)])
    theta, squares, _, _ = np.linalg.lstsq(design, Y, rcond=None)
    assert_allclose(fit.network["Y"].sd ** 2, squares[0] / N)
    assert_allclose(beta(fit)[2:], theta)


def test_an_example_of_the_source_shares_suppliers_and_weighs_a_third():
    """Two suppliers with equal weight, a third with a weight three times lower."""
    rules = "coefficient(Y, A) = coefficient(Y, B); coefficient(Y, A) = 3 * coefficient(Y, C)"
    fit = tc.fit(DAG, CASES, estimate=tc.ML(), knowledge=rules)
    design = np.column_stack([A + B + C / 3, np.ones(N)])
    theta = np.linalg.lstsq(design, Y, rcond=None)[0]
    assert_allclose(beta(fit), [theta[0], theta[0], theta[0] / 3, theta[1]])


RULED = [
    ("coefficient(Y, C) >= 0", lambda b: [b[0][2] >= 0]),
    ("coefficient(Y, C) >= 0; coefficient(Y, B) <= 2", lambda b: [b[0][2] >= 0, b[0][1] <= 2]),
    ("0 <= intercept(Y) <= 0.5; coefficient(Y, A) >= coefficient(Y, B)",
     lambda b: [b[0][3] >= 0, b[0][3] <= 0.5, b[0][0] >= b[0][1]]),
    ("coefficient(Y, A) + coefficient(Y, B) + coefficient(Y, C) = 3; coefficient(Y, C) >= -0.2",
     lambda b: [b[0][0] + b[0][1] + b[0][2] == 3, b[0][2] >= -0.2]),
    ("coefficient(Y, A) ~ coefficient(Y, B) +- 0.1", lambda b: [cp.abs(b[0][0] - b[0][1]) <= 0.1]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rules"), RULED, ids=[text for text, _ in RULED])
def test_signs_and_bounds_are_the_quadratic_program_of_a_solver(text, rules):
    (expected,) = naive.ruled_least_squares([FULL], [Y], rules)
    fit = tc.fit(DAG, CASES, estimate=tc.ML(), knowledge=text)
    assert_allclose(beta(fit), expected, atol=2e-4)
    squares = np.sum((Y - FULL @ beta(fit)) ** 2)
    assert squares <= np.sum((Y - FULL @ expected) ** 2) + 1e-6
    assert_allclose(fit.network["Y"].sd ** 2, squares / N)


@pytest.mark.parametrize(
    ("text", "constraints"),
    [
        ("coefficient(Y, A) = coefficient(Z, A)",
         [{"type": "eq", "fun": lambda x: x[0] - x[4]}]),
        ("coefficient(Y, A) <= coefficient(Z, A); coefficient(Z, A) <= 1.5",
         [{"type": "ineq", "fun": lambda x: np.array([x[4] - x[0], 1.5 - x[4]])}]),
        ("variance(Y) = variance(Z)", [{"type": "eq", "fun": lambda x: x[6] - x[7]}]),
        ("variance(Z) <= 2 * variance(Y); variance(Y) <= 0.8; coefficient(Y, C) >= 0",
         [{"type": "ineq",
           "fun": lambda x: np.array([np.log(2) + x[6] - x[7], np.log(0.8) - x[6], x[2]])}]),
        ("variance(Z) >= 4; coefficient(Y, A) = coefficient(Z, A)",
         [{"type": "ineq", "fun": lambda x: x[7] - np.log(4)},
          {"type": "eq", "fun": lambda x: x[0] - x[4]}]),
    ],
)  # fmt: skip
def test_rules_across_families_reach_the_likelihood_of_a_general_solver(text, constraints):
    best = naive.most_likely([FULL, ONE], [Y, Z], constraints)
    fit = tc.fit(DAG, CASES, estimate=tc.ML(), knowledge=text)
    families = ((FULL, Y, "Y"), (ONE, Z, "Z"))
    ours = sum(
        naive.log_likelihood(design, child, beta(fit, name), fit.network[name].sd ** 2)
        for design, child, name in families
    )
    assert ours >= best - 1e-6
    for each in constraints:
        x = np.concatenate(
            [*(beta(fit, n) for n in "YZ"), [2 * np.log(fit.network[n].sd) for n in "YZ"]]
        )
        value = each["fun"](x)
        assert np.all(np.abs(value) < 1e-8) if each["type"] == "eq" else np.all(value > -1e-8)


def test_a_price_is_the_slope_of_the_optimum_and_a_cost_what_leaving_the_rule_out_gains():
    def best(limit: float) -> float:
        rules = f"coefficient(Y, C) >= {limit!r}; coefficient(Y, A) = coefficient(Z, A)"
        return tc.fit(DAG, CASES, estimate=tc.ML(), knowledge=rules).log_likelihood

    fit = tc.fit(
        DAG, CASES, estimate=tc.ML(),
        knowledge="coefficient(Y, C) >= 0; coefficient(Y, A) = coefficient(Z, A)",
    )  # fmt: skip
    sign, tie = fit.rules
    slope = (best(-1e-4) - best(1e-4)) / 2e-4
    assert_allclose(sign.price, 0.01 * slope, rtol=1e-3)
    free = tc.fit(
        DAG, CASES, estimate=tc.ML(), knowledge="coefficient(Y, A) = coefficient(Z, A)"
    ).log_likelihood
    assert_allclose(sign.cost, free - fit.log_likelihood, rtol=1e-6)
    alone = tc.fit(DAG, CASES, estimate=tc.ML(), knowledge="coefficient(Y, C) >= 0").log_likelihood
    assert_allclose(tie.cost, alone - fit.log_likelihood, rtol=1e-6)
    assert sign.verdict == "resisted"
    assert (sign.value, sign.limit) == (0.0, 0.0)


def test_prices_of_variances_are_slopes_too():
    def best(limit: float) -> float:
        return tc.fit(
            DAG, CASES, estimate=tc.ML(), knowledge=f"variance(Y) <= {limit!r}"
        ).log_likelihood

    (rule,) = tc.fit(DAG, CASES, estimate=tc.ML(), knowledge="variance(Y) <= 0.6").rules
    assert_allclose(rule.price, 0.01 * (best(0.6001) - best(0.5999)) / 2e-4, rtol=1e-3)


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_programs_are_solved_to_their_optimality_conditions(seed):
    """H x - g + rowsᵀ pull = 0, pull >= 0 and 0 where a rule has room; H may be singular."""
    random = np.random.default_rng(seed)
    size, rules = int(random.integers(1, 7)), int(random.integers(1, 7))
    root = random.normal(size=(int(random.integers(1, size + 2)), size))
    rows = random.normal(size=(rules, size)) * (random.random((rules, size)) < 0.6)
    rows[np.abs(rows).sum(axis=1) == 0, 0] = 1.0
    equal = random.random(rules) < 0.3
    inside = random.normal(size=size)
    limits = rows @ inside + np.where(equal, 0.0, random.exponential(size=rules))
    slope = root.T @ random.normal(size=len(root))
    found = solve(Program(root.T @ root, slope, rows, limits, equal))
    room = limits - rows @ found.x
    assert (np.abs(room[equal]) < 1e-8).all()
    assert (room > -1e-8).all()
    assert (found.pull[~equal] >= 0).all()
    assert_allclose(root.T @ (root @ found.x) - slope + rows.T @ found.pull, 0, atol=1e-7)
    assert (np.abs(found.pull * room) < 1e-6)[~equal].all()
