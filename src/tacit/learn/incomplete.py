"""Fits from incomplete cases: tables learned by EM, by gradient, or by filling in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import EstimateError, OptionError, listed
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.engines.expected import Contexts, expectation
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import Prior
from tacit.estimate.tables import estimate_table
from tacit.families.cause_counts import CauseCounts
from tacit.families.counts import Counts
from tacit.families.shared import SharedRows
from tacit.families.table import Table
from tacit.infer.flat import Layout, layout_of
from tacit.infer.pieces import compile_cases, log_masses
from tacit.learn.annealing.annealed_em import AnnealedClimb
from tacit.learn.annealing.driver import Round
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.bottleneck.grounds import best_path, shaped
from tacit.learn.bottleneck.path import BottleneckPath
from tacit.learn.bottleneck.running import PathClimb
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.canonical import canonical_order
from tacit.learn.causes.chained import Links, chained_layout, links_of
from tacit.learn.causes.kinds import Caused
from tacit.learn.checkpoints import Checkpoint
from tacit.learn.em import best_run
from tacit.learn.expectation import EmIterate, Problem, reordered
from tacit.learn.fits import Run
from tacit.learn.inferring import climbs_of
from tacit.learn.local.pooling import (
    expected_counts,
    pools_of,
    shared_families,
    spread_pseudo,
)
from tacit.learn.methods import EM, FillIn, Gradient, MeanFieldEM
from tacit.learn.progress import Report

Inferring: TypeAlias = EM | MeanFieldEM | Gradient | FillIn | WeightAnnealing | IBEM
"""The methods that infer what is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class Incomplete:
    """Incomplete cases brought to a structure.

    families  parents..., child of every variable, hidden ones included
    hidden    the variables without a column
    tied      groups of variables whose tables are one and the same
    alpha     the prior's pseudo-counts per variable
    causes    which of them get a family of independent causes
    links     what the estimate adds to the causes of these
    shared    which of them share rows, and how
    prior     that alpha comes from, where other tables may be asked for
    """

    dag: Dag
    data: Dataset
    families: Mapping[str, tuple[Discrete, ...]]
    hidden: tuple[str, ...]
    tied: tuple[tuple[str, ...], ...]
    alpha: Mapping[str, Floats]
    causes: Mapping[str, Caused] = field(default_factory=dict)
    links: Mapping[str, Floats] = field(default_factory=dict)
    shared: Mapping[str, SharedRows] = field(default_factory=dict)
    prior: Prior | None = None

    @property
    def plain(self) -> Mapping[str, tuple[Discrete, ...]]:
        """The families that are tables in the layout, those with shared rows among them."""
        return {name: axes for name, axes in self.families.items() if name not in self.causes}

    @property
    def tables(self) -> Mapping[str, tuple[Discrete, ...]]:
        """The families of which every row is estimated by itself."""
        return {name: axes for name, axes in self.plain.items() if name not in self.shared}

    @property
    def variables(self) -> Mapping[str, Discrete]:
        """Every variable by name."""
        return {name: axes[-1] for name, axes in self.families.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The best run in terms of tables.

    expected  counts with the missing cells filled in by expectation, per variable
    known     the part of them that was counted, not inferred
    caused    the same of families of independent causes, and of those with shared rows
    rounds    of reweighting, where the weights of cases were annealed
    path      of information bottleneck EM, where that was the method
    """

    network: Network
    expected: Mapping[str, Counts]
    known: Mapping[str, Counts]
    log_likelihood: float
    objective: float
    best: int
    runs: tuple[Run, ...]
    rounds: tuple[Round, ...] = ()
    path: BottleneckPath | None = None
    caused: Mapping[str, CauseCounts] = field(default_factory=dict)
    alpha: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class How:
    """The circumstances of a run.

    start  a network whose numbers the first run starts from
    told   hears of progress
    """

    seed: int
    threads: int | None
    told: Report
    start: Network | None = None
    checkpoint: Checkpoint | None = None


def problem_of(
    cases: Incomplete, estimate: Estimate, strategy: str, threads: int | None
) -> Problem:
    """The E-step compiled, the prior laid out beside the parameters."""
    if cases.causes:
        layout, chains = chained_layout(cases.dag, cases.families, cases.causes, cases.tied)
        strategy = "contexts" if strategy == "auto" else strategy
    else:
        layout, chains = layout_of(cases.dag, cases.variables, cases.tied), ()
    pseudo = np.zeros(layout.size)
    for name in cases.tables:
        layout.block(pseudo, layout.places[name])[...] = estimate.pseudo(cases.alpha[name])
    spread_pseudo(layout, cases.shared, cases.alpha, estimate, pseudo)
    pools = pools_of(layout, cases.shared) if cases.shared else None
    for group in cases.tied:
        if any(not np.array_equal(cases.alpha[group[0]], cases.alpha[name]) for name in group):
            raise OptionError(
                f"the prior says different things of {listed(group, 4)}, whose tables are one"
            )
    expected = expectation(cases.data, layout, cases.plain, strategy, threads)
    if not chains:
        return Problem(layout, expected, pseudo, pools=pools)
    links = links_of(layout, chains, cases.causes, cases.links, cases.data)
    assert isinstance(expected, Contexts)
    expected = replace(expected, constant=expected.constant + links.constant)
    return Problem(layout, expected, pseudo, links=links, pools=pools)


def learn_incomplete(
    cases: Incomplete,
    problem: Problem,
    estimate: Estimate,
    method: Inferring,
    how: How,
) -> Learned:
    """Run the method and keep its best run, hidden states in canonical order."""
    hidden = tuple(problem.layout.places[name] for name in cases.hidden)

    def brought(each: Incomplete) -> Problem:
        return problem_of(each, estimate, "auto", how.threads)

    climbs = climbs_of(cases, problem, method, hidden, how, brought)
    best = best_path(climbs) if isinstance(method, IBEM) else best_run(climbs)
    won, alpha = climbs[best], dict[str, Floats]()
    if isinstance(won, PathClimb) and won.shape is not None:
        cases, problem = shaped(cases, won.shape, cases.data), won.problem
        hidden, alpha = tuple(problem.layout.places[name] for name in cases.hidden), {**cases.alpha}
    layout, end = problem.layout, won.iterate
    if problem.plan is not None and end.objective == -np.inf:
        raise _impossible(cases, problem, end)
    hidden = _free(cases, problem.links, hidden)
    if hidden and (how.start is None or best > 0):  # a start that was given names the states
        order = canonical_order(layout, end.expected, hidden)
        if _nameless(problem, order):
            end = reordered(end, order)
    return Learned(
        network=Network(cases.dag, cases.variables, _families(cases, problem, end, estimate)),
        expected=_counts(layout, end.expected, cases.tables),
        known=_counts(layout, problem.expected.known, cases.tables),
        log_likelihood=end.log_likelihood,
        objective=end.objective,
        best=best,
        runs=tuple(Run(run.iterate.objective, run.trace, run.stop) for run in climbs),
        rounds=won.rounds if isinstance(won, AnnealedClimb) else (),
        path=won.path if isinstance(won, PathClimb) else None,
        caused={
            **_caused(problem.links, end),
            **expected_counts(layout, cases.shared, end.expected),
        },
        alpha=alpha,
    )


def _free(cases: Incomplete, links: Links | None, hidden: tuple[int, ...]) -> tuple[int, ...]:
    """The hidden variables whose states have no meaning but what their tables give them."""
    if cases.shared:  # whose rows are shared by states as they are named
        named = {axis.name for each in cases.shared.values() for axis in each.variables}
        of = dict(zip(hidden, cases.hidden, strict=True))
        hidden = tuple(v for v in hidden if of[v] not in named)
    return hidden if links is None else tuple(v for v in hidden if v not in links.members)


def _caused(links: Links | None, end: EmIterate) -> dict[str, CauseCounts]:
    families = () if links is None else links.families
    return {each.name: each.counts(end.expected) for each in families}


def _impossible(cases: Incomplete, problem: Problem, end: EmIterate) -> EstimateError:
    """The error about a case that no parameters under the rules could have given."""
    compiled = compile_cases(cases.data, problem.layout)
    gone = log_masses(compiled, end.theta)[compiled.pieces.context] == -np.inf
    which = f"case {int(compiled.pieces.case[gone].min()) + 1}" if gone.any() else "some cases"
    return EstimateError(
        f"under the rules {which} could not have happened: cells that they hold at 0 leave it no "
        "probability\n\nallow a little, or look at these cases"
    )


def _nameless(problem: Problem, order: Ints) -> bool:
    """Whether hidden states may change places: neither prior nor rules name them."""
    if not np.array_equal(problem.pseudo, problem.pseudo[order]):
        return False
    cells = problem.plan.blocks.cells if problem.plan is not None else order[:0]
    return np.array_equal(order[cells], cells)


def _families(
    cases: Incomplete, problem: Problem, end: EmIterate, estimate: Estimate
) -> dict[str, Family]:
    """The tables, the families of independent causes, and those with shared rows."""
    found: dict[str, Family] = dict(_tables(cases, problem, end, estimate))
    found |= shared_families(problem.layout, cases.shared, end.theta)
    for each in () if problem.links is None else problem.links.families:
        found[each.name] = each.caused.kind.from_causes(each.causes(end.theta))
    return found


def _tables(
    cases: Incomplete, problem: Problem, end: EmIterate, estimate: Estimate
) -> dict[str, Table]:
    """The tables; rows that nothing determines, not even a rule, follow the estimate's policy."""
    tables, layout = {}, problem.layout
    ruled = np.zeros(layout.size, dtype=np.bool_)
    if problem.plan is not None:
        ruled[problem.plan.blocks.cells] = True
    for name in cases.tables:
        axes, place = cases.families[name], layout.places[name]
        values, partial = layout.block(end.theta, place), False
        if estimate.empty != "uniform":
            counts = Counts(layout.block(end.expected, place))
            filled = estimate_table(axes, counts, cases.alpha[name], estimate)
            bare = np.zeros(values.shape[:-1], dtype=np.bool_)
            bare.flat[list(filled.undetermined)] = True
            bare &= ~layout.block(ruled, place)[..., 0]
            values = np.where(bare[..., None], filled.table.values, values)
            partial = filled.table.partial
        tables[name] = Table(axes, values, partial)
    return tables


def _counts(layout: Layout, flat: Floats, names: Iterable[str]) -> dict[str, Counts]:
    return {name: Counts(layout.block(flat, layout.places[name])) for name in names}
