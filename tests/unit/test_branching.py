"""Maximum branchings against all forests, and against another implementation."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import naive_structures as naive
from tacit.learn.structure.branching import branching


def random_gains(rng, n, whole):
    gains = rng.integers(-3, 6, (n, n)).astype(float) if whole else rng.normal(size=(n, n))
    gains[rng.random((n, n)) < 0.25] = -np.inf
    np.fill_diagonal(gains, -np.inf)
    return gains


def gained(gains, parents, forced):
    """(roots, gain) as the oracle counts them: forced arcs gain nothing."""
    assert tuple(parents) in set(naive.every_forest(len(gains)))
    free = [(p, c) for c, p in enumerate(parents) if p >= 0 and forced[c] < 0]
    return sum(parents < 0), sum(gains[arc] for arc in free)


@pytest.mark.parametrize("spanning", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_no_forest_gains_more(spanning, whole):
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(60):
        n = int(rng.integers(1, 6))
        gains, forced = random_gains(rng, n, whole), np.full(n, -1)
        for head in np.flatnonzero(rng.random(n) < 0.2):
            forced[head] = rng.choice([at for at in range(n) if at != head] or [-1])
        found = branching(gains, forced, spanning=spanning)
        best = naive.best_forest(gains, forced, spanning)
        if best is None:
            assert found is None
            refused += 1
            continue
        assert all(one in (-1, found[at]) for at, one in enumerate(forced))
        roots, gain = gained(gains, found, forced)
        assert gain == pytest.approx(best[1], abs=1e-9)
        assert not spanning or roots == -best[0]
    assert refused > 0


def test_larger_branchings_gain_what_networkx_finds():
    rng = np.random.default_rng(2)
    for n in (10, 25, 40):
        gains = random_gains(rng, n, whole=False) + 0.5 * (n % 2)
        graph = nx.DiGraph()
        graph.add_nodes_from(range(n))
        arcs = np.argwhere(np.isfinite(gains)).tolist()
        graph.add_weighted_edges_from((tail, head, gains[tail, head]) for tail, head in arcs)
        best = nx.maximum_branching(graph).size("weight")
        spanning = nx.maximum_spanning_arborescence(graph).size("weight")
        for found, expected in (
            (branching(gains), best),
            (branching(gains, spanning=True), spanning),
        ):
            arcs = [(parent, head) for head, parent in enumerate(found) if parent >= 0]
            assert nx.is_forest(nx.DiGraph(arcs))
            assert sum(gains[arc] for arc in arcs) == pytest.approx(expected, abs=1e-8)


def test_arcs_that_gain_nothing_are_left_out_unless_all_are_to_be_joined():
    gains = np.array([[-np.inf, 0.0, -1.0], [0.0, -np.inf, -2.0], [-3.0, -1.0, -np.inf]])
    assert_array_equal(branching(gains), [-1, -1, -1])
    assert_array_equal(branching(gains, spanning=True), [-1, 0, 0])
    assert_array_equal(branching(np.full((3, 3), -np.inf), spanning=True), [-1, -1, -1])
    assert_array_equal(branching(np.zeros((0, 0))), [])


def test_ties_go_the_same_way_whatever_the_scale():
    rng = np.random.default_rng(4)
    gains = rng.integers(0, 3, (12, 12)) / 10
    gains = gains + gains.T
    for scale in (1e-6, 0.3, 7.7e5):
        noisy = scale * gains * (1 + 1e-15 * rng.normal(size=gains.shape))
        assert_array_equal(branching(noisy), branching(gains))


def test_forced_arcs_that_form_a_cycle_leave_no_branching():
    assert branching(np.ones((3, 3)), np.array([1, 0, -1])) is None
    assert_array_equal(branching(np.full((3, 3), -np.inf), np.array([-1, 0, 1])), [-1, 0, 1])
