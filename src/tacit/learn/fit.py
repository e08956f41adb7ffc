"""`fit`: structure, cases and a prior in; a fitted network and all that is known about it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.options import check_checkpoint
from tacit.core.variables import Continuous
from tacit.engines.statistics import Statistics
from tacit.estimate.estimates import Estimate
from tacit.estimate.posteriors import check_level
from tacit.infer.sampling import fresh_seed
from tacit.knowledge.knowledge import Knowledge, KnowledgeLike, as_knowledge
from tacit.learn.borrowed_fit import Lenders, fit_borrowing, lenders, refuse_inferred
from tacit.learn.causes.kinds import Caused, Families, caused_of, refuse_beside
from tacit.learn.causes.linking import linking_of
from tacit.learn.checkpoints import FORM
from tacit.learn.choices import Choices
from tacit.learn.counted import Counted, count_cases, counted_before, with_families
from tacit.learn.counting import fit_counted
from tacit.learn.curved import apart, curved_of, refuse_curved, refuse_gaps
from tacit.learn.fits import Fit
from tacit.learn.gathered import Gathered, gather, tied_groups
from tacit.learn.hidden import Hidden
from tacit.learn.inferred import fit_inferred
from tacit.learn.local.choosing import Local, local_of, refuse_local
from tacit.learn.local.inferring import fit_local_inferred
from tacit.learn.local.rules import Spoken, spoken_of
from tacit.learn.methods import EM, AvailableCases, Method
from tacit.learn.origins import with_origin
from tacit.learn.progress import Callback, Report, watched
from tacit.learn.ruled import doubted_part
from tacit.learn.settings import AnyPrior, chosen_of, settled
from tacit.learn.structures import NUMBERS_UNUSED, Structure, as_structure
from tacit.learn.transfers import Transfer
from tacit.learn.wishes import Wishes


def fit(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    structure: Dag | Network | str | Path,
    data: Any,
    *,
    knowledge: KnowledgeLike = None,
    sources: Any = None,
    transfer: Transfer | None = None,
    prior: AnyPrior = None,
    estimate: Estimate | None = None,
    families: Families = None,
    hidden: Hidden = None,
    method: Method | None = None,
    start: str | None = None,
    tied: Sequence[Sequence[str]] | None = None,
    level: float = 0.95,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callback | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
) -> Fit:
    """Estimate the parameters of a network from its cases:

    maximise  log P(cases given θ) + Σ over variables, rows and states of pseudo log θ,

    where pseudo is what `estimate` makes of the prior, subject to the rules of `knowledge`. With
    complete cases this has a closed form, counting; linear Gaussian families by least squares;
    rules by the theorem of their kind or the general solver. With missing cells or hidden variables
    EM climbs to a maximum. Every case is used. [Thm 2.2.1 to 2.2.4, Alg 3.2.1, Alg 3.3.3]

    Rules said with a confidence below 1 are weighed by their marginal likelihood, and the estimate
    is the mean over the sets of them that may hold: enough cases overrule a wrong one. [PDKX-3]

    structure  a dag, its text (`"A -> B"`), a network (its states count, its numbers only with
               `start="given"`), or a file of one
    data       anything `tc.read_cases` takes, or `tc.Statistics` counted before
    knowledge  what experts know: rules as text, a file of them (`.know`), `tc.Knowledge`, or a list
    sources    related sites to borrow tables from: `tc.Source`, cases, statistics or networks, or a
               list; families that are no tables keep to the cases here
    transfer   how tables are borrowed: `tc.BestFragment()` unless given; `tc.Mixture()`,
               `tc.Aggregate()`, `tc.Pool()`
    prior      of tables, `tc.BDeu(1)` if not given; of Gaussian families, `tc.WeakNormal()` if
               not given; both in a list
    estimate   `tc.Smoothed()` if not given
    families   {"X": tc.NoisyOr} where a few links are to stand for a table; `tc.NoisyAnd`,
               `tc.NoisyMax`; `tc.TreeTable` or `tc.GrowTree(...)`, `tc.DefaultTable` where rows
               are to be shared; {"X": tc.SigmoidGaussian} where a curve is to stand for a straight
               line; one of these alone is for every variable with parents
    hidden     variables of the dag that no column measures: {"H": 3} gives H three states,
               {"F": "continuous"} none, `"rest"` hides all of a network that have no column
    method     how missing cells are treated: `tc.EM()` unless given; `tc.AvailableCases()`,
               `tc.Gradient()`, `tc.FillIn()`, `tc.WeightAnnealing(tc.EM())`
    start      "given" starts EM from the numbers of the network
    tied       groups of variables that share one table, for hidden Markov models and the like
    level      of the credible intervals
    seed       makes runs with random starts repeatable; counting draws nothing at random
    progress   True or False for a bar or none, by default a bar on a terminal once work takes long;
               or a callback told(done, total), or told(done, total, objective), after every step
    checkpoint  a file that keeps a running EM, so that `resume=True` can go on after a break
    """
    check_level(level)
    seed = None if seed is None else fresh_seed(seed)
    choices = chosen_of(prior, estimate, method, level, seed)
    begin, known = _start(start, structure), as_knowledge(knowledge)
    check_checkpoint(checkpoint, resume)
    given = as_structure(structure)
    lent = lenders(sources, transfer, choices)
    kept = partial(with_origin, structure=given, choices=choices, lent=lent)
    if isinstance(data, Statistics):
        _refuse_with_statistics(hidden, tied)
        counted = _with_statistics(given, data, families)
        choices = settled(choices, counted.variables)
        refuse_beside(counted.causes, known, tied)
        refuse_local(counted.local, known, tied)
        lent = lent and lent.read(given.dag, counted.families)
        return kept(_fit_counted(given, counted, choices, known, lent))
    gathered = gather(given, data, hidden)
    choices = settled(choices, gathered.variables)
    told_of_curves, rest = apart(families)
    causes = caused_of(rest, given.network, gathered.families)
    local = local_of(rest, given.network, gathered.families)
    curves = curved_of(told_of_curves, given.network, gathered.families)
    gathered = replace(gathered, causes=causes, local=local, curves=curves)
    refuse_beside(causes, known, tied)
    refuse_local(local, known, tied)
    refuse_curved(curves, known, tied)
    groups = tied_groups(tied, gathered.families)
    lent = lent and lent.read(given.dag, gathered.families)
    if _closed_form(gathered, choices, bool(groups)):
        available = isinstance(method, AvailableCases)
        with watched(progress, "counting") as told:
            counted = count_cases(gathered, available, threads, told)
        return kept(_fit_counted(given, counted, choices, known, lent))
    refuse_gaps(gathered.hidden, gathered.families, curves)
    if begin is not None:
        gathered = replace(gathered, structure=_started(given))
    if seed is None and resume and checkpoint is not None:
        seed = FORM.seed(checkpoint)
    chosen = replace(choices, method=choices.method or EM(), seed=fresh_seed(seed))
    spoken = spoken_of(local, known)
    wishes = Wishes(groups, begin, threads, checkpoint, resume, spoken.rest)
    if lent is not None:
        refuse_inferred(lent, gathered, groups, checkpoint is not None)
    with watched(progress, "EM") as told:
        learned = _inferring(gathered, wishes, known, spoken, told)
        if lent is None:
            return kept(learned(chosen))
        rest = _of_tables(known, causes, local)
        return kept(fit_borrowing(learned, gathered.families, chosen, rest, lent))


def _inferring(
    gathered: Gathered, wishes: Wishes, known: Knowledge | None, spoken: Spoken, told: Report
) -> Callable[[Choices], Fit]:
    """Cases with gaps: what learns from them, whatever prior is chosen.

    known, spoken  all rules; and the families with local structure under those that speak of them
    """

    def learned(how: Choices) -> Fit:
        if any(isinstance(each, Continuous) for each in gathered.variables.values()):
            from tacit.learn.continuous.asking import fit_with_reals

            return fit_with_reals(gathered, how, wishes, told)
        if known is not None and doubted_part(known):
            from tacit.learn.soft import fit_inferred_softly

            return fit_inferred_softly(gathered, how, wishes, told)
        if gathered.local:
            return fit_local_inferred(
                gathered, spoken, lambda under: fit_inferred(under, how, wishes, told)
            )
        return fit_inferred(gathered, how, wishes, told)

    return learned


def _fit_counted(
    structure: Structure,
    counted: Counted,
    choices: Choices,
    knowledge: Knowledge | None,
    lent: Lenders | None,
) -> Fit:
    """Complete cases; rules said with less than certainty are weighed first."""

    def learned(how: Choices) -> Fit:
        if knowledge is not None and doubted_part(knowledge):
            from tacit.learn.soft import fit_counted_softly

            return fit_counted_softly(structure, counted, how, knowledge)
        return fit_counted(structure, counted, how, knowledge)

    if lent is None:
        return learned(choices)
    rest = _of_tables(knowledge, counted.causes, counted.local)
    return fit_borrowing(learned, counted.families, choices, rest, lent)


def _of_tables(
    knowledge: Knowledge | None, causes: Mapping[str, Caused], local: Mapping[str, Local]
) -> Knowledge | None:
    """The rules that speak neither of links nor of rows that are shared."""
    return spoken_of(local, linking_of(causes, knowledge).rest).rest


def _closed_form(gathered: Gathered, choices: Choices, tied: bool) -> bool:
    """Whether counting will do; complete cases need nothing else, whatever method is named."""
    if isinstance(choices.method, AvailableCases) and not gathered.hidden and not tied:
        return True
    return not (gathered.hidden or tied or gathered.missing)


def _with_statistics(structure: Structure, data: Statistics, families: Families) -> Counted:
    """Statistics counted before, as evidence of the families that are wanted."""
    curves, rest = apart(families)
    if curves:
        raise OptionError("curves need cases, not statistics")
    return with_families(counted_before(structure, data), structure, rest)


def _refuse_with_statistics(hidden: Hidden, tied: Sequence[Sequence[str]] | None) -> None:
    if hidden is not None or tied is not None:
        raise OptionError("hidden variables and tied tables need cases, not statistics")


def _started(structure: Structure) -> Structure:
    """The structure with a note that is true when the network's numbers were the start."""
    used = "the network gave structure and states, and its numbers were the start"
    notes = (used if note == NUMBERS_UNUSED else note for note in structure.notes)
    return replace(structure, notes=tuple(notes))


def _start(start: str | None, structure: Dag | Network | str | Path) -> Network | None:
    if start is None:
        return None
    if start != "given":
        raise OptionError(f'start={start!r} must be "given" or left out')
    if isinstance(structure, Network):
        return structure
    from tacit.io.formats import is_dag_file, is_network_file, read

    if not isinstance(structure, Dag) and is_network_file(str(structure)):
        if is_dag_file(structure):
            raise OptionError('start="given" needs a network with numbers, not a dag')
        return read(structure)
    raise OptionError('start="given" needs a network with numbers, not a dag')
