"""When hidden variables are added along a path, as a frozen value."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.core.errors import OptionError
from tacit.learn.annealing.settings import check_number

RANKINGS = ("bound", "entropy")
SIZE = 3
"""How many children a group has; what belongs to them joins by the search that follows."""


@dataclass(frozen=True, slots=True)
class Enrichment:
    """When hidden variables are added on the way, and how.

    For the same Q(T|Y) of the parent, a new variable between T and its children C lowers the
    Lagrangian by no more than γ TC(C|T) + γ H(T') - I(T'; Y), TC(C|T) = Σ H(X_i|T) - H(C|T) being
    what the children still say about each other: the ranking "bound" is by TC. That of the source,
    "entropy", is by H(C|T), which is as high where the children are noise.

    ranking     "bound" or "entropy"
    least       nats of TC(C|T) from which on a group counts, 0.02 unless given; for "entropy" the
                share of Σ log |X_i| that H(C|T) must reach, 0.95 unless given
    informed    the share of log |T| that T must say about cases before its children are looked at,
                and before any arc to or from it is moved
    candidates  how many children are looked at, those with the largest entropy H(X|T)
    states      of a new variable; None: as many as its parent has, or 2 where states are adapted
    most        how many variables are added

    [HV2 2.11; Prop 6.10.1 and its erratum]
    """

    ranking: str = "bound"
    least: float | None = None
    informed: float = 0.2
    candidates: int = 20
    states: int | None = None
    most: int = 20

    def __post_init__(self) -> None:
        if self.ranking not in RANKINGS:
            raise OptionError(f"ranking={self.ranking!r} must be one of {', '.join(RANKINGS)}")
        if self.least is not None:
            check_number("least", self.least, 0, float("inf"), "a number, 0 or more")
        check_number("informed", self.informed, 0, 1, "a share from 0 to 1")
        for name, lowest in (("candidates", SIZE), ("states", 2), ("most", 1)):
            given = getattr(self, name)
            if name == "states" and given is None:
                continue
            if not (type(given) is int and given >= lowest):
                raise OptionError(f"{name}={given!r} must be a whole number, {lowest} or more")

    @property
    def threshold(self) -> float:
        """What a group must reach."""
        if self.least is not None:
            return self.least
        return 0.02 if self.ranking == "bound" else 0.95
