"""`query`: the probability of some variables given findings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import Floats, shares
from tacit.core.errors import QueryError, marked
from tacit.core.network import Network, check_network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.infer.answers import Answer
from tacit.infer.bent.posed import POINTS, Bent
from tacit.infer.bent.questions import as_findings, bent_answer, bent_of
from tacit.infer.bent.straight import is_bent
from tacit.infer.engine import engine_of
from tacit.infer.exact import explain_impossible, joint_posterior
from tacit.infer.findings import Finding, discrete, finding, settled
from tacit.infer.normal.bulk import above, is_real
from tacit.infer.normal.findings import (
    AnyFinding,
    bound_findings,
    limits_of,
    states_found,
    values_found,
)
from tacit.infer.normal.mixtures import NormalAnswer
from tacit.infer.normal.questions import normal_answer, state_probabilities
from tacit.infer.sampling import fresh_seed
from tacit.infer.weighting import LikelihoodWeighting, weighted_joint
from tacit.io.states import number
from tacit.knowledge.reading import parse_query
from tacit.knowledge.terms import Probability, Term, Word, named


def query(
    network: Network,
    text: str | Sequence[str],
    *,
    given: Mapping[str, Any] | None = None,
    method: LikelihoodWeighting | None = None,
) -> Answer:
    """P(targets | findings), exactly, unless a `method` that estimates it is named.

    text    `"P(A, B | C=c, D={x, y})"`, or just the name or names of the targets
    given   further findings: {"B": "b"}, {"X": 1.2} where X is continuous, {"D": {"x", "y"}} for
            one of several states, or {"D": {"x": 0.2, "y": 0.8}} for a likelihood of what was seen
            per state
    A target with a state, `P(A=yes | B=b)`, asks for that probability alone, and so does a
    continuous one with bounds, `P(X > 5 | B=b)` or `P(2 < X < 5)`. The answer is a `NormalAnswer`,
    with mean, sd and interval, where a target is continuous and has none.
    """
    check_network(network)
    asked = _asked(network, text)
    if any(term.bounds for term in asked.targets):
        return _ask_bounded(network, asked, given, method)
    return _ask(network, asked, given, method)


def _ask_bounded(
    network: Network,
    asked: Probability,
    given: Mapping[str, Any] | None,
    method: LikelihoodWeighting | None,
) -> Answer:
    """How probable it is that a variable lies within bounds, by the mixture that it is."""
    if len(asked.targets) > 1:
        word = next(term for term in asked.targets if term.bounds).variable
        what = f"bounds on {word.text!r} are asked for beside another variable"
        advice = "ask for one variable with bounds at a time; states can be findings"
        raise QueryError(f"{_marked(asked.text, word, what)}\n\n{advice}")
    (term,) = asked.targets
    limits = limits_of(network, term, asked.text)
    free = replace(asked, targets=(Term(term.variable),))
    whole = _ask(network, free, given, method)
    assert isinstance(whole, NormalAnswer)
    value = whole.probability(term.variable.text, **limits)
    title = _title(asked, bound_findings(network, asked.given, given, asked.text))
    drawn = None if whole.drawn is None else replace(whole.drawn, errors={})
    error = None if drawn is None else np.asarray(np.sqrt(value * (1 - value) / drawn.size))
    return Answer(title, (), np.asarray(value), error, drawn)


def _ask(
    network: Network,
    asked: Probability,
    given: Mapping[str, Any] | None,
    method: LikelihoodWeighting | None,
) -> Answer:
    found = bound_findings(network, asked.given, given, asked.text)
    targets = [target_of(network, term, asked.text) for term in asked.targets]
    names = [target.name for target in targets]
    _check_targets(asked, {*settled(states_found(found)), *values_found(found)})
    if is_real(network):
        network = above(network, {*names, *(each.name for each in found)})
    if is_real(network):
        return _ask_reals(network, asked, found, targets, method)
    states = states_found(found)
    if method is not None:
        values, errors = weighted_joint(network, names, states, method)
    else:
        values, errors = _exact(network, names, states), None
    return _answer(network, asked, found, _discrete(targets), values, errors)


def _ask_reals(
    network: Network,
    asked: Probability,
    found: Sequence[AnyFinding],
    targets: Sequence[Variable],
    method: LikelihoodWeighting | None,
) -> Answer:
    """The same where some variable that bears on the question is continuous."""
    names, free = [target.name for target in targets], _discrete(targets)
    if len(free) < len(targets):
        for term in asked.targets:
            if term.states is not None:
                what = f"{term.variable.text!r} is held to a state beside a continuous target"
                advice = "ask for it freely, or put it among the findings"
                raise QueryError(f"{_marked(asked.text, term.variable, what)}\n\n{advice}")
    if is_bent(network):
        bent = bent_of(network, names, found)
        if bent.straight.bends:
            return _ask_bent(network, asked, found, targets, bent, method)
        network, reals = bent.straight.network, as_findings(bent.straight, found)
    else:
        reals = list(found)
    if method is not None:
        raise QueryError(
            "tc.LikelihoodWeighting is for networks of discrete variables, and for curves"
            "\n\nleave out method=: with continuous variables the answer is exact"
        )
    if len(free) < len(targets):
        return normal_answer(network, _title(asked, found), names, reals)
    values = state_probabilities(network, names, reals)
    return _answer(network, asked, found, free, values, None)


def _ask_bent(
    network: Network,
    asked: Probability,
    found: Sequence[AnyFinding],
    targets: Sequence[Variable],
    bent: Bent,
    method: LikelihoodWeighting | None,
) -> Answer:
    """Around curves: by weighted draws, the same ones every time unless a seed is named."""
    points = POINTS if method is None else method.samples
    seed = 0 if method is None else fresh_seed(method.seed)
    names, title = [target.name for target in targets], _title(asked, found)
    answer = bent_answer(network, title, names, bent, points, seed)
    if answer.reals:
        return answer
    plain = _answer(network, asked, found, _discrete(targets), answer.values, answer.errors)
    return replace(plain, drawn=answer.drawn)


def _discrete(targets: Sequence[Variable]) -> list[Discrete]:
    return [target for target in targets if isinstance(target, Discrete)]


def _marked(text: str, word: Word, what: str) -> str:
    return marked(text, word.start, word.end, what) if text else what


def target_of(network: Network, term: Term, text: str) -> Variable:
    """The variable asked for; one that is continuous can be held to no state."""
    variable = network.variables.get(term.variable.text)
    if not isinstance(variable, Continuous):
        return discrete(network, term.variable, text)
    if term.states is not None:
        what = f"{variable.name!r} is continuous and has no states"
        name, value = named(variable.name), term.states[0].text
        number_said = value if number(value) is not None else "5"
        advice = (
            f"ask for P({name} > {number_said} | ...), or for the whole distribution, P({name})"
        )
        raise QueryError(f"{_marked(text, term.variable, what)}\n\n{advice}")
    return variable


def _asked(network: Network, text: str | Sequence[str]) -> Probability:
    if not isinstance(text, str):
        return Probability(tuple(Term(Word(str(name))) for name in text))
    if text in network.variables or "(" not in text:
        return Probability((Term(Word(text, 0, len(text))),), text=text)
    return parse_query(text)


def _check_targets(asked: Probability, known: Collection[str]) -> None:
    names = [term.variable.text for term in asked.targets]
    for term in reversed(asked.targets):
        word = term.variable
        twice = names.count(word.text) > 1
        if twice or word.text in known:
            what = f"{word.text!r} is asked for {'twice' if twice else 'and given'}"
            raise QueryError(_marked(asked.text, word, what))


def _exact(network: Network, names: Sequence[str], found: Sequence[Finding]) -> Floats:
    engine = engine_of(network)
    places = [engine.layout.places[name] for name in names]
    values = joint_posterior(engine, engine.observe(found), places)
    if not values.sum() > 0:
        raise explain_impossible(engine, found)
    return values


def _answer(
    network: Network,
    asked: Probability,
    found: Sequence[AnyFinding],
    targets: Sequence[Discrete],
    values: Floats,
    errors: Floats | None,
) -> Answer:
    """Add up the states that targets are held to, and keep an axis for each free one.

    Each value is the share that its states have of all mass, what is held to nothing included.
    """
    free, rest = [], np.zeros(1)
    variance = None if errors is None else errors**2
    for at in reversed(range(len(targets))):
        term = asked.targets[at]
        if term.states is None:
            free.append(targets[at])
            continue
        held = finding(network, term, asked.text).likelihood
        rest = np.append(rest, np.tensordot(values, 1 - held, axes=(at, 0)).sum())
        values = np.tensordot(values, held, axes=(at, 0))
        variance = None if variance is None else np.tensordot(variance, held**2, axes=(at, 0))
    off = None if variance is None else np.sqrt(variance)
    whole = shares(np.append(np.ravel(values), rest))[: np.size(values)]
    return Answer(_title(asked, found), tuple(reversed(free)), whole.reshape(np.shape(values)), off)


def _title(asked: Probability, found: Sequence[AnyFinding]) -> str:
    head = ", ".join(str(term) for term in asked.targets)
    tail = ", ".join(each.text for each in found)
    return f"P({head}{' | ' + tail if tail else ''})"
