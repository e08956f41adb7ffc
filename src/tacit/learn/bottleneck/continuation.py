"""The path itself: settle at one gamma, look where the solution goes, take a step, settle again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from tacit.learn.bottleneck.reshaping import Growth

BEFORE = 0.9
"""Where a path starts, as a share of the gamma at which hidden variables begin to say something."""
UNKNOWN = 0.1
"""Where it starts if they never do by themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """Where a path goes on: shares to settle at a gamma, and what has been settled before.

    theta   the parameters there, from which rules without a closed form are solved
    growth  the network, where it changes on the way
    """

    gamma: float
    shares: tuple[Floats, ...]
    theta: Floats
    steps: tuple[PathStep, ...] = ()
    growth: Growth | None = None


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


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Where a path is at one gamma.

    route   what it depends on from here on; growth: the network, where that changes on the way
    steps   of EM that were taken at this gamma
    other   whether the disturbed path was the better one
    stop    CONVERGED, STEP_LIMIT where this gamma did not settle, or INTERRUPTED
    said    what became of the network, in words
    """

    route: Route
    state: State
    stop: Stop
    steps: int
    other: bool
    growth: Growth | None = None
    said: tuple[str, ...] = ()


Change = Callable[[Settled, Heard], Settled]
"""What may become of the network at one gamma, once it has settled there."""


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """The end of a path: where it is at the last gamma, and every step."""

    end: Settled
    steps: tuple[PathStep, ...]

    @property
    def state(self) -> State:
        """The last state."""
        return self.end.state

    @property
    def stop(self) -> Stop:
        """Why it ended."""
        return self.end.stop


def follow(
    route: Route,
    start: Along,
    heard: Heard,
    kept: Callable[[Along], None] = lambda _: None,
    change: Change | None = None,
) -> Followed:
    """The path from there to the last gamma. [HV2 2.7]

    kept    hears from where the path goes on, after every gamma
    change  makes another network of it, at every gamma
    """
    settings, here = route.settings, start
    while True:
        found = settle(route, here, heard)
        if change is not None and found.stop is not Stop.INTERRUPTED:
            found = change(found, heard)
        route, steps = found.route, _with(here.steps, found)
        if found.stop is Stop.INTERRUPTED or here.gamma >= settings.last:
            return Followed(found, steps)
        here = _onwards(found, steps)
        kept(here)


def _onwards(found: Settled, steps: tuple[PathStep, ...]) -> Along:
    """Where the path goes on from a converged state."""
    route, state = found.route, found.state
    settings, gamma, shares = route.settings, state.gamma, state.shares
    if route.tree is not None:
        by = min(settings.longest, settings.last - gamma)
    else:
        along = direction(route.work, settings, state)
        by = length(route.work, settings, state, along)
    further = settings.last if settings.last - gamma - by < 1e-9 else gamma + by
    if route.tree is None:
        shares = moved(settings, state, along, further - gamma)
    return Along(further, shares, state.theta, steps, found.growth)


def settle(route: Route, here: Along, heard: Heard) -> Settled:
    """Steps at one gamma until nothing improves, twice: from here, and from here with noise.

    The better of the two stays. Noise is what leaves the trivial solution once others are better,
    for it solves the equations at every gamma. [HV2 2.2, 2.3, 2.6]
    """
    plain = climbed_from(route, here.gamma, here.shares, here.theta, heard)
    best, steps, other = plain, len(plain.trace), False
    if plain.stop is not Stop.INTERRUPTED:
        random = np.random.default_rng([*route.seed, 1 + len(here.steps)])
        shares, theta, noise = plain.iterate.shares, plain.iterate.theta, route.settings.noise
        if route.tree is None:
            shares = disturbed(route.work, shares, noise, random)
        else:
            theta = shaken(route.work, theta, noise, random)
        again = climbed_from(route, here.gamma, shares, theta, heard)
        steps += len(again.trace)
        other = again.iterate.objective > plain.iterate.objective
        best = again if other else replace(plain, stop=_worse(plain.stop, again.stop))
    return Settled(route, best.iterate, best.stop, steps, other, here.growth)


def climbed_from(
    route: Route, gamma: float, shares: Sequence[Floats], theta: Floats, heard: Heard
) -> Climb[State]:
    """Steps at one gamma until nothing improves, from these shares."""
    work, settings, tree = route.work, route.settings, route.tree

    def told(state: State, history: Sequence[float]) -> None:
        del history
        heard(state)

    if tree is None:
        begin = begun(work, shares, gamma, theta)
    else:
        begin = together_begun(work, tree, theta, gamma)
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


def _with(steps: tuple[PathStep, ...], found: Settled) -> tuple[PathStep, ...]:
    """The steps so far and this one; all tell of the same hidden variables."""
    step, growth = _told(found), found.growth
    if growth is None:
        return (*steps, step)
    layout, contexts = found.route.work.contexts.layout, found.route.work.contexts
    hidden = [layout.names[contexts.open[at].variable] for at in contexts.hidden]
    places, many = [growth.names.index(name) for name in hidden], len(growth.names)
    told = replace(
        step, states=tuple(growth.shape.states[name] for name in hidden), changed=found.said
    )
    before = (each.among(range(len(each.states)), many) for each in steps)
    return (*before, told.among(places, many))


def _told(found: Settled) -> PathStep:
    """What there is to tell of a state."""
    route, state = found.route, found.state
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
        steps=found.steps,
        disturbed=found.other,
        held_out=None if route.held_out is None else route.held_out(state.theta),
    )
