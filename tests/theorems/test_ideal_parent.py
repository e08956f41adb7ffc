"""Ideal parents and their similarities against the theorems as printed and as mended. [HV2 3, P15,
P16, P18]"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_ideal as naive
import tacit as tc
from tacit.engines.curve_scores import curve_scorer
from tacit.engines.gaussian_scores import gaussian_scorer
from tacit.engines.ideal import ranker_of
from tacit.estimate.ideal.profiles import ideal_profile
from tacit.estimate.ideal.similarity import (
    Sums,
    best_coefficient,
    c1,
    c2,
    replaced_c1,
    replaced_c2,
)
from tacit.families.responses import RESPONSES

seeds = st.integers(0, 2**31)


def family(seed, parents=2, cases=40):
    """A child with parents, and candidates that are related to all of them."""
    random = np.random.default_rng(seed)
    mixing = random.normal(size=(parents + 6, parents + 6))
    columns = mixing @ random.normal(size=(parents + 6, cases))
    child, candidates = columns[0], columns[parents + 1 :]
    return child, list(columns[1 : parents + 1]), candidates


def profile(child, parents):
    """The ideal parent of a straight line, as it is computed for any curve, and the variance."""
    _, solution, off = naive.normal_fit(child, parents)
    activation = solution[:-1] @ np.array(parents) if parents else np.zeros_like(child)
    found = ideal_profile(RESPONSES["identity"], child, activation, float(solution[-1]), 1.0)
    assert_allclose(found.left, 0, atol=1e-12)
    return found.scaled, float(np.mean(off**2))


@given(seeds)
def test_the_ideal_parent_of_a_straight_line_is_its_residual(seed):
    child, parents, _ = family(seed)
    assert_allclose(profile(child, parents)[0], naive.normal_fit(child, parents)[2], atol=1e-9)


@given(seeds)
def test_c1_is_the_gain_of_the_coefficient_alone_theorem_7_1_2(seed):
    child, parents, candidates = family(seed)
    ideal, variance = profile(child, parents)
    sums = Sums.of(ideal, candidates.T)
    expected = [naive.gain_of_coefficient(ideal, z, variance) for z in candidates]
    assert_allclose(c1(sums), expected, rtol=1e-6, atol=1e-8)
    cosines = (candidates @ ideal) ** 2 / (np.sum(candidates**2, axis=1) * (ideal @ ideal))
    assert_allclose(c1(sums), len(child) / 2 * cosines)
    assert_allclose(c1(sums, variance), c1(sums))


@given(seeds)
def test_c2_is_the_gain_of_coefficient_and_variance_theorem_7_1_4(seed):
    child, parents, candidates = family(seed)
    ideal, _ = profile(child, parents)
    before, *_ = naive.normal_fit(child, parents)
    sums = Sums.of(ideal, candidates[:2].T)
    expected = [naive.gain_of_coefficient_and_variance(ideal, z, before) for z in candidates[:2]]
    assert_allclose(c2(sums), expected, rtol=1e-5, atol=1e-6)
    slopes, variances = best_coefficient(sums)
    off = ideal - slopes[:, None] * candidates[:2]
    assert_allclose(variances, np.mean(off**2, axis=1))


@given(seeds)
def test_c1_c2_c2_of_the_centred_and_the_true_gain_rise_in_this_order(seed):
    child, parents, candidates = family(seed)
    ideal, _ = profile(child, parents)
    before, *_ = naive.normal_fit(child, parents)
    sums = Sums.of(ideal, candidates.T)
    centred = Sums.of(ideal, (candidates - candidates.mean(axis=1, keepdims=True)).T)
    true = [naive.normal_fit(child, [*parents, z])[0] - before for z in candidates]
    slack = 1e-9
    assert (c1(sums) <= c2(sums) + slack).all()
    assert (c2(sums) <= c2(centred) + slack).all()
    assert (c2(centred) <= np.array(true) + slack).all()
    left = np.array([naive.normal_fit(z, parents)[2] for z in candidates])
    assert_allclose(c2(Sums.of(ideal, left.T)), true, atol=1e-8)
    assert (np.argsort(c1(sums)) == np.argsort(c2(sums))).all()


@given(seeds, st.floats(0.01, 100), st.sampled_from([-1.0, 1.0]))
def test_the_scale_of_a_candidate_is_irrelevant_and_the_ideal_itself_is_the_best(seed, scale, sign):
    child, parents, candidates = family(seed)
    ideal, _ = profile(child, parents)
    plain, scaled = Sums.of(ideal, candidates.T), Sums.of(ideal, sign * scale * candidates.T)
    assert_allclose(c1(plain), c1(scaled))
    assert_allclose(c2(plain), c2(scaled))
    own = Sums.of(ideal, scale * ideal[:, None])
    assert c1(own)[0] == pytest.approx(len(child) / 2)
    assert c2(own)[0] > c2(plain).max()
    assert Sums.of(ideal, 0 * candidates.T).likeness.tolist() == [0.0] * len(candidates)


@given(seeds)
def test_a_replacement_with_its_correction_is_exact_where_all_else_is_frozen(seed):
    child, parents, candidates = family(seed)
    before, solution, off = naive.normal_fit(child, parents)
    kept = child - solution[-1] - solution[1] * parents[1]
    sums, residual = Sums.of(kept, candidates.T), float(off @ off)
    variance = residual / len(child)
    frozen = [naive.gain_of_coefficient(kept, z, variance) for z in candidates]
    shift = naive.log_likelihood(kept, variance) - naive.log_likelihood(off, variance)
    assert_allclose(replaced_c1(sums, residual, variance), np.array(frozen) + shift, atol=1e-6)
    slopes = candidates @ kept / np.sum(candidates**2, axis=1)
    exact = [naive.at_best_variance(kept - a * z) for a, z in zip(slopes, candidates, strict=True)]
    found = replaced_c2(sums, residual)
    assert_allclose(found, np.array(exact) - before, atol=1e-8)
    true = [naive.normal_fit(child, [parents[1], z])[0] - before for z in candidates]
    assert (found <= np.array(true) + 1e-9).all()


@given(seeds, st.sampled_from(["sigmoid", "softplus"]))
def test_the_ideal_parent_makes_every_case_exact_inside_the_image(seed, name):
    random = np.random.default_rng(seed)
    response, activation = RESPONSES[name], random.normal(size=30)
    missing = random.normal(size=30)
    base, rise = random.normal(), random.uniform(0.5, 3)
    child = base + rise * response.value(activation + missing)
    found = ideal_profile(response, child, activation, base, rise)
    inside = np.abs(found.left) < 1e-12
    assert_allclose(found.ideal[inside], missing[inside], atol=1e-6)
    left = child - base - rise * response.value(activation + found.ideal)
    assert_allclose(found.left, left, atol=1e-12)
    assert inside.sum() >= 10
    step = 1e-6
    run = response.value(activation + found.ideal + step)
    run -= response.value(activation + found.ideal - step)
    assert_allclose(found.slope, rise * run / (2 * step), atol=1e-6)


def drawn(seed, cases=60, columns=6):
    random = np.random.default_rng(seed)
    values = random.normal(size=(columns, columns)) @ random.normal(size=(columns, cases))
    return tc.read_cases({f"X{at}": column for at, column in enumerate(values)})


def straight(data):
    """The scorer of curves whose response is the identity: straight lines by another way."""

    class Straight(tc.SigmoidGaussian):
        response = RESPONSES["identity"]

    return curve_scorer(data, tc.BIC(), dict.fromkeys(data.names, Straight))


@pytest.mark.parametrize("similarity", ["ideal", "current", "exact"])
def test_curves_rank_as_straight_lines_do_where_the_response_is_the_identity(similarity):
    data = drawn(3)
    lines = ranker_of(gaussian_scorer(data, tc.BIC()), similarity)
    curves = ranker_of(straight(data), similarity)
    for child, parents in ((0, (1, 2)), (3, (1,)), (5, (0, 2, 4))):
        others = [at for at in range(6) if at not in (child, *parents)]
        found = curves.foreseen(child, parents).adding[others]
        assert_allclose(found, lines.foreseen(child, parents).adding[others], rtol=1e-4, atol=1e-5)
        found = curves.foreseen(child, parents).replacing[0][others]
        expected = lines.foreseen(child, parents).replacing[0][others]
        assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@given(seeds)
def test_ranks_of_straight_lines_are_the_similarities_of_the_columns(seed):
    data = drawn(seed % 1000)
    columns = [np.asarray(data[name]) for name in data.names]
    scorer = gaussian_scorer(data, tc.BIC())
    child, parents = columns[0], [columns[1], columns[2]]
    before, solution, off = naive.normal_fit(child, parents)
    centred = np.array([z - z.mean() for z in columns[3:]])
    found = ranker_of(scorer, "ideal").foreseen(0, (1, 2)).adding[3:]
    assert_allclose(found, c2(Sums.of(off, centred.T)), atol=1e-8)
    kept = child - child.mean() - solution[1] * (columns[2] - columns[2].mean())
    found = ranker_of(scorer, "ideal").foreseen(0, (1, 2)).replacing[0][3:]
    assert_allclose(found, replaced_c2(Sums.of(kept, centred.T), off @ off), atol=1e-8)
    gains = [naive.normal_fit(child, [*parents, z])[0] - before for z in columns[3:]]
    exact = ranker_of(scorer, "exact").foreseen(0, (1, 2))
    assert_allclose(exact.adding[3:], gains, atol=1e-8)
    gains = [naive.normal_fit(child, [columns[2], z])[0] - before for z in columns[3:]]
    assert_allclose(
        ranker_of(scorer, "exact").foreseen(0, (1, 2)).replacing[0][3:], gains, atol=1e-8
    )
