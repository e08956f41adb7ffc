"""Rates at which hidden variables are found, told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np

from tacit.core.grid import Grid
from tacit.experiments.elidan.finding import Place
from tacit.experiments.outcome import Claim
from tacit.learn.unseen.places import alike

PLANTED, NONE = "planted", "none"
SHOWS = 3.0
"""Nats that the true dag must gain for the cases to ask for it: what a proposal needs."""
ENOUGH = 1000
"""Cases from which on claims are made."""


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One search in the cases of one network.

    kind       "planted", "none", or the name of a textbook network with nothing hidden
    planted    where the hidden variable stood; None: there was none
    places     of the variables that were accepted
    gains, held  of each, in nats, and of cases held out in nats a case
    ideal      what the true dag gains over none hidden, in nats, and with how many states
    new        log2 P of new cases above the best network without a hidden variable, in bits a case
    possible   the same of the truth itself
    """

    kind: str
    cases: int
    planted: Place | None
    places: tuple[Place, ...]
    gains: tuple[float, ...]
    held: tuple[float, ...]
    ideal: tuple[float, int] | None
    new: float
    possible: float

    @property
    def match(self) -> Place | None:
        """The variable in the place of the planted one: most children of both are the same."""
        if self.planted is None:
            return None
        true = frozenset(self.planted.children)
        return next((e for e in self.places if alike(frozenset(e.children), true)), None)

    @property
    def shows(self) -> bool:
        """Whether the true dag gains what a proposal needs."""
        return self.ideal is not None and self.ideal[0] >= SHOWS


def share(draws: Sequence[bool]) -> str:
    """The share of those that hold, in percent, and where it lies with 95 % confidence.

    [Clopper and Pearson 1934: bounds at which as many, or as few, would be met once in forty]
    """
    from scipy.special import betaincinv

    if not draws:
        return "-"
    many, hold = len(draws), sum(draws)
    low = 0.0 if hold == 0 else betaincinv(hold, many - hold + 1, 0.025)
    high = 1.0 if hold == many else betaincinv(hold + 1, many - hold, 0.975)
    return f"{100 * hold / many:.0f} ({100 * low:.0f} to {100 * high:.0f})"


def rate(draws: Sequence[bool]) -> float:
    """The share of those that hold."""
    return float(np.mean(draws)) if draws else nan


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """All searches."""

    draws: Sequence[Draw]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of cases."""
        return tuple(sorted({each.cases for each in self.draws}))

    def planted(self, cases: int | None = None) -> list[Draw]:
        """Searches where there is something to find."""
        return [e for e in self.draws if e.planted is not None and cases in (None, e.cases)]

    def none(self, cases: int | None = None, kind: str | None = None) -> list[Draw]:
        """Searches where there is nothing to find."""
        return [
            e
            for e in self.draws
            if e.planted is None and cases in (None, e.cases) and kind in (None, e.kind)
        ]

    def tables(self) -> tuple[Grid, ...]:
        """What was found where something was planted, and where nothing was."""
        return (self._found(), self._states(), self._alarms())

    def _found(self) -> Grid:
        rows = []
        for cases in self.sizes:
            own = self.planted(cases)
            told = [each for each in own if each.shows]
            rows.append(
                (
                    f"{cases:,}",
                    str(len(own)),
                    share([each.shows for each in own]),
                    share([bool(each.places) for each in own]),
                    share([each.match is not None for each in own]),
                    share([each.match is not None for each in told]),
                    share([len(each.places) > 1 for each in own]),
                    _mean([each.new for each in own]),
                    _mean([each.possible for each in own]),
                )
            )
        heads = (
            "cases", "networks", "the truth shows, %", "accepted, %", "in its place, %",
            "of those that show, %", "a second one, %", "new cases, bits", "the truth, bits",
        )  # fmt: skip
        return Grid("one variable planted", heads, tuple(rows))

    def _states(self) -> Grid:
        rows = []
        for cases in self.sizes:
            found = [each for each in self.planted(cases) if each.match is not None]
            apart = [_apart(each) for each in found]
            rows.append(
                (
                    f"{cases:,}",
                    str(len(found)),
                    share([each == 0 for each in apart]),
                    share([each < 0 for each in apart]),
                    share([each > 0 for each in apart]),
                    share([_states(each) == each.ideal[1] for each in found if each.ideal]),
                )
            )
        heads = (
            "cases", "found", "as planted, %", "fewer, %", "more, %",
            "as the true dag has at its best, %",
        )  # fmt: skip
        return Grid("states of those in their place", heads, tuple(rows))

    def _alarms(self) -> Grid:
        rows = []
        for kind in dict.fromkeys(each.kind for each in self.none()):
            for cases in self.sizes:
                own = self.none(cases, kind)
                false = [each for each in own if each.places]
                worst = max((max(each.gains) for each in false), default=None)
                rows.append(
                    (
                        kind,
                        f"{cases:,}",
                        str(len(own)),
                        str(len(false)),
                        share([bool(each.places) for each in own]),
                        "" if worst is None else f"{worst:+.1f}",
                        _mean([each.new for each in false]) if false else "",
                    )
                )
        heads = (
            "network", "cases", "networks", "false alarms", "rate, %", "largest gain, nats",
            "new cases, bits",
        )  # fmt: skip
        return Grid("nothing planted, all variables measured", heads, tuple(rows), labels=2)

    def claims(self) -> tuple[Claim, ...]:
        """What must hold."""
        own, few, many = self.planted(), self.sizes[0], self.sizes[-1]
        enough = [each for each in own if each.cases >= ENOUGH and each.shows]
        found = [each.match is not None for each in enough]
        told = [
            Claim(
                "where nothing is planted, one search in twenty at most accepts a variable",
                rate([bool(each.places) for each in self.none()]) <= 0.05,
            ),
        ]
        if len(self.sizes) > 1:
            told.append(
                Claim(
                    "more cases find more planted variables",
                    rate([e.match is not None for e in self.planted(many)])
                    > rate([e.match is not None for e in self.planted(few)]),
                )
            )
        gains = [each.new for each in own if each.places]
        if gains:
            text = "networks with an accepted variable predict new cases better, on average"
            told.append(Claim(text, float(np.mean(gains)) > 0))
        if enough:
            text = f"where the truth shows in {ENOUGH:,} cases or more, four of five are found"
            told.append(Claim(text, rate(found) >= 0.8))
        return tuple(told)

    def remarks(self) -> tuple[str, ...]:
        """How to read the tables."""
        return (
            "No paper has such rates. Shares are in percent, with 95 % confidence. Networks of "
            "twelve measured variables; the planted one has two to four states, by turns, four to "
            "six children, and sometimes a parent. Rows are Dirichlet(1/2), so that many a planted "
            "variable is hardly felt.",
            f"The truth shows where the true dag, with the number of states that suits it best, "
            f"gains {SHOWS:g} nats or more over the best dag without a hidden variable. In its "
            "place: most of all children of both variables are the same. A parent that might as "
            "well be a child is counted as one by the search.",
            "The truth, bits: what the network that the cases were drawn from gains on new cases, "
            "its numbers known.",
        )

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"rows": [_plain(each) for each in self.draws]}


def _states(draw: Draw) -> int:
    assert draw.match is not None
    return draw.match.states


def _apart(draw: Draw) -> int:
    assert draw.planted is not None
    return _states(draw) - draw.planted.states


def _mean(values: Sequence[float]) -> str:
    error = float(np.std(values, ddof=1)) / sqrt(len(values)) if len(values) > 1 else nan
    return f"{np.mean(values):+.3f}" + ("" if np.isnan(error) else f" ± {error:.3f}")


def _plain(draw: Draw) -> dict[str, Any]:
    return {
        "kind": draw.kind,
        "cases": draw.cases,
        "planted": None if draw.planted is None else _place(draw.planted),
        "found": [_place(each) for each in draw.places],
        "in_place": draw.match is not None,
        "gains": list(draw.gains),
        "held_out_gains": list(draw.held),
        "ideal_gain": None if draw.ideal is None else draw.ideal[0],
        "ideal_states": None if draw.ideal is None else draw.ideal[1],
        "new_bits": draw.new,
        "possible_bits": draw.possible,
    }


def _place(place: Place) -> dict[str, Any]:
    children, parents = list(place.children), list(place.parents)
    return {"children": children, "parents": parents, "states": place.states}
