"""Which fragment of which source a table is borrowed from.

Every source, every fragment of the right shape and every order of its parents is tried; the one
with the largest Bayes factor for one common table is taken, if it is at least as probable as
`threshold` that the tables are the same. [estimation 3.5, Algorithm 1]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.transfer.fitness import related, row_log_bayes_factors
from tacit.estimate.transfer.fragments import Match

TIED = 1e-9
AT_ONCE = 1_000_000
"""Cells of tables that are compared at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """A table of the target that may be borrowed.

    counts, alpha  (parents..., child) its own cases, and the prior that both sites would have
    """

    child: str
    parents: tuple[str, ...]
    counts: Floats
    alpha: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A match, the log Bayes factor for one common table, and which rules speak against it.

    log_factor  its price for mapping states already paid
    broken      numbers of rules that it cannot keep
    bonus       log of how much more a fragment of the same names is believed
    """

    match: Match
    log_factor: float
    broken: Ints
    bonus: float = 0.0

    @property
    def allowed(self) -> bool:
        """Whether no rule speaks against it."""
        return not self.broken.size


Judge = Callable[[Floats], Ints]
"""Of counts shaped like the table, the rules that they cannot keep."""
Weigher = Callable[[Floats], float]
"""Of counts shaped like the table, the log Bayes factor for one common table."""


def candidates(
    wanted: Wanted,
    offered: Iterable[Match],
    judge: Judge,
    weigh: Weigher | None = None,
    names: float = 1.0,
) -> list[Candidate]:
    """All matches, the best first; those with the same names first among equals, then by cases.

    names: how many times more a fragment of the same names is believed to be the same table
    """

    matched = list(offered)
    factors = _weighed(wanted, matched) if weigh is None else [weigh(m.counts) for m in matched]
    found = [
        Candidate(
            match,
            factor - match.price,
            judge(match.counts),
            float(np.log(names)) if _namesake(wanted, match) else 0.0,
        )
        for match, factor in zip(matched, factors, strict=True)
    ]
    ranks = {id(each): at for at, each in enumerate(found)}
    top = max((each.log_factor + each.bonus for each in found), default=0.0)

    def key(each: Candidate) -> tuple[float, int, float, int]:
        rounded = top - TIED * round((top - each.log_factor - each.bonus) / TIED)
        fragment = each.match.fragment
        return -rounded, -_namesakes(wanted, each.match), -fragment.cases, ranks[id(each)]

    return sorted(found, key=key)


def _weighed(wanted: Wanted, matched: Sequence[Match]) -> list[float]:
    """The log Bayes factor of every match, some thousands of tables at a time."""
    found: list[float] = []
    step = max(1, AT_ONCE // max(1, wanted.counts.size))
    for start in range(0, len(matched), step):
        tables = np.stack([match.counts for match in matched[start : start + step]])
        rows = row_log_bayes_factors(tables, wanted.counts, wanted.alpha)
        found += rows.reshape(len(tables), -1).sum(axis=1).tolist()
    return found


def _namesake(wanted: Wanted, match: Match) -> bool:
    """Whether all names are the same, each in its place."""
    return _namesakes(wanted, match) == 2 + len(wanted.parents)


def _namesakes(wanted: Wanted, match: Match) -> int:
    """How many names are the same: of the child, and of parents in their places."""
    parents = [match.fragment.parents[at] if at >= 0 else None for at in match.order]
    same = sum(one == other for one, other in zip(parents, wanted.parents, strict=True))
    return same + 2 * (match.fragment.child == wanted.child)


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """Candidates with the probability of each; what is left is that none fits.

    own  the probability that the table is the target's own
    """

    candidates: tuple[Candidate, ...]
    weights: Floats
    own: float


def weighted(found: Sequence[Candidate], before: Mapping[str, float], threshold: float) -> Weighted:
    """Every candidate by its probability: sources share what was believed of them evenly over
    their candidates, so that many candidates are no more believed than one. [EXT-3]

    before: per source, P(it is related) without any case
    """
    allowed = [each for each in found if each.allowed]
    per = {name: sum(each.match.fragment.source == name for each in allowed) for name in before}
    share = max(1, len({each.match.fragment.source for each in allowed}))
    logs = []
    for each in allowed:
        name = each.match.fragment.source
        believed = before[name] / share / per[name]
        logs.append(each.log_factor + each.bonus + _log(believed))
    total = sum(before[name] for name in {c.match.fragment.source for c in allowed}) / share
    none = _log(1.0 - total)
    top = max([none, *logs])
    masses = np.exp(np.array([none, *logs]) - top)
    masses /= masses.sum()
    if masses[1:].sum() < threshold:
        return Weighted((), np.zeros(0), float(masses[0]))
    return Weighted(tuple(allowed), np.asarray(masses[1:]), float(masses[0]))


def _log(probability: float) -> float:
    """Its logarithm; what cannot be stays so, whatever speaks for it."""
    return float(np.log(probability)) if probability > 0 else -np.inf


def best(
    found: Sequence[Candidate], before: Mapping[str, float], *, literal: bool = False
) -> tuple[Candidate, float] | None:
    """The allowed candidate with the largest factor, and P(one common table) given both sites.

    What is believed of a source is shared by its candidates: among many, one fits by chance.
    literal: as printed, where every candidate is believed as if it were the only one
    """
    for each in found:
        if each.allowed:
            source = each.match.fragment.source
            share = 0.0 if literal else log_share(found, source)
            return each, related(each.log_factor + each.bonus - share, before[source])
    return None


def log_share(found: Sequence[Candidate], source: str) -> float:
    """ln of how many candidates a source has; ways to map states count together as one, and
    namesakes as many times as they are believed more."""
    mine = [
        e.bonus - e.match.price for e in found if e.allowed and e.match.fragment.source == source
    ]
    return float(np.logaddexp.reduce(mine)) if mine else 0.0
