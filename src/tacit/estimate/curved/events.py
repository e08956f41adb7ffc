"""The probability of an event as a function of all cells, with exact derivatives.

P(event) = Σ Π over the tables of the event's variables and of all they depend on, cut to the
states of the event: linear in every table. It is summed out along a tree of contractions that is
planned once. One pass down the tree gives the derivative by every cell; one pass for each table,
with an axis for its cells, gives the second derivatives. Nothing is divided by a cell, so zeros do
no harm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from string import ascii_letters

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.errors import SizeError, listed, quoted
from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import Event
from tacit.knowledge.expansion import atom_said

MOST_SLOPES = 64_000_000
"""Cells of one step, with an axis for the cells of a table, beyond which an event is refused."""
_LARGEST = 16
_LARGE = 4_096
"""Cells from which it pays to multiply matrices."""
_BATCH = 51
"""The label of that axis: np.einsum knows 52."""


@dataclass(frozen=True, slots=True)
class Step:
    """Some factors multiplied and summed over all axes that the result does not have.

    of     the numbers of the factors; the result has the next free number
    axes   local labels of the axes of each factor; out: of the result
    """

    of: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]
    out: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Contraction:
    """How the probability of one event is summed, and of which cells.

    tables  the cells of each table, cut to the event, with the axes that are left
    cells   those of all tables, one after the other; starts: where each table begins
    """

    tables: tuple[Ints, ...]
    steps: tuple[Step, ...]
    cells: Ints
    starts: Ints

    def value(self, theta: Floats) -> float:
        """P(event)"""
        return float(self._forward(theta)[-1])

    def gradient(self, theta: Floats) -> tuple[float, Floats]:
        """P(event), and its derivative by each of `cells`."""
        values = self._forward(theta)
        slopes = self._backward(values)
        return float(values[-1]), self._flat(slopes)

    def hessian(self, theta: Floats) -> Floats:
        """The second derivatives by each two of `cells`."""
        values = self._forward(theta)
        slopes = self._backward(values)
        found = np.zeros((self.cells.size, self.cells.size))
        for table in range(len(self.tables)):
            inside = slice(self.starts[table], self.starts[table + 1])
            for other, moved in self._moved(table, values, slopes):
                block = moved.reshape(moved.shape[0], -1)
                found[inside, self.starts[other] : self.starts[other + 1]] = block
        return found

    def _forward(self, theta: Floats) -> list[Floats]:
        """The tables, and the result of every step."""
        values = [theta[cells] for cells in self.tables]
        for step in self.steps:
            given = [(values[k], axes) for k, axes in zip(step.of, step.axes, strict=True)]
            values.append(_contracted(given, step.out))
        return values

    def _backward(self, values: list[Floats]) -> list[Floats]:
        """The derivative of the last result by every table and every other result."""
        slopes: list[Floats] = [np.zeros(0)] * len(values)
        slopes[-1] = np.ones(())
        for at in range(len(self.steps) - 1, -1, -1):
            step, own = self.steps[at], len(self.tables) + at
            for place, number in enumerate(step.of):
                rest = _others(step, values, place)
                slopes[number] = _slope(slopes[own], step, rest, place, values[number].shape)
        return slopes

    def _moved(
        self, table: int, values: list[Floats], slopes: list[Floats]
    ) -> list[tuple[int, Floats]]:
        """By how much the slope of every other table changes with each cell of this one."""
        size = self.tables[table].size
        tangents: dict[int, Floats] = {table: np.eye(size).reshape(size, *self.tables[table].shape)}
        for at, step in enumerate(self.steps):
            if moving := [place for place, number in enumerate(step.of) if number in tangents]:
                (place,) = moving
                axes = (_BATCH, *step.axes[place])
                given = [(tangents[step.of[place]], axes), *_others(step, values, place)]
                tangents[len(self.tables) + at] = _contracted(given, (_BATCH, *step.out))
        turned: dict[int, Floats] = {}
        for at in range(len(self.steps) - 1, -1, -1):
            self._turn(at, (values, slopes), tangents, turned)
        return [(other, turned[other]) for other in range(len(self.tables)) if other in turned]

    def _turn(
        self, at: int, known: tuple[list[Floats], list[Floats]],
        tangents: Mapping[int, Floats], turned: dict[int, Floats],
    ) -> None:  # fmt: skip
        """One step of the pass down: what changes the slope above, and what the factors beside."""
        (values, slopes), step, own = known, self.steps[at], len(self.tables) + at
        for place, number in enumerate(step.of):
            shape = (-1, *values[number].shape)
            parts = []
            if own in turned:
                rest = _others(step, values, place)
                parts.append(_slope(turned[own], step, rest, place, shape, batch=True))
            for other, beside in enumerate(step.of):
                if other != place and beside in tangents:
                    rest = _others(step, values, place, other)
                    rest.append((tangents[beside], (_BATCH, *step.axes[other])))
                    parts.append(_slope(slopes[own], step, rest, place, shape, over=True))
            if parts:
                turned[number] = np.sum(parts, axis=0) if len(parts) > 1 else parts[0]

    def _flat(self, parts: Sequence[Floats]) -> Floats:
        return np.concatenate([part.ravel() for part in parts[: len(self.tables)]])


Given = list[tuple[Floats, tuple[int, ...]]]


def _others(step: Step, values: Sequence[Floats], *without: int) -> Given:
    return [(values[number], axes)
            for place, (number, axes) in enumerate(zip(step.of, step.axes, strict=True))
            if place not in without]  # fmt: skip


def _slope(
    above: Floats, step: Step, rest: Given, place: int, shape: tuple[int, ...],
    *, batch: bool = False, over: bool = False,
) -> Floats:  # fmt: skip
    """The derivative by one factor of a step, from that by its result.

    batch  the slope above has the axis of a table's cells; over: one of the rest has it
    """
    out = (_BATCH, *step.out) if batch else step.out
    wanted = ((_BATCH,) if batch or over else ()) + step.axes[place]
    given = [(above, out), *rest]
    there = {axis for _, axes in given for axis in axes}
    found = _contracted(given, tuple(axis for axis in wanted if axis in there))
    # an axis that no other factor has is summed in this step alone: the slope is the same along it
    missing = tuple(at for at, axis in enumerate(wanted) if axis not in there)
    spread = np.expand_dims(found, missing)
    full = (spread.shape[0], *shape[1:]) if shape[:1] == (-1,) else shape
    return np.broadcast_to(spread, full)


def _contracted(given: Given, out: tuple[int, ...]) -> Floats:
    sides = ",".join(_lettered(axes) for _, axes in given)
    large = max(factor.size for factor, _ in given) > _LARGE
    operands = [factor for factor, _ in given]
    return np.asarray(np.einsum(f"{sides}->{_lettered(out)}", *operands, optimize=large))


def _lettered(axes: tuple[int, ...]) -> str:
    return "".join(ascii_letters[axis] for axis in axes)


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The tables of an event, cut to its states: the cells of each, with the axes that are left.

    scopes  the variables of these axes; sizes, names: of the variables
    """

    tables: tuple[Ints, ...]
    scopes: tuple[tuple[int, ...], ...]
    sizes: Mapping[int, int]
    names: tuple[str, ...]

    @property
    def cells(self) -> Ints:
        """Those of all tables, one after the other."""
        return np.concatenate([table.ravel() for table in self.tables])


def contraction(cells: Cells, dag: Dag, event: Event) -> Contraction:
    """The plan of an event; an error that names what makes it too wide, if it is."""
    cut = cut_to(cells, dag, event)
    steps = _planned(cut.scopes, cut.sizes, _Refusal(cells, event, cut.names))
    starts = np.cumsum([0, *(table.size for table in cut.tables)])
    return Contraction(cut.tables, tuple(steps), cut.cells, starts)


def cut_to(cells: Cells, dag: Dag, event: Event) -> Cut:
    """The tables of the event's variables and of all they depend on."""
    held = dict(event.held)
    names = _ancestors(dag, held)
    axis = {name: at for at, name in enumerate(names)}
    tables, scopes = [], []
    for name in names:
        family = [each.name for each in cells.families[name]]
        block = cells.block(name)
        chosen = [
            held.get(each, range(size)) for each, size in zip(family, block.shape, strict=True)
        ]
        cut = block[np.ix_(*chosen)]
        left = [at for at, size in enumerate(cut.shape) if size > 1]
        tables.append(cut.reshape([cut.shape[at] for at in left]))
        scopes.append(tuple(axis[family[at]] for at in left))
    sizes = {axis[name]: len(held.get(name, cells.families[name][-1].states)) for name in names}
    return Cut(tuple(tables), tuple(scopes), sizes, tuple(names))


def _ancestors(dag: Dag, held: Mapping[str, object]) -> list[str]:
    """The variables of an event and all they depend on, parents first."""
    wanted, waiting = set(held), list(held)
    while waiting:
        new = set(dag.parents[waiting.pop()]) - wanted
        wanted |= new
        waiting += sorted(new)
    return [name for name in dag.order if name in wanted]


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The error about an event whose sums are too large."""

    cells: Cells
    event: Event
    names: Sequence[str]

    def __call__(self, clique: Sequence[int], size: int) -> SizeError:
        who = listed((quoted(self.names[v]) for v in clique), 8)
        return SizeError(
            f"{atom_said(self.cells, self.event)} is summed over {len(self.names)} variables, and "
            f"one step has {size:,} cells ({who})\n\n"
            "hold some of them to single states, or speak of the rows of tables"
        )


def _planned(
    scopes: Sequence[tuple[int, ...]], sizes: Mapping[int, int], refuse: _Refusal
) -> list[Step]:
    """Variables are summed out one after the other, always that with the smallest clique."""
    alive = dict(enumerate(scopes))
    steps: list[Step] = []
    waiting = {v for scope in scopes for v in scope}
    widest = max(prod(sizes[v] for v in scope) for scope in scopes)
    while waiting:
        cliques = {v: _clique(alive, v) for v in waiting}
        chosen = min(waiting, key=lambda v: (prod(sizes[u] for u in cliques[v]), v))
        cells = prod(sizes[u] for u in cliques[chosen])
        if max(cells * _LARGEST, cells * widest) > MOST_SLOPES or len(cliques[chosen]) >= _BATCH:
            raise refuse(sorted(cliques[chosen]), cells)
        of = [number for number, scope in alive.items() if chosen in scope]
        _join(of, alive, steps, len(scopes), {chosen})
        waiting.remove(chosen)
    _join(list(alive), alive, steps, len(scopes), set())
    return steps


def _join(
    of: Sequence[int], alive: dict[int, tuple[int, ...]], steps: list[Step], tables: int,
    summed: set[int],
) -> None:  # fmt: skip
    """Multiply factors two by two; the last time, sum some variables out."""
    first, *rest = of
    if not rest:
        rest = [-1]
    for at, number in enumerate(rest):
        pair = [first] if number < 0 else [first, number]
        last = at == len(rest) - 1
        union = sorted({v for k in pair for v in alive[k]})
        out = tuple(v for v in union if not (last and v in summed))
        local = {v: label for label, v in enumerate(union)}
        axes = tuple(tuple(local[v] for v in alive[k]) for k in pair)
        steps.append(Step(tuple(pair), axes, tuple(local[v] for v in out)))
        for k in pair:
            del alive[k]
        first = tables + len(steps) - 1
        alive[first] = out


def _clique(alive: Mapping[int, tuple[int, ...]], variable: int) -> set[int]:
    return {u for scope in alive.values() if variable in scope for u in scope}
