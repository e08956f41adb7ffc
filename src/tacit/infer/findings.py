"""What is observed in one case: a state, a set of states, or a likelihood for each state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import ImpossibleError, QueryError, StateError, listed, marked, nearest
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.io.states import number
from tacit.knowledge.terms import Term, Word


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One variable, a likelihood per state (up to a factor), and how it was said.

    state  the one state it leaves possible, or -1
    """

    name: str
    likelihood: Floats
    text: str
    state: int = field(init=False)

    def __post_init__(self) -> None:
        left = self.likelihood.nonzero()[0]
        object.__setattr__(self, "state", int(left[0]) if left.size == 1 else -1)


def findings_of(network: Network, given: Mapping[str, Any] | None) -> tuple[Finding, ...]:
    """Findings from a mapping: {"A": "yes", "B": {"x", "y"}, "C": {"a": 0.2, "b": 0.8}}."""
    if given is not None and not isinstance(given, Mapping):
        raise QueryError(f'findings are given like {{"B": "b"}}, not as {given!r}')
    return tuple(finding(network, as_term(name, said), "") for name, said in (given or {}).items())


def as_term(name: str, said: Any) -> Term:
    """What a mapping says of a variable, as the term of a query."""
    word = Word(str(name))
    if isinstance(said, Mapping):
        states = tuple(Word(str(state)) for state in said)
        sizes = [number(value) for value in said.values()]
        if None in sizes:
            raise QueryError(f"the likelihoods of {name!r} must be numbers, not {dict(said)!r}")
        return Term(word, states, likelihoods=tuple(float(size or 0) for size in sizes))
    if isinstance(said, set | frozenset | list | tuple):
        return Term(word, tuple(Word(str(state)) for state in sorted(map(str, said))))
    return Term(word, (Word(str(said)),))


def finding(network: Network, term: Term, text: str) -> Finding:
    """A term bound to its variable; errors mark the words in `text` if there is one."""
    variable = discrete(network, term.variable, text)
    if term.states is None:
        raise QueryError(
            _at(text, term.variable, f"a finding needs a state of {variable.name!r}")
            + f"\n\nstates of {variable.name!r}: {listed(variable.states)}"
        )
    codes = [state_code(variable, state, text) for state in term.states]
    likelihood = np.zeros(len(variable.states))
    if term.likelihoods is not None:
        likelihood[codes] = term.likelihoods
        if not (np.isfinite(likelihood).all() and (likelihood >= 0).all() and likelihood.any()):
            what = f"the likelihoods of {variable.name!r} must be 0 or more, and not all 0"
            raise QueryError(_at(text, term.variable, what))
    else:
        likelihood[codes] = 1.0
        if term.negated:
            likelihood = 1.0 - likelihood
        if not likelihood.any():
            what = f"this leaves no state of {variable.name!r}"
            raise QueryError(_at(text, term.variable, what))
    return Finding(variable.name, likelihood, str(term))


def discrete(network: Network, word: Word, text: str) -> Discrete:
    """The discrete variable a word names."""
    variable = network.variables.get(word.text)
    if variable is None:
        what = f"the network has no variable {word.text!r}{nearest(word.text, network.variables)}"
        raise QueryError(_at(text, word, what) + f"\n\nvariables: {listed(network.variables)}")
    if not isinstance(variable, Discrete):
        raise QueryError(_at(text, word, f"{word.text!r} is continuous and has no states"))
    return variable


def state_code(variable: Discrete, word: Word, text: str) -> int:
    """The position of a state, or an error that shows what states there are; 1.0 is the state 1."""
    if word.text in variable.states:
        return variable.states.index(word.text)
    size = number(word.text)
    same = [state for state in variable.states if size is not None and number(state) == size]
    if len(same) != 1:
        what = f"{variable.name!r} has no state {word.text!r}{nearest(word.text, variable.states)}"
        raise StateError(
            _at(text, word, what) + f"\n\nstates of {variable.name!r}: {listed(variable.states)}"
        )
    return variable.states.index(same[0])


def _at(text: str, word: Word, what: str) -> str:
    return marked(text, word.start, word.end, what) if text else what


def combined(findings: Iterable[Finding]) -> dict[str, Finding]:
    """One finding per variable: what is said of it twice is multiplied."""
    by_name: dict[str, Finding] = {}
    for each in findings:
        before = by_name.get(each.name)
        by_name[each.name] = each if before is None else _both(before, each)
    return by_name


def _both(one: Finding, other: Finding) -> Finding:
    return Finding(one.name, one.likelihood * other.likelihood, f"{one.text}, {other.text}")


def contradiction(both: Finding, findings: Iterable[Any]) -> ImpossibleError:
    """The error about findings on one variable that leave it no state."""
    return ImpossibleError(
        f"the findings on {both.name!r} contradict each other: {both.text}",
        tuple(one.text for one in findings if one.name == both.name),
    )


def settled(findings: Iterable[Finding]) -> set[str]:
    """The variables whose state the findings leave no doubt about."""
    return {name for name, each in combined(findings).items() if each.state >= 0}
