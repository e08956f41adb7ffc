"""The result of learning: the network, how it came about, and what the reader should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Floats, readonly
from tacit.core.grid import amount, counted
from tacit.core.network import Network
from tacit.core.reading import Reading
from tacit.core.variables import Continuous
from tacit.estimate.continuous.prior import Pseudo
from tacit.estimate.posteriors import Interval
from tacit.estimate.ruled.proof import Proof
from tacit.estimate.ruled.status import RuleStatus
from tacit.families.cause_counts import CauseCounts
from tacit.families.conditional_moments import AnyMoments, ConditionalMoments
from tacit.families.counts import Counts, SparseCounts
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.moments import Moments
from tacit.families.shared import SharedRows
from tacit.learn.bottleneck.path import BottleneckPath
from tacit.learn.gaps import Gaps
from tacit.learn.intervals import Intervals
from tacit.learn.loans import Borrowed

Evidence: TypeAlias = Counts | SparseCounts | AnyMoments


def _row_cases(held: Counts | SparseCounts | ConditionalMoments) -> Floats:
    if isinstance(held, ConditionalMoments):
        return held.weights.reshape(-1)
    return np.asarray(held.dense().rows().sum(axis=1))


class Stop(Enum):
    """Why a learner ended."""

    CLOSED_FORM = "the optimum has a closed form; no steps were needed"
    CONCAVE = "the one optimum of a concave likelihood was found"
    CURVED = "the curves are the best of several climbs on their squares"
    SOLVED = "the optimum under the rules was found by the general solver"
    LOCAL = "the best local maximum that was found under rules that are not linear"
    PROVEN = "this is the best dag of its kind; no steps were needed"
    CONVERGED = "the objective stopped improving"
    STEP_LIMIT = "the step limit came before convergence; raise max_steps or loosen tolerance"
    INTERRUPTED = "interrupted; this is the best so far"


_VERDICTS = {
    "free": "free",
    "binding": "binding",
    "resisted": "resisted by the data",
    "believed": "believed",
    "overruled": "overruled by the data",
}


@dataclass(frozen=True, slots=True)
class Run:
    """One start of an iterative learner: where it ended, its objective step by step, and why."""

    objective: float
    trace: tuple[float, ...]
    stop: Stop


@dataclass(frozen=True, slots=True)
class CasesUsed:
    """What a fit rests on.

    cases        how many cases were used, all of them unless `method` says otherwise
    weight       how many cases they count as
    missing      missing cells per variable of the network
    gaps         which of them are missing together; None where nobody looked
    fingerprint  changes when any cell does; empty when only statistics were given
    source       where the cases came from
    reading      what was read and how; None for cases from memory, or made of others
    """

    cases: int
    weight: float
    missing: Mapping[str, int] = field(default_factory=dict)
    fingerprint: str = ""
    source: str = ""
    gaps: Gaps | None = None
    reading: Reading | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fit:
    """A fitted network with everything needed to judge it and to do it again.

    objective  Σ (N + pseudo) log θ in nats: the log-likelihood plus the prior's term
    trace      the objective after every step, of the best run
    rules      the status of every rule of the experts
    settings   plain data that says in full how the fit was made
    evidence   per variable, the statistics of the cases alone; missing cells by expectation
    known      the part of them that was counted rather than inferred, where cells are missing
    runs       every start of an iterative learner, in order
    borrowed   per table, where it was borrowed from, and what was tried
    proof      that the rows under rules are the optimum at this evidence; None without rules
    normal     per Gaussian family, what its prior adds to moments, where there is one
    path       of information bottleneck EM, step by step; None by other methods
    pseudo     per discrete variable, the prior's pseudo-counts alpha, shaped like its table
    log_likelihood           of the cases used; with gaps, summed over each family's own cases
    log_marginal_likelihood  of the cases under the prior; None where it has no closed form
    """

    network: Network
    objective: float
    trace: tuple[float, ...]
    stop: Stop
    rules: tuple[RuleStatus, ...]
    settings: Mapping[str, Any]
    seed: int | None
    notes: tuple[str, ...]
    evidence: Mapping[str, Evidence]
    pseudo: Mapping[str, Floats]
    log_likelihood: float
    log_marginal_likelihood: float | None
    cases: CasesUsed
    runs: tuple[Run, ...] = ()
    known: Mapping[str, Counts] = field(default_factory=dict)
    proof: Proof | None = None
    borrowed: tuple[Borrowed, ...] = ()
    path: BottleneckPath | None = None
    normal: Mapping[str, Pseudo] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pseudo = {name: readonly(alpha) for name, alpha in self.pseudo.items()}
        object.__setattr__(self, "pseudo", MappingProxyType(pseudo))
        for name in ("settings", "evidence", "known", "normal"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @property
    def cases_used(self) -> int:
        """How many cases the fit rests on."""
        return self.cases.cases

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """Per variable, where its parameters lie with the probability `settings["level"]`."""
        return Intervals(
            self.evidence, self.pseudo, self.network, float(self.settings["level"]), self.normal
        )

    @property
    def empty_rows(self) -> Mapping[str, tuple[int, ...]]:
        """Per variable with discrete axes, the rows without any case, by position.

        Of a conditional Gaussian family these are the configurations of its discrete parents.
        """
        found = {}
        for name, held in self.evidence.items():
            family = self.network[name]
            rows: Evidence = held
            if isinstance(held, CauseCounts) and isinstance(family, SharedRows):
                rows = family.pooled(held)
            if not isinstance(rows, Moments | CauseCounts | CurveEvidence):
                found[name] = tuple(map(int, np.flatnonzero(_row_cases(rows) == 0)))
        return found

    def estimated(self) -> str:
        """The estimate and its prior; maximum likelihood where no family has one."""
        said, normal = self.settings, self.settings.get("normal_prior")
        priors = [] if self._all_real() else [str(said["prior"])]
        priors += [str(normal)] if normal else []
        if not priors:
            return "maximum likelihood"
        return f"{said['estimate']} with prior {' and '.join(priors)}"

    def _all_real(self) -> bool:
        """Whether no variable has states: the prior over tables has no say then."""
        return all(isinstance(each, Continuous) for each in self.network.variables.values())

    def save(self, path: str | Path) -> None:
        """Write the whole fit as JSON; `tc.load_fit` reads it back."""
        from tacit.learn.saved import save_fit

        save_fit(self, path)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        values = (getattr(self, each.name) for each in fields(self))
        plain = (dict(each) if isinstance(each, MappingProxyType) else each for each in values)
        return type(self), tuple(plain)

    def __repr__(self) -> str:
        extent = counted(len(self.network), "variable")
        return f"<Fit of {extent} to {counted(self.cases_used, 'case')}>"

    def __str__(self) -> str:
        return "\n".join([*self._summary(), str(self.network.grid(40))])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in self._summary())
        return f"<ul>{lines}</ul>{self.network._repr_html_()}"

    def _summary(self) -> list[str]:
        cases = self.cases
        weighing = f" weighing {amount(cases.weight)}" if cases.weight != cases.cases else ""
        average = self.log_likelihood / cases.weight if cases.weight else float("nan")
        lines = [
            f"Fit to {cases.cases:,} cases{weighing}, {self.estimated()}",
            f"log-likelihood {amount(self.log_likelihood)} nats, {average:.4g} per case",
        ]
        if self.log_marginal_likelihood is not None:
            lines.append(f"log marginal likelihood {amount(self.log_marginal_likelihood)} nats")
        if self.rules:
            told = Counter(rule.verdict for rule in self.rules)
            shown = (f"{told[each]} {said}" for each, said in _VERDICTS.items() if told[each])
            lines.append(f"{counted(len(self.rules), 'rule')}: {', '.join(shown)}")
        return [*lines, f"stopped: {self.stop.value}", *(f"note: {note}" for note in self.notes)]
