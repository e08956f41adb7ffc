"""Which dags the experts allow: arcs that must be, arcs that may be, how many parents at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Ints

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What a search may do with every pair of variables; arcs stand as [tail, head].

    required  (n, n)  arcs that every dag has
    allowed   (n, n)  arcs that a dag may have, the required ones among them, none to itself
    most      (n,)    how many parents each variable may have
    """

    names: tuple[str, ...]
    required: Bools
    allowed: Bools
    most: Ints

    @staticmethod
    def none(names: Sequence[str]) -> Limits:
        """Everything is allowed."""
        n = len(names)
        free = ~np.eye(n, dtype=np.bool_)
        return Limits(tuple(names), np.zeros((n, n), np.bool_), free, np.full(n, max(0, n - 1)))
