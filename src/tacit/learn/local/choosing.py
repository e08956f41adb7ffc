"""Which variables get a tree table or a default table, and how it is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from tacit.core.errors import KnowledgeError, OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.estimate.local.growing import Bans
from tacit.estimate.local.settings import GrowTree, ListRows
from tacit.families.default_table import DefaultTable
from tacit.families.shared import SharedRows
from tacit.families.tree_table import TreeTable
from tacit.knowledge.knowledge import Knowledge

How: TypeAlias = GrowTree | ListRows | SharedRows
"""A way to look for rows, or a family whose rows are kept."""

WORDS: Mapping[str, GrowTree | ListRows] = {"tree-table": GrowTree(), "default-table": ListRows()}
KINDS: Mapping[type, GrowTree | ListRows] = {TreeTable: GrowTree(), DefaultTable: ListRows()}


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """One family with local structure before it is estimated.

    axes  parents..., child
    bans  contexts in which rules say that a parent does not matter; None: there are none
    """

    axes: tuple[Discrete, ...]
    how: How
    bans: Bans | None = None

    def describe(self) -> str:
        """What is said of it among the settings of a fit."""
        if isinstance(self.how, SharedRows):
            return f"{self.how.kind} with given rows"
        return self.how.describe()


def how_of(said: Any) -> How | None:
    """What `families=` says of one variable, if it speaks of local structure."""
    if isinstance(said, How):
        return said
    if isinstance(said, str):
        return WORDS.get(said)
    return KINDS.get(said) if isinstance(said, type) else None


def local_of(
    given: Any, network: Network | None, families: Mapping[str, tuple[Variable, ...]]
) -> dict[str, Local]:
    """The families with local structure by the name of the child.

    A network keeps the rows of those it holds where `given` says nothing else.
    """
    own = {} if network is None else network.families
    chosen: dict[str, Any] = {n: each for n, each in own.items() if isinstance(each, SharedRows)}
    if isinstance(given, Mapping):
        chosen |= given
    elif given is not None:
        chosen = {name: given for name, axes in families.items() if len(axes) > 1}
    found = {}
    for name, said in chosen.items():
        how = how_of(said)
        if how is not None and (len(families[name]) > 1 or isinstance(how, SharedRows)):
            found[name] = Local(_discrete(name, families[name], how), how)
    return found


def _discrete(name: str, axes: tuple[Variable, ...], how: How) -> tuple[Discrete, ...]:
    found = tuple(axis for axis in axes if isinstance(axis, Discrete))
    if len(found) < len(axes):
        real = next(axis.name for axis in axes if not isinstance(axis, Discrete))
        raise OptionError(
            f"{quoted(name)} cannot share rows: {quoted(real)} has real values, no states"
            "\n\nmake it discrete with tc.discretise"
        )
    if isinstance(how, SharedRows) and how.variables != found:
        raise OptionError(
            f"the {how.kind} given for {quoted(name)} is one of other variables or states: "
            f"{how!r}\n\ngive tc.{type(how).__name__} alone, and its rows are found"
        )
    return found


def rows_given(local: Mapping[str, Local]) -> dict[str, SharedRows]:
    """The families of which rows are given."""
    return {name: each.how for name, each in local.items() if isinstance(each.how, SharedRows)}


def local_said(local: Mapping[str, Local]) -> dict[str, str]:
    """The families as the settings of a fit keep them."""
    return {name: each.describe() for name, each in local.items()}


def refuse_local(local: Mapping[str, Local], knowledge: Knowledge | None, tied: Any) -> None:
    """Nothing, or an error about wishes that are made for tables only."""
    doubted = [rule for rule in knowledge.parameters if rule.confidence < 1] if knowledge else []
    if local and doubted:
        raise KnowledgeError(
            f"{quoted(next(iter(local)))} is to share rows: rules said with less than certainty "
            f"are weighed among tables only: {doubted[0]}\n\nleave out its confidence, or families="
        )
    for name in local:
        if any(name in group for group in tied or ()):
            raise OptionError(f"{quoted(name)} is to share rows, and tied= speaks of tables")
