"""How to treat cases whose cells are not all there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AvailableCases:
    """Count each family on the cases complete in it; others stay out of that family only.

    Consistent when cells are missing completely at random, biased when their being missing depends
    on values; nothing is hidden: the fit says how many cells were missing.
    """

    def describe(self) -> str:
        """The method as Python writes it."""
        return "AvailableCases()"
