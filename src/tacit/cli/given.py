"""Findings and hidden variables as the command line writes them, turned into values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.dag import Dag
from tacit.core.errors import OptionError, TacitError, marked, nearest
from tacit.core.variables import Continuous, Discrete

if TYPE_CHECKING:
    from tacit.core.network import Network
    from tacit.infer.normal.findings import AnyFinding
    from tacit.knowledge.terms import Term

REST = "rest"
"""The word that hides every variable without a column."""


def given_of(network: Network, texts: Sequence[str] | None) -> dict[str, Any]:
    """The findings of all `--given` as the library takes them, by variable."""
    found: dict[str, Any] = {}
    for text in texts or ():
        for term in _terms(text, "--given"):
            said = _bound(network, term, text)
            if said.name in found:
                what = f"{said.name!r} is given twice"
                word = term.variable
                raise OptionError(marked(text, word.start, word.end, what, "--given"))
            found[said.name] = plain_finding(network, said, term.likelihoods is not None)
    return found


def plain_finding(network: Network, said: AnyFinding, weighed: bool) -> Any:
    """A state, a set of states, {state: likelihood}, or the value of what is continuous."""
    from tacit.infer.normal.findings import RealFinding

    if isinstance(said, RealFinding):
        return said.value
    variable = network.variables[said.name]
    assert isinstance(variable, Discrete)
    pairs = zip(variable.states, said.likelihood.tolist(), strict=True)
    possible = {state: value for state, value in pairs if value > 0}
    if weighed:
        return possible
    return set(possible) if len(possible) > 1 else next(iter(possible))


def _terms(text: str, option: str) -> tuple[Term, ...]:
    from tacit.knowledge.reading import parse_findings

    try:
        return parse_findings(text)
    except TacitError as problem:
        raise type(problem)(f"{option}: {problem}") from None


def _bound(network: Network, term: Term, text: str) -> AnyFinding:
    from tacit.infer.normal.findings import bound_finding

    try:
        return bound_finding(network, term, text)
    except TacitError as problem:
        raise type(problem)(f"--given: {problem}") from None


def hidden_of(
    texts: Sequence[str] | None, structure: Dag | Network
) -> Mapping[str, int | Sequence[str]] | str | None:
    """`H=3`, `H={mild, severe}`, `H` (states from the network) or `rest`, as `fit` takes them."""
    if not texts:
        return None
    if REST in texts:
        if len(texts) > 1:
            raise OptionError(f"--hidden {REST} hides all there is to hide; name nothing beside it")
        return REST
    found: dict[str, int | Sequence[str]] = {}
    for text in texts:
        for term in _terms(text, "--hidden"):
            name = term.variable.text
            if name in found:
                raise _wrong(text, term, f"{name!r} is named twice")
            found[name] = _hidden_states(term, text, structure)
    return found


def states_of(texts: Sequence[str]) -> Mapping[str, int | Sequence[str]] | int | None:
    """`Severity=3`, `Severity={low, high}`, or one number for all, as `propose_hidden` takes
    them."""
    if len(texts) == 1 and texts[0].strip().isdecimal():
        return int(texts[0])
    found: dict[str, int | Sequence[str]] = {}
    for text in texts:
        for term in _terms(text, "--states"):
            name = term.variable.text
            if name in found:
                raise _wrong(text, term, f"{name!r} is named twice", option="--states")
            found[name] = _hidden_states(term, text, Dag({name: ()}), "--states")
    return found or None


def reals_hidden(said: Mapping[str, int | Sequence[str]] | str | None) -> dict[str, Continuous]:
    """Those of the hidden variables that were said to be continuous, by name."""
    given = said if isinstance(said, Mapping) else {}
    return {name: Continuous(name) for name, each in given.items() if each == REAL}


def hidden_beside(
    texts: Sequence[str] | None, structure: Dag | Network | None
) -> Mapping[str, int | Sequence[str]] | str | None:
    """The same where the dag is yet to be found: no structure need name what is hidden."""
    if not texts or REST in texts:
        if texts and structure is None:
            raise OptionError(f"--hidden {REST} hides what --start names; without it, say H=2")
        return hidden_of(texts, Dag({}) if structure is None else structure)
    known = set() if structure is None else set(structure)
    said = {term.variable.text for text in texts for term in _terms(text, "--hidden")}
    if structure is not None and said <= known:
        return hidden_of(texts, structure)
    return hidden_of(texts, Dag(dict.fromkeys((*known, *said), ())))


def _hidden_states(
    term: Term, text: str, structure: Dag | Network, option: str = "--hidden"
) -> int | Sequence[str]:
    name, states = term.variable.text, term.states
    known = list(structure)
    if name not in known:
        raise _wrong(text, term, f"the dag has no variable {name!r} to hide{nearest(name, known)}")
    if states is None:
        declared = getattr(structure, "variables", {}).get(name)
        if isinstance(declared, Discrete):
            return declared.states
        raise _wrong(text, term, f"how many states has {name!r}?", _HOW.format(name), option)
    if term.negated or term.likelihoods is not None:
        what = f"the states of {name!r} are to be a number or their names"
        raise _wrong(text, term, what, option=option)
    if len(states) > 1:
        return [state.text for state in states]
    word = states[0]
    if word.text == REAL:
        return REAL
    if not word.text.isdecimal() or int(word.text) < 2:
        few = word.text.lstrip("-").isdecimal()
        what = f"{word.text!r} is no number of states"
        if few:
            what = f"a hidden variable has 2 states or more, not {word.text}"
        said = marked(text, word.start, word.end, what, option)
        raise OptionError(f"{said}\n\n{_HOW.format(name)}")
    return int(word.text)


REAL = "continuous"
"""The word for a hidden variable without states."""
_HOW = "write {0}=3, or name the states, {0}={{mild, severe}}; {0}=continuous has none"


def _wrong(
    text: str, term: Term, what: str, more: str = "", option: str = "--hidden"
) -> OptionError:
    word = term.variable
    said = marked(text, word.start, word.end, what, option)
    return OptionError(said + (f"\n\n{more}" if more else ""))
