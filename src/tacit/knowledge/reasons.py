"""Which rule forces, forbids or bounds what a search may do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Ints
from tacit.core.errors import listed
from tacit.core.grid import counted
from tacit.knowledge.claims import Claim, Pairs
from tacit.knowledge.statements import Rule
from tacit.knowledge.structural import arrow
from tacit.knowledge.wording import written

_SHOWN, _LONGEST = 6, 100


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """Numbers of rules, -1 where there is none; arcs stand as [tail, head].

    requiring   (n, n)  a rule that requires the arc
    forbidding  (n, n)  one that rules it out: forbidden, against an order, allowed by no rule, or
                        from a parent that the rules about a table do not name
    bounding    (n,)    the rule that says how many parents there may be
    most        (n,)    and how many
    """

    names: tuple[str, ...]
    rules: tuple[Rule, ...]
    requiring: Ints
    forbidding: Ints
    bounding: Ints
    most: Ints

    @property
    def required(self) -> dict[tuple[str, str], Rule]:
        """Every arc that must be, with a rule that says so."""
        return self._named(self.requiring)

    @property
    def forbidden(self) -> dict[tuple[str, str], Rule]:
        """Every arc that cannot be, with a rule that says so."""
        return self._named(self.forbidding)

    @property
    def bounded(self) -> dict[str, Rule]:
        """Every variable whose number of parents is bounded, with the rule of the least bound."""
        which = np.flatnonzero(self.bounding >= 0).tolist()
        return {self.names[at]: self.rules[self.bounding[at]] for at in which}

    def told(self) -> tuple[str, ...]:
        """For every rule, as it was written, what it forces or forbids."""
        said: list[list[str]] = [[] for _ in self.rules]
        for verb, which in (("forces", self.requiring), ("forbids", self.forbidding)):
            for number, arcs in _by_rule(which.ravel()):
                said[number].append(f"{verb} {self._shown(arcs)}")
        for number, heads in _by_rule(self.bounding):
            said[number].append(f"bounds the parents of {self._heads(heads)}")
        return tuple(
            f"{_short(written(rule))}: {' and '.join(words) or 'adds nothing to the others'}"
            for rule, words in zip(self.rules, said, strict=True)
        )

    def _named(self, which: Ints) -> dict[tuple[str, str], Rule]:
        tails, heads = np.nonzero(which >= 0)
        return {
            (self.names[tail], self.names[head]): self.rules[which[tail, head]]
            for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)
        }

    def _shown(self, arcs: Ints) -> str:
        if arcs.size > _SHOWN:
            return counted(arcs.size, "arc")
        pairs = (divmod(arc, len(self.names)) for arc in arcs.tolist())
        return ", ".join(arrow(self.names[tail], self.names[head]) for tail, head in pairs)

    def _heads(self, heads: Ints) -> str:
        if heads.size == len(self.names) > 1:
            return "every variable"
        return listed([self.names[at] for at in heads.tolist()], _SHOWN)


def _by_rule(which: Ints) -> Iterator[tuple[int, Ints]]:
    """Every rule that is a reason, and the places where it is."""
    order = np.argsort(which, kind="stable")
    numbers, starts = np.unique(which[order], return_index=True)
    for number, places in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
        if number >= 0:
            yield number, places


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."


def gathered(claims: Sequence[Claim], names: Sequence[str], most: int | None = None) -> Reasons:
    """All claims together, whether they agree or not; of several rules the first is the reason.

    An arc that some rule requires is never ruled out by a list of allowed arcs, nor by a table.
    """
    n = len(names)
    requiring, forbidding = np.full((n, n), -1), np.full((n, n), -1)
    few = max(0, n - 1) if most is None else min(most, max(0, n - 1))
    bounding, bound = np.full(n, -1), np.full(n, few)
    allowing = np.zeros((n, n), np.bool_)
    for number, claim in enumerate(claims):
        _give(requiring, claim.required, number)
        _give(forbidding, claim.forbidden, number)
        for pairs in claim.allowed:
            allowing[np.ix_(pairs.tails, pairs.heads)] = True
        for head in claim.bounded.heads if claim.bounded is not None else ():
            if claim.most < bound[head]:
                bounding[head], bound[head] = number, claim.most
    open_ = (requiring < 0) & ~np.eye(n, dtype=np.bool_)
    for number, claim in enumerate(claims):
        for head in claim.closed:
            forbidding[open_[:, head] & (forbidding[:, head] < 0), head] = number
    first = next((number for number, claim in enumerate(claims) if claim.allowed), None)
    if first is not None:
        forbidding[open_ & ~allowing & (forbidding < 0)] = first
    np.fill_diagonal(forbidding, -1)
    rules = tuple(claim.rule for claim in claims)
    return Reasons(tuple(names), rules, requiring, forbidding, bounding, bound)


def _give(which: Ints, claimed: Sequence[Pairs], number: int) -> None:
    for pairs in claimed:
        cells = np.ix_(pairs.tails, pairs.heads)
        which[cells] = np.where(which[cells] < 0, number, which[cells])
