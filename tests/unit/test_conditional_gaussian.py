"""Conditional Gaussian families: their numbers, their text, and what is no such family."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.core.errors import FormatError, NetworkError, SizeError
from tacit.core.variables import Continuous, Discrete
from tacit.families import family_from_plain
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.gaussian import LinearGaussian

SITE, WIND, POWER = Discrete("Site", ("hill", "coast")), Continuous("Wind"), Continuous("Power")
FAMILY = ConditionalGaussian((SITE, WIND, POWER), [[2.0], [3.0]], [10, 20], [0.5, 1.5])
ALONE = ConditionalGaussian((SITE, POWER), np.zeros((2, 0)), [10, 20], [0.5, 0])
NAN = np.nan


def test_parts_have_names():
    assert (FAMILY.child, FAMILY.parents) == ("Power", ("Site", "Wind"))
    assert FAMILY.discrete == (SITE,)
    assert FAMILY.continuous == (WIND, POWER)
    assert FAMILY.shape == (2,)
    assert FAMILY.free_parameters == 6
    assert ALONE.free_parameters == 4


def test_the_configuration_chooses_mean_and_sd():
    columns = [np.array([0, 1, -1]), np.array([1.0, 2.0, 3.0])]
    assert_allclose(FAMILY.mean(columns, 3), [12, 26, NAN])
    assert_allclose(FAMILY.spread(columns, 3), [0.5, 1.5, NAN])
    assert_allclose(FAMILY.mean([np.array([1]), np.array([NAN])], 1), [NAN])
    assert_allclose(ALONE.mean([np.array([1, 0, -1])], 3), [20, 10, NAN])


def test_without_discrete_parents_it_is_a_linear_gaussian():
    plain = LinearGaussian((WIND, POWER), [2.0], 1, 0.5)
    same = ConditionalGaussian((WIND, POWER), [2.0], 1.0, 0.5)
    columns = [np.array([1.0, NAN, 3.0]), np.array([2.0, 1.0, NAN])]
    assert_allclose(same.log_prob(columns), plain.log_prob(columns))
    assert same.given() == plain
    assert str(same).startswith("Power | Wind ~ conditional Gaussian\n  Wind  (intercept)  (sd)")


def test_a_configuration_without_noise_is_a_function():
    columns = [np.array([1, 1, 1, -1, 0]), np.array([20.0, 21.0, NAN, 20.0, 10.0])]
    peak = -np.log(0.5 * np.sqrt(2 * np.pi))
    assert_allclose(ALONE.log_prob(columns), [np.inf, -np.inf, NAN, NAN, peak])
    assert ALONE.sample([np.array([1, 1])], 2, np.random.default_rng(0)).tolist() == [20, 20]


def test_values_far_away_are_unlikely_not_wrong():
    narrow = ConditionalGaussian((SITE, POWER), np.zeros((2, 0)), [0, 0], [1e-200, 1])
    assert narrow.log_prob([np.array([0]), np.array([1e200])]).tolist() == [-np.inf]


def test_one_configuration_can_be_taken_out():
    assert FAMILY.given({"Site": "coast"}) == LinearGaussian((WIND, POWER), [3.0], 20, 1.5)
    for states, message in [
        ({}, "a regression of 'Power' needs a state of 'Site' too"),
        ({"Wind": "hill"}, "'Wind' is no discrete parent of 'Power'"),
        ({"Site": "sea"}, "'Site' has no state 'sea'\n\nstates of 'Site': hill, coast"),
    ]:
        with pytest.raises(tc.TacitError) as caught:
            FAMILY.given(states)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: ConditionalGaussian((WIND, SITE), [1.0], 0, 1),
            "'Site' has states; the child of a conditional Gaussian family is continuous",
        ),
        (
            lambda: ConditionalGaussian((), [], 0, 1),
            "a conditional Gaussian family needs a child",
        ),
        (
            lambda: ConditionalGaussian((SITE, SITE, POWER), [], 0, 1),
            "the conditional Gaussian family of 'Power' names 'Site' twice",
        ),
        (
            lambda: ConditionalGaussian((SITE, WIND, POWER), [2.0, 3.0], [0, 0], [1, 1]),
            "the shape of the coefficients of 'Power' is (2,), not (2, 1)",
        ),
        (
            lambda: ConditionalGaussian((SITE, WIND, POWER), [[2.0], [3.0]], 0, [1, 1]),
            "the shape of the intercept of 'Power' is (), not (2,)",
        ),
        (
            lambda: ConditionalGaussian((SITE, WIND, POWER), [[2.0], [NAN]], [0, 0], [1, 1]),
            "a coefficient of 'Power' is no finite number",
        ),
        (
            lambda: ConditionalGaussian((SITE, WIND, POWER), [[2.0], [3.0]], [0, 0], [1, -1]),
            "an sd of 'Power' is -1; it must be 0 or more",
        ),
        (
            lambda: ConditionalGaussian((SITE, WIND, POWER), [[2.0], [3.0]], [0, 0], [NAN, 1]),
            "an sd of 'Power' is nan; it must be 0 or more",
        ),
    ],
)
def test_what_is_no_conditional_gaussian(build, message):
    with pytest.raises(NetworkError) as caught:
        build()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sd": None}, "an sd of 'Power' is nan; it must be 0 or more"),
        ({"sd": "wide"}, "the family of 'Power' holds something other than names and numbers"),
        ({"intercept": [1]}, "the shape of the intercept of 'Power' is (1,), not (2,)"),
        (
            {"coefficients": [[1], []]},
            "the family of 'Power' holds something other than names and numbers",
        ),
        ({"parents": ["Site", "Sun"]}, "the family of 'Power' needs 'Sun', which is not there"),
    ],
)
def test_plain_data_that_is_damaged(changed, message):
    plain = json.loads(json.dumps(FAMILY.to_plain())) | changed
    if changed.get("sd", 0) is None:
        plain["sd"] = [None, 1]
    variables = {each.name: each for each in FAMILY.variables}
    with pytest.raises((FormatError, NetworkError)) as caught:
        family_from_plain(plain, variables)
    assert str(caught.value) == message


def test_numbers_cannot_be_written():
    mine = np.array([1.0, 2.0])
    family = ConditionalGaussian((SITE, POWER), np.zeros((2, 0)), mine, [1, 1])
    mine[0] = 5
    assert family.intercept[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        family.sd[0] = 2


def test_equality_is_of_axes_and_numbers():
    assert copy.deepcopy(FAMILY) == pickle.loads(pickle.dumps(FAMILY)) == FAMILY
    assert hash(copy.deepcopy(FAMILY)) == hash(FAMILY)
    for other in (
        ConditionalGaussian((SITE, WIND, POWER), [[2.0], [3.1]], [10, 20], [0.5, 1.5]),
        ConditionalGaussian((SITE, WIND, POWER), [[2.0], [3.0]], [10, 21], [0.5, 1.5]),
        ConditionalGaussian((SITE, WIND, POWER), [[2.0], [3.0]], [10, 20], [0.5, 1.6]),
        ConditionalGaussian((WIND, SITE, POWER), [[2.0], [3.0]], [10, 20], [0.5, 1.5]),
    ):
        assert other != FAMILY


def test_text_shows_a_line_per_configuration():
    assert str(FAMILY) == (
        "Power | Site, Wind ~ conditional Gaussian\n"
        "  Site   Wind  (intercept)  (sd)\n"
        "  hill      2           10   0.5\n"
        "  coast     3           20   1.5"
    )
    assert repr(FAMILY) == "<ConditionalGaussian Power | Site, Wind, 2 regressions>"
    assert str(FAMILY.grid(1)).endswith("  ... and 1 more configuration")


def test_html_is_escaped():
    odd = ConditionalGaussian(
        (Discrete("<i>", ("<b>",)), POWER), np.zeros((1, 0)), np.zeros(1), np.ones(1)
    )
    assert "<b>" not in odd._repr_html_()
    assert "<i>" not in odd._repr_html_()
    assert "&lt;b&gt;" in odd._repr_html_()


def test_a_network_of_both_kinds_goes_through_json(tmp_path):
    site = tc.Table((SITE,), [0.3, 0.7])
    known = tc.Network.of([site, LinearGaussian((WIND,), [], 8, 2), FAMILY])
    tc.write(known, tmp_path / "power.json")
    assert tc.read(tmp_path / "power.json") == known
    with pytest.raises(FormatError) as caught:
        tc.write(tc.Network.of([site, ALONE]), tmp_path / "power.bif")
    assert str(caught.value) == (
        "BIF holds tables only, and Power has a conditional gaussian family\n\n"
        "write a .json file, which holds every family"
    )


def test_what_speaks_of_one_bell_curve_is_refused():
    alone = ConditionalGaussian((POWER,), [], 0.0, 1.0)
    with pytest.raises(NetworkError) as caught:
        tc.divergence(tc.Network.of([alone]), tc.Network.of([alone]))
    assert str(caught.value) == "'Power' has conditional regressions; the joint is no Gaussian"


def moments(shape: tuple[int, ...], cases: int = 20) -> ConditionalMoments:
    random = np.random.default_rng(len(shape))
    at = random.integers(0, np.prod(shape), cases)
    return ConditionalMoments.of(at, shape, random.normal(size=(cases, 2)))


def test_moments_of_another_family_do_not_add():
    with pytest.raises(NetworkError) as caught:
        _ = moments((2,)) + moments((3,))
    assert str(caught.value) == (
        "moments of the shapes (2, 2) and (3, 2) are not of the same family"
    )


def test_what_was_never_counted_cannot_be_taken_away():
    few, many = moments((2,), 4), moments((2,), 40)
    with pytest.raises(tc.CasesError, match=r"^more cases are taken away from a configuration"):
        _ = few - many
    with pytest.raises(tc.CasesError, match=r"^other cases are taken away than were counted"):
        _ = many - 100.0 * ConditionalMoments(few.weights / 100, few.means, few.scatter)


def test_more_regressions_than_can_be_kept():
    random = np.random.default_rng(0)
    cases = {f"D{at}": random.integers(0, 20, 400).astype(str) for at in range(6)}
    with pytest.raises(SizeError) as caught:
        tc.fit(f"{', '.join(cases)} -> Y", {**cases, "Y": random.normal(size=400)})
    assert str(caught.value) == (
        "a regression in each of 64,000,000 configurations of discrete parents needs "
        "128,000,000 numbers, more than can be kept; the most are 10,000,000\n\n"
        "remove parents, or merge states with tc.discretise"
    )
