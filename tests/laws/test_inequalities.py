"""Laws of the closed forms: feasible, optimal by proof and by solver, and never where they fail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive_inequalities as naive
import rules_at_random as draw
from small_blocks import below, blocks
from tacit.estimate.ruled.inequalities import closed

seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def a_block(rng, kind, zeros):
    """Row lengths, rules and counts of one block."""
    if kind == "across":
        rows = int(rng.integers(1, 9))
        return [2] * rows, draw.across(rng, rows), draw.counts(rng, 2 * rows, zeros)
    size = int(rng.integers(3, 12))
    row = draw.a_row(rng, size)
    rules = draw.nested(rng, row) if kind == "nested" else draw.overlapping(rng, row)
    return [size], rules, draw.counts(rng, size, zeros)


def some_blocks(seed, kind, count, zeros=(0.0, 0.0, 0.2, 0.6)):
    rng = np.random.default_rng(seed)
    return [a_block(rng, kind, zeros[k % len(zeros)]) for k in range(count)]


def solved(drawn):
    """Each block that has a closed form: what was drawn, θ, multipliers."""
    all_blocks = blocks(*[(lengths, rules) for lengths, rules, _ in drawn])
    ours = closed(all_blocks)
    weights = np.concatenate([counts for *_, counts in drawn])
    theta, multipliers = ours.solve(weights), ours.multipliers(weights)
    for number in ours.blocks:
        cells = slice(all_blocks.cell_at[number], all_blocks.cell_at[number + 1])
        rules = slice(all_blocks.rule_at[number], all_blocks.rule_at[number + 1])
        yield drawn[number], theta[cells], multipliers[rules]


def assert_optimal(drawn, theta, multipliers):
    """By the KKT conditions: a proof, as the objective is concave and the rules are linear."""
    lengths, rules, counts = drawn
    assert naive.worst_violation(theta, lengths, rules) <= 1e-9, drawn
    if counts.sum() > 0:
        residual = naive.kkt_residual(counts, theta, lengths, rules, multipliers)
        assert residual <= 1e-9, drawn


@pytest.mark.parametrize("kind", ["nested", "across"])
def test_nested_rules_and_chains_of_rows_are_all_taken_and_proved_optimal(kind):
    drawn = some_blocks(11, kind, 1500)
    taken = [assert_optimal(*each) for each in solved(drawn)]
    assert len(taken) == len(drawn)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["nested", "across", "overlapping"])
def test_many_random_blocks_are_proved_optimal(kind, seed):
    for each in solved(some_blocks(100 + seed, kind, 5000)):
        assert_optimal(*each)


def test_overlapping_scopes_are_never_answered_wrongly():
    """What is taken is optimal; most of what overlaps is not taken."""
    drawn = some_blocks(12, "overlapping", 1500)
    taken = [assert_optimal(*each) for each in solved(drawn)]
    assert len(taken) < 0.6 * len(drawn)


def agrees_with_a_solver(drawn, theta):
    lengths, rules, counts = drawn
    best, _ = naive.most_likely(counts, lengths, rules)
    ours = naive.log_likelihood(counts, theta)
    assert naive.worst_violation(theta, lengths, rules) <= 1e-9
    assert ours >= best - 1e-8 * abs(best) - 1e-7
    assert_allclose(ours, best, rtol=1e-6, atol=1e-6)  # the solver itself may miss it by so much


@pytest.mark.parametrize("kind", ["nested", "across", "overlapping"])
def test_a_general_solver_finds_nothing_better(kind):
    for drawn, theta, _ in solved(some_blocks(13, kind, 16, zeros=(0.0, 0.2))):
        agrees_with_a_solver(drawn, theta)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["nested", "across", "overlapping"])
def test_a_general_solver_finds_nothing_better_in_many_blocks(kind):
    for drawn, theta, _ in solved(some_blocks(14, kind, 500, zeros=(0.0, 0.2))):
        agrees_with_a_solver(drawn, theta)


@given(seeds)
def test_rules_that_the_free_optimum_obeys_change_nothing(rng):
    size = int(rng.integers(3, 12))
    counts = draw.counts(rng, size)
    rules = draw.nested(rng, counts / counts.sum())
    ours = closed(blocks(([size], rules)))
    assert_allclose(ours.solve(counts), counts / counts.sum(), rtol=1e-9)
    assert_allclose(ours.multipliers(counts), 0, atol=1e-7 * counts.sum())


@given(seeds)
def test_a_further_rule_never_raises_the_optimum(rng):
    lengths, rules, counts = a_block(rng, rng.choice(["nested", "across"]), 0.1)
    fewer = rules[: int(rng.integers(0, len(rules) + 1))]
    both = blocks((lengths, rules), (lengths, fewer))
    ours = closed(both)
    if ours.blocks.size == 2:
        strict, loose = np.split(ours.solve(np.concatenate([counts, counts])), 2)
        most = naive.log_likelihood(counts, loose)
        assert naive.log_likelihood(counts, strict) <= most + 1e-10 * abs(most)


@given(seeds)
def test_only_shares_of_the_weights_matter(rng):
    lengths, rules, counts = a_block(rng, rng.choice(["nested", "across"]), 0.1)
    ours = closed(blocks((lengths, rules)))
    assert_allclose(ours.solve(1e-6 * counts), ours.solve(counts), rtol=1e-8, atol=1e-12)
    assert_allclose(
        ours.multipliers(1e6 * counts), 1e6 * ours.multipliers(counts), rtol=1e-6, atol=1e-2
    )


def test_blocks_do_not_know_of_each_other():
    drawn = some_blocks(15, "nested", 40) + some_blocks(16, "across", 40)
    together = list(solved(drawn))
    for (one, theta, multipliers), (_, alone, prices) in zip(
        together, (next(solved([each])) for each in drawn), strict=True
    ):
        assert_array_equal(theta, alone, err_msg=str(one))
        assert_array_equal(multipliers, prices)


@given(seeds)
def test_a_multiplier_is_what_loosening_its_rule_brings(rng):
    """Σ N log θ at limit + h, minus at limit, over h; the rules of one row of groups."""
    size = int(rng.integers(3, 9))
    counts = draw.counts(rng, size)
    rules = [
        rule
        for each in draw.parted(rng, range(size))
        for rule in draw.a_bound(rng, each, draw.a_row(rng, size))
        if not rule.equal and rule.factors[0] > 0
    ]
    ours = closed(blocks(([size], rules))) if _room(rules, size) else None
    if ours is None:
        return
    prices, h = ours.multipliers(counts), 1e-6
    before = naive.log_likelihood(counts, ours.solve(counts))
    for k, rule in enumerate(rules):
        looser = [*rules[:k], rule._replace(limit=rule.limit + h), *rules[k + 1 :]]
        after = naive.log_likelihood(counts, closed(blocks(([size], looser))).solve(counts))
        assert_allclose((after - before) / h, prices[k], rtol=1e-2, atol=1e-2)


def _room(rules, size):
    covered = {cell for rule in rules for cell in rule.cells}
    caps = sum(rule.limit / rule.factors[0] for rule in rules)
    return bool(rules) and (len(covered) < size or caps >= 1)


def test_rings_and_forks_do_not_disturb_their_neighbours():
    rng = np.random.default_rng(17)
    drawn = []
    for k in range(600):
        size = int(rng.integers(3, 9))
        tangle = [below([int(a)], [int(b)]) for a, b in rng.integers(0, size, (6, 2)) if a != b]
        row = draw.a_row(rng, size)
        rules = tangle if k % 2 else draw.nested(rng, row)
        drawn.append(([size], rules, draw.counts(rng, size)))
    ours = closed(blocks(*[(lengths, rules) for lengths, rules, _ in drawn]))
    assert set(range(0, 600, 2)) <= set(ours.blocks.tolist())
    for each in solved(drawn):
        assert_optimal(*each)


FORKS = {
    "two below one": [below([0], [2]), below([1], [2])],
    "one below two": [below([0], [1]), below([0], [2])],
    "a ring": [below([0], [1]), below([1], [2]), below([2], [0])],
    "a set against one of its cells' equals": [below([0, 1], [2]), below([1], [3])],
    "halves of a set": [below([0, 1], [2, 3]), below([1, 2], [0])],
    "the same pair twice, not alike": [below([0], [1]), below([0], [1], 2.0)],
}


@pytest.mark.parametrize("name", FORKS)
def test_forks_rings_and_overlaps_are_left_to_the_general_solver(name):
    assert closed(blocks(([5], FORKS[name]))).blocks.size == 0
