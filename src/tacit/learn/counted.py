"""Cases brought to a structure and counted: everything an estimate needs from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.variables import Variable
from tacit.engines.causes import cause_counts, configuration_counts
from tacit.engines.memory import statistics
from tacit.engines.statistics import Statistics
from tacit.families.cause_counts import CauseCounts
from tacit.families.counts import AnyCounts
from tacit.learn.causes.kinds import Caused, Families, caused_of
from tacit.learn.curved import CurveFit, fit_curves
from tacit.learn.fits import CasesUsed, Evidence
from tacit.learn.gaps import gaps_of
from tacit.learn.gathered import Gathered
from tacit.learn.local.choosing import Local, local_of
from tacit.learn.progress import Report
from tacit.learn.structures import Structure, families_of


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Per variable its axes (parents..., child) and its evidence; and what the cases were.

    causes  which of them get a family of independent causes
    local   which of them get local structure; their evidence is counted by configuration
    curves  the curves among the families, fitted: nothing less than the cases tells them
    """

    families: Mapping[str, tuple[Variable, ...]]
    evidence: Mapping[str, Evidence]
    cases: CasesUsed
    notes: tuple[str, ...] = ()
    causes: Mapping[str, Caused] = field(default_factory=dict)
    local: Mapping[str, Local] = field(default_factory=dict)
    curves: Mapping[str, CurveFit] = field(default_factory=dict)

    @property
    def plain(self) -> Counted:
        """Without independent causes, local structure and curves."""
        others = {**self.causes, **self.local, **self.curves}
        if not others:
            return self
        families = {name: axes for name, axes in self.families.items() if name not in others}
        evidence = {name: self.evidence[name] for name in families}
        return Counted(families, evidence, self.cases, self.notes)

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Every variable by name."""
        return {name: axes[-1] for name, axes in self.families.items()}


def count_cases(
    gathered: Gathered, available: bool, threads: int | None, progress: Report
) -> Counted:
    """The statistics of every family of the structure on these cases.

    available: count each family on the cases complete in it; otherwise missing cells are refused
    """
    cases, families, causes = gathered.cases, gathered.families, gathered.causes
    counts = {
        name: cause_counts(cases, each.frame, available=available) for name, each in causes.items()
    }
    counts |= {
        name: configuration_counts(cases, each.axes, available=available)
        for name, each in gathered.local.items()
    }
    curves = fit_curves(cases, families, gathered.curves, available=available)
    others = statistics(
        cases,
        [axes for name, axes in families.items() if name not in counts and name not in curves],
        threads=threads,
        missing="available" if available else "refuse",
        progress=progress,
    )
    known = {**others, **counts, **{name: each.evidence for name, each in curves.items()}}
    evidence = {name: known[name] for name in families}
    local = gathered.local
    return Counted(families, evidence, cases_used(cases), cases.notes, causes, local, curves)


def cases_used(cases: Dataset) -> CasesUsed:
    """What a fit to these cases rests on."""
    missing = {name: cells for name, cells in cases.missing().items() if cells}
    gaps = gaps_of(cases) if missing else None
    return CasesUsed(
        len(cases), cases.total_weight, missing, cases.fingerprint(), cases.source, gaps,
        cases.reading,
    )  # fmt: skip


def counted_before(structure: Structure, counted: Statistics) -> Counted:
    """Statistics that were counted before, if they are of this structure."""
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


def with_families(counted: Counted, structure: Structure, families: Families) -> Counted:
    """Tables that were counted before as evidence of other families, where these are wanted.

    families  as `fit` takes them; those of a network are kept where nothing else is said
    """
    causes = caused_of(families, structure.network, counted.families)
    local = local_of(families, structure.network, counted.families)
    evidence = dict(counted.evidence)
    for name in (*causes, *local):
        held = evidence[name]
        assert isinstance(held, AnyCounts)
        evidence[name] = CauseCounts.seen_in(held)
    return replace(counted, evidence=evidence, causes=causes, local=local)
