"""Parameters around four hidden variables of alarm: EM, and EM on annealed weights.

[Elidan 2004, section 3.5.2, figure 3.5a; HV1 X3.6]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.estimate.priors import BDeu
from tacit.experiments.elidan.judged import Judged, Watch, bits
from tacit.experiments.elidan.trials import Runs, Trials, of_equal_effort
from tacit.experiments.elidan.unseen import GOLDEN, HIDDEN, Unseen
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.fit import fit
from tacit.learn.methods import EM

NAME = "elidan2004-em"
PRIOR = BDeu(5)
"""The source does not say how strong its prior is; 5 cases. [HV1 section 6]"""
STEPS = EM(restarts=1, init="random", accelerate=False, tolerance=1e-6)
"""EM of plain steps, so that a step costs the same everywhere; when it stopped is not stated."""
PLAIN, RANDOM, ADVERSARY, SLOW = "EM", "random", "adversary", "adversary, slow"
RANDOM_SLOW, RESTARTS, TRUTH = "random, slow", "EM, equal steps", "EM from the truth"
COSTS = {SLOW: "about 15", RANDOM_SLOW: "about 50"}
"""What a run costs, in runs of EM. [stated in 3.5.2]"""


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiment is.

    draws     data sets
    runs      of EM, and with random weights, on each
    starts    of the adversary, which the source runs once
    cooling   slow, so that the adversary costs as many runs of EM as in the source
    slow      slow runs of the adversary, and with random weights that cool slower still
    """

    draws: int
    runs: int
    starts: int
    slow: tuple[int, int] = (1, 0)
    cooling: float = 0.9987
    cases: int = 1000
    new: int = 10_000


SIZES = {
    "smoke": Size(1, 4, 2, (1, 0), 0.98, 200, 1000),
    "default": Size(3, 20, 5, (3, 0), 0.998),
    "full": Size(5, 100, 20, (10, 5)),
}


def run(settings: Settings) -> Outcome:
    """Every method on every data set."""
    size = SIZES[settings.scale]

    def one(number: int) -> list[Judged]:
        return compared(Unseen.drawn(settings.seed + number, size.cases, size.new), size)

    trials = Trials(repeated(one, size.draws, settings, "data sets"), PLAIN)
    sets = len(trials.sets)
    origin = {what: np.mean([trials.origin(what, at) for at in range(sets)]) for what in
              ("train", "test")}  # fmt: skip
    many = f"{sets} data set{'s' if sets > 1 else ''}"
    tables = (
        trials.grid(
            "train",
            f"nats per case above the median run of EM, which has {origin['train']:.3f}; {many}",
        ),
        trials.grid(
            "test",
            f"bits per new case above the median run of EM, which has {origin['test']:.3f}",
        ),
        trials.costs("steps of EM that a run takes", "steps", COSTS),
    )
    return Outcome(
        NAME, settings.seed, sets, size.draws, tables, claims(trials), _remarks(trials, size),
        trials.to_plain() | {"medians_apart": _apart(trials)},
    )  # fmt: skip


def compared(unseen: Unseen, size: Size) -> list[Judged]:
    """Every method on one data set; methods with the same number begin at the same place."""
    slow = WeightAnnealing(STEPS, cooling=size.cooling)
    random = WeightAnnealing(STEPS, reweight="random")
    many, hot = size.slow
    runs = [learned(PLAIN, unseen, STEPS, number) for number in range(size.runs)]
    plain = list(runs)
    runs += [learned(RANDOM, unseen, random, number) for number in range(size.runs)]
    how = WeightAnnealing(STEPS)
    runs += [learned(ADVERSARY, unseen, how, number) for number in range(size.starts)]
    runs += [learned(SLOW, unseen, slow, number) for number in range(many)]
    slower = replace(random, cooling=size.cooling**0.5)
    runs += [learned(RANDOM_SLOW, unseen, slower, number) for number in range(hot)]
    runs += [of_equal_effort(plain, _budget(runs), RESTARTS), from_truth(unseen), unseen.golden()]
    return runs


def _budget(runs: Runs) -> float:
    """The steps of a slow run of the adversary."""
    return float(np.mean([run.evaluations for run in runs if run.method == SLOW]))


def learned(method: str, unseen: Unseen, how: EM | WeightAnnealing, number: int) -> Judged:
    """One run from the start of that number, judged; its effort is counted in steps of EM."""
    watch = Watch()
    found = fit(
        unseen.truth.dag, unseen.train, hidden=unseen.hidden, prior=PRIOR, method=how,
        seed=1000 * unseen.seed + number, progress=False,
    )  # fmt: skip
    train, seconds = unseen.nats(found.network), watch.seconds
    return Judged(method, train, bits(found.network, unseen.test), len(found.trace) - 1, seconds)


def from_truth(unseen: Unseen) -> Judged:
    """EM that begins at the truth: what may be had by these cases if one knew where to begin."""
    watch = Watch()
    found = fit(
        unseen.truth, unseen.train, hidden=unseen.hidden, prior=PRIOR, method=STEPS, start="given",
        seed=unseen.seed, progress=False,
    )  # fmt: skip
    train, seconds = unseen.nats(found.network), watch.seconds
    return Judged(TRUTH, train, bits(found.network, unseen.test), len(found.trace) - 1, seconds)


def claims(trials: Trials) -> tuple[Claim, ...]:
    """What the source says of its figure, and what is asked of ours."""
    middle = {
        method: trials.spread(method, "train").marks[1] for method in (ADVERSARY, SLOW, RANDOM)
    }
    best = trials.spread(PLAIN, "train").best
    restarts = trials.spread(RESTARTS, "train").mean
    slow = trials.spread(SLOW, "train")
    return (
        Claim(
            "the adversary's training likelihood is at least that of the median run of EM",
            middle[ADVERSARY] >= 0,
        ),
        Claim("so is that of the slow adversary", middle[SLOW] >= 0),
        Claim(
            "the slow adversary reaches what at most a fifth of the runs of EM reach",
            trials.above(SLOW, "train", PLAIN) >= 0.8,
        ),
        Claim(
            "it comes at least as high as the best of all runs of EM, within 0.005",
            slow.mean >= best - 0.005,
        ),
        Claim(
            "it comes at least as high as restarts of EM with as many steps", slow.mean >= restarts
        ),
        Claim(
            "no method predicts new cases as well as the truth",
            all(
                trials.spread(method, "test").best < trials.spread(GOLDEN, "test").mean
                for method in trials.methods
                if method != GOLDEN
            ),
        ),
    )


def _apart(trials: Trials) -> dict[str, list[float]]:
    """Per data set, how much a method's median run is above EM's, in nats per case."""
    return {
        method: [
            float(np.median([run.train for run in trials.of(method, at)]))
            - trials.origin("train", at)
            for at in range(len(trials.sets))
        ]
        for method in (ADVERSARY, SLOW, RANDOM)
    }


def higher(trials: Trials, method: str) -> tuple[int, int]:
    """How many runs of a method ended above the run of EM that began at the same place.

    And how many pairs there are.
    """
    pairs = [
        pair
        for at in range(len(trials.sets))
        for pair in zip(trials.of(method, at), trials.of(PLAIN, at), strict=False)
    ]
    return sum(annealed.train > plain.train for annealed, plain in pairs), len(pairs)


def _remarks(trials: Trials, size: Size) -> tuple[str, ...]:
    above = {method: trials.above(method, "train", PLAIN) for method in (ADVERSARY, SLOW)}
    pairs = [(method, *higher(trials, method)) for method in (ADVERSARY, SLOW, RANDOM)]
    ended = "; ".join(f"{method} {won} of {all_}" for method, won, all_ in pairs)
    return (
        f"{', '.join(HIDDEN)} are hidden, with their true numbers of states; {size.cases:,} cases "
        f"to learn from and {size.new:,} new ones, {PRIOR.describe()}. The paper says which four "
        'only as "central", nor how many cases, nor the first temperature.',
        f"Cooled by 0.9, as stated, the adversary makes {WeightAnnealing(STEPS).rounds} rounds of "
        "one step each, and EM after it: the cost of one run of EM, not of fifteen. The slow one "
        f"cools by {size.cooling:g} and makes "
        f"{WeightAnnealing(STEPS, cooling=size.cooling).rounds:,} rounds.",
        "The median run of the adversary is above a share of "
        f"{above[ADVERSARY]:.2f} of the runs of EM, of the slow one {above[SLOW]:.2f}.",
        f"Runs that ended above EM from the same start: {ended}. Where annealing ends depends on "
        "its start, so the source's one run is one draw of many.",
        f"{RESTARTS}: of as many runs of EM as take the steps of the slow adversary, the one that "
        f"training chooses. {TRUTH}: the maximum nearest to the truth. A step at weights of its "
        "own takes more time than one of EM, which asks no case alone how likely it is.",
    )
