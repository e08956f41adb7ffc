"""The smallest conflict among statements, by implicit hitting sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.arrays import Bools

Grow = Callable[[Bools], Bools | None]
"""A largest consistent set around this one (nothing can be added), or None if it conflicts."""


def smallest_conflict(core: Bools, grow: Grow, tries: int = 200) -> tuple[Bools, bool]:
    """A conflicting set with the fewest members, and whether it is proven that none has fewer.

    core  (statements,) some conflicting set

    Every conflict has a member outside each consistent set, so it hits the complements of all of
    them. A smallest set that hits the complements seen so far is no larger than the smallest
    conflict; if it conflicts it is one, and if not, growing it gives a new complement to hit.
    [Ignatiev, Previti, Liffiton and Marques-Silva 2015]
    """
    outside: list[Bools] = []
    for _ in range(tries):
        seed = _least_hitting(outside, core.size)
        if seed.sum() >= core.sum():
            return core, True
        grown = grow(seed)
        if grown is None:
            return seed, True
        outside.append(~grown)
    return core, False


def _least_hitting(sets: list[Bools], size: int) -> Bools:
    """Fewest members such that each set holds one of them."""
    if not sets:
        return np.zeros(size, dtype=np.bool_)
    from scipy.optimize import Bounds, LinearConstraint, milp

    result = milp(
        np.ones(size),
        integrality=np.ones(size, dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(np.array(sets, dtype=np.float64), lb=1),
    )
    return np.asarray(np.asarray(result.x) > 0.5)


def without_spare(core: Bools, conflicts: Callable[[Bools], bool]) -> Bools:
    """A conflicting set of which each member is needed: try to leave out one after the other."""
    for member in np.flatnonzero(core):
        fewer = core.copy()
        fewer[member] = False
        if conflicts(fewer):
            core = fewer
    return core
