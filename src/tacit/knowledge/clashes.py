"""Rules about structure that contradict each other: the fewest of them, and why.

The arcs that rules require are the least that a dag can have. So some dag obeys all rules if and
only if these arcs form no cycle, none of them is ruled out, and no variable has too many parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TypeAlias

import numpy as np

from tacit.arrays import Bools
from tacit.knowledge.claims import Claim, claims_of
from tacit.knowledge.conflicts import LONG, MOST, Conflict, conflict_error
from tacit.knowledge.cycles import cyclic, shortest_cycle
from tacit.knowledge.reasons import Reasons, gathered
from tacit.knowledge.statements import Rule

Arc: TypeAlias = tuple[int, int]
_TRIED, _WORK = 2_000, 200_000_000
"""So many sets of rules, and pairs of variables in all, are tried to prove that none is smaller."""


@dataclass(frozen=True, slots=True)
class Clash:
    """One contradiction.

    kind    "own parent", "ruled out", "too many" or "cycle"
    arcs    the required arcs that make it, those of a cycle in its order
    claims  the numbers of the claims behind it
    """

    kind: str
    arcs: tuple[Arc, ...]
    claims: tuple[int, ...]


def check_consistent(rules: Sequence[Rule], names: Sequence[str], whole: str = "") -> None:
    """Nothing if some dag over these variables obeys all rules about structure, else an error."""
    check_claims(claims_of(rules, names, whole), names)


def check_claims(claims: Sequence[Claim], names: Sequence[str]) -> None:
    """Nothing if some dag obeys all claims, else an error that shows the fewest that no dag can."""
    if found := structural_conflicts(claims, names):
        raise conflict_error(found, 0)


def structural_conflicts(claims: Sequence[Claim], names: Sequence[str]) -> tuple[Conflict, ...]:
    """Conflicts that have no rule in common; none if some dag obeys all claims."""
    from tacit.knowledge.clash_words import explained

    left, found = list(claims), list[Conflict]()
    while len(found) < MOST and (core := _core(left, names)):
        chosen, proven = _smallest(left, core, names)
        reasons = gathered(chosen, names)
        found.append(explained(chosen, reasons, _clashes(reasons)[0], proven))
        taken = set(map(id, chosen))
        left = [claim for claim in left if id(claim) not in taken]
    return tuple(found)


def _core(claims: Sequence[Claim], names: Sequence[str]) -> tuple[Claim, ...]:
    """Claims that contradict each other, none of which can be left out; none if there are none."""
    clashes = _clashes(gathered(claims, names))
    if not clashes:
        return ()
    own = [claims[number] for number in min(clashes, key=lambda clash: len(clash.claims)).claims]
    if len(own) > LONG or all(_single(claim) for claim in own):
        return tuple(own)
    at = 0
    while at < len(own):
        fewer = own[:at] + own[at + 1 :]
        if _clashes(gathered(fewer, names)):
            own = fewer
        else:
            at += 1
    return tuple(own)


def _smallest(
    claims: Sequence[Claim], core: tuple[Claim, ...], names: Sequence[str]
) -> tuple[tuple[Claim, ...], bool]:
    """The fewest claims that contradict each other, and whether that is proven."""
    about = _involved(claims, gathered(claims, names))
    if all(_single(claim) for claim in about):  # the shortest cycle, the fewest parents
        return core, True
    sizes = range(1, min(len(core), LONG))
    tries = sum(comb(len(about), size) for size in sizes)
    if tries > _TRIED or tries * len(names) ** 2 > _WORK:
        return core, False
    for size in sizes:
        for chosen in combinations(about, size):
            if _clashes(gathered(chosen, names)):
                return chosen, True
    return core, True


def _single(claim: Claim) -> bool:
    """Whether a claim requires one arc at most, so that what it says cannot be said by fewer."""
    return sum(len(pairs.tails) * len(pairs.heads) for pairs in claim.required) <= 1


def _involved(claims: Sequence[Claim], reasons: Reasons) -> list[Claim]:
    """Claims that a conflict may need: those that require what cannot be, and those that bound it.

    Where a rule that only forbids is in a conflict, two rules are, and no smaller one needs it.
    """
    required = reasons.requiring >= 0
    crowded = required.sum(axis=0) > reasons.most
    inside = cyclic(required)
    bad = required & ((reasons.forbidding >= 0) | crowded | np.outer(inside, inside))
    np.fill_diagonal(bad, np.diag(required))
    return [
        claim
        for claim in claims
        if any(bad[np.ix_(pairs.tails, pairs.heads)].any() for pairs in claim.required)
        or (claim.bounded is not None and crowded[list(claim.bounded.heads)].any())
    ]


def _clashes(reasons: Reasons) -> list[Clash]:
    """Some contradiction of each kind; none where all claims can hold together."""
    required = reasons.requiring >= 0
    found = (look(reasons, required) for look in (_own, _ruled_out, _too_many, _cycle))
    return [clash for clash in found if clash is not None]


def _own(reasons: Reasons, required: Bools) -> Clash | None:
    which = np.flatnonzero(np.diag(required))
    return _clash(reasons, "own parent", [(int(which[0]), int(which[0]))]) if which.size else None


def _ruled_out(reasons: Reasons, required: Bools) -> Clash | None:
    tails, heads = np.nonzero(required & (reasons.forbidding >= 0))
    if not tails.size:
        return None
    first = np.argmax(reasons.requiring[tails, heads] == reasons.forbidding[tails, heads])
    arc = int(tails[first]), int(heads[first])
    return _clash(reasons, "ruled out", [arc], int(reasons.forbidding[arc]))


def _too_many(reasons: Reasons, required: Bools) -> Clash | None:
    """A variable with too many required parents: those that rules require most of at once first."""
    crowded = np.flatnonzero(required.sum(axis=0) > reasons.most)
    clashes = []
    for head in crowded.tolist():
        tails = np.flatnonzero(required[:, head])
        who = reasons.requiring[tails, head]
        often = np.bincount(who)[who]
        order = np.lexsort((tails, who, -often))[: int(reasons.most[head]) + 1]
        arcs = [(tail, head) for tail in sorted(tails[order].tolist())]
        clashes.append(_clash(reasons, "too many", arcs, int(reasons.bounding[head])))
    return min(clashes, key=lambda clash: len(clash.claims), default=None)


def _cycle(reasons: Reasons, required: Bools) -> Clash | None:
    loop = shortest_cycle(required & ~np.eye(len(required), dtype=np.bool_))
    if loop is None:
        return None
    arcs = list(zip(loop, (*loop[1:], loop[0]), strict=True))
    return _clash(reasons, "cycle", arcs)


def _clash(reasons: Reasons, kind: str, arcs: Sequence[Arc], *more: int) -> Clash:
    claims = {int(reasons.requiring[arc]) for arc in arcs} | set(more)
    return Clash(kind, tuple(arcs), tuple(sorted(claims)))
