"""The desk on which clique trees are worked out: one table of numbers, a row for each purpose."""

from __future__ import annotations

from typing import NamedTuple

from tacit.arrays import Ints

PLACE, SEEN = 0, 1
"""By variable: its place among the members, -1 outside. By family: the last trial it was in."""
MEMBER, CARD, JOINED, STEP, NUMBER, STRIDE, HOME = 2, 3, 4, 5, 6, 7, 8
"""By place: the variable, its states, whether it must stand with others, the step at which it is
eliminated, its number among those not yet eliminated, its stride, the clique that shows it."""
ORDER, HELD_AT, UP, STANDS, END, CLIQUE = 9, 10, 11, 12, 13, 14
"""By step: who goes; where its clique starts in `held`; the step at which the next of it goes; the
step that absorbed it; the last step it absorbed; the clique it is part of."""
ABOVE_OF, OWN, DIMS_AT, FACTORS = 15, 16, 17, 18
"""By clique: the one above; how many of its variables it does not pass on; where they start in
`dims`; how many factors it has got."""
FAMILY, FAMILY_HOME = 19, 20
"""By number: the families around, and the clique that takes each."""
LINKS, QUEUE, MARK, BELOW, BESIDE = 21, 22, 23, 24, 25
"""By place, for a while: how many neighbours are left, who waits, who was seen; the first clique
that hangs below, and the next beside it."""
ROWS = 26


class Desk(NamedTuple):
    """Room to work out one clique tree after the other.

    rows  (ROWS, variables + 2)  as named above
    held  the variables of the clique of each step, by place, the one that goes first
    dims  the variables of each clique, by place, those it passes on last
    """

    rows: Ints
    held: Ints
    dims: Ints
