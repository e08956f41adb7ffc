"""Sharing inside one distribution: how many cases are equal probabilities worth?

A variable with 50 states, about half of which stand in groups of equal probability. Two estimates
from the same cases: a standard network (STBN), and one that is told which states are equal (PDKBN).
[Niculescu 2005, section 8.1]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.grid import Grid, number
from tacit.core.variables import Discrete
from tacit.estimate.estimates import MAP
from tacit.estimate.priors import Dirichlet
from tacit.experiments.learner import Learner
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.infer.divergence import equivalent_size

NAME = "niculescu2005-sharing"
STATES, CASES = 50, 1000
ROWS = (5, 40, 200, 600, 650)
PAPER_KL = {5: 0.191, 40: 0.094, 200: 0.034, 600: 0.018, 650: 0.017}
PAPER_NEEDED = {5: 16.0, 40: 103.0, 200: 516.0, 600: 905.0, 650: float("nan")}
PAPER_FACTOR, PAPER_GAP, PAPER_GAP_AT = 1.86, 0.05, 30
FACTORS = (1.6, 2.2)
"""The average factor of many instances must lie here."""
INSTANCES = {"smoke": 4, "default": 100, "full": 600}


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A distribution over the states, and the groups of states that are equal in it."""

    values: Floats
    groups: tuple[range, ...]

    @property
    def rules(self) -> str:
        """What the expert says: P(X=1) = P(X=2) = ..."""
        return "\n".join(
            " = ".join(f"P(X={state + 1})" for state in group) for group in self.groups
        )


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """One instance: KL(T, STBN) and KL(T, PDKBN) after so many cases, in nats."""

    sizes: Ints
    plain: Floats
    shared: Floats

    def needed(self, sizes: Ints) -> Floats:
        """How many cases STBN needs to come as near as PDKBN is after so many; nan if too many."""
        at = np.searchsorted(self.sizes, sizes)
        cases, scores = self.sizes.tolist(), (-self.plain).tolist()
        return np.array([equivalent_size(cases, scores, -self.shared[each]) for each in at])

    @property
    def average_factor(self) -> float:
        """Cases needed over cases used, over all sizes at which STBN gets there at all."""
        return float(np.nanmean(self.needed(self.sizes) / self.sizes))


def draw_truth(rng: np.random.Generator) -> Truth:
    """Groups of 2 to 5 states, filled from the left until half of them are in one; then singles.

    The last group may pass the middle, so about half of the states share. All probabilities are
    uniform on (0, 1) before they are made to add up to 1.
    """
    values, groups, at = np.empty(STATES), [], 0
    while at < STATES // 2:
        size = int(rng.integers(2, 6))
        values[at : at + size] = rng.random()
        groups.append(range(at, at + size))
        at += size
    values[at:] = rng.random(STATES - at)
    return Truth(values / values.sum(), tuple(groups))


def curves(truth: Truth, sizes: Ints, rng: np.random.Generator) -> Curves:
    """Both estimates from the first cases of one sample, at every size."""
    cases = rng.choice(STATES, CASES, p=truth.values)
    dag, x = Dag({"X": ()}), Discrete("X", tuple(str(state + 1) for state in range(STATES)))
    plain = Learner.of(dag, {"X": x}, Dirichlet(2.0), MAP())
    shared = Learner.of(dag, {"X": x}, Dirichlet(2.0), MAP(), truth.rules)
    found = np.empty((2, sizes.size))
    for at, size in enumerate(sizes):
        counts = {"X": np.bincount(cases[:size], minlength=STATES).astype(np.float64)}
        for which, learner in enumerate((plain, shared)):
            theta = learner.tables(counts)["X"]
            found[which, at] = float(np.sum(truth.values * np.log(truth.values / theta)))
    return Curves(sizes, *found)


def run(settings: Settings) -> Outcome:
    """Many instances, where the paper shows one."""
    sizes = np.arange(1, CASES + 1)
    if settings.scale == "smoke":
        sizes = np.unique(np.r_[10 : CASES + 1 : 10, ROWS])
    times = INSTANCES[settings.scale]

    def one(number: int) -> Curves:
        rng = np.random.default_rng([settings.seed, number])
        return curves(draw_truth(rng), sizes, rng)

    made = repeated(one, times, settings, "instances")
    mean = Curves(
        sizes,
        np.mean([each.plain for each in made], axis=0),
        np.mean([each.shared for each in made], axis=0),
    )
    facts = _facts(made, mean)
    return Outcome(
        NAME,
        settings.seed,
        len(made),
        times,
        (_by_size(facts), _overall(facts)),
        _claims(facts),
        _remarks(facts),
        facts,
    )


def _facts(made: list[Curves], mean: Curves) -> dict[str, Any]:
    """All figures, the paper's beside ours."""
    shared = np.array([each.shared for each in made])
    gaps = np.array([each.plain - each.shared for each in made])
    factors = np.array([each.average_factor for each in made])
    gap = mean.plain - mean.shared
    rows = [
        _row(size, shared[:, at], need)
        for size, at, need in zip(
            ROWS, np.searchsorted(mean.sizes, ROWS), mean.needed(np.array(ROWS)), strict=True
        )
    ]
    late = mean.sizes >= 20
    return {
        "rows": rows,
        "average_factor": {
            "paper": PAPER_FACTOR,
            "mean": float(factors.mean()),
            "sd": float(factors.std()),
            "of_mean_curves": mean.average_factor,
        },
        "largest_gap": {
            "paper": PAPER_GAP,
            "paper_at": PAPER_GAP_AT,
            "of_mean_curves": float(gap.max()),
            "at": int(mean.sizes[gap.argmax()]),
            "mean": float(gaps.max(axis=1).mean()),
            "sd": float(gaps.max(axis=1).std()),
        },
        "nearer_from_20_on": int((gaps[:, late] > 0).all(axis=1).sum()),
        "instances": len(made),
        "nearer_on_average": bool((gap[mean.sizes >= 5] > 0).all()),
        "falls": bool((np.diff(mean.shared[np.searchsorted(mean.sizes, ROWS)]) < 0).all()),
    }


def _row(size: int, kl: Floats, needed: float) -> dict[str, Any]:
    paper = PAPER_NEEDED[size]
    return {
        "cases": size,
        "kl_paper": PAPER_KL[size],
        "kl_mean": float(kl.mean()),
        "kl_sd": float(kl.std()),
        "percentile_of_paper": float(100 * np.mean(kl <= PAPER_KL[size])),
        "needed_paper": paper,
        "needed": float(needed),
        "factor_paper": paper / size,
        "factor": float(needed) / size,
    }


def _by_size(facts: dict[str, Any]) -> Grid:
    rows = tuple(
        (
            str(row["cases"]),
            f"{row['kl_paper']:.3f}",
            f"{row['kl_mean']:.3f} ± {row['kl_sd']:.3f}",
            f"{row['percentile_of_paper']:.0f} %",
            _cases(row["needed_paper"]),
            _cases(row["needed"]),
            _factor(row["factor_paper"]),
            _factor(row["factor"]),
        )
        for row in facts["rows"]
    )
    heads = (
        "cases", "KL, paper", "KL, ours", "below paper",
        "STBN needs, paper", "ours", "factor, paper", "ours",
    )  # fmt: skip
    return Grid("KL(T, PDKBN) in nats, and the cases STBN needs to be as near", heads, rows)


def _overall(facts: dict[str, Any]) -> Grid:
    factor, gap = facts["average_factor"], facts["largest_gap"]
    rows = (
        ("average factor, per instance", number(factor["paper"], 2), _pm(factor, 2)),
        ("average factor of the mean curves", "", number(factor["of_mean_curves"], 2)),
        ("largest gap KL(STBN) - KL(PDKBN), per instance", number(gap["paper"], 3), _pm(gap, 3)),
        ("largest gap of the mean curves", "", number(gap["of_mean_curves"], 3)),
        ("cases at the largest gap", str(gap["paper_at"]), str(gap["at"])),
        (
            "instances with PDKBN nearer at all sizes from 20 on",
            "",
            f"{facts['nearer_from_20_on']} of {facts['instances']}",
        ),
    )
    return Grid("over all sizes", ("", "paper", "ours"), rows)


def _claims(facts: dict[str, Any]) -> tuple[Claim, ...]:
    low, high = FACTORS
    return (
        Claim(
            f"the average factor lies between {low:g} and {high:g}",
            low <= facts["average_factor"]["mean"] <= high,
        ),
        Claim("PDKBN is nearer to the truth, at every size from 5 on", facts["nearer_on_average"]),
        Claim("KL(T, PDKBN) falls as cases are added", facts["falls"]),
    )


def _remarks(facts: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"The paper shows one random instance, ours are {facts['instances']}: mean ± standard "
        "deviation. 'below paper' is the share of instances with a smaller divergence than the "
        "paper's, which had a favourable one.",
        "STBN's needs are read from the mean curves; '> 1000' is beyond the cases drawn. At a few "
        "cases the factor of a single instance is mostly noise.",
    )


def _pm(fact: dict[str, Any], digits: int) -> str:
    return f"{fact['mean']:.{digits}f} ± {fact['sd']:.{digits}f}"


def _cases(needed: float) -> str:
    return f"> {CASES}" if np.isnan(needed) else f"{needed:.0f}"


def _factor(factor: float) -> str:
    return "" if np.isnan(factor) else f"{factor:.2f}"
