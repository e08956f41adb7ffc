"""Which parents rules about parameters need, before there is a dag.

A statement that holds in every context of the other parents (an influence, a synergy, an
independence, a coefficient) needs the parents that it names, and more may come. One that names
rows, P(X=x | A=a), or a sharing tree holds the parents of X to those that rules name.
`table(X | A)` names all of them. Everything else speaks of the whole network and needs nothing: a
marginal P(X=x), two variables together, and a probability given what can be no parent.
[parameter rules stay valid while the structure changes, PDKX-2]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from tacit.arrays import Bools
from tacit.knowledge.claims import Claim, Pairs, claims_of
from tacit.knowledge.expressions import Coefficient, Expression, Factors, Link
from tacit.knowledge.faults import fault
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.reasons import gathered
from tacit.knowledge.statements import (
    About,
    Compare,
    Ignores,
    Influence,
    Level,
    Ratios,
    Rule,
    Share,
    Smooth,
    Synergy,
    Tie,
)
from tacit.knowledge.structural import check_name
from tacit.knowledge.terms import Probability, Term, Word

Others: TypeAlias = Literal["may come", "if named", "never"]
"""What a rule says of parents that it does not name."""


@dataclass(frozen=True, slots=True)
class Need:
    """The parents of one variable that a rule about parameters needs.

    others  whether further parents may come: any, those that other rules name, or none
    event   where these can be no parents, the rule speaks of the whole network instead
    """

    rule: Rule
    child: Word
    parents: tuple[Word, ...]
    others: Others = "may come"
    event: bool = False


@dataclass(frozen=True, slots=True)
class Needs:
    """What rules about parameters need of a dag.

    rows    the parents that each needs
    events  rules that speak, in part at least, of the whole network and so bind no parents
    """

    rows: tuple[Need, ...] = ()
    events: tuple[Rule, ...] = ()


def needs_of(knowledge: Knowledge | None, names: Sequence[str]) -> Needs:
    """Which parents the rules about parameters need; unknown variables are an error.

    P(X=x | A=a) is about rows of the table of X where A can be a parent of X. It cannot where the
    arc is forbidden, against an order, not among the allowed ones, or against the required arcs:
    then it is an event of the whole network, as it is where a dag is given.
    """
    if knowledge is None:
        return Needs()
    said = [(rule, need) for rule in knowledge.parameters for need in _needs(rule)]
    for rule, need in said:
        _check(rule, need, names)
    certain = [need for _, need in said if not need.event]
    claims = (*claims_of(knowledge.rules, names), *needed_claims(Needs(tuple(certain)), names))
    can = _can_be_parent(claims, names)
    rows: dict[tuple[int, Need], Need] = {}
    events: dict[int, Rule] = {}
    for rule, need in said:
        if not need.event or (need.parents and can(need)):
            rows.setdefault((id(rule), need), need)
        else:
            events.setdefault(id(rule), rule)
    return Needs(tuple(rows.values()), tuple(events.values()))


def needed_claims(needs: Needs, names: Sequence[str]) -> tuple[Claim, ...]:
    """The same as claims, one for each rule."""
    place = {name: at for at, name in enumerate(names)}
    by_rule: dict[int, list[Need]] = {}
    for need in needs.rows:
        by_rule.setdefault(id(need.rule), []).append(need)
    return tuple(_claim(several, place) for several in by_rule.values())


def _claim(needs: Sequence[Need], place: Mapping[str, int]) -> Claim:
    required, forbidden = list[Pairs](), list[Pairs]()
    for need in needs:
        head = place[need.child.text]
        named = [(place[word.text], word) for word in need.parents]
        required += [Pairs((at,), (head,), ((head, need.child), (at, word))) for at, word in named]
        if need.others == "never":
            inside = {head, *(at for at, _ in named)}
            outside = tuple(at for at in place.values() if at not in inside)
            forbidden.append(Pairs(outside, (head,), ((head, need.child),)))
    closed = {place[need.child.text] for need in needs if need.others == "if named"}
    return Claim(
        needs[0].rule, required=tuple(required), forbidden=tuple(forbidden),
        closed=tuple(sorted(closed)),
    )  # fmt: skip


def _check(rule: Rule, need: Need, names: Sequence[str]) -> None:
    for word in (need.child, *need.parents):
        check_name(rule, word, names)
    for word in need.parents:
        if word.text == need.child.text:
            what = "condition" if need.event else "parent"
            raise fault(rule, word, f"{word.text!r} cannot be its own {what}")


def _can_be_parent(claims: Sequence[Claim], names: Sequence[str]) -> Callable[[Need], bool]:
    """Whether the variables that a need names can all be parents, by what other claims say."""
    reasons = gathered(claims, names)
    place = {name: at for at, name in enumerate(names)}
    required: Bools = reasons.requiring >= 0
    reached: dict[int, Bools] = {}

    def below(head: int) -> Bools:
        if head not in reached:
            found = np.zeros(len(names), dtype=np.bool_)
            found[head] = True
            while (wider := found | required[found].any(axis=0)).sum() > found.sum():
                found = wider
            reached[head] = found
        return reached[head]

    def can(need: Need) -> bool:
        head = place[need.child.text]
        tails = [place[word.text] for word in need.parents]
        return bool((reasons.forbidding[tails, head] < 0).all() and not below(head)[tails].any())

    return can


def _needs(rule: Rule) -> Iterator[Need]:
    """What each part of a statement needs, whether it can be had or not."""
    for kind, needed in _NEEDED.items():
        if isinstance(rule.statement, kind):
            yield from needed(rule, rule.statement)


def _sums(rule: Rule, said: Compare | About) -> Iterator[Need]:
    for side in said.sides if isinstance(said, Compare) else (said.left, said.right):
        yield from _sum(rule, side)


def _sum(rule: Rule, said: Expression) -> Iterator[Need]:
    for part in said.parts:
        if isinstance(part.of, Coefficient):
            named = () if part.of.parent is None else (part.of.parent,)
            yield Need(rule, part.of.child, (*named, *_variables(part.of.given)))
        elif isinstance(part.of, Link):
            yield Need(rule, part.of.child, () if part.of.parent is None else (part.of.parent,))
        elif isinstance(part.of, Probability):
            yield from _row(rule, part.of)
        elif isinstance(part.of, Factors):
            for each in (*part.of.over, *part.of.under):
                yield from _row(rule, each) if isinstance(each, Probability) else _sum(rule, each)


def _row(rule: Rule, said: Probability) -> Iterator[Need]:
    """One variable given others; what is no row names no parents."""
    first, *more = said.targets
    parents = () if more else _variables(said.given)
    yield Need(rule, first.variable, parents, "if named", event=True)


def _rows(rule: Rule, said: Ratios | Smooth) -> Iterator[Need]:
    several = (
        said.of if isinstance(said, Smooth) else [each for side in said.sides for each in side]
    )
    for each in several:
        yield from _row(rule, each)


def _influence(rule: Rule, said: Influence) -> Iterator[Need]:
    yield Need(rule, said.child, (said.parent, *_variables(said.given)))


def _several(rule: Rule, said: Synergy | Ignores) -> Iterator[Need]:
    yield Need(rule, said.child, (*said.parents, *_variables(said.given)))


def _tie(rule: Rule, said: Tie) -> Iterator[Need]:
    for table in said.tables:
        yield Need(rule, table.child, table.parents, "never")


def _share(rule: Rule, said: Share) -> Iterator[Need]:
    named = (*_variables(said.rows.given), *_scopes(said.root))
    yield Need(rule, said.rows.targets[0].variable, named, "if named")


def _scopes(level: Level) -> Iterator[Word]:
    yield from _variables(level.scope)
    for below in level.children:
        yield from _scopes(below)


def _variables(terms: Sequence[Term]) -> tuple[Word, ...]:
    return tuple(term.variable for term in terms)


_NEEDED: dict[type, Callable[[Rule, Any], Iterator[Need]]] = {
    Compare: _sums,
    About: _sums,
    Ratios: _rows,
    Smooth: _rows,
    Influence: _influence,
    Synergy: _several,
    Ignores: _several,
    Tie: _tie,
    Share: _share,
}
