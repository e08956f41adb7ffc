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
from naive_gaussian_scores import conditional_score
from tacit.engines.curve_scores import curve_scorer
from tacit.engines.gaussian_scores import gaussian_scorer
from tacit.engines.ideal import ranker_of
from tacit.engines.mixed_scores import mixed_scorer
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


def in_configurations(seed, cases=90):
    """Four continuous columns, and one whose states change how they go together."""
    random = np.random.default_rng(seed)
    group = random.integers(0, 3, cases)
    mixing = random.normal(size=(3, 5, 5))
    values = np.einsum("nij,nj->ni", mixing[group], random.normal(size=(cases, 5)))
    columns = {"G": np.array(list("abc"))[group]} | {f"X{at}": values[:, at] for at in range(5)}
    return tc.read_cases(columns), [values[group == each] for each in range(3)]


@given(seeds)
def test_similarities_add_up_over_the_configurations_of_parents_with_states(seed):
    data, parts = in_configurations(seed % 1000)
    scorer = mixed_scorer(data, tc.BIC())
    child, parents, others = 1, (0, 2, 3), [4, 5]
    expected = {"adding": 0.0, "replacing": 0.0, "gain": 0.0, "swap": 0.0, "removing": 0.0}
    for x in parts:
        before, solution, off = naive.normal_fit(x[:, 0], [x[:, 1], x[:, 2]])
        centred = x - x.mean(axis=0)
        z = centred[:, 3:]
        kept = off + solution[0] * centred[:, 1]
        expected["adding"] += c2(Sums.of(off, z))
        expected["replacing"] += replaced_c2(Sums.of(kept, z), off @ off)
        expected["gain"] += np.array(
            [naive.normal_fit(x[:, 0], [x[:, 1], x[:, 2], x[:, at]])[0] - before for at in (3, 4)]
        )
        swaps = [naive.normal_fit(x[:, 0], [x[:, 2], x[:, at]])[0] - before for at in (3, 4)]
        expected["swap"] += np.array(swaps)
        expected["removing"] += naive.normal_fit(x[:, 0], [x[:, 2]])[0] - before
    for similarity in ("ideal", "current"):
        found = ranker_of(scorer, similarity).foreseen(child, parents)
        assert_allclose(found.adding[others], expected["adding"], atol=1e-7)
        assert_allclose(found.replacing[1][others], expected["replacing"], atol=1e-7)
        assert found.removing[1] == pytest.approx(expected["removing"], abs=1e-7)
        assert found.adding[0] == found.replacing[1][0] == -np.inf
    found = ranker_of(scorer, "exact").foreseen(child, parents)
    assert_allclose(found.adding[others], expected["gain"], atol=1e-7)
    assert_allclose(found.replacing[1][others], expected["swap"], atol=1e-7)
    assert (found.adding[others] >= expected["adding"] - 1e-7).all()


@pytest.mark.parametrize("similarity", ["ideal", "current", "exact"])
def test_prices_and_gains_make_scores_of_both_kinds(similarity):
    data, _ = in_configurations(7)
    scorer = mixed_scorer(data, tc.BIC())
    ranker = ranker_of(scorer, similarity)
    assert ranker.tells(1).tolist() == [False, True, True, True, True, True]
    assert not ranker.tells(0).any()
    for child, parents in ((1, (0,)), (2, ()), (3, (0, 1, 5)), (4, (2,))):
        told = ranker.foreseen(child, parents)
        now = scorer.family(child, parents)
        for at, parent in enumerate(parents):
            less = tuple(each for each in parents if each != parent)
            if parent:
                price = ranker.price(child, parents) - ranker.price(child, parents, -1)
                gain = scorer.family(child, less) - now
                assert told.removing[at] + price == pytest.approx(gain)
        for more in set(range(1, 6)) - {child, *parents}:
            price = ranker.price(child, parents, 1) - ranker.price(child, parents)
            gain = scorer.family(child, tuple(sorted((*parents, more)))) - now
            foreseen = told.adding[more] - price
            assert foreseen == pytest.approx(gain) if told.exact else foreseen <= gain + 1e-9
    assert told.exact == (similarity == "exact")


def test_what_is_foreseen_is_exact_where_configurations_have_few_cases():
    """They take the regression of all cases; one in which a column stands still has no line."""
    data, _ = in_configurations(3)
    group, values = data["G"].copy(), {name: data[name].copy() for name in data.names[1:]}
    group[:] = 0
    group[:2], group[2:40] = 2, 1
    values["X4"][group == 1] = 0.5
    few = tc.Dataset(data.variables, {"G": group, **values})
    codes, columns = np.asarray(group), [values[f"X{at}"] for at in range(5)]

    def likelihood(who):
        return conditional_score(columns[0], [columns[at] for at in who], [codes], [3], 0.0)

    found = ranker_of(mixed_scorer(few, tc.BIC()), "exact").foreseen(1, (0, 2))
    now = likelihood([1])
    for at in (2, 3):
        assert found.adding[at + 1] == pytest.approx(likelihood([1, at]) - now)
        assert found.replacing[1][at + 1] == pytest.approx(likelihood([at]) - now)
    assert found.removing[1] == pytest.approx(likelihood([]) - now)
    assert found.adding[5] == -np.inf
    plain = ranker_of(mixed_scorer(few, tc.BIC()), "ideal").foreseen(1, (0, 2))
    assert plain.adding[5] == -np.inf
    assert np.isfinite(plain.adding[[3, 4]]).all()


def test_a_column_that_is_ideal_in_one_configuration_and_stands_still_in_another_is_no_parent():
    data, _ = in_configurations(4)
    values = np.where(data["G"] == 1, 0.5, data["X0"])
    cases = tc.Dataset(data.variables, {**data.columns, "X3": values})
    for similarity in ("ideal", "current", "exact"):
        found = ranker_of(mixed_scorer(cases, tc.BIC()), similarity).foreseen(1, (0, 2))
        assert found.adding[4] == found.replacing[1][4] == -np.inf
        assert np.isfinite(found.adding[[3, 5]]).all()
