"""What a network is about: variables with named states, and variables that take real values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tacit.core.errors import NetworkError, StateError, listed, nearest


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name.strip():
        raise NetworkError(f"a variable needs a name, not {name!r}")


@dataclass(frozen=True, slots=True)
class Discrete:
    """A variable with finitely many named states, in their natural order.

    inferred_order: nobody declared the order of the states; it was guessed from their names.
    """

    name: str
    states: tuple[str, ...]
    inferred_order: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        _check_name(self.name)
        given: object = self.states
        if isinstance(given, str):
            raise NetworkError(
                f"the states of {self.name!r} must be a sequence, not {self.states!r}"
            )
        object.__setattr__(self, "states", tuple(self.states))
        if not self.states:
            raise NetworkError(f"variable {self.name!r} has no states")
        for state in self.states:
            if not isinstance(state, str) or not state:
                raise NetworkError(f"a state of {self.name!r} must be a text, not {state!r}")
        if len(set(self.states)) < len(self.states):
            raise NetworkError(f"variable {self.name!r} repeats a state: {listed(self.states)}")

    def code(self, state: str) -> int:
        """The position of a state; an error that lists the states if there is none of that name."""
        try:
            return self.states.index(state)
        except ValueError:
            raise StateError(
                f"{self.name!r} has no state {state!r}{nearest(state, self.states)}"
                f"\n\nstates of {self.name!r}: {listed(self.states)}"
            ) from None


@dataclass(frozen=True, slots=True)
class Continuous:
    """A variable that takes real values."""

    name: str

    def __post_init__(self) -> None:
        _check_name(self.name)


Variable: TypeAlias = Discrete | Continuous
