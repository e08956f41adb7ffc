"""Cross-validation: every case is scored by a network that was fitted without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, listed
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.engines.statistics import Statistics
from tacit.estimate.estimates import Estimate
from tacit.infer.likelihood import log_likelihood
from tacit.infer.sampling import fresh_seed
from tacit.io import formats
from tacit.knowledge.knowledge import Knowledge, KnowledgeLike, as_knowledge
from tacit.learn.causes.kinds import Families
from tacit.learn.evaluation.evaluation import AnyEvaluation, together
from tacit.learn.evaluation.predicted import evaluated, left_out, target_of
from tacit.learn.fit import fit
from tacit.learn.fits import Fit, Stop
from tacit.learn.gathered import Gathered, gather
from tacit.learn.heldout import CrossValidation
from tacit.learn.hidden import Hidden
from tacit.learn.methods import Method
from tacit.learn.progress import Callback, Report, watched
from tacit.learn.ruled import Ruled, certain_part, ruled
from tacit.learn.settings import AnyPrior
from tacit.learn.structures import as_structure


def cross_validate(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    structure: Dag | Network | str | Path,
    data: Any,
    *,
    folds: int = 5,
    knowledge: KnowledgeLike = None,
    prior: AnyPrior = None,
    estimate: Estimate | None = None,
    hidden: Hidden = None,
    method: Method | None = None,
    start: str | None = None,
    tied: Sequence[Sequence[str]] | None = None,
    families: Families = None,
    target: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callback | None = None,
) -> CrossValidation:
    """How probable cases are under networks that were fitted without them.

    The cases are split into folds at random; each fold is held out once, a network is fitted to
    all others, and the log-likelihood of every held-out case is kept. What states a variable has is
    taken from all cases (or the network): that is declared, not learned. Everything else, what
    priors and rules make of the counts included, comes from the other folds alone. [Sec. 3.6]

    folds   how many; as many as there are cases leave out one at a time
    target  a variable to be predicted from all others in the cases held out: `evaluation` says how
            well. If it has states every fold gets its share of the cases of each.
    seed    of the split into folds and of the fits: the same seed, the same folds
    others  as in `tc.fit`
    """
    seed = fresh_seed(seed)
    once, known = read_once(structure), as_knowledge(knowledge)
    gathered = gather(as_structure(once), only_cases(data), hidden)
    judged = None if target is None else judged_in(gathered, target)
    strata = None
    if isinstance(judged, Discrete):
        strata = gathered.cases[judged.name].astype(np.int64)
    fold = split(len(gathered.cases), folds, seed, strata)
    barred = impossible_under(
        ruled(known, gathered.structure.dag, gathered.families), gathered.cases
    )
    options: dict[str, Any] = {
        "knowledge": known,
        "prior": prior,
        "estimate": estimate,
        "hidden": hidden,
        "method": method,
        "start": start,
        "tied": tied,
        "families": families,
        "threads": threads,
    }
    with watched(progress, "cross-validation") as told:
        task = Task(once, gathered.cases, fold, seed, judged)
        return held_out(task, options, told, barred)


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Cases split into folds, and the structure to be fitted.

    fold    (cases,) the fold of each case
    target  the variable that is to be predicted in cases held out, if any
    """

    structure: Dag | Network
    cases: Dataset
    fold: Ints
    seed: int
    target: Variable | None = None

    @property
    def folds(self) -> int:
        """How many there are."""
        return int(self.fold.max()) + 1

    def parts(self) -> Iterator[tuple[Ints, Ints]]:
        """Per fold, the positions of the cases to learn from and of those held out."""
        for number in range(self.folds):
            yield np.flatnonzero(self.fold != number), np.flatnonzero(self.fold == number)


def held_out(task: Task, options: dict[str, Any], told: Report, barred: Bools) -> CrossValidation:
    """Every fold scored by what is learned from the others; options are those of `fit`.

    barred: cases that rules hold impossible. No network under the rules can be fitted to them, so
    they are not learned from; held out, they are as impossible as anywhere.
    """
    seeds = np.random.SeedSequence(task.seed).generate_state(task.folds)
    per_case = np.empty(len(task.cases))
    fits, told_of = [], []
    for number, (learned, left) in enumerate(task.parts()):
        seed = int(seeds[number])
        found = fit(
            task.structure,
            task.cases.take(learned[~barred[learned]]),
            seed=seed,
            progress=False,
            **options,
        )
        if found.stop is Stop.INTERRUPTED:  # some folds are no cross-validation
            raise KeyboardInterrupt
        per_case[left] = log_likelihood(found.network, task.cases.take(left)).per_case
        fits.append(found)
        if task.target is not None:
            judged = task.cases.take(left)
            told_of.append(evaluated(found.network, judged, task.target, left))
        told(number + 1, task.folds)
    return CrossValidation(
        per_case=per_case,
        fold=task.fold,
        weights=task.cases.weights,
        networks=tuple(each.network for each in fits),
        settings={**fits[0].settings, "folds": task.folds},
        seed=task.seed,
        notes=(*task.cases.notes, *_notes(fits, per_case, int(barred.sum()))),
        evaluation=_judged(task.cases, told_of),
    )


def _judged(cases: Dataset, parts: Sequence[AnyEvaluation]) -> AnyEvaluation | None:
    """What was said in all folds, if anything was asked."""
    if not parts:
        return None
    found = together(parts)
    return replace(found, notes=tuple(left_out(cases, found)))


def judged_in(gathered: Gathered, target: str) -> Variable:
    """The target, which needs a column."""
    found = target_of(gathered.variables, target)
    if found.name not in gathered.cases:
        raise OptionError(
            f"target={target!r} has no column, so nothing says what came\n\ncolumns: "
            f"{listed(gathered.cases.names)}"
        )
    return found


def split(cases: int, folds: int, seed: int, strata: Ints | None = None) -> Ints:
    """(cases,) the fold of each case: a random order dealt out in turn, so that sizes are even.

    strata: (cases,) groups; each is dealt out by itself, so that every fold gets its share of it.
    """
    given: Any = folds
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 2:
        raise OptionError(
            f"folds={given!r} must be a whole number, 2 or more: one part is held out, the others "
            "are learned from"
        )
    if folds > cases:
        raise OptionError(
            f"{counted(cases, 'case')} cannot be split into {folds} folds: every fold needs a case"
        )
    fold = np.empty(cases, dtype=np.int64)
    order = np.random.default_rng(seed).permutation(cases)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    fold[order] = np.arange(cases) % folds
    return fold


def only_cases(data: Any) -> Any:
    """The data, or an error about what cannot be held out."""
    if isinstance(data, Statistics):
        raise OptionError("cross-validation holds cases out, so it needs cases, not statistics")
    return data


def read_once(structure: Dag | Network | str | Path) -> Dag | Network:
    """The structure as a value, so that no file is read again for every fold."""
    if isinstance(structure, Path) or (
        isinstance(structure, str) and formats.is_network_file(structure)
    ):
        dag = formats.is_dag_file(structure)
        return formats.read_dag(structure) if dag else formats.read(structure)
    return Dag.parse(structure) if isinstance(structure, str) else structure


def certainly(knowledge: Knowledge | None, gathered: Gathered) -> Ruled | None:
    """The rules that are certain, bound to the tables."""
    known = None if knowledge is None else certain_part(knowledge)
    return ruled(known, gathered.structure.dag, gathered.families)


def impossible_under(known: Ruled | None, cases: Dataset) -> Bools:
    """(cases,) which of them have a cell that rules hold at 0."""
    found = np.zeros(len(cases), dtype=np.bool_)
    if known is None or not known.plan.zeros.size:
        return found
    zeros = known.plan.blocks.cells[known.plan.zeros]
    for name, axes in known.bound.cells.families.items():
        block = known.bound.cells.block(name)
        inside = zeros[(zeros >= block.flat[0]) & (zeros <= block.flat[-1])]
        columns = [cases.columns.get(axis.name) for axis in axes]
        if not inside.size or any(column is None for column in columns):
            continue
        codes = np.stack([column for column in columns if column is not None])
        whole = np.flatnonzero((codes >= 0).all(axis=0))
        found[whole] |= np.isin(block[tuple(codes[:, whole].astype(np.int64))], inside)
    return found


def _notes(fits: Sequence[Fit], per_case: Floats, barred: int) -> Iterator[str]:
    if barred:
        hold, them = ("case", "it") if barred == 1 else ("cases", "them")
        yield f"the rules hold {barred:,} {hold} impossible; nothing was learned from {them}"
    impossible = int(np.isneginf(per_case).sum()) - barred
    if impossible > 0:
        verb, whom = ("is", "it") if impossible == 1 else ("are", "them")
        yield (
            f"{counted(impossible, 'held-out case')} {verb} impossible under what was learned "
            f"without {whom}: a prior keeps every state possible"
        )
    unknown = int(np.isnan(per_case).sum())
    if unknown:
        meet = "meets a row" if unknown == 1 else "meet rows"
        yield f"{counted(unknown, 'held-out case')} {meet} of tables that nothing determined"
    cut = sum(each.stop is Stop.STEP_LIMIT for each in fits)
    if cut:
        yield f"in {counted(cut, 'fold')} of {len(fits)} the step limit came before convergence"
