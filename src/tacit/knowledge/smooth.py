"""Rules on a smooth function of probabilities, given in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tacit.knowledge.expressions import number_text
from tacit.knowledge.terms import Probability

Function: TypeAlias = Callable[..., float]
Gradient: TypeAlias = Callable[..., Sequence[float]]


@dataclass(frozen=True, slots=True)
class Smooth:
    """low <= name(P(..), P(..)) <= high; a bound that is None is not there.

    gradient  its derivative by each probability, if it is known
    """

    name: str
    function: Function = field(hash=False)
    of: tuple[Probability, ...]
    low: float | None
    high: float | None
    gradient: Gradient | None = field(default=None, hash=False)

    @property
    def applied(self) -> str:
        """The function of its probabilities, as it is written."""
        return f"{self.name}({', '.join(map(str, self.of))})"

    @property
    def before(self) -> str:
        """What stands before the name of the function: a bound, where there are two."""
        if self.low is None or self.high is None or self.low == self.high:
            return ""
        return f"{number_text(self.low)} <= "

    def __str__(self) -> str:
        if self.low is not None and self.low == self.high:
            return f"{self.applied} = {number_text(self.low)}"
        if self.high is not None:
            return f"{self.before}{self.applied} <= {number_text(self.high)}"
        return f"{self.applied} >= {number_text(self.low or 0.0)}"
