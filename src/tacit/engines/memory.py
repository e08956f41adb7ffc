"""Statistics of families on cases held in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from math import prod
from operator import add

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import CasesError, MissingError, NetworkError, OptionError, listed, quoted
from tacit.core.grid import counted
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.axes import Family, discrete
from tacit.engines.scales import check_scales
from tacit.engines.tables import shape_of, table_jobs
from tacit.engines.tasks import Evidence, IncompleteError, Job, Report, chunks, in_order
from tacit.families.conditional_moments import ConditionalMoments, check_moments
from tacit.families.counts import DENSE_CELLS
from tacit.families.moments import Moments
from tacit.families.table import cells

BLOCK = 8_192
"""Cases whose moments are taken at once, while they stay in the cache."""


def statistics(
    data: Dataset,
    families: Sequence[Family],
    *,
    threads: int | None = None,
    missing: str = "refuse",
    progress: Report | None = None,
) -> Mapping[str, Evidence]:
    """Counts or moments of every family (parents..., child) on these cases, by the child's name.

    missing   "refuse": a missing cell in a column that is used is an error; "available": each
              family is counted on the cases that are complete in it
    threads   at most so many, by default one per core; the result is the same to the last bit
    progress  told how much is done, and of how much
    """
    if missing not in ("refuse", "available"):
        raise OptionError(f"missing={missing!r} must be 'refuse' or 'available'")
    _check(data, families)
    jobs = _jobs(data, families, missing == "available")
    try:
        results = iter(in_order([task for job in jobs for task in job.tasks], threads, progress))
    except IncompleteError:
        raise MissingError(_lacking(data, families)) from None
    found: dict[str, Evidence] = {}
    for job in jobs:
        found.update(job.finish([next(results) for _ in job.tasks]))
    return {family[-1].name: found[family[-1].name] for family in families}


def _check(data: Dataset, families: Sequence[Family]) -> None:
    if len({family[-1].name for family in families}) < len(families):
        raise OptionError("a variable is the child of two families")
    for family in families:
        check_kinds(family)
        for variable in family:
            coded = data.variables[variable.name] if variable.name in data else None
            if coded is None:
                _ = data[variable.name]  # the error about a column that is not there
            elif coded != variable:
                raise CasesError(
                    f"the cases hold {variable.name!r} in another code than its family"
                    f"\n\ncases:  {_described(coded)}\nfamily: {_described(variable)}"
                )


def _described(variable: Variable) -> str:
    return listed(variable.states) if isinstance(variable, Discrete) else "real values"


def check_kinds(family: Family) -> None:
    """Nothing, or an error that names two variables no family joins."""
    child = family[-1]
    for parent in family[:-1] if isinstance(child, Discrete) else ():
        if not isinstance(parent, Discrete):
            raise NetworkError(
                f"{quoted(child.name)} has states and its parent {quoted(parent.name)} takes real "
                "values: no family joins the two"
                "\n\nturn the arc round, or make the continuous one discrete with tc.discretise"
            )


def _lacking(data: Dataset, families: Sequence[Family]) -> str:
    names = dict.fromkeys(variable.name for family in families for variable in family)
    gaps = {name: int(np.count_nonzero(absent(data[name]))) for name in names}
    gaps = {name: gap for name, gap in gaps.items() if gap}
    total = sum(gaps.values())
    return (
        f"{counted(total, 'cell')} of {counted(len(data), 'case')} "
        f"{'is' if total == 1 else 'are'} missing: "
        f"{listed(f'{quoted(name)} {gap:,}' for name, gap in gaps.items())}"
        "\n\nto count each family on the cases that are complete in it, say "
        'method=tc.AvailableCases() in tc.fit, or missing="available" in tc.Statistics.update'
    )


def _jobs(data: Dataset, families: Sequence[Family], available: bool) -> list[Job]:
    tables = [discrete(family) for family in families if isinstance(family[-1], Discrete)]
    reals = [family for family in families if isinstance(family[-1], Continuous)]
    return [
        *table_jobs(data, tables, available),
        *(_moments_job(data, family, available) for family in reals if not discrete(family)),
        *(_conditional_job(data, family, available) for family in reals if discrete(family)),
    ]


def _moments_job(data: Dataset, family: Family, available: bool) -> Job:
    """Means and co-products, chunk by chunk, merged in order."""
    columns = [data[variable.name] for variable in family]
    check_scales(data, [variable.name for variable in family])
    nothing = Moments.of(np.zeros((0, len(family))))

    def task(span: tuple[int, int]) -> Moments:
        starts = range(span[0], span[1], BLOCK)
        blocks = (slice(start, min(start + BLOCK, span[1])) for start in starts)
        return reduce(add, (block_moments(block) for block in blocks), nothing)

    def block_moments(block: slice) -> Moments:
        values: Floats = np.array([column[block] for column in columns], dtype=np.float64)
        weights = None if data.weights is None else data.weights[block]
        known = ~np.isnan(values).any(axis=0)
        if known.all():
            return Moments.of(values.T, weights)
        if not available:
            raise IncompleteError
        return Moments.of(values[:, known].T, None if weights is None else weights[known])

    tasks = [partial(task, span) for span in chunks(len(data))]
    return Job(tasks, lambda parts: {family[-1].name: reduce(add, parts, nothing)})


def _conditional_job(data: Dataset, family: Family, available: bool) -> Job:
    """The same in every configuration of the discrete parents."""
    axes = discrete(family)
    reals = [data[variable.name] for variable in family if isinstance(variable, Continuous)]
    codes, shape = [data[axis.name] for axis in axes], shape_of(axes)
    check_moments(shape, len(reals))
    check_scales(data, [real.name for real in family if isinstance(real, Continuous)])
    spans = chunks(len(data)) or [(0, 0)]

    def task(span: tuple[int, int]) -> ConditionalMoments:
        here = slice(*span)
        at = cells(shape, [column[here] for column in codes])
        values: Floats = np.array([column[here] for column in reals], dtype=np.float64).T
        weights = None if data.weights is None else data.weights[here]
        known = ~np.isnan(values).any(axis=1) & (at >= 0)
        if known.all():
            return ConditionalMoments.of(at, shape, values, weights)
        if not available:
            raise IncompleteError
        weights = None if weights is None else weights[known]
        return ConditionalMoments.of(at[known], shape, values[known], weights)

    def together() -> ConditionalMoments:
        return reduce(add, map(task, spans))

    many = len(spans) * prod(shape) * len(reals) ** 2 > DENSE_CELLS  # too many to keep each
    tasks = [together] if many else [partial(task, span) for span in spans]
    return Job(tasks, lambda parts: {family[-1].name: reduce(add, parts)})
