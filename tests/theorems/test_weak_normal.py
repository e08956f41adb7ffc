"""The prior of regressions worth one case, against its definition, and what fits make of it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, optimize, stats

import tacit as tc
from tacit.estimate.continuous.prior import Pseudo

RANDOM = np.random.default_rng(8)
P = RANDOM.normal(30, 4, 14)
Q = RANDOM.normal(-2, 0.1, 14) + 0.02 * P
C = 0.7 * P - 9 * Q + RANDOM.normal(0, 2, 14)
K = np.array(["l", "l", "m", "l", "m", "m", "l", "m", "l", "l", "m", "l", "m", "l"])
CASES = {"P": P, "Q": Q, "C": C}
MIXED = {**CASES, "K": K}


def fitted(structure, cases, strength=1.0, spread=1.0, **wishes):
    return tc.fit(structure, cases, prior=[tc.BDeu(1), tc.WeakNormal(strength, spread)], **wishes)


def prior_part(numbers, strength, parents, child):
    """-(strength/2) log sd² - (squares of `strength` average cases) / 2 sd², spelled out."""
    *slopes, level, log_variance = numbers
    squares = child.var() + sum(
        slope**2 * each.var() for slope, each in zip(slopes, parents, strict=True)
    )
    off = child.mean() - level - sum(b * p.mean() for b, p in zip(slopes, parents, strict=True))
    return -0.5 * strength * (log_variance + (squares + off**2) / np.exp(log_variance))


def objective(numbers, strength, parents, child, everyone=None):
    """Log-likelihood and prior; `everyone`: the columns that the prior takes its moments from."""
    *slopes, level, log_variance = numbers
    mean = level + sum(b * p for b, p in zip(slopes, parents, strict=True))
    likelihood = stats.norm.logpdf(child, mean, np.exp(log_variance / 2)).sum()
    parents_, child_ = (parents, child) if everyone is None else everyone
    return likelihood + prior_part(numbers, strength, parents_, child_)


def numbers_of(family):
    return np.array([*family.coefficients, family.intercept, 2 * np.log(family.sd)])


@pytest.mark.parametrize("strength", [0.25, 1.0, 6.0])
def test_the_fit_is_the_top_of_the_objective(strength):
    fit = fitted("P, Q -> C", CASES, strength)
    ours = numbers_of(fit.network["C"])
    top = objective(ours, strength, [P, Q], C)
    begin = np.array([0.0, 0.0, C.mean(), np.log(C.var())])
    scale = np.array([1 / P.std(), 1 / Q.std(), 1.0, 1.0])
    found = optimize.minimize(
        lambda z: -objective(begin + z * scale, strength, [P, Q], C), np.zeros(4), method="BFGS",
        options={"gtol": 1e-9},
    )  # fmt: skip
    assert_allclose(-found.fun, top, rtol=1e-10)
    assert_allclose((begin + found.x * scale), ours, rtol=1e-4)
    alone = sum(
        objective(numbers_of(fit.network[name]), strength, [], column)
        for name, column in (("P", P), ("Q", Q))
    )
    assert_allclose(fit.objective, top + alone)


@pytest.mark.parametrize("strength", [0.5, 1.0, 3.0])
def test_it_is_as_many_cases_more_in_weighted_least_squares(strength):
    """Two points along every axis, at the mean, with the columns' variances and no correlation."""
    columns = np.stack([P, Q, C], axis=1)
    ends = np.sqrt(3) * np.diag(columns.std(axis=0))
    cloud = columns.mean(axis=0) + np.concatenate([ends, -ends])
    weights = np.concatenate([np.ones(14), np.full(6, strength / 6)])
    every = np.concatenate([columns, cloud])
    design = np.column_stack([every[:, :2], np.ones(20)])
    root = np.sqrt(weights)
    solved = np.linalg.lstsq(design * root[:, None], every[:, 2] * root, rcond=None)[0]
    family = fitted("P, Q -> C", CASES, strength).network["C"]
    assert_allclose([*family.coefficients, family.intercept], solved, rtol=1e-9)
    left = weights @ (every[:, 2] - design @ solved) ** 2
    assert_allclose(family.sd**2, left / (14 + strength))


def test_smoothed_is_the_mean_of_the_posterior():
    for cases in (CASES, MIXED):
        structure = "K, P, Q -> C" if "K" in cases else "P, Q -> C"
        smoothed = fitted(structure, cases, 2.0).network["C"]
        mean = fitted(structure, cases, 2.0, estimate=tc.PosteriorMean()).network["C"]
        assert_allclose(smoothed.coefficients, mean.coefficients)
        assert_allclose(smoothed.sd, mean.sd)


def test_the_mean_of_mean_and_variance_agrees_with_an_integral():
    mean, log_v, density = grid_of(C, 1.5)
    total = over(density, mean, log_v)
    family = fitted("C", {"C": C}, 1.5).network["C"]
    assert_allclose(over(density * mean, mean, log_v) / total, family.intercept, rtol=1e-5)
    assert_allclose(over(density * np.exp(log_v), mean, log_v) / total, family.sd**2, rtol=1e-5)


def grid_of(column, strength):
    """The joint density of mean, log variance and cases on a grid, prior and all: strength + 2
    degrees of freedom, so that the mean of the variance is that of the column."""
    middle, spread, freedom = column.mean(), column.std(), strength + 2
    mean, log_v = np.meshgrid(
        middle + spread * np.linspace(-5, 5, 801),
        2 * np.log(spread) + np.linspace(-4, 7, 901),
        indexing="ij",
    )
    v = np.exp(log_v)
    logs = stats.norm.logpdf(mean, middle, np.sqrt(v / strength)) + log_v
    logs += stats.invgamma.logpdf(v, freedom / 2, scale=strength * spread**2 / 2)
    logs += sum(stats.norm.logpdf(case, mean, np.sqrt(v)) for case in column)
    return mean, log_v, np.exp(logs)


def over(density, mean, log_v):
    return integrate.trapezoid(integrate.trapezoid(density, log_v[0], axis=1), mean[:, 0])


def test_the_mean_of_the_variance_before_any_case_is_that_of_the_column():
    pseudo = fitted("C", {"C": C}, 1.0).normal["C"]
    own = stats.invgamma(pseudo.freedom / 2, scale=pseudo.moments.scatter[0, 0] / 2)
    assert_allclose(own.mean(), C.var())


@pytest.mark.parametrize("strength", [1.0, 2.5])
def test_intervals_and_marginal_likelihood_are_those_of_the_posterior(strength):
    mean, log_v, density = grid_of(C, strength)
    fit = fitted("C", {"C": C}, strength)
    whole = over(density, mean, log_v)
    assert_allclose(fit.log_marginal_likelihood, np.log(whole), rtol=1e-6)
    interval = fit.intervals["C"]
    marginals = (
        (mean[:, 0], integrate.trapezoid(density, log_v[0], axis=1)),
        (np.exp(log_v[0] / 2), integrate.trapezoid(density, mean[:, 0], axis=0)),
    )
    for at, (values, heights) in enumerate(marginals):
        across = values if at == 0 else log_v[0]
        below = integrate.cumulative_trapezoid(heights, across, initial=0) / whole
        for share, end in ((0.025, interval.lower[at]), (0.975, interval.upper[at])):
            assert_allclose(np.interp(end, values, below), share, atol=1e-4)


def test_the_interval_of_a_coefficient_is_an_integral_over_the_variance():
    """Given the variance a coefficient is normal: least squares with the prior's cases."""
    strength = 1.0
    fit = fitted("P, Q -> C", CASES)
    columns = np.stack([P, Q, C], axis=1)
    away = columns - columns.mean(axis=0)
    inner = away[:, :2].T @ away[:, :2] + strength * np.diag(columns.var(axis=0)[:2])
    slopes = np.linalg.solve(inner, away[:, :2].T @ away[:, 2])
    left = away[:, 2] @ away[:, 2] + strength * C.var() - slopes @ inner @ slopes
    variance = stats.invgamma((strength + 2 + 14) / 2, scale=left / 2)
    spread = np.sqrt(np.linalg.inv(inner)[0, 0])
    interval = fit.intervals["C"]
    for share, end in ((0.025, interval.lower[0]), (0.975, interval.upper[0])):
        below, _ = integrate.quad(
            lambda v, end=end: variance.pdf(v) * stats.norm.cdf(end, slopes[0], spread * v**0.5),
            variance.ppf(1e-12), variance.ppf(1 - 1e-12),
        )  # fmt: skip
        assert_allclose(below, share, atol=1e-6)


def regression_logs(parents, child, everyone, strength=1.0):
    """log P(child given parents), the multivariate t that is left of a normal with an inverse gamma
    variance."""
    design = np.column_stack([*parents, np.ones(len(child))])
    *above, own = everyone
    middle = np.array([*(each.mean() for each in above), 1.0])
    precision = strength * (np.outer(middle, middle) + np.diag([*(e.var() for e in above), 0.0]))
    spread = np.eye(len(child)) + design @ np.linalg.inv(precision) @ design.T
    freedom, squares = strength + 2, strength * own.var()
    return stats.multivariate_t.logpdf(
        child, np.full(len(child), own.mean()), squares / freedom * spread, freedom
    )


def test_the_log_marginal_likelihood_is_that_of_multivariate_t():
    fit = fitted("P, Q -> C", CASES)
    told = (
        regression_logs([], P, [P])
        + regression_logs([], Q, [Q])
        + regression_logs([P, Q], C, [P, Q, C])
    )
    assert_allclose(fit.log_marginal_likelihood, told)
    mixed = fitted("K, P -> C; Q", MIXED)
    parts = [regression_logs([P[s == K]], C[s == K], [P, C]) for s in ("l", "m")]
    alone = regression_logs([], P, [P]) + regression_logs([], Q, [Q])
    tables = tc.fit("K", {"K": K}).log_marginal_likelihood
    assert_allclose(mixed.log_marginal_likelihood, sum(parts) + alone + tables)


def test_rules_about_tables_leave_the_marginal_likelihood_of_regressions_beside_it():
    tables = tc.fit("K", MIXED, knowledge="P(K=l) = 0.5").log_marginal_likelihood
    told = fitted("K, P -> C", MIXED, knowledge="P(K=l) = 0.5").log_marginal_likelihood
    parts = [regression_logs([P[s == K]], C[s == K], [P, C]) for s in ("l", "m")]
    assert_allclose(told, tables + regression_logs([], P, [P]) + sum(parts))
    spoken = fitted("K, P -> C", MIXED, knowledge="coefficient(C, P) >= 0")
    assert spoken.log_marginal_likelihood is None


def test_map_is_the_top_of_the_density_of_coefficients_intercept_and_variance():
    fit = fitted("P, Q -> C", CASES, 1.5, estimate=tc.MAP())
    family = fit.network["C"]

    def log_density(numbers):
        slopes, level, v = numbers[:2], numbers[2], numbers[3]
        away = np.array([*slopes, level + slopes @ [P.mean(), Q.mean()] - C.mean()])
        spread = np.sqrt(v / 1.5) / np.array([P.std(), Q.std(), 1.0])
        prior = stats.norm.logpdf(away, 0, spread).sum()
        prior += stats.invgamma.logpdf(v, 3.5 / 2, scale=1.5 * C.var() / 2)
        mean = slopes[0] * P + slopes[1] * Q + level
        return prior + stats.norm.logpdf(C, mean, np.sqrt(v)).sum()

    best = np.array([*family.coefficients, family.intercept, family.sd**2])
    top = log_density(best)
    for at in range(4):
        for factor in (0.999, 1.001):
            other = best.copy()
            other[at] *= factor
            assert log_density(other) < top


def test_strength_0_is_no_prior():
    for structure, cases in (("P, Q -> C", CASES), ("K, P -> C; Q", MIXED)):
        none, most = fitted(structure, cases, 0), tc.fit(structure, cases, estimate=tc.ML())
        for name in "PQC":
            here, there = none.network[name], most.network[name]
            assert_allclose(here.coefficients, there.coefficients)
            assert_allclose(here.sd, there.sd)
            assert_allclose(none.intervals[name].lower, most.intervals[name].lower)
        assert none.log_marginal_likelihood is None
        assert none.normal == {}
        assert none.settings["normal_prior"] == "WeakNormal(0, spread=1)"


def test_it_is_the_prior_where_none_is_given_and_never_under_maximum_likelihood():
    usual, said = tc.fit("K, P -> C", MIXED), fitted("K, P -> C", MIXED, spread=0.01)
    assert_allclose(usual.network["C"].coefficients, said.network["C"].coefficients)
    assert usual.settings == said.settings
    assert usual.settings["normal_prior"] == "WeakNormal()"
    assert "Smoothed() with prior BDeu(1) and WeakNormal()" in str(usual)
    most = tc.fit("P -> C", MIXED, estimate=tc.ML())
    assert "normal_prior" not in most.settings
    slope, level = np.polyfit(P, C, 1)
    assert_allclose([*most.network["C"].coefficients, most.network["C"].intercept], [slope, level])
    assert "normal_prior" not in tc.fit("K", MIXED).settings


def test_units_change_nothing():
    turned = {**MIXED, "P": 1e6 * P + 5e7, "C": 0.001 * C - 3}
    for cases, other in ((MIXED, turned), (with_gaps(MIXED), with_gaps(turned))):
        one, two = (
            fitted("K, P, Q -> C", each, method=tc.EM(tolerance=1e-12)) for each in (cases, other)
        )
        here, there = one.network["C"], two.network["C"]
        assert_allclose(there.sd, 0.001 * here.sd, rtol=1e-6)
        assert_allclose(there.coefficients[:, 0], 1e-9 * here.coefficients[:, 0], rtol=1e-5)
        assert_allclose(there.coefficients[:, 1], 1e-3 * here.coefficients[:, 1], rtol=1e-5)


def with_gaps(cases):
    gappy = {name: list(column) for name, column in cases.items()}
    gappy["C"][3] = gappy["P"][5] = gappy["P"][8] = gappy["Q"][0] = None
    if "K" in gappy:
        gappy["K"][1] = gappy["K"][2] = None
    return tc.read_cases(gappy, continuous=[each for each in "PQC" if each in gappy])


@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("strength", [0.3, 1.0])
def test_em_never_lowers_log_likelihood_and_prior(accelerate, strength):
    data = with_gaps(CASES)
    method = tc.EM(accelerate=accelerate, tolerance=1e-10)
    fit = fitted("P, Q -> C", data, strength, method=method)
    assert min(np.diff(fit.trace)) >= -1e-9 * abs(fit.objective)
    seen = {
        name: column[~np.isnan(column)]
        for name, column in zip("PQC", columns_of(data), strict=True)
    }
    told = tc.log_likelihood(fit.network, data)
    for name, parents in (("P", []), ("Q", []), ("C", ["P", "Q"])):
        numbers = numbers_of(fit.network[name])
        told += prior_part(numbers, strength, [seen[each] for each in parents], seen[name])
    assert_allclose(float(told), fit.objective)


def columns_of(data):
    return [np.asarray(data[name], float) for name in "PQC"]


def test_complete_cases_are_a_fit_of_em_too():
    counted = fitted("K, P, Q -> C", MIXED).network["C"]
    cases = {name: [*column, column[0]] for name, column in MIXED.items()}
    cases["K"][-1] = None  # weighs next to nothing
    data = tc.read_cases(cases, continuous=list("PQC")).with_weights([*np.ones(14), 1e-9])
    led = fitted("K, P, Q -> C", data).network["C"]
    assert_allclose(led.coefficients, counted.coefficients, rtol=1e-6)
    assert_allclose(led.sd, counted.sd, rtol=1e-6)


def test_statistics_that_were_counted_before_have_the_same_prior():
    data = tc.read_cases(MIXED)
    counted = tc.Statistics("K, P, Q -> C")
    counted = counted.update(data.take(np.arange(5)))
    counted = counted.update(data.take(np.arange(5, 14)))
    one, two = fitted("K, P, Q -> C", counted), fitted("K, P, Q -> C", data)
    assert_allclose(one.network["C"].sd, two.network["C"].sd)
    assert_allclose(one.log_marginal_likelihood, two.log_marginal_likelihood)


def test_a_configuration_without_cases_has_the_mean_and_the_variance_of_the_column():
    declared = {
        "K": tc.Discrete("K", ("l", "m", "n")),
        **{each: tc.Continuous(each) for each in "PQC"},
    }
    data = tc.read_cases(MIXED, like=declared)
    family = fitted("K, P -> C; Q", data).network["C"]
    assert_allclose(family.coefficients[2], 0, atol=1e-12)
    assert_allclose([family.intercept[2], family.sd[2]], [C.mean(), C.std()])


def test_rules_hold_beside_it():
    """Two equal coefficients: one abstracted parent, in the cases and in those of the prior."""
    fit = fitted("P, Q -> C", CASES, knowledge="coefficient(C, P) = coefficient(C, Q)")

    def worth(numbers):
        return objective(np.array([numbers[0], *numbers]), 1.0, [P, Q], C)

    begin = np.array([0.0, C.mean(), np.log(C.var())])
    exact = {"xatol": 1e-9, "fatol": 1e-12, "maxfev": 20_000}
    found = optimize.minimize(lambda n: -worth(n), begin, method="Nelder-Mead", options=exact)
    ours = numbers_of(fit.network["C"])
    assert_allclose(ours[0], ours[1])
    assert_allclose(objective(ours, 1.0, [P, Q], C), -found.fun, rtol=1e-8)


def test_saved_priors_say_what_smoothed_adds_and_older_ones_their_freedom(tmp_path):
    fit = fitted("P, Q -> C", CASES, 2.0)
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json").normal["C"]
    assert (again.added, again.freedom) == (2.0, 4.0)
    older = {key: value for key, value in again.to_plain().items() if key != "added"}
    assert Pseudo.from_plain(older).weight(tc.Smoothed()) == 4.0
    assert Pseudo.from_plain(older).weight(tc.PosteriorMean()) == 2.0


# --- as weak as it is unless told ----------------------------------------------------------------


def test_where_there_is_noise_it_says_next_to_nothing():
    """Least squares to a ten-thousandth of a standard error, the variance as of one case more, and
    the intervals of least squares."""
    weak, most = tc.fit("P, Q -> C", CASES), tc.fit("P, Q -> C", CASES, estimate=tc.ML())
    ours, theirs = weak.network["C"], most.network["C"]
    wide = most.intervals["C"].upper - most.intervals["C"].lower
    assert (np.abs(ours.coefficients - theirs.coefficients) < 1e-3 * wide[:2]).all()
    assert_allclose(ours.sd**2 * 15, theirs.sd**2 * 14, rtol=1e-3)
    assert_allclose(weak.intervals["C"].lower, most.intervals["C"].lower)
    assert weak.log_marginal_likelihood is None


def test_a_configuration_with_few_cases_takes_the_regression_of_all():
    """Two cases lie on some line; their own noise would be next to nothing."""
    ward = np.array(["rare"] * 2 + ["common"] * 12)
    fit = tc.fit("K, P -> C", {"K": ward, "P": P, "C": C})
    family, every = fit.network["C"], tc.fit("P -> C", CASES).network["C"]
    rare = family.variables[0].states.index("rare")
    assert_allclose(family.coefficients[rare], every.coefficients)
    assert_allclose(family.sd[rare], every.sd)
    assert np.isnan(fit.intervals["C"].lower[rare]).all()
    assert any("takes that of all cases" in note for note in fit.notes)


@pytest.mark.parametrize("gaps", [False, True])
def test_equal_values_have_an_answer_and_a_note(gaps):
    ward = np.array(["still"] * 6 + ["other"] * 8)
    value = np.where(ward == "still", 3.0, C)
    cases = {
        "K": ward,
        "C": value,
        "P": [None if gaps and at == 9 else p for at, p in enumerate(P)],
    }
    fit = tc.fit("K -> C; K -> P", cases, seed=1)
    sds = fit.network["C"].sd[list(fit.network["C"].variables[0].states).index("still")]
    at = fit.network["C"].variables[0].states.index("still")
    near = np.square(0.01) * (
        value.var() + np.square(value.mean() - fit.network["C"].intercept[at])
    )
    assert_allclose(sds**2, near / 7, rtol=1e-3)
    assert any("the prior alone keeps its noise" in note for note in fit.notes)
    assert (fit.intervals["C"].upper[at, -1] > 0).all()


def test_cases_held_out_are_no_less_likely_than_under_maximum_likelihood():
    """Groups far apart with little noise: a prior as wide as the columns would drown it."""
    random = np.random.default_rng(3)
    group = random.integers(0, 4, 120)
    cases = {"K": group.astype(str), "X": 100.0 * group + random.normal(0, 1, 120)}
    scores = [
        tc.cross_validate("K -> X", cases, folds=4, seed=1, progress=False, **wishes).average
        for wishes in (
            {}, {"estimate": tc.ML()}, {"prior": [tc.BDeu(1), tc.WeakNormal(1, spread=1)]},
        )
    ]  # fmt: skip
    assert scores[0] > scores[1] - 0.05
    assert scores[2] < scores[0] - 0.5
