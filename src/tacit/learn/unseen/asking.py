"""What `propose_hidden` was told, checked: errors say what is wrong before any work is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import CasesError, ColumnError, OptionError, listed, nearest, quoted
from tacit.core.network import Network
from tacit.core.options import check_value, is_number
from tacit.core.variables import Continuous, Discrete
from tacit.estimate.priors import BDeu, Prior
from tacit.estimate.scores.values import BIC, AnyScore, Score
from tacit.io.cases import bind
from tacit.knowledge.knowledge import KnowledgeLike, as_knowledge
from tacit.learn.columns import Columns
from tacit.learn.ruled import doubted_part
from tacit.learn.structure.sem_mixed import check_possible
from tacit.learn.structure.sem_reals_front import check_reals
from tacit.learn.structures import Structure, as_structure
from tacit.learn.unseen.expert import check_rules, named_of, number_of_states, refused_of
from tacit.learn.unseen.judging import Court
from tacit.learn.unseen.parting import check_told, parted
from tacit.learn.unseen.seeking import check_method
from tacit.learn.unseen.sought import VARIANTS, Bench, Settings, in_own_order

OTHERS = "cases of their own"
"""What is kept of cases held out that were given."""


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What the caller said, as it came."""

    network: Any
    knowledge: KnowledgeLike
    children: Any
    states: Any
    refuse: Any
    name: Any
    score: Any
    variant: Any
    most: Any
    most_states: Any
    evidence: Any
    held_out: Any
    tries: Any
    shown: Any
    bootstrap: Any
    threshold: Any
    least: Any
    restarts: Any
    columns: Columns
    seed: int
    threads: int | None
    method: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The work to do.

    start  the dag or network to begin at; None: one is searched for
    notes  what the reader should know of the cases
    wishes  what was said beyond the settings, as plain data, to ask for it again
    """

    bench: Bench
    court: Court
    start: Dag | Network | None
    notes: tuple[str, ...] = ()
    wishes: Mapping[str, Any] = field(default_factory=dict)


def ask(said: Said) -> Asked:
    """Everything that is needed, checked."""
    check_numbers(said)
    structure = None if said.network is None else as_structure(said.network)
    whole = _cases(said.columns, structure)
    known, start = _start(structure, whole)
    settings = _settings(said, whole, tuple(known))
    knowledge = as_knowledge(said.knowledge)
    if knowledge is not None and (doubted := doubted_part(knowledge)):
        raise OptionError(
            f"{doubted[0].text!r} is said with less than certainty, and the search for hidden "
            "variables takes rules about tables that are certain\n\nleave it out, and fit the "
            "network that is found with tc.fit, which weighs such rules"
        )
    check_rules(knowledge, settings, (*whole.names, *known))
    cases, judged = parted(whole, said.held_out, said.seed)
    check_told(cases)
    bench = Bench(in_own_order(cases), settings, knowledge, known)
    _check_numbers_given(bench, whole, start)
    court = Court(whole, judged, whole.names)
    return Asked(bench, court, start, tuple(whole.notes), _wishes(said, start))


def _check_numbers_given(bench: Bench, whole: Dataset, start: Dag | Network | None) -> None:
    """Nothing, or an error about a case that a network to begin at holds impossible, where its
    numbers are what the first rounds go on from."""
    used = bench.known or any(whole.missing().values())
    complete = isinstance(start, Network) and set(start) == {*whole.names, *bench.known}
    if bench.mixed and used and complete:
        assert isinstance(start, Network)
        check_possible(start, whole)


def _wishes(said: Said, start: Dag | Network | None) -> dict[str, Any]:
    """Where it began, what judged, what was left out."""
    share = said.held_out is None or is_number(said.held_out)
    dag = start.dag if isinstance(start, Network) else start
    return {
        "begun_at": None if dag is None else str(dag),
        "numbers_given": isinstance(start, Network),
        "held_out": float(said.held_out or 0) if share else OTHERS,
        "left_out": [],
        **said.columns.settings,
    }


def _cases(columns: Columns, structure: Structure | None) -> Dataset:
    """The measured columns, in the states that a network declares."""
    cases = columns.cases
    if not cases.names:
        raise CasesError("the cases have no columns, so there is nothing to find")
    declared = {} if structure is None else dict(structure.variables or {})
    both = {name: declared[name] for name in cases.names if name in declared}
    if both:
        bound = bind(cases.select(list(both)), both)
        cases = replace(
            cases,
            variables={**cases.variables, **bound.variables},
            columns={**cases.columns, **bound.columns},
        )
    _check_values(cases)
    if len(cases.names) < 3:
        raise CasesError(
            "a hidden variable shows in links among three variables or more, and there are "
            f"{len(cases.names)}: {listed(map(quoted, cases.names))}{columns.reminder}"
        )
    return cases


def _check_values(cases: Dataset) -> None:
    """Nothing, or an error about columns of real values that say nothing."""
    real = [name for name, each in cases.variables.items() if isinstance(each, Continuous)]
    empty = [name for name in real if absent(cases[name]).all()]
    if empty:
        it, has = ("it", "has") if len(empty) == 1 else ("them", "have")
        raise OptionError(
            f"{listed(map(quoted, empty), 6)} {has} no value in any case\n\n"
            f"leave {it} out: leave_out={empty!r}"
        )


def _start(
    structure: Structure | None, cases: Dataset
) -> tuple[dict[str, tuple[str, ...]], Dag | Network | None]:
    """Hidden variables that the given network has already, and where to begin."""
    if structure is None:
        return {}, None
    unseen = [name for name in structure.dag.names if name not in cases]
    declared = structure.variables or {}
    known = dict[str, tuple[str, ...]]()
    for name in unseen:
        variable = declared.get(name)
        if not isinstance(variable, Discrete):
            raise ColumnError(
                f"the dag names {quoted(name)}, which is no column of the cases"
                f"{nearest(name, cases.names)}\n\ncolumns: {listed(cases.names)}\n\nhidden "
                "variables that are known already stand in a network, which says their states"
            )
        known[name] = variable.states
    whole = structure.network
    if known and whole is None:
        raise OptionError("a network with hidden variables is given as a value or a file")
    return known, structure.dag if whole is None else whole


def _settings(said: Said, cases: Dataset, known: tuple[str, ...]) -> Settings:
    score = _score(said, cases)
    check_method(said.method)
    check_words(said, cases)
    return Settings(
        score, said.variant, named_of(said.children, said.states, cases, known),
        refused_of(said.refuse, cases), said.name,
        number_of_states(said.states), said.most, said.most_states, said.tries, said.shown,
        said.bootstrap, float(said.threshold), said.least, float(said.evidence), said.restarts,
        said.seed, said.threads, said.method,
    )  # fmt: skip


def _score(said: Said, cases: Dataset) -> AnyScore:
    """What compares dags: the evidence of tables, or beside real values likelihood and price."""
    if not any(isinstance(each, Continuous) for each in cases.variables.values()):
        score = BDeu(5) if said.score is None else said.score
        if isinstance(score, Score):
            raise OptionError(
                f"score={score.describe()} must be tc.BDeu(5) or another prior where all columns "
                "have states"
            )
        check_value(
            "score", score, Prior, "tc.BDeu(5), which compares hidden variables by evidence"
        )
        return score
    if said.method is not None:
        raise OptionError(
            "method= speaks of columns with states, and some are continuous"
            "\n\nleave it out, or make them discrete with tc.discretise"
        )
    score = BIC() if said.score is None else said.score
    if not isinstance(score, Score):
        raise OptionError(
            f"score={said.score.describe()} must be tc.BIC() or another price where columns are "
            "continuous"
        )
    check_reals(cases, score)
    return score


def check_words(said: Said, cases: Dataset) -> None:
    """Nothing, or an error about a variant that is none, or a name that cannot be given."""
    if said.variant not in VARIANTS:
        raise OptionError(f"variant={said.variant!r} must be one of {', '.join(VARIANTS)}")
    if not isinstance(said.name, str) or not said.name.strip():
        raise OptionError(f"name={said.name!r} must be the name of a variable")
    if said.name in cases:
        raise OptionError(f"name={said.name!r} is a column of the cases; choose another")


def check_numbers(said: Said) -> None:
    """Nothing, or an error about a number that is none, or out of its bounds."""
    bounds = {
        "most": 0,
        "most_states": 2,
        "tries": 1,
        "shown": 1,
        "bootstrap": 0,
        "least": 3,
        "restarts": 0,
    }
    for name, least in bounds.items():
        value = getattr(said, name)
        if not (type(value) is int and value >= least):
            raise OptionError(f"{name}={value!r} must be a whole number, {least} or more")
    if not (is_number(said.threshold) and 0 < said.threshold <= 1):
        raise OptionError(f"threshold={said.threshold!r} must be a share above 0, at most 1")
    if not is_number(said.evidence):
        raise OptionError(f"evidence={said.evidence!r} must be a number of nats")
