"""Missing pieces written out: only as much of each as a question needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import SizeError
from tacit.engines.table_scores import Columns

if TYPE_CHECKING:
    from tacit.kernels.completing import Joints

WORTH = 2
"""How many times smaller a posterior must become to be summed over what is not asked about."""
MOST_STATES = 200_000_000
"""Joint states of missing cells that are kept, and lines written out, at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines in which some variables are nowhere missing.

    origin  (lines,)  which line of the cases each was made from
    unsure  variables that depend on those written out in some line and are missing there still:
            nothing can be said of them together. Any other that is missing is independent of what
            was written out, given what was observed
    """

    columns: Columns
    origin: Ints
    unsure: frozenset[int] = frozenset()


def check_room(states: int) -> None:
    """Nothing, or an error about more joint states of missing cells than can be kept."""
    if states > MOST_STATES:
        raise SizeError(
            f"what is missing in the cases has {states:,} joint states, and {MOST_STATES:,} can be "
            "kept at a time\n\ntake fewer cases, hide fewer variables or give them fewer states, "
            "or allow fewer parents"
        )


def pieces_of(joints: Joints) -> tuple[tuple[int, ...], ...]:
    """The variables of every kind of piece."""
    members, at = joints.members.tolist(), joints.member_at.tolist()
    return tuple(tuple(members[at[k] : at[k + 1]]) for k in range(len(at) - 1))


def narrowed(
    joints: Joints,
    pieces: tuple[tuple[int, ...], ...],
    touched: Bools,
    wanted: frozenset[int],
) -> tuple[Joints, frozenset[int]]:
    """The posteriors of the kinds touched, large ones summed over all but the variables wanted;
    and the variables that some were summed over."""
    edges = np.searchsorted(joints.kind, np.arange(joints.size.size + 1)).tolist()
    states, member_at = joints.states.tolist(), joints.member_at.tolist()
    size, joint_at = joints.size.copy(), joints.joint_at.copy()
    strides, keep = joints.strides.copy(), np.ones(joints.members.size, dtype=np.bool_)
    parts, done, unsure = list[Floats](), 0, set[int]()
    for k in np.flatnonzero(touched).tolist():
        piece, first, last = pieces[k], edges[k], edges[k + 1]
        part = joints.joint[joints.joint_at[first] : joints.joint_at[last]]
        inside = [variable in wanted for variable in piece]
        shape = [states[variable] for variable in piece]
        fewer = [many for many, kept in zip(shape, inside, strict=True) if kept]
        if size[k] >= WORTH * prod(fewer):
            others = tuple(axis + 1 for axis, kept in enumerate(inside) if not kept)
            part = part.reshape(last - first, *shape).sum(axis=others).ravel()
            unsure.update(v for v, kept in zip(piece, inside, strict=True) if not kept)
            span = slice(member_at[k], member_at[k + 1])
            keep[span], size[k] = inside, prod(fewer)
            strides[span][inside] = [prod(fewer[at + 1 :]) for at in range(len(fewer))]
        joint_at[first:last] = done + np.arange(last - first) * size[k]
        parts.append(part)
        done += part.size
    kind_of = np.repeat(np.arange(size.size), np.diff(joints.member_at))
    each = np.bincount(kind_of[keep], minlength=size.size)
    found = joints._replace(
        size=size,
        joint_at=joint_at,
        joint=np.concatenate(parts),
        member_at=np.concatenate([[0], np.cumsum(each)]).astype(np.int64),
        members=joints.members[keep],
        strides=strides[keep],
    )
    return found, frozenset(unsure)
