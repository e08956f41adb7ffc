"""Choosing between experts: rule sets ranked by marginal likelihood and by held-out cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.errors import EstimateError, OptionError, quoted
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.engines.tasks import thread_bound
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.estimates import Smoothed
from tacit.estimate.priors import BDeu, Prior
from tacit.infer.sampling import fresh_seed
from tacit.knowledge.knowledge import KnowledgeLike
from tacit.learn.choices import Choices
from tacit.learn.comparison import Compared, Comparison, distances, posterior_weights
from tacit.learn.counted import count_cases
from tacit.learn.evidence import LogEvidence
from tacit.learn.folds import Task, held_out, only_cases, read_once, split
from tacit.learn.freedom import lost_parameters
from tacit.learn.gathered import Gathered, gather_measured
from tacit.learn.heldout import CrossValidation
from tacit.learn.parts import pseudo_counts
from tacit.learn.progress import Callback, Report, watched
from tacit.learn.rivals import Rival, named_sets, rival, speaking_of
from tacit.learn.ruled import doubted_part
from tacit.learn.schemes import Question, marginal_of
from tacit.learn.settings import check_choices
from tacit.learn.structures import as_structure

_HIDDEN = "every variable needs a column to be compared on; hidden variables are for tc.fit"


def compare(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    structure: Dag | Network | str | Path,
    data: Any,
    knowledge: Sequence[KnowledgeLike],
    *,
    names: Sequence[str] | None = None,
    prior: Prior | None = None,
    folds: int = 5,
    seed: int | None = None,
    threads: int | None = None,
    sampling: Sampling | None = None,
    progress: bool | Callback | None = None,
) -> Comparison:
    """Rule sets of several experts, ranked by how well they suit the cases.

    Score 1 is log P(cases given prior and rules), a proper probability: too few rules spread it
    over tables that do not occur, wrong ones miss those that do. Score 2 is the log-likelihood of
    cases held out of the fit. The first judges rules and prior together, the second only what they
    predict; on enough cases both rank alike. [Sec. 3.6]

    structure, data  as in `tc.fit`
    knowledge  the rule sets, each as `tc.fit` takes it; None stands for no rules
    names      of the sets; by default who said the rules, or their file, or "expert A"
    prior      the same for all sets, `tc.BDeu(1)` if not given
    folds      of the cross-validation, the same for all sets
    seed       of the folds, the fits and the integrals
    sampling   how marginal likelihoods without a closed form are estimated
    """
    seed, experts = fresh_seed(seed), named_sets(knowledge, names)
    settings = _Settings(prior or BDeu(1), sampling or Sampling(), seed, thread_bound(threads))
    settings.check()
    once = read_once(structure)
    gathered = gather_measured(as_structure(once), only_cases(data), _HIDDEN)
    task = Task(once, gathered.cases, split(len(gathered.cases), folds, seed), seed)
    sets = [rival(name, known, gathered) for name, known in experts]
    with watched(progress, "comparing") as told:
        steps = _Steps(told, len(sets) * (task.folds + 1))
        scores = _marginals(sets, gathered, settings, steps)
        held = [_held_out(each, task, settings, steps) for each in sets]
    return Comparison(
        _ranked(sets, scores, held),
        cases=len(gathered.cases),
        prior=settings.prior.describe(),
        folds=task.folds,
        seed=seed,
        pooled=scores.pooled,
        notes=(*gathered.cases.notes, *scores.notes, *_notes(sets, held)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Settings:
    prior: Prior
    sampling: Sampling
    seed: int
    threads: int

    def check(self) -> None:
        """Nothing, or an error about an option that is no value of its kind."""
        check_choices(Choices(self.prior, Smoothed(), None, 0.95, self.seed))
        given: Any = self.sampling
        if not isinstance(given, Sampling):
            raise OptionError(f"sampling takes a value such as tc.Sampling(8_000), not {given!r}")


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """The marginal likelihood of every set; None where there is none, and the notes say why."""

    values: Sequence[LogEvidence | None]
    pooled: bool = False
    notes: tuple[str, ...] = ()


def _unheard(done: int, total: int, objective: float | None = None) -> None:
    del done, total, objective


class _Steps:
    """Progress over all sets, told one step at a time."""

    def __init__(self, told: Report, total: int) -> None:
        self._told, self._total, self._done = told, total, 0

    def __call__(self, done: int = 0, total: int = 0, objective: float | None = None) -> None:
        """One step more."""
        del done, total, objective
        self._done += 1
        self._told(self._done, self._total)


def _marginals(
    sets: Sequence[Rival], gathered: Gathered, settings: _Settings, steps: _Steps
) -> _Scores:
    """log P(cases given prior and rules) of every set, the prior treated alike in all of them.

    The density of the prior is held to the rules if that can be integrated under every set;
    otherwise pseudo-counts of tied cells are added up under every set. [Def. 3.4.1]
    """
    alpha = pseudo_counts(settings.prior, gathered.families)
    if why := _without_marginal(gathered, alpha):
        for _ in sets:
            steps()
        return _Scores([None] * len(sets), notes=(f"no marginal likelihood: {why}",))
    pooled = not all(each.schemes.proper(alpha) for each in sets)
    evidence = count_cases(gathered, False, settings.threads, _unheard).evidence
    asked = Question(evidence, alpha, pooled, settings.sampling, settings.seed, settings.threads)
    found: list[LogEvidence | None] = []
    notes = [_POOLED] if pooled else []
    for each in sets:
        try:
            found.append(marginal_of(each.schemes, asked))
        except EstimateError as problem:
            found.append(None)
            reason = str(problem).split("\n", 1)[0]
            notes.append(f"no marginal likelihood of {each.name}: {reason}")
        steps()
    return _Scores(found, pooled, tuple(notes))


_POOLED = (
    "under some of the rules the density of the prior cannot be integrated where they tie cells: "
    "in all sets the pseudo-counts of tied cells were added up instead"
)


def _without_marginal(gathered: Gathered, alpha: Mapping[str, Floats]) -> str:
    """Why there is no marginal likelihood; nothing if there is one."""
    if cells := sum(gathered.missing.values()):
        return f"{counted(cells, 'cell')} {'is' if cells == 1 else 'are'} missing"
    for name, variable in gathered.variables.items():
        if isinstance(variable, Continuous):
            return f"{quoted(name)} is continuous"
    for name, values in alpha.items():
        if (values <= 0).any():
            return f"the prior of {quoted(name)} is 0 in some cells"
    return ""


def _held_out(each: Rival, task: Task, settings: _Settings, steps: _Steps) -> CrossValidation:
    options = {
        "knowledge": each.knowledge,
        "prior": settings.prior,
        "threads": settings.threads,
    }
    with speaking_of(each.name):
        return held_out(task, options, steps, each.barred)


def _ranked(
    sets: Sequence[Rival], scores: _Scores, held: Sequence[CrossValidation]
) -> tuple[Compared, ...]:
    """Best first: by marginal likelihood if every set has one, else by held-out cases."""
    known = [each for each in scores.values if each is not None]
    complete = len(known) == len(sets)
    weights: Sequence[float | None] = [None] * len(sets)
    errors: Sequence[float] = [0.0] * len(sets)
    if any(each.value > -inf for each in known) and complete:
        logs, spread = np.array([each.value for each in known]), [each.error for each in known]
        found, inherited = posterior_weights(logs, np.array(spread))
        weights, errors = found.tolist(), inherited.tolist()
    compared = [
        Compared(
            name=each.name,
            knowledge=each.knowledge,
            rules=0 if each.knowledge is None else len(each.knowledge.parameters),
            free_parameters=_free(each, held[at]),
            log_marginal_likelihood=score.value if score is not None else None,
            error=score.error if score is not None else 0.0,
            weight=weights[at],
            weight_error=errors[at],
            held_out=held[at],
            below=below[0],
            below_error=below[1],
            barred=int(each.barred.sum()),
        )
        for at, (each, score, below) in enumerate(
            zip(sets, scores.values, distances(held), strict=True)
        )
    ]
    return tuple(sorted(compared, key=_by_marginal if complete else _by_held_out))


def _by_marginal(each: Compared) -> tuple[float, float]:
    assert each.log_marginal_likelihood is not None
    return -each.log_marginal_likelihood, _by_held_out(each)


def _by_held_out(each: Compared) -> float:
    average = each.held_out.average
    return inf if isnan(average) else -average


def _free(each: Rival, held: CrossValidation) -> int | None:
    doubted = each.knowledge is not None and doubted_part(each.knowledge)
    lost = None if doubted else lost_parameters(each.ruled)
    return None if lost is None else held.networks[0].free_parameters - lost


def _notes(sets: Sequence[Rival], held: Sequence[CrossValidation]) -> Iterator[str]:
    """What is to be said of single sets, each note with its set."""
    common = set(held[0].notes).intersection(*(each.notes for each in held))
    for one, other in zip(sets, held, strict=True):
        yield from (f"{one.name}: {note}" for note in other.notes if note not in common)
