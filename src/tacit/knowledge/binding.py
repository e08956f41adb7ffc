"""Rules bound to the tables of a network: names become cells, statements become rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from tacit.knowledge.bending import Bent, applied, bent
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.chunks import Chunk, gathered
from tacit.knowledge.curves import CurvedRule, Mass, Polynomial, Terms
from tacit.knowledge.divisors import check_divisors
from tacit.knowledge.expansion import products_said
from tacit.knowledge.faults import clash, fault
from tacit.knowledge.influence import additive, influenced, product
from tacit.knowledge.meaning import about, compared, proportional
from tacit.knowledge.names import Names, names_of
from tacit.knowledge.rows import Products, Proportions
from tacit.knowledge.sentences import as_ratios, bends
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
    Smooth,
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
    for number, why in false.items():
        raise clash(bound.rules[number], None, CANNOT, why)
    return bound


def bound_but_false(
    rules: Sequence[Rule],
    cells: Cells,
    *,
    ordered: Collection[str] | None = None,
    others: Collection[str] = (),
) -> tuple[Bound, dict[int, str]]:
    """The same, and the numbers of rules that are false by themselves, with why."""
    names = names_of(rules, cells, ordered, others)
    kept = tuple(rule for rule in rules if not isinstance(rule.statement, _ELSEWHERE))
    found = _Found(cells)
    for number, rule in enumerate(kept):
        _check_confidence(rule)
        found.add(names, number, rule)
    rows, false = gathered(found.chunks, found.owner)
    why = {number: f"where both sides name the same cells, it says {left}"
           for number, left in false.items()}  # fmt: skip
    check_divisors(names, kept, rows, found.divisors)
    return (
        Bound(
            cells, kept, rows, tuple(found.proportions), tuple(found.products), tuple(found.curved)
        ),
        dict(sorted({**found.impossible, **why}.items())),
    )


class _Found:
    """What the rules said so far."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.chunks: list[Chunk] = []
        self.owner: list[int] = []
        self.proportions: list[Proportions] = []
        self.products: list[Products] = []
        self.curved: list[CurvedRule] = []
        self.divisors: list[tuple[int, Terms]] = []
        self.impossible: dict[int, str] = {}

    def add(self, names: Names, number: int, rule: Rule) -> None:
        """What one more rule says."""
        said = rule.statement
        if isinstance(said, Smooth):
            self._bent(number, applied(names, rule, said))
        elif isinstance(said, Compare | About | Ratios) and bends(names, said):
            if (ratios := as_ratios(names, rule, said)) is None:
                self._bent(number, bent(names, rule, said))
            else:
                self._ratios(names, number, rule, ratios)
        elif isinstance(said, Ratios):
            self._ratios(names, number, rule, said)
        elif isinstance(said, Synergy) and said.kind == "product":
            self._products(Products(*product(names, rule, said), number))
        else:
            self._chunks(number, _LINEAR[type(said)](names, rule, said))

    def _ratios(self, names: Names, number: int, rule: Rule, said: Ratios) -> None:
        found = proportional(names, rule, said)
        self.proportions += [Proportions(lists, number) for lists in found]

    def _chunks(self, number: int, new: list[Chunk]) -> None:
        self.chunks += new
        self.owner += [number] * len(new)

    def _bent(self, number: int, found: Bent) -> None:
        self._chunks(number, found.chunks)
        for equal, instances in ((True, found.equal), (False, found.unequal)):
            if instances:
                self.curved.append(CurvedRule(number, equal, tuple(instances)))
        self.divisors += [(number, terms) for terms in found.divisors]
        if found.impossible is not None:
            self.impossible[number] = f"every probability lies between 0 and 1{found.impossible}"

    def _products(self, found: Products) -> None:
        self.products.append(found)
        texts = products_said(self.cells, found)
        pairs = zip(found.left.T.tolist(), found.right.T.tolist(), texts, strict=True)
        instances = tuple(
            Polynomial(((1.0, (Mass((a,)), Mass((b,)))), (-1.0, (Mass((c,)), Mass((d,))))), text)
            for (a, b), (c, d), text in pairs
        )
        self.curved.append(CurvedRule(found.rule, False, instances))


def _check_confidence(rule: Rule) -> None:
    if not 0 < rule.confidence <= 1:
        raise fault(rule, None, f"a confidence is above 0 and at most 1, not {rule.confidence!r}")
