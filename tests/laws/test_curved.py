"""Rules that are not linear mean what they say: against every case of the joint distribution."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_curved
from naive_rules import World
from tacit.core.dag import Dag
from tacit.core.errors import KnowledgeError
from tacit.core.variables import Discrete
from tacit.estimate.curved.events import contraction
from tacit.estimate.curved.functions import Functions, functions_of
from tacit.knowledge.applying import rule
from tacit.knowledge.binding import bind, bound_but_false
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import Event
from tacit.knowledge.expansion import expansion
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.statements import Compare, Expression, Factors, Part, Rule
from tacit.knowledge.terms import Probability, Term, Word

NAMES = "ABCDE"


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Few variables that depend on each other, with numbers of which none is 0."""
    names = NAMES[: draw(st.integers(2, 5))]
    states = {
        name: tuple(f"{name.lower()}{at}" for at in range(draw(st.integers(2, 3))))
        for name in names
    }
    parents: dict[str, tuple[str, ...]] = {}
    for at, name in enumerate(names):
        above = st.lists(st.sampled_from(names[:at]), unique=True, max_size=2)
        parents[name] = tuple(draw(above)) if at else ()
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    theta = {}
    for name in names:
        rows = itertools.product(*(states[parent] for parent in parents[name]))
        theta[name] = {
            (*row, state): float(chance)
            for row in rows
            for state, chance in zip(
                states[name], random.dirichlet(np.full(len(states[name]), 3.0)), strict=True
            )
        }
    return World(states, parents, theta)


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


def curved(world: World, bound: Bound) -> Functions:
    return functions_of(bound, Dag(world.parents))


@st.composite
def terms(draw: st.DrawFn, world: World, name: str) -> Term:
    states, word = world.states[name], Word(name)
    kind = draw(st.sampled_from(["free", "one", "one", "one", "set", "not"]))
    if kind == "free":
        return Term(word, starred=draw(st.booleans()))
    if kind == "one":
        return Term(word, (Word(draw(st.sampled_from(states))),))
    some = draw(st.lists(st.sampled_from(states), min_size=1, max_size=2, unique=True))
    return Term(word, tuple(map(Word, some)), negated=kind == "not" and len(some) < len(states))


@st.composite
def probabilities(draw: st.DrawFn, world: World) -> Probability:
    names = draw(st.lists(st.sampled_from(list(world.states)), min_size=1, max_size=3, unique=True))
    cut = draw(st.integers(1, len(names)))
    said = [draw(terms(world, name)) for name in names]
    return Probability(tuple(said[:cut]), tuple(said[cut:]))


@st.composite
def expressions(draw: st.DrawFn, world: World, depth: int = 1) -> Expression:
    parts = []
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(["number", "plain", "product"]))
        factor = draw(st.sampled_from([-1.0, 0.5, 1.0, 2.0]))
        if kind == "number" or (kind == "product" and not depth):
            parts.append(Part(factor))
        elif kind == "plain":
            parts.append(Part(factor, draw(probabilities(world))))
        else:
            many = st.lists(operands(world, depth - 1), min_size=1, max_size=2).map(tuple)
            parts.append(Part(factor, Factors(draw(many), draw(st.one_of(st.just(()), many)))))
    return Expression(tuple(parts))


def operands(world: World, depth: int) -> st.SearchStrategy[Any]:
    plain = probabilities(world)
    rest = expressions(world, 0)
    brackets = st.tuples(plain, rest).map(lambda both: _begun(*both))
    return st.one_of(plain, plain, brackets) if depth == 0 else plain


def _begun(first: Probability, rest: Expression) -> Expression:
    """A sum that begins with a probability."""
    return Expression((Part(1.0, first), *rest.parts))


@st.composite
def comparisons(draw: st.DrawFn, world: World) -> Compare:
    """A chain in which something is said of a probability at every place."""
    signs = draw(st.lists(st.sampled_from(["=", "<=", ">="]), min_size=1, max_size=2))
    sides = [
        _begun(draw(probabilities(world)), draw(expressions(world))) for _ in range(len(signs) + 1)
    ]
    return Compare(tuple(sides), tuple(signs))


def bound_of(world: World, statement: Compare) -> tuple[Bound, dict[int, str]] | None:
    """The statement bound, and whether it is false; None where it divides by (almost) 0."""
    for side in statement.sides:
        for part in side.parts:
            below = part.of.under if isinstance(part.of, Factors) else ()
            for each in below:
                whole = each if isinstance(each, Expression) else Expression((Part(1.0, each),))
                zero = Compare((whole, Expression((Part(0.0),))), ("=",))
                if min(naive_curved.gaps(world, zero)) < 1e-3:
                    return None
    try:
        return bound_but_false([Rule(statement)], cells_of(world))
    except KnowledgeError as error:
        if "hold at 0" in str(error) or "divides by zero" in str(error):
            return None
        raise


@given(st.data())
def test_a_rule_is_missed_by_what_the_joint_distribution_says(data):
    world = data.draw(worlds())
    statement = data.draw(comparisons(world))
    if (read := bound_of(world, statement)) is None:
        return
    bound, false = read
    missed = np.array(naive_curved.gaps(world, statement))
    assert not false or missed.max() > 0
    if false:
        return
    found = curved(world, bound)
    ours = np.concatenate([found.excess(theta_of(world)), bound.rows.excess(theta_of(world))])
    assert (ours.max(initial=0.0) > 1e-9) == (missed.max() > 1e-9)
    if not len(bound.rows) and len(found) == missed.size:
        assert_allclose(np.sort(ours), np.sort(np.maximum(missed, 0.0)), rtol=1e-9, atol=1e-11)
        assert (found.values(theta_of(world)) > 1e-9).any() <= (missed.max() > 0)


@given(st.data())
def test_slopes_and_bends_are_those_of_the_values(data):
    world = data.draw(worlds())
    statement = data.draw(comparisons(world))
    if (read := bound_of(world, statement)) is None:
        return
    bound, _ = read
    found, theta = curved(world, bound), theta_of(world)
    if len(found) > 40:
        return
    weights = np.random.default_rng(1).normal(size=len(found))
    slopes, bends = found.jacobian(theta), found.hessian(theta, weights)
    assert slopes.shape == (len(found), found.support.size)
    size = max(1.0, np.abs(slopes).max(initial=0.0), np.abs(bends).max(initial=0.0))
    for at, cell in enumerate(found.support.tolist()):
        plain = naive_curved.slope(found.values, theta, cell)
        assert_allclose(slopes[:, at], plain, atol=1e-8 * size)
        plain = naive_curved.slope(lambda there: weights @ found.jacobian(there), theta, cell)
        assert_allclose(bends[:, at], plain, atol=1e-8 * size)
    for one, cells in zip(slopes, found.touched, strict=True):
        assert set(found.support[np.flatnonzero(one)]) <= set(cells.tolist())


@given(st.data())
def test_an_event_is_summed_by_contractions_as_by_enumeration(data):
    world = data.draw(worlds())
    names = data.draw(st.lists(st.sampled_from(list(world.states)), min_size=1, unique=True))
    codes = {name: sorted(data.draw(st.sets(st.integers(0, len(world.states[name]) - 1),
                                            min_size=1))) for name in names}  # fmt: skip
    event = Event(tuple(sorted((name, tuple(held)) for name, held in codes.items())))
    found = contraction(cells_of(world), Dag(world.parents), event)
    theta = theta_of(world)
    plain = sum(
        chance
        for case, chance in naive_curved.joint(world)
        if all(world.states[name].index(case[name]) in held for name, held in codes.items())
    )
    assert_allclose(found.value(theta), plain)
    value, slopes = found.gradient(theta)
    bends = found.hessian(theta)
    assert_allclose(value, plain)
    for at, cell in enumerate(found.cells.tolist()):
        assert_allclose(slopes[at], naive_curved.slope(found.value, theta, cell), atol=1e-10)
        moved = naive_curved.slope(lambda there: found.gradient(there)[1], theta, cell)
        assert_allclose(bends[at], moved, atol=1e-10)


@given(st.data())
def test_expansions_of_curved_rules_parse_and_bind_to_the_same(data):
    world = data.draw(worlds())
    statement = data.draw(comparisons(world))
    if (read := bound_of(world, statement)) is None:
        return
    bound, false = read
    lines = expansion(bound, 0, most=10**9)
    if false or not lines:
        return
    again = bind(rules_of("\n".join(lines)), cells_of(world))
    theta = theta_of(world)
    assert_allclose(curved(world, again).excess(theta),
                    np.concatenate([curved(world, bound).excess(theta)]), atol=1e-12)  # fmt: skip
    assert len(again.rows) == len(bound.rows)


@given(st.data())
def test_a_function_in_python_is_the_same_rule_as_its_text(data):
    """log(p / q) <= log 2 wherever p <= 2 q; and its derivatives, with and without a gradient."""
    world = data.draw(worlds())
    p, q = data.draw(probabilities(world)), data.draw(probabilities(world))
    plain = rule(lambda p, q: math.log(p / q), [str(p), str(q)], at_most=math.log(2.0))
    told = rule(lambda p, q: math.log(p / q), [str(p), str(q)], at_most=math.log(2.0),
                gradient=lambda p, q: (1 / p, -1 / q))  # fmt: skip
    cells, theta = cells_of(world), theta_of(world)
    one, two = (curved(world, bind([each], cells)) for each in (plain, told))
    text = Compare((Expression((Part(1.0, p),)), Expression((Part(2.0, q),))), ("<=",))
    missed = np.array(naive_curved.gaps(world, text))
    values = one.values(theta)
    assert values.size == missed.size
    assert_allclose(np.sort(values > 1e-9), np.sort(missed > 1e-9))
    if (one.atoms.values(theta) > 0.999).any():  # a sum over all states: on the edge
        return
    assert_allclose(one.jacobian(theta), two.jacobian(theta), rtol=1e-6, atol=1e-7)
    weights = np.ones(values.size)
    bends = two.hessian(theta, weights)
    assert_allclose(
        one.hessian(theta, weights), bends, rtol=1e-5, atol=1e-6 + 1e-5 * np.abs(bends).max()
    )
    for at, cell in enumerate(two.support.tolist()):
        slope = naive_curved.slope(two.values, theta, cell, step=1e-5)
        assert_allclose(two.jacobian(theta)[:, at], slope, rtol=1e-6, atol=1e-6)
