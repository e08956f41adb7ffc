"""Noisy-or and noisy-and: a link for every parent instead of a row for every configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats, readonly
from tacit.core.errors import NetworkError, quoted
from tacit.core.family import check_axes
from tacit.core.variables import Discrete
from tacit.families.causes import Causes, Frame, frame_of
from tacit.families.noisy import Noisy, absence


class _Binary(Noisy):
    """Of two states everywhere: a link for each parent, and the leak."""

    __slots__ = ()
    links: Floats
    leak: float

    @classmethod
    def of(
        cls,
        child: Discrete,
        links: Mapping[Discrete, float],
        leak: float = 0.0,
        absent: Mapping[str, str] | None = None,
    ) -> Self:
        """The family with these links; handy for networks by hand.

        absent: by name the states that say that something is not there, where the names of the
        states do not tell
        """
        variables = (*links, child)
        named = None if absent is None else _absent(cls, variables, absent)
        frame = cls.frame_for(variables, named)
        return cls.from_causes(
            Causes(frame, _two_levels(child, list(links.values()), leak, cls.kind))
        )

    @classmethod
    def frame_for(cls, variables: Sequence[Discrete], absent: Sequence[str] | None = None) -> Frame:
        """The frame, if all variables have two states."""
        check_axes(variables, Discrete, cls.kind)
        for variable in variables:
            if len(variable.states) != 2:
                raise NetworkError(
                    f"{variable.name!r} has {len(variable.states)} states; a {cls.kind} of "
                    f"{variables[-1].name!r} takes variables of two states only"
                    "\n\na noisy-max takes any: tc.NoisyMax"
                )
        return frame_of(variables, absent, cls.kind, present=cls.kind == "noisy-and")

    @classmethod
    def from_causes(cls, causes: Causes) -> Self:
        """The family with these effects."""
        values = causes.values[:, 1]
        family: Any = cls
        built: Self = family(
            causes.frame.variables, values[:-1], float(values[-1]), absence(causes.frame, cls.kind)
        )
        return built

    def _check(self) -> None:
        """Fill in the states of absence and check the numbers."""
        frame = self.frame_for(self.variables, self.absent or None)
        links = readonly(self.links)
        if links.shape != (len(self.variables) - 1,):
            raise NetworkError(
                f"{self.child!r} needs a link for each of its {len(self.variables) - 1} parents, "
                f"not an array of the shape {links.shape}"
            )
        _two_levels(self.variables[-1], links, self.leak, self.kind)
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "leak", float(self.leak))
        object.__setattr__(self, "absent", absence(frame, self.kind))

    @property
    def causes(self) -> Causes:
        """What each cause does by itself."""
        values = _two_levels(self.variables[-1], self.links, self.leak, self.kind)
        return Causes(self.frame_for(self.variables, self.absent), values)

    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""
        return self._plain(self.links.tolist(), self.leak)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], variables: Mapping[str, Discrete]) -> Self:
        """The family that `to_plain` described."""
        names = (*plain["parents"], plain["child"])
        links = np.asarray(plain["links"], dtype=np.float64)
        family: Any = cls
        built: Self = family(
            tuple(variables[name] for name in names),
            links,
            float(plain["leak"]),
            tuple(map(str, plain["absent"])),
        )
        return built


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NoisyOr(_Binary):
    """Every cause that is there may bring the child about, each independently of the others:

    P(child is there | parents) = 1 - (1 - leak) Π over the parents that are there of (1 - link).

    links   (parents,)  how likely a parent is to bring the child about by itself
    leak    how likely the child is there though no parent is
    absent  the states of the parents, then of the child, that say "not there"; unless given, the
            one of two that is named so (no, false, absent, 0, ...), otherwise the first
    """

    variables: tuple[Discrete, ...]
    links: Floats
    leak: float
    absent: tuple[str, ...] = ()
    kind: ClassVar[str] = "noisy-or"

    def __post_init__(self) -> None:
        self._check()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NoisyAnd(_Binary):
    """The child needs every parent; each that is lacking may prevent it, and so may the leak:

    P(child is there | parents) = (1 - leak) Π over the parents that are lacking of (1 - link).

    links   (parents,)  how likely the lack of a parent is to prevent the child by itself
    leak    how likely the child is not there though nothing is lacking
    absent  the states of the parents, then of the child, that say "not there", as in a noisy-or
    """

    variables: tuple[Discrete, ...]
    links: Floats
    leak: float
    absent: tuple[str, ...] = ()
    kind: ClassVar[str] = "noisy-and"

    def __post_init__(self) -> None:
        self._check()

    def _heads(self) -> tuple[str, ...]:
        return ("lacking", f"{quoted(self.child)}={quoted(self._brought())}")


def _two_levels(child: Discrete, links: npt.ArrayLike, leak: float, kind: str) -> Floats:
    """(causes + 1, 2) from links and leak, if they are probabilities."""
    strength = np.append(np.asarray(links, dtype=np.float64), leak)
    if not ((strength >= 0) & (strength <= 1)).all():
        wrong = strength[~((strength >= 0) & (strength <= 1))][0]
        raise NetworkError(
            f"a link or the leak of the {kind} of {child.name!r} is {wrong:g}; "
            "it must lie between 0 and 1"
        )
    return np.stack([1 - strength, strength], axis=1)


def _absent(
    cls: type[Noisy], variables: Sequence[Discrete], absent: Mapping[str, str]
) -> tuple[str, ...]:
    """The states of absence, those that are named and those that the states tell by themselves."""
    told = absence(cls.frame_for(variables), cls.kind)
    return tuple(absent.get(each.name, own) for each, own in zip(variables, told, strict=True))
