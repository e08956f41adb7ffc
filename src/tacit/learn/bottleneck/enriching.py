"""New hidden variables along a path: where children stay dependent, where one stands for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import listed, quoted
from tacit.learn.bottleneck.branches import NEW, Families, restructured
from tacit.learn.bottleneck.classes import classes
from tacit.learn.bottleneck.continuation import Heard, Settled
from tacit.learn.bottleneck.enrichment import SIZE, Enrichment
from tacit.learn.bottleneck.reshaping import Ground, ended, number_of, reshaped, shape_of, worth
from tacit.learn.bottleneck.shape import Shape, fresh_name, inserted, resized
from tacit.learn.bottleneck.signals import Signal, lumped, strongest
from tacit.learn.bottleneck.splitting import merged_alike

FRESH = "new"
"""The name of a variable that is still to come."""
GOES = 0.5
"""How much of what is known of a child a group must say for the child to go with it."""
HOLDS = 3
"""States from which on a variable may hold several groups together."""
BEGIN = 4
"""States that a new variable has at most when it comes, where states are adapted."""
AGAIN = 1.1
"""By what factor gamma must have grown before a place that was no use is tried again."""


def enriched(ground: Ground, here: Settled, settings: Enrichment, heard: Heard) -> Settled:
    """One hidden variable more below each that explains its children badly, if that is worth it.

    [HV2 2.11]; a variable stays if the objective with tables integrated out is higher once all has
    settled: a group of children that chance makes dependent is none.
    """
    for signal, held in _signals(ground, here, settings):
        if _added(here) >= settings.most or ended(here):
            break
        shape = shape_of(here)
        if any(shape.dag.parents[each] != (signal.parent,) for each in signal.children):
            continue  # the variable before has taken them
        name = fresh_name(shape.dag.names)
        random = np.random.default_rng([*here.route.seed, 3, int(here.state.gamma * 2**40)])
        numbers = _numbers(ground, shape, settings, signal.parent)
        share = classes(ground.data, signal.children, numbers, random)
        group, fresh = signal.children, {name: share}
        if held:
            group, fresh = _parted(ground, here, signal, share, (name, numbers), random)
        if len(shape.dag.children[signal.parent]) <= len(group):
            continue
        larger = inserted(shape, name, fresh[name].shape[1], signal.parent, group)
        for who, each in fresh.items():
            larger = resized(larger, who, each.shape[1])
        trial = _tried(ground, here, larger, fresh, settings, heard)
        if ended(trial):
            return trial
        better = worth(trial) > worth(here) + NEW
        found = trial if better else replace(here, steps=trial.steps)
        here = _noted(found, signal, better, name)
    return here


def _numbers(ground: Ground, shape: Shape, settings: Enrichment, parent: str) -> Sequence[int]:
    """How many states a new variable may begin with."""
    if settings.states is not None:
        return (settings.states,)
    if not ground.settings.adapts:
        return (shape.states[parent],)
    return range(2, min(BEGIN, ground.settings.most_states) + 1)


def _tried(
    ground: Ground,
    here: Settled,
    larger: Shape,
    fresh: Mapping[str, Floats],
    settings: Enrichment,
    heard: Heard,
) -> Settled:
    """The network with one hidden variable more, once all has settled.

    Where structure is free, children go to it that it explains better, before it is asked to be
    worth its information with three of them.
    """
    if not ground.settings.structure:
        return reshaped(ground, here, larger, heard, fresh)
    trial = reshaped(ground, here, larger, heard, fresh, frozen=True)
    trial = restructured(ground, trial, heard, settings.informed, settle=True)
    if ground.settings.adapts and not ended(trial):
        trial = merged_alike(ground, trial, heard, 2)
    return trial


def _parted(
    ground: Ground,
    here: Settled,
    signal: Signal,
    share: Floats,
    new: tuple[str, Sequence[int]],
    random: np.random.Generator,
) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """The children that leave a variable which stands for several groups, and where both begin."""
    name, numbers = new
    group = _whole(ground, here, signal, share)
    children = shape_of(here).dag.children[signal.parent]
    rest = [each for each in children if each in ground.observed and each not in group]
    fresh = {name: classes(ground.data, group, numbers, random)}
    if len(rest) >= SIZE:
        fresh[signal.parent] = classes(ground.data, rest, numbers, random)
    return group, fresh


def _whole(ground: Ground, here: Settled, signal: Signal, share: Floats) -> tuple[str, ...]:
    """The children of a variable with many states that go with a group among them.

    Each of them is in what the variable says of it, so that none would go by itself: those go of
    which the group says half as much or more.
    """
    families, fresh = Families(ground, here), {FRESH: share}
    found = []
    for child in shape_of(here).dag.children[signal.parent]:
        if child in signal.children:
            found.append(child)
        elif child in ground.observed:
            alone = families.score(child, None)
            old = families.score(child, signal.parent) - alone
            new = families.with_shares(fresh).score(child, FRESH) - alone
            found += [child] if new > GOES * old > 0 else []
    return tuple(found)


def _signals(
    ground: Ground, here: Settled, settings: Enrichment
) -> tuple[tuple[Signal, bool], ...]:
    """The best group below every hidden variable but those that were tried not long ago.

    Where states are adapted, a variable whose children are settled may hold several groups
    together; then the best of these is tried, and marked as such.
    """
    assert here.growth is not None
    tried = {
        (parent, frozenset(children))
        for parent, children, gamma in here.growth.tried
        if here.state.gamma < AGAIN * gamma
    }
    contexts, shares = here.route.work.contexts, here.state.shares
    found = [(each, False) for each in strongest(contexts, shares, settings, tried)]
    shape = shape_of(here)
    for name, many in shape.states.items() if ground.settings.adapts else ():
        if many < HOLDS or any(each.parent == name for each, _ in found):
            continue
        above = next(iter(shape.dag.parents[name]), None)
        given = np.ones((len(contexts.weights), 1))
        if above is not None:
            given = shares[number_of(here, above)]
        groups = lumped(contexts, shares, name, given, settings)
        before = [children for parent, children in tried if parent == name]
        found += [(each, True) for each in _unlike(groups, before)[:1]]
    return tuple(found)


def _unlike(groups: Sequence[Signal], tried: Sequence[frozenset[str]]) -> list[Signal]:
    """The groups that share one member at most with any that was tried."""
    return [each for each in groups if all(len(other & set(each.children)) < 2 for other in tried)]


def _added(here: Settled) -> int:
    assert here.growth is not None
    return sum(gamma == np.inf for _, _, gamma in here.growth.tried)


def _noted(here: Settled, signal: Signal, better: bool, name: str) -> Settled:
    """What came of a place, remembered."""
    assert here.growth is not None
    key = (signal.parent, signal.children)
    rest = tuple(each for each in here.growth.tried if each[:2] != key)
    when = np.inf if better else here.state.gamma
    growth = replace(here.growth, tried=(*rest, (*key, float(when))))
    said = here.said
    if better:
        who = listed(map(quoted, signal.children))
        said = (*said, f"{quoted(name)} comes between {quoted(signal.parent)} and {who}")
    return replace(here, growth=growth, said=said)
