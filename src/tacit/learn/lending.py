"""Every table of the target brought to its sources: what is borrowed, and why not more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.transfer.averaging import averaged
from tacit.estimate.transfer.choosing import Candidate, best, log_share, weighted
from tacit.estimate.transfer.fitness import related
from tacit.estimate.transfer.fragments import Fragment
from tacit.learn.borrowing import Target, loan_of, offers, refusals
from tacit.learn.loans import Borrowed, Loan
from tacit.learn.sources import Source
from tacit.learn.transfers import BestFragment, Mixture, Pool

ROUNDS = 200
SETTLED = 1e-6
SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Lent:
    """What all tables borrow.

    counts   per variable the borrowed cases, as much as they are worth
    whole    per variable the cases of the fragment chosen, all of them counted
    tables   what became of each table
    related  per source how probable it is that a table of it is that of the target
    """

    counts: Mapping[str, Floats]
    whole: Mapping[str, Floats]
    tables: tuple[Borrowed, ...]
    related: Mapping[str, float]


def lend(
    target: Target,
    sources: Sequence[Source],
    fragments: Sequence[Fragment],
    transfer: BestFragment | Mixture | Pool,
) -> Lent:
    """For every table the fragments that it borrows from."""
    before = {source.name: source.related for source in sources}
    if isinstance(transfer, Pool):
        return _pooled(target, fragments, transfer, before)
    found = {name: offers(target, name, fragments, transfer) for name in target.families}
    if transfer.learned:
        before = _relatedness(list(found.values()), before)
    return _lent(target, found, before, transfer)


def _relatedness(found: Sequence[list[Candidate]], before: Mapping[str, float]) -> dict[str, float]:
    """Per source P(a table of it is that of the target), learned from all tables: the mean over
    those it has a fragment for of the probability that its best fragment fits, one for it and one
    against it added, so that no source is given up for good; and again until it stays.
    [EXT-4; Zhou, Hospedales and Fenton 2016]"""
    return {
        name: _settled([_largest(name, e) for e in found], sure) for name, sure in before.items()
    }


def _settled(factors: list[float | None], sure: float) -> float:
    if sure in (0.0, 1.0):
        return sure
    known = [each for each in factors if each is not None]
    for _ in range(ROUNDS):
        last, sure = sure, (1 + sum(related(each, sure) for each in known)) / (len(known) + 2)
        if abs(sure - last) < SETTLED:
            break
    return sure


def _largest(source: str, found: list[Candidate]) -> float | None:
    """The largest log Bayes factor among fragments of one source that rules allow, for all of
    which together it was believed to be related."""
    mine = [e for e in found if e.allowed and e.match.fragment.source == source]
    if not mine:
        return None
    return max(e.log_factor + e.bonus for e in mine) - log_share(mine, source)


def _lent(
    target: Target,
    found: Mapping[str, list[Candidate]],
    before: Mapping[str, float],
    transfer: BestFragment | Mixture,
) -> Lent:
    counts: dict[str, Floats] = {}
    whole: dict[str, Floats] = {}
    tables = []
    for name, each in found.items():
        if isinstance(transfer, BestFragment):
            taken, why = _best(each, before, transfer)
        else:
            taken, why = _mixed(each, before, transfer)
        lends = _borrowed(target, name, taken)
        if taken:
            counts[name] = np.sum(lends, axis=0)
            whole[name] = taken[0][0].match.counts
        whole_fragment = isinstance(transfer, BestFragment) and transfer.fusion == "normal"
        loans = tuple(
            loan_of(
                c,
                _probability(c, before, weight, transfer),
                1.0 if whole_fragment else float(lend.sum()) / c.match.fragment.cases,
            )
            for (c, weight), lend in zip(taken, lends, strict=True)
        )
        tables.append(_table(target, name, each, loans, why))
    return Lent(counts, whole, tuple(tables), before)


def _probability(
    candidate: Candidate,
    before: Mapping[str, float],
    weight: float,
    transfer: BestFragment | Mixture,
) -> float:
    """That the tables are the same; as printed a fragment counts fully whatever it is."""
    if isinstance(transfer, BestFragment) and transfer.printed:
        source = candidate.match.fragment.source
        return related(candidate.log_factor + candidate.bonus, before[source])
    return weight


def _borrowed(target: Target, name: str, taken: Sequence[tuple[Candidate, float]]) -> list[Floats]:
    """The cases that every candidate lends, by its probability."""
    own = target.alpha[name] + target.counts[name]
    return averaged(own, [c.match.counts for c, _ in taken], [weight for _, weight in taken])


def _table(
    target: Target, name: str, found: list[Candidate], loans: tuple[Loan, ...], why: str
) -> Borrowed:
    allowed = [each for each in found if each.allowed]
    tied = len(allowed) > 1 and abs(allowed[0].log_factor - allowed[1].log_factor) < SAME
    parents = tuple(axis.name for axis in target.families[name][:-1])
    refused = refusals(found, target.bound)
    return Borrowed(name, parents, loans, len(found), refused, tied and bool(loans), why)


def _best(
    found: list[Candidate], before: Mapping[str, float], transfer: BestFragment
) -> tuple[list[tuple[Candidate, float]], str]:
    chosen = best(found, before, literal=transfer.printed)
    if chosen is None:
        return [], _nothing(found)
    candidate, probability = chosen
    threshold = 0.0 if transfer.printed else transfer.threshold
    if probability < threshold:
        source = candidate.match.fragment.source
        return [], (
            f"the nearest fragment, {candidate.match.fragment} of {source}, is the same table "
            f"with probability {probability:.2g} only"
        )
    return [(candidate, 1.0 if transfer.printed else probability)], ""


def _mixed(
    found: list[Candidate], before: Mapping[str, float], transfer: Mixture
) -> tuple[list[tuple[Candidate, float]], str]:
    told = weighted(found, before, transfer.threshold)
    pairs = zip(told.candidates, told.weights.tolist(), strict=True)
    taken = sorted(((c, w) for c, w in pairs if w > 1e-3), key=lambda each: -each[1])
    if taken:
        return taken, ""
    if not any(each.allowed for each in found):
        return [], _nothing(found)
    if told.candidates:
        return [], "no fragment fits"
    return [], f"that some fragment is the same table has probability {1 - told.own:.2g} only"


def _nothing(found: list[Candidate]) -> str:
    if not found:
        return "no source has a fragment of this shape"
    return "rules speak against every fragment of this shape"


def _pooled(
    target: Target, fragments: Sequence[Fragment], transfer: Pool, before: Mapping[str, float]
) -> Lent:
    """Fragments of the same names, whatever they look like."""
    counts: dict[str, Floats] = {}
    tables = []
    for name in target.families:
        mine = [each for each in fragments if each.child == name]
        found = offers(target, name, mine, transfer)
        taken = {each.match.fragment.source: each for each in reversed(found)}
        if taken:
            added = [transfer.strength * each.match.counts for each in taken.values()]
            counts[name] = np.sum(added, axis=0)
        loans = tuple(loan_of(each, 1.0, transfer.strength) for each in taken.values())
        why = "" if loans else "no source has a variable of this name and shape"
        tables.append(_table(target, name, found, loans, why))
    return Lent(counts, dict(counts), tuple(tables), before)
