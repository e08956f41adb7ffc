"""Posteriors of regressions that rules speak of, and how probable they make the cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import log, pi

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.continuous.drawn import Drawn
from tacit.estimate.continuous.gauges import Gauge
from tacit.estimate.continuous.held import Held, held_of
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.continuous.regression import Extra
from tacit.estimate.continuous.regressions import moments_at
from tacit.estimate.continuous.restrained import Restrained
from tacit.estimate.continuous.shares import log_share
from tacit.estimate.continuous.ties import Squares
from tacit.estimate.continuous.tying import Group, Member, Ties
from tacit.estimate.continuous.walks import Walked, walked
from tacit.estimate.estimates import MAP
from tacit.learn.continuous.lines import Known
from tacit.learn.continuous.rules import squares_of
from tacit.learn.evidence import LogEvidence
from tacit.learn.fits import Evidence
from tacit.learn.posteriors import Diagnostics
from tacit.learn.whole import Asking

CLOSED = "regressions under equalities, in closed form"
ROUGH = (
    "the draws of some numbers of regressions do not agree well: means, spreads and intervals are "
    "rough; a larger draws= in tc.Sampling makes more of them"
)


@dataclass(frozen=True, slots=True, eq=False)
class Laws:
    """A group of regressions under their rules, before the cases were seen and after."""

    group: Group
    before: Restrained
    after: Restrained
    weight: float

    @staticmethod
    def of(group: Group, evidence: Mapping[str, Evidence], normal: Mapping[str, Pseudo]) -> Laws:
        """What prior and cases say of the group."""
        prior = [Squares(normal[name].moments, normal[name].freedom) for name, _ in group.members]
        seen = [moments_at(evidence[name], at) for name, at in group.members]
        known = [
            own if held.weight <= 0 else Squares(own.moments + held, own.divisor + held.weight)
            for own, held in zip(prior, seen, strict=True)
        ]
        held = held_in(group, known)
        laws = Restrained.of(held, prior), Restrained.of(held, known)
        return Laws(group, *laws, sum(each.weight for each in seen))

    def log_evidence(self, seed: int) -> tuple[float, float] | None:
        """log Z after - log Z before, and its Monte Carlo error; None where it has no closed form,
        or where the rules leave too little to be found."""
        before, after = self.before.log_constant(), self.after.log_constant()
        if before is None or after is None:
            return None
        shares = [log_share(law, seed) for law in (self.before, self.after)]
        if shares[0] is None or shares[1] is None:
            return None
        (first, wide), (second, narrow) = shares[0], shares[1]
        value = after - before - self.weight / 2 * log(2 * pi) + second - first
        return float(value), float(np.hypot(wide, narrow))


def held_in(group: Group, known: list[Squares]) -> Held:
    """What the rules leave, in coordinates that suit what is known."""
    gauges = {
        member: Gauge.of(own.moments) for member, own in zip(group.members, known, strict=True)
    }
    return held_of(group, gauges)


@dataclass(frozen=True, slots=True, eq=False)
class RuledLines:
    """What became of all groups.

    known    every regression that rules speak of
    weighed  computes the log of what the cases are worth under the rules; None where nothing can
    ways     how many groups were solved in which way
    """

    known: Mapping[Member, Known]
    weighed: Callable[[], tuple[float, float] | None]
    ways: Mapping[str, int]


def ruled_lines(
    ties: Ties | None,
    evidence: Mapping[str, Evidence],
    normal: Mapping[str, Pseudo],
    asking: Asking,
) -> RuledLines:
    """The posterior of every regression that rules speak of."""
    known: dict[Member, Known] = {}
    ways: dict[str, int] = {}
    laws = [] if ties is None else [Laws.of(each, evidence, normal) for each in ties.groups]
    modes = {} if ties is None else _modes(ties, evidence, normal)
    for number, each in enumerate(laws):
        if each.after.held.closed:
            members = enumerate(each.group.members)
            known |= {member: each.after.conjugate(at) for at, member in members}
            way = CLOSED
        else:
            found = walked(each.after, asking.sampling, asking.seed, number)
            known |= drawn_lines(each.group, found, modes)
            way = found.way
        ways[way] = ways.get(way, 0) + 1
    return RuledLines(known, _Weighed(tuple(laws), asking.seed), ways)


def drawn_lines(group: Group, found: Walked, modes: Mapping[Member, Floats]) -> dict[Member, Known]:
    """The draws of each regression, with its sd for its variance."""
    start, known = 0, dict[Member, Known]()
    for member, wide in zip(group.members, np.diff(group.starts) + 1, strict=True):
        here = slice(start, start + int(wide))
        values = found.values[:, here].copy()
        values[:, -1] = np.sqrt(values[:, -1])
        mode = modes.get(member, np.full(int(wide), np.nan))
        known[member] = Drawn(values, mode, found.size[here], found.rhat[here], found.error[here])
        start += int(wide)
    return known


def _modes(
    ties: Ties, evidence: Mapping[str, Evidence], normal: Mapping[str, Pseudo]
) -> dict[Member, Floats]:
    """The most probable numbers of every regression, as `tc.fit(estimate=tc.MAP())` finds them."""
    extra = {name: Extra.of(each, MAP()) for name, each in normal.items()}
    found = {}
    for group, tied in zip(
        ties.groups, ties.solved(squares_of(ties, evidence, extra)), strict=True
    ):
        for member, beta, variance in zip(group.members, tied.betas, tied.variances, strict=True):
            found[member] = np.append(beta, np.sqrt(variance))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Weighed:
    laws: tuple[Laws, ...]
    seed: int

    def __call__(self) -> tuple[float, float] | None:
        found = [each.log_evidence(self.seed) for each in self.laws]
        if any(each is None for each in found):
            return None
        values = [each for each in found if each is not None]
        total = sum(value for value, _ in values)
        return total, float(np.sqrt(sum(error**2 for _, error in values)))


@dataclass(frozen=True, slots=True, eq=False)
class Weigher:
    """Log marginal likelihood of tables and of regressions together.

    free  that of regressions without rules
    """

    tables: Callable[[], LogEvidence | None]
    ruled: Callable[[], tuple[float, float] | None]
    free: float

    def __call__(self) -> LogEvidence | None:
        found, own = self.tables(), self.ruled()
        if found is None or own is None:
            return None
        error = float(np.hypot(found.error, own[1]))
        return replace(found, value=found.value + self.free + own[0], error=error)


def diagnosed(found: Diagnostics, lines: list[Drawn], ways: Mapping[str, int]) -> Diagnostics:
    """How far numbers can be trusted, those of regressions too."""
    size = min([found.size, *(float(each.size.min()) for each in lines)])
    return replace(
        found,
        ways={**found.ways, **ways},
        size=size,
        rhat=max([found.rhat, *(float(each.rhat.max()) for each in lines)]),
        numbers=sum(int(np.isfinite(each.size).sum()) for each in lines),
        numbers_error=max([0.0, *(float(each.error.max()) for each in lines)]),
    )
