"""Constants over arbitrary surfaces as Algorithms 3.4.1 to 3.4.3 print them (PDK-12 to PDK-14)."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln

from tacit.core.errors import EstimateError
from tacit.estimate.bayes.surfaces import (
    Curve,
    curved_constant,
    surface_dimension,
    surface_integral,
)

HALF_CIRCLE = (
    Curve(
        lambda p: 4 * p[1] ** 2 + (2 * p[0] - 1) ** 2 - 1,
        lambda p: np.array([4 * (2 * p[0] - 1), 8 * p[1]]),
        equal=True,
    ),
    Curve(lambda p: -p[0], lambda p: np.array([-1.0, 0.0])),
    Curve(lambda p: -p[1], lambda p: np.array([0.0, -1.0])),
)


def simplex(size):
    rows = np.concatenate([np.ones((1, size)), -np.ones((1, size)), -np.eye(size)])
    return rows, np.concatenate([[1.0, -1.0], np.zeros(size)])


def ones(points):
    return np.ones(len(points))


@pytest.mark.parametrize("size", [2, 3, 6])
def test_a_simplex_has_one_dimension_less_than_cells(size):
    dimension, left = surface_dimension(*simplex(size))
    assert dimension == size - 1 == left.kept.size
    point = np.full(size, 1 / size)
    assert_allclose(left.constant + left.matrix @ point[left.kept], point)


def test_rows_that_follow_from_others_are_dropped():
    rows, limits = simplex(3)
    more = np.concatenate([rows, [[1, 0, 0], [2, 2, 2], [0, 0, 0]]])
    dimension, _ = surface_dimension(more, np.concatenate([limits, [5.0, 2.0, 0.0]]))
    assert dimension == 2


def test_inequalities_that_leave_only_equality_are_equations():
    """x + y >= 1, x <= 1/2, y <= 1/2 is a point."""
    rows = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]])
    dimension, left = surface_dimension(rows, np.array([-1.0, 0.5, 0.5]))
    assert dimension == 0
    assert_allclose(left.constant, [0.5, 0.5])


def test_an_empty_surface_is_an_error():
    rows = np.array([[1.0, 1.0], [-1.0, -1.0]])
    with pytest.raises(EstimateError) as caught:
        surface_dimension(rows, np.array([1.0, -2.0]))
    assert str(caught.value) == "no point obeys all of these limits: the surface is empty"


def test_the_wanted_variables_are_eliminated():
    _, left = surface_dimension(*simplex(3), eliminate=(2,))
    assert left.kept.tolist() == [0, 1]


def test_the_dirichlet_constant_of_three_cells_comes_out():
    alpha = np.array([2.0, 3.0, 1.5])
    found = surface_integral(
        lambda x: np.prod(np.maximum(x, 0) ** (alpha - 1), axis=1),
        *simplex(3), (np.zeros(3), np.ones(3)), draws=50_000, seed=3,
    )  # fmt: skip
    exact = np.exp(gammaln(alpha).sum() - gammaln(alpha.sum()))
    assert abs(found.value - exact) < 4.5 * found.error < 0.05 * exact


def test_a_part_of_lower_dimension_weighs_nothing():
    cube = (np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    assert surface_integral(ones, *simplex(2), cube).value == 0


def test_the_area_factor_gives_the_length_of_a_line():
    cube = (np.zeros(2), np.ones(2))
    assert_allclose(surface_integral(ones, *simplex(2), cube).value, 1.0)
    assert_allclose(surface_integral(ones, *simplex(2), cube, area=True).value, sqrt(2))


@pytest.mark.parametrize(
    ("side", "length"),
    [
        (1 / 2, 1.234),
        (1 / 4, 1.371),
        (1 / 8, 1.458),
        pytest.param(1 / 16, 1.512, marks=pytest.mark.full),
    ],
)
def test_the_half_circle_of_figure_3_1(side, length):
    plain = curved_constant(ones, HALF_CIRCLE, side, variables=2)
    assert_allclose(plain.value, 1.0)
    arc = curved_constant(ones, HALF_CIRCLE, side, variables=2, area=True)
    assert_allclose(arc.value, length, atol=6e-4)


def test_the_tangents_that_the_figure_draws():
    at = {(0.0, 0.0): 0.25, (0.5, 0.0): 0.75}

    def tangent(low, high):
        start = tuple(low.tolist())
        return np.array([at[start], sqrt(3) / 4]) if start in at else None

    found = curved_constant(ones, HALF_CIRCLE, 1 / 2, variables=2, expand=tangent)
    assert_allclose(found.value, 0.7321, atol=5e-5)


def test_what_is_eliminated_decides_the_measure():
    """f = σ: π/8 over μ, but 1/4 over σ."""

    def height(points):
        return points[:, 1]

    over_mean = curved_constant(height, HALF_CIRCLE, 1 / 8, variables=2, eliminate=(1,))
    over_sd = curved_constant(height, HALF_CIRCLE, 1 / 8, variables=2, eliminate=(0,))
    assert_allclose([over_mean.value, over_sd.value], [pi / 8, 1 / 4], rtol=2e-2)


def test_a_surface_in_a_face_between_cubes_counts_once():
    """x = 0 is the face of two rows of cubes."""
    line = (Curve(lambda p: float(p[0]), lambda p: np.array([1.0, 0.0]), equal=True),)
    found = curved_constant(ones, line, 1 / 2, variables=2, eliminate=(0,))
    assert_allclose(found.value, 2.0)
