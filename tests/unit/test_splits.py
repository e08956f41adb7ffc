"""Trees of splits: which equations are one, and what is computed on many of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive_equalities as naive
import trees
from tacit.estimate.ruled.recognise import recognise
from tacit.estimate.ruled.splits import Forest, Split, Tree
from trees import block, equal, known, most_likely, times

N = np.arange(1.0, 31.0)


def agree(one, other):
    """Two ways to say the same thing."""
    assert_allclose(most_likely(one, N[: one.size]), most_likely(other, N[: one.size]), rtol=1e-12)


# --- what equations say -------------------------------------------------------------------------


def test_signs_and_scales_of_an_equation_do_not_matter():
    plain = block([4], equal([0, 1], [2]))
    agree(plain, block([4], [({0: -1.0, 1: -1.0, 2: 1.0}, 0.0)]))
    agree(plain, block([4], [({0: 3.0, 1: 3.0, 2: -3.0}, 0.0)]))
    agree(block([3], known([0], 0.2)), block([3], [({0: -5.0}, -1.0)]))


def test_a_set_may_be_said_by_its_complement():
    agree(block([4], known([0], 0.2)), block([4], known([1, 2, 3], 0.8)))
    agree(block([3, 3], equal([0], [3])), block([3, 3], equal([1, 2], [4, 5])))
    agree(block([3, 3], equal([0], [3])), block([3, 3], [({0: 1.0, 4: 1.0, 5: 1.0}, 1.0)]))


def test_complements_that_overlap_are_said_by_what_they_leave_out():
    agree(
        block([5], known([4], 0.3) + known([3], 0.2)),
        block([5], known([0, 1, 2, 3], 0.7) + known([0, 1, 2, 4], 0.8)),
    )


def test_a_whole_row_says_nothing():
    agree(block([3, 2]), block([3, 2], known([0, 1, 2], 1.0) + equal([0, 1, 2], [3, 4])))


def test_redundant_and_transitive_equations_change_nothing():
    chain = block([3, 3, 3], equal([0], [3], [6]))
    agree(chain, block([3, 3, 3], equal([0], [3], [6], [0])))
    agree(chain, block([3, 3, 3], equal([3], [0]) * 2 + equal([0], [6])))


def test_rows_equal_state_by_state_are_equal_without_the_last_state():
    whole = block([3, 3], equal([0], [3]) + equal([1], [4]) + equal([2], [5]))
    agree(whole, block([3, 3], equal([0], [3]) + equal([1], [4])))


def test_what_some_rows_share_in_other_words_is_found():
    said = equal([0], [3]) + equal([4, 5], [7, 8])  # the second is about the rest of row 1 and 2
    agree(block([3, 3, 3], said), block([3, 3, 3], equal([0], [3], [6])))


def test_known_cells_that_add_up_to_1_leave_nothing():
    theta = most_likely(block([4], known([0], 0.4) + known([1], 0.6)), [1, 1, 0, 0])
    assert_allclose(theta, [0.4, 0.6, 0, 0], atol=1e-15)


def test_a_cell_that_is_0_makes_equal_cells_0():
    theta = most_likely(block([3, 3], known([0], 0.0) + equal([0], [3])), [0, 1, 3, 0, 2, 2])
    assert_allclose(theta, [0, 0.25, 0.75, 0, 0.5, 0.5], atol=1e-15)


def test_sums_with_positive_factors_that_are_0_make_all_cells_0():
    theta = most_likely(block([4], [({0: 1.0, 1: 2.0}, 0.0)]), [0, 0, 1, 3])
    assert_allclose(theta, [0, 0, 0.25, 0.75], atol=1e-15)


def test_equal_cells_that_fill_a_row_are_known_elsewhere():
    theta = most_likely(block([3, 3], equal([0], [1], [2]) + equal([0], [3])), [1, 2, 3, 4, 5, 15])
    assert_allclose(theta, [1 / 3] * 4 + [1 / 6, 1 / 2], rtol=1e-12)


def test_a_part_of_a_set_may_be_given():
    theta = most_likely(block([5], equal([0, 1], [2, 3]) + times([1], 3.0, [0])), N[:5])
    assert_allclose(theta[:4], 1 / 3 * np.array([0.25, 0.75, 3 / 7, 4 / 7]), rtol=1e-12)


@pytest.mark.parametrize(
    "given",
    [
        block([4], equal([0, 1], [2]) + equal([1, 2], [3])),  # sets that cross
        block([3, 3], known([0], 0.2) + equal([1], [4])),  # known in one row only
        block([3, 3], times([0], 2.0, [3])),  # a proportion between rows
        block([3, 3, 3], [({0: 1.0, 3: 1.0, 6: -2.0}, 0.0)]),  # three rows in one equation
        block([4], [({0: 1.0, 1: -2.0, 2: 3.0}, 0.0)]),  # three masses
        block([3, 3, 3], equal([0], [3]) + equal([4], [7]) + equal([2], [8])),  # a ring
        block([2, 3], equal([0], [2]) + equal([1], [3])),  # a rest in one row only
        block([3], known([0], 0.2) + known([0], 0.3)),  # a contradiction
        block([3], known([0], 0.7) + known([1], 0.7)),
        block([4, 4], ratios=[[[0, 1], [4, 5]], [[1, 2], [6, 5]]]),  # lists that cross
        block([4, 4], equal([0], [7]), ratios=[[[0, 1], [4, 5]]]),  # a cell of one list alone
        block([4, 4], ratios=[[[0, 4], [1, 5]]]),  # lists across rows
    ],
)
def test_what_is_no_tree_is_left_to_the_general_solver(given):
    assert recognise(given) is None


# --- ratios --------------------------------------------------------------------------------------


def test_chains_of_ratios_are_one_list():
    agree(
        block([4, 4], ratios=[[[0, 1], [4, 5]], [[1, 2], [5, 6]]]),
        block([4, 4], ratios=[[[0, 1, 2], [4, 5, 6]]]),
    )
    agree(
        block([3, 3, 3], ratios=[[[0, 1], [3, 4]], [[7, 6], [4, 3]]]),
        block([3, 3, 3], ratios=[[[0, 1], [3, 4], [6, 7]]]),
    )


def test_one_equal_cell_of_proportional_lists_makes_the_lists_equal():
    agree(
        block([3, 3], equal([0], [3]), ratios=[[[0, 1], [3, 4]]]),
        block([3, 3], equal([0], [3]) + equal([1], [4])),
    )


def test_equal_cells_in_a_list_are_equal_in_all_lists():
    given = block([4, 4], equal([0], [1]), ratios=[[[0, 1, 2], [4, 5, 6]]])
    theta = most_likely(given, N[:8])
    assert naive.worst(given, theta) < 1e-12
    assert_allclose(theta[4], theta[5], rtol=1e-12)
    assert_allclose(theta[4] / theta[6], (1 + 2 + 5 + 6) / 2 / (3 + 7), rtol=1e-12)


def test_a_known_cell_of_a_known_list_gives_the_share_in_all_lists():
    said = known([0, 1, 2], 0.5) + known([0], 0.1)
    given = block([4, 4], said, ratios=[[[0, 1, 2], [4, 5, 6]]])
    theta = most_likely(given, N[:8])
    assert naive.worst(given, theta) < 1e-12
    assert_allclose(theta[4] / theta[4:7].sum(), 0.2, rtol=1e-12)
    assert_allclose(theta[1] / theta[2], (2 + 6) / (3 + 7), rtol=1e-12)


# --- no weight [2.0.4] ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", trees.SHAPES)
def test_without_counts_every_shape_obeys_its_rules_and_says_so(name):
    given = trees.SHAPES[name]
    forest, nothing = trees.planted(given), np.zeros(given.size)
    assert naive.worst(given, forest.most_likely(nothing)) < 1e-12
    assert forest.undetermined(nothing).any()


@pytest.mark.parametrize("name", trees.SHAPES)
@given(st.data())
def test_zero_counts_never_break_a_rule(name, data):
    given = trees.SHAPES[name]
    count = st.sampled_from([0.0, 0.0, 1.0, 7.0])
    counts = np.array(data.draw(st.lists(count, min_size=given.size, max_size=given.size)))
    assert naive.worst(given, trees.planted(given).most_likely(counts)) < 1e-12


def test_a_set_without_counts_is_divided_by_its_cells():
    forest = trees.planted(block([6], equal([0, 1], [2, 3, 4])))
    counts = np.array([0.0, 0, 1, 2, 3, 6])
    assert_allclose(
        forest.most_likely(counts), np.array([1.5, 1.5, 0.5, 1, 1.5, 6]) / 12, rtol=1e-15
    )
    assert_array_equal(forest.undetermined(counts), [True, True, False, False, False, False])


def test_a_row_without_counts_is_even_and_shared_cells_count_each():
    forest = trees.planted(block([5], equal([0], [1], [2])))
    assert_allclose(forest.most_likely(np.zeros(5)), np.full(5, 0.2), rtol=1e-15)


def test_what_has_no_mass_is_not_called_undetermined():
    forest = trees.planted(trees.MASSES)
    counts = np.array([0.0, 0, 1, 2, 0, 0, 0, 3, 4])
    assert not forest.undetermined(counts).any()
    assert_allclose(forest.most_likely(counts)[[0, 1, 4, 5, 6]], 0.0, atol=0)


# --- many trees at once --------------------------------------------------------------------------


def test_trees_side_by_side_are_solved_as_alone():
    blocks = [*trees.SHAPES.values(), trees.SHARED, block([3]), trees.KNOWN]
    together = trees.planted(*blocks)
    random = np.random.default_rng(1)
    counts = random.integers(0, 20, sum(each.size for each in blocks)).astype(float)
    alpha, at = 1.0 + counts, 0
    for number, each in enumerate(blocks):
        alone, here = trees.planted(each), slice(at, at + each.size)
        for verb, values in (("most_likely", counts), ("mean", alpha), ("undetermined", counts)):
            assert_array_equal(
                getattr(together, verb)(values)[here], getattr(alone, verb)(values[here])
            )
        ours = together.log_evidence(np.ones(counts.size), counts)[number]
        assert_allclose(ours, alone.log_evidence(np.ones(each.size), counts[here])[0], rtol=1e-12)
        at += each.size


def test_positions_may_lie_anywhere_in_the_vector():
    tree = recognise(trees.SHARED)
    at = np.array([9, 0, 4, 2, 7, 5])
    forest = Forest.of([tree], [at], 11)
    counts = np.random.default_rng(2).uniform(1, 9, 11)
    theta = forest.most_likely(counts)
    assert_allclose(theta[at], most_likely(trees.SHARED, counts[at]), rtol=1e-15)
    assert_array_equal(theta[[1, 3, 6, 8, 10]], 0.0)


def test_no_trees_are_no_trouble():
    forest = Forest.of([], [], 3)
    for verb in (forest.most_likely, forest.mean):
        assert_array_equal(verb(np.ones(3)), np.zeros(3))
    assert forest.log_evidence(np.ones(3), np.ones(3)).size == 0
    assert forest.sample(np.ones(3), np.random.default_rng(1), 2).shape == (2, 3)


def test_the_same_shape_with_other_numbers_is_another_tree_with_the_same_paths():
    one, other = (recognise(block([4], known([1], value))) for value in (0.125, 0.375))
    assert one.paths is other.paths
    assert_array_equal(other.fixed, [0.625, 0.375, 0.625, 0.625])
    assert_array_equal(other.splits[0].given[~np.isnan(other.splits[0].given)], [0.375])
    full = recognise(block([4], known([1], 1.0)))
    assert_array_equal(full.fixed[1], 1.0)
    assert_array_equal(full.fixed[[0, 2, 3]], 0.0)
    assert recognise(block([4], known([1], 1.5))) is None


def test_inequalities_are_not_looked_at():
    given = block([3], known([0], 0.2) + known([1], 0.9))
    given.rules.equal[1] = False
    assert recognise(given).kind == "known values (Thm 4.2.1)"


def test_a_tree_can_be_written_by_hand():
    top = Split(np.arange(4), np.array([0, 1, 1, 2]), np.array([0.4, np.nan, np.nan]))
    within = Split(np.array([1, 2]), np.array([0, 1]), np.array([0.75, 0.25]))
    forest = Forest.of([Tree.of([top, within], "mine", 4)], [np.arange(4)])
    assert_allclose(
        forest.most_likely(np.array([9.0, 1, 2, 1])), [0.4, 0.3375, 0.1125, 0.15], rtol=1e-12
    )


def test_draws_of_tiny_parameters_are_distributions():
    forest = trees.planted(block([3]))
    draws = forest.sample(np.full(3, 1e-4), np.random.default_rng(1), 200)
    assert np.isfinite(draws).all()
    assert_allclose(draws.sum(axis=1), 1.0, rtol=1e-12)


def test_a_value_that_is_impossible_has_no_evidence():
    forest = trees.planted(block([3], known([0], 0.0)))
    assert forest.log_evidence(np.ones(3), np.array([1.0, 0, 0]))[0] == -np.inf
    assert_allclose(forest.log_evidence(np.ones(3), np.array([0.0, 1, 0]))[0], np.log(0.5))


def test_ten_thousand_rows_are_solved_in_few_passes():
    shapes = [block([size], equal([0], [1]) + known([2], 0.1)) for size in range(5, 50)]
    forest = trees.planted(*(shapes[number % 45] for number in range(10_000)))
    theta = forest.most_likely(np.ones(forest.fixed.size))
    assert len(forest.paths.levels) == 1
    assert_allclose(np.bincount(forest.tree, theta), 1.0, rtol=1e-12)
