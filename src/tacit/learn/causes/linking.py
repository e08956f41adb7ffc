"""Rules about the strengths of links: `link(Fever, Flu) >= 0.3`, `leak(Fever) <= 0.05`.

ω = -log(1 - link) rises with the link, so bounds, equalities and orders of links are bounds,
equalities and orders of ω: the likelihood stays concave, and what is found is the optimum under all
rules together. [EST 1.9]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from tacit.core.errors import ConflictError, listed, nearest
from tacit.estimate.causes.limits import Limits, NoRoomError, room_of
from tacit.families.noisy_or import NoisyAnd, NoisyOr
from tacit.knowledge.conflicts import Conflict
from tacit.knowledge.expressions import Expression, Link
from tacit.knowledge.faults import fault
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.statements import About, Compare, Rule
from tacit.knowledge.wording import written
from tacit.learn.causes.kinds import Caused

Side: TypeAlias = int | float
"""A strength by its number (int), the leak last; or a number that bounds it (float)."""


@dataclass(frozen=True, slots=True)
class LinkRule:
    """One rule: comparisons of strengths with numbers and with each other, signs = and <=."""

    rule: Rule
    pairs: tuple[tuple[Side, str, Side], ...]

    def bind(self, limits: Limits) -> Limits:
        """The limits with what this rule says."""
        lower, upper, orders = limits.lower.copy(), limits.upper.copy(), list(limits.pairs)
        for low, sign, high in self.pairs:
            for one, other in [(low, high), (high, low)] if sign == "=" else [(low, high)]:
                if isinstance(one, int) and isinstance(other, int):
                    orders.append(np.array([one, other]))
                elif isinstance(one, int):
                    upper[one] = min(upper[one], _omega(other))
                elif isinstance(other, int):
                    lower[other] = max(lower[other], _omega(one))
        return Limits(lower, upper, np.array(orders, dtype=np.int64).reshape(-1, 2))


def _omega(link: float) -> float:
    return float("inf") if link >= 1 else float(-np.log1p(-link))


@dataclass(frozen=True, slots=True, eq=False)
class Linking:
    """Families under the rules about their links, and all other rules."""

    causes: Mapping[str, Caused]
    rules: Mapping[str, tuple[LinkRule, ...]]
    rest: Knowledge | None


def linking_of(causes: Mapping[str, Caused], knowledge: Knowledge | None) -> Linking:
    """The families with what the rules leave of their strengths."""
    if knowledge is None:
        return Linking(causes, {}, None)
    rules, others = _by_family(causes, knowledge)
    under = {
        name: replace(each, limits=_limits(rules[name], each)) if name in rules else each
        for name, each in causes.items()
    }
    rest = Knowledge(tuple(others)) if others else None
    return Linking(under, {name: tuple(each) for name, each in rules.items()}, rest)


def _by_family(
    causes: Mapping[str, Caused], knowledge: Knowledge
) -> tuple[dict[str, list[LinkRule]], list[Rule]]:
    """The rules about the links of each family, and all others."""
    rules: dict[str, list[LinkRule]] = {}
    others = []
    for rule in knowledge.rules:
        said = [] if not isinstance(rule.statement, Compare | About) else _links(rule)
        if said and said[0].child.text in causes:
            name = said[0].child.text
            rules.setdefault(name, []).append(_bound(rule, said, causes[name]))
        else:
            others.append(rule)
    return rules, others


def _links(rule: Rule) -> list[Link]:
    said = rule.statement
    sides = said.sides if isinstance(said, Compare) else ()
    if isinstance(said, About):
        sides = (said.left, said.right)
    return [part.of for side in sides for part in side.parts if isinstance(part.of, Link)]


def _bound(rule: Rule, links: Sequence[Link], caused: Caused) -> LinkRule:
    said, child = rule.statement, links[0].child
    if not issubclass(caused.kind, NoisyOr | NoisyAnd):
        raise fault(
            rule, child, f"{child.text!r} is a {caused.kind.kind}: its links are rows, no numbers",
            "rules about links speak of a noisy-or or a noisy-and",
        )  # fmt: skip
    for link in links:
        if link.child.text != child.text:
            raise fault(
                rule, link.child, "a rule about links speaks of one family",
                f"write one rule for {child.text!r} and one for {link.child.text!r}",
            )  # fmt: skip
    if not isinstance(said, Compare):
        raise fault(rule, None, "links are compared by =, <= and >=", _HOW)
    sides = [_side(rule, side, caused) for side in said.sides]
    pairs = []
    for (left, right), sign in zip(pairwise(sides), said.signs, strict=True):
        pairs.append((right, "<=", left) if sign == ">=" else (left, sign, right))
    return LinkRule(rule, tuple(pairs))


_HOW = "such as  link(Fever, Flu) >= 0.3  or  link(Fever, Flu) >= link(Fever, Cold)"


def _side(rule: Rule, side: Expression, caused: Caused) -> Side:
    match [part.of for part in side.parts]:
        case [Link() as link] if side.parts[0].factor == 1.0:
            return _number(rule, link, caused)
        case [None]:
            value = side.parts[0].factor
            if not 0 <= value <= 1:
                raise fault(rule, None, f"a link lies between 0 and 1, and {value:g} does not")
            return float(value)
    raise fault(rule, None, "links are compared as they are, not in sums or products", _HOW)


def _number(rule: Rule, link: Link, caused: Caused) -> int:
    """The number of a strength in its frame."""
    if link.parent is None:
        return len(caused.frame)
    names = [variable.name for variable in caused.frame.variables[:-1]]
    if link.parent.text not in names:
        raise fault(
            rule, link.parent,
            f"{link.parent.text!r} is no parent of {link.child.text!r}"
            f"{nearest(link.parent.text, names)}",
            f"parents of {link.child.text!r}: {listed(names)}",
        )  # fmt: skip
    return names.index(link.parent.text)


def limits_of(rules: Sequence[LinkRule], size: int) -> Limits:
    """What rules leave of so many strengths."""
    limits = Limits.none(size)
    for rule in rules:
        limits = rule.bind(limits)
    return limits


def _limits(rules: Sequence[LinkRule], caused: Caused) -> Limits:
    """The same; an error with the smallest set that conflicts if they leave nothing."""
    size = len(caused.frame) + 1
    needed = _conflicting(rules, size)
    if not needed:
        return limits_of(rules, size)
    said = "\n".join(f"    {written(each.rule)}" for each in needed)
    what = "this rule cannot hold" if len(needed) == 1 else "these rules cannot hold together"
    raise ConflictError(f"{what}\n\n{said}", tuple(each.rule.text for each in needed))


def _conflicting(rules: Sequence[LinkRule], size: int) -> list[LinkRule]:
    """Rules that cannot hold together though any fewer of them can; none if all can."""
    if not _closed(rules, size):
        return []
    needed = list(rules)
    for rule in rules:
        rest = [other for other in needed if other is not rule]
        if _closed(rest, size):
            needed = rest
    return needed


def spoken_of_links(
    causes: Mapping[str, Caused], knowledge: Knowledge
) -> tuple[tuple[Rule, ...], tuple[Conflict, ...]]:
    """The rules about links of these families, and which of them contradict each other."""
    said, found = [], []
    for name, rules in _by_family(causes, knowledge)[0].items():
        said += [each.rule for each in rules]
        needed = _conflicting(rules, len(causes[name].frame) + 1)
        if needed:
            why = "no link can be as strong as one of them wants, and no stronger than another does"
            found.append(Conflict(tuple(each.rule for each in needed), why, smallest=False))
    return tuple(said), tuple(found)


def _closed(rules: Sequence[LinkRule], size: int) -> bool:
    try:
        room_of(limits_of(rules, size))
    except NoRoomError:
        return True
    return False


def sides_met(rule: LinkRule, strengths: Sequence[float]) -> Iterator[tuple[float, float]]:
    """(value, limit) of every comparison: of a strength and its bound, of a difference and 0."""
    for low, _, high in rule.pairs:
        if isinstance(low, int) and isinstance(high, int):
            yield strengths[low] - strengths[high], 0.0
        elif isinstance(low, int):
            yield strengths[low], float(high)
        elif isinstance(high, int):
            yield strengths[high], float(low)
