"""The probability of a box under a Dirichlet."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_constants as naive
from tacit.estimate.bayes.boxes import log_box
from tacit.estimate.bayes.truncated import log_mass


def box(a, low, high):
    return float(np.exp(log_box(*(np.array([each], dtype=float) for each in (a, low, high)))[0]))


@pytest.mark.parametrize(
    "caps",
    [
        (0.5, 0.5, 1.0),
        (0.5, 0.5, 0.5),
        (0.5, 0.5, 0.5, 0.5),
        (0.4, 0.3, 0.6, 0.2, 0.5),
        (0.2,) * 8,
        (0.15, 0.2, 0.25, 0.3, 0.12, 1.0),
    ],
)
def test_uniform_masses_are_inclusion_and_exclusion(caps):
    found = box([1.0] * len(caps), [0.0] * len(caps), caps)
    assert_allclose(found, float(naive.uniform_box(caps)), rtol=1e-8)


def test_lower_limits_of_uniform_masses_shrink_the_simplex():
    low = [0.1, 0.05, 0.2, 0.0, 0.15]
    assert_allclose(box([1.0] * 5, low, [1.0] * 5), (1 - sum(low)) ** 4, rtol=1e-9)


def test_two_masses_are_an_interval():
    found = box([2.5, 4.0], [0.1, 0.3], [0.6, 0.8])
    exact = np.exp(log_mass(*(np.array([each]) for each in (2.5, 4.0, 0.2, 0.6))))
    assert_allclose(found, exact)


@pytest.mark.parametrize(("masses", "at"), [(3, 0), (3, 2), (4, 1), (6, 3)])
def test_one_bound_among_many_masses_is_an_incomplete_beta(masses, at):
    a = np.linspace(0.4, 3.0, masses)
    high = np.ones(masses)
    high[at] = 0.3
    exact = np.exp(log_mass(*(np.array([each]) for each in (a[at], a.sum() - a[at], 0.0, 0.3))))
    assert_allclose(box(a, np.zeros(masses), high), exact, rtol=1e-8)


@pytest.mark.parametrize("masses", [3, 4, 5, 7])
def test_boxes_are_as_probable_as_draws_say(masses):
    rng = np.random.default_rng(masses)
    a, centre = rng.gamma(2.0, 1.5, masses) + 0.2, rng.dirichlet(np.full(masses, 4.0))
    low = np.where(rng.random(masses) < 0.5, 0.4 * centre, 0.0)
    high = np.minimum(1.0, centre + 0.3 * rng.random(masses) + 0.1)
    part, error = naive.probability(
        a, lambda drawn: ((drawn >= low) & (drawn <= high)).all(axis=1), 200_000, masses
    )
    assert abs(box(a, low, high) - part) < 4.5 * error


def test_the_order_of_masses_changes_nothing():
    a, low = np.array([0.5, 3.0, 1.2, 2.0]), np.array([0.0, 0.2, 0.05, 0.0])
    high, order = np.array([0.4, 0.6, 0.5, 0.3]), [2, 0, 3, 1]
    assert_allclose(box(a[order], low[order], high[order]), box(a, low, high), rtol=1e-9)


@pytest.mark.parametrize("masses", [3, 4])
def test_a_box_and_its_neighbour_add_up(masses):
    """Also far out, where both are tiny: a limit cuts a box in two."""
    a = np.linspace(30.0, 60.0, masses)
    low, high = np.full(masses, 0.01), np.full(masses, 1.0)
    high[0], middle = 0.05, np.full(masses, 1.0)
    middle[0] = 0.03
    above = low.copy()
    above[0] = 0.03
    whole = box(a, low, high)
    assert 0 < whole < 1e-6
    assert_allclose(box(a, low, middle) + box(a, above, high), whole, rtol=1e-8)


def test_many_small_boxes_are_solved_at_once():
    rng = np.random.default_rng(0)
    a = rng.gamma(2.0, 3.0, (200, 3)) + 0.1
    low, high = np.tile([0.1, 0.05, 0.0], (200, 1)), np.tile([0.6, 0.5, 1.0], (200, 1))
    together = log_box(a, low, high)
    alone = [log_box(a[at : at + 1], low[at : at + 1], high[at : at + 1])[0] for at in (0, 57, 199)]
    assert_allclose(together[[0, 57, 199]], alone, rtol=1e-12)
