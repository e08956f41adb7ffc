"""Structure and parameters of alarm with four hidden variables: structural EM, plain and annealed.

[Elidan 2004, section 3.5.3, figure 3.5b; HV1 X3.7]
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from tacit.core.network import Network
from tacit.estimate.priors import BDeu
from tacit.experiments.elidan.judged import Judged, Watch, bits
from tacit.experiments.elidan.trials import Trials, of_equal_effort
from tacit.experiments.elidan.unseen import GOLDEN, HIDDEN, Unseen
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.structure.settings import HillClimb
from tacit.learn.structure.structural_em import structural_em

NAME = "elidan2004-sem"
SCORE = BDeu(5)
"""The source does not say how strong its prior is; 5 cases. [HV1 section 6]"""
ROUND = HillClimb(restarts=0)
"""The search of every round."""
STILL = HillClimb(restarts=0, max_steps=0)
"""A search that changes nothing: what is left of structural EM is EM, and the same score."""
PLAIN, RANDOM, ADVERSARY, RESTARTS, SILVER = (
    "SEM", "random", "adversary", "SEM, equal effort", "silver",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiment is.

    draws    data sets
    sems     runs of structural EM on each, and with random weights
    starts   of the adversary
    cooling  from one temperature to the next
    hidden   how many of the four variables are hidden
    """

    draws: int
    sems: int
    randoms: int
    starts: int
    cooling: float
    cases: int = 1000
    new: int = 10_000
    hidden: int = len(HIDDEN)


SIZES = {
    "smoke": Size(1, 2, 2, 1, 0.3, 200, 1000, 2),
    "default": Size(1, 8, 5, 3, 0.7),
    "full": Size(1, 100, 100, 5, 0.9),
}


def run(settings: Settings) -> Outcome:
    """Every method on every data set."""
    size = SIZES[settings.scale]

    def one(number: int) -> list[Judged]:
        return compared(
            Unseen.drawn(settings.seed + number, size.cases, size.new, size.hidden), size
        )

    trials = Trials(repeated(one, size.draws, settings, "data sets"), PLAIN)
    sets = len(trials.sets)
    origin = {what: np.mean([trials.origin(what, at) for at in range(sets)]) for what in
              ("train", "test")}  # fmt: skip
    tables = (
        trials.grid(
            "train",
            f"score per case above the median run of SEM, which has {origin['train']:.3f}",
            without=(GOLDEN,),
        ),
        trials.grid(
            "test",
            f"bits per new case above the median run of SEM, which has {origin['test']:.3f}",
        ),
        trials.costs("families that a run scores", "families", {}),
    )
    return Outcome(
        NAME, settings.seed, sets, size.draws, tables, claims(trials), _remarks(trials, size),
        trials.to_plain(),
    )  # fmt: skip


def compared(unseen: Unseen, size: Size) -> list[Judged]:
    """Every method on one data set; hidden variables start as parents of all that was observed."""
    plain = [learned(PLAIN, unseen, ROUND, number) for number in range(size.sems)]
    random = WeightAnnealing(ROUND, reweight="random", cooling=size.cooling)
    runs = [*plain]
    runs += [learned(RANDOM, unseen, random, number) for number in range(size.randoms)]
    against = WeightAnnealing(ROUND, cooling=size.cooling)
    own = [learned(ADVERSARY, unseen, against, number) for number in range(size.starts)]
    budget = float(np.mean([each.evaluations for each in own]))
    runs += [*own, of_equal_effort(plain, budget, RESTARTS), silver(unseen)]
    return [*runs, golden(unseen)]


def learned(
    method: str, unseen: Unseen, how: HillClimb | WeightAnnealing, number: int,
    start: Network | None = None,
) -> Judged:  # fmt: skip
    """One run, judged; its effort is counted in families scored."""
    watch = Watch()
    found = structural_em(
        unseen.train, start=start, hidden=unseen.hidden, score=SCORE, method=how, restarts=1,
        as_given=True, seed=1000 * unseen.seed + number, progress=False,
    )  # fmt: skip
    train, seconds = found.score / unseen.train.total_weight, watch.seconds
    return Judged(method, train, bits(found.network, unseen.test), found.evaluations, seconds)


def silver(unseen: Unseen) -> Judged:
    """The true dag, its parameters learned by EM from the true ones on, and scored likewise."""
    found = learned(SILVER, unseen, STILL, 0, unseen.truth)
    return Judged(SILVER, found.train, found.test, 0, found.seconds)


def golden(unseen: Unseen) -> Judged:
    """The truth, which has no score: nothing of it was learned."""
    return Judged(GOLDEN, nan, unseen.golden().test, 0, 0.0)


def claims(trials: Trials) -> tuple[Claim, ...]:
    """What the source says of its figure, and what is asked of ours."""
    test = {method: trials.spread(method, "test") for method in trials.methods}
    middle = test[ADVERSARY].marks[1]
    (plain_low, _, plain_high), (random_low, _, random_high) = (
        test[method].marks for method in (PLAIN, RANDOM)
    )
    gap = test[GOLDEN].mean
    return (
        Claim("the adversary predicts new cases better than the median run of SEM", middle > 0),
        Claim(
            "its score is at least that of restarts of SEM with as many families scored",
            trials.spread(ADVERSARY, "train").marks[1] >= trials.spread(RESTARTS, "train").mean,
        ),
        Claim(
            "runs of SEM vary less than random ones, from the 20 % mark to the 80 % mark",
            plain_high - plain_low < random_high - random_low,
        ),
        Claim(
            "the median run of SEM is below more than 90 % of the random ones, on new cases",
            trials.above(PLAIN, "test", RANDOM) < 0.1,
        ),
        Claim(
            "the adversary predicts better than the median random run",
            middle >= test[RANDOM].marks[1],
        ),
        Claim("it halves the gap between SEM and the truth", middle >= gap / 2),
    )


def _remarks(trials: Trials, size: Size) -> tuple[str, ...]:
    gap = trials.spread(GOLDEN, "test").mean
    closed = trials.spread(ADVERSARY, "test").marks[1] / gap
    rounds = [WeightAnnealing(ROUND, how, cooling=size.cooling).rounds for how in
              ("adversary", "random")]  # fmt: skip
    return (
        f"{', '.join(list(HIDDEN)[: size.hidden])} are hidden, with their true numbers of states, "
        f"and start as parents of all others; {size.cases:,} cases to learn from and {size.new:,} "
        "new ones. The paper has 100 runs of SEM and of random weights, and cools by 0.9.",
        f"Ours cool by {size.cooling:g}: {rounds[0]} rounds of the adversary, {rounds[1]} at "
        "random, one round of structural EM each, then rounds at the cases' own weights.",
        f"The gap between the median run of SEM and the truth is {gap:.2f} bits per case; the "
        f"adversary closes {closed:.2f} of it. {SILVER}: the true dag, learned by EM from the true "
        "parameters on; it is what these cases allow.",
        f"{RESTARTS}: of as many runs of SEM as score the families of an adversary's run, the one "
        "with the highest score.",
    )
