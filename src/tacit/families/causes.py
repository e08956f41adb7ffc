"""Independent causes: each parent acts on its own, and the strongest effect is what is seen.

child = max(Z_leak, Z_1, ..., Z_n): cause i brings about the level Z_i by itself, the leak what no
parent accounts for. A noisy-or is the case of two levels. [EST 1.9; Pearl 1988; Díez 1993]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays import Column, Floats, Ints, code_type, readonly
from tacit.core.errors import NetworkError, listed
from tacit.core.variables import Discrete
from tacit.families.counts import ROUNDING

ABSENT = frozenset(
    ("no", "n", "false", "f", "0", "off", "absent", "none", "never", "negative", "normal")
)
"""Names of states that say that something is not there."""


def absent_state(variable: Discrete) -> str:
    """The state of doing nothing: the one of two that is named so, otherwise the first."""
    named = [state for state in variable.states if state.casefold() in ABSENT]
    return named[0] if len(named) == 1 and len(variable.states) == 2 else variable.states[0]


@dataclass(frozen=True, eq=False)
class Frame:
    """Which states have an effect, and how the states of the child rise.

    variables  the parents, then the child
    off        (parents,)  the code of the state of each parent that does nothing
    order      (levels,)   the codes of the child's states, from the one that no cause brings about
    """

    variables: tuple[Discrete, ...]
    off: tuple[int, ...]
    order: tuple[int, ...]

    @cached_property
    def level(self) -> Ints:
        """(states,) which level each state of the child is."""
        return np.argsort(np.array(self.order, dtype=np.int64))

    @cached_property
    def causes(self) -> tuple[tuple[int, int], ...]:
        """The parent and the state of every cause but the leak, which comes last."""
        return tuple(
            (at, state)
            for at, parent in enumerate(self.variables[:-1])
            for state in range(len(parent.states))
            if state != self.off[at]
        )

    @cached_property
    def cause_of(self) -> tuple[Ints, ...]:
        """Per parent and state the number of its cause; behind all of them where it does none."""
        found = [np.full(len(each.states), len(self) + 1) for each in self.variables[:-1]]
        for number, (at, state) in enumerate(self.causes):
            found[at][state] = number
        return tuple(found)

    def __len__(self) -> int:
        """How many causes there are besides the leak."""
        return len(self.causes)

    @property
    def levels(self) -> int:
        """How many states the child has."""
        return len(self.order)

    def present(self, parents: Sequence[Column], cases: int) -> Floats:
        """(cases, causes + 1) 1 where a cause is there; the leak always is."""
        found = np.zeros((cases, len(self) + 2))
        found[:, len(self)] = 1.0
        for states, column in zip(self.cause_of, parents, strict=True):
            found[np.arange(cases), states[column]] = 1.0
        return found[:, :-1]


def frame_of(
    variables: Sequence[Discrete], absent: Sequence[str] | None, what: str, *, present: bool = False
) -> Frame:
    """The frame in which these states do nothing; for a noisy-and (`present`) the other ones do.

    absent: a state of every parent, then of the child; found by `absent_state` if not given.
    """
    child = variables[-1]
    if absent is None:
        absent = [absent_state(variable) for variable in variables]
    if len(absent) != len(variables):
        raise NetworkError(
            f"the {what} of {child.name!r} needs a state of absence for each of "
            f"{listed([each.name for each in variables], 8)}, not {len(absent)} of them"
        )
    codes = [each.code(state) for each, state in zip(variables, absent, strict=True)]
    states = len(child.states)
    if len(child.states) < 2 or codes[-1] not in (0, states - 1):
        raise NetworkError(
            f"the states of {child.name!r} must rise from {absent[-1]!r}, which a {what} takes for "
            f"the lowest: it has to be the first or the last of {listed(child.states, 8)}"
        )
    order = tuple(range(states) if codes[-1] == 0 else reversed(range(states)))
    if present:
        return Frame(tuple(variables), tuple(1 - code for code in codes[:-1]), order[::-1])
    return Frame(tuple(variables), tuple(codes[:-1]), order)


@dataclass(frozen=True, eq=False)
class Causes:
    """The distribution of the level that each cause brings about by itself.

    values  (causes + 1, levels)  P(Z = level | the cause is there), the leak last

    With hazards h(l) = P(Z = l | Z <= l) the levels fall apart:

    P(child <= l - 1 | child <= l) = Π over the causes that are there of 1 - h(l).
    """

    frame: Frame
    values: Floats

    def __post_init__(self) -> None:
        frame, values = self.frame, readonly(self.values)
        shape = (len(frame) + 1, frame.levels)
        child = frame.variables[-1].name
        if values.shape != shape:
            raise NetworkError(
                f"the effects on {child!r} have the shape {values.shape}, not {shape}"
            )
        with np.errstate(invalid="ignore"):
            good = (np.abs(values.sum(axis=1) - 1) <= ROUNDING) & (values >= 0).all(axis=1)
        if not good.all():
            raise NetworkError(
                f"{self.said(int(np.argmin(good)))} must be probabilities that add up to 1"
            )
        object.__setattr__(self, "values", values)

    def said(self, row: int) -> str:
        """One cause in words."""
        frame = self.frame
        child = frame.variables[-1].name
        if row == len(frame):
            return f"the effects of the leak on {child!r}"
        at, state = frame.causes[row]
        parent = frame.variables[at]
        return f"the effects of {parent.name!r}={parent.states[state]!r} on {child!r}"

    @cached_property
    def logs(self) -> Floats:
        """(causes + 2, levels - 1)  log(1 - h(l)) from level 1 on; 0 behind all causes."""
        reached = np.cumsum(self.values, axis=1)[:, 1:]
        hazard = np.divide(
            self.values[:, 1:], reached, out=np.zeros_like(reached), where=reached > 0
        )
        with np.errstate(divide="ignore"):
            logs = np.log1p(-np.minimum(hazard, 1.0))
        return np.concatenate([logs, np.zeros((1, logs.shape[1]))])

    def held_down(self, parents: Sequence[Column], cases: int) -> Floats:
        """(cases, levels - 1)  log P(child <= l - 1 | child <= l, parents)."""
        logs = self.logs
        found = np.repeat(logs[len(self.frame)][None, :], cases, axis=0)
        for states, column in zip(self.frame.cause_of, parents, strict=True):
            found += logs[states[column]]
        return found

    def log_prob(self, columns: Sequence[Column]) -> Floats:
        """log P(child | parents) of every case; nan where a cell is missing."""
        *parents, child = columns
        found = levels_of(self.held_down(parents, len(child)))
        level = self.frame.level[child]
        chosen = np.array(found[np.arange(len(child)), level])
        for column in columns:
            chosen[column < 0] = np.nan
        return chosen

    def sample(self, parents: Sequence[Column], cases: int, random: np.random.Generator) -> Column:
        """Codes of the child: from the highest level down, each reached or not."""
        missed = np.exp(self.held_down(parents, cases))
        reached = random.random(missed.shape) >= missed
        highest = missed.shape[1] - np.argmax(reached[:, ::-1], axis=1)
        level = np.where(reached.any(axis=1), highest, 0)
        codes = np.array(self.frame.order)[level].astype(code_type(self.frame.levels))
        for column in parents:
            codes[column < 0] = -1
        return codes

    def table(self) -> Floats:
        """P(child | parents) in full, `values[parents..., child]`."""
        shape = tuple(len(parent.states) for parent in self.frame.variables[:-1])
        held = np.zeros((*shape, self.frame.levels - 1)) + self.logs[len(self.frame)]
        for at, states in enumerate(self.frame.cause_of):
            ones = [1] * len(shape)
            ones[at] = shape[at]
            held += self.logs[states].reshape(*ones, -1)
        values = np.exp(levels_of(held.reshape(-1, self.frame.levels - 1)))
        return np.asarray(values[:, self.frame.level].reshape(*shape, -1))

    def stages(self, parents: Sequence[int]) -> Iterator[Floats]:
        """The chain of maxima over the parents in this order: P(Y_i | Y_{i-1}, parent i), each
        (states of the child, states of the parent, states of the child), Y_0 being the leak's.

        A network of these tables has the same distribution, and no clique of all parents. [Díez
        and Galán 2003; Heckerman and Breese 1996, temporal form]
        """
        level = self.frame.level
        for at in parents:
            logs = self.logs[self.frame.cause_of[at]]
            yield np.stack([_raised(logs, floor) for floor in range(self.frame.levels)])[level][
                :, :, level
            ]

    def leak(self) -> Floats:
        """(states,) P(Y_0): what is seen where no parent has an effect, in the child's states."""
        return np.asarray(self.values[-1][self.frame.level])


def levels_of(held: Floats) -> Floats:
    """(cases, levels) log P(level) from (cases, levels - 1) log P(child <= l - 1 | child <= l)."""
    above = np.zeros((held.shape[0], held.shape[1] + 1))
    above[:, :-1] = np.cumsum(held[:, ::-1], axis=1)[:, ::-1]  # log P(child <= level)
    with np.errstate(divide="ignore"):
        above[:, 1:] += np.log(-np.expm1(held))
    return above


def _raised(logs: Floats, floor: int) -> Floats:
    """(states, levels) P(max(floor, Z) = level) of a cause with these log(1 - h)."""
    held = logs.copy()
    held[:, :floor] = -np.inf  # levels up to the floor are passed for certain
    found = np.exp(levels_of(held))
    found[:, :floor] = 0.0
    return np.asarray(found)


def values_of(hazards: Floats) -> Floats:
    """(causes, levels) probabilities from (causes, levels - 1) hazards h(l) = P(Z = l | Z <= l)."""
    values = np.ones((hazards.shape[0], hazards.shape[1] + 1))
    values[:, :-1] = np.cumprod((1 - hazards)[:, ::-1], axis=1)[:, ::-1]
    values[:, 1:] *= hazards
    return values
