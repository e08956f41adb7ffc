"""Ways to borrow: frozen settings for `fit(..., transfer=...)`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any, TypeAlias

from tacit.core.errors import OptionError
from tacit.estimate.transfer.normal_prior import NormalPrior

CHECKS = ("tolerant", "strict", "none")
STATES = ("same", "aggregate", "relabel")
PARENTS = ("same", "align")
MOST = 1e12
"""How often a pool may count a case."""


@dataclass(frozen=True, slots=True)
class _Transfer:
    """check: whether rules exclude fragments; states: whether those of a source may be mapped;
    parents: whether a source may have more or fewer, or others. [EXT-1, EXT-2, EXT-8]
    names: how many times more a fragment of the same names is believed to be the same table; 1,
    and names carry no weight."""

    check: str = "tolerant"
    states: str = "same"
    parents: str = "same"
    names: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        _one_of("check", self.check, CHECKS)
        _one_of("states", self.states, STATES)
        _one_of("parents", self.parents, PARENTS)
        given: Any = self.names
        number = isinstance(given, int | float) and not isinstance(given, bool)
        if not (number and isfinite(given) and given > 0):
            raise OptionError(f"names={given!r:.60} must be a number above 0")

    def describe(self) -> str:
        """The settings as Python writes them, defaults left out."""
        plain = type(self)()
        said = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in fields(self)
            if getattr(self, each.name) != getattr(plain, each.name)
        ]
        return f"{type(self).__name__}({', '.join(said)})"


@dataclass(frozen=True, slots=True)
class BestFragment(_Transfer):
    """Each table is borrowed from the one fragment that fits best, if it earns it.

    threshold  borrow only where the tables are the same with at least this probability
    fusion     "evidence": as many cases of the source as make the estimate the mean over both, by
               that probability; "normal": truncated normal priors from the source, and the
               posterior mean (MPL-TC)
    guided     the rules take part in the fitness, and not only in excluding fragments
    learned    how related each source is, is learned from all tables together, and not only given
               [EXT-4]
    normal     how the normal priors are made
    printed    as the paper has it: product of binomials, no threshold, strict check
    """

    threshold: float = 0.5
    fusion: str = "evidence"
    guided: bool = False
    learned: bool = True
    normal: NormalPrior = field(default_factory=NormalPrior)
    printed: bool = False

    def __post_init__(self) -> None:
        _Transfer.__post_init__(self)
        _one_of("fusion", self.fusion, ("evidence", "normal"))
        _share("threshold", self.threshold)


@dataclass(frozen=True, slots=True)
class Mixture(_Transfer):
    """Each table is borrowed from all fragments that fit, by the probability of each; what is left
    of it is the target's own. A source that does not fit gets no weight. [EXT-3]

    threshold  borrow only where some fragment fits with at least this probability
    learned    how related each source is, is learned from all tables together [EXT-4]
    """

    threshold: float = 0.0
    guided: bool = False
    learned: bool = True

    def __post_init__(self) -> None:
        _Transfer.__post_init__(self)
        _share("threshold", self.threshold)


@dataclass(frozen=True, slots=True)
class Aggregate(_Transfer):
    """CPTAgg (Luis, Sucar and Morales 2010): the target's table and that of the nearest source,
    weighed by how far the target's cases are to be trusted. It knows no rules.

    variant  "local": LoLP, eq. 12; "distance": DBLP; "linear", "logarithmic": plain pools
    low      confidence in few cases: "printed", which rises as cases vanish, or "linear"
    """

    variant: str = "local"
    low: str = "printed"

    def __post_init__(self) -> None:
        _Transfer.__post_init__(self)
        _one_of("variant", self.variant, ("local", "distance", "linear", "logarithmic"))
        _one_of("low", self.low, ("printed", "linear"))


@dataclass(frozen=True, slots=True)
class Pool(_Transfer):
    """The cases of every fragment of the same name and shape are added to the target's own,
    each counted `strength` times: simple pooling."""

    strength: float = 1.0

    def __post_init__(self) -> None:
        _Transfer.__post_init__(self)
        given: Any = self.strength
        number = isinstance(given, int | float) and not isinstance(given, bool)
        if not (number and isfinite(given) and given >= 0):
            raise OptionError(f"strength={given!r:.60} must be a number, 0 or more")
        if given > MOST:
            raise OptionError(f"strength={given!r:.60} is too much; {MOST:.0e} is the most")


Transfer: TypeAlias = BestFragment | Mixture | Aggregate | Pool


def _one_of(option: str, given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise OptionError(f"{option}={given!r:.60} is none\n\nthere are: {', '.join(known)}")


def _share(option: str, given: Any) -> None:
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not (number and 0 <= given <= 1):
        raise OptionError(f"{option}={given!r:.60} must lie between 0 and 1")
