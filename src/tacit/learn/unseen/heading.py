"""Arcs into a hidden variable, turned round: where they might as well leave it, or all at once."""

from __future__ import annotations

import numpy as np

from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.families.table import Table
from tacit.knowledge.limits import Limits


def headed(network: Network, name: str, limits: Limits) -> Network:
    """The same distribution with as many arcs as may be leaving the variable `name`.

    An arc P -> H with Pa(H) = Pa(P) ∪ {P} can be turned without a change of what the dag says
    (Chickering 1995), nor of its score. A variable that nobody measured reads more easily as the
    parent of those it speaks of, and two searches that end in the same class end alike. Arcs that
    rules require, or may not be turned, stay.
    """
    while True:
        above = network.dag.parents[name]
        free = [each for each in above if _may_turn(network.dag, each, name, limits)]
        if not free:
            return network
        network = turned(network, free[0], name)


def starred(dag: Dag, name: str, limits: Limits) -> Dag | None:
    """The dag in which all that a variable is linked to are its children, and none is linked to
    another; None if that is the same dag, or one that the rules do not allow.

    Where two effects of a cause stand above it instead, all else leans on their arcs, and no
    single change leads from there to the cause above all of them.
    """
    around = {*dag.children[name], *dag.parents[name]}
    parents = {
        each: (name, *(other for other in who if other not in around and other != name))
        if each in around
        else who
        for each, who in dag.parents.items()
    }
    star = Dag({**parents, name: ()})
    if set(star.arcs) == set(dag.arcs) or not _allowed(star, limits):
        return None
    return star


def _allowed(dag: Dag, limits: Limits) -> bool:
    place = {name: at for at, name in enumerate(limits.names)}
    there = np.zeros_like(limits.required)
    for tail, head in dag.arcs:
        there[place[tail], place[head]] = True
    free = not (there & ~limits.allowed).any() and not (limits.required & ~there).any()
    return bool(free and (there.sum(axis=0) <= limits.most).all())


def _may_turn(dag: Dag, parent: str, child: str, limits: Limits) -> bool:
    if {*dag.parents[parent], parent} != set(dag.parents[child]):
        return False
    place = {name: at for at, name in enumerate(limits.names)}
    tail, head = place[parent], place[child]
    room = len(dag.parents[parent]) < limits.most[tail]
    return bool(limits.allowed[head, tail] and not limits.required[tail, head] and room)


def turned(network: Network, parent: str, child: str) -> Network:
    """The same distribution with a covered arc turned: P(p|a) P(h|a, p) = P(h|a) P(p|a, h)."""
    above = network.dag.parents[parent]
    one, other = network[parent], network[child]
    assert isinstance(one, Table)
    assert isinstance(other, Table)
    order = [other.parents.index(name) for name in (*above, parent)]
    given = np.transpose(other.values, (*order, len(order)))
    joint = one.values[..., None] * given
    own = joint.sum(axis=-2)
    whole = np.where(own > 0, own, 1.0)[..., None, :]
    rest = np.where(own[..., None, :] > 0, joint / whole, 1 / joint.shape[-2])
    shared = one.variables[:-1]
    p, h = one.variables[-1], other.variables[-1]
    families = {
        **network.families,
        child: Table((*shared, h), own),
        parent: Table((*shared, h, p), np.swapaxes(rest, -1, -2)),
    }
    parents = {**network.dag.parents, child: above, parent: (*above, child)}
    return Network(Dag(parents), network.variables, families)
