"""Findings on networks with continuous variables: states as elsewhere, and real values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from tacit.arrays import LARGEST
from tacit.core.errors import ImpossibleError, QueryError, marked
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.infer.findings import Finding, as_term, discrete, finding
from tacit.infer.reach import RIGHT, WHY
from tacit.io.states import number
from tacit.knowledge.terms import Term, Word, named


@dataclass(frozen=True, slots=True)
class RealFinding:
    """The value of a continuous variable, and how it was said."""

    name: str
    value: float
    text: str


AnyFinding: TypeAlias = Finding | RealFinding


def bound_findings(
    network: Network, terms: Sequence[Term], given: Mapping[str, Any] | None, text: str
) -> list[AnyFinding]:
    """The findings of a query's text, then those of a mapping, {"A": "yes", "X": 1.2}."""
    if given is not None and not isinstance(given, Mapping):
        raise QueryError(f'findings are given like {{"B": "b"}}, not as {given!r}')
    found = [bound_finding(network, term, text) for term in terms]
    for name, said in (given or {}).items():
        if isinstance(network.variables.get(str(name)), Continuous):
            found.append(_real(str(name), said, Word(str(name)), ""))
        else:
            found.append(finding(network, as_term(name, said), ""))
    return found


def bound_finding(network: Network, term: Term, text: str) -> AnyFinding:
    """A term as a finding on its variable; errors mark the words in `text` if there is one."""
    name = term.variable.text
    if not isinstance(network.variables.get(name), Continuous):
        return finding(network, term, text)
    plain = term.states is not None and len(term.states) == 1
    if plain and term.states and not term.negated and term.likelihoods is None:
        return _real(name, term.states[0].text, term.states[0], text)
    raise QueryError(_marked(text, term.variable, _needs(name)))


def limits_of(network: Network, term: Term, text: str) -> dict[str, float]:
    """What a continuous variable lies `above` and `below` by the bounds of a query."""
    name, word = term.variable.text, term.variable
    if not isinstance(network.variables.get(name), Continuous):
        variable = discrete(network, word, text)
        what = f"{name!r} has states, not numbers"
        states = ", ".join(map(named, variable.states[:6]))
        advice = f"ask for some of its states, P({named(name)}={{{states}}})"
        raise QueryError(f"{_marked(text, word, what)}\n\n{advice}")
    found: dict[str, float] = {}
    for sign, said in term.bounds:
        value = number(said.text)
        if value is None:
            what = f"{name!r} is continuous; it is compared with numbers, not {said.text!r}"
            raise QueryError(_marked(text, said, what))
        found["above" if sign[0] == ">" else "below"] = float(value)
    if found.get("above", float("-inf")) >= found.get("below", float("inf")):
        raise QueryError(_marked(text, word, f"no value of {name!r} lies between these bounds"))
    return found


def _real(name: str, said: Any, word: Word, text: str) -> RealFinding:
    value = number(said)
    if value is None:
        raise QueryError(_marked(text, word, f"{_needs(name)}, not {said!r}"))
    if abs(value) > LARGEST:
        what = f"the value of {named(name)} is {Decimal(value):.3g}, {WHY}"
        raise QueryError(f"{_marked(text, word, what)}\n\n{RIGHT}")
    return RealFinding(name, float(value), f"{named(name)}={value!r}")


def _needs(name: str) -> str:
    return f"{name!r} is continuous; a finding on it is a number"


def _marked(text: str, word: Word, what: str) -> str:
    return marked(text, word.start, word.end, what) if text else what


def values_found(findings: Iterable[AnyFinding]) -> dict[str, float]:
    """The values of continuous variables; an error where one is given two of them."""
    found: dict[str, RealFinding] = {}
    for each in findings:
        if isinstance(each, RealFinding):
            before = found.setdefault(each.name, each)
            if before.value != each.value:
                raise ImpossibleError(
                    f"the findings on {each.name!r} contradict each other: "
                    f"{before.text}, {each.text}",
                    (before.text, each.text),
                )
    return {name: each.value for name, each in found.items()}


def states_found(findings: Iterable[AnyFinding]) -> list[Finding]:
    """The findings on variables with states."""
    return [each for each in findings if isinstance(each, Finding)]
