"""Evidence that rules hold impossible."""

from __future__ import annotations

from tacit.arrays import Ints
from tacit.core.errors import EstimateError


class ImpossibleEvidenceError(EstimateError):
    """Rules hold cells at 0 that the evidence has seen; `positions` lists them."""

    def __init__(self, positions: Ints) -> None:
        self.positions = positions
        super().__init__(
            "rules hold cells at 0 that the evidence has seen; allow a little, or look at the cases"
        )
