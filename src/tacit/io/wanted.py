"""Which columns are wanted, and as what: the options of `read_cases`, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tacit.core.errors import ColumnError, OptionError, listed, nearest
from tacit.core.variables import Discrete, Variable
from tacit.io.coding import Declared


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller asked for, by name.

    columns  the columns to read; None for those of `like`, or else all
    like     variables that columns are to be
    order    the states of other columns, in order
    partial  variables of `like` may lack a column, but not all of them
    """

    columns: tuple[str, ...] | None = None
    like: Mapping[str, Variable] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    discrete: frozenset[str] = frozenset()
    continuous: frozenset[str] = frozenset()
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    partial: bool = False

    def __post_init__(self) -> None:
        for name in sorted(self.discrete & self.continuous):
            raise OptionError(f"{name!r} cannot be both discrete and continuous")
        for name in self.order:
            if name in self.continuous:
                raise OptionError(f"{name!r} cannot be continuous and have an order of states")
            if name in self.like:
                raise OptionError(f"the states of {name!r} are given by like= and by order=")

    def declared(self) -> Declared:
        """What this says about single columns."""
        orders = {name: Discrete(name, states) for name, states in self.order.items()}
        variables = {**self.like, **orders}
        return Declared(self.missing, self.discrete, self.continuous, variables)

    def choose(
        self, known: Sequence[str], weights: str | None
    ) -> tuple[list[str], tuple[str, ...]]:
        """The columns to read among the known ones, and a note about the rest."""
        if weights is not None:
            _check([weights], known, "weights=")
        _check(sorted(self.discrete), known, "discrete=")
        _check(sorted(self.continuous), known, "continuous=")
        _check(self.order, known, "order=")
        asked = self.columns if self.columns is not None else tuple(self.like) or None
        if asked is not None and self.partial:
            asked = _present(asked, known)
        if asked is None:
            return [name for name in known if name != weights], ()
        _check(asked, known)
        if len(set(asked)) < len(asked):
            raise OptionError(f"columns= names a column twice: {listed(asked)}")
        chosen = {*asked, weights}
        rest = [name for name in known if name not in chosen]
        note = f"not among the variables asked for, so not read: {listed(rest)}"
        return list(asked), (note,) if rest else ()


def _present(asked: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    there = set(known)
    present = tuple(name for name in asked if name in there)
    if not present:
        raise ColumnError(
            "no column of the cases is a variable of the network"
            f"\n\ncolumns: {listed(known)}\nvariables: {listed(asked)}"
        )
    return present


def _check(names: Iterable[str], known: Sequence[str], option: str = "") -> None:
    """An error unless all the names are known columns."""
    there = set(known)
    absent = [name for name in names if name not in there]
    if not absent:
        return
    said = f"the cases have no column {absent[0]!r}"
    if option:
        said = f"{option} names {absent[0]!r}, but the cases have no such column"
    more = f" (nor {listed(map(repr, absent[1:]), 6)})" if absent[1:] else ""
    hint = nearest(absent[0], known)
    raise ColumnError(f"{said}{more}{hint}\n\ncolumns: {listed(known)}")
