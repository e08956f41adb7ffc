"""What the reader of a fit should know, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.errors import listed, quoted
from tacit.core.grid import counted as counted_words
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.estimate.continuous.many import Leaning
from tacit.estimate.continuous.regressions import Gaussian
from tacit.estimate.estimates import Estimate
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.learn.choices import Choices
from tacit.learn.counted import Counted
from tacit.learn.incomplete import Learned
from tacit.learn.methods import AvailableCases, Method
from tacit.learn.parts import Part

_FILLED = {
    "uniform": "filled evenly",
    "prior": "filled with the prior's mean",
    "nan": "left unknown",
    "zeros": "left at zero",
}

INTERVALS = "intervals take expected cases for seen ones: they are too narrow where much is missing"


def fit_notes(counted: Counted, parts: Mapping[str, Part], choices: Choices) -> tuple[str, ...]:
    """Notes about the cases, then about single families; only what there is to say."""
    return (
        *counted.notes,
        *_missing(counted, choices.method),
        *constant_notes(counted.variables),
        *_undetermined(parts, choices.estimate),
        *_gaussian(parts),
    )


def incomplete_notes(
    cases: Dataset, variables: Mapping[str, Variable], learned: Learned, choices: Choices
) -> tuple[str, ...]:
    """Notes of a fit whose missing cells were inferred."""
    missing = {name: cells for name, cells in cases.missing().items() if cells}
    return (
        *cases.notes,
        *inferred_notes(missing, choices.method),
        *constant_notes(variables),
        *_empty(learned),
        *run_notes([run.objective for run in learned.runs]),
        INTERVALS,
    )


def inferred_notes(missing: Mapping[str, int], method: Method | None) -> Iterable[str]:
    """How many cells were missing, and how they were treated."""
    if missing:
        how = method.describe() if method else "EM()"
        yield (
            f"{_cells(sum(missing.values()))} missing ({_named(missing)}); all cases were "
            f"used, and {how} filled the cells in by expectation"
        )


def _empty(learned: Learned) -> Iterable[str]:
    rows = {
        name: int((counts.rows().sum(axis=1) <= 0).sum())
        for name, counts in learned.expected.items()
    }
    rows = {name: count for name, count in rows.items() if count}
    if rows:
        shown = listed((f"{quoted(name)}: {count:,}" for name, count in rows.items()), 6)
        yield f"{_have(sum(rows.values()))} no case, not even an expected one ({shown})"


def run_notes(objectives: Sequence[float]) -> Iterable[str]:
    """How far several starts ended from each other."""
    if len(objectives) > 1:
        top = max(objectives)
        near = sum(top - each <= 1e-4 * max(1.0, abs(top)) for each in objectives)
        yield (
            f"{near} of {len(objectives)} starts ended within 0.01% of the best objective; "
            f"the worst was {top - min(objectives):.4g} nats below it"
        )


def _missing(counted: Counted, method: Method | None) -> Iterable[str]:
    cells = sum(counted.cases.missing.values())
    if cells and isinstance(method, AvailableCases):
        yield (
            f"{_cells(cells)} missing ({_named(counted.cases.missing)}); each family was "
            "counted on the cases complete in it"
        )


def _have(rows: int) -> str:
    return f"{rows:,} {'row has' if rows == 1 else 'rows have'}"


def _cells(count: int) -> str:
    return f"{count:,} {'cell is' if count == 1 else 'cells are'}"


def _named(missing: Mapping[str, int]) -> str:
    return listed((f"{quoted(name)}: {cells:,}" for name, cells in missing.items()), 6)


def constant_notes(variables: Mapping[str, Variable]) -> Iterable[str]:
    """The variables of which only one state is known."""
    alone = [
        quoted(variable.name)
        for variable in variables.values()
        if isinstance(variable, Discrete) and len(variable.states) == 1
    ]
    if alone:
        them = "it" if len(alone) == 1 else "them"
        those = listed(alone, 6)
        yield f"only one state is known of {those}, so nothing can be learned about {them}"


def _undetermined(parts: Mapping[str, Part], estimate: Estimate) -> Iterable[str]:
    rows = {name: len(part.undetermined) for name, part in parts.items() if part.undetermined}
    if rows:
        shown = listed((f"{quoted(name)}: {count:,}" for name, count in rows.items()), 6)
        filled = _FILLED[estimate.empty]
        were = "was" if sum(rows.values()) == 1 else "were"
        yield f"{_have(sum(rows.values()))} no case and {were} {filled} ({shown})"


def _gaussian(parts: Mapping[str, Part]) -> Iterable[str]:
    for name, part in parts.items():
        if part.leaning is not None and isinstance(part.family, Gaussian):
            yield from leaning_notes(part.family, part.leaning)
        if part.redundant:
            yield (
                f"the parents of {quoted(name)} depend on each other in these cases: "
                f"{part.redundant} coefficients are not determined; the shortest solution was taken"
            )
        if isinstance(part.family, LinearGaussian) and part.family.sd == 0:
            yield f"{quoted(name)} is an exact linear function in these cases: its sd is 0"
        if isinstance(part.family, ConditionalGaussian):
            yield from _conditional(quoted(name), part, part.family)


def leaning_notes(family: Gaussian, told: Leaning) -> Iterable[str]:
    """What the prior of a Gaussian family decides, since the cases leave it open."""
    name, parents = quoted(family.child), family.variables[:-1]
    reals = sum(isinstance(each, Continuous) for each in parents)
    several = counted_words(told.few.size, "configuration") if len(parents) > reals else ""
    if few := int(told.few.sum()):
        none = f" ({int(told.none.sum()):,} of them none)" if told.none.any() else ""
        least = f"no more than {reals + 2} cases"
        if several:
            has, it = ("has", "its") if few == 1 else ("have", "their")
            yield (
                f"{few:,} of {several} of the discrete parents of {name} {has} {least}{none}: the "
                f"prior decides most of {it} regression{'s' if few > 1 else ''}"
            )
        else:
            yield f"{name} has {least}: the prior decides most of its regression"
    if still := int(told.still.sum()):
        nearly = "" if told.exact.sum() == still else "nearly "
        same = f"has {nearly}the same value"
        line = f"is {nearly}an exact linear function of its parents"
        what = same if told.same[told.still].all() else line
        where = f"in {still:,} of {several} of its discrete parents" if several else "in all cases"
        ends = dict.fromkeys(f"{end(told.sds[told.still]):.3g}" for end in (np.min, np.max))
        yield f"{name} {what} {where}: the prior alone keeps its noise, at sd {' to '.join(ends)}"
    if told.open:
        yield (
            f"the parents of {name} depend on each other in these cases: only the prior tells "
            f"{counted_words(told.open, 'coefficient')} from the others"
        )


def _conditional(name: str, part: Part, family: ConditionalGaussian) -> Iterable[str]:
    if part.thin:
        one = part.thin == 1
        has, own, takes = ("has", "its", "it takes") if one else ("have", "their", "they take")
        few = f"{part.thin:,} of {counted_words(family.sd.size, 'configuration')}"
        none = f" ({part.unseen:,} of them none)" if part.unseen else ""
        yield (
            f"{few} of the discrete parents of {name} {has} no more than "
            f"{len(family.continuous) + 1} cases{none}, too few for a regression of {own} own: "
            f"{takes} that of all cases"
        )
    exact = int((family.sd == 0).sum())
    if exact:
        where = counted_words(exact, "configuration")
        yield f"{name} is an exact linear function in {where} of its parents: the sd is 0 there"
