"""The section on hidden variables: their place, what their states stand for, how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import SizeError
from tacit.core.variables import Continuous, Discrete
from tacit.families.conditional_moments import AnyMoments
from tacit.families.table import Table
from tacit.learn.dimension import effective_dimension
from tacit.learn.fits import Fit

MOST_HIDDEN = 12
"""Hidden variables that are described; of the others only the names."""
MOST_TELLING = 6
"""Neighbours whose distribution is shown for every state."""
MOST_STATES = 4
"""States of a neighbour that are shown: those that tell most."""
MOST_PARAMETERS = 200
"""Free parameters up to which the effective dimension is computed."""


def hidden(fit: Fit) -> dict[str, Any] | None:
    """`variables` that no column measures, and whether the cases can tell them (`identified`).

    A variable has `parents`, `children`, `states` with their `shares` of the cases, and its
    `neighbours`: the `information` they share with it in nats and, for the most telling ones,
    `given` (their distribution in each state) beside `overall`, all by expected cases. `alike`
    names further hidden variables that share its table.
    """
    names = [name for name in fit.settings.get("hidden", ()) if _tabled(fit, name)]
    if not names:
        return None
    groups = [list(group) for group in fit.settings.get("tied", ())]
    alike = {name: next((g for g in groups if name in g), [name]) for name in names}
    first = [name for name in names if alike[name][0] == name]
    return {
        "variables": [variable(fit, name, alike[name][1:]) for name in first[:MOST_HIDDEN]],
        "others": first[MOST_HIDDEN:],
        "identified": identified(fit),
    }


def _tabled(fit: Fit, name: str) -> bool:
    """Whether a variable and all around it have tables; what others tell needs no states."""
    near = (name, *fit.network.dag.children[name])
    return all(isinstance(fit.network[each], Table) for each in near)


def variable(fit: Fit, name: str, alike: list[str]) -> dict[str, Any]:
    """One hidden variable, as `hidden` tells of it; beside real values its place alone."""
    dag = fit.network.dag
    if not _tabled(fit, name):
        own = fit.network.variables[name]
        names = list(own.states) if isinstance(own, Discrete) else []
        place = {"parents": list(dag.parents[name]), "children": list(dag.children[name])}
        return {
            "name": name, "states": names, "shares": None, **place, "alike": alike,
            "neighbours": [],
        }  # fmt: skip
    joints = {
        **{other: _joint(fit, name, name, other) for other in dag.parents[name]},
        **{other: _joint(fit, other, name, other) for other in dag.children[name]},
    }
    told = sorted(joints, key=lambda other: -_information(joints[other]))
    table = fit.network[name]
    assert isinstance(table, Table)
    cases = _own_counts(fit, name)
    total = float(cases.sum())
    return {
        "name": name,
        "states": list(table.variables[-1].states),
        "shares": (cases / total).tolist() if total else None,
        "parents": list(dag.parents[name]),
        "children": list(dag.children[name]),
        "alike": alike,
        "neighbours": [
            _neighbour(fit, name, other, joints[other], at < MOST_TELLING)
            for at, other in enumerate(told)
        ],
    }


def _neighbour(fit: Fit, name: str, other: str, joint: Floats, shown: bool) -> dict[str, Any]:
    table = fit.network[other]
    assert isinstance(table, Table)
    found: dict[str, Any] = {
        "name": other,
        "parent": other in fit.network.dag.parents[name],
        "hidden": other in fit.settings["hidden"],
        "information": _information(joint),
    }
    if shown:
        at = _telling(joint)
        rows = joint.sum(axis=1, keepdims=True)
        given = np.where(rows > 0, joint / np.where(rows > 0, rows, 1.0), 0.0)
        states = table.variables[-1].states
        found |= {
            "states": [states[state] for state in at],
            "left_out": len(states) - len(at),
            "given": given[:, at].tolist(),
            "overall": joint.sum(axis=0)[at].tolist(),
        }
    return found


def _own_counts(fit: Fit, name: str) -> Floats:
    evidence = fit.evidence[name]
    assert not isinstance(evidence, AnyMoments)
    return np.asarray(evidence.dense().rows().sum(axis=0))


def _joint(fit: Fit, family: str, one: str, other: str) -> Floats:
    """P(one, other) by the expected cases of a family that holds both; even without any."""
    table, evidence = fit.network[family], fit.evidence[family]
    assert isinstance(table, Table)
    assert not isinstance(evidence, AnyMoments)
    axes = [variable.name for variable in table.variables]
    counts = evidence.dense().values
    rest = tuple(at for at, axis in enumerate(axes) if axis not in (one, other))
    joint = counts.sum(axis=rest)
    if axes.index(one) > axes.index(other):
        joint = joint.T
    return (
        np.asarray(joint / joint.sum()) if joint.sum() > 0 else np.full_like(joint, 1 / joint.size)
    )


def shared_information(fit: Fit, parent: str, child: str) -> float:
    """What a parent and its child tell about each other by expected cases, in nats."""
    return _information(_joint(fit, child, parent, child))


def _information(joint: Floats) -> float:
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    used = joint > 0
    return max(0.0, float(np.sum(joint[used] * np.log(joint[used] / apart[used]))))


def _telling(joint: Floats) -> list[int]:
    """The states of the neighbour whose share changes most with the hidden one, in their order.

    Of two states the rarer says it all.
    """
    if joint.shape[1] == 2:
        return [int(np.argmin(joint.sum(axis=0)))]
    rows = joint.sum(axis=1, keepdims=True)
    given = joint / np.where(rows > 0, rows, 1.0)
    spread = np.abs(given - joint.sum(axis=0)).max(axis=0)
    return sorted(int(at) for at in np.argsort(-spread, kind="stable")[:MOST_STATES])


@lru_cache(maxsize=1)
def identified(fit: Fit) -> Mapping[str, Any] | None:
    """`dimension` and `free` parameters: fewer dimensions leave some of them open, whatever the
    number of cases. None where it is too large to compute, or tables are shared."""
    settings, free = fit.settings, fit.network.free_parameters
    real = any(isinstance(each, Continuous) for each in fit.network.variables.values())
    if "hidden" not in settings or "tied" in settings or free > MOST_PARAMETERS or real:
        return None
    try:
        return {"dimension": effective_dimension(fit.network, settings["hidden"]), "free": free}
    except SizeError:
        return None
