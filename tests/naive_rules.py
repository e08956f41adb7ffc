"""What rules mean, spelled out slowly: every state of everything, one after the other.

A world says what the words stand for and holds a number for every cell:
    states   {variable: its states}
    parents  {variable: its parents}
    theta    {variable: {(state of each parent..., state): probability}}
    groups   {name: states}, orders {variable: states from low to high}
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from tacit.knowledge import statements as said
from tacit.knowledge.terms import Probability, Term, Word


@dataclass
class World:
    states: dict[str, tuple[str, ...]]
    parents: dict[str, tuple[str, ...]]
    theta: dict[str, dict[tuple[str, ...], float]]
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def order(self, name: str) -> tuple[str, ...]:
        return self.orders.get(name, self.states[name])


def allowed(world: World, term: Term) -> frozenset[str]:
    """The states that a term names."""
    everything = frozenset(world.states[term.variable.text])
    if term.states is None:
        return everything
    named: set[str] = set()
    for word in term.states:
        named |= {word.text} if word.text in everything else set(world.groups[word.text])
    assert named <= everything
    return everything - named if term.negated else frozenset(named)


def slots(world: World, probability: Probability) -> list[tuple[str, frozenset[str]]]:
    """What is quantified in P(target | given): parents, and the target where it is free."""
    (target,) = probability.targets
    named = {term.variable.text: term for term in probability.given}
    found = [
        (parent, allowed(world, named.get(parent, Term(Word(parent)))))
        for parent in world.parents[target.variable.text]
    ]
    if target.states is None:
        found.append((target.variable.text, frozenset(world.states[target.variable.text])))
    return found


def value(world: World, probability: Probability, at: dict[Any, str]) -> float:
    """P(target | given) where every quantified slot has the state that `at` gives it."""
    (target,) = probability.targets
    name = target.variable.text
    *row, last = slots(world, probability) if target.states is None else (
        *slots(world, probability), None,
    )  # fmt: skip
    configuration = tuple(at[slot] for slot in row)
    wanted = [at[last]] if last is not None else sorted(allowed(world, target))
    return sum(world.theta[name][(*configuration, state)] for state in wanted)


def assignments(world: World, probabilities: list[Probability]) -> Any:
    """Every way to give a state to every quantified slot of a statement."""
    indices = sorted({s for p in probabilities for s in slots(world, p)}, key=repr)
    for chosen in itertools.product(*(sorted(states) for _, states in indices)):
        yield dict(zip(indices, chosen, strict=True))


def total(world: World, expression: said.Expression, at: dict[Any, str]) -> float:
    return sum(
        part.factor * (1.0 if part.of is None else value(world, part.of, at))
        for part in expression.parts
    )


def _inside(expressions: Any) -> list[Probability]:
    return [part.of for each in expressions for part in each.parts if part.of is not None]


def excess_compare(world: World, rule: said.Compare) -> float:
    worst = 0.0
    for at in assignments(world, _inside(rule.sides)):
        values = [total(world, side, at) for side in rule.sides]
        for left, right, sign in zip(values[:-1], values[1:], rule.signs, strict=True):
            gap = {"=": abs(left - right), "<=": left - right, ">=": right - left}[sign]
            worst = max(worst, gap)
    return worst


def excess_about(world: World, rule: said.About) -> float:
    return max(
        0.0,
        *(
            abs(total(world, rule.left, at) - total(world, rule.right, at)) - rule.slack
            for at in assignments(world, _inside([rule.left, rule.right]))
        ),
    )


def excess_ratios(world: World, rule: said.Ratios) -> float:
    """The largest |a d - b c| over all a : b = c : d that the rule stands for."""
    worst = 0.0
    for at in assignments(world, [p for side in rule.sides for p in side]):
        lists = [[value(world, p, at) for p in side] for side in rule.sides]
        for one, other in itertools.combinations(lists, 2):
            for i, j in itertools.combinations(range(len(one)), 2):
                worst = max(worst, abs(one[i] * other[j] - one[j] * other[i]))
    return worst


def configurations(world: World, child: str, given: tuple[Term, ...]) -> list[dict[str, str]]:
    """The rows of a table that a condition names, as {parent: state}."""
    named = {term.variable.text: allowed(world, term) for term in given}
    parents = world.parents[child]
    assert set(named) <= set(parents)
    return [
        dict(zip(parents, row, strict=True))
        for row in itertools.product(*(world.states[parent] for parent in parents))
        if all(row[parents.index(name)] in states for name, states in named.items())
    ]


def cell(world: World, child: str, row: dict[str, str], state: str) -> float:
    return world.theta[child][(*(row[parent] for parent in world.parents[child]), state)]


def tail(world: World, child: str, row: dict[str, str], cut: int) -> float:
    """P(child >= its state number `cut`) in one row."""
    return sum(cell(world, child, row, state) for state in world.order(child)[cut:])


def excess_influence(world: World, rule: said.Influence) -> float:
    """All pairs y < y', all thresholds, all contexts."""
    child, parent, worst = rule.child.text, rule.parent.text, 0.0
    for row in configurations(world, child, rule.given):
        for low, high in itertools.combinations(world.order(parent), 2):
            for cut in range(len(world.states[child])):
                gain = tail(world, child, {**row, parent: high}, cut)
                gain -= tail(world, child, {**row, parent: low}, cut)
                worst = max(worst, -rule.direction * gain)
    return worst


def excess_synergy(world: World, rule: said.Synergy) -> float:
    """All pairs of both parents: additive on every tail, product on one state."""
    child, (p, q), worst = rule.child.text, (word.text for word in rule.parents), 0.0
    for row in configurations(world, child, rule.given):
        for low, high in itertools.combinations(world.order(p), 2):
            for less, more in itertools.combinations(world.order(q), 2):
                corners = [
                    {**row, p: a, q: b}
                    for a, b in ((high, more), (low, less), (high, less), (low, more))
                ]
                if rule.kind == "additive":
                    for cut in range(len(world.states[child])):
                        hh, ll, hl, lh = (tail(world, child, each, cut) for each in corners)
                        worst = max(worst, -rule.sign * (hh + ll - hl - lh))
                else:
                    state = rule.state.text if rule.state else world.order(child)[-1]
                    hh, ll, hl, lh = (cell(world, child, each, state) for each in corners)
                    worst = max(worst, -rule.sign * (hh * ll - hl * lh))
    return worst


def excess_ignores(world: World, rule: said.Ignores) -> float:
    child, names = rule.child.text, {word.text for word in rule.parents}
    rows = configurations(world, child, rule.given)
    return max(
        abs(cell(world, child, a, state) - cell(world, child, b, state))
        for a in rows
        for b in rows
        if all(a[name] == b[name] for name in a if name not in names)
        for state in world.states[child]
    )


def excess_tie(world: World, rule: said.Tie) -> float:
    tables = []
    for table in rule.tables:
        names = [word.text for word in table.parents]
        tables.append(
            [
                cell(world, table.child.text, dict(zip(names, row, strict=True)), state)
                for row in itertools.product(*(world.states[name] for name in names))
                for state in world.states[table.child.text]
            ]
        )
    return max(abs(a - b) for t in tables for a, b in zip(tables[0], t, strict=True))


def excess_share(world: World, rule: said.Share) -> float:
    child = rule.rows.targets[0].variable.text

    def level(node: said.Level, given: list[tuple[Term, ...]]) -> float:
        given = [*given, node.scope]
        rows = [configurations(world, child, each) for each in given]
        scope = [row for row in rows[0] if all(row in each for each in rows)]
        gaps = [
            abs(cell(world, child, a, word.text) - cell(world, child, b, word.text))
            for word in node.states
            for a in scope
            for b in scope
        ]
        return max([0.0, *gaps, *(level(below, given) for below in node.children)])

    return level(rule.root, [rule.rows.given])


def excess(world: World, rule: Any) -> float:
    """How far a statement is from holding in this world; 0 where it holds."""
    return {
        said.Compare: excess_compare,
        said.About: excess_about,
        said.Ratios: excess_ratios,
        said.Influence: excess_influence,
        said.Synergy: excess_synergy,
        said.Ignores: excess_ignores,
        said.Tie: excess_tie,
        said.Share: excess_share,
    }[type(rule)](world, rule)
