"""The path itself: settle at one gamma, look where the solution goes, take a step, settle again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats
from tacit.learn.bottleneck.completion import (
    State,
    Work,
    begun,
    log_likelihood,
    m_step,
    state_at,
    step,
)
from tacit.learn.bottleneck.directions import direction, disturbed, length, moved
from tacit.learn.bottleneck.effective import effective_states
from tacit.learn.bottleneck.path import PathStep
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.bottleneck.trees import (
    Tree,
    exact_log_likelihood,
    shaken,
    together_begun,
    together_step,
)
from tacit.learn.climb import Climb, climb
from tacit.learn.fits import Stop

BEFORE = 0.9
"""Where a path starts, as a share of the gamma at which hidden variables begin to say something."""
UNKNOWN = 0.1
"""Where it starts if they never do by themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """Where a path goes on: shares to settle at a gamma, and what has been settled before.

    theta  the parameters there, from which rules without a closed form are solved
    """

    gamma: float
    shares: tuple[Floats, ...]
    theta: Floats
    steps: tuple[PathStep, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """The end of a path.

    stop  CONVERGED, STEP_LIMIT where the last gamma did not settle, or INTERRUPTED on the way
    """

    state: State
    steps: tuple[PathStep, ...]
    stop: Stop


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """All that a path depends on.

    alpha      the prior's pseudo-counts, flat
    threshold  the gamma up to which the trivial solution is stable
    seed       of the noise, which differs from step to step
    held_out   the log-likelihood of cases held out under some parameters
    """

    work: Work
    settings: IBEM
    alpha: Floats
    threshold: float
    seed: tuple[int, ...]
    held_out: Callable[[Floats], float] | None = None
    tree: Tree | None = None


Heard = Callable[[State], None]
"""Hears every step at every gamma; a KeyboardInterrupt ends the path there."""


def outset(route: Route, theta: Floats) -> Along:
    """The start of a path: shares that are even but for noise, before anything can be told apart.

    [HV2 2.3, 2.7]
    """
    contexts, first = route.work.contexts, route.settings.first
    if first is None:
        first = BEFORE * route.threshold if np.isfinite(route.threshold) else UNKNOWN
    even = [
        np.full((contexts.weights.size, each.states), 1.0 / each.states) for each in contexts.open
    ]
    random = np.random.default_rng([*route.seed, 0])
    shares = disturbed(route.work, even, route.settings.noise, random)
    gamma = min(first, route.settings.last)
    if route.tree is not None:
        theta, _ = m_step(route.work, state_at(route.work, theta, shares, gamma))
    return Along(gamma, shares, theta)


def follow(
    route: Route, start: Along, heard: Heard, kept: Callable[[Along], None] = lambda _: None
) -> Followed:
    """The path from there to the last gamma. [HV2 2.7]

    kept  hears from where the path goes on, after every gamma
    """
    settings, here = route.settings, start
    while True:
        settled = settle(route, here, heard)
        state = settled.state
        steps = (*here.steps, settled.step)
        if settled.stop is Stop.INTERRUPTED or here.gamma >= settings.last:
            return Followed(state, steps, settled.stop)
        here = _onwards(route, state, steps)
        kept(here)


def _onwards(route: Route, state: State, steps: tuple[PathStep, ...]) -> Along:
    """Where the path goes on from a converged state."""
    settings, gamma, shares = route.settings, state.gamma, state.shares
    if route.tree is not None:
        by = settings.longest
    else:
        along = direction(route.work, settings, state)
        by = length(route.work, settings, state, along)
    further = settings.last if settings.last - gamma - by < 1e-9 else gamma + by
    if route.tree is None:
        shares = moved(settings, state, along, further - gamma)
    return Along(further, shares, state.theta, steps)


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A converged state, what there is to tell of it, and why it ended."""

    state: State
    step: PathStep
    stop: Stop


def settle(route: Route, here: Along, heard: Heard) -> Settled:
    """Steps at one gamma until nothing improves, twice: from here, and from here with noise.

    The better of the two stays. Noise is what leaves the trivial solution once others are better,
    for it solves the equations at every gamma. [HV2 2.2, 2.3, 2.6]
    """
    plain = _climbed(route, here, here.shares, here.theta, heard)
    best, steps, other = plain, len(plain.trace), False
    if plain.stop is not Stop.INTERRUPTED:
        random = np.random.default_rng([*route.seed, 1 + len(here.steps)])
        shares, theta, noise = plain.iterate.shares, plain.iterate.theta, route.settings.noise
        if route.tree is None:
            shares = disturbed(route.work, shares, noise, random)
        else:
            theta = shaken(route.work, theta, noise, random)
        again = _climbed(route, here, shares, theta, heard)
        steps += len(again.trace)
        other = again.iterate.objective > plain.iterate.objective
        best = again if other else replace(plain, stop=_worse(plain.stop, again.stop))
    return Settled(best.iterate, _told(route, best.iterate, steps, other), best.stop)


def _climbed(
    route: Route, here: Along, shares: Sequence[Floats], theta: Floats, heard: Heard
) -> Climb[State]:
    work, settings, tree = route.work, route.settings, route.tree

    def told(state: State, history: Sequence[float]) -> None:
        del history
        heard(state)

    if tree is None:
        begin = begun(work, shares, here.gamma, theta)
    else:
        begin = together_begun(work, tree, theta, here.gamma)
    return climb(
        lambda state: step(work, state) if tree is None else together_step(work, tree, state),
        begin,
        tolerance=settings.tolerance,
        max_steps=settings.max_steps,
        told=told,
    )


def _worse(plain: Stop, again: Stop) -> Stop:
    """Why both ended: an interruption of the second ends the path as well."""
    return again if again is Stop.INTERRUPTED else plain


def _told(route: Route, state: State, steps: int, other: bool) -> PathStep:
    """What there is to tell of a state."""
    contexts, pseudo = route.work.contexts, route.work.problem.pseudo
    said = pseudo != 0
    with np.errstate(divide="ignore"):
        prior = float(pseudo[said] @ np.log(state.theta[said]))
    if route.tree is not None:
        likely = exact_log_likelihood(route.work, route.tree, state.theta)
    else:
        likely = log_likelihood(contexts, state.theta) if contexts.exact else state.fit - prior
    hidden = [contexts.open[at].variable for at in contexts.hidden]
    return PathStep(
        gamma=state.gamma,
        objective=state.objective,
        log_likelihood=likely,
        fit=likely + prior,
        information=state.information,
        effective=tuple(
            effective_states(contexts.layout, state.expected, route.alpha, each) for each in hidden
        ),
        steps=steps,
        disturbed=other,
        held_out=None if route.held_out is None else route.held_out(state.theta),
    )
