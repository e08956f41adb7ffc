"""The result of a search: a fit of the dag that was found, and all that is known about the dag."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from types import MappingProxyType
from typing import Any, TypeAlias

from tacit.core.dag import Dag
from tacit.core.equivalence import Cpdag, cpdag
from tacit.core.errors import listed, quoted
from tacit.core.grid import Grid, amount, counted
from tacit.learn.fits import Fit
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.moves import Move

Arc: TypeAlias = tuple[str, str]
"""Parent and child."""
SHOWN = 40
"""Arcs that a print shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What is known of a dag beyond its parameters.

    score        of the whole dag, the prior over dags included
    families     what each variable with its parents adds to it; the sum is the score
    gains        per arc, what the score would lose without it; below 0 for one that rules force
    required     the arcs that rules force, with the rule
    missed       arcs that rules forbid, though the score would gain so much by adding them
    guidance     for every rule about structure, what it forces, forbids or bounds
    moves        every change that was made, in order
    evaluations  how many families were scored
    restarts     how often the search began anew
    confidence   the shares of bootstrap samples with each arc; None where nobody asked
    hidden       variables that nobody measured, with their numbers of states
    """

    score: float
    families: Mapping[str, float]
    gains: Mapping[Arc, float]
    evaluations: int
    required: Mapping[Arc, str] = field(default_factory=dict)
    missed: Mapping[Arc, float] = field(default_factory=dict)
    guidance: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    restarts: int = 0
    confidence: ArcConfidence | None = None
    hidden: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("families", "gains", "required", "missed", "hidden"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[type[Found], tuple[object, ...]]:
        values = (getattr(self, each.name) for each in fields(self))
        plain = (dict(each) if isinstance(each, MappingProxyType) else each for each in values)
        return Found, tuple(plain)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Search(Fit):
    """A dag that was learned, fitted to the cases.

    It is a `Fit`, so all that takes a fit takes it. Its objective is the score of the dag, its
    trace the best score after every step, and its stop says why the search ended.
    """

    found: Found = field(kw_only=True)

    @property
    def dag(self) -> Dag:
        """The dag that was found."""
        return self.network.dag

    @property
    def score(self) -> float:
        """The score of the dag, in nats."""
        return self.found.score

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every change that was made, in order."""
        return self.found.moves

    @property
    def evaluations(self) -> int:
        """How many families were scored."""
        return self.found.evaluations

    @property
    def gains(self) -> Mapping[Arc, float]:
        """What the score would lose without each arc."""
        return self.found.gains

    @property
    def confidence(self) -> ArcConfidence | None:
        """The shares of bootstrap samples with each arc; None where nobody asked."""
        return self.found.confidence

    @property
    def cpdag(self) -> Cpdag:
        """The class of dags that no score can tell from this one, as arcs and undirected links."""
        return cpdag(self.dag)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        names = (each.name for each in fields(self))
        return _remade, (dict(zip(names, Fit.__reduce__(self)[1], strict=True)),)

    def __repr__(self) -> str:
        arcs = counted(len(self.dag.arcs), "arc")
        return f"<Search: {arcs} among {counted(len(self.network), 'variable')}>"

    def __str__(self) -> str:
        arcs = str(self.arc_grid()) if self.dag.arcs else "no arcs"
        return "\n".join([*self._summary(), arcs])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in self._summary())
        return f"<ul>{lines}</ul>{self.arc_grid()._repr_html_()}"

    def arc_grid(self, most: int | None = SHOWN) -> Grid:
        """One line per arc, those that the score gains most by first."""
        order = sorted(self.dag.arcs, key=lambda arc: -self.gains.get(arc, 0.0))
        shown = order if most is None else order[:most]
        confidence = self.confidence
        headings = ["arc", "gain"] + ([] if confidence is None else ["link", "this way"])
        rows = []
        for arc in shown:
            cells = [f"{quoted(arc[0])} -> {quoted(arc[1])}", f"{self.gains.get(arc, 0.0):,.2f}"]
            if confidence is not None:
                cells += [f"{confidence.link(*arc):.2f}", f"{confidence.direction(*arc):.2f}"]
            rows.append((*cells, "required" if arc in self.found.required else ""))
        more = len(order) - len(shown)
        foot = f"  ... and {counted(more, 'more arc')}" if more else ""
        title = f"{counted(len(order), 'arc')}, with what the score gains by each, in nats"
        return Grid(title, (*headings, ""), tuple(rows), labels=1, foot=foot)

    def _summary(self) -> list[str]:
        cases, found = self.cases, self.found
        weighing = f" weighing {amount(cases.weight)}" if cases.weight != cases.cases else ""
        said = self.settings
        scored = f"{found.evaluations:,} famil{'y' if found.evaluations == 1 else 'ies'} scored"
        joint = "and" if " with " in said["method"] else "with"
        lines = [
            f"Search over {counted(cases.cases, 'case')}{weighing}, {said['method']} {joint} score "
            f"{said['score']}",
            f"score {found.score:,.2f} nats after {counted(len(found.moves), 'change')}, "
            f"{counted(found.restarts, 'restart')} and {scored}",
            f"log-likelihood {self.log_likelihood:,.2f} nats, parameters by {self.estimated()}",
        ]
        if found.required:
            lines.append(f"rules require {_arcs(tuple(found.required))}")
        if found.missed:
            best = max(found.missed, key=lambda arc: found.missed[arc])
            lines.append(
                f"rules forbid {counted(len(found.missed), 'arc')} that the score would gain by, "
                f"most {_arcs((best,))} ({found.missed[best]:+,.2f})"
            )
        return [*lines, f"stopped: {self.stop.value}", *(f"note: {note}" for note in self.notes)]


def _remade(values: Mapping[str, Any]) -> Search:
    return Search(**values)


def _arcs(arcs: Sequence[Arc]) -> str:
    return listed((f"{quoted(tail)} -> {quoted(head)}" for tail, head in arcs), 6)
