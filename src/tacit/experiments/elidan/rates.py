"""How often `tc.propose_hidden` finds a variable that was hidden, and how often one that was not.

[HV1-31, HV1-41; the checks by drawing again that section 3.7 of the specification asks for]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import lgamma
from typing import Any

from tacit.core.network import Network
from tacit.experiments.elidan.causes import CAUSE, Shape
from tacit.experiments.elidan.finding import QUICK, SCORE, Place, Problem, nothing, places_of
from tacit.experiments.elidan.inner import states_of, unseen
from tacit.experiments.elidan.judged import bits
from tacit.experiments.elidan.rates_told import NONE, Draw, Told
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.infer.sampling import sample
from tacit.io.textbook import textbook
from tacit.learn.fit import fit
from tacit.learn.methods import EM
from tacit.learn.structure.cheeseman_stutz import cheeseman_stutz
from tacit.learn.unseen.propose import propose_hidden

NAME = "hidden-rates"
STATES = (2, 3, 4)
"""Of planted variables, by turns."""
MOST_STATES = 5
"""That are tried in the true dag."""
MOST = 2
"""Variables that may be accepted: one of them is too many."""
NEW = 5000
"""New cases to judge by."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many networks of each kind, of how many cases."""

    planted: int
    none: int
    cases: tuple[int, ...]
    textbook: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


SIZES = {
    "smoke": Size(1, 1, (300,), (), QUICK),
    "default": Size(30, 30, (500, 2000)),
    "full": Size(100, 100, (250, 500, 1000, 2000, 5000), ("alarm", "insurance")),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """One network with one number of cases.

    states  of the planted variable; 0: there is none
    drawn   a textbook network instead, nothing hidden
    """

    seed: int
    cases: int
    states: int
    drawn: str = ""


def run(settings: Settings) -> Outcome:
    """All networks with every number of cases."""
    size = SIZES[settings.scale]
    asked = pieces(size, settings.seed)

    def one(at: int) -> Draw:
        return tried(asked[at], size.options)

    told = Told(repeated(one, len(asked), settings, "networks"))
    parts = (told.tables(), told.claims(), told.remarks())
    return Outcome(NAME, settings.seed, len(told.draws), len(asked), *parts, told.plain())


def pieces(size: Size, seed: int) -> list[Piece]:
    """All that there is to do, those with a planted variable and those without by turns."""
    found = []
    for at in range(max(size.planted, size.none)):
        for cases in size.cases:
            if at < size.planted:
                found.append(Piece(seed + at, cases, STATES[at % len(STATES)]))
            if at < size.none:
                found.append(Piece(seed + at, cases, 0))
                found += [Piece(seed + at, cases, 0, each) for each in size.textbook]
    return found


def tried(piece: Piece, options: Mapping[str, Any]) -> Draw:
    """One search, beside what the truth would gain on the same cases."""
    truth = textbook(piece.drawn) if piece.drawn else Shape().network(piece.seed, piece.states)
    train, test = (
        unseen(sample(truth, n, seed=2 * piece.seed + at), CAUSE)
        for at, n in enumerate((piece.cases, NEW))
    )
    problem = Problem(piece.drawn or "drawn", train, test, piece.seed, truth)
    found = propose_hidden(
        train, most=MOST, score=SCORE, as_given=True, seed=piece.seed, progress=False, **options
    )
    base = nothing(problem)
    accepted = found.accepted
    planted, ideal = None, None
    if piece.states:
        children, parents = truth.dag.children[CAUSE], truth.dag.parents[CAUSE]
        planted = Place(tuple(children), tuple(parents), piece.states)
        ideal = at_best(problem, base)
    return Draw(
        piece.drawn or (NONE if planted is None else "planted"), piece.cases, planted,
        places_of(found.network, train.names), tuple(each.gain for each in accepted),
        tuple(each.held_out_gain or 0.0 for each in accepted), ideal,
        bits(found.network, test) - bits(found.without.network, test),
        bits(truth, test) - bits(found.without.network, test),
    )  # fmt: skip


def at_best(problem: Problem, base: Network) -> tuple[float, int]:
    """What the true dag gains over the best without a hidden variable, and with how many states.

    Counted as `tc.propose_hidden` counts: the Cheeseman-Stutz score, ways to name states included.
    """
    assert problem.truth is not None
    without = cheeseman_stutz(base, problem.train, SCORE)
    scores = {}
    for states in range(2, max(MOST_STATES, states_of(problem.truth, CAUSE)) + 1):
        network = fit(
            problem.truth.dag, problem.train, hidden={CAUSE: states}, prior=SCORE,
            method=EM(restarts=3), seed=problem.seed, progress=False,
        ).network  # fmt: skip
        scores[states] = cheeseman_stutz(network, problem.train, SCORE) + lgamma(states + 1)
    best = max(scores, key=lambda states: scores[states])
    return scores[best] - without, best
