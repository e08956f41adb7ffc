"""Rules of the kind `X ignores Y when Z=z` where X has local structure: its rows obey them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools
from tacit.core.errors import KnowledgeError, quoted
from tacit.estimate.local.growing import Bans
from tacit.estimate.local.settings import GrowTree
from tacit.estimate.ruled.status import RuleStatus
from tacit.families.shared import SharedRows
from tacit.knowledge.cells import Cells
from tacit.knowledge.faults import clash
from tacit.knowledge.influence import check_moving
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.meaning import rows_named
from tacit.knowledge.names import Names, layout_of, names_of
from tacit.knowledge.statements import Ignores, Rule
from tacit.knowledge.wording import written
from tacit.learn.local.choosing import Local

MOST_CHECKED = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """What rules leave of families with local structure.

    rest   the knowledge that speaks of other things
    rules  how those that trees obey stand
    """

    local: Mapping[str, Local]
    rest: Knowledge | None
    rules: tuple[RuleStatus, ...] = ()


def spoken_of(local: Mapping[str, Local], knowledge: Knowledge | None) -> Spoken:
    """The families under their rules, and all other rules."""
    mine = [] if knowledge is None else [r for r in knowledge.rules if _about(r, local)]
    if knowledge is None or not mine:
        return Spoken(local, knowledge)
    declared = [rule for rule in knowledge.rules if rule not in knowledge.parameters]
    cells = Cells.of({name: each.axes for name, each in local.items()})
    names = names_of([*declared, *mine], cells, cells.declared, ())
    bans: dict[str, list[tuple[int, Bools]]] = {}
    for rule in mine:
        name, found = _bans_of(names, rule, local)
        bans.setdefault(name, []).extend(found)
    under = {
        name: _under(each, bans[name]) if name in bans else each for name, each in local.items()
    }
    others = tuple(rule for rule in knowledge.rules if rule not in mine)
    rest = Knowledge(others) if others else None
    return Spoken(under, rest, tuple(map(_status, mine)))


def _about(rule: Rule, local: Mapping[str, Local]) -> bool:
    said = rule.statement
    return isinstance(said, Ignores) and said.child.text in local


def _bans_of(
    names: Names, rule: Rule, local: Mapping[str, Local]
) -> tuple[str, list[tuple[int, Bools]]]:
    said = rule.statement
    assert isinstance(said, Ignores)
    name = said.child.text
    each, layout = local[name], layout_of(names, rule, said.child)
    allowed = rows_named(names, rule, layout, said.given)
    check_moving(names, rule, layout, said.parents, said.given)
    room = np.concatenate(
        [np.isin(np.arange(len(axis.states)), allowed[axis.name]) for axis in each.axes[:-1]]
    )
    parents = [axis.name for axis in each.axes[:-1]]
    found = [(parents.index(word.text), room) for word in said.parents]
    if isinstance(each.how, SharedRows):
        _check_rows(each.how, rule, allowed, [at for at, _ in found])
    elif not isinstance(each.how, GrowTree):
        raise KnowledgeError(
            f"a default table cannot be made to obey a rule\n\n    {written(rule)}\n\n"
            f"give {quoted(name)} a tree table: tc.TreeTable"
        )
    return name, found


def _check_rows(
    family: SharedRows, rule: Rule, allowed: Mapping[str, tuple[int, ...]], ignored: list[int]
) -> None:
    """Nothing, or an error if rows that are given differ where a rule says that they do not."""
    sizes = [len(codes) for codes in allowed.values()]
    if np.prod(sizes, dtype=float) > MOST_CHECKED:
        return
    grid = np.meshgrid(*(np.array(codes) for codes in allowed.values()), indexing="ij")
    columns = [axis.ravel() for axis in grid]
    rows = family.rows_at(columns, columns[0].size).reshape(sizes)
    for at in ignored:
        if (rows != rows.take([0], axis=at)).any():
            raise clash(
                rule, None, f"the rows given for {family.child!r} depend on "
                f"{family.parents[at]!r} there", "give tc.TreeTable alone, and a tree is grown",
            )  # fmt: skip


def _under(each: Local, bans: list[tuple[int, Bools]]) -> Local:
    axis = np.array([at for at, _ in bans], dtype=np.int64)
    return replace(each, bans=Bans(axis, np.array([room for _, room in bans], dtype=np.bool_)))


def _status(rule: Rule) -> RuleStatus:
    return RuleStatus(
        text=rule.text,
        value=0.0,
        limit=0.0,
        binding=0,
        price=None,
        cost=None,
        solved_by="the rows of its table are made so",
        by=rule.by,
        confidence=rule.confidence,
        source=rule.source,
        line=rule.line,
    )
