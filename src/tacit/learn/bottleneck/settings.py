"""How a bottleneck path is followed, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf

from tacit.core.errors import OptionError
from tacit.learn.annealing.settings import check_number
from tacit.learn.bottleneck.enrichment import Enrichment

DIRECTIONS = ("simple", "diagonal", "exact", "none")
INFERENCES = ("mean-field", "exact")
PENALTIES = ("information", "entropy")
VALIDATION = "validation"
CARDINALITIES = ("given", "adapt")


@dataclass(frozen=True, slots=True)
class IBEM:
    """Information bottleneck EM: a path from the trivial network to what EM maximises.

    At each gamma hidden states are told from each other only as far as it pays: what is maximised
    is gamma times the fit to the cases minus (1 - gamma) times the information that hidden states
    keep about which case it is. At 0 hidden variables say nothing, at 1 this is EM.

    until      the last gamma; below 1 it regularises. "validation": the one on the way to 1 at
               which cases held out are most likely
    held_out   the share of the cases that choose it
    first      the first gamma; None: 0.9 of that at which hidden variables begin to say something
    direction  along which the shares of states go from one gamma to the next: "simple" and
               "diagonal" take a log-likelihood per case and state, "exact" solves for the tangent
               of the path; "none" leaves them where they are: naive annealing
    step       the wanted gain of information per step, as a share of the most there can be
    shortest, longest  bounds of the steps of gamma
    noise      standard deviation of what is added to the logarithms of shares, at the start and at
               every gamma; there the disturbed path is taken if it is better
    tolerance  at one gamma, stop when two steps in a row gain less than this share of the objective
    max_steps  at one gamma
    restarts   how many paths, from different noise; the best counts
    penalty    "information" as above; "entropy" is deterministic annealing: shares are posteriors
               to the power gamma
    inference  of several hidden variables on the path: "mean-field" gives each shares of its own;
               "exact" takes them together, where they hang together in trees and no cell is
               missing, with even steps of gamma and noise in the parameters
    finish     go on with EM itself at gamma 1, to a maximum of the exact likelihood
    cardinality  "given": hidden variables have the states they were given; "adapt": one more as
               soon as all are in use, and at the end those that say the same become one
    most_states  of a hidden variable, where they are adapted
    structure  whether variables move to other parents on the way, by the BDe score at the expected
               counts. In a hierarchy each has one hidden parent or none, and moves with all below
    enrich     whether hidden variables are added on the way, above children that stay dependent;
               how: `tc.Enrichment(...)`

    With any of these three the network that comes out is another one than was given; the hidden
    variables that explain no dependence are left out of it.

    [HV2 2.1 to 2.11]
    """

    until: float | str = 1.0
    held_out: float = 0.2
    first: float | None = None
    direction: str = "simple"
    step: float = 0.01
    shortest: float = 1e-3
    longest: float = 0.02
    noise: float = 0.1
    tolerance: float = 1e-8
    max_steps: int = 300
    restarts: int = 1
    penalty: str = "information"
    finish: bool = True
    inference: str = "mean-field"
    cardinality: str = "given"
    most_states: int = 30
    structure: bool = False
    enrich: bool | Enrichment = False

    def __post_init__(self) -> None:
        if self.until != VALIDATION:
            wanted = f'a gamma above 0, up to 1, or "{VALIDATION}"'
            check_number("until", self.until, 5e-324, 1, wanted)
        check_number("held_out", self.held_out, 0, 1, "a share between 0 and 1", strict=True)
        if self.first is not None:
            check_number("first", self.first, 0, 1, "a gamma from 0 to 1")
        if self.direction not in DIRECTIONS:
            raise OptionError(
                f"direction={self.direction!r} must be one of {', '.join(DIRECTIONS)}"
            )
        if self.penalty not in PENALTIES:
            raise OptionError(f"penalty={self.penalty!r} must be one of {', '.join(PENALTIES)}")
        if self.inference not in INFERENCES:
            raise OptionError(
                f"inference={self.inference!r} must be one of {', '.join(INFERENCES)}"
            )
        if self.inference == "exact" and self.direction in ("diagonal", "exact"):
            raise OptionError(
                f"direction={self.direction!r} is one of shares that are apart: leave it out with "
                'inference="exact", whose steps are even'
            )
        check_number("step", self.step, 0, 1, "a share between 0 and 1", strict=True)
        check_number("longest", self.longest, 0, inf, "a step above 0", strict=True)
        check_number(
            "shortest",
            self.shortest,
            5e-324,
            self.longest,
            f"above 0, up to longest={self.longest!r}",
        )
        check_number("noise", self.noise, 0, inf, "a standard deviation above 0", strict=True)
        check_number("tolerance", self.tolerance, 0, inf, "a number, 0 or more")
        for name, least in (("max_steps", 1), ("restarts", 1), ("most_states", 2)):
            given = getattr(self, name)
            if not (type(given) is int and given >= least):
                raise OptionError(f"{name}={given!r} must be a whole number, {least} or more")
        self._check_changes()

    def _check_changes(self) -> None:
        if self.cardinality not in CARDINALITIES:
            raise OptionError(
                f"cardinality={self.cardinality!r} must be one of {', '.join(CARDINALITIES)}"
            )
        for name in ("finish", "structure"):
            given = getattr(self, name)
            if given is not True and given is not False:
                raise OptionError(f"{name}={given!r} must be True or False")
        if not isinstance(self.enrich, bool | Enrichment):
            raise OptionError(
                f"enrich={self.enrich!r} must be True, False, or a value such as tc.Enrichment()"
            )
        if self.changes and self.penalty == "entropy":
            raise OptionError(
                "penalty='entropy' leaves hidden variables nothing to say that could be measured"
                "\n\nuse penalty='information' with cardinality=, structure= and enrich="
            )

    @property
    def adapts(self) -> bool:
        """Whether hidden variables get as many states as they can use."""
        return self.cardinality == "adapt"

    @property
    def enrichment(self) -> Enrichment | None:
        """How hidden variables are added; None where none are."""
        if isinstance(self.enrich, Enrichment):
            return self.enrich
        return Enrichment() if self.enrich else None

    @property
    def changes(self) -> bool:
        """Whether the network changes along the path."""
        return self.adapts or self.structure or self.enrich is not False

    @property
    def last(self) -> float:
        """The highest gamma that may be visited."""
        return 1.0 if isinstance(self.until, str) else float(self.until)

    def describe(self) -> str:
        """The method as Python writes it, with what differs from the defaults."""
        said = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in fields(self)
            if getattr(self, each.name) != each.default
        ]
        return f"IBEM({', '.join(said)})"
