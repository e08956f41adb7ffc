"""Which dags the experts allow: arcs that must be, arcs that may be, how many parents at most."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import ConflictError, OptionError, listed, quoted
from tacit.core.grid import counted
from tacit.families.counts import DENSE_CELLS
from tacit.families.table import MOST_AXES, MOST_CELLS
from tacit.knowledge.claims import Claim, claims_of
from tacit.knowledge.reasons import Reasons, gathered
from tacit.knowledge.wording import written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.knowledge.knowledge import Knowledge


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What a search may do with every pair of variables; arcs stand as [tail, head].

    required  (n, n)  arcs that every dag has
    allowed   (n, n)  arcs that a dag may have, the required ones among them, none to itself
    most      (n,)    how many parents each variable may have
    states    (n,)    how many states each has, 0 for a continuous one: families of more numbers
                      than can be kept are no choice; None: all are
    """

    names: tuple[str, ...]
    required: Bools
    allowed: Bools
    most: Ints
    states: Floats | None = None

    @staticmethod
    def none(names: Sequence[str]) -> Limits:
        """Everything is allowed."""
        n = len(names)
        free = ~np.eye(n, dtype=np.bool_)
        return Limits(tuple(names), np.zeros((n, n), np.bool_), free, np.full(n, max(0, n - 1)))

    def keeps(self, child: int, parents: Sequence[int]) -> bool:
        """Whether the numbers of the child with these parents can be kept."""
        return self.states is None or self._numbers(child, parents) <= self._room(child)

    def keeping(self, child: int, parents: Sequence[int]) -> Bools | None:
        """(n,) ... and with each variable as one more parent; None where all could be kept."""
        if self.states is None:
            return None
        most = int(np.argmax(self.states)), int(np.argmin(self.states))  # the largest of each kind
        if all(self.keeps(child, (*parents, each)) for each in most):
            return None
        each = range(len(self.names))
        return np.array([self.keeps(child, (*parents, another)) for another in each])

    def _room(self, child: int) -> float:
        assert self.states is not None
        return MOST_CELLS if self.states[child] else DENSE_CELLS

    def _numbers(self, child: int, parents: Sequence[int]) -> float:
        """How many cells the table has, or the moments by configuration of a continuous child."""
        assert self.states is not None
        states = self.states[[*parents, child]]
        if self.states[child] and len(parents) >= MOST_AXES:
            return inf
        cells, reals = prod(states[states > 0].tolist()), int((states == 0).sum())
        return float(cells if self.states[child] else cells * reals * (reals + 1))


def limits_of(
    knowledge: Knowledge | None,
    names: Sequence[str],
    most: int | None = None,
    *,
    parameters: bool = False,
) -> Limits:
    """What the rules leave to a search over these variables; a `ConflictError` if it is nothing.

    A required arc may be learned whether it is allowed or not; a forbidden one may not, even if it
    is allowed: what rules out wins.

    most        the caller's own bound on parents
    parameters  rules about tables require the parents that they name (see `needs_of`)
    """
    return limits_from(reasons_of(knowledge, names, most, parameters=parameters))


def limits_from(reasons: Reasons) -> Limits:
    """What the reasons leave."""
    required = reasons.requiring >= 0
    allowed = (reasons.forbidding < 0) & ~np.eye(len(reasons.names), dtype=np.bool_)
    return Limits(reasons.names, required, allowed, reasons.most)


def reasons_of(
    knowledge: Knowledge | None,
    names: Sequence[str],
    most: int | None = None,
    *,
    parameters: bool = False,
) -> Reasons:
    """Which rule forces or forbids each arc, for the same arguments as `limits_of`."""
    _check_most(most)
    claims = _claims(knowledge, names, parameters) if knowledge else ()
    if claims:
        from tacit.knowledge.clashes import check_claims

        check_claims(claims, names)
    reasons = gathered(claims, names, most)
    crowded = np.flatnonzero((reasons.requiring >= 0).sum(axis=0) > reasons.most)
    if crowded.size:
        raise _crowded(reasons, int(crowded[0]))
    return reasons


def _crowded(reasons: Reasons, head: int) -> ConflictError:
    tails = np.flatnonzero(reasons.requiring[:, head] >= 0)
    rules = [reasons.rules[at] for at in sorted(set(reasons.requiring[tails, head].tolist()))]
    most, who = int(reasons.most[head]), listed(quoted(reasons.names[at]) for at in tails.tolist())
    told = "\n".join(f"    {written(rule)}" for rule in rules)
    return ConflictError(
        f"at most {counted(most, 'parent')} cannot be kept: {counted(len(tails), 'parent')} of "
        f"{quoted(reasons.names[head])} must be there: {who}\n\n{told}\n\n"
        f"let a variable have {len(tails)} parents, or change or leave out rules",
        tuple(rule.text for rule in rules),
    )


def _claims(knowledge: Knowledge, names: Sequence[str], parameters: bool) -> tuple[Claim, ...]:
    claims = claims_of(knowledge.rules, names)
    if not parameters:
        return claims
    from tacit.knowledge.needs import needed_claims, needs_of

    claims = (*claims, *needed_claims(needs_of(knowledge, names), names))
    order = {id(rule): at for at, rule in enumerate(knowledge.rules)}
    return tuple(sorted(claims, key=lambda claim: order[id(claim.rule)]))


def _check_most(most: Any) -> None:
    whole = isinstance(most, int | np.integer) and not isinstance(most, bool)
    if most is not None and not (whole and most >= 0):
        raise OptionError(f"at most how many parents is a whole number from 0 on, not {most!r}")
