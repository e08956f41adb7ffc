"""Bound rules mean what they say: against every state of everything, one after the other."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_rules
from naive_rules import World
from tacit.core.errors import ConflictError
from tacit.core.variables import Discrete
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.expansion import expansion
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.rows import Rows
from tacit.knowledge.statements import (
    About,
    Compare,
    Expression,
    Group,
    Ignores,
    Influence,
    Level,
    Part,
    Ratios,
    Rule,
    Share,
    StateOrder,
    Synergy,
    TableOf,
    Tie,
)
from tacit.knowledge.terms import Probability, Term, Word

NAMES = "ABCDE"
FACTORS = st.sampled_from([-1.0, 0.5, 1.0, 1.0, 2.0])
NUMBERS = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Few variables, cells in quarters, rows often repeated: equalities do hold now and then."""
    names = NAMES[: draw(st.integers(2, 5))]
    states = {
        name: tuple(f"{name.lower()}{at}" for at in range(draw(st.sampled_from([3, 2, 3, 1]))))
        for name in names
    }
    parents: dict[str, tuple[str, ...]] = {}
    for at, name in enumerate(names):
        above = (
            st.lists(st.sampled_from(names[:at]), unique=True, max_size=3) if at else st.just([])
        )
        parents[name] = tuple(draw(above))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    repeated = draw(st.booleans())
    theta = {}
    for name in names:
        rows = list(itertools.product(*(states[parent] for parent in parents[name])))
        kinds = random.integers(0, 1 if repeated else 3, len(rows))
        kept = [random.multinomial(4, np.full(len(states[name]), 1 / len(states[name]))) / 4
                for _ in range(3)]  # fmt: skip
        theta[name] = {
            (*row, state): float(kept[kind][code])
            for row, kind in zip(rows, kinds, strict=True)
            for code, state in enumerate(states[name])
        }
    grouped = draw(st.sampled_from(names))
    groups = {"few": states[grouped][:2]}
    orders = {
        name: tuple(draw(st.permutations(states[name])))
        for name in names
        if draw(st.booleans()) and len(states[name]) > 1
    }
    return World(states, parents, theta, groups, orders)


def elsewhere(world: World, seed: int) -> World:
    """The same world with other numbers, none of them equal."""
    random = np.random.default_rng(seed)
    theta = {}
    for name, table in world.theta.items():
        count = len(world.states[name])
        rows = random.dirichlet(np.ones(count), len(table) // count)
        theta[name] = dict(zip(table, rows.ravel().tolist(), strict=True))
    return replace(world, theta=theta)


def cells_of(world: World) -> Cells:
    variables = {name: Discrete(name, states) for name, states in world.states.items()}
    return Cells.of(
        {
            name: tuple(variables[axis] for axis in (*world.parents[name], name))
            for name in world.states
        }
    )


def theta_of(world: World) -> Any:
    return np.array([value for table in world.theta.values() for value in table.values()])


def declarations(world: World) -> list[Rule]:
    groups = [Group(Word(name), words(states)) for name, states in world.groups.items()]
    orders = [StateOrder(Word(name), words(states)) for name, states in world.orders.items()]
    return [Rule(each) for each in (*groups, *orders)]


def bound_of(world: World, *statements: Any) -> Bound:
    return bind([*declarations(world), *map(Rule, statements)], cells_of(world))


def words(texts: Any) -> tuple[Word, ...]:
    return tuple(map(Word, texts))


@st.composite
def terms(draw: st.DrawFn, world: World, name: str) -> Term:
    states, word = world.states[name], Word(name)
    kind = draw(st.sampled_from(["free", "starred", "one", "one", "set", "not", "group"]))
    if kind == "one":
        return Term(word, (Word(draw(st.sampled_from(states))),))
    if kind == "set" or (kind == "not" and len(states) > 1):
        most = len(states) - (kind == "not")
        some = draw(st.lists(st.sampled_from(states), min_size=1, max_size=most, unique=True))
        return Term(word, words(some), negated=kind == "not")
    if kind == "group" and set(world.groups["few"]) <= set(states):
        return Term(word, (Word("few"),))
    return Term(word, starred=kind == "starred")


@st.composite
def conditions(
    draw: st.DrawFn, world: World, child: str, without: Any = (), least: int = 0
) -> tuple[Term, ...]:
    free = [name for name in world.parents[child] if name not in without]
    if not free:
        return ()
    named = draw(st.lists(st.sampled_from(free), unique=True, min_size=min(least, len(free))))
    return tuple(draw(terms(world, name)) for name in named)


@st.composite
def probabilities(draw: st.DrawFn, world: World, single: bool = False) -> Probability:
    child = draw(st.sampled_from(list(world.states)))
    target = draw(terms(world, child))
    if single:
        target = Term(Word(child), (Word(draw(st.sampled_from(world.states[child]))),))
    return Probability((target,), draw(conditions(world, child, least=1)))


@st.composite
def expressions(draw: st.DrawFn, world: World) -> Expression:
    parts = [
        Part(draw(FACTORS), draw(probabilities(world))) for _ in range(draw(st.integers(0, 2)))
    ]
    if not parts or draw(st.booleans()):
        parts.append(Part(draw(NUMBERS)))
    return Expression(tuple(parts))


@st.composite
def comparisons(draw: st.DrawFn, world: World) -> Any:
    sides = tuple(draw(expressions(world)) for _ in range(draw(st.integers(2, 3))))
    if not any(part.of for side in sides for part in side.parts):
        sides = (Expression((Part(1.0, draw(probabilities(world))),)), *sides[1:])
    if len(sides) == 2 and draw(st.booleans()):
        return About(*sides, draw(NUMBERS))
    signs = tuple(draw(st.sampled_from(["=", "<=", ">="])) for _ in sides[1:])
    return Compare(sides, signs)


@st.composite
def tables_with(draw: st.DrawFn, least: int) -> tuple[World, str]:
    """A world, and a variable in it with at least so many parents."""

    def wide(world: World) -> list[str]:
        return [name for name, who in world.parents.items() if len(who) >= least]

    world = draw(worlds().filter(wide))
    return world, draw(st.sampled_from(wide(world)))


def excess(bound: Bound, world: World) -> float:
    return float(max([0.0, *bound.rows.excess(theta_of(world))]))


def holds_alone(world: World, statement: Any) -> bool:
    """Nothing of it is false whatever the cells are: such a rule does not bind."""
    try:
        bound_of(world, statement)
    except ConflictError:
        return False
    return True


def check_comparison(data: st.DataObject) -> None:
    world = data.draw(worlds())
    statement = data.draw(comparisons(world))
    for place in (world, elsewhere(world, 1), elsewhere(world, 2)):
        expected = naive_rules.excess(place, statement)
        if holds_alone(world, statement):
            assert_allclose(excess(bound_of(place, statement), place), expected, atol=1e-12)
        else:
            assert expected > 0


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_comparison_is_broken_by_as_much_as_its_worst_case(data):
    check_comparison(data)


@pytest.mark.full
@given(st.data())
@settings(max_examples=5000, deadline=None)
def test_many_comparisons_are_broken_by_as_much_as_their_worst_cases(data):
    check_comparison(data)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_rows_are_sorted_without_zeros_and_name_their_rule(data):
    world = data.draw(worlds())
    statements = [s for s in (data.draw(comparisons(world)) for _ in range(3))
                  if holds_alone(world, s)]  # fmt: skip
    rows = bound_of(world, *statements).rows
    assert (np.diff(rows.rule) >= 0).all()
    assert (rows.factors != 0).all()
    for row in range(len(rows)):
        cells = rows.cells[rows.at[row] : rows.at[row + 1]]
        assert cells.size
        assert (np.diff(cells) > 0).all()
    alone = [bound_of(world, statement).rows for statement in statements]
    assert_allclose(rows.factors, np.concatenate([[], *(each.factors for each in alone)]))
    assert_allclose(rows.limits, np.concatenate([[], *(each.limits for each in alone)]))


def check_neighbours(world: World, statement: Any) -> None:
    """Rows are about neighbours, which are some of all pairs and imply the others."""
    for place in (world, elsewhere(world, 1), elsewhere(world, 2)):
        ours = excess(bound_of(place, statement), place)
        pairs = naive_rules.excess(place, statement)
        assert ours <= pairs + 1e-12
        assert (ours < 1e-9) == (pairs < 1e-9)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_influence_is_stochastic_dominance_of_every_pair(data):
    world, child = data.draw(tables_with(1))
    parent = data.draw(st.sampled_from(world.parents[child]))
    when = data.draw(conditions(world, child, {parent}))
    statement = Influence(Word(child), Word(parent), data.draw(st.sampled_from([1, -1])), when)
    check_neighbours(world, statement)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_synergy_is_of_every_pair_of_both_parents(data):
    world, child = data.draw(tables_with(2))
    pair = data.draw(st.permutations(world.parents[child]))[:2]
    when = data.draw(conditions(world, child, set(pair)))
    sign = data.draw(st.sampled_from([1, -1]))
    additive = Synergy("additive", sign, words(pair), Word(child), None, when)
    check_neighbours(world, additive)
    state = data.draw(st.sampled_from([None, *words(world.states[child])]))
    product = replace(additive, kind="product", state=state)
    # the neighbours' products order all others only where no cell is zero
    lifted = {
        name: {at: (value + 0.25) / 2 for at, value in table.items()}
        for name, table in world.theta.items()
    }
    world = replace(world, theta=lifted)
    (found,), theta = bound_of(world, product).products, theta_of(world)
    left, right = theta[found.left].prod(axis=0), theta[found.right].prod(axis=0)
    assert (left <= right + 1e-9).all() == (naive_rules.excess(world, product) < 1e-9)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_ignored_parents_make_rows_equal(data):
    world, child = data.draw(tables_with(1))
    some = st.lists(st.sampled_from(world.parents[child]), min_size=1, unique=True)
    parents = data.draw(some)
    when = data.draw(conditions(world, child, parents))
    statement = Ignores(Word(child), words(parents), when)
    assert (excess(bound_of(world, statement), world) == 0) == (
        naive_rules.excess(world, statement) == 0
    )


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_tied_tables_are_equal_position_by_position(data):
    world = data.draw(worlds())
    names = data.draw(st.lists(st.sampled_from(list(world.states)), min_size=2, max_size=3))
    tables = [TableOf(Word(n), words(data.draw(st.permutations(world.parents[n])))) for n in names]

    def shape(table: TableOf) -> list[int]:
        return [len(world.states[word.text]) for word in (*table.parents, table.child)]

    statement = Tie(tuple(table for table in tables if shape(table) == shape(tables[0])))
    assert (excess(bound_of(world, statement), world) == 0) == (
        naive_rules.excess(world, statement) == 0
    )


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_sharing_trees_equal_their_levels(data):
    world, child = data.draw(tables_with(1))
    states = data.draw(st.permutations(words(world.states[child])))
    cut = data.draw(st.integers(0, len(states) - 1))
    parent = data.draw(st.sampled_from(world.parents[child]))
    below = tuple(
        Level((Term(Word(parent), (Word(state),)),), tuple(states[cut:]))
        for state in world.states[parent]
    )
    rows = Probability((Term(Word(child)),), data.draw(conditions(world, child, {parent})))
    statement = Share(rows, Level((), tuple(states[:cut]), below))
    assert (excess(bound_of(world, statement), world) == 0) == (
        naive_rules.excess(world, statement) == 0
    )


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_ratios_are_multiples_of_each_other(data):
    world = data.draw(worlds())
    child = data.draw(st.sampled_from([n for n, s in world.states.items() if len(s) > 1] or ["A"]))
    if len(world.states[child]) < 2:
        return
    pair = data.draw(st.permutations(words(world.states[child])))[:2]
    sides = []
    for _ in range(data.draw(st.integers(2, 3))):
        when = data.draw(conditions(world, child, least=1))
        sides.append(tuple(Probability((Term(Word(child), (state,)),), when) for state in pair))
    statement = Ratios(tuple(sides))
    theta, gaps = theta_of(world), [0.0]
    for each in bound_of(world, statement).proportions:
        lists = theta[each.lists]
        gaps += [abs(a[0] * b[1] - a[1] * b[0]) for a, b in itertools.combinations(lists, 2)]
    assert_allclose(max(gaps), naive_rules.excess(world, statement), atol=1e-12)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_expansions_parse_and_bind_to_the_same_rows(data):
    world = data.draw(worlds())
    statement = data.draw(comparisons(world))
    if not holds_alone(world, statement):
        return
    found = bound_of(world, statement)
    lines = expansion(found, 0, most=10**9)
    again = bind(rules_of("\n".join(lines)), cells_of(world))
    assert again.rows.rule.tolist() == list(range(len(lines)))
    assert_same(found.rows, again.rows)


def assert_same(one: Rows, other: Rows) -> None:
    """Row by row the same, but that `0.2 <= P` may be written `P >= 0.2`."""
    for field in ("at", "cells", "equal"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    turn = np.where(one.equal & (one.factors[one.at[:-1]] * other.factors[one.at[:-1]] < 0), -1, 1)
    assert_allclose(one.limits, turn * other.limits, atol=1e-12)
    assert_allclose(one.factors, turn[one.owner] * other.factors)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    match value:
        case Word(text):
            return Word(names.get(text, text))
        case tuple():
            return tuple(_renamed(each, names) for each in value)
        case Compare() | About() | Expression() | Part() | Probability() | Term():
            changed = {
                name: _renamed(getattr(value, name), names) for name in value.__dataclass_fields__
            }
            return type(value)(**changed)
        case _:
            return value


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_new_names_change_nothing_but_names(data):
    world = data.draw(worlds())
    statement = data.draw(comparisons(world))
    if not holds_alone(world, statement):
        return
    names = {name: f"new {name}" for name in world.states}
    names |= {state: f"was {state}" for states in world.states.values() for state in states}
    new = World(
        {names[n]: tuple(names[s] for s in states) for n, states in world.states.items()},
        {names[n]: tuple(names[p] for p in who) for n, who in world.parents.items()},
        {},
        {name: tuple(names[s] for s in states) for name, states in world.groups.items()},
    )
    before, after = bound_of(world, statement).rows, bound_of(new, _renamed(statement, names)).rows
    for field in ("at", "cells", "factors", "limits", "equal", "rule", "sign"):
        np.testing.assert_array_equal(getattr(before, field), getattr(after, field))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_in_which_a_set_is_written_does_not_count(order):
    world = World({"A": ("a0", "a1"), "B": ("x", "y", "z", "u")}, {"A": ("B",), "B": ()}, {})

    def mass(states: list[str]) -> Expression:
        given = (Term(Word("B"), words(states)),)
        return Expression((Part(1.0, Probability((Term(Word("A"), (Word("a1"),)),), given)),))

    states = ["x", "y", "z"]
    sides = (mass(states), mass([states[at] for at in order]))
    assert len(bound_of(world, Compare(sides, ("=",))).rows) == 0
