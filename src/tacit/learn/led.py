"""Hidden variables that a source has seen: its tables lead EM to the states that they name.

What EM makes of a hidden variable alone may be anything, and its states come in any order; nothing
of it can be compared with a source. So EM is run once more beforehand, led a little by the source's
tables of the same names; what it expects then can be compared like any other counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from tacit.arrays import Floats
from tacit.estimate.transfer.fragments import Fragment, matches
from tacit.learn.borrowing import Target

SHARE = 0.1
"""Of the target's cases: so many are lent to lead, at most."""


def leading(
    target: Target, fragments: Sequence[Fragment], hidden: Collection[str]
) -> dict[str, Floats]:
    """Per table that a hidden variable stands in, cases of the largest source of the same names."""
    found = {}
    for name, axes in target.families.items():
        names = tuple(axis.name for axis in axes)
        if hidden and not set(names).isdisjoint(hidden):
            counts = _namesake(names, target.counts[name].shape, fragments)
            if counts is not None:
                most = SHARE * float(target.counts[name].sum())
                found[name] = counts * min(1.0, most / float(counts.sum()))
    return found


def _namesake(
    names: tuple[str, ...], shape: tuple[int, ...], fragments: Sequence[Fragment]
) -> Floats | None:
    for fragment in sorted(fragments, key=lambda each: -each.cases):
        if fragment.child != names[-1] or fragment.cases <= 0:
            continue
        for match in matches(fragment, shape):
            if tuple(fragment.parents[at] for at in match.order) == names[:-1]:
                return np.asarray(match.counts)
    return None
