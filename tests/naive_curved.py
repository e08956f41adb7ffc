"""What rules that are not linear mean, spelled out slowly: every case of the joint distribution.

A world is that of `naive_rules`. P(A=a | B=b) is the cell of a row where B are parents of A, with
the parents that are not named quantified; any other probability is counted over all cases.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from naive_rules import World, allowed
from tacit.knowledge import statements as said
from tacit.knowledge.terms import Probability, Term, Word


def joint(world: World) -> list[tuple[dict[str, str], float]]:
    """Every case, and its probability."""
    found = []
    for states in itertools.product(*world.states.values()):
        case = dict(zip(world.states, states, strict=True))
        chance = 1.0
        for name, who in world.parents.items():
            chance *= world.theta[name][(*(case[parent] for parent in who), case[name])]
        found.append((case, chance))
    return found


def is_row(world: World, probability: Probability) -> bool:
    target, *more = probability.targets
    parents = world.parents[target.variable.text]
    named = {term.variable.text for term in probability.given}
    return not more and named <= set(parents) and bool(named or not parents)


def slots(world: World, probability: Probability) -> list[tuple[str, frozenset[str]]]:
    """What is quantified: conditions, parents that a row does not name, targets that are free."""
    given = list(probability.given)
    if is_row(world, probability):
        named = {term.variable.text for term in given}
        parents = world.parents[probability.targets[0].variable.text]
        given += [Term(Word(parent)) for parent in parents if parent not in named]
    free = [term for term in probability.targets if term.states is None]
    return [(term.variable.text, allowed(world, term)) for term in (*given, *free)]


def value(world: World, probability: Probability, at: dict[Any, str]) -> float:
    """P(targets | given) where every quantified slot has the state that `at` gives it."""
    fixed = {name: at[name, states] for name, states in slots(world, probability)}
    held = {
        term.variable.text: allowed(world, term)
        for term in probability.targets
        if term.variable.text not in fixed
    }
    given = {name: state for name, state in fixed.items()
             if name not in {term.variable.text for term in probability.targets}}  # fmt: skip
    if is_row(world, probability):
        name = probability.targets[0].variable.text
        row = tuple(given[parent] for parent in world.parents[name])
        wanted = held[name] if name in held else {fixed[name]}
        return sum(world.theta[name][(*row, state)] for state in wanted)
    below = [(case, p) for case, p in joint(world) if all(case[n] == s for n, s in given.items())]
    both = sum(
        p
        for case, p in below
        if all(case[n] == s for n, s in fixed.items())
        and all(case[n] in s for n, s in held.items())
    )
    return both / sum(p for _, p in below)


def total(world: World, expression: said.Expression, at: dict[Any, str]) -> float:
    return sum(part.factor * _of(world, part.of, at) for part in expression.parts)


def _of(world: World, of: Any, at: dict[Any, str]) -> float:
    match of:
        case None:
            return 1.0
        case Probability():
            return value(world, of, at)
        case said.Expression():
            return total(world, of, at)
        case said.Factors(over, under):
            up = np.prod([_of(world, each, at) for each in over])
            return float(up / np.prod([_of(world, each, at) for each in under]))
    raise AssertionError(of)


def inside(part: Any) -> list[Probability]:
    """All probabilities of an expression, a product, a statement."""
    match part:
        case Probability():
            return [part]
        case tuple():
            return [p for each in part for p in inside(each)]
        case said.Expression(parts):
            return [p for each in parts for p in inside(each.of)]
        case said.Factors(over, under):
            return inside((over, under))
    return []


def gaps(world: World, rule: said.Compare) -> list[float]:
    """left - right, turned round for >=, of every two neighbours and all that is quantified."""
    found = []
    for left, sign, right in zip(rule.sides[:-1], rule.signs, rule.sides[1:], strict=True):
        indices = sorted({s for p in inside((left, right)) for s in slots(world, p)}, key=repr)
        for chosen in itertools.product(*(sorted(states) for _, states in indices)):
            at = dict(zip(indices, chosen, strict=True))
            gap = total(world, left, at) - total(world, right, at)
            found.append({"=": abs(gap), "<=": gap, ">=": -gap}[sign])
    return found


def slope(function: Any, theta: Any, cell: int, step: float = 1e-4) -> Any:
    """The derivative by one cell, by differences of fourth order."""
    move = np.zeros(theta.size)
    move[cell] = step
    near, far = function(theta + move) - function(theta - move), function(theta + 2 * move)
    return (8 * near - far + function(theta - 2 * move)) / (12 * step)
