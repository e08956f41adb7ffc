"""The one question that a search asks of cases: what is this child worth with these parents?"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from tacit.arrays import Floats, Ints


class Scorer(Protocol):
    """Scores of families of numbered variables on some cases.

    Parents come in rising order. Which families may exist at all is not asked here, except that a
    family which no distribution joins (a discrete child of a continuous parent) scores -inf.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, by number."""

    def family(self, child: int, parents: tuple[int, ...]) -> float:
        """The score of the child with these parents."""

    def adding(self, child: int, parents: tuple[int, ...], candidates: Ints) -> Floats:
        """The score of the child with these parents and each of the candidates as one more.

        No candidate is the child or among the parents.
        """

    def weighted(self, weights: Floats) -> Scorer:
        """The same question asked of the same cases, counting as often as `weights` says."""


@runtime_checkable
class Removing(Protocol):
    """A `Scorer` that scores a family without each of its parents faster than one by one."""

    def without(self, child: int, parents: tuple[int, ...], places: Ints) -> Floats:
        """The score of the child with these parents less one, each of those at `places`, which
        rise."""
