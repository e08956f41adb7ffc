"""Missing pieces written out state by state, and tables counted from cells that may be missing."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.kernels.families import score_rows

MANY = 2**40
"""Lines that no case is ever written out into; counting stops there."""


class Joints(NamedTuple):
    """The joint posterior of every missing piece of every line of cases.

    piece_at   (lines + 1,)     where the pieces of a line start among `context`
    context    (pieces,)        which posterior each piece has
    kind       (contexts,)      which variables are missing together in it
    size       (kinds,)         how many joint states those have
    joint_at   (contexts + 1,)  where its posterior starts in `joint`
    member_at  (kinds + 1,)     where the variables of a kind start among `members`
    strides    (members,)       of each in the number of a joint state
    """

    piece_at: Ints
    context: Ints
    kind: Ints
    size: Ints
    joint_at: Ints
    joint: Floats
    member_at: Ints
    members: Ints
    strides: Ints
    states: Ints


@njit(cache=True, nogil=True)
def lines_needed(joints: Joints, touched: Bools, out: Ints) -> None:
    """(lines,) how many lines each becomes if its pieces of the kinds touched are written out."""
    for line in range(out.size):
        total = 1
        for piece in range(joints.piece_at[line], joints.piece_at[line + 1]):
            kind = joints.kind[joints.context[piece]]
            if touched[kind]:
                total = min(total * joints.size[kind], MANY)
        out[line] = total


@njit(cache=True, nogil=True)
def write_out(joints: Joints, touched: Bools, counts: Ints, codes: Codes, weights: Floats) -> None:
    """Fill in the pieces of the kinds touched, each joint state once, weighed by its posterior.

    codes    (variables, lines written out)  a copy of the line's cells in each of its places
    weights  (lines written out,)            its weight in each of them
    """
    first = 0
    for line in range(counts.size):
        for number in range(counts[line]):
            rest, at = number, first + number
            for piece in range(joints.piece_at[line], joints.piece_at[line + 1]):
                context = joints.context[piece]
                kind = joints.kind[context]
                if not touched[kind]:
                    continue
                state = rest % joints.size[kind]
                rest //= joints.size[kind]
                weights[at] *= joints.joint[joints.joint_at[context] + state]
                for member in range(joints.member_at[kind], joints.member_at[kind + 1]):
                    variable = joints.members[member]
                    digit = state // joints.strides[member] % joints.states[variable]
                    codes[variable, at] = digit
        first += counts[line]


@njit(cache=True, nogil=True)
def tally(
    column: Codes, cells: Ints, stride: int, weights: Floats, origin: Ints, at: Ints,
    marginals: Floats, states: int, table: Floats,
) -> None:  # fmt: skip
    """Add every line to its cells; one whose column is missing is spread by its posterior.

    at  (original lines,)  where the posterior of a missing cell starts in `marginals`
    """
    for line in range(cells.size):
        code = column[line]
        if code >= 0:
            table[cells[line] + stride * code] += weights[line]
        else:
            for state in range(states):
                share = marginals[at[origin[line]] + state]
                table[cells[line] + stride * state] += weights[line] * share


@njit(cache=True, nogil=True)
def score_spread(
    columns: Any, candidates: Ints, states: Ints, cells: Ints, size: int, child_states: int,
    weights: Floats, origin: Ints, slots: Ints, at: Ints, marginals: Floats, alphas: Floats,
    known: Floats, room: Floats, out: Floats,
) -> None:  # fmt: skip
    """The fit of the child's rows with each candidate as one more parent, as `score_added` does
    for complete cases.

    cells   (lines,)      the cell in a table of parents x child, child fastest, of `size` cells
    origin  (lines,)      which line each was written out from
    slots   (variables,)  the row of `at` that a variable with missing cells has
    at      (slots, original lines)  where the posterior of a missing cell starts in `marginals`
    room    at least size x states of any candidate
    """
    for number in range(candidates.size):
        which = candidates[number]
        table = room[: size * states[which]]
        table[:] = 0.0
        tally(
            columns[which], cells, size, weights, origin, at[slots[which]], marginals,
            states[which], table,
        )  # fmt: skip
        out[number] = score_rows(table, child_states, alphas[number], known)
