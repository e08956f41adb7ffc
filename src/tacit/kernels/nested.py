"""Rules with closed forms as flat arrays, which kernels solve."""

from __future__ import annotations

from typing import NamedTuple

from tacit.arrays import Bools, Floats, Ints


class Nest(NamedTuple):
    """Rows whose cells lie in sets within sets; the sets of a row stand together, outer first.

    cell_at  (rows, 2)    the first position of each row, and the one after its last
    set_at   (rows, 2)    its sets
    groups   (rows,)      how many of them are groups: they come first and part the row
    chain_at (rows, 2)    its chains, outer ones first
    member_at (chains, 2) the sets of each chain, in its order
    home     (positions,) the innermost set of each position
    parent   (sets,)      the set around each set, -1 for a group
    size     (sets,)      how many cells it has
    ways     (sets,)      into how many parts its rules let it fall freely
    lower, upper (sets,)  bounds on the mass of each group; 0 and infinity for other sets
    scale    (sets,)      in a chain mass / scale rises from set to set
    tied     (sets,)      mass / scale is that of the set before
    up       (sets,)      the set that a rule links it to, nearer the start of its chain, or -1
    """

    cell_at: Ints
    set_at: Ints
    groups: Ints
    chain_at: Ints
    member_at: Ints
    home: Ints
    parent: Ints
    size: Floats
    ways: Ints
    lower: Floats
    upper: Floats
    scale: Floats
    tied: Bools
    up: Ints


class Orders(NamedTuple):
    """Chains of rows with two states: P(second state) rises from member to member.

    member_at (chains, 2)  the members of each chain
    position  (members,)   where the first cell of each member's row stands; the second follows
    lower, upper (members,) bounds on P(second state)
    tied      (members,)   it is that of the member before
    up        (members,)   the member that a rule links it to, nearer the start, or -1
    """

    member_at: Ints
    position: Ints
    lower: Floats
    upper: Floats
    tied: Bools
    up: Ints
