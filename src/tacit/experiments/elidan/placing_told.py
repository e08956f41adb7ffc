"""What came of hiding one variable at a time, told. [HV1 X4.1, X4.2, X4.4]"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from tacit.core.grid import Grid
from tacit.experiments.elidan.finding import (
    FOUND,
    NAIVE,
    NOTHING,
    OURS,
    TRUE,
    Answer,
    Problem,
)
from tacit.experiments.elidan.judged import Paired
from tacit.experiments.outcome import Claim

SOUGHT = (NAIVE, FOUND, OURS)
"""Methods that are not told where the variable is."""


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One variable hidden in one data set: what every method made of it."""

    network: str
    hidden: str
    cases: int
    problem: Problem
    answers: Mapping[str, Answer]

    def gain(self, method: str, what: str) -> float:
        """Over nothing hidden, in bits a case: in "train" by the score, in "test" of new cases."""
        here, there = (getattr(self.answers[each].judged, what) for each in (method, NOTHING))
        return float(here - there) / (log(2) if what == "train" else 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """All data sets."""

    draws: Sequence[Draw]

    @property
    def kinds(self) -> tuple[tuple[str, int], ...]:
        """Networks with numbers of cases."""
        return tuple(dict.fromkeys((each.network, each.cases) for each in self.draws))

    @property
    def methods(self) -> tuple[str, ...]:
        """But for the one that hides nothing, which is the zero."""
        return tuple(each for each in self.draws[0].answers if each != NOTHING)

    def of(self, network: str, cases: int, hidden: str | None = None) -> list[Draw]:
        """Data sets of a kind."""
        return [
            each
            for each in self.draws
            if (each.network, each.cases) == (network, cases) and hidden in (None, each.hidden)
        ]

    def mean(self, kind: tuple[str, int], method: str, what: str) -> Paired:
        """The mean gain over the hidden variables and data sets of a kind."""
        return Paired.of([each.gain(method, what) for each in self.of(*kind)])

    def tables(self) -> tuple[Grid, ...]:
        """Means by kind, and variable by variable."""
        return (self._means("test"), self._means("train"), self._each(), self._seconds())

    def _means(self, what: str) -> Grid:
        rows = []
        for network, cases in self.kinds:
            cells = [str(self.mean((network, cases), each, what)) for each in self.methods]
            rows.append((network, f"{cases:,}", *cells))
        said = {"test": "log2 P of new cases", "train": "score of the cases learned from"}[what]
        title = f"{said}: bits a case above {NOTHING}, mean over hidden variables"
        return Grid(title, ("network", "cases", *self.methods), tuple(rows), labels=2)

    def _each(self) -> Grid:
        rows = []
        for network, cases in self.kinds:
            for hidden in dict.fromkeys(each.hidden for each in self.of(network, cases)):
                draws = self.of(network, cases, hidden)
                cells = [f"{np.mean([d.gain(m, 'test') for d in draws]):+.3f}" for m in
                         (TRUE, *SOUGHT)]  # fmt: skip
                rows.append(
                    (hidden, f"{cases:,}", _true(draws[0]), *cells, *(_met(draws, m) for m in
                     (FOUND, OURS)))
                )  # fmt: skip
        heads = (
            "hidden", "cases", "true children", *(TRUE, *SOUGHT), f"place by {FOUND}",
            f"place by {OURS}",
        )  # fmt: skip
        title = (
            "new cases, bits above nothing hidden, and whether the variable is in its place: "
            "data sets, true children it has, others it has, states"
        )
        return Grid(title, heads, tuple(rows), labels=3)

    def _seconds(self) -> Grid:
        rows = []
        for network, cases in self.kinds:
            draws = self.of(network, cases)
            cells = [
                f"{np.median([d.answers[m].judged.seconds for d in draws]):.2f}"
                for m in (NOTHING, *self.methods)
            ]
            rows.append((network, f"{cases:,}", *cells))
        return Grid("seconds, median", ("network", "cases", NOTHING, *self.methods), tuple(rows), 2)

    def share(self, holds: Callable[[Draw], bool]) -> float:
        """Of the data sets."""
        return float(np.mean([holds(each) for each in self.draws]))

    def claims(self) -> tuple[Claim, ...]:
        """What the source says of its figures, and what ours adds."""
        few = min(each.cases for each in self.draws)
        most = max(each.cases for each in self.draws)
        small, large = (
            [each for each in self.draws if each.cases == cases] for cases in (few, most)
        )
        return (
            Claim(
                "the naive network scores highest in training where cases are few",
                float(np.mean([_top(each, "train") == NAIVE for each in small])) > 0.5,
            ),
            Claim(
                "FindHidden is above nothing hidden on new cases in most data sets",
                self.share(lambda each: each.gain(FOUND, "test") > 0) > 0.5,
            ),
            Claim(
                "FindHidden is above the naive network on new cases in most data sets",
                self.share(lambda each: each.gain(FOUND, "test") > each.gain(NAIVE, "test")) > 0.5,
            ),
            Claim(
                "tc.propose_hidden predicts new cases at least as well as FindHidden, on average",
                _average(self.draws, OURS) >= _average(self.draws, FOUND),
            ),
            Claim(
                "the true structure gains less with more cases",
                len(self.kinds) < 2 or _average(large, TRUE) < _average(small, TRUE),
            ),
        )

    def remarks(self) -> tuple[str, ...]:
        """Why figures differ."""
        placed = {method: self.share(_placed(method)) for method in SOUGHT}
        return (
            "The paper has plots, without figures, and does not say how strong its prior is; "
            "tc.BDeu(5) here. Scores are by Cheeseman and Stutz, as the source has them.",
            "FindHidden: signatures of one dag, a binary variable, structural EM around it, "
            "accepted if it scores higher. tc.propose_hidden learns from four fifths of the "
            "cases, and accepts what gains 3 nats and what the others confirm.",
            "In its place, most of its children and of the true ones being the same, the variable "
            "is in " + ", ".join(f"{placed[m]:.0%} of the data sets by {m}" for m in SOUGHT) + ".",
        )

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"rows": [_plain(each, method) for each in self.draws for method in each.answers]}


def _placed(method: str) -> Callable[[Draw], bool]:
    """Whether a method has the variable in its place."""
    return lambda draw: draw.answers[method].overlap(draw.problem) is not None


def _average(draws: Sequence[Draw], method: str) -> float:
    return float(np.mean([each.gain(method, "test") for each in draws]))


def _top(draw: Draw, what: str) -> str:
    return max(SOUGHT, key=lambda method: draw.gain(method, what))


def _true(draw: Draw) -> str:
    truth, hidden = draw.problem.truth, draw.problem.hidden[0]
    assert truth is not None
    return str(len(truth.dag.children[hidden]))


def _met(draws: Sequence[Draw], method: str) -> str:
    """In how many data sets the variable is in its place, and how it looks there on average."""
    here = [(each.answers[method], each.answers[method].overlap(each.problem)) for each in draws]
    there = [(answer, overlap) for answer, overlap in here if overlap is not None]
    if not there:
        return f"0 of {len(draws)}"
    true = np.mean([overlap[0] for _, overlap in there])
    others = np.mean([overlap[1] for _, overlap in there])
    states = np.mean([answer.places[0].states for answer, _ in there])
    return f"{len(there)} of {len(draws)}: {true:.1f} {others:.1f} {states:.1f}"


def _plain(draw: Draw, method: str) -> dict[str, Any]:
    answer = draw.answers[method]
    met = answer.overlap(draw.problem)
    return {
        "network": draw.network,
        "hidden": draw.hidden,
        "cases": draw.cases,
        "method": method,
        "train": draw.gain(method, "train"),
        "test": draw.gain(method, "test"),
        "seconds": answer.judged.seconds,
        "places": [
            {"children": list(p.children), "parents": list(p.parents), "states": p.states}
            for p in answer.places
        ],
        "true_children": None if met is None else met[0],
        "other_children": None if met is None else met[1],
    }
