"""Laws of exact posteriors, over random rows, trees and rules."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from small_blocks import Said, at_least, at_most, below, blocks, exactly
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.masses import by_draws
from tacit.knowledge.polytope import relative_interior


def some_rules(rng, rows):
    """Equations and inequalities of all kinds, sensible or not."""
    ends = np.cumsum(rows)
    cells = [list(range(end - size, end)) for end, size in zip(ends, rows, strict=True)]

    def some(most=2):
        row = cells[rng.integers(len(rows))]
        return sorted(rng.choice(row, min(len(row) - 1, rng.integers(1, most + 1)), False).tolist())

    def pair():
        row = cells[rng.integers(len(rows))]
        chosen = rng.permutation(row)[: rng.integers(2, len(row) + 1)].tolist()
        middle = int(rng.integers(1, len(chosen)))
        return chosen[:middle], chosen[middle:]

    equations = [
        lambda: exactly(some(), round(0.5 * rng.random(), 2)),
        lambda: below(*([each[0]] for each in pair()), float(rng.choice([1, 2])), True),
        lambda: below(some(1), some(1), 1.0, True),
    ]
    inequalities = [
        lambda: at_most(some(), round(rng.random(), 2)),
        lambda: at_least(some(), round(0.4 * rng.random(), 2)),
        lambda: below(*pair(), float(rng.choice([0.5, 1.0, 2.0]))),
        lambda: Said(tuple(pair()[0][:1] + some(1)), (0.7, -0.3)),
    ]
    said = [equations[rng.integers(3)]() for _ in range(rng.integers(0, 3))]
    said += [inequalities[rng.integers(4)]() for _ in range(rng.integers(1, 4))]
    return [each for each in said if len(set(each.cells)) == len(each.cells)]


def some_block(seed):
    """A block that is feasible and has an exact posterior; None where the rules are otherwise."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(2, 6, rng.integers(1, 4)).tolist()
    given = blocks((rows, some_rules(rng, rows)))
    inside = relative_interior(given)
    density = Density(rng.gamma(3.0, 1.0, given.cells.size) + 1.0, pooled=bool(rng.random() < 0.5))
    if not inside.feasible.all():
        return None
    found = Exact.of(given, inside, density)
    return (given, inside, density, found) if found.which.all() else None


def check(seed):
    """Means, draws, masses and constants of one random block agree; whether there was one."""
    drawn_block = some_block(seed)
    if drawn_block is None:
        return False
    given, inside, density, found = drawn_block
    mean, sd = found.mean(density), found.sd(density)
    drawn = found.draw(density, np.random.default_rng(seed), 1_000)
    assert_allclose(np.bincount(given.row, mean), 1.0)
    assert max(given.rules.excess(each).max(initial=0) for each in [mean, *drawn[:20]]) < 1e-9
    error = sd / np.sqrt(1_000)
    assert (np.abs(drawn.mean(axis=0) - mean) < 5 * error + 1e-9).all()
    part, draws = by_draws(given, inside, density, Sampling(draws=1_000), seed)
    mass = found.log_mass(density)[0]
    if np.isfinite(mass):  # few draws of a rare event, or few misses of a common one, tell nothing
        true = np.exp(mass)
        spread = np.sqrt(true * (1 - true) / draws[0])
        assert abs(part[0] - true) < 5 * spread + 5 / draws[0]
    return True


def test_random_blocks_agree_with_draws_of_the_same_trees():
    assert sum(check(seed) for seed in range(24)) > 7


@pytest.mark.full
def test_many_random_blocks_agree_with_draws_of_the_same_trees():
    assert sum(check(seed) for seed in range(1_000, 3_000)) > 500


def test_a_further_rule_never_adds_to_the_constant():
    """The feasible set shrinks, and the density stays."""
    alpha = Density(np.array([0.4, 1.2, 2.0, 0.9]))
    rules = [at_most([0, 1], 0.6), below([0], [1]), below([2], [3], 2.0)]
    constants = []
    for count in range(len(rules) + 1):
        given = blocks(([4], rules[:count]))
        constants.append(Exact.of(given, relative_interior(given), alpha).log_constant(alpha)[0])
    assert (np.diff(constants) < 0).all()


def test_new_labels_change_only_labels():
    """The same rules over cells in another order."""
    rng = np.random.default_rng(3)
    order = rng.permutation(5)
    alpha = rng.gamma(2.0, 1.0, 5)
    said = [below([0], [1, 2], 0.7), at_most([3], 0.3)]
    moved = [
        Said(tuple(order[list(each.cells)].tolist()), each.factors, each.limit) for each in said
    ]
    one, other = blocks(([5], said)), blocks(([5], moved))
    placed = np.empty(5)
    placed[order] = alpha
    first = Exact.of(one, relative_interior(one), Density(alpha)).mean(Density(alpha))
    second = Exact.of(other, relative_interior(other), Density(placed)).mean(Density(placed))
    assert_allclose(second[order], first)
