"""Cases brought to a structure and counted: everything an estimate needs from the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.variables import Variable
from tacit.engines.memory import statistics
from tacit.engines.statistics import Statistics
from tacit.io.cases import as_dataset
from tacit.learn.fits import CasesUsed, Evidence
from tacit.learn.methods import AvailableCases
from tacit.learn.structures import Structure, families_of


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Per variable its axes (parents..., child) and its evidence; and what the cases were."""

    families: Mapping[str, tuple[Variable, ...]]
    evidence: Mapping[str, Evidence]
    cases: CasesUsed
    notes: tuple[str, ...] = ()

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Every variable by name."""
        return {name: axes[-1] for name, axes in self.families.items()}


def count_cases(
    structure: Structure,
    data: Any,
    method: AvailableCases | None,
    threads: int | None,
    progress: Callable[[int, int], None],
) -> Counted:
    """The statistics of every family of the structure on these cases."""
    if isinstance(data, Statistics):
        return _from_statistics(structure, data)
    cases = as_dataset(data, like=structure.variables, columns=structure.dag.names)
    families = families_of(structure.dag, cases.variables)
    evidence = statistics(
        cases,
        list(families.values()),
        threads=threads,
        missing="available" if isinstance(method, AvailableCases) else "refuse",
        progress=progress,
    )
    return Counted(families, evidence, _used(cases), cases.notes)


def _used(cases: Dataset) -> CasesUsed:
    missing = {name: cells for name, cells in cases.missing().items() if cells}
    return CasesUsed(len(cases), cases.total_weight, missing, cases.fingerprint(), cases.source)


def _from_statistics(structure: Structure, counted: Statistics) -> Counted:
    if counted.dag != structure.dag:
        raise OptionError(
            "the statistics were counted for another structure"
            f"\n\ncounted:   {counted.dag}\nasked for: {structure.dag}"
        )
    if not counted.variables:
        raise OptionError("no cases were counted yet\n\nadd some with Statistics.update(cases)")
    if structure.variables is not None and dict(structure.variables) != dict(counted.variables):
        raise OptionError("the statistics were counted for other states than the network has")
    used = CasesUsed(counted.cases, counted.total_weight, source="statistics")
    return Counted(families_of(counted.dag, counted.variables), counted.counts, used)
