"""Hidden variables: in the dag, but in no column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

from tacit.core.errors import OptionError, SizeError, listed, nearest
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.learn.structures import Structure

MOST_STATES = 10_000
REAL = "continuous"
"""The word for a hidden variable without states."""

Hidden: TypeAlias = Mapping[str, int | Sequence[str]] | str | None


def hidden_variables(
    hidden: Hidden, structure: Structure, columns: Iterable[str]
) -> dict[str, Variable]:
    """The hidden variables by name.

    hidden: {"H": 3}, {"H": ("mild", "severe")}, or {"F": "continuous"}; `"rest"` with a network
    makes every variable without a column hidden, with the states the network gives it.
    """
    if hidden is None:
        return {}
    seen = set(columns)
    if isinstance(hidden, str):
        return _rest(hidden, structure, seen)
    if not isinstance(hidden, Mapping):
        raise OptionError(f'hidden={hidden!r} must be "rest" or a mapping like {{"H": 3}}')
    found: dict[str, Variable] = {}
    for name, states in hidden.items():
        if name not in structure.dag:
            raise OptionError(
                f"the dag has no variable {name!r} to be hidden{nearest(name, structure.dag.names)}"
                f"\n\nvariables: {listed(structure.dag.names)}"
            )
        if name in seen:
            raise OptionError(f"{name!r} has a column in the cases, so it is not hidden")
        declared = (structure.variables or {}).get(name)
        if states == REAL:
            found[name] = Continuous(name)
        else:
            found[name] = Discrete(name, _states(name, states, declared))
    return found


def _states(name: str, states: Any, declared: Variable | None) -> tuple[str, ...]:
    """The states named, or so many; a network that gives the variable as many names them."""
    counted = isinstance(states, Integral) and not isinstance(states, bool)
    words = isinstance(states, str)
    named = isinstance(states, Sequence) and not words
    if not ((counted and int(states) >= 2) or (named and len(states) >= 2)):
        raise OptionError(
            f"hidden variable {name!r} needs 2 states or more, as a number or by name, "
            f"not {states!r}" + (f"\n\none without states is {REAL!r}" if words else "")
        )
    if named:
        return tuple(states)
    if int(states) > MOST_STATES:
        raise SizeError(
            f"hidden variable {name!r} would have {int(states):,} states; "
            f"at most {MOST_STATES:,} are tried"
        )
    if isinstance(declared, Discrete) and len(declared.states) == int(states):
        return declared.states
    return tuple(str(number + 1) for number in range(int(states)))


def _rest(word: str, structure: Structure, columns: set[str]) -> dict[str, Variable]:
    if word != "rest":
        raise OptionError(f'hidden={word!r} must be "rest" or a mapping like {{"H": 3}}')
    if structure.variables is None:
        raise OptionError('hidden="rest" needs a network that gives the hidden variables states')
    return {name: each for name, each in structure.variables.items() if name not in columns}
