"""Linear Gaussian families."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tacit.core.errors import FormatError, NetworkError
from tacit.core.variables import Continuous, Discrete
from tacit.families import family_from_plain
from tacit.families.gaussian import LinearGaussian

WIND, TEMP, POWER = Continuous("Wind"), Continuous("Temp"), Continuous("Power")
FAMILY = LinearGaussian((WIND, TEMP, POWER), np.array([2.0, -1.5]), 10, 0.5)


def test_parts_have_names():
    assert FAMILY.child == "Power"
    assert FAMILY.parents == ("Wind", "Temp")
    assert FAMILY.free_parameters == 4
    assert (FAMILY.intercept, FAMILY.sd) == (10.0, 0.5)
    assert FAMILY.coefficients.tolist() == [2.0, -1.5]
    assert LinearGaussian((WIND,), [], 0, 1).free_parameters == 2


def test_the_mean_is_linear():
    wind, temp = np.array([0.0, 1, 2]), np.array([0.0, 0, 2])
    assert_allclose(FAMILY.mean([wind, temp], 3), [10, 12, 11])


def test_the_density_is_the_bell_curve():
    columns = [np.zeros(2), np.zeros(2), np.array([10.0, 10.5])]
    peak = 1 / (0.5 * np.sqrt(2 * np.pi))
    assert_allclose(np.exp(FAMILY.log_prob(columns)), [peak, peak * np.exp(-0.5)])


def test_the_density_sums_to_one():
    places = np.linspace(0, 20, 4001)
    density = np.exp(FAMILY.log_prob([np.zeros(4001), np.zeros(4001), places]))
    assert_allclose(np.trapezoid(density, places), 1, rtol=1e-9)


def test_missing_cells_give_nan():
    nan = np.nan
    columns = [np.array([0, nan, 0]), np.array([0, 0, nan]), np.array([nan, 0, 0])]
    assert np.isnan(FAMILY.log_prob(columns)).all()
    exact = LinearGaussian((WIND,), [], 3, 0)
    assert np.isnan(exact.log_prob([np.array([nan])])).all()


def test_no_noise_makes_a_function():
    exact = LinearGaussian((WIND, POWER), [2.0], 1, 0)
    wind = np.array([1.0, 2.0])
    assert exact.sample([wind], 2, np.random.default_rng(0)).tolist() == [3.0, 5.0]
    assert exact.log_prob([wind, np.array([3.0, 4.0])]).tolist() == [np.inf, -np.inf]


def test_values_far_away_are_unlikely_not_wrong():
    narrow = LinearGaussian((WIND,), [], 0, 1e-200)
    assert narrow.log_prob([np.array([1e200])]).tolist() == [-np.inf]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: LinearGaussian((WIND, POWER), [], 0, 1),
            "'Power' has 1 parents but 0 coefficients",
        ),
        (
            lambda: LinearGaussian((WIND, POWER), [np.nan], 0, 1),
            "a coefficient of 'Power' is no finite number",
        ),
        (
            lambda: LinearGaussian((POWER,), [], np.inf, 1),
            "a coefficient of 'Power' is no finite number",
        ),
        (
            lambda: LinearGaussian((POWER,), [], 0, -1),
            "the sd of 'Power' is -1; it must be 0 or more",
        ),
        (
            lambda: LinearGaussian((POWER,), [], 0, np.nan),
            "the sd of 'Power' is nan; it must be 0 or more",
        ),
        (
            lambda: LinearGaussian((Discrete("Flu", ("no",)), POWER), [1.0], 0, 1),
            "'Flu' has states; a linear Gaussian family of 'Power' takes continuous variables only",
        ),
        (
            lambda: LinearGaussian((WIND, WIND, POWER), [1.0, 1.0], 0, 1),
            "the linear Gaussian family of 'Power' names 'Wind' twice",
        ),
        (lambda: LinearGaussian((), [], 0, 1), "a linear Gaussian family needs a child"),
    ],
)
def test_what_is_no_linear_gaussian(build, message):
    with pytest.raises(NetworkError) as caught:
        build()
    assert str(caught.value) == message


def test_coefficients_cannot_be_written():
    mine = np.array([1.0])
    family = LinearGaussian((WIND, POWER), mine, 0, 1)
    mine[0] = 5
    assert family.coefficients[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        family.coefficients[0] = 2


def test_equality_is_of_axes_and_numbers():
    same = LinearGaussian((WIND, TEMP, POWER), [2, -1.5], 10.0, 0.5)
    assert same == FAMILY
    assert hash(same) == hash(FAMILY)
    assert copy.deepcopy(FAMILY) == pickle.loads(pickle.dumps(FAMILY)) == FAMILY
    for other in (
        LinearGaussian((WIND, TEMP, POWER), [2, -1.4], 10, 0.5),
        LinearGaussian((WIND, TEMP, POWER), [2, -1.5], 11, 0.5),
        LinearGaussian((WIND, TEMP, POWER), [2, -1.5], 10, 0.6),
        LinearGaussian((TEMP, WIND, POWER), [2, -1.5], 10, 0.5),
    ):
        assert other != FAMILY


def test_text_shows_a_line_per_number():
    assert str(FAMILY) == (
        "Power | Wind, Temp ~ linear Gaussian\n"
        "  parent       coefficient\n"
        "  Wind                   2\n"
        "  Temp                -1.5\n"
        "  (intercept)           10\n"
        "  (sd)                 0.5"
    )
    assert repr(FAMILY) == "<LinearGaussian Power = 10 + 2*Wind + -1.5*Temp, sd 0.5>"


def test_html_is_escaped():
    odd = LinearGaussian((Continuous("<b>"), POWER), [1.0], 0, 1)
    assert "<b>" not in odd._repr_html_()
    assert "&lt;b&gt;" in odd._repr_html_()


def test_plain_data_that_is_damaged():
    plain = {**FAMILY.to_plain(), "intercept": "ten"}
    with pytest.raises(FormatError) as caught:
        family_from_plain(plain, {"Wind": WIND, "Temp": TEMP, "Power": POWER})
    assert str(caught.value) == "the family of 'Power' holds something other than names and numbers"
