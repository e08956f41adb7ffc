"""How much memory exact inference takes, told before it is taken."""

from __future__ import annotations

from math import prod

import numpy as np

from tacit.arrays import Codes
from tacit.core.errors import SizeError, listed
from tacit.infer.cliques import CliqueTree
from tacit.infer.flat import Layout
from tacit.infer.junction import Junction

MEMORY_LIMIT = 8 * 2**30
"""Bytes that the potentials of one question, or of one case, may take."""

ASK = "add findings, or ask for an approximation: method=tc.LikelihoodWeighting(100_000)"
OBSERVE = "observe more of these variables, or give them fewer parents in common"


def check_size(plan: Junction, codes: Codes, limit: int = MEMORY_LIMIT) -> None:
    """Nothing, or an error that names the width and the largest clique, before memory is taken.

    codes  (variables,)  the state found, -1 where open
    """
    _check(plan.layout, plan.cliques, codes, limit, ASK)


def check_piece(layout: Layout, tree: CliqueTree, limit: int = MEMORY_LIMIT) -> None:
    """The same for a missing piece of a case: all of it is open."""
    _check(layout, tree, np.full(len(layout.names), -1), limit, OBSERVE)


def check_cases(plan: Junction, codes: Codes, limit: int = MEMORY_LIMIT) -> None:
    """The same for many cases, (cases, variables), each with its own cut of the tree."""
    cards = np.array(plan.layout.cards)
    if 8 * sum(prod(cards[list(c)].tolist()) for c in plan.cliques.cliques) <= limit:
        return
    cells = np.zeros(len(codes))
    for clique in plan.cliques.cliques:
        chosen = list(clique)
        cells += np.where(codes[:, chosen] < 0, cards[chosen], 1).prod(axis=1, dtype=np.float64)
    _check(plan.layout, plan.cliques, codes[int(np.argmax(cells))], limit, OBSERVE)


def too_large(layout: Layout, tree: CliqueTree, limit: int, advice: str) -> SizeError:
    """The error about a tree whose variables are all open and which does not fit."""
    sizes = [prod(layout.cards[v] for v in clique) for clique in tree.cliques]
    widest = sorted(tree.cliques[sizes.index(max(sizes))])
    names = listed((layout.names[v] for v in widest), 8)
    return SizeError(
        f"exact inference needs {8 * sum(sizes) / 2**30:,.1f} GiB, more than "
        f"{limit / 2**30:,.1f} GiB: width {len(widest) - 1}, "
        f"largest clique {max(sizes):,} cells ({names})\n\n{advice}"
    )


def _check(layout: Layout, tree: CliqueTree, codes: Codes, limit: int, advice: str) -> None:
    left = [tuple(v for v in clique if codes[v] < 0) for clique in tree.cliques]
    if 8 * sum(prod(layout.cards[v] for v in clique) for clique in left) > limit:
        raise too_large(layout, CliqueTree(tuple(left), tree.parents), limit, advice)
