"""What the reader of a dag that was searched for should worry about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tacit.learn.fits import Fit, Stop
from tacit.learn.structure.searched import Arc, Search
from tacit.reporting.climbs import vain
from tacit.reporting.searched import HALF, LITTLE, absent
from tacit.reporting.support import Rows, inferred
from tacit.reporting.turning import NOBODY, directions
from tacit.reporting.wording import are, arrow, first, some

NAMED = 3
"""Arcs that a worry names; the sections below list all."""
SMALL = 20
"""Variables for which exact search takes seconds."""


def forced(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Arcs that rules demand, and that the score would be higher without."""
    del tables
    if not isinstance(fit, Search):
        return None
    found = {arc: fit.gains.get(arc, 0.0) for arc in fit.found.required}
    losing = sorted((gain, arc) for arc, gain in found.items() if gain < 0)
    if not losing:
        return None
    named = _named((arc, f"by {-gain:,.2f} nats") for gain, arc in losing)
    text = (
        f"rules require {some(len(losing), 'arc')} without which the score would be higher: {named}"
    )
    return _worry("forced arcs", text)


def missed(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Arcs that rules forbid though the score would gain."""
    del tables
    if not isinstance(fit, Search) or not fit.found.missed:
        return None
    found = sorted(((-gain, arc) for arc, gain in fit.found.missed.items()))
    named = _named((arc, f"{-loss:,.2f} nats") for loss, arc in found)
    each = "" if len(found) == 1 else ", each on its own"
    text = f"rules forbid {some(len(found), 'arc')} that the score would gain by{each}: {named}"
    return _worry("forbidden arcs", text)


def weak(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Arcs that nobody demands, and that the score gains little by."""
    del tables
    if not isinstance(fit, Search):
        return None
    found = sorted(
        (gain, arc)
        for arc, gain in fit.gains.items()
        if gain < LITTLE and arc not in fit.found.required
    )
    if not found:
        return None
    rests, it = ("rests", "it") if len(found) == 1 else ("rest", "each of them")
    text = (
        f"{len(found):,} of {some(len(fit.dag.arcs), 'arc')} {rests} on little, less than "
        f"{LITTLE:g} nats of the score for {it}: "
        + _named((arc, f"{gain:,.2f} nats") for gain, arc in found)
    )
    return _worry("weak arcs", text)


def unsure(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Arcs whose ends few bootstrap samples join."""
    del tables
    if not isinstance(fit, Search) or (sure := fit.confidence) is None or not sure.replicates:
        return None
    joined = sorted((sure.link(*arc), arc) for arc in fit.dag.arcs)
    found = [(share, arc) for share, arc in joined if share < HALF]
    if not found:
        return None
    join = "joins" if len(found) == 1 else "join"
    text = (
        f"{len(found):,} of {some(len(fit.dag.arcs), 'arc')} {join} variables that fewer than half "
        f"of the {some(sure.replicates, 'bootstrap sample')} link: "
        + _named((arc, f"{share:.2f}") for share, arc in found)
    )
    return _worry("unsure arcs", text)


def left_out(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Links of most bootstrap samples that the dag has not."""
    del tables
    found = absent(fit) if isinstance(fit, Search) else []
    if not found:
        return None
    named = _named(((one["parent"], one["child"]), f"{one['link']:.2f}") for one in found)
    text = (
        f"{some(len(found), 'link')} of half of the bootstrap samples or more {are(len(found))} "
        f"not in the dag: {named}"
    )
    return _worry("absent links", text)


def turning(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """Arcs that nobody points one way."""
    del tables
    if not isinstance(fit, Search):
        return None
    found = sorted(arc for arc, who in directions(fit).items() if who == NOBODY)
    if not found:
        return None
    text = (
        f"{len(found):,} of {some(len(fit.dag.arcs), 'arc')} could as well point the other way, in "
        "dags that imply the same independences: the cases do not tell cause from effect there"
    )
    return _worry("arcs that turn", text)


def local(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """A search that went from dag to dag proves nothing about those it did not see."""
    del tables
    if not isinstance(fit, Search) or fit.stop is Stop.PROVEN:
        return None
    text = "the dag is the best that was found, not proven to be the best there is"
    tried = vain(fit)
    if not fit.found.restarts:
        text += "; the search never began anew, and restarts may find a better one"
    elif tried:
        text += f"; the last {some(tried, 'restart')} found no better one"
    if len(fit.network) <= SMALL and not inferred(fit) and not fit.found.hidden:
        text += f"; among {some(len(fit.network), 'variable')} method=tc.Exact() can prove it"
    return _worry("local maximum", text)


def _worry(kind: str, text: str) -> dict[str, Any]:
    return {"kind": kind, "text": text, "where": []}


def _named(arcs: Iterable[tuple[Arc, str]]) -> str:
    return first((f"{arrow(*arc)} ({said})" for arc, said in arcs), NAMED)


SEARCH_CHECKS = (forced, missed, weak, unsure, left_out, turning, local)
"""In the order in which the reader hears of them."""
