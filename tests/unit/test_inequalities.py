"""Which rules have closed forms, and what they do with zeros and ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive_inequalities as naive
from small_blocks import Said, at_least, at_most, below, blocks, exactly, rising
from tacit.core.errors import EstimateError
from tacit.estimate.ruled.inequalities import closed
from tacit.kernels.clip import clip
from tacit.kernels.pooling import pool
from tacit.knowledge.blocks import Aligned

seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def one(counts, rules, lengths=None):
    """The single block of these rules, solved."""
    given = closed(blocks((lengths or [len(counts)], rules)))
    assert_array_equal(given.blocks, [0])
    return given.solved(np.asarray(counts, dtype=float))


# the table of edge cases, inequality constraints 2.6, row by row


def test_a_larger_set_without_counts_gets_half_of_the_pair_split_evenly():
    solved = one([6, 2, 0, 0, 2], [below([0, 1], [2, 3])])
    assert_allclose(solved.theta, [0.3, 0.1, 0.2, 0.2, 0.2], rtol=1e-15)
    assert solved.non_unique[0]


def test_a_single_cell_without_counts_leaves_no_choice():
    solved = one([8, 0, 2], [below([0], [1])])
    assert_allclose(solved.theta, [0.4, 0.4, 0.2], rtol=1e-15)
    assert not solved.non_unique[0]


def test_a_pair_without_counts_has_no_mass():
    solved = one([0, 0, 4, 6], [below([0], [1])])
    assert_allclose(solved.theta, [0, 0, 0.4, 0.6])
    assert solved.zero[0]
    assert not solved.non_unique[0]


def test_a_cell_without_counts_in_a_set_with_counts_is_zero():
    solved = one([5, 0, 5], [at_most([0, 1], 0.4)])
    assert_allclose(solved.theta, [0.4, 0, 0.6])
    assert solved.zero[0]
    assert not solved.non_unique[0]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([at_most([0], 0.1)], [0.1, 0.3, 0.3, 0.3]),
        ([below([0, 1, 2], [3])], [1 / 6, 1 / 6, 1 / 6, 0.5]),
        ([at_least([0, 1], 0.8)], [0.4, 0.4, 0.1, 0.1]),
        ([exactly([0], 0.7), below([1, 2], [3])], [0.7, 0.075, 0.075, 0.15]),
    ],
)
def test_a_row_without_counts_is_solved_as_if_each_cell_had_been_seen_once(rules, expected):
    solved = one([0, 0, 0, 0], rules)
    assert_allclose(solved.theta, expected, rtol=1e-14)
    assert_allclose(solved.theta, one([1, 1, 1, 1], rules).theta, rtol=1e-14)
    assert solved.non_unique[0]


@pytest.mark.parametrize(
    ("counts", "caps", "expected", "flat"),
    [
        ([10, 0], [0.6, 0.5], [0.6, 0.4], False),
        ([10, 0, 0], [0.6, 0.1, 0.5], [0.6, 0.1, 0.3], True),
        ([10, 0, 0], [0.6, 0.9, 0.9], [0.6, 0.2, 0.2], True),
        ([10, 0, 0], [0.6, 0.2, 0.2], [0.6, 0.2, 0.2], False),
    ],
)
def test_what_caps_leave_over_goes_to_sets_without_counts(counts, caps, expected, flat):
    solved = one(counts, [at_most([k], cap) for k, cap in enumerate(caps)])
    assert_allclose(solved.theta, expected, rtol=1e-15)
    assert solved.non_unique[0] == flat


def test_what_is_left_over_is_divided_by_the_sizes_of_the_sets():
    solved = one([10, 0, 0, 0], [at_most([0], 0.4), at_most([1, 2], 0.9), at_most([3], 0.9)])
    assert_allclose(solved.theta, [0.4, 0.2, 0.2, 0.2], rtol=1e-15)
    assert solved.non_unique[0]


def test_a_tight_set_without_counts_is_split_evenly():
    solved = one([7, 3, 0, 0], [at_most([0], 0.5), at_most([1], 0.2), at_most([2, 3], 0.3)])
    assert_allclose(solved.theta, [0.5, 0.2, 0.15, 0.15], rtol=1e-14)
    assert solved.non_unique[0]


@pytest.mark.parametrize("off", [0.0, 5e-13, -5e-13])
def test_caps_that_add_up_to_one_within_rounding_are_all_reached(off):
    caps = [0.2, 0.3, 0.5 + off]
    solved = one([8, 1, 1], [at_most([k], cap) for k, cap in enumerate(caps)])
    assert_allclose(solved.theta, [0.2, 0.3, 0.5], atol=1e-12)


@pytest.mark.parametrize(
    "rules",
    [
        [at_most([0], 0.4), at_most([1], 0.3), at_most([2], 0.2)],
        [at_least([0], 0.6), at_least([1], 0.5)],
        [at_least([0], 0.6), at_most([0], 0.5)],
        [exactly([0, 1, 2], 0.9)],
    ],
)
def test_bounds_that_leave_no_room_never_get_an_answer(rules):
    with pytest.raises(AssertionError):
        closed(blocks(([3], rules)))


@pytest.mark.parametrize(
    ("counts", "lengths", "rules", "positions"),
    [
        ([3, 4, 5], [3], [at_most([1], 0.0)], [1]),
        ([3, 4, 5], [3], [exactly([0, 2], 0.0)], [0, 2]),
        ([3, 4, 5], [3], [at_least([1], 1.0)], [0, 2]),
        ([3, 4, 0, 9], [2, 2], [below([1], [3]), at_most([3], 0.0)], [1, 3]),
        ([3, 4], [2], [at_least([1], 1.0)], [0]),
    ],
)
def test_cells_held_at_zero_that_were_seen_are_an_error(counts, lengths, rules, positions):
    with pytest.raises(EstimateError) as caught:
        one(counts, rules, lengths)
    assert_array_equal(caught.value.positions, positions)


def test_cells_held_at_zero_that_were_not_seen_are_zero():
    solved = one([3, 0, 5], [at_most([1], 0.0)])
    assert_allclose(solved.theta, [0.375, 0, 0.625])
    assert solved.zero[0]


def test_weights_too_small_for_a_quotient_are_no_contradiction():
    solved = one([5e-324, 4, 8], [at_most([2], 0.5)])
    assert_allclose(solved.theta, [0, 0.5, 0.5])
    chain = one([5e-324, 30, 1, 3e-322], [below([3], [1])], [2, 2])
    assert_allclose(chain.theta, [0, 1, 1, 0], atol=1e-300)


def test_cells_that_were_hardly_seen_keep_their_small_probabilities():
    chain = one([2e-20, 30, 1e-20, 20], [below([1], [3])], [2, 2])
    assert_allclose(chain.theta[::2], 3e-20 / 50, rtol=1e-12)
    assert_allclose(one([1e-20, 20], [at_least([1], 0.5)]).theta, [5e-22, 1], rtol=1e-12)


@pytest.mark.parametrize("cap", [1.0, 1.5])
def test_a_cap_of_one_or_more_says_nothing(cap):
    solved = one([3, 4, 5], [at_most([0], cap)])
    assert_allclose(solved.theta, np.array([3, 4, 5]) / 12, rtol=1e-15)


# ties


def test_a_tie_is_no_price():
    given = closed(blocks(([3], [below([0], [1])])))
    counts = np.array([4.0, 4.0, 2.0])
    assert_allclose(given.solve(counts), [0.4, 0.4, 0.2], rtol=1e-15)
    assert_allclose(given.multipliers(counts), [0], atol=1e-12)


def test_zeros_inside_a_chain_are_pooled():
    solved = one([5, 0, 3, 0, 0], rising([0, 1, 2]))
    assert_allclose(solved.theta, [2.5 / 8, 2.5 / 8, 3 / 8, 0, 0], rtol=1e-15)
    assert solved.zero[0]


# mixtures, each against arithmetic beside it


def test_a_pair_inside_a_bounded_set():
    """{0, 1, 2} has at most 0.5 of 20 counts' 0.8; inside, 8 <= 4 is pooled to 6 and 6."""
    solved = one([8, 4, 4, 4], [at_most([0, 1, 2], 0.5), below([0], [1])])
    assert_allclose(solved.theta, [0.5 * 6 / 16, 0.5 * 6 / 16, 0.5 * 4 / 16, 0.5], rtol=1e-14)


def test_chains_of_sets_inside_sets_of_chains():
    """{0,1,2,3} <= {4}: 20 against 10, so 15 each; inside, 0 <= {1, 2} pools 12 and 5 to 8.5."""
    solved = one([12, 3, 2, 3, 10], [below([0, 1, 2, 3], [4]), below([0], [1, 2])])
    assert_allclose(
        solved.theta,
        np.array([8.5, 8.5 * 3 / 5, 8.5 * 2 / 5, 3, 20]) * 15 / 20 / 30,
        rtol=1e-14,
    )


def test_shares_in_a_row_are_one_mass():
    """θ0 = 2 θ1 beside a bound on θ2: 9 counts for both, divided 2 to 1."""
    solved = one([5, 4, 9, 2], [below([0], [1], 2.0, equal=True), at_most([2], 0.3)])
    rest = 0.7 / 11
    assert_allclose(solved.theta, [6 * rest, 3 * rest, 0.3, 2 * rest], rtol=1e-14)


def test_equal_cells_may_be_said_in_any_order_within_a_chain():
    """θ0 = θ1 = θ2 by way of θ1, and all of them at most θ3."""
    star = [below([1], [0], equal=True), below([1], [2], equal=True), below([2], [3])]
    solved = one([1, 2, 6, 1, 5], star)
    assert_allclose(solved.theta, np.array([2.5, 2.5, 2.5, 2.5, 5]) / 15, rtol=1e-14)


def test_the_same_set_may_be_bounded_many_times():
    solved = one([6, 2, 2], [at_most([0, 1], 0.7), at_most([0, 1], 0.5), at_least([0, 1], 0.2)])
    assert_allclose(solved.theta, [0.375, 0.125, 0.5], rtol=1e-15)


# rows of two states


def test_a_chain_across_rows_pools_cases_of_adjacent_rows():
    """2 of 10, 6 of 10 and 5 of 20 rising: the last two share 11 of 30."""
    solved = one([8, 2, 4, 6, 15, 5], [below([1], [3]), below([3], [5])], [2, 2, 2])
    assert_allclose(solved.theta[1::2], [0.2, 11 / 30, 11 / 30], rtol=1e-15)


def test_either_state_may_be_spoken_of():
    second = one([8, 2, 4, 6, 15, 5], [below([1], [3]), below([3], [5])], [2, 2, 2])
    first = one([8, 2, 4, 6, 15, 5], [below([2], [0]), below([4], [2])], [2, 2, 2])
    assert_array_equal(first.theta, second.theta)


def test_equal_rows_may_be_said_of_either_state_and_of_both():
    both = [below([0], [2], equal=True), below([1], [3], equal=True), below([3], [5])]
    solved = one([8, 2, 4, 6, 15, 5], both, [2, 2, 2])
    assert_allclose(solved.theta[1::2], [13 / 40, 13 / 40, 13 / 40], rtol=1e-15)


def test_a_rule_may_be_said_twice():
    ours = closed(blocks(([3], [below([0], [1]), below([0], [1])])))
    counts = np.array([6.0, 2, 2])
    assert_allclose(ours.solve(counts), [0.4, 0.4, 0.2], rtol=1e-15)
    assert_allclose(ours.multipliers(counts).sum(), 10 * (6 - 2) / (6 + 2), rtol=1e-12)


def test_bounds_of_single_rows_bind_inside_a_chain():
    """p1 <= p2 with p2 >= 0.9: the free fit of 10 of 10 and 0 of 10 is 1/2 each, but p1 follows."""
    rules = [below([1], [3]), at_least([3], 0.9)]
    solved = one([0, 10, 10, 0], rules, [2, 2])
    assert_allclose(solved.theta[1::2], [0.9, 0.9], rtol=1e-15)


def test_any_rule_on_a_row_of_two_states_is_a_bound():
    """2 θ0 - θ1 <= 0.5 is θ1 >= 0.5."""
    solved = one([9, 1], [Said((0, 1), (2.0, -1.0), 0.5)])
    assert_allclose(solved.theta, [0.5, 0.5], rtol=1e-15)


@pytest.mark.parametrize(
    ("counts", "expected", "flat"),
    [
        ([8, 2, 0, 0, 1, 9], [0.2, 0.5, 0.9], True),
        ([8, 2, 0, 0, 7, 3], [0.2, 0.3, 0.3], True),
        ([4, 6, 0, 0, 1, 9], [0.6, 0.6, 0.9], True),
        ([4, 6, 0, 0, 4, 6], [0.6, 0.6, 0.6], False),
        ([2, 8, 0, 0, 8, 2], [0.5, 0.5, 0.5], False),
        ([0, 0, 0, 0, 0, 0], [0.5, 0.5, 0.5], True),
    ],
)
def test_a_row_without_cases_is_as_even_as_its_neighbours_allow(counts, expected, flat):
    solved = one(counts, [below([1], [3]), below([3], [5])], [2, 2, 2])
    assert_allclose(solved.theta[1::2], expected, rtol=1e-15)
    assert solved.non_unique[0] == flat


# which blocks are taken


@pytest.mark.parametrize(
    ("lengths", "rules", "kind"),
    [
        ([4], [at_most([0], 0.3), at_most([1, 2], 0.4)], "upper bounds (Thm 5.2.1)"),
        ([4], [at_most([0], 0.3), at_least([1], 0.2)], "bounds on masses (clip)"),
        ([4], [exactly([0], 0.3)], "bounds on masses (clip)"),
        ([5], [below([0], [1, 2]), below([3], [4])], "sums against sums (Thm 5.1.1)"),
        ([4], rising([0, 1, 2]), "chain in one row (pooling)"),
        ([4], [below([0], [1], 2.0)], "chain in one row (pooling)"),
        ([4], [below([0], [1], 2.0, equal=True)], "shares of one mass (pooling)"),
        (
            [4],
            [at_most([0, 1], 0.3), below([0], [1])],
            "chains inside bounds (clip and pooling)",
        ),
        ([2], [at_most([1], 0.3)], "bounds on one probability (clip)"),
        ([2, 2], [below([1], [3])], "chain across rows (pooling)"),
        (
            [2, 2],
            [below([1], [3]), at_most([3], 0.5)],
            "chain across rows, with bounds (pooling)",
        ),
    ],
)
def test_how_a_block_is_solved_is_said_in_words(lengths, rules, kind):
    assert closed(blocks((lengths, rules))).kinds == (kind,)


@pytest.mark.parametrize(
    ("lengths", "rules"),
    [
        ([4], [at_most([0, 1], 0.5), at_most([1, 2], 0.5)]),
        ([4], [at_most([0, 1], 0.5), at_most([0], 0.3)]),
        ([4], [at_most([0], 0.3), below([0], [1])]),
        ([4], [at_most([0], 0.3), below([0, 1], [2])]),
        ([4], [below([0, 1], [2]), below([1], [3])]),
        ([4], [below([0], [1]), below([0], [2])]),
        ([4], [Said((0, 1), (1.0, 2.0), 0.5)]),
        ([4], [Said((0, 1), (1.0, -1.0), 0.1)]),
        ([4], [at_most([0, 1], 0.5), below([1], [2])]),
        ([3, 3], [below([0], [3])]),
        ([2, 2], [below([1], [3], 2.0)]),
        ([2, 2], [Said((1, 3), (1.0, -1.0), 0.1)]),
        ([2, 2, 2], [below([1], [5]), below([3], [5])]),
        ([2, 2, 2], [Said((1, 3, 5), (1.0, 1.0, -2.0))]),
        ([2, 3], [below([1], [3])]),
    ],
)
def test_other_rules_are_left_to_the_general_solver(lengths, rules):
    ours = closed(blocks((lengths, rules), ([3], [at_most([0], 0.2)])))
    assert_array_equal(ours.blocks, [1])
    assert ours.kinds == ("upper bounds (Thm 5.2.1)",)
    theta = ours.solve(np.ones(sum(lengths) + 3))
    assert_allclose(theta[-3:], [0.2, 0.4, 0.4], rtol=1e-15)


def test_blocks_with_equal_ratios_are_left_alone():
    plain = blocks(([4], [at_most([0], 0.2)]))
    ratios = (Aligned(np.array([[0, 1], [2, 3]]), 0, 0),)
    with_ratios = type(plain)(
        plain.cells, plain.row, plain.cell_at, plain.row_at, plain.rules, plain.rule_at,
        plain.origin, ratios,
    )  # fmt: skip
    assert closed(with_ratios).blocks.size == 0


def test_no_rules_at_all():
    ours = closed(blocks())
    assert ours.blocks.size == 0
    assert ours.solve(np.empty(0)).size == 0
    assert ours.multipliers(np.empty(0)).size == 0


def test_only_the_blocks_asked_for_are_solved():
    ours = closed(
        blocks(
            ([3], [at_most([0], 0.2)]),
            ([2, 2], [below([1], [3])]),
            ([3], [at_most([0], 0.0)]),
        )
    )
    weights = np.array([2, 1, 1, 1, 3, 3, 1, 5, 1, 1], dtype=float)
    theta = ours.solve(weights, only=np.array([0, 1]))  # the third would be impossible
    assert_allclose(theta[:7], [0.2, 0.4, 0.4, 0.5, 0.5, 0.5, 0.5], rtol=1e-15)
    assert_array_equal(theta[7:], 0)


def test_multipliers_are_for_the_rule_as_written():
    """4 θ0 <= 1.2 costs a quarter of θ0 <= 0.3; 20/0.3 - 10/0.7 for the latter."""
    given = closed(blocks(([2 + 1], [Said((0,), (4.0,), 1.2)])))
    assert_allclose(given.multipliers(np.array([20.0, 6, 4])), [(20 / 0.3 - 10 / 0.7) / 4])


def test_multipliers_of_an_impossible_block_are_finite():
    given = closed(blocks(([3], [at_most([0], 0.0)]), ([2], [at_most([1], 0.0)])))
    assert np.all(np.isfinite(given.multipliers(np.ones(5))))


def test_an_equality_has_a_multiplier_of_either_sign():
    given = closed(blocks(([3], [exactly([0], 0.7)])))
    assert_allclose(given.multipliers(np.array([2.0, 6, 2])), [2 / 0.7 - 8 / 0.3])
    negative = closed(blocks(([3], [Said((0,), (-2.0,), -1.4, True)])))
    assert_allclose(negative.multipliers(np.array([2.0, 6, 2])), [(2 / 0.7 - 8 / 0.3) / -2])


# kernels and their slow twins


@given(seeds)
def test_clipping_is_exact_at_the_breakpoints(rng):
    groups = int(rng.integers(1, 12))
    counts = rng.integers(1, 40, groups).astype(float)
    some = rng.dirichlet(np.ones(groups))
    lower, upper = some * rng.uniform(0, 1, groups), np.minimum(1, some * rng.uniform(1, 3, groups))
    mass = np.empty(groups)
    fixed = np.zeros(groups, dtype=np.bool_)
    left = clip(0, groups, counts, lower, upper, 1.0, mass, fixed)
    assert abs(left) <= 1e-12
    assert_allclose(mass, naive.clipped(counts, np.ones(groups), lower, upper), rtol=1e-9)


@given(seeds)
def test_clipping_with_zeros_agrees_with_its_definition(rng):
    groups = int(rng.integers(2, 9))
    counts = rng.integers(0, 4, groups).astype(float)
    some = rng.dirichlet(np.ones(groups))
    lower, upper = some * rng.uniform(0, 1, groups), np.minimum(1, some * rng.uniform(1, 3, groups))
    rules = [at_most([k], cap) for k, cap in enumerate(upper)]
    rules += [at_least([k], cap) for k, cap in enumerate(lower)]
    if groups > 2:
        theta = one(counts, rules).theta
        expected = naive.clipped(counts, np.ones(groups), lower, upper)
        assert_allclose(theta, expected, rtol=1e-9, atol=1e-12)


@given(seeds)
def test_pooling_is_the_largest_least_mean(rng):
    size = int(rng.integers(1, 15))
    above, below_ = rng.integers(0, 9, size).astype(float), rng.integers(1, 9, size).astype(float)
    value, work = np.empty(size), np.empty((6, size))
    spans = np.empty((size, 2), dtype=np.int64)
    never, free = np.zeros(size, dtype=np.bool_), np.full(size, np.inf)
    flat = pool(0, size, above, below_, never, np.zeros(size), free, value, work, spans)
    assert not flat
    assert_allclose(value, naive.pooled(above, below_), rtol=1e-12, atol=1e-15)
