"""How to look for a dag: settings of the searches that go from dag to dag by single changes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from tacit.core.errors import OptionError

ASCENTS = ("best", "first")
PERTURBATIONS = ("order", "moves", "bootstrap")
SIMILARITIES = ("ideal", "current", "exact")
INSERTIONS = ("cluster", "all")
PLENTY = 20_000_000
"""Changes made times variables, from which on a search that was not told how often to restart does
not: about as many families were scored by then. Below some hundred variables nobody gets there;
far above, every restart gains a little, and fifty in a row that gain nothing never come."""


@dataclass(frozen=True, slots=True)
class HillClimb:
    """Take the best single change while there is one that gains; then shake the dag and go on.

    restarts    end after this many restarts in a row that found nothing better; 0 never restarts.
                None: 50, and no restart begins once changes made times variables reach 20 million,
                which a note of the result says
    perturb     how a restart leaves the best dag: "order" moves some variables to other places of
                a topological order and turns the arcs that then point backwards; "moves" makes
                random legal changes; "bootstrap" climbs on resampled cases first
    shaken      how many variables are moved, or how many changes are made
    ascent      "best" takes the best change, "first" any that gains, in random order
    replace     whether taking another parent instead of one is a single change too
    candidates  choose parents among so many promising ones only, chosen again after every climb
                (Friedman, Nachman, Pe'er 1999); None: among all
    most_parents  of any variable; None: as many as the knowledge allows
    max_steps   changes at most
    max_evaluations  families scored from which on no further change is made; a family that was
                scored before costs nothing
    [HV1 1.6, Algorithms 1 and 2]
    """

    restarts: int | None = None
    perturb: str = "order"
    shaken: int = 4
    ascent: str = "best"
    replace: bool = False
    candidates: int | None = None
    most_parents: int | None = None
    max_steps: int | None = None
    max_evaluations: int | None = None

    def __post_init__(self) -> None:
        _check(self)

    def describe(self) -> str:
        """The method as Python writes it."""
        return described(self, HillClimb())

    @property
    def vain(self) -> int:
        """Restarts in a row that find nothing better, after which it ends."""
        return 50 if self.restarts is None else self.restarts


@dataclass(frozen=True, slots=True)
class Tabu:
    """Always take the best change that leads to no dag visited lately, even downhill.

    length      how many dags are remembered
    patience    steps without a better dag after which a climb ends; None: length // 2 + 1
    restarts    as for `HillClimb`; None: 5, and none once changes times variables reach 20 million
    The other settings are those of `HillClimb`. [HV1 1.6, Algorithm 2 as corrected by erratum E14]
    """

    length: int = 200
    patience: int | None = None
    restarts: int | None = None
    perturb: str = "moves"
    shaken: int = 10
    replace: bool = False
    candidates: int | None = None
    most_parents: int | None = None
    max_steps: int | None = None
    max_evaluations: int | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def ascent(self) -> str:
        """Tabu search takes the best change."""
        return "best"

    def describe(self) -> str:
        """The method as Python writes it."""
        return described(self, Tabu())

    @property
    def vain(self) -> int:
        """Restarts in a row that find nothing better, after which it ends."""
        return 5 if self.restarts is None else self.restarts


@dataclass(frozen=True, slots=True)
class IdealParent:
    """Hill climbing that ranks candidates by their likeness to the ideal parent, and fits only the
    K best of each place among parents. Ideal parents are of real values: where columns have states,
    these, and as candidates all of them, are scored as in hill climbing. [HV2 3.4; Elidan, Nachman
    and Friedman 2007]

    k           candidates that are scored for every further parent and every replacement
    similarity  what the ideal parent is taken to be: "ideal", the values that would make every
                case fit, as the source has it; "current", linearised where a curve runs now;
                "exact", the same less what the family's own parameters could do, which for
                straight lines is the gain itself
    pooled      choose candidates over all families together: changes are scored in the order of
                what they are foreseen to gain, until the best is a scored one, and the k best of
                every family once nothing gains any more; False: k of each place after every step,
                as the source has it
    replace     whether taking another parent instead of one is a single change too
    hidden      look for hidden parents of the columns instead of arcs between them: two layers
    insert      where a new hidden variable is put: "cluster", above the columns that miss the same;
                "all", above all of them
    most_hidden  hidden variables at most
    The other settings are those of `HillClimb`; there are no restarts unless asked for.
    """

    k: int = 2
    similarity: str = "exact"
    pooled: bool = True
    replace: bool = True
    restarts: int = 0
    perturb: str = "order"
    shaken: int = 4
    most_parents: int | None = None
    max_steps: int | None = None
    max_evaluations: int | None = None
    hidden: bool = False
    insert: str = "cluster"
    most_hidden: int = 20

    def __post_init__(self) -> None:
        _check(self)
        if self.similarity not in SIMILARITIES:
            said = f"similarity={self.similarity!r} must be one of {', '.join(SIMILARITIES)}"
            raise OptionError(said)
        if self.insert not in INSERTIONS:
            raise OptionError(f"insert={self.insert!r} must be one of {', '.join(INSERTIONS)}")
        for name in ("hidden", "pooled"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(f"{name}={getattr(self, name)!r} must be True or False")

    @property
    def ascent(self) -> str:
        """The best change is taken."""
        return "best"

    @property
    def vain(self) -> int:
        """Restarts in a row that find nothing better, after which it ends."""
        return self.restarts

    @property
    def candidates(self) -> int | None:
        """Parents are chosen among all."""
        return None

    def describe(self) -> str:
        """The method as Python writes it."""
        return described(self, IdealParent())


def described(given: Any, usual: Any) -> str:
    """A setting as Python writes it: only what differs from the usual."""
    changed = (
        f"{field.name}={getattr(given, field.name)!r}"
        for field in fields(given)
        if getattr(given, field.name) != getattr(usual, field.name)
    )
    return f"{type(given).__name__}({', '.join(changed)})"


_LEAST = {
    "restarts": 0,
    "shaken": 1,
    "length": 1,
    "patience": 1,
    "candidates": 1,
    "most_parents": 0,
    "max_steps": 0,
    "max_evaluations": 0,
    "k": 1,
    "most_hidden": 0,
}


def _check(given: Any) -> None:
    for field in fields(given):
        value = getattr(given, field.name)
        least = _LEAST.get(field.name)
        optional = value is None and "None" in str(field.type)
        if least is not None and not optional and not _whole(value, least):
            raise OptionError(f"{field.name}={value!r} must be a whole number, {least} or more")
    if given.ascent not in ASCENTS:
        raise OptionError(f"ascent={given.ascent!r} must be one of {', '.join(ASCENTS)}")
    if given.perturb not in PERTURBATIONS:
        raise OptionError(f"perturb={given.perturb!r} must be one of {', '.join(PERTURBATIONS)}")


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
