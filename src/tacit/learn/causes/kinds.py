"""Which variables get which family: what `families=` says, or a network that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tacit.core.errors import KnowledgeError, OptionError, listed, nearest, quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.estimate.causes.limits import Limits
from tacit.families import KINDS
from tacit.families.causes import Frame
from tacit.families.noisy import Noisy
from tacit.families.table import Table
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.local.choosing import Local, how_of, local_said

Families: TypeAlias = Mapping[str, Any] | Any | None
"""{"Fever": tc.NoisyOr}, or one kind for every variable that has parents."""

NOISY: Mapping[str, type[Noisy]] = {
    word: kind for word, kind in KINDS.items() if isinstance(kind, type) and issubclass(kind, Noisy)
}


@dataclass(frozen=True, slots=True, eq=False)
class Caused:
    """A family of independent causes without its numbers.

    limits  what rules leave of its strengths; None: all of it
    """

    kind: type[Noisy]
    frame: Frame
    limits: Limits | None = None


def caused_of(
    given: Families, network: Network | None, families: Mapping[str, tuple[Variable, ...]]
) -> dict[str, Caused]:
    """The families of independent causes by the name of the child; all others are the usual ones.

    network   whose own such families are kept where `given` says nothing else
    families  parents..., child of every variable
    """
    own = _noisy_in(network)
    if given is None:
        chosen: dict[str, Any] = dict(own)
    elif isinstance(given, Mapping):
        _check_names(given, families)
        chosen = {**own, **given}
    else:
        chosen = {name: given for name, axes in families.items() if len(axes) > 1}
    found = {}
    for name, said in chosen.items():
        caused = _caused(name, said, families[name])
        if caused is not None:
            found[name] = caused
    return found


def _noisy_in(network: Network | None) -> dict[str, Noisy]:
    """The families of independent causes that a network holds."""
    families = {} if network is None else network.families
    return {name: each for name, each in families.items() if isinstance(each, Noisy)}


def _check_names(given: Mapping[str, Any], families: Mapping[str, tuple[Variable, ...]]) -> None:
    for name in given:
        if name not in families:
            raise OptionError(
                f"families= names {name!r}, which is no variable of the structure"
                f"{nearest(str(name), families)}\n\nvariables: {listed(families)}"
            )


def _caused(name: str, said: Any, axes: tuple[Variable, ...]) -> Caused | None:
    """The frame of one variable; None if it is to have a table, as one without parents has."""
    if (isinstance(said, str | type) and said in (Table, "table")) or len(axes) == 1:
        return None
    if how_of(said) is not None:  # which is not for this module
        return None
    kind = NOISY.get(said) if isinstance(said, str) else said
    states = None
    if isinstance(said, Noisy):
        kind, states = type(said), dict(zip(_names(said), said.absent, strict=True))
    if not (isinstance(kind, type) and issubclass(kind, Noisy) and kind.__name__ in _CLASSES):
        raise OptionError(
            f"families= says {_shown(said)} of {name!r}, which is no family to choose"
            f"\n\nthere are: {', '.join(f'tc.{each}' for each in ('Table', *_CLASSES, *_SHARED))}"
        )
    absent = None
    if states is not None and all(axis.name in states for axis in axes):
        absent = [states[axis.name] for axis in axes]
    return Caused(kind, kind.frame_for(_discrete(name, axes, kind), absent))


_CLASSES = tuple(kind.__name__ for kind in NOISY.values())
_SHARED = ("TreeTable", "DefaultTable")


def _shown(said: Any) -> str:
    return said.__name__ if isinstance(said, type) else repr(said)


def _names(family: Noisy) -> Iterable[str]:
    return (variable.name for variable in family.variables)


def _discrete(name: str, axes: tuple[Variable, ...], kind: type[Noisy]) -> tuple[Discrete, ...]:
    found = tuple(axis for axis in axes if isinstance(axis, Discrete))
    if len(found) < len(axes):
        real = next(axis.name for axis in axes if not isinstance(axis, Discrete))
        raise OptionError(
            f"{quoted(name)} cannot be a {kind.kind}: {quoted(real)} has real values, no states"
            "\n\nmake it discrete with tc.discretise"
        )
    return found


def order_notes(causes: Mapping[str, Caused]) -> tuple[str, ...]:
    """The orders of three or more states that a noisy-max took though nobody declared them."""
    return tuple(
        f"the states of {quoted(child.name)} rise as {' < '.join(map(quoted, _rising(caused)))} "
        "for its noisy-max, an order inferred from their names"
        for caused in causes.values()
        for child in [caused.frame.variables[-1]]
        if child.inferred_order and len(child.states) > 2
    )


def _rising(caused: Caused) -> list[str]:
    states = caused.frame.variables[-1].states
    return [states[code] for code in caused.frame.order]


def kinds_said(
    causes: Mapping[str, Caused], local: Mapping[str, Local] | None = None
) -> dict[str, dict[str, str]]:
    """The families as the settings of a fit keep them; nothing where there are none."""
    said = {name: caused.kind.kind for name, caused in causes.items()}
    said |= local_said(local or {})
    return {"families": said} if said else {}


def refuse_beside(
    causes: Mapping[str, Caused],
    knowledge: Knowledge | None,
    tied: Sequence[Sequence[str]] | None,
) -> None:
    """Nothing, or an error about wishes that are made for tables only."""
    if not causes:
        return
    name = next(iter(causes))
    kind = f"the {causes[name].kind.kind} of {quoted(name)}"
    for group in tied or ():
        for each in group:
            if each in causes:
                raise OptionError(f"{quoted(each)} gets links, and tied= speaks of tables")
    doubted = [rule for rule in knowledge.parameters if rule.confidence < 1] if knowledge else []
    if doubted:
        raise KnowledgeError(
            f"{kind}: rules said with less than certainty are weighed among tables only: "
            f"{doubted[0]}\n\nleave out its confidence, or families="
        )
