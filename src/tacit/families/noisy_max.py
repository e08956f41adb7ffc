"""Noisy-max: each parent brings about a state of the child by itself, and the highest is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tacit.arrays import Floats, readonly
from tacit.core.errors import NetworkError
from tacit.core.family import check_axes
from tacit.core.grid import number
from tacit.core.variables import Discrete
from tacit.families.causes import Causes, Frame, frame_of
from tacit.families.noisy import Noisy, absence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NoisyMax(Noisy):
    """Every cause brings about a state of the child by itself; the highest of them is seen.

    links   one array per parent, (states of the parent, states of the child): P(what it brings
            about | its state); the row of its absence is sure to bring about the lowest state
    leak    (states of the child,) what comes about though no parent has an effect
    absent  the state of each parent without an effect, then the child's lowest, which must be its
            first or its last; unless given, found as in a noisy-or, otherwise the first
    """

    variables: tuple[Discrete, ...]
    links: tuple[Floats, ...]
    leak: Floats
    absent: tuple[str, ...] = ()
    kind: ClassVar[str] = "noisy-max"

    def __post_init__(self) -> None:
        frame = self.frame_for(self.variables, self.absent or None)
        links = tuple(readonly(each) for each in self.links)
        shapes = [(len(each.states), frame.levels) for each in self.variables[:-1]]
        if [each.shape for each in links] != shapes or readonly(self.leak).shape != (frame.levels,):
            raise NetworkError(
                f"the links of {self.child!r} are arrays of the shapes "
                f"{', '.join(map(str, shapes))}, and its leak one of {frame.levels} numbers"
            )
        for parent, link, off in zip(self.variables, links, frame.off, strict=False):
            if link[off, frame.order[0]] != 1:
                raise NetworkError(
                    f"{parent.name!r}={parent.states[off]!r} has no effect on {self.child!r}: its "
                    f"row must have 1 at {self.variables[-1].states[frame.order[0]]!r}"
                )
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "leak", readonly(self.leak))
        object.__setattr__(self, "absent", absence(frame, self.kind))
        _ = self.causes  # which checks the numbers

    @classmethod
    def frame_for(cls, variables: Sequence[Discrete], absent: Sequence[str] | None = None) -> Frame:
        """The frame, if all variables have states."""
        check_axes(variables, Discrete, cls.kind)
        return frame_of(variables, absent, cls.kind)

    @classmethod
    def from_causes(cls, causes: Causes) -> Self:
        """The family with these effects."""
        frame = causes.frame
        sure = np.eye(frame.levels)[:1]
        values = np.concatenate([causes.values, sure])[:, frame.level]
        links = tuple(values[states] for states in frame.cause_of)
        family: Any = cls
        built: Self = family(frame.variables, links, values[-2], absence(frame, cls.kind))
        return built

    @property
    def causes(self) -> Causes:
        """What each cause does by itself."""
        frame = self.frame_for(self.variables, self.absent)
        rows = [self.links[at][state] for at, state in frame.causes]
        return Causes(frame, np.array([*rows, self.leak])[:, list(frame.order)])

    def _heads(self) -> tuple[str, ...]:
        return ("cause", *self.variables[-1].states)

    def _numbers(self, row: Floats) -> tuple[str, ...]:
        return tuple(number(float(value)) for value in row[self.causes.frame.level])

    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""
        return self._plain([each.tolist() for each in self.links], self.leak.tolist())

    @staticmethod
    def from_plain(plain: Mapping[str, Any], variables: Mapping[str, Discrete]) -> NoisyMax:
        """The family that `to_plain` described."""
        names = (*plain["parents"], plain["child"])
        links = tuple(np.asarray(each, dtype=np.float64) for each in plain["links"])
        leak = np.asarray(plain["leak"], dtype=np.float64)
        absent = tuple(map(str, plain["absent"]))
        return NoisyMax(tuple(variables[name] for name in names), links, leak, absent)
