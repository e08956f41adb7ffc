"""What an expert says of hidden variables, checked: fixed ones, their states, refused ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import ColumnError, OptionError, listed, nearest, quoted
from tacit.core.options import names_in
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.limits import limits_of
from tacit.learn.hidden import MOST_STATES
from tacit.learn.unseen.proposals import HiddenProposal
from tacit.learn.unseen.sought import Named, Settings, required_of


def named_of(children: Any, states: Any, cases: Dataset, known: Sequence[str]) -> tuple[Named, ...]:
    """The variables that an expert fixes."""
    if children is None:
        if isinstance(states, Mapping):
            raise OptionError(
                "states= names variables, and children= fixes none\n\nsay where they stand: "
                'children={"Severity": ["Cough", "Fever"]}'
            )
        return ()
    if not isinstance(children, Mapping) or not children:
        raise OptionError(
            f"children={children!r} must say which variables each hidden one is the parent "
            'of: {"Severity": ["Cough", "Fever"]}'
        )
    given = states if isinstance(states, Mapping) else {}
    for name in given:
        if name not in children:
            raise OptionError(f"states= names {name!r}, which children= does not fix")
    found = []
    for name, who in children.items():
        if not isinstance(name, str) or name in cases or name in known:
            raise OptionError(f"children= names {name!r}, which is no new variable; choose another")
        members = _members("children", who, cases)
        number = who.states if isinstance(who, HiddenProposal) else None
        found.append(Named(name, members, _states(name, given.get(name, number))))
    return tuple(found)


def check_rules(knowledge: Knowledge | None, settings: Settings, there: Sequence[str]) -> None:
    """Nothing, or an error: rules about structure that name nobody, contradict each other, or do
    not leave fixed variables their children.

    there  the variables that are there to begin with
    """
    names = dict.fromkeys((*there, *settings.to_come))
    rules = () if knowledge is None else knowledge.structure
    limits_of(Knowledge((*rules, *required_of(settings.named))), tuple(names))


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


def number_of_states(given: Any) -> int | None:
    if given is None or isinstance(given, Mapping):
        return None
    if type(given) is int and 2 <= given <= MOST_STATES:
        return given
    raise OptionError(
        f"states={given!r} must be a number from 2 on, or a mapping of fixed variables"
    )


def refused_of(given: Any, cases: Dataset) -> tuple[frozenset[str], ...]:
    """The sets of children that an expert does not want to see."""
    several = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if not several or any(isinstance(each, str) for each in given):
        raise OptionError(
            'refuse= takes sets of children, such as [("Cough", "Fever", "Rash")], or proposals'
        )
    return tuple(frozenset(_members("refuse", each, cases)) for each in given)
