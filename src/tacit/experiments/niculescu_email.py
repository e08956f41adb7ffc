"""Words shared by authors: is an email about a meeting?

Naive Bayes for each of six authors, whose topics share some words. Three estimates: one for all
authors (GNB), one per author (PSNB), and one per author that is told which words all authors use
equally often (SSNB). [Niculescu 2005, section 8.2]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.estimate.estimates import MAP
from tacit.estimate.priors import Dirichlet
from tacit.experiments.emails import DAG, VARIABLES, Truth, accuracy, draw_truth, write_emails
from tacit.experiments.learner import Learner
from tacit.experiments.niculescu_email_told import claims, remarks, tables
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.infer.divergence import divergence, equivalent_size

NAME = "niculescu2005-email"
MODELS = ("GNB", "SSNB", "PSNB")
GNB, SSNB, PSNB = range(3)
ROWS = (100, 350, 550, 1000, 3000)
LAST, SHARE, SWEEP_AT = 5000, 0.5, 1000
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
NEVER = float("nan")
PAPER = {
    100: {"kl": 0.209, "kl_needed": 180.0, "accuracy": 0.937, "accuracy_needed": 180.0},
    350: {"kl": 0.097, "kl_needed": 670.0, "accuracy": 0.976, "accuracy_needed": 620.0},
    550: {"kl": 0.074, "kl_needed": 970.0, "accuracy": 0.981, "accuracy_needed": 1300.0},
    1000: {"kl": 0.049, "kl_needed": 1690.0, "accuracy": 0.983, "accuracy_needed": 2100.0},
    3000: {"kl": 0.018, "kl_needed": 4790.0, "accuracy": 0.987, "accuracy_needed": NEVER},
}
"""Table 8.2: what SSNB reaches, and the emails PSNB needs for the same."""
PAPER_LAST = {"GNB": 0.978, "SSNB": 0.988, "PSNB": 0.985}
REPETITIONS = {"smoke": 1, "default": 12, "full": 50}
TEST = {"smoke": 1000, "default": 10_000, "full": 10_000}
SIZES = {
    "smoke": (60, 160, 600, 2000),
    "default": (*range(40, 241, 20), 300, 400, 470, 670, 800, *range(1300, 4501, 400)),
    "full": (*range(40, 1000, 20), *range(1000, 5000, 100)),
}


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """What the models reach after so many emails; the last axis is the model.

    kl, accuracy  (sizes, 3)   KL from the truth of (author, topic, one word); right topics
    sweep         (shares, 3)  the words' part of KL after 1000 emails, by share of shared words
    """

    sizes: Ints
    kl: Floats
    accuracy: Floats
    sweep: Floats

    def at(self, size: int) -> int:
        """Where this size stands."""
        return int(np.searchsorted(self.sizes, size))


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """The three estimates, all MAP with Dirichlet 2.

    A shared word has six positions, one per author, so its six pairs of pseudo-counts add up to
    the paper's constrained Dirichlet 7; pooled over authors by its dag, GNB has one position only.
    """

    learners: tuple[Learner, Learner, Learner]

    @staticmethod
    def of(truth: Truth) -> Models:
        """SSNB is told the rules of the truth."""
        pooled = Dag({"Author": (), "Topic": (), "Word": ("Topic",)})
        prior, estimate = Dirichlet(2.0), MAP()
        return Models(
            (
                Learner.of(pooled, VARIABLES, prior, estimate),
                Learner.of(DAG, VARIABLES, prior, estimate, truth.rules),
                Learner.of(DAG, VARIABLES, prior, estimate),
            )
        )

    def networks(self, counts: Mapping[str, Floats]) -> list[Network]:
        """All three, from the same emails."""
        pooled = {"Author": counts["Author"]}
        pooled |= {name: counts[name].sum(axis=0) for name in ("Topic", "Word")}
        every = (pooled, counts, counts)
        return [each.network(held) for each, held in zip(self.learners, every, strict=True)]


def curves(sizes: Ints, test: int, seed: tuple[int, int]) -> Curves:
    """One repetition: a truth, emails to learn from, fresh ones to judge by, and the sweep."""
    rng = np.random.default_rng(seed)
    truth = draw_truth(SHARE, rng)
    emails, fresh = write_emails(truth, LAST, rng), write_emails(truth, test, rng)
    models = Models.of(truth)
    kl, right = np.empty((sizes.size, 3)), np.empty((sizes.size, 3))
    for at, size in enumerate(sizes):
        for which, network in enumerate(models.networks(emails.counts(int(size)))):
            kl[at, which] = divergence(truth.network, network)
            right[at, which] = accuracy(network, fresh)
    return Curves(sizes, kl, right, np.array([_words_apart(share, rng) for share in SHARES]))


def _words_apart(share: float, rng: np.random.Generator) -> list[float]:
    truth = draw_truth(share, rng)
    counts = write_emails(truth, SWEEP_AT, rng).counts(SWEEP_AT)
    return [
        divergence(truth.network, network).families["Word"]
        for network in Models.of(truth).networks(counts)
    ]


def run(settings: Settings) -> Outcome:
    """Several repetitions, where the paper shows one."""
    sizes = np.unique(np.array([*SIZES[settings.scale], *ROWS, LAST]))
    times = REPETITIONS[settings.scale]
    made = repeated(
        lambda number: curves(sizes, TEST[settings.scale], (settings.seed, number)),
        times,
        settings,
        "repetitions",
    )
    kl = np.array([each.kl for each in made])
    mean = Curves(
        sizes,
        kl.mean(axis=0),
        np.mean([each.accuracy for each in made], axis=0),
        np.mean([each.sweep for each in made], axis=0),
    )
    facts = _facts(mean, kl[:, :, SSNB].std(axis=0))
    told = (tables(facts), claims(facts), remarks(len(made)))
    return Outcome(NAME, settings.seed, len(made), times, *told, facts)


def _facts(mean: Curves, sd: Floats) -> dict[str, Any]:
    """All figures, the paper's beside ours."""
    sizes, to_psnb = mean.sizes, mean.kl[:, PSNB] - mean.kl[:, SSNB]
    to_gnb = mean.kl[:, GNB] - mean.kl[:, SSNB]
    by_kl = _needed(sizes, -mean.kl)
    by_accuracy = _needed(sizes, mean.accuracy)
    return {
        "rows": [_row(mean, size, sd, by_kl, by_accuracy) for size in ROWS],
        "gap_to_psnb": {"paper": 0.045, "paper_at": 160, **_largest(sizes, to_psnb)},
        "gap_to_gnb": {"paper": 0.092, "paper_at": 5000, **_largest(sizes, to_gnb)},
        "factor_kl": {"paper": 1.69, "paper_most": 1.91, **_factors(by_kl)},
        "factor_accuracy": {"paper": 1.97, "paper_most": 2.36, **_factors(by_accuracy)},
        "accuracy_at_5000": {
            model: {"paper": PAPER_LAST[model], "ours": float(mean.accuracy[-1, which])}
            for which, model in enumerate(MODELS)
        },
        "sweep": [
            {"share": share, **dict(zip(MODELS, map(float, row), strict=True))}
            for share, row in zip(SHARES, mean.sweep, strict=True)
        ],
    }


def _needed(sizes: Ints, scores: Floats) -> dict[int, float]:
    """The emails PSNB needs to score as SSNB does, for every size in the paper's table."""
    emails, baseline = sizes.tolist(), scores[:, PSNB].tolist()
    return {
        size: equivalent_size(emails, baseline, scores[emails.index(size), SSNB]) for size in ROWS
    }


def _factors(needed: Mapping[int, float]) -> dict[str, float]:
    factors = np.array([emails / size for size, emails in needed.items()])
    return {"ours": float(np.nanmean(factors)), "ours_most": float(np.nanmax(factors))}


def _largest(sizes: Ints, gap: Floats) -> dict[str, float]:
    return {"ours": float(gap.max()), "at": int(sizes[gap.argmax()])}


def _row(
    mean: Curves, size: int, sd: Floats, by_kl: dict[int, float], by_accuracy: dict[int, float]
) -> dict[str, Any]:
    at = mean.at(size)
    return {
        "emails": size,
        **{f"{key}_paper": value for key, value in PAPER[size].items()},
        "kl": float(mean.kl[at, SSNB]),
        "kl_sd": float(sd[at]),
        "kl_needed": by_kl[size],
        "accuracy": float(mean.accuracy[at, SSNB]),
        "accuracy_needed": by_accuracy[size],
    }
