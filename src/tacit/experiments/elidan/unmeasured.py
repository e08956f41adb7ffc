"""Hidden variables of stocks, patients and messages: how much they gain, what they stand for.

[Elidan 2004, sections 4.2 and 5.4, figures 4.4, 4.7, 4.8, 5.5 and 5.6; HV1 X4.2, X4.5, X4.6, X5.7,
X5.8]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from tacit.core.grid import Grid
from tacit.experiments.elidan.domains import Domain, domain
from tacit.experiments.elidan.finding import (
    FOUND,
    MERGED,
    NAIVE,
    NOTHING,
    OURS,
    QUICK,
    Answer,
    Method,
    Problem,
    answered,
    found,
    naive,
    nothing,
    ours,
)
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.infer.prediction import predict
from tacit.learn.unseen.profile import Profile, profile_of

NAME = "elidan2004-domains"
SOUGHT = (NAIVE, FOUND, MERGED, OURS)
METHODS: Mapping[str, Method] = {
    NOTHING: nothing,
    NAIVE: naive,
    FOUND: found(),
    MERGED: found(states=None),
    OURS: ours(most=3),
}


@dataclass(frozen=True, slots=True)
class Size:
    """Cases to learn from by domain, instead of the source's number where one is named; and how
    many draws of each."""

    cases: Mapping[str, int | None]
    draws: int = 1
    methods: Mapping[str, Method] = field(default_factory=lambda: METHODS)


SIZES = {
    "smoke": Size({"tb": 400}, 1, {**METHODS, OURS: ours(**QUICK)}),
    "default": Size({"stock": None, "tb": None}),
    "full": Size({"stock": None, "tb": None, "news": None}, 5),
}


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One domain: what every method made of it."""

    held: Domain
    answers: Mapping[str, Answer]

    def gain(self, method: str, what: str) -> float:
        """Over nothing hidden, in bits a case."""
        here, there = (getattr(self.answers[each].judged, what) for each in (method, NOTHING))
        return float(here - there) / (log(2) if what == "train" else 1.0)

    def profile(self, method: str) -> Profile | None:
        """Of the hidden variable that tells most of its neighbours; None if there is none."""
        network = self.answers[method].network
        cases = self.held.train
        every = [profile_of(network, n, cases) for n in network.dag.names if n not in cases]
        return max(every, key=lambda each: sum(each.information.values()), default=None)

    def alignment(self, method: str) -> float | None:
        """Which share of ln(states) of the planted variable the one found tells, in I(z; h)/H(z);
        None where nothing was planted, or nothing found."""
        profile = self.profile(method)
        if profile is None or self.held.unseen is None:
            return None
        told = predict(self.answers[method].network, self.held.train)[profile.name].argmax(axis=1)
        planted = np.asarray(self.held.unseen[self.held.hidden[0]])
        return shared(planted, told)


def shared(one: Any, other: Any) -> float:
    """I(one; other) / H(one), of two columns of codes."""
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1 / len(one))
    apart = np.outer(table.sum(axis=1), table.sum(axis=0))
    used, own = table > 0, table.sum(axis=1)
    information = float(np.sum(table[used] * np.log(table[used] / apart[used])))
    return information / -float(np.sum(own[own > 0] * np.log(own[own > 0])))


def run(settings: Settings) -> Outcome:
    """Every method in every domain."""
    size = SIZES[settings.scale]
    asked = [(name, number) for number in range(size.draws) for name in size.cases]

    def one(at: int) -> Draw:
        name, number = asked[at]
        return compared(
            domain(name, settings.data, settings.seed + number, size.cases[name]),
            settings.seed,
            size.methods,
        )

    made = repeated(one, len(asked), settings, "domains")
    tables = (_gains(made, "test"), _gains(made, "train"), _places(made), *_profiles(made))
    told = (tables, claims(made), _remarks(made))
    return Outcome(NAME, settings.seed, len(made), len(asked), *told, _plain(made))


def compared(held: Domain, seed: int, methods: Mapping[str, Method] = METHODS) -> Draw:
    """Every method on the cases of a domain."""
    problem = Problem(held.name, held.train, held.test, seed, held.network, held.hidden)
    return Draw(held, {name: answered(problem, name, how) for name, how in methods.items()})


def _by_name(made: Sequence[Draw]) -> dict[str, list[Draw]]:
    found: dict[str, list[Draw]] = {}
    for each in made:
        found.setdefault(each.held.name, []).append(each)
    return found


def mean(draws: Sequence[Draw], method: str, what: str) -> float:
    """Of the gains of some draws."""
    return float(np.mean([each.gain(method, what) for each in draws]))


def _gains(made: Sequence[Draw], what: str) -> Grid:
    rows = []
    for name, draws in _by_name(made).items():
        cells = [f"{mean(draws, each, what):+.3f}" for each in SOUGHT]
        seconds = [np.mean([d.answers[m].judged.seconds for d in draws]) for m in (FOUND, OURS)]
        spent = [f"{each:.1f}" for each in seconds] if what == "test" else []
        rows.append((name, f"{len(draws[0].held.train):,}", *cells, *spent))
    said = {"test": "log2 P of new cases", "train": "score of the cases learned from"}[what]
    more = (f"{FOUND}, s", f"{OURS}, s") if what == "test" else ()
    heads = ("domain", "cases", *SOUGHT, *more)
    return Grid(f"{said}: bits a case above {NOTHING}", heads, tuple(rows), labels=2)


def _places(made: Sequence[Draw]) -> Grid:
    rows = [line for draw in made for method in SOUGHT for line in _lines(draw, method)]
    heads = ("domain", "method", "parents", "children", "states", "of the planted one")
    return Grid("the hidden variables", heads, tuple(rows), labels=4)


def _lines(draw: Draw, method: str) -> list[tuple[str, ...]]:
    told = draw.alignment(method)
    last = "" if told is None else f"{told:.2f}"
    return [
        (
            draw.held.name,
            method,
            ", ".join(each.parents) or "-",
            _short(each.children),
            str(each.states),
            last,
        )
        for each in draw.answers[method].places
    ]


def _short(names: Sequence[str], most: int = 8) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f", ... ({more} more)" if more > 0 else "")


def _profiles(made: Sequence[Draw]) -> list[Grid]:
    """What the states of the variable that tells most stand for, in the first draws."""
    found = []
    for draw in (draws[0] for draws in _by_name(made).values()):
        for method in (MERGED, OURS):
            profile = draw.profile(method)
            if profile is None:
                continue
            grid = profile.grid()
            title = f"{draw.held.name}, {method}: {grid.title}"
            found.append(Grid(title, grid.heads, grid.rows, grid.labels))
    return found


def states(draw: Draw, method: str) -> int:
    """Of the variable that tells most; 1 if there is none."""
    profile = draw.profile(method)
    return 1 if profile is None else len(profile.states)


def claims(made: Sequence[Draw]) -> tuple[Claim, ...]:
    """What the source says of its figures, and HV1-41."""
    own = _by_name(made)
    more = {n: [d for d in draws if states(d, MERGED) > 2] for n, draws in own.items()}
    told = [
        Claim(
            f"{method} finds a variable that makes new cases more probable: {name}",
            mean(draws, method, "test") > 0,
        )
        for name, draws in own.items()
        for method in (FOUND, OURS)
    ]
    told += [
        Claim(
            f"merged states, where they are not two, help further: {name}",
            mean(draws, MERGED, "test") >= mean(draws, FOUND, "test"),
        )
        for name, draws in more.items()
        if draws
    ]
    if "tb" in own:
        told += _of_patients(own["tb"])
    return tuple(told)


def _of_patients(draws: Sequence[Draw]) -> list[Claim]:
    """Where four populations are planted."""
    found = [states(each, OURS) for each in draws]
    return [
        Claim(
            f"tb: {OURS} has three to five states, as planted, and predicts no worse than two do",
            all(3 <= each <= 5 for each in found)
            and mean(draws, OURS, "test") >= mean(draws, FOUND, "test"),
        ),
        Claim(
            "tb: the naive network is above FindHidden, as in the source",
            mean(draws, NAIVE, "test") > mean(draws, FOUND, "test"),
        ),
    ]


def _remarks(made: Sequence[Draw]) -> tuple[str, ...]:
    kinds = [f"{name}: {draws[0].held.source}." for name, draws in _by_name(made).items()]
    return (
        *kinds,
        "The paper has plots, without figures. FindHidden takes the best of all signatures and "
        f"one variable; {OURS} goes on while further variables gain, three at most.",
        "The last column of the variables: which share of the entropy of the planted variable "
        "the most probable states of the one that tells most hold.",
    )


def _plain(made: Sequence[Draw]) -> dict[str, Any]:
    return {
        "rows": [
            {
                "domain": each.held.name,
                "source": each.held.source,
                "method": method,
                "train": each.gain(method, "train"),
                "test": each.gain(method, "test"),
                "seconds": each.answers[method].judged.seconds,
                "alignment": each.alignment(method),
                "places": [
                    {"children": list(p.children), "parents": list(p.parents), "states": p.states}
                    for p in each.answers[method].places
                ],
            }
            for each in made
            for method in SOUGHT
        ]
    }
