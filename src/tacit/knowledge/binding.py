"""Rules bound to the tables of a network: names become cells, statements become rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.chunks import Chunk, gathered
from tacit.knowledge.faults import clash, fault
from tacit.knowledge.influence import additive, influenced, product
from tacit.knowledge.meaning import about, compared, proportional
from tacit.knowledge.names import Names, names_of
from tacit.knowledge.rows import Products, Proportions
from tacit.knowledge.sharing import shared
from tacit.knowledge.statements import (
    About,
    Arcs,
    Compare,
    Group,
    Ignores,
    Influence,
    MostParents,
    Ratios,
    Rule,
    Share,
    StateOrder,
    Synergy,
    Tie,
    Tiers,
)
from tacit.knowledge.tying import ignored, tied

_LINEAR: dict[type, Callable[[Names, Rule, Any], list[Chunk]]] = {
    Compare: compared,
    About: about,
    Influence: influenced,
    Synergy: additive,
    Ignores: ignored,
    Tie: tied,
    Share: shared,
}
CANNOT = "this rule cannot hold, whatever the probabilities are"
_ELSEWHERE = (Group, StateOrder, Arcs, Tiers, MostParents)


def bind(
    rules: Sequence[Rule],
    cells: Cells,
    *,
    ordered: Collection[str] | None = None,
    others: Collection[str] = (),
) -> Bound:
    """What the rules say of the cells; the first word that does not fit is an error.

    ordered  variables whose order of states somebody declared; None: all of them
    others   variables of the network that have no table, such as continuous ones
    """
    bound, false = bound_but_false(rules, cells, ordered=ordered, others=others)
    for number, left in false.items():
        raise clash(
            bound.rules[number], None, CANNOT,
            f"where both sides name the same cells, it says {left}",
        )  # fmt: skip
    return bound


def bound_but_false(
    rules: Sequence[Rule],
    cells: Cells,
    *,
    ordered: Collection[str] | None = None,
    others: Collection[str] = (),
) -> tuple[Bound, dict[int, str]]:
    """The same, and the numbers of rules that are false by themselves, with what they say."""
    names = names_of(rules, cells, ordered, others)
    kept = tuple(rule for rule in rules if not isinstance(rule.statement, _ELSEWHERE))
    chunks: list[Chunk] = []
    owner: list[int] = []
    proportions: list[Proportions] = []
    products: list[Products] = []
    for number, rule in enumerate(kept):
        said = rule.statement
        _check_confidence(rule)
        if isinstance(said, Ratios):
            found = proportional(names, rule, said)
            proportions += [Proportions(lists, number) for lists in found]
        elif isinstance(said, Synergy) and said.kind == "product":
            products.append(Products(*product(names, rule, said), number))
        else:
            new = _LINEAR[type(said)](names, rule, said)
            chunks += new
            owner += [number] * len(new)
    rows, false = gathered(chunks, owner)
    return Bound(cells, kept, rows, tuple(proportions), tuple(products)), false


def _check_confidence(rule: Rule) -> None:
    if not 0 < rule.confidence <= 1:
        raise fault(rule, None, f"a confidence is above 0 and at most 1, not {rule.confidence!r}")
