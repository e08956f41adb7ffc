"""What structural EM may change around a hidden variable: tables, its neighbourhood, or all.

[Elidan 2004, section 4.2, figure 4.5; HV1 X4.3]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.core.grid import Grid
from tacit.experiments.elidan.finding import NOTHING, Method, Problem, answered, found, nothing
from tacit.experiments.elidan.judged import Paired
from tacit.experiments.elidan.placing import ALARM
from tacit.experiments.elidan.placing_told import Draw
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated

NAME = "elidan2004-variants"
PARAMS, LOCAL, FULL = VARIANTS = ("params", "local", "full")
METHODS: dict[str, Method] = {
    NOTHING: nothing,
    **{each: found(each, always=True) for each in VARIANTS},
}


@dataclass(frozen=True, slots=True)
class Size:
    """How many data sets, of how many cases; and new ones to judge by."""

    draws: int
    cases: tuple[int, ...]
    new: int = 10_000
    few: int | None = None


SIZES = {
    "smoke": Size(1, (300,), 1000, 1),
    "default": Size(1, (500, 1000, 5000)),
    "full": Size(20, (500, 1000, 2000, 5000, 10_000)),
}


def run(settings: Settings) -> Outcome:
    """Every variant on every data set, each variable hidden by itself."""
    size = SIZES[settings.scale]
    asked = [
        (name, cases, settings.seed + number)
        for number in range(size.draws)
        for cases in size.cases
        for name in ALARM[: size.few]
    ]

    def one(at: int) -> Draw:
        name, cases, seed = asked[at]
        problem = Problem.drawn("alarm", name, cases, size.new, seed)
        answers = {each: answered(problem, each, method) for each, method in METHODS.items()}
        return Draw("alarm", name, cases, problem, answers)

    made = repeated(one, len(asked), settings, "data sets")
    told = ((_gains(made, "train"), _gains(made, "test"), _times(made)), claims(made), _remarks())
    return Outcome(NAME, settings.seed, len(made), len(asked), *told, _plain(made))


def _sizes(made: Sequence[Draw]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(each.cases for each in made))


def mean(made: Sequence[Draw], variant: str, what: str, cases: int | None = None) -> Paired:
    """Of the gain over nothing hidden, in bits a case."""
    return Paired.of([each.gain(variant, what) for each in made if cases in (None, each.cases)])


def _gains(made: Sequence[Draw], what: str) -> Grid:
    rows = tuple(
        (f"{cases:,}", *(str(mean(made, each, what, cases)) for each in VARIANTS))
        for cases in _sizes(made)
    )
    said = {"train": "score of the cases learned from", "test": "log2 P of new cases"}[what]
    title = f"the best place, {said}: bits a case above {NOTHING}, mean over hidden variables"
    return Grid(title, ("cases", *VARIANTS), rows)


def seconds(made: Sequence[Draw], variant: str, cases: int) -> float:
    """The mean, the search for the dag without a hidden variable left out."""
    own = [
        each.answers[variant].judged.seconds - each.answers[NOTHING].judged.seconds
        for each in made
        if each.cases == cases
    ]
    return float(np.mean(own))


def _times(made: Sequence[Draw]) -> Grid:
    rows = []
    for cases in _sizes(made):
        spent = [seconds(made, each, cases) for each in VARIANTS]
        ratio = spent[2] / spent[1] if spent[1] > 0 else float("nan")
        rows.append((f"{cases:,}", *(f"{each:.2f}" for each in spent), f"{ratio:.1f}"))
    return Grid(
        "seconds; the paper has full at about ten times local",
        ("cases", *VARIANTS, "full / local"),
        tuple(rows),
    )


def claims(made: Sequence[Draw]) -> tuple[Claim, ...]:
    """What the source says of its figure, and HV1-29."""
    score = {each: mean(made, each, "train").mean for each in VARIANTS}
    test = {each: mean(made, each, "test").mean for each in VARIANTS}
    largest = max(_sizes(made))
    return (
        Claim(
            "params is worse than local in score and on new cases",
            score[PARAMS] < score[LOCAL] and test[PARAMS] < test[LOCAL],
        ),
        Claim(
            "local and full score at least as high as params in every data set",
            all(
                min(d.gain(LOCAL, "train"), d.gain(FULL, "train")) >= d.gain(PARAMS, "train") - 1e-9
                for d in made
            ),
        ),
        Claim(
            "full is above local by less than local is above params, in score and on new cases",
            score[FULL] - score[LOCAL] < score[LOCAL] - score[PARAMS]
            and test[FULL] - test[LOCAL] < test[LOCAL] - test[PARAMS],
        ),
        Claim(
            "local takes a third of the time of full at most where cases are most",
            seconds(made, FULL, largest) > 3 * seconds(made, LOCAL, largest),
        ),
    )


def _remarks() -> tuple[str, ...]:
    return (
        "All start from the same dag, with a binary variable above each of its signatures; here "
        "the best place counts even where it scores less than the dag without it. The paper has "
        "a plot, without figures.",
        "EM starts from merged states and not from random ones, once for each place, so that "
        "what full has to find again is little.",
    )


def _plain(made: Sequence[Draw]) -> dict[str, Any]:
    return {
        "rows": [
            {
                "hidden": each.hidden,
                "cases": each.cases,
                "variant": variant,
                "train": each.gain(variant, "train"),
                "test": each.gain(variant, "test"),
                "seconds": each.answers[variant].judged.seconds,
            }
            for each in made
            for variant in VARIANTS
        ]
    }
