"""What a table was borrowed from, as a fit keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.errors import FormatError
from tacit.core.grid import counted


@dataclass(frozen=True, slots=True)
class Loan:
    """One fragment that a table was borrowed from.

    order        the parents of the fragment, in the places of the target's parents
    cases        that the source has behind it
    worth        cases that it counts as
    log_factor   ln of the Bayes factor for one common table
    probability  that the tables are the same, given both
    """

    source: str
    fragment: str
    order: tuple[str, ...]
    cases: float
    worth: float
    log_factor: float
    probability: float
    nominal: bool = False
    mapped: str = ""

    def __str__(self) -> str:
        given = f" | {', '.join(self.order)}" if self.order else ""
        how = f", {self.mapped}" if self.mapped else ""
        factor = np.exp(min(self.log_factor, 690.0))
        return (
            f"{self.source}, fragment {self.fragment}{given}{how}: worth "
            f"{counted(round(self.worth), 'case')} of {round(self.cases):,}, "
            f"Bayes factor {factor:.3g}"
        )


@dataclass(frozen=True, slots=True)
class Borrowed:
    """What became of one table of the target.

    loans    where it came from; none where nothing was borrowed, and `why` says so
    tried    fragments and orders that were compared
    refused  (source, fragment, rule) that rules excluded
    tied     whether another fragment fitted as well
    moved    the largest change of a cell against the estimate without sources
    """

    variable: str
    parents: tuple[str, ...]
    loans: tuple[Loan, ...]
    tried: int
    refused: tuple[tuple[str, str, str], ...] = ()
    tied: bool = False
    why: str = ""
    moved: float = 0.0

    def __str__(self) -> str:
        given = f" | {', '.join(self.parents)}" if self.parents else ""
        head = f"P({self.variable}{given})"
        if not self.loans:
            return f"{head}: nothing was borrowed: {self.why}"
        came = "; ".join(map(str, self.loans))
        return f"{head} came from {came}; it moved the estimate by up to {self.moved:.2g}"


def borrowed_of(plain: Any) -> tuple[Borrowed, ...]:
    """What was borrowed, as it was saved."""
    try:
        return tuple(
            Borrowed(
                **{
                    **each,
                    "parents": tuple(each["parents"]),
                    "loans": tuple(
                        Loan(**{**loan, "order": tuple(loan["order"])}) for loan in each["loans"]
                    ),
                    "refused": tuple((one, two, three) for one, two, three in each["refused"]),
                }
            )
            for each in plain
        )
    except (TypeError, KeyError, ValueError):
        raise FormatError("the saved fit is damaged: its 'borrowed' cannot be read") from None
