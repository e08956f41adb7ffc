"""How to treat cases whose cells are not all there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tacit.core.errors import OptionError
from tacit.engines.expected import STRATEGIES
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.bottleneck.settings import IBEM

STARTS = ("data", "random")


@dataclass(frozen=True, slots=True)
class EM:
    """Expectation maximisation: the likelihood of what was observed never falls. [Alg 3.3.3]

    restarts    how many starts, the best counts; None: one, or five with hidden variables and no
                start given
    tolerance   stop when two steps in a row gain less than this share of the objective
    max_steps   of each run
    init        "data": the first start is what the available cases say; "random": none is
    accelerate  extrapolate between steps (SQUAREM), keeping only what does not lower the objective
    strategy    how the E-step is computed, "contexts" or "trees"; "auto" picks by cost
    """

    restarts: int | None = None
    tolerance: float = 1e-8
    max_steps: int = 1000
    init: str = "data"
    accelerate: bool = True
    strategy: str = "auto"

    def __post_init__(self) -> None:
        if self.restarts is not None and not _whole(self.restarts):
            raise OptionError(f"restarts={self.restarts!r} must be a whole number, 1 or more")
        _check_limits(self)
        if self.init not in STARTS:
            raise OptionError(f"init={self.init!r} must be one of {', '.join(STARTS)}")
        if self.strategy not in STRATEGIES:
            raise OptionError(f"strategy={self.strategy!r} must be one of {', '.join(STRATEGIES)}")

    def runs(self, several: bool) -> int:
        """How many starts there are; `several` if it matters where to start."""
        if self.restarts is not None:
            return self.restarts
        return 5 if several else 1

    def describe(self) -> str:
        """The method as Python writes it."""
        return _described(self, EM())


@dataclass(frozen=True, slots=True)
class MeanFieldEM:
    """EM whose E-step takes hidden variables, and cells that are missing, for independent.

    What it maximises is a lower bound of EM's objective; steps cost the less the more hidden
    variables depend on each other. With one hidden variable and no gaps it is EM. [HV2 2.8]

    restarts, tolerance, max_steps  as of EM, which begins at the same places
    finish  go on with EM itself, to a maximum of the exact likelihood
    """

    restarts: int | None = None
    tolerance: float = 1e-8
    max_steps: int = 1000
    finish: bool = False

    def __post_init__(self) -> None:
        if self.restarts is not None and not _whole(self.restarts):
            raise OptionError(f"restarts={self.restarts!r} must be a whole number, 1 or more")
        _check_limits(self)
        if self.finish is not True and self.finish is not False:
            raise OptionError(f"finish={self.finish!r} must be True or False")

    def runs(self, several: bool) -> int:
        """How many starts there are; `several` if it matters where to start."""
        return EM(self.restarts).runs(several)

    def describe(self) -> str:
        """The method as Python writes it."""
        return _described(self, MeanFieldEM())


@dataclass(frozen=True, slots=True)
class Gradient:
    """Direct maximisation of the likelihood of what was observed, by a quasi-Newton method.

    The same optimum as EM from the same basin; a second opinion. [Sec. 3.3, direct]
    """

    tolerance: float = 1e-10
    max_steps: int = 1000

    def __post_init__(self) -> None:
        _check_limits(self)

    def describe(self) -> str:
        """The method as Python writes it."""
        return _described(self, Gradient())


@dataclass(frozen=True, slots=True)
class FillIn:
    """Missing cells replaced by expectations, without looking at what depends on them.

    given      "parents": root to leaf, each cell by its distribution given its filled parents,
               again and again until nothing changes; "nothing": once, by the observed shares
    max_steps  of the repetition

    Quick and approximate: neither reaches a maximum of the likelihood in general. [Alg 3.3.2]
    """

    given: str = "parents"
    tolerance: float = 1e-8
    max_steps: int = 200

    def __post_init__(self) -> None:
        if self.given not in ("parents", "nothing"):
            raise OptionError(f'given={self.given!r} must be "parents" or "nothing"')
        _check_limits(self)

    def describe(self) -> str:
        """The method as Python writes it."""
        return _described(self, FillIn())


@dataclass(frozen=True, slots=True)
class AvailableCases:
    """Count each family on the cases complete in it; others stay out of that family only.

    Consistent when cells are missing completely at random, biased when their being missing depends
    on values; nothing is hidden: the fit says how many cells were missing.
    """

    def describe(self) -> str:
        """The method as Python writes it."""
        return "AvailableCases()"


Method: TypeAlias = EM | MeanFieldEM | Gradient | FillIn | AvailableCases | WeightAnnealing | IBEM


def starts(method: Method | None, several: bool) -> int:
    """How many starts a method makes; `several` if it matters to EM where to start.

    Annealing leaves a start behind, so it makes one unless more are asked for.
    """
    if isinstance(method, WeightAnnealing):
        return int(method.method.restarts or 1)
    if isinstance(method, IBEM):
        return method.restarts
    return method.runs(several) if isinstance(method, EM | MeanFieldEM) else 1


Described: TypeAlias = EM | MeanFieldEM | Gradient | FillIn


def _check_limits(method: Described) -> None:
    tolerance: object = method.tolerance
    if not (isinstance(tolerance, int | float) and tolerance >= 0):
        raise OptionError(f"tolerance={tolerance!r} must be a number, 0 or more")
    if not _whole(method.max_steps):
        raise OptionError(f"max_steps={method.max_steps!r} must be a whole number, 1 or more")


def _whole(number: object) -> bool:
    return type(number) is int and number >= 1


def _described(method: Described, default: Described) -> str:
    """Only what differs from the defaults."""
    said = [
        f"{name}={getattr(method, name)!r}"
        for name in method.__slots__
        if getattr(method, name) != getattr(default, name)
    ]
    return f"{type(method).__name__}({', '.join(said)})"
