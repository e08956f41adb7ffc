"""How weights are perturbed and cooled, as a frozen value that wraps any step-based learner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import ceil, inf, isfinite, log
from typing import Any

from tacit.core.errors import OptionError, listed
from tacit.core.options import shown

REWEIGHTS = ("adversary", "random")
STARTS = {"adversary": 0.2, "random": 1.0}
"""Where cooling starts unless it is told; calibrated on the training score. [HV1 2.6]"""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class WeightAnnealing:
    """Learn again and again from reweighted cases while the weights cool to their own.

    method           the learner that is wrapped: tc.EM(), tc.HillClimb(), tc.Tabu(), ...; it runs
                     unchanged and never hears of the temperature
    reweight         "adversary": cases that are explained well lose weight, those explained badly
                     gain; "random": weights are drawn afresh in every round
    start, end       the first temperature (None: 0.2 for the adversary, 1 at random), and the one
                     at and below which the weights are the cases' own; a start of at most `end` is
                     the plain method
    cooling          the factor from one temperature to the next
    memory           adversary: gamma / (beta + gamma), the share of the previous weights in the
                     new ones, the rest being the cases' own; 0 forgets
    eta              adversary: how strongly it pushes; it and the temperature are interchangeable
    floor            adversary: the least share of its own weight that a case keeps, so that a later
                     round can bring it back
    least_effective  adversary: the least effective share of the cases; a round that would leave
                     less halves its temperature until it does not
    exact            adversary: solve the penalised objective itself, by fixed point, instead of
                     freezing its gradient at the previous weights
    return_best      the best hypothesis that was seen, judged by the cases' own weights, instead of
                     the last

    [HV1 2.1 to 2.4: algorithm 4, (3.2) to (3.5)]
    """

    method: Any
    reweight: str = "adversary"
    start: float | None = None
    end: float = 0.01
    cooling: float = 0.9
    memory: float = 0.5
    eta: float = 1.0
    floor: float = 1e-12
    least_effective: float = 0.05
    exact: bool = False
    return_best: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.method, str | type):
            raise OptionError(
                "tc.WeightAnnealing wraps a method such as tc.EM() or tc.Tabu(), not "
                f"{shown(self.method)}"
            )
        if self.reweight not in REWEIGHTS:
            raise OptionError(f"reweight={self.reweight!r} must be one of {', '.join(REWEIGHTS)}")
        if self.start is not None:
            check_number("start", self.start, 0, inf, "a temperature, 0 or more")
        check_cooling(self.end, self.cooling)
        check_number("memory", self.memory, 0, 1, "a share from 0 to 1")
        check_number("eta", self.eta, 0, inf, "a number, 0 or more")
        check_number("floor", self.floor, 0, 1, "a share between 0 and 1", strict=True)
        check_number("least_effective", self.least_effective, 0, 1, "a share from 0 to 1")

    @property
    def first(self) -> float:
        """The first temperature."""
        return STARTS[self.reweight] if self.start is None else self.start

    @property
    def rounds(self) -> int:
        """How many temperatures there are: ceil(ln(end / start) / ln cooling). [HV1 2.1]"""
        return rounds_between(self.first, self.end, self.cooling)

    def temperatures(self) -> Iterator[float]:
        """The temperatures, falling, all above `end`."""
        return (self.first * self.cooling**round_ for round_ in range(self.rounds))

    def describe(self) -> str:
        """The method as Python writes it, with what differs from the defaults."""
        said = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in fields(self)[1:]
            if getattr(self, each.name) != each.default
        ]
        return f"WeightAnnealing({', '.join([described(self.method), *said])})"


def check_wrapped(settings: WeightAnnealing, kinds: tuple[type, ...], verb: str) -> None:
    """Nothing, or an error unless the method that is wrapped is one that `verb` can anneal."""
    if not isinstance(settings.method, kinds):
        known = listed([f"tc.{kind.__name__}()" for kind in kinds])
        raise OptionError(
            f"{verb} can anneal {known}, not {described(settings.method)}"
            f"\n\nfor example method=tc.WeightAnnealing(tc.{kinds[-1].__name__}())"
        )


def described(method: Any) -> str:
    """A method as Python writes it."""
    return str(method.describe()) if hasattr(method, "describe") else repr(method)


def rounds_between(start: float, end: float, cooling: float) -> int:
    """How often `start` can be cooled until it is no longer above `end`; 0 where it is not."""
    if start <= end:
        return 0
    return max(1, ceil(log(end / start) / log(cooling) - _ROUNDING))


def check_cooling(end: float, cooling: float) -> None:
    """Nothing, or an error where cooling would never come to an end."""
    check_number("end", end, 0, inf, "a temperature above 0", strict=True)
    check_number("cooling", cooling, 0, 1, "a factor between 0 and 1", strict=True)


def check_number(
    name: str,
    given: object,
    low: float,
    high: float,
    wanted: str,
    *,
    strict: bool = False,
) -> None:
    """Nothing, or an error unless low <= given <= high; low < given < high where `strict`."""
    right = isinstance(given, int | float) and not isinstance(given, bool) and isfinite(given)
    if right and isinstance(given, int | float):
        right = low < given < high if strict else low <= given <= high
    if not right:
        raise OptionError(f"{name}={given!r} must be {wanted}")
