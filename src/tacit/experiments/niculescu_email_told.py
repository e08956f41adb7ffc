"""The figures of the email experiment in tables, what is claimed of them, why they differ."""

from __future__ import annotations

from itertools import pairwise
from math import isnan
from typing import Any

from tacit.core.grid import Grid
from tacit.experiments.outcome import Claim

WITHIN_KL, WITHIN_ACCURACY = 0.15, 0.01
"""How near to the paper's figures ours must come."""


def tables(facts: dict[str, Any]) -> tuple[Grid, ...]:
    """Table 8.2 in two halves, what is said of all sizes, and the sweep."""
    return (_kl_table(facts), _accuracy_table(facts), _overall(facts), _sweep_table(facts))


def _kl_table(facts: dict[str, Any]) -> Grid:
    rows = tuple(
        (
            str(row["emails"]),
            f"{row['kl_paper']:.3f}",
            f"{row['kl']:.3f}" + (f" ± {row['kl_sd']:.3f}" if row["kl_sd"] else ""),
            f"{row['kl'] / row['kl_paper'] - 1:+.0%}",
            _emails(row["kl_needed_paper"]),
            _emails(row["kl_needed"]),
        )
        for row in facts["rows"]
    )
    heads = ("emails", "KL, paper", "KL, ours", "apart", "PSNB needs, paper", "ours")
    return Grid("KL(T, SSNB) in nats, and the emails PSNB needs to be as near", heads, rows)


def _accuracy_table(facts: dict[str, Any]) -> Grid:
    rows = tuple(
        (
            str(row["emails"]),
            f"{row['accuracy_paper']:.3f}",
            f"{row['accuracy']:.3f}",
            f"{row['accuracy'] - row['accuracy_paper']:+.3f}",
            _emails(row["accuracy_needed_paper"]),
            _emails(row["accuracy_needed"]),
        )
        for row in facts["rows"]
    )
    heads = ("emails", "right, paper", "ours", "apart", "PSNB needs, paper", "ours")
    return Grid("share of fresh emails that SSNB tells right, and what PSNB needs", heads, rows)


def _overall(facts: dict[str, Any]) -> Grid:
    near, far = facts["gap_to_psnb"], facts["gap_to_gnb"]
    gaps = [
        (what, f"{gap['paper']:.3f} at {gap['paper_at']}", f"{gap['ours']:.3f} at {gap['at']}")
        for what, gap in (("KL(PSNB) - KL(SSNB)", near), ("KL(GNB) - KL(SSNB)", far))
    ]
    factors = [
        (
            f"PSNB's emails over SSNB's, equal {what}: average, most",
            f"{factor['paper']:.2f}, {factor['paper_most']:.2f}",
            f"{factor['ours']:.2f}, {factor['ours_most']:.2f}",
        )
        for what, factor in (("KL", facts["factor_kl"]), ("accuracy", facts["factor_accuracy"]))
    ]
    right = [
        (f"accuracy of {model} after 5000 emails", f"{each['paper']:.3f}", f"{each['ours']:.3f}")
        for model, each in facts["accuracy_at_5000"].items()
    ]
    rows = (*((f"largest {what}", *rest) for what, *rest in gaps), *factors, *right)
    return Grid("over all sizes", ("", "paper", "ours"), rows)


def _sweep_table(facts: dict[str, Any]) -> Grid:
    models = tuple(facts["accuracy_at_5000"])
    rows = tuple(
        (f"{row['share']:g}", *(f"{row[model]:.3f}" for model in models)) for row in facts["sweep"]
    )
    title = "the words' part of KL after 1000 emails, by the share of shared words"
    return Grid(title, ("share", *models), rows)


def claims(facts: dict[str, Any]) -> tuple[Claim, ...]:
    """What the paper's text says; its last sentence on the sweep is wrong. [erratum 29]"""
    rows, sweep = facts["rows"], facts["sweep"]
    psnb = [row["PSNB"] for row in sweep]
    falling = all(
        after[model] < before[model]
        for model in ("GNB", "SSNB")
        for before, after in pairwise(sweep)
    )
    right = facts["accuracy_at_5000"].values()
    return (
        Claim(
            f"KL(T, SSNB) is within {WITHIN_KL:.0%} of the paper's at every size",
            all(abs(row["kl"] / row["kl_paper"] - 1) <= WITHIN_KL for row in rows),
        ),
        Claim(
            f"accuracies are within {WITHIN_ACCURACY:g} of the paper's",
            all(abs(row["accuracy"] - row["accuracy_paper"]) <= WITHIN_ACCURACY for row in rows)
            and all(abs(each["ours"] - each["paper"]) <= WITHIN_ACCURACY for each in right),
        ),
        Claim("PSNB needs more emails than SSNB", facts["factor_kl"]["ours"] > 1),
        Claim("the more is shared, the nearer GNB and SSNB come", falling),
        Claim("PSNB does not change with the share", max(psnb) < 1.15 * min(psnb)),
        Claim(
            "against the paper: where all is shared, GNB's words are nearer than SSNB's",
            sweep[-1]["GNB"] < sweep[-1]["SSNB"],
        ),
    )


def remarks(repetitions: int) -> tuple[str, ...]:
    times = "1 repetition" if repetitions == 1 else f"{repetitions} repetitions: mean ± sd"
    return (
        f"Ours: {times}. The paper's corpus is private; author and topic proportions are a "
        "stand-in that agrees with all it says of them, and lengths are uniform from 0 to 150.",
        "KL is that of the joint distribution of author, topic and one word: the reading under "
        "which the paper's table comes out. That of whole emails would be about 75 times larger.",
        "The paper says that SSNB is best at every share. With its own priors that is not so at "
        "share 1: SSNB adds 6 to every shared word and GNB 1, so GNB's words are nearer.",
        "Factors are averaged over the sizes of the tables. Accuracy hardly rises at the end, so "
        "the emails needed for the same one are uncertain, in the paper's single run most of all.",
    )


def _emails(needed: float) -> str:
    return "> 5000" if isnan(needed) else f"{needed:.0f}"
