"""Finds that stand together: all equalities of the rows they speak of are a tree of splits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.estimate.ruled.recognise import recognise
from tacit.knowledge.binding import bind
from tacit.knowledge.blocks import Blocks, blocks_of
from tacit.knowledge.cells import Cells
from tacit.knowledge.statements import Rule
from tacit.learn.discovery.finds import Proposal

WEAKEST_FIRST = ("ratios", "links", "cells", "rows", "tables")
"""Which kind of find gives way where several together have no closed form."""


def sound(
    proposals: Sequence[Proposal], kept: Sequence[Rule], cells: Cells
) -> tuple[tuple[Proposal, ...], tuple[Proposal, ...]]:
    """The finds whose log marginal likelihood is in closed form, and those that had to give way.

    kept: whole rows that the expert ties, which go with the finds
    """
    standing = list(proposals)
    gone: list[Proposal] = []
    while True:
        equal = [each for each in standing if each.kind != "orders"]
        blocks = blocks_of(bind([*kept, *(each.rule for each in equal)], cells))
        odd = _no_trees(blocks)
        inside = {rule - len(kept) for block in odd for rule in _rules(blocks, block)}
        found = [equal[at] for at in sorted(inside) if at >= 0]
        if not found:
            return tuple(standing), tuple(gone)
        kind = next(kind for kind in WEAKEST_FIRST if any(each.kind == kind for each in found))
        weak = [each for each in found if each.kind == kind]
        gone += weak
        standing = [each for each in standing if not any(each is other for other in weak)]


def _no_trees(blocks: Blocks) -> list[int]:
    return [at for at in range(len(blocks)) if recognise(blocks[at]) is None]


def _rules(blocks: Blocks, block: int) -> set[int]:
    linear = np.arange(blocks.rule_at[block], blocks.rule_at[block + 1])
    found = set(blocks.rules.rule[linear].tolist())
    return found | {each.rule for each in blocks.ratios if each.block == block}
