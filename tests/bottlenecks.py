"""Problems of the information bottleneck brought as far as the learner takes them."""

from __future__ import annotations

import numpy as np

import tacit as tc
from tacit.learn.bottleneck.completion import Work
from tacit.learn.bottleneck.contexts import merged
from tacit.learn.bottleneck.continuation import Route
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.bottleneck.threshold import threshold
from tacit.learn.em import Task, start_of
from tacit.learn.expectation import Problem
from tacit.learn.gathered import gather
from tacit.learn.incomplete import Incomplete, problem_of
from tacit.learn.methods import EM
from tacit.learn.parts import discrete_axes, pseudo_counts
from tacit.learn.structures import as_structure


def problem(
    dag, cases, hidden, prior=None, estimate=None
) -> tuple[Problem, np.ndarray, tc.Dataset]:
    """The problem of EM, the prior's pseudo-counts, flat, and the cases."""
    gathered = gather(as_structure(dag), cases, hidden)
    families = {name: discrete_axes(axes) for name, axes in gathered.families.items()}
    alpha = pseudo_counts(prior or tc.BDeu(1), gathered.families)
    dag = gathered.structure.dag
    incomplete = Incomplete(dag, gathered.cases, families, tuple(gathered.hidden), (), alpha)
    found = problem_of(incomplete, estimate or tc.Smoothed(), "auto", 1)
    flat = np.zeros(found.layout.size)
    for name in found.layout.names:
        found.layout.block(flat, found.layout.places[name])[...] = alpha[name]
    return found, flat, gathered.cases


def route(
    dag, cases, hidden, prior=None, estimate=None, settings=None, seed=0, entropic=False
) -> tuple[Route, np.ndarray]:  # fmt: skip
    """All that a path depends on, and parameters to start from."""
    found, alpha, cases = problem(dag, cases, hidden, prior, estimate)
    places = tuple(found.layout.places[name] for name in hidden)
    contexts = merged(cases, found.layout, places, found.expected.known)
    theta = start_of(Task(found, EM(), places, seed), 0)
    work = Work(found, contexts, entropic)
    return Route(work, settings or IBEM(), alpha, threshold(contexts), (seed, 0)), theta


def tables(work: Work, theta: np.ndarray) -> dict[str, np.ndarray]:
    """Flat parameters as tables by name."""
    layout = work.contexts.layout
    return {name: np.array(layout.block(theta, at)) for at, name in enumerate(layout.names)}


def by_case(work: Work, shares) -> dict[str, np.ndarray]:
    """The shares of every open variable by name, (cases, states)."""
    contexts = work.contexts
    return {
        contexts.layout.names[each.variable]: np.asarray(share)[contexts.case]
        for each, share in zip(contexts.open, shares, strict=True)
    }


def random_shares(work: Work, seed: int, sharp: float = 1.0) -> tuple[np.ndarray, ...]:
    """Shares drawn at random; a state that is known keeps all of them."""
    rng, found = np.random.default_rng(seed), []
    for each in work.contexts.open:
        share = rng.dirichlet(np.full(each.states, sharp), work.contexts.weights.size)
        held = each.seen.held
        share[held >= 0] = np.eye(each.states)[held[held >= 0]]
        found.append(share)
    return tuple(found)


def random_theta(work: Work, seed: int, sharp: float = 1.0) -> np.ndarray:
    """Parameters drawn at random."""
    rng = np.random.default_rng(seed)
    starts, lengths = work.contexts.layout.rows
    theta = np.empty(work.contexts.layout.size)
    for start, length in zip(starts, lengths, strict=True):
        theta[start : start + length] = rng.dirichlet(np.full(length, sharp))
    return theta


def cases_of(data: tc.Dataset) -> tuple[list[dict[str, int]], np.ndarray]:
    """Cases as dicts of codes, missing cells absent, and their weights."""
    cases = [
        {name: int(data[name][at]) for name in data.names if data[name][at] >= 0}
        for at in range(len(data))
    ]
    return cases, np.ones(len(data)) if data.weights is None else np.asarray(data.weights)
