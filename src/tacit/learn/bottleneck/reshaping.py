"""From one network to another in the middle of a path: shares are carried over, and settle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.variables import Discrete
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import Prior
from tacit.families.counts import Counts
from tacit.infer.contexts import code_matrix
from tacit.learn.bottleneck.completion import TINY, Work, m_step, state_at
from tacit.learn.bottleneck.contexts import merged
from tacit.learn.bottleneck.continuation import Heard, Route, Settled, climbed_from
from tacit.learn.bottleneck.effective import proper
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.bottleneck.shape import Shape
from tacit.learn.bottleneck.threshold import threshold
from tacit.learn.bottleneck.trees import hanging
from tacit.learn.expectation import Problem, at, normalised
from tacit.learn.fits import Stop

NOTHING: Mapping[str, Floats] = {}

Tried = tuple[tuple[str, tuple[str, ...], float], ...]
"""Places of hidden variables that were tried: parent, children, and the gamma of the last time;
infinity where the variable stayed."""


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A network brought to its problem.

    alpha  the prior's pseudo-counts, flat
    """

    problem: Problem
    alpha: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """What a path remembers whose network changes.

    shape  the network as it is
    names  all hidden variables that there were, in the order in which they came
    tried  where further ones were tried
    """

    shape: Shape
    names: tuple[str, ...]
    tried: Tried = ()

    def among(self, shape: Shape) -> Growth:
        """The same with another network, whose hidden variables may be new."""
        fresh = [name for name in shape.states if name not in self.names]
        return replace(self, shape=shape, names=(*self.names, *fresh))


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What a path stands on whose network changes.

    made      brings a network and some cases to their problem
    data      the cases, equal ones merged
    observed  their variables
    prior     that scores families, whichever they are
    held      cases held out, where some are
    """

    made: Callable[[Shape, Dataset], Made]
    settings: IBEM
    data: Dataset
    observed: Mapping[str, Discrete]
    prior: Prior
    held: Dataset | None = None

    def route(self, shape: Shape, seed: tuple[int, ...], stable: float | None = None) -> Route:
        """All that a path along this network depends on.

        stable  the gamma up to which the trivial solution is, if it is known
        """
        made = self.made(shape, self.data)
        layout = made.problem.layout
        places = [layout.places[name] for name in shape.states]
        contexts = merged(self.data, layout, places, made.problem.expected.known)
        work = Work(made.problem, contexts, self.settings.penalty == "entropy")
        limit = threshold(contexts) if stable is None else stable
        tree = hanging(contexts) if self.settings.inference == "exact" else None
        return Route(work, self.settings, made.alpha, limit, seed, self._judge(shape), tree)

    def _judge(self, shape: Shape) -> Callable[[Floats], float] | None:
        if self.held is None:
            return None
        problem = self.made(shape, self.held).problem
        return lambda theta: at(problem, theta).log_likelihood


def shape_of(here: Settled) -> Shape:
    """The network of a path that changes."""
    assert here.growth is not None
    return here.growth.shape


def ended(here: Settled) -> bool:
    """Whether someone asked for the end."""
    return here.stop is Stop.INTERRUPTED


def number_of(here: Settled, name: str) -> int:
    """Which of the open variables this one is."""
    contexts = here.route.work.contexts
    variable = contexts.layout.places[name]
    return next(n for n, each in enumerate(contexts.open) if each.variable == variable)


def told_by(here: Settled, name: str) -> float:
    """I(T; Y) of a hidden variable, as a share of the most that it could be."""
    contexts = here.route.work.contexts
    hidden = [contexts.open[each].variable for each in contexts.hidden]
    information = here.state.information[hidden.index(contexts.layout.places[name])]
    return information / float(np.log(max(shape_of(here).states[name], 2)))


def distinct(data: Dataset) -> Dataset:
    """The cases with equal ones merged, each weighing as much as all of them; none weighs 0."""
    weights = np.ones(len(data)) if data.weights is None else np.asarray(data.weights)
    codes = code_matrix(data, data.names, np.arange(len(data), dtype=np.int64))
    if not codes.shape[1]:
        return data
    _, first, which = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    total = np.zeros(first.size)
    np.add.at(total, np.asarray(which).reshape(-1), weights)
    keep = total > 0
    return data.take(first[keep]).with_weights(total[keep])


def reshaped(
    ground: Ground,
    here: Settled,
    shape: Shape,
    heard: Heard,
    fresh: Mapping[str, Floats] = NOTHING,
    frozen: bool = False,
) -> Settled:
    """The path with another network at the same gamma, after it has settled there.

    fresh   (cases, states) shares of hidden variables that are new, or have other states now
    frozen  whether the shares stay as they are, and only parameters suit them
    """
    assert here.growth is not None
    before, state = here.route, here.state
    route = ground.route(shape, before.seed, before.threshold)
    shares = _carried(ground, (before, state.shares), route, fresh)
    theta = normalised(route.work.contexts.layout, np.zeros(route.work.contexts.layout.size))
    begin = state_at(route.work, theta, shares, state.gamma)
    theta, _ = m_step(route.work, begin)
    growth = here.growth.among(shape)
    if frozen:
        begin = state_at(route.work, theta, shares, state.gamma)
        return replace(here, route=route, growth=growth, state=begin)
    found = climbed_from(route, state.gamma, shares, theta, heard)
    return replace(
        here, route=route, growth=growth, state=found.iterate,
        stop=found.stop, steps=here.steps + len(found.trace),
    )  # fmt: skip


def by_case(here: Settled, name: str) -> Floats:
    """(cases, states) Q(t|y) of a hidden variable."""
    share = here.state.shares[number_of(here, name)]
    return np.asarray(share[here.route.work.contexts.case])


def worth(here: Settled) -> float:
    """The objective of the path with the tables integrated out, their prior being Dirichlet:

    γ (log P(completed cases) + W H(T|Y)) - (1 - γ) W Σ I(T; Y).

    What parameters cost is in it. At frozen shares the gain of another dag is γ times that of its
    BDe score. [HV2 2.9]
    """
    state, layout = here.state, here.route.work.contexts.layout
    alpha = proper(layout, here.route.alpha)
    score = sum(
        log_marginal_likelihood(Counts(layout.block(state.expected, v)), layout.block(alpha, v))
        for v in range(len(layout.names))
    )
    weighed = state.expected + here.route.work.problem.pseudo
    counted = weighed != 0
    likely = float(weighed[counted] @ np.log(np.maximum(state.theta[counted], TINY)))
    return state.objective + state.gamma * (score - likely)


def _carried(
    ground: Ground,
    before: tuple[Route, Sequence[Floats]],
    route: Route,
    fresh: Mapping[str, Floats],
) -> tuple[Floats, ...]:
    """Shares of the open variables of another network, in the mean over the cases of a context."""
    old, new = before[0].work.contexts, route.work.contexts
    known: dict[str, Floats] = dict(fresh)
    for each, share in zip(old.open, before[1], strict=True):
        known.setdefault(old.layout.names[each.variable], share[old.case])
    weights = np.asarray(ground.data.weights)
    found = []
    for each in new.open:
        name = new.layout.names[each.variable]
        if name not in known:
            found.append(np.full((new.weights.size, each.states), 1.0 / each.states))
            continue
        columns = [np.bincount(new.case, weights * t, new.weights.size) for t in known[name].T]
        found.append(np.stack(columns, axis=1) / new.weights[:, None])
    return tuple(found)
