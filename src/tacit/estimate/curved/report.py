"""What is known about an optimum under curved rules, and what is not."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.arrays import Floats, Ints
from tacit.core.errors import EstimateError
from tacit.core.grid import counted


class NoPointError(EstimateError):
    """No tables that keep the rules were found.

    theta   those that came nearest
    missed  (constraints,) how far each is from holding there
    block   whose positions these are
    """

    def __init__(self, theta: Floats, missed: Floats) -> None:
        self.theta, self.missed = theta, missed
        self.block = -1
        super().__init__("no tables that keep these rules were found")


class EdgeError(EstimateError):
    """Rules that are not linear leave no probability to cells that have evidence.

    positions  of these cells, in block `block`
    """

    def __init__(self, positions: Ints) -> None:
        self.positions = positions
        self.block = -1
        super().__init__("rules that are not linear hold cells at 0 that have evidence")


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """A local maximum, and how many climbs ended there."""

    theta: Floats
    objective: float
    reached: int


@dataclass(frozen=True, slots=True)
class Second:
    """What another optimiser found: its best objective, how far that is above ours, in nats."""

    objective: float
    ahead: float
    agrees: bool

    def __str__(self) -> str:
        if self.agrees:
            return "SLSQP agrees"
        return (
            f"SLSQP found better, by {self.ahead:.3g} nats, and its answer was taken"
            if self.ahead > 0
            else f"SLSQP stopped {-self.ahead:.3g} nats below"
        )


@dataclass(frozen=True, slots=True, eq=False)
class CurvedReport:
    """The best tables that were found under curved rules.

    multipliers  (constraints,) d objective / d limit, in nats
    residual     by how much the KKT conditions are missed, as a share of the evidence
    starts       how many climbs there were
    roots        the local maxima that they ended in, the best first
    second       what another optimiser found; None if it was not asked, or found nothing
    proven       whether no other tables that keep the rules can be better: all rules are linear
    """

    theta: Floats
    objective: float
    multipliers: Floats
    residual: float
    starts: int
    roots: tuple[Maximum, ...]
    second: Second | None
    proven: bool

    @property
    def kind(self) -> str:
        """In a few words, what kind of optimum it is."""
        said = "proven" if self.proven else "local maximum" if self.roots else "no KKT point"
        return f"{said}; {self.second}" if self.second is not None else said

    def __str__(self) -> str:
        if self.proven:
            return "the optimum is global: all rules are linear"
        if not self.roots:
            return (
                f"the best of {counted(self.starts, 'start')}, at a point where the KKT conditions "
                "do not hold: rules meet there at an edge"
            )
        if self.starts == 1:
            return "a local maximum, reached from the one before; not proven to be global"
        other = f"; {self.second}" if self.second is not None else ""
        tail = f" from {counted(self.starts, 'start')}{other}; not proven to be global"
        if len(self.roots) == 1:
            return f"one local maximum was seen{tail}"
        times = ", ".join(str(each.reached) for each in self.roots[:6])
        more = ", ..." if len(self.roots) > 6 else ""
        return (
            f"{len(self.roots)} local maxima were seen, {times}{more} times; this is the best{tail}"
        )
