"""What the reader of a fit should know, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.core.errors import listed, quoted
from tacit.core.variables import Discrete
from tacit.estimate.estimates import Estimate
from tacit.families.gaussian import LinearGaussian
from tacit.learn.counted import Counted
from tacit.learn.methods import AvailableCases
from tacit.learn.parts import Part

_FILLED = {
    "uniform": "filled evenly",
    "prior": "filled with the prior's mean",
    "nan": "left unknown",
    "zeros": "left at zero",
}


def fit_notes(
    counted: Counted,
    parts: Mapping[str, Part],
    estimate: Estimate,
    method: AvailableCases | None,
) -> tuple[str, ...]:
    """Notes about the cases, then about single families; only what there is to say."""
    return (
        *counted.notes,
        *_missing(counted, method),
        *_constant(counted),
        *_undetermined(parts, estimate),
        *_gaussian(parts),
    )


def _missing(counted: Counted, method: AvailableCases | None) -> Iterable[str]:
    cells = sum(counted.cases.missing.values())
    if cells and isinstance(method, AvailableCases):
        yield (
            f"{cells:,} cells are missing ({_named(counted.cases.missing)}); each family was "
            "counted on the cases complete in it"
        )


def _named(missing: Mapping[str, int]) -> str:
    return listed((f"{quoted(name)}: {cells:,}" for name, cells in missing.items()), 6)


def _constant(counted: Counted) -> Iterable[str]:
    alone = [
        quoted(variable.name)
        for variable in counted.variables.values()
        if isinstance(variable, Discrete) and len(variable.states) == 1
    ]
    if alone:
        yield f"only one state is known of {listed(alone, 6)}, so nothing can be learned about it"


def _undetermined(parts: Mapping[str, Part], estimate: Estimate) -> Iterable[str]:
    rows = {name: len(part.undetermined) for name, part in parts.items() if part.undetermined}
    if rows:
        shown = listed((f"{quoted(name)}: {count:,}" for name, count in rows.items()), 6)
        filled = _FILLED[estimate.empty]
        yield f"{sum(rows.values()):,} rows have no case and were {filled} ({shown})"


def _gaussian(parts: Mapping[str, Part]) -> Iterable[str]:
    for name, part in parts.items():
        if part.redundant:
            yield (
                f"the parents of {quoted(name)} depend on each other in these cases: "
                f"{part.redundant} coefficients are not determined; the shortest solution was taken"
            )
        if isinstance(part.family, LinearGaussian) and part.family.sd == 0:
            yield f"{quoted(name)} is an exact linear function in these cases: its sd is 0"
