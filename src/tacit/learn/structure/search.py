"""`search`: cases, rules and a score in; the best dag that was found, fitted, out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import OptionError
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.core.options import check_checkpoint, shown
from tacit.estimate.estimates import Estimate
from tacit.estimate.scores.dag_priors import DagPrior
from tacit.estimate.scores.values import AnyScore
from tacit.infer.sampling import fresh_seed
from tacit.io.cases import as_dataset
from tacit.knowledge.knowledge import KnowledgeLike, as_knowledge
from tacit.learn.columns import columns_of, names_said
from tacit.learn.curved import curves_asked, one_wish
from tacit.learn.fits import Stop
from tacit.learn.layers.answered import search_hidden
from tacit.learn.local.searching import ways_asked
from tacit.learn.progress import Callback, watched
from tacit.learn.settings import AnyPrior, chosen_of
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.fitted import check_found, fitted_search
from tacit.learn.structure.outcome import Outcome
from tacit.learn.structure.question import Question, ask
from tacit.learn.structure.replicates import bootstrapped
from tacit.learn.structure.running import RUNNERS, Run, run
from tacit.learn.structure.searched import Search
from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu
from tacit.learn.structure.starting import check_kept, dag_named, start_of
from tacit.learn.structure.walks import FORM, KeptWalk, refuse_checkpoint


def search(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    data: Any,
    *,
    knowledge: KnowledgeLike = None,
    score: AnyScore | None = None,
    method: Any = None,
    families: Any = None,
    start: Dag | Network | str | Path | None = None,
    dag_prior: DagPrior | None = None,
    prior: AnyPrior = None,
    estimate: Estimate | None = None,
    leave_out: Sequence[str] = (),
    as_given: bool | Sequence[str] = False,
    bootstrap: int = 0,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callback | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    family: Any = None,
) -> Search:
    """Learn who depends on whom from complete cases:

    maximise  Σ over variables of score(variable, its parents) + log P(dag)

    over the dags that the rules of `knowledge` allow and whose tables can be kept. A search finds
    a local maximum, exact search the highest there is; the dag is then fitted as `tc.fit` does.
    [HV1 1.5, 1.6]

    data       anything `tc.read_cases` takes; every column is a variable
    knowledge  rules about structure (require, forbid, allow, order, at most k parents) and about
               parameters; the parents that a rule about a table names are required
    score      `tc.BIC()` unless given; `tc.BDeu(10)` or any prior scores by its marginal likelihood
    method     `tc.HillClimb()` unless given; `tc.Tabu()`, `tc.Exact()`, `tc.ChowLiu()`,
               `tc.TAN(...)`, `tc.WeightAnnealing(...)`, `tc.SimulatedAnnealing()`,
               `tc.IdealParent(k=2)` where columns are continuous
    families   {"X": tc.SigmoidGaussian} where X follows its parents along a curve, which are then
               continuous columns; `tc.TreeTable`,
               `tc.GrowTree(...)` or `tc.DefaultTable` where rows may be shared, `tc.NoisyOr` and
               its relatives for links: parents are then worth what these families make of them.
               One kind alone is for every column. `family=` says the same
    start      the dag to begin at, as text, file or value; by default the required arcs alone
    dag_prior  what is believed of dags before any case; by default all are alike
    prior, estimate  of the parameters; by default the prior that scores, else as in `tc.fit`
    leave_out  columns that are no variables, such as the number of a case
    as_given   True: columns that say nothing of others are kept; or their names. Unless named here
               or by another argument, those that are empty, have one value throughout or another
               one in every case are set aside, and noted
    bootstrap  search again on so many samples of the cases, to tell how sure each arc is
    seed       makes restarts repeatable
    progress   True or False for a bar or none; or a callback told(done, total, score)
    checkpoint  a file that keeps a running search, so that `resume=True` can go on after a break
    """
    chosen = check_method(HillClimb() if method is None else method)
    chosen_of(prior, estimate)
    check_checkpoint(checkpoint, resume)
    if checkpoint is not None and not isinstance(chosen, HillClimb | Tabu | IdealParent):
        raise refuse_checkpoint(chosen.describe())
    if type(bootstrap) is not int or bootstrap < 0:
        raise OptionError(f"bootstrap={bootstrap!r} must be a whole number, 0 or more")
    wish = one_wish(family, families)
    known = as_knowledge(knowledge)
    named = names_said(known, dag_named(start), chosen, wish, score, dag_prior, prior)
    columns = columns_of(as_dataset(data), leave_out, as_given, named)
    if isinstance(chosen, IdealParent) and chosen.hidden:
        refuse_beside_hidden(
            {"knowledge": knowledge, "start": start, "dag_prior": dag_prior, "prior": prior,
             "bootstrap": bootstrap or None, "checkpoint": checkpoint}
        )  # fmt: skip
        return search_hidden(
            columns, chosen, score=score, families=wish, seed=seed, progress=progress
        )  # fmt: skip
    asked = ask(columns.cases, known, score, dag_prior, most_parents(chosen), threads, wish)
    question = replace(asked, columns=columns.settings)
    seed = _seed(seed, checkpoint if resume else None)
    begin = start_of(question, start)
    check_kept(question, begin)
    with watched(progress, "searching") as told:
        task = Run(question, chosen, begin, seed, threads, told)
        outcome = run(replace(task, kept=_kept(task, checkpoint, resume)))
    check_found(question, outcome)
    sure, notes = _confidence(task, outcome, bootstrap, progress)
    outcome = replace(outcome, notes=(*outcome.notes, *notes))
    found = fitted_search(task, outcome, sure, prior, estimate)
    said = {"bootstrap": bootstrap} if bootstrap else {}
    return replace(found, settings={**found.settings, **said})


def refuse_beside_hidden(wishes: Mapping[str, Any]) -> None:
    """Nothing, or an error about what a search for hidden parents cannot be asked."""
    for option, wish in wishes.items():
        if wish is not None:
            raise OptionError(
                f"{option}= means nothing to a search for hidden parents of columns"
                "\n\nleave it out, or search for arcs: tc.IdealParent(hidden=False)"
            )


def check_method(method: Any) -> Any:
    """The method, or an error about what is none."""
    if type(method) not in RUNNERS:
        names = ", ".join(f"tc.{kind.__name__}" for kind in RUNNERS)
        raise OptionError(
            f"method takes a value such as tc.HillClimb(), not {shown(method)}\n\none of {names}"
        )
    return method


def most_parents(method: Any) -> int | None:
    """The bound on parents that a method, or the one it wraps, sets."""
    inner = getattr(method, "method", method)
    bound: int | None = getattr(inner, "most_parents", None)
    return bound


def _seed(seed: int | None, checkpoint: str | Path | None) -> int:
    if seed is None and checkpoint is not None:
        seed = FORM.seed(checkpoint)
    return fresh_seed(seed)


def _kept(task: Run, checkpoint: str | Path | None, resume: bool) -> KeptWalk | None:
    if checkpoint is None:
        return None
    question = task.question
    problem = {
        "cases": question.cases.fingerprint(),
        "score": question.score.describe(),
        "dag_prior": _told(question),
        "knowledge": None if question.knowledge is None else str(question.knowledge),
        "method": task.method.describe(),
        "curves": curves_asked(question.curves, len(question.names)),
        "local": ways_asked(question.ways, len(question.names)),
        "start": [list(who) for who in task.start],
        "score of the start": round(question.ledger().total(task.start), 6),
        "seed": task.seed,
    }
    return KeptWalk.open(checkpoint, problem, resume)


def _told(question: Question) -> list[str] | None:
    """The prior over dags, and what tells long ones apart, whose description is cut."""
    if question.dag_prior is None or question.terms is None:
        return None
    numbers = question.terms.by_arc.tobytes() + question.terms.by_size.tobytes()
    return [question.dag_prior.describe(), sha256(numbers).hexdigest()[:16]]


def _confidence(
    task: Run, outcome: Outcome, samples: int, progress: bool | Callback | None
) -> tuple[ArcConfidence | None, tuple[str, ...]]:
    """How sure arcs are, and a note where fewer samples were drawn than asked for."""
    if not samples:
        return None, ()
    if outcome.stop is Stop.INTERRUPTED:
        return None, ("the search was interrupted, so no bootstrap sample was drawn",)
    with watched(progress, "bootstrapping") as told:
        sure, none = bootstrapped(task, samples, told)
    notes = []
    if none:
        notes.append(
            f"in {none} of {counted(samples, 'bootstrap sample')} no dag that the rules allow has "
            "a distribution; the others tell how sure arcs are"
        )
    if sure.replicates + none < samples:
        done = sure.replicates + none
        notes.append(f"interrupted after {done} of {counted(samples, 'bootstrap sample')}")
    return sure if sure.replicates else None, tuple(notes)
