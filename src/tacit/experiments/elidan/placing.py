"""A variable of alarm or insurance hidden, and sought: by the source's FindHidden, by ours.

[Elidan 2004, section 4.2, figures 4.3, 4.4 and 4.6; HV1 X4.1, X4.2, X4.4]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tacit.experiments.elidan.finding import OURS, QUICK, SIMPLE, Method, Problem, answered, ours
from tacit.experiments.elidan.placing_told import Draw, Told
from tacit.experiments.outcome import Outcome, Settings, repeated

NAME = "elidan2004-findhidden"
ALARM = ("HR", "INTUBATION", "LVFAILURE", "VENTLUNG")
INSURANCE = ("Accident", "Age", "MakeModel", "VehicleYear")
"""The source's four of each; of alarm it says "four central" variables. [HV1 section 6]"""


@dataclass(frozen=True, slots=True)
class Size:
    """How many data sets, of how many cases; and new ones to judge by."""

    draws: int
    alarm: tuple[int, ...]
    insurance: tuple[int, ...]
    new: int
    few: int | None = None
    methods: Mapping[str, Method] = field(default_factory=lambda: SIMPLE)


SIZES = {
    "smoke": Size(1, (300,), (), 1000, 1, {**SIMPLE, OURS: ours(**QUICK)}),
    "default": Size(1, (500, 1000), (1000,), 10_000),
    "full": Size(10, (500, 1000, 5000), (1000,), 10_000),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """One variable hidden in one data set."""

    network: str
    hidden: str
    cases: int
    seed: int


def run(settings: Settings) -> Outcome:
    """Every method on every data set, each variable hidden by itself."""
    size = SIZES[settings.scale]
    asked = pieces(size, settings.seed)

    def one(at: int) -> Draw:
        return compared(asked[at], size)

    told = Told(repeated(one, len(asked), settings, "data sets"))
    parts = (told.tables(), told.claims(), told.remarks())
    return Outcome(NAME, settings.seed, len(told.draws), len(asked), *parts, told.plain())


def pieces(size: Size, seed: int) -> list[Piece]:
    """All that there is to do, one data set of everything before the next."""
    kinds = [("alarm", name, cases) for cases in size.alarm for name in ALARM[: size.few]]
    kinds += [
        ("insurance", name, cases) for cases in size.insurance for name in INSURANCE[: size.few]
    ]
    return [Piece(*kind, seed + number) for number in range(size.draws) for kind in kinds]


def compared(piece: Piece, size: Size) -> Draw:
    """Every method on one data set."""
    problem = Problem.drawn(piece.network, piece.hidden, piece.cases, size.new, piece.seed)
    answers = {name: answered(problem, name, how) for name, how in size.methods.items()}
    return Draw(piece.network, piece.hidden, piece.cases, problem, answers)
