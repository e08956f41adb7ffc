"""Priors over dags that are products over families, as what each arc and each parent count adds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lgamma, log

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError, listed, nearest
from tacit.core.options import exact, is_number


@dataclass(frozen=True, slots=True, eq=False)
class DagTerms:
    """A prior over dags in numbers.

    by_arc   (n, n)  what the arc from the first to the second adds, in nats
    by_size  (n + 1,)  what a family with so many parents adds
    """

    by_arc: Floats
    by_size: Floats


class DagPrior(ABC):
    """How believable a dag is before any case: a sum over families, in nats."""

    @abstractmethod
    def terms(self, names: Sequence[str]) -> DagTerms:
        """The prior for these variables."""

    @abstractmethod
    def describe(self) -> str:
        """The prior as Python writes it."""


@dataclass(frozen=True, slots=True)
class ArcPenalty(DagPrior):
    """Every arc costs so many nats (Heckerman, Geiger and Chickering's kappa is exp(-nats))."""

    nats: float = 1.0

    def __post_init__(self) -> None:
        if not is_number(self.nats):
            raise OptionError(f"an arc costs a finite number of nats, not {self.nats!r}")

    def terms(self, names: Sequence[str]) -> DagTerms:
        """-nats for each arc."""
        n = len(names)
        return DagTerms(np.full((n, n), -float(self.nats)), np.zeros(n + 1))

    def describe(self) -> str:
        """The prior as Python writes it."""
        return f"ArcPenalty({exact(self.nats)})"


@dataclass(frozen=True, slots=True)
class ParentCounts(DagPrior):
    """Every number of parents is as likely as any other, and then every set of that size."""

    def terms(self, names: Sequence[str]) -> DagTerms:
        """-log(n) - log (n - 1 choose k) for k parents."""
        n = len(names)
        sizes = [-log(max(1, n)) - _log_choose(n - 1, k) for k in range(n)]
        return DagTerms(np.zeros((n, n)), np.array([*sizes, -np.inf]))

    def describe(self) -> str:
        """The prior as Python writes it."""
        return "ParentCounts()"


@dataclass(frozen=True, slots=True)
class DescriptionLength(DagPrior):
    """The code length of the graph: log n + log (n choose k) nats for k parents. [HV1 1.5]"""

    def terms(self, names: Sequence[str]) -> DagTerms:
        """-log(n) - log (n choose k) for k parents."""
        n = len(names)
        sizes = [-log(max(1, n)) - _log_choose(n, k) for k in range(n + 1)]
        return DagTerms(np.zeros((n, n)), np.array(sizes))

    def describe(self) -> str:
        """The prior as Python writes it."""
        return "DescriptionLength()"


@dataclass(frozen=True, slots=True, eq=False)
class ArcBeliefs(DagPrior):
    """How likely experts think single arcs are: {("A", "B"): 0.9} believes in A -> B.

    An arc believed with probability p adds log(p / (1 - p)); `otherwise` holds for all others, and
    0.5 adds nothing. To be certain, require or forbid an arc.
    """

    arcs: Mapping[tuple[str, str], float]
    otherwise: float = 0.5

    def __post_init__(self) -> None:
        _check_arcs(self.arcs)
        said = {f"{tail} -> {head}": belief for (tail, head), belief in self.arcs.items()}
        for what, belief in {**said, "otherwise": self.otherwise}.items():
            if not (is_number(belief) and 0 < belief < 1):
                raise OptionError(
                    f"the belief in {what} must lie between 0 and 1, not {belief!r}"
                    "\n\nto be certain, say require or forbid in knowledge="
                )

    def terms(self, names: Sequence[str]) -> DagTerms:
        """The log odds of each arc."""
        place = {name: at for at, name in enumerate(names)}
        odds = np.full((len(names), len(names)), log(self.otherwise / (1 - self.otherwise)))
        for (tail, head), belief in self.arcs.items():
            for name in (tail, head):
                if name not in place:
                    raise OptionError(
                        f"the prior over dags names {name!r}, which is no variable"
                        f"{nearest(name, names)}\n\nvariables: {listed(names)}"
                    )
            odds[place[tail], place[head]] = log(belief / (1 - belief))
        return DagTerms(odds, np.zeros(len(names) + 1))

    def describe(self) -> str:
        """The prior as Python writes it, long ones cut."""
        shown = listed((f"{tail} -> {head}: {p:g}" for (tail, head), p in self.arcs.items()), 4)
        return f"ArcBeliefs({{{shown}}}, otherwise={self.otherwise:g})"


def _check_arcs(arcs: object) -> None:
    shaped = isinstance(arcs, Mapping) and all(
        isinstance(arc, tuple) and len(arc) == 2 and all(isinstance(name, str) for name in arc)
        for arc in arcs
    )
    if not shaped:
        raise OptionError(
            f'tc.ArcBeliefs takes a dict from arcs to beliefs, such as {{("A", "B"): 0.9}}, '
            f"not {arcs!r:.60}"
        )


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
