"""`query`: the probability of some variables given findings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import QueryError, marked
from tacit.core.network import Network, check_network
from tacit.core.variables import Discrete
from tacit.infer.answers import Answer
from tacit.infer.engine import engine_of
from tacit.infer.exact import explain_impossible, joint_posterior
from tacit.infer.findings import Finding, discrete, finding, findings_of, settled
from tacit.infer.weighting import LikelihoodWeighting, weighted_joint
from tacit.knowledge.reading import parse_query
from tacit.knowledge.terms import Probability, Term, Word


def query(
    network: Network,
    text: str | Sequence[str],
    *,
    given: Mapping[str, Any] | None = None,
    method: LikelihoodWeighting | None = None,
) -> Answer:
    """P(targets | findings), exactly, unless a `method` that estimates it is named.

    text    `"P(A, B | C=c, D={x, y})"`, or just the name or names of the targets
    given   further findings: {"B": "b"}, {"D": {"x", "y"}} for one of several states, or
            {"D": {"x": 0.2, "y": 0.8}} for a likelihood of what was seen per state
    A target with a state, `P(A=yes | B=b)`, asks for that probability alone.
    """
    check_network(network)
    asked = _asked(network, text)
    found = [finding(network, term, asked.text) for term in asked.given]
    found += findings_of(network, given)
    targets = [discrete(network, term.variable, asked.text) for term in asked.targets]
    _check_targets(asked, settled(found))
    names = [target.name for target in targets]
    if method is not None:
        values, errors = weighted_joint(network, names, found, method)
    else:
        values, errors = _exact(network, names, found), None
    return _answer(network, asked, found, targets, values, errors)


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
            raise QueryError(marked(asked.text, word.start, word.end, what) if asked.text else what)


def _exact(network: Network, names: Sequence[str], found: Sequence[Finding]) -> Floats:
    engine = engine_of(network)
    places = [engine.layout.places[name] for name in names]
    values = joint_posterior(engine, engine.observe(found), places)
    total = values.sum()
    if not total > 0:
        raise explain_impossible(engine, found)
    return np.asarray(values / total)


def _answer(
    network: Network,
    asked: Probability,
    found: Sequence[Finding],
    targets: Sequence[Discrete],
    values: Floats,
    errors: Floats | None,
) -> Answer:
    """Add up the states that targets are held to, and keep an axis for each free one."""
    free = []
    variance = None if errors is None else errors**2
    for at in reversed(range(len(targets))):
        term = asked.targets[at]
        if term.states is None:
            free.append(targets[at])
            continue
        held = finding(network, term, asked.text).likelihood
        values = np.tensordot(values, held, axes=(at, 0))
        variance = None if variance is None else np.tensordot(variance, held**2, axes=(at, 0))
    head = ", ".join(str(term) for term in asked.targets)
    tail = ", ".join(each.text for each in found)
    title = f"P({head}{' | ' + tail if tail else ''})"
    off = None if variance is None else np.sqrt(variance)
    return Answer(title, tuple(reversed(free)), np.asarray(values), off)
