"""Rows whose density is a product over their cells, each between two limits."""

from __future__ import annotations

from itertools import pairwise
from time import process_time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import beta

import naive_separable as naive
from small_blocks import at_least, at_most, below, blocks, exactly, rising
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.sampler import sample
from tacit.estimate.bayes.separable import draws, interval, separable
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.polytope import relative_interior

NONE = np.inf


def row(a, misses=None, centre=None, spread=None):
    """The density of one row."""
    given = [None if each is None else np.asarray(each, float) for each in (misses, centre, spread)]
    return Density(np.asarray(a, dtype=float), *given)


def solved(density, lower=0.0, upper=1.0):
    size = density.alpha.size
    limits = (np.broadcast_to(np.asarray(each, float), size).copy() for each in (lower, upper))
    return separable(np.array([0, size]), density, *limits)


@pytest.mark.parametrize(
    "a",
    [
        [1, 1], [0.1, 0.3], [3, 400], [1, 1, 1], [0.5, 2, 0.3], [0.1] * 4, [5, 0.2, 90, 1],
        [1] * 6, [0.5] * 11, [30] * 11, [1] * 30,
    ],
)  # fmt: skip
def test_without_other_factors_it_is_the_dirichlet(a):
    a = np.array(a, dtype=float)
    found = solved(row(a))
    mean = a / a.sum()
    assert_allclose(found.mean, mean, atol=3e-7)
    assert_allclose(found.sd, np.sqrt(mean * (1 - mean) / (a.sum() + 1)), rtol=1e-4)
    assert_allclose(found.log_constant, gammaln(a).sum() - gammaln(a.sum()), atol=1e-6)


TWO = {
    "misses": (row([3.0, 9.0], [8.0, 2.0]), (0.0, 1.0)),
    "a narrow normal": (row([1.0, 4.0], None, [0.3, 0.69], [0.002, 0.05]), (0.0, 1.0)),
    "all, bounded": (row([3.0, 9.0], [8.0, 2.0], [0.3, 0.6], [0.1, NONE]), (0.2, 0.26)),
    "a narrow interval": (row([1.0, 100.0], [99.0, 1.0]), (0.0095, 0.0105)),
    "a steep density in an interval": (row([900.0, 1.0], [1.0, 900.0]), (0.1, 0.3)),
    "a pole": (row([0.3, 2.0], [1.0, 0.0], [0.2, 0.8], [0.1, 0.1]), (0.0, 0.7)),
}


@pytest.mark.parametrize("name", TWO)
def test_two_states_against_quadrature(name):
    density, (low, high) = TWO[name]
    a, misses = density.alpha, np.zeros(2) if density.misses is None else density.misses
    given = density.centre is not None
    centre = density.centre if given else np.zeros(2)
    spread = density.spread if given else np.full(2, NONE)

    def log(x):
        both = np.stack([x, 1 - x])
        return sum(
            naive.log_factor(both[k], a[k], misses[k], centre[k], spread[k]) for k in range(2)
        )

    power = min(1.0, a[0])  # x = low + t^(1 / power) takes a pole at 0 away
    ends = np.linspace(0, (high - low) ** power, 41)
    top = log(low + (ends[1:-1]) ** (1 / power)).max()

    def integrated(of):
        def f(t):
            x = low + t ** (1 / power)
            turn = t ** (1 / power - 1) / power
            return of(x) * np.exp(log(x) - top) * turn if 0 < x < 1 else 0.0

        return sum(quad(f, one, other, epsabs=0, epsrel=1e-11)[0] for one, other in pairwise(ends))

    whole = integrated(lambda x: 1.0)
    mean = integrated(lambda x: x) / whole
    variance = integrated(lambda x: (x - mean) ** 2) / whole
    found = solved(density, [low, 0], [high, 1])
    assert_allclose(found.mean, [mean, 1 - mean], atol=1e-8)
    assert_allclose(found.sd, np.sqrt(variance), rtol=1e-5)
    assert_allclose(found.log_constant, np.log(whole) + top, atol=1e-6)


MORE = {
    "three with all factors": [
        (4, 10, 0.3, 0.05, 0.0, 1.0), (9, 5, 0.6, NONE, 0.0, 0.7), (1, 20, 0.1, 0.1, 0.01, 1.0),
    ],
    "a spread of two thousandths": [
        (1, 0, 0.21, 0.002, 0.0, 1.0), (3, 7, 0.5, NONE, 0.0, 1.0), (1, 9, 0.3, 0.1, 0.0, 1.0),
        (2, 8, 0.1, 0.003, 0.0, 1.0),
    ],
    "a narrow interval among four": [
        (3, 7, 0, NONE, 0.0095, 0.0105), (4, 6, 0, NONE, 0.0, 1.0), (1, 9, 0, NONE, 0.0, 1.0),
        (6, 4, 0, NONE, 0.0, 1.0),
    ],
    "several caps": [
        (1, 0, 0, NONE, 0.0, 0.4), (1, 0, 0, NONE, 0.1, 0.5), (1, 0, 0, NONE, 0.0, 0.35),
        (1, 0, 0, NONE, 0.0, 1.0),
    ],
    "six": [
        (1, 20, 0.05, 0.02, 0.0, 1.0), (5, 16, 0.2, 0.1, 0.1, 0.3), (2, 19, 0.1, NONE, 0.0, 0.2),
        (8, 13, 0.3, 0.05, 0.0, 1.0), (1, 20, 0.05, NONE, 0.0, 0.05), (4, 17, 0.2, 0.1, 0.0, 1.0),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", MORE)
def test_more_states_against_a_fine_grid(name):
    cells = MORE[name]
    a, misses, centre, spread, low, high = np.array(cells, dtype=float).T
    found = solved(row(a, misses, centre, spread), low, high)
    told = naive.convolved(cells)
    assert_allclose(found.mean, told.mean, atol=2e-6)
    assert_allclose(found.sd, told.sd, rtol=1e-4)
    assert_allclose(found.log_constant, told.log_constant, atol=2e-4)
    assert_allclose(found.mean.sum(), 1.0, atol=1e-8)


def at_random(random, sizes):
    """Many rows with counts of all sizes, normals of all widths and five per cent intervals."""
    at = np.concatenate([[0], np.cumsum(sizes)])
    theta = np.concatenate([random.dirichlet(np.ones(size)) for size in sizes])
    cases = random.choice([0, 1, 5, 20, 100, 1000], len(sizes))
    counts = np.concatenate(
        [random.multinomial(c, theta[i:j]) for c, (i, j) in zip(cases, pairwise(at), strict=True)]
    ).astype(float)
    lower, upper = np.zeros(theta.size), np.ones(theta.size)
    chosen = (at[:-1] + random.integers(0, sizes))[random.random(len(sizes)) < 0.6]
    lower[chosen], upper[chosen] = 0.95 * theta[chosen], np.minimum(1, 1.05 * theta[chosen])
    misses = np.repeat(cases, sizes) - counts
    spread = 0.002 + 0.1 * random.random(theta.size)
    return at, Density(1 + counts, misses, theta, spread), lower, upper


def test_rows_of_all_lengths_together_are_those_one_by_one():
    random = np.random.default_rng(1)
    at, density, lower, upper = at_random(random, random.integers(2, 8, 60))
    whole = separable(at, density, lower, upper)
    for number, (start, end) in enumerate(pairwise(at.tolist())):
        span = np.arange(start, end)
        one = separable(np.array([0, end - start]), density.of(span), lower[span], upper[span])
        assert (one.mean == whole.mean[span]).all()
        assert (one.sd == whole.sd[span]).all()
        assert one.log_constant[0] == whole.log_constant[number]
        assert_allclose(one.mean.sum(), 1, atol=1e-10)  # a table takes no less
    assert (whole.mean >= lower).all()
    assert (whole.mean <= upper).all()


def test_thousands_of_rows_take_little_time():
    random = np.random.default_rng(2)
    given = at_random(random, random.integers(2, 7, 3_000))
    separable(*at_random(random, [2, 3]))  # compiles
    before = process_time()
    found = separable(*given)
    assert process_time() - before < 8.0  # about one second on a machine with nothing else to do
    assert np.isfinite(found.mean).all()


def test_cells_without_a_width_stay_where_they_are():
    density = row([3, 1, 5, 2], [1, 2, 3, 4])
    found = solved(density, [0.2, 0, 0, 0], [0.2, 0, 1, 1])
    assert_allclose(found.mean[:2], [0.2, 0.0], atol=1e-15)
    assert (found.sd[:2] == 0).all()
    cells = [(5, 3, 0, NONE, 0.0, 0.8), (2, 4, 0, NONE, 0.0, 0.8)]

    def log(x):
        return sum(naive.log_factor(v, *c[:4]) for v, c in zip((x, 0.8 - x), cells, strict=True))

    whole = quad(lambda x: np.exp(log(x)), 0, 0.8, epsrel=1e-12)[0]
    mean = quad(lambda x: x * np.exp(log(x)), 0, 0.8, epsrel=1e-12)[0] / whole
    assert_allclose(found.mean[2:], [mean, 0.8 - mean], atol=1e-9)
    assert_allclose(found.log_constant, np.log(whole) + naive.log_factor(0.2, 3, 1, 0, NONE))


def test_limits_that_leave_one_table_leave_that():
    found = solved(row([1, 1, 1], [4, 4, 4]), [0.2, 0.3, 0.5], [1, 1, 1])
    assert_allclose(found.mean, [0.2, 0.3, 0.5])
    found = solved(row([1, 1, 1], [4, 4, 4]), [0.2, 0.3, 0], [0.2, 0.3, 1])
    assert_allclose(found.mean, [0.2, 0.3, 0.5])


def test_a_prior_without_an_integral_is_refused():
    with pytest.raises(ImproperError) as caught:
        solved(row([1, 0, 2], [3, 3, 3]))
    assert caught.value.positions.tolist() == [1]


def test_draws_and_intervals_are_those_of_the_means():
    cells = np.array(MORE["six"], dtype=float)
    a, misses, centre, spread, low, high = cells.T
    density, at = row(a, misses, centre, spread), np.array([0, 6])
    found = solved(density, low, high)
    size = 20_000
    drawn = draws(at, density, (low, high), np.random.default_rng(3), size)
    assert_allclose(drawn.sum(axis=1), 1.0)
    assert ((drawn >= low) & (drawn <= high)).all()
    assert (np.abs(drawn.mean(axis=0) - found.mean) < 4.5 * found.sd / np.sqrt(size)).all()
    assert_allclose(drawn.std(axis=0), found.sd, rtol=4.5 / np.sqrt(size))  # no tail beats a normal
    for bound, tail in zip(interval(at, density, (low, high), 0.9), (0.05, 0.95), strict=True):
        below_it = (drawn <= bound).mean(axis=0)
        assert_allclose(below_it, tail, atol=4.5 * np.sqrt(tail * (1 - tail) / size) + 2e-3)


def test_intervals_of_two_states_are_quantiles_of_betas():
    limits = np.zeros(2), np.ones(2)
    low, high = interval(np.array([0, 2]), row([3, 9], [8, 2]), limits, 0.9)
    assert_allclose([low[0], high[0]], beta(5, 17).ppf([0.05, 0.95]), rtol=1e-4)


BOUNDS = {
    "caps": ([at_most([0], 0.3), at_least([2], 0.1)], True),
    "a zero": ([at_most([0], 0.0), at_most([1, 0], 0.3)], True),
    "all but one": ([at_most([1, 2, 3, 4], 0.9)], True),
    "known": ([exactly([1], 0.2)], True),
    "a sum": ([at_most([0, 1], 0.5)], False),
    "an order": (rising([0, 1]), False),
    "a ratio": ([below([0], [1], 2.0)], False),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_rows_with_bounds_on_single_cells_need_no_sampler(name):
    rules, single = BOUNDS[name]
    given = blocks(([5], rules), ([2], [below([0], [1], 0.5)]))
    inside = relative_interior(given)
    density = row([3, 2, 4, 1, 6, 2, 5], [9, 10, 8, 11, 6, 5, 2], np.full(7, 0.3), np.full(7, 0.2))
    exact = Exact.of(given, inside, density)
    assert exact.which.tolist() == [single, True]
    if not single:
        return
    drawn = sample(given, np.arange(1), density, Sampling(precision=5e-4), 1, inside=inside)
    mean = exact.mean(density)
    error = np.maximum(drawn.error[:5], 1e-9)
    assert (np.abs(mean[:5] - drawn.mean[:5]) < 4.5 * error).all()
    assert_allclose(exact.sd(density)[:5], drawn.sd[:5], rtol=0.05, atol=1e-9)
    assert (mean[5] <= 0.5 * mean[6]).all()
    assert np.isfinite(exact.log_constant(density)).all()
    values = exact.draw(density, np.random.default_rng(1), 50)
    assert_allclose(values[:, :5].sum(axis=1), 1)
