"""Every equality theorem as printed, 4.2.1 to 4.10.1, with the errata that mend it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_equalities as naive
import trees
from tacit.estimate.ruled.recognise import recognise
from trees import block, equal, known, most_likely, times


def counts_of(block):
    """Positive counts, whole or not, for every position."""
    count = st.floats(0.25, 1000.0)
    return st.lists(count, min_size=block.size, max_size=block.size).map(np.array)


def kind(given):
    tree = recognise(given)
    assert tree is not None
    return tree.kind


@given(counts_of(trees.KNOWN))
def test_known_values_are_theorem_4_2_1(N):
    unknown, S = [1, 3], 0.2 + 0.1
    theorem = np.array([0.2, 0.0, 0.1, 0.0])
    theorem[unknown] = (1 - S) * N[unknown] / N[unknown].sum()
    assert_allclose(most_likely(trees.KNOWN, N), theorem, rtol=1e-12)
    assert kind(trees.KNOWN) == "known values (Thm 4.2.1)"


def test_known_values_erratum_1_the_proof_forgets_the_factor():
    N = np.array([5.0, 3.0, 2.0, 9.0])
    theta = most_likely(trees.KNOWN, N)
    printed = N[[1, 3]] / 12.0
    assert_allclose(theta.sum(), 1.0, rtol=1e-15)
    assert printed.sum() + 0.3 > 1.2
    assert_allclose(N[[1, 3]] / theta[[1, 3]], 12.0 / (1 - 0.3), rtol=1e-12)  # lambda


@given(counts_of(trees.SHARED))
def test_sharing_in_a_row_is_theorem_4_3_1(N):
    sets = [[0, 1, 2], [3, 4], [5]]
    theorem = np.empty(6)
    for each in sets:
        theorem[each] = N[each].sum() / (len(each) * N.sum())
    assert_allclose(most_likely(trees.SHARED, N), theorem, rtol=1e-12)
    assert kind(trees.SHARED) == "sharing within one row (Thm 4.3.1)"


@given(counts_of(trees.PROPORTIONAL))
def test_proportions_in_a_row_are_theorem_4_4_1(N):
    # one free number per set of proportional cells [erratum 30]
    c, total = np.array([2.0, 1.0, 0.5]), N.sum()
    theorem = np.concatenate([c / c.sum() * N[:3].sum() / total, N[3:] / total])
    assert_allclose(most_likely(trees.PROPORTIONAL, N), theorem, rtol=1e-12)
    assert kind(trees.PROPORTIONAL) == "proportions within one row (Thm 4.4.1)"


@given(counts_of(trees.SUMS))
def test_equal_masses_in_a_row_are_theorem_4_5_1(N):
    theorem = N / N.sum()
    for each in ([0, 1], [2, 3, 4]):
        theorem[each] = N[each] / N[each].sum() * N[:5].sum() / (2 * N.sum())
    assert_allclose(most_likely(trees.SUMS, N), theorem, rtol=1e-12)
    assert kind(trees.SUMS) == "equal masses within one row (Thm 4.5.1)"


def test_equal_masses_erratum_3_the_multipliers_of_all_cells_of_a_set_agree():
    N = np.array([5.0, 3.0, 2.0, 9.0, 4.0, 1.0, 6.0])
    tau = N / most_likely(trees.SUMS, N)
    assert_allclose(tau[:2], tau[0], rtol=1e-12)  # for all k
    assert_allclose(tau[2:5], tau[2], rtol=1e-12)
    assert_allclose(tau[0] + tau[2], 2 * N.sum(), rtol=1e-12)  # summed over j: lambda k_i


@given(counts_of(trees.RATIOS))
def test_equal_ratios_in_a_row_are_theorem_4_6_1(N):
    table, total = N[:6].reshape(3, 2), N.sum()
    theorem = np.outer(table.sum(axis=1), table.sum(axis=0)) / (total * table.sum())
    assert_allclose(most_likely(trees.RATIOS, N), [*theorem.ravel(), N[6] / total], rtol=1e-12)
    assert kind(trees.RATIOS) == "equal ratios within one row (Thm 4.6.1)"


def test_equal_ratios_erratum_4_columns_are_summed_over_all_lists():
    N = np.array([5.0, 3.0, 2.0, 9.0, 4.0, 1.0, 6.0])
    theta = most_likely(trees.RATIOS, N)[:6].reshape(3, 2)
    p = theta.sum(axis=1)  # one scale of the family of stationary points
    c = N[:6].reshape(3, 2).sum(axis=0) / (N.sum() * p.sum())
    assert_allclose(np.outer(p, c), theta, rtol=1e-12)


def general(N, shared, local):
    """Thm 4.7.1; shared: the places of each global parameter, local: those of each row."""
    theta = np.empty_like(N)
    L = sum(N[each].sum() for each in local)
    T = sum(N[each].sum() for each in shared) + L
    for each in shared:
        theta[each] = N[each].sum() / T
    for each in local:
        theta[each] = L / T * N[each] / N[each].sum()
    return theta


@given(counts_of(trees.GENERAL))
def test_general_sharing_is_theorem_4_7_1(N):
    theorem = general(N, [[0, 4, 7], [1, 3, 9]], [[2], [5, 6], [8, 10, 11]])
    assert_allclose(most_likely(trees.GENERAL, N), theorem, rtol=1e-12)
    assert kind(trees.GENERAL) == "general sharing (Thm 4.7.1)"


@given(counts_of(trees.WHOLE))
def test_general_sharing_erratum_5_without_local_cells_counts_are_pooled(N):
    pooled = N[:3] + N[3:]
    assert_allclose(most_likely(trees.WHOLE, N), np.tile(pooled / pooled.sum(), 2), rtol=1e-12)


def test_local_cells_in_some_rows_only_are_no_tree():
    assert recognise(block([2, 3], equal([0], [2]) + equal([1], [3]))) is None


def sharing_tree(N, node, left=1.0, theta=None):
    """Thm 4.8.1 by Alg 4.8.1; node: (places of each parameter, nodes below)."""
    theta = np.empty_like(N) if theta is None else theta

    def total(part):
        return sum(N[each].sum() for each in part[0]) + sum(map(total, part[1]))

    for each in node[0]:
        theta[each] = left * N[each].sum() / total(node)
    # strict ancestors: the node's own parameters are not taken off before it is divided
    below = left - sum(theta[each[0]] for each in node[0])
    for child in node[1]:
        sharing_tree(N, child, below, theta)
    return theta


TREE = (
    [[0, 4, 8, 11]],
    [
        ([[1, 5]], [([[2], [3]], []), ([[6], [7]], [])]),
        ([[9, 12]], [([[10]], []), ([[13]], [])]),
    ],
)


@given(counts_of(trees.HIERARCHY))
def test_a_sharing_tree_is_theorem_4_8_1(N):
    assert_allclose(most_likely(trees.HIERARCHY, N), sharing_tree(N, TREE), rtol=1e-10)
    assert kind(trees.HIERARCHY) == "sharing tree (Thm 4.8.1)"


def test_a_sharing_tree_erratum_6_ancestors_are_strict():
    N = np.arange(1.0, 15.0)
    theta = most_likely(trees.HIERARCHY, N)
    below = [1, 2, 3, 5, 6, 7]
    left = 1 - theta[0]
    assert_allclose(theta[1], left * N[[1, 5]].sum() / N[below].sum(), rtol=1e-12)
    assert theta[1] > (left - theta[1]) * N[[1, 5]].sum() / N[below].sum() + 0.01
    # S(v) runs along one path down: in one row, not in all rows of the scope
    assert_allclose(theta[[1, 2, 3]].sum(), left, rtol=1e-12)


def test_a_sharing_tree_may_have_empty_inner_nodes():
    given = block([4, 4, 4, 4], equal([0], [4]) + equal([8], [12]) + equal([1], [5], [9], [13]))
    N = np.arange(3.0, 19.0)
    node = ([[1, 5, 9, 13]], [([[0, 4]], [([[2], [3]], []), ([[6], [7]], [])]),
                              ([[8, 12]], [([[10], [11]], []), ([[14], [15]], [])])])  # fmt: skip
    assert_allclose(most_likely(given, N), sharing_tree(N, node), rtol=1e-12)


def types(N, rows, parts):
    """Thm 4.9.1 with the indices of erratum 8; parts[l][j]: the cells of type l in row j."""
    theta = np.empty_like(N)
    for part in parts:
        pooled = sum(N[cells].sum() for cells in part)
        for cells in part:
            theta[cells] = N[cells] / N[cells].sum() * pooled / N.sum()
    return theta


@given(counts_of(trees.TYPES))
def test_equal_masses_across_rows_are_theorem_4_9_1(N):
    theorem = types(N, 2, [[[0, 1], [4, 5]], [[2], [6]], [[3], [7, 8]]])
    assert_allclose(most_likely(trees.TYPES, N), theorem, rtol=1e-12)
    assert kind(trees.TYPES) == "equal masses across rows (Thm 4.9.1)"


@given(counts_of(trees.MASSES))
def test_equal_masses_with_a_dummy_type_for_the_rest(N):
    theorem = types(N, 2, [[[0, 1], [4, 5, 6]], [[2, 3], [7, 8]]])
    assert_allclose(most_likely(trees.MASSES, N), theorem, rtol=1e-12)


@given(counts_of(trees.RATIOS_ACROSS))
def test_equal_ratios_across_rows_are_theorem_4_10_1(N):
    first, second = N[[0, 1, 2]], N[[6, 5, 4]]
    tau = (first + second) / (first + second).sum()
    theorem = np.concatenate([N[:4] / N[:4].sum(), N[4:] / N[4:].sum()])
    theorem[[0, 1, 2]] = tau * first.sum() / N[:4].sum()
    theorem[[6, 5, 4]] = tau * second.sum() / N[4:].sum()
    assert_allclose(most_likely(trees.RATIOS_ACROSS, N), theorem, rtol=1e-12)
    assert kind(trees.RATIOS_ACROSS) == "equal ratios (Thm 4.10.1)"


def test_equal_ratios_erratum_9_multipliers_cancel_within_a_type():
    N = np.array([5.0, 3.0, 2.0, 9.0, 4.0, 1.0, 6.0, 7.0, 8.0])
    theta = most_likely(trees.RATIOS_ACROSS, N)
    tau = theta[:3] / theta[:3].sum()
    for cells, row in (([0, 1, 2], N[:4]), ([6, 5, 4], N[4:])):
        multipliers = N[cells] / theta[cells] - row.sum()
        assert_allclose((multipliers * tau).sum(), 0.0, atol=1e-10)
        assert np.abs(multipliers).max() > 1.0


# --- optimal beyond the printed shapes --------------------------------------------------------


@pytest.mark.parametrize("name", trees.LINEAR)
@given(st.data())
def test_no_feasible_row_is_more_likely(name, data):
    given = trees.LINEAR[name]
    N = data.draw(counts_of(given))
    theta = most_likely(given, N)
    assert naive.worst(given, theta) < 1e-12
    assert naive.slope(given, N, theta) < 1e-9


@pytest.mark.parametrize("name", trees.LINEAR)
def test_a_solver_finds_nothing_more_likely(name):
    given = trees.LINEAR[name]
    N = np.random.default_rng(7).integers(1, 60, given.size).astype(float)
    ours, theirs = N @ np.log(most_likely(given, N)), naive.optimum(given, N)
    assert abs(ours - theirs) <= 1e-8 * abs(theirs)


@pytest.mark.parametrize("name", [name for name in trees.SHAPES if "ratio" in name])
def test_no_multiples_near_by_are_more_likely(name):
    given, random = trees.SHAPES[name], np.random.default_rng(3)
    N = random.integers(1, 60, given.size).astype(float)
    forest = trees.planted(given)
    best = N @ np.log(forest.most_likely(N))
    for strength in (3.0, 1e2, 1e4, 1e6):
        for theta in forest.sample(1.0 + strength * N, random, 50):
            assert naive.worst(given, theta) < 1e-12
            assert N @ np.log(theta) <= best + 1e-9


# --- reductions [G12] -------------------------------------------------------------------------


def test_without_rules_every_theorem_is_theorem_2_2_1():
    N = np.array([4.0, 0.0, 6.0, 1.0, 3.0])
    assert_allclose(most_likely(block([3, 2]), N), [0.4, 0.0, 0.6, 0.25, 0.75], rtol=1e-15)


def test_one_level_of_a_sharing_tree_is_general_sharing():
    N = np.arange(2.0, 14.0)
    shared, local = [[0, 4, 7], [1, 3, 9]], [[2], [5, 6], [8, 10, 11]]
    leaves = [([[cell] for cell in each], []) for each in local]
    assert_allclose(sharing_tree(N, (shared, leaves)), most_likely(trees.GENERAL, N), rtol=1e-12)


def test_proportions_of_one_are_sharing():
    N, one = np.arange(1.0, 6.0), times([0], 1.0, [1]) + times([2], 1.0, [1])
    assert_allclose(
        most_likely(block([5], one), N), [1.2 / 9, 1.2 / 9, 1.2 / 9, 2.4 / 9, 3 / 9], rtol=1e-12
    )


def test_types_of_one_cell_are_general_sharing_in_estimate_and_constant():
    by_cell = block([3, 4], equal([0], [4]))
    by_type = block([3, 4], equal([0], [4]) + equal([1, 2], [3, 5, 6]))
    random = np.random.default_rng(2)
    alpha, N = random.uniform(0.6, 3.0, 7), random.integers(1, 9, 7).astype(float)
    one, other = trees.planted(by_cell), trees.planted(by_type)
    assert_allclose(one.most_likely(N), other.most_likely(N), rtol=1e-12)
    assert_allclose(one.log_evidence(alpha, N), other.log_evidence(alpha, N), rtol=1e-12)
    assert_allclose(one.mean(alpha), other.mean(alpha), rtol=1e-12)


def test_ratios_of_equal_masses_are_shared_cells():
    ratios = block([3, 4], equal([0, 1], [3, 4]), ratios=[[[0, 1], [3, 4]]])
    cells = block([3, 4], equal([0], [3]) + equal([1], [4]))
    alpha = np.arange(1.0, 8.0)
    one, other = trees.planted(ratios), trees.planted(cells)
    for verb in ("most_likely", "mean", "log_constant"):
        assert_allclose(getattr(one, verb)(alpha), getattr(other, verb)(alpha), rtol=1e-12)


def test_known_values_of_nothing_are_the_baseline():
    free, zero = block([3]), block([3], known([0, 1, 2], 1.0))
    N = np.array([1.0, 2.0, 5.0])
    assert_allclose(most_likely(zero, N), most_likely(free, N), rtol=1e-15)
