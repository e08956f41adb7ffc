"""Missing pieces of cases written out: a line for every way in which the states of a case could be.

The pieces that a case lacks are independent of each other given what it shows, so its lines are all
choices of one way for each piece, and the probability of a line is the product of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tacit.arrays import Codes, Floats, Ints
from tacit.core.errors import SizeError, listed, quoted
from tacit.infer.normal.groups import Grouped
from tacit.infer.normal.kinds import Kind
from tacit.infer.normal.posterior import Found, Parameters, Solved, solved

MOST = 4_096
"""Ways in which the missing states of one case are written out at most."""
ROOM = 2**28
"""Cells that all lines may have together."""
FAINT = 1e-12
"""Ways of a piece that are less probable than this are left out, and the rest weighs one."""
ADVICE = (
    "leave out columns or cases with so many gaps, hide fewer variables or give them fewer states"
)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What ways put into a line: numbers by column, ragged.

    at      (ways + 1,)  where the cells of each way begin
    column  (cells, ...) where they go
    value   (cells,)
    """

    at: Ints
    column: Ints
    value: Floats

    @staticmethod
    def of(parts: Sequence[tuple[Ints, Floats]], axes: int) -> Cells:
        """The cells of blocks of ways: the columns of each block, (ways, columns) values."""
        many = [np.full(len(value), len(column)) for column, value in parts]
        columns = [np.tile(column.reshape(-1, axes), (len(value), 1)) for column, value in parts]
        ends = np.cumsum(np.concatenate([np.zeros(1, np.int64), *many]))
        none, values = np.zeros((0, axes), np.int64), [value.ravel() for _, value in parts]
        return Cells(ends, np.concatenate([none, *columns]), np.concatenate([np.zeros(0), *values]))

    def of_ways(self, ways: Ints) -> tuple[Ints, Ints, Floats]:
        """For ways that may repeat: which of them each cell is of, its column, its number."""
        counts = self.at[ways + 1] - self.at[ways]
        whose = np.repeat(np.arange(ways.size), counts)
        place = np.arange(whose.size) + np.repeat(
            self.at[ways] - np.cumsum(counts) + counts, counts
        )
        return whose, self.column[place], self.value[place]


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """Every way in which every missing piece could be, the ways of a piece together.

    case         (pieces,)      whose each piece is
    first, many  (pieces,)      where its ways begin, and how many it has
    share        (ways,)        the posterior of each
    states, reals, spread       what it says of states, of the means of reals, and of the
                                covariances that are left: (variable) or (variable, variable)
    """

    case: Ints
    first: Ints
    many: Ints
    share: Floats
    states: Cells
    reals: Cells
    spread: Cells


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Cases with nothing missing: the lines of each follow each other.

    case    (lines,)  whose it is
    share   (lines,)  its posterior
    codes, reals      as of `Grouped`, filled
    line, pair, left  covariances left open: of which line, which two reals, and the number
    """

    case: Ints
    share: Floats
    codes: Codes
    reals: Floats
    line: Ints
    pair: Ints
    left: Floats


def ways_of(held: Grouped, parameters: Parameters) -> tuple[Ways, Floats]:
    """All ways of all pieces, and (cases,) the log density of what was observed around them."""
    cases, shares, many = list[Ints](), list[Floats](), list[Ints]()
    states, reals, spread = (list[tuple[Ints, Floats]]() for _ in range(3))
    mass = np.zeros(len(held.reals))
    for group in held.groups:
        kind = group.kind
        _check_ways(held, kind, int(group.cases[0]))
        together = [kind.opened] if kind.opened else []
        for found in solved(held, group, parameters, together):
            mass[found.cases] += found.mass
            row, way, share = _kept(found, kind)
            cases.append(found.cases)
            many.append(np.bincount(row, minlength=found.cases.size))
            shares.append(share)
            digits = _digits(held, kind, way)
            states.append((np.array(kind.opened, np.int64), digits.T.astype(np.float64)))
            means, covariances = _reals(kind, found.parts, digits, row)
            reals.append(means)
            spread.append(covariances)
    counts = np.concatenate([np.zeros(0, np.int64), *many])
    found_ways = Ways(
        np.concatenate([np.zeros(0, np.int64), *cases]),
        np.cumsum(counts) - counts,
        counts,
        np.concatenate([np.zeros(0), *shares]),
        Cells.of(states, 1),
        Cells.of(reals, 1),
        Cells.of(spread, 2),
    )
    return found_ways, mass


def _kept(found: Found, kind: Kind) -> tuple[Ints, Ints, Floats]:
    """The case, the way and the posterior of what is not too faint to count; a case that cannot
    be has its first way."""
    if not kind.opened:
        many = found.cases.size
        return np.arange(many), np.zeros(many, np.int64), np.ones(many)
    share = np.nan_to_num(found.posterior(kind.opened)).reshape(found.cases.size, -1)
    share[share.sum(axis=1) <= 0, 0] = 1.0
    share = np.where(share >= FAINT * share.max(axis=1, keepdims=True), share, 0.0)
    share /= share.sum(axis=1, keepdims=True)
    row, way = np.nonzero(share)
    return row, way, share[row, way]


def _digits(held: Grouped, kind: Kind, way: Ints) -> Ints:
    """(open variables, ways) their states."""
    cards = [held.plan.layout.cards[place] for place in kind.opened]
    return np.array(np.unravel_index(way, cards) if cards else np.zeros((0, way.size)), np.int64)


def _reals(
    kind: Kind, parts: Iterable[Solved], digits: Ints, row: Ints
) -> tuple[tuple[Ints, Floats], tuple[Ints, Floats]]:
    """The means of the missing reals in every way, and their covariances."""
    places, means = list[Ints](), list[Floats]()
    pairs, covariances = list[Ints](), list[Floats]()
    for each in parts:
        part, unknown = each.part, each.part.component.unknown
        if not unknown.size:
            continue
        at = np.zeros(row.size, np.int64)
        for place, cards in zip(part.opened, part.shape, strict=True):
            at = at * cards + digits[kind.opened.index(place)]
        places.append(unknown)
        means.append(each.means[at, row])
        whole = each.solution.covariance(np.arange(unknown.size))
        pairs.append(np.stack(np.meshgrid(unknown, unknown, indexing="ij"), -1).reshape(-1, 2))
        covariances.append(whole.reshape(len(whole), -1)[at])
    nothing = np.zeros((row.size, 0))
    return (
        (np.concatenate([np.zeros(0, np.int64), *places]), np.hstack([nothing, *means])),
        (np.concatenate([np.zeros((0, 2), np.int64), *pairs]), np.hstack([nothing, *covariances])),
    )


def lines_of(held: Grouped, ways: Ways) -> Lines:
    """Every choice of one way for each missing piece of every case."""
    count = len(held.reals)
    many = np.ones(count)
    np.multiply.at(many, ways.case, ways.many.astype(np.float64))
    _check_lines(held, many)
    case = np.repeat(np.arange(count), many.astype(np.int64))
    left = np.arange(case.size) - np.searchsorted(case, case)
    share, codes, reals = np.ones(case.size), held.codes[case], held.reals[case]
    line, pair, open_ = [np.zeros(0, np.int64)], [np.zeros((0, 2), np.int64)], [np.zeros(0)]
    for piece in _piece_by_piece(ways, count):
        lines = np.flatnonzero(piece[case] >= 0)
        mine = piece[case[lines]]
        chosen = ways.first[mine] + left[lines] % ways.many[mine]
        left[lines] //= ways.many[mine]
        share[lines] *= ways.share[chosen]
        whose, column, value = ways.states.of_ways(chosen)
        codes[lines[whose], column[:, 0]] = value
        whose, column, value = ways.reals.of_ways(chosen)
        reals[lines[whose], column[:, 0]] = value
        whose, column, value = ways.spread.of_ways(chosen)
        line.append(lines[whose])
        pair.append(column)
        open_.append(value)
    ended = (np.concatenate(line), np.concatenate(pair), np.concatenate(open_))
    return Lines(case, share, codes, reals, *ended)


def _piece_by_piece(ways: Ways, cases: int) -> Iterable[Ints]:
    """(cases,) one piece of each case after the other; -1 where it has no more."""
    order = np.argsort(ways.case, kind="stable")
    rank = np.arange(order.size) - np.searchsorted(ways.case[order], ways.case[order])
    for at in range(int(rank.max(initial=-1)) + 1):
        piece, mine = np.full(cases, -1), order[rank == at]
        piece[ways.case[mine]] = mine
        yield piece


def _check_ways(held: Grouped, kind: Kind, case: int) -> None:
    layout = held.plan.layout
    many = prod(layout.cards[place] for place in kind.opened)
    if many > MOST:
        raise _too_many(case, many, [layout.names[place] for place in kind.opened])


def _check_lines(held: Grouped, many: Floats) -> None:
    names, worst = held.plan.layout.names, int(np.argmax(many)) if many.size else 0
    if many.size and many[worst] > MOST:
        gone = (held.codes[worst] < 0) & (held.plan.real < 0)
        raise _too_many(worst, int(many[worst]), [names[at] for at in np.flatnonzero(gone)])
    if many.sum() * len(names) > ROOM:
        raise SizeError(
            f"the states that are missing could be in {many.sum():,.0f} ways in all cases "
            f"together, and {ROOM // len(names):,} can be written out\n\n{ADVICE}"
        )


def _too_many(case: int, many: int, names: Sequence[str]) -> SizeError:
    return SizeError(
        f"the states that case {case + 1} lacks could be in {many:,} ways "
        f"({listed(map(quoted, names), 6)}), and {MOST:,} of a case are written out at most"
        f"\n\n{ADVICE}"
    )
