"""Checking rules, against the corners of what they allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_polytope as naive
import tacit as tc
from tacit.families.table import table
from tacit.knowledge.binding import bind
from tacit.knowledge.blocks import blocks_of
from tacit.knowledge.cells import Cells
from tacit.knowledge.conflicts import check_feasible
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.polytope import relative_interior

X = tc.Discrete("X", ("a", "b", "c", "d"))
Z = tc.Discrete("Z", ("0", "1"))
Y = tc.Discrete("Y", ("a", "b", "c"))
NETWORK = tc.Network.of([table(X, [], np.ones(4) / 4), table(Z, [], [0.5, 0.5]),
                         table(Y, [Z], np.ones((2, 3)) / 3)])  # fmt: skip
TABLES = {
    "X": ([f"P(X={state})" for state in X.states], [[0, 1, 2, 3]]),
    "Y": ([f"P(Y={y} | Z={z})" for z in Z.states for y in Y.states], [[0, 1, 2], [3, 4, 5]]),
}
CELLS = Cells.of({"X": (X,), "Z": (Z,), "Y": (Z, Y)})
Drawn = tuple[str, list[naive.Rule]]


@st.composite
def lines(draw: st.DrawFn, size: int) -> naive.Line:
    """A bound on a mass, a comparison of two cells or masses, sometimes an equality."""
    factors = [0.0] * size
    for cell in draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=3, unique=True)):
        factors[cell] = draw(st.sampled_from([1.0, 1.0, 1.0, -1.0, 2.0]))
    sign = draw(st.sampled_from(["<=", "<=", ">=", ">=", "="]))
    bound = draw(st.integers(0, 16)) / 20
    if min(factors) < 0 and draw(st.booleans()):
        bound = 0.0
    return factors, sign, bound


@st.composite
def rule_sets(draw: st.DrawFn, name: str, least: int, most: int) -> Drawn:
    size = len(TABLES[name][0])
    rule = st.lists(lines(size), min_size=1, max_size=1)
    return name, draw(st.lists(rule, min_size=least, max_size=most))


def said(drawn: Drawn) -> str:
    """The rules in the language."""
    name, rules = drawn
    cells = TABLES[name][0]
    texts = []
    for rule in rules:
        for factors, sign, limit in rule:
            parts = (f"{f} * {cell}" for f, cell in zip(factors, cells, strict=True) if f)
            texts.append(f"{' + '.join(parts).replace('+ -', '- ')} {sign} {limit}")
    return "\n".join(texts)


def intervals(check: tc.Check, name: str) -> np.ndarray:
    return check.intervals[name].reshape(-1, 2)


anything = st.one_of(rule_sets("X", 1, 6), rule_sets("Y", 1, 5))


@given(anything)
def test_rules_can_hold_together_where_their_polytope_has_a_corner(drawn: Drawn) -> None:
    points = naive.corners(drawn[1], TABLES[drawn[0]][1])
    assert tc.check(said(drawn), NETWORK).feasible == bool(points.size)


@given(anything)
def test_intervals_are_the_extremes_of_the_corners(drawn: Drawn) -> None:
    points = naive.corners(drawn[1], TABLES[drawn[0]][1])
    assume(points.size)
    found = intervals(tc.check(said(drawn), NETWORK), drawn[0])
    assert_allclose(found, np.column_stack([points.min(axis=0), points.max(axis=0)]), atol=1e-9)


@given(anything)
def test_redundant_rules_hold_at_every_corner_of_the_others(drawn: Drawn) -> None:
    name, rules = drawn
    rows = TABLES[name][1]
    assume(naive.corners(rules, rows).size)
    found = tc.check(said(drawn), NETWORK).redundant
    assert list(found) == naive.redundant(rules, rows)
    for number, others in found.items():
        assert not set(others) & set(found)
        assert naive.holds(rules[number], naive.corners([rules[o] for o in others], rows))


@given(anything)
def test_the_interior_forces_what_all_corners_share(drawn: Drawn) -> None:
    name, rules = drawn
    points = naive.corners(rules, TABLES[name][1])
    assume(points.size)
    bound = bind(rules_of(said(drawn)), CELLS)
    blocks = blocks_of(bound)
    inside = relative_interior(blocks)
    local = blocks.cells - CELLS.starts[name]
    assert inside.feasible.all()
    assert inside.zero.tolist() == (points[:, local].max(axis=0) < 1e-9).tolist()
    for row, number in enumerate(blocks.rules.rule):
        ((factors, sign, limit),) = rules[number]
        always = bool((np.abs(points @ np.array(factors) - limit) < 1e-9).all())
        assert inside.tight[row] == (always and sign != "=")
    slack = blocks.rules.limits - blocks.rules.values(inside.point)
    loose = ~blocks.rules.equal & ~inside.tight
    assert (slack[loose] > 1e-6).all()
    assert (inside.point[~inside.zero] > 1e-6).all()
    assert blocks.rules.excess(inside.point).max() < 1e-9
    assert_allclose(np.bincount(blocks.row, inside.point), 1, atol=1e-9)


@given(rule_sets("X", 3, 5))
def test_no_smaller_set_conflicts(drawn: Drawn) -> None:
    the_set_is_smallest(drawn)


@pytest.mark.full
@given(rule_sets("X", 6, 8))
def test_no_smaller_set_conflicts_among_many(drawn: Drawn) -> None:
    the_set_is_smallest(drawn)


def the_set_is_smallest(drawn: Drawn) -> None:
    name, rules = drawn
    rows = TABLES[name][1]
    assume(not naive.corners(rules, rows).size)
    with pytest.raises(tc.ConflictError) as caught:
        check_feasible(bind(rules_of(said(drawn)), CELLS))
    guilty = list(caught.value.rules)
    numbers = [said(drawn).split("\n").index(text) for text in guilty]
    assert not naive.corners([rules[number] for number in numbers], rows).size
    assert len(guilty) == naive.fewest_conflicting(rules, rows)


@given(anything)
def test_a_further_rule_never_widens_an_interval(drawn: Drawn) -> None:
    name, rules = drawn
    assume(len(rules) > 1 and naive.corners(rules, TABLES[name][1]).size)
    fewer = tc.check(said((name, rules[:-1])), NETWORK)
    more = tc.check(said(drawn), NETWORK)
    low, high = intervals(more, name).T
    assert (low >= intervals(fewer, name)[:, 0] - 1e-9).all()
    assert (high <= intervals(fewer, name)[:, 1] + 1e-9).all()


@given(anything, st.randoms(use_true_random=False))
def test_the_order_of_rules_changes_no_interval(drawn: Drawn, random: object) -> None:
    name, rules = drawn
    shuffled = list(rules)
    random.shuffle(shuffled)
    before, after = (tc.check(said((name, each)), NETWORK) for each in (rules, shuffled))
    assert before.feasible == after.feasible
    assert_allclose(intervals(before, name), intervals(after, name), atol=1e-9)
