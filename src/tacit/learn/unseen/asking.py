"""What `propose_hidden` was told, checked: errors say what is wrong before any work is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import CasesError, ColumnError, OptionError, listed, nearest, quoted
from tacit.core.network import Network
from tacit.core.options import check_value, is_number, names_in
from tacit.core.variables import Continuous, Discrete
from tacit.estimate.priors import BDeu, Prior
from tacit.io.cases import as_dataset, bind
from tacit.knowledge.knowledge import KnowledgeLike, as_knowledge
from tacit.learn.hidden import MOST_STATES
from tacit.learn.ruled import doubted_part
from tacit.learn.structure.question import without
from tacit.learn.structures import Structure, as_structure
from tacit.learn.unseen.judging import Court
from tacit.learn.unseen.proposals import HiddenProposal
from tacit.learn.unseen.seeking import check_method
from tacit.learn.unseen.sought import VARIANTS, Bench, Named, Settings, in_own_order

FEWEST = 10
"""Cases to learn from, and to judge by where a share is held out."""


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
    leave_out: Sequence[str]
    seed: int
    threads: int | None
    method: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The work to do.

    start  the dag or network to begin at; None: one is searched for
    notes  what the reader should know of the cases
    """

    bench: Bench
    court: Court
    start: Dag | Network | None
    notes: tuple[str, ...] = ()


def ask(data: Any, said: Said) -> Asked:
    """Everything that is needed, checked."""
    _check_numbers(said)
    structure = None if said.network is None else as_structure(said.network)
    whole = _cases(without(as_dataset(data), said.leave_out), structure)
    known, start = _start(structure, whole)
    settings = _settings(said, whole, tuple(known))
    knowledge = as_knowledge(said.knowledge)
    if knowledge is not None and (doubted := doubted_part(knowledge)):
        raise OptionError(
            f"{doubted[0].text!r} is said with less than certainty, and the search for hidden "
            "variables takes rules about tables that are certain\n\nleave it out, and fit the "
            "network that is found with tc.fit, which weighs such rules"
        )
    cases, judged = _parted(whole, said.held_out, said.seed)
    bench = Bench(in_own_order(cases), settings, knowledge, known)
    return Asked(bench, Court(whole, judged, whole.names), start, tuple(whole.notes))


def _cases(cases: Dataset, structure: Structure | None) -> Dataset:
    """The measured columns, in the states that a network declares."""
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
    for name, variable in cases.variables.items():
        if isinstance(variable, Continuous):
            empty = bool(absent(cases[name]).all())
            what = "has no value in any case" if empty else "is continuous"
            way = "" if empty else "make it discrete with tc.discretise, or "
            raise OptionError(
                f"{quoted(name)} {what}: hidden variables are sought among discrete ones"
                f"\n\n{way}leave it out: leave_out=[{name!r}]"
            )
    if len(cases.names) < 3:
        raise CasesError(
            "a hidden variable shows in links among three variables or more, and there are "
            f"{len(cases.names)}: {listed(map(quoted, cases.names))}"
        )
    return cases


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
    score = BDeu(5) if said.score is None else said.score
    check_value("score", score, Prior, "tc.BDeu(5), which compares hidden variables by evidence")
    check_method(said.method)
    if said.variant not in VARIANTS:
        raise OptionError(f"variant={said.variant!r} must be one of {', '.join(VARIANTS)}")
    if not isinstance(said.name, str) or not said.name.strip():
        raise OptionError(f"name={said.name!r} must be the name of a variable")
    for name in (said.name,):
        if name in cases:
            raise OptionError(f"name={name!r} is a column of the cases; choose another")
    return Settings(
        score, said.variant, _named(said, cases, known), _refused(said, cases), said.name,
        _number_of_states(said.states), said.most, said.most_states, said.tries, said.shown,
        said.bootstrap, float(said.threshold), said.least, float(said.evidence), said.seed,
        said.threads, said.method,
    )  # fmt: skip


def _check_numbers(said: Said) -> None:
    bounds = {"most": 0, "most_states": 2, "tries": 1, "shown": 1, "bootstrap": 0, "least": 3}
    for name, least in bounds.items():
        value = getattr(said, name)
        if not (type(value) is int and value >= least):
            raise OptionError(f"{name}={value!r} must be a whole number, {least} or more")
    if not (is_number(said.threshold) and 0 < said.threshold <= 1):
        raise OptionError(f"threshold={said.threshold!r} must be a share above 0, at most 1")
    if not is_number(said.evidence):
        raise OptionError(f"evidence={said.evidence!r} must be a number of nats")


def _named(said: Said, cases: Dataset, known: tuple[str, ...]) -> tuple[Named, ...]:
    """The variables that an expert fixes."""
    if said.children is None:
        if isinstance(said.states, Mapping):
            raise OptionError(
                "states= names variables, and children= fixes none\n\nsay where they stand: "
                'children={"Severity": ["Cough", "Fever"]}'
            )
        return ()
    if not isinstance(said.children, Mapping) or not said.children:
        raise OptionError(
            f"children={said.children!r} must say which variables each hidden one is the parent "
            'of: {"Severity": ["Cough", "Fever"]}'
        )
    states = said.states if isinstance(said.states, Mapping) else {}
    for name in states:
        if name not in said.children:
            raise OptionError(f"states= names {name!r}, which children= does not fix")
    found = []
    for name, who in said.children.items():
        if not isinstance(name, str) or name in cases or name in known:
            raise OptionError(f"children= names {name!r}, which is no new variable; choose another")
        members = _members("children", who, cases)
        number = who.states if isinstance(who, HiddenProposal) else None
        found.append(Named(name, members, _states(name, states.get(name, number))))
    return tuple(found)


def _members(option: str, given: Any, cases: Dataset) -> tuple[str, ...]:
    """A set of children, as names or as a proposal has them."""
    names = given.children if isinstance(given, HiddenProposal) else names_in(option, given)
    names = tuple(name for name in names if not isinstance(given, HiddenProposal) or name in cases)
    for name in names:
        if name not in cases:
            raise ColumnError(
                f"{option}= names {quoted(name)}, which is no column of the cases"
                f"{nearest(name, cases.names)}\n\ncolumns: {listed(cases.names)}"
            )
    if len(set(names)) < len(names) or len(names) < 2:
        raise OptionError(
            f"{option}= names {listed(map(quoted, names)) or 'nobody'}: two different children "
            "are needed at least"
        )
    return names


def _states(name: str, given: Any) -> tuple[str, ...] | int | None:
    if given is None:
        return None
    if type(given) is int and 2 <= given <= MOST_STATES:
        return given
    several = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if several and len(given) >= 2 and all(isinstance(each, str) for each in given):
        if len(set(given)) == len(given):
            return tuple(given)
        raise OptionError(f"states= gives {name!r} a state twice: {listed(given)}")
    raise OptionError(
        f"states= gives {name!r} {given!r}; say how many (2 or more), or name them: "
        '("mild", "severe")'
    )


def _number_of_states(given: Any) -> int | None:
    if given is None or isinstance(given, Mapping):
        return None
    if type(given) is int and 2 <= given <= MOST_STATES:
        return given
    raise OptionError(
        f"states={given!r} must be a number from 2 on, or a mapping of fixed variables"
    )


def _refused(said: Said, cases: Dataset) -> tuple[frozenset[str], ...]:
    given = said.refuse
    several = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if not several or any(isinstance(each, str) for each in given):
        raise OptionError(
            'refuse= takes sets of children, such as [("Cough", "Fever", "Rash")], or proposals'
        )
    return tuple(frozenset(_members("refuse", each, cases)) for each in given)


def _parted(cases: Dataset, held_out: Any, seed: int) -> tuple[Dataset, Dataset | None]:
    """The cases to learn from, and those to judge by."""
    if isinstance(held_out, str | Path) or not (is_number(held_out) or held_out is None):
        judged = as_dataset(held_out, like=cases.variables, columns=cases.names)
        _check_enough(len(cases), len(judged))
        return cases, judged
    if not held_out:
        _check_enough(len(cases), FEWEST)
        return cases, None
    share = float(held_out)
    if not 0 < share < 1:
        raise OptionError(
            f"held_out={held_out!r} must be a share of the cases below 1, 0 for none, or cases"
        )
    order = np.random.default_rng([seed, 1]).permutation(len(cases))
    many = round(share * len(cases))
    _check_enough(len(cases) - many, many)
    return cases.take(np.sort(order[many:])), cases.take(np.sort(order[:many]))


def _check_enough(learned: int, judged: int) -> None:
    if learned < FEWEST:
        raise CasesError(
            f"{learned} cases to learn from are too few to find a hidden variable; "
            f"{FEWEST} are the least"
        )
    if judged < 1:
        raise CasesError("there are no cases to judge by; held_out=0 judges by none")
