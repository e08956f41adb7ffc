"""What every change of a family by one parent would gain, told without fitting the families."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tacit.arrays import Bools, Floats

SIMILARITIES = ("ideal", "current", "exact")
"""What the ideal parent is taken to be: as the source has it; linearised where the curve now runs;
the same, less what the family's own parameters could do alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Foresight:
    """Gains in log-likelihood, as geometry tells them; -inf of variables that it does not tell of.

    adding     (n,)          of each variable as one more parent
    replacing  (parents, n)  of each variable in the place of each parent
    removing   (parents,)    of doing without each parent; never above 0
    exact      whether these are the gains themselves
    """

    adding: Floats
    replacing: Floats
    removing: Floats
    exact: bool = False


class Ranker(Protocol):
    """The geometry of the families of some cases."""

    def tells(self, child: int) -> Bools:
        """(n,) of which variables, as parents of the child, geometry tells: others are scored."""

    def foreseen(self, child: int, parents: tuple[int, ...]) -> Foresight:
        """All changes of a family by one parent."""

    def price(self, child: int, parents: tuple[int, ...], more: int = 0) -> float:
        """What the score takes off for a family of these parents and so many more, or fewer, of
        those that geometry tells of."""
