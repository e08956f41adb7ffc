"""What is borrowed for every table: from which fragment, how sure, worth how many cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import listed
from tacit.core.grid import counted
from tacit.core.variables import Discrete
from tacit.estimate.transfer.aggregation import mapped
from tacit.estimate.transfer.alignment import aligned
from tacit.estimate.transfer.choosing import Candidate, Judge, Wanted, Weigher, candidates
from tacit.estimate.transfer.compatible import broken_rules, exact_interval, most_likely
from tacit.estimate.transfer.fitness import compared_under
from tacit.estimate.transfer.fragments import Fragment, Match, matches
from tacit.knowledge.bound import Bound
from tacit.learn.loans import Loan
from tacit.learn.told import flat


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The tables that want to borrow.

    counts, alpha  per variable
    bound          rules, over cells numbered table by table
    """

    families: Mapping[str, tuple[Discrete, ...]]
    counts: Mapping[str, Floats]
    alpha: Mapping[str, Floats]
    bound: Bound | None


def offers(
    target: Target,
    name: str,
    fragments: Sequence[Fragment],
    transfer: Any,
    weigh: Weigher | None = None,
) -> list[Candidate]:
    """All candidates for one table, the best first.

    weigh: how well counts fit, if not by the Bayes factor
    """
    axes = target.families[name]
    shape = tuple(len(axis.states) for axis in axes)
    parents = tuple(axis.name for axis in axes[:-1])
    wanted = Wanted(name, parents, target.counts[name], compared_under(target.alpha[name]))
    offered: list[Match] = []
    for fragment in fragments:
        offered += matches(fragment, shape)
        if transfer.states != "same":
            offered += mapped(fragment, shape, relabel=transfer.states == "relabel")
        if transfer.parents == "align":
            offered += aligned(fragment, shape)
    if weigh is None and getattr(transfer, "guided", False):
        weigh = _guided(target, name)
    check = "strict" if getattr(transfer, "printed", False) else transfer.check
    return candidates(wanted, offered, _judge(target, name, check), weigh, transfer.names)


def _judge(target: Target, name: str, check: str) -> Judge:
    """Which rules a source's table cannot keep, the other tables being what the cases allow."""
    bound = target.bound
    if bound is None or check == "none" or not len(bound.rows):
        return lambda _: np.zeros(0, dtype=np.int64)
    cells = bound.cells
    block = cells.block(name).ravel()
    rows = bound.rows
    mine = np.flatnonzero(np.bincount(rows.owner, np.isin(rows.cells, block), len(rows)) > 0)
    if not mine.size:
        return lambda _: np.zeros(0, dtype=np.int64)
    said = rows.chosen(mine)
    intervals = {each: exact_interval(target.counts[each]) for each in target.counts}
    low = flat(cells, {each: ends[0] for each, ends in intervals.items()})
    high = flat(cells, {each: ends[1] for each, ends in intervals.items()})

    def judge(counts: Floats) -> Ints:
        lower, upper = most_likely(counts) if check == "strict" else exact_interval(counts)
        low[block], high[block] = lower.ravel(), upper.ravel()
        return broken_rules(said, low, high)

    return judge


def _guided(target: Target, name: str) -> Weigher | None:
    """ln BF with the prior held to the rules of this table: E(N_s + N_t) - E(N_s) - E(N_t), where
    E is the log marginal likelihood under the rules. [EXT-5]"""
    if target.bound is None:
        return None
    from tacit.learn.guided import guided

    return guided(target, name)


def loan_of(candidate: Candidate, probability: float, strength: float) -> Loan:
    """What is taken from a candidate, its cases counted so much."""
    match = candidate.match
    fragment = match.fragment
    return Loan(
        source=fragment.source,
        fragment=fragment.child,
        order=tuple(fragment.parents[at] if at >= 0 else "*" for at in match.order),
        cases=fragment.cases,
        worth=strength * fragment.cases,
        log_factor=candidate.log_factor,
        probability=probability,
        nominal=fragment.nominal,
        mapped=", ".join(_changes(match)),
    )


def _changes(match: Match) -> Iterator[str]:
    """What was done to the fragment to make it fit, in words."""
    changed = sum(each is not None for each in match.states)
    if changed:
        yield f"states of {counted(changed, 'variable')} taken together"
    parents = match.fragment.parents
    summed = [name for at, name in enumerate(parents) if at not in match.order]
    if summed:
        yield f"{listed(summed)} summed out"


def refusals(found: Sequence[Candidate], bound: Bound | None) -> tuple[tuple[str, str, str], ...]:
    """The fragments that rules excluded, each with the first rule that did."""
    if bound is None:
        return ()
    told: dict[tuple[str, str], str] = {}
    for each in found:
        if not each.allowed:
            fragment = each.match.fragment
            text = " ".join(bound.rules[int(each.broken[0])].text.split())
            told.setdefault((fragment.source, str(fragment)), text)
    return tuple((*key, text) for key, text in told.items())
