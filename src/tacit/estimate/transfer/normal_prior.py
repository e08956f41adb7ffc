"""How normal priors are made from the cases of a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.core.errors import OptionError


@dataclass(frozen=True, slots=True)
class NormalPrior:
    """Mean and spread of every cell of a source, as a truncated normal prior of the target.

    bootstrap  "analytic", the limit of infinitely many resamples, or how many are drawn
    fit        "moment": the mean and spread of the resamples; "likelihood": those of the truncated
               normal that makes them most likely
    floor      of the spread: "posterior", that of the source's own posterior, or a number
    coherent   the factors of a row count together as one prior; otherwise one for every state,
               as printed
    """

    bootstrap: str | int = "analytic"
    fit: str = "moment"
    floor: str | float = "posterior"
    coherent: bool = True

    def __post_init__(self) -> None:
        many: Any = self.bootstrap
        number = isinstance(many, int) and not isinstance(many, bool) and many >= 2
        if many != "analytic" and not number:
            raise OptionError(f'bootstrap={many!r:.60} is "analytic" or a number of resamples')
        if self.fit not in ("moment", "likelihood"):
            raise OptionError(f"fit={self.fit!r:.60} is none\n\nthere are: moment, likelihood")
        low: Any = self.floor
        if low != "posterior" and not (isinstance(low, int | float) and low > 0):
            raise OptionError(f'floor={low!r:.60} is "posterior" or a spread above 0')
