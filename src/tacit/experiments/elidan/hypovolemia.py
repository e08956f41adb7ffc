"""The states of HYPOVOLEMIA merged step by step, from one per configuration of its neighbours.

[Elidan 2004, section 5.1, figure 5.1; HV1 X5.1]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.core.grid import Grid, counted
from tacit.experiments.elidan.inner import alarm_cases, unseen, weights
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.io.textbook import textbook
from tacit.learn.unseen.agglomerated import Agglomeration, configuration
from tacit.learn.unseen.agglomeration import agglomerate
from tacit.learn.unseen.merging import PER_CELL, SUMMED, UNIFORM, TableWeights

NAME = "elidan2004-hypovolemia"
HIDDEN, TRUE, PAPER = "HYPOVOLEMIA", 2, 3
"""The variable, its states, and how many the source's trace chooses. [erratum E39]"""
PRIORS = (*weights(SUMMED, 1, 5, 20), *weights(UNIFORM, 1, 5, 20), *weights(PER_CELL, 1, 2))
USUAL = TableWeights(PER_CELL, 1.0)
SHOWN = TableWeights(SUMMED, 5.0)
"""The source's prior; it does not say how strong. [HV1 section 6]"""
CASES = 1000
DRAWS = {"smoke": 3, "default": 200, "full": 2000}
LARGEST = 5
"""Numbers of states from here on share a column."""


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One data set: what every prior makes of it, and the merges under the prior that is shown."""

    first_states: int
    states: Mapping[TableWeights, int]
    shown: Agglomeration


def run(settings: Settings) -> Outcome:
    """Many data sets, where the source shows the tree of one."""
    times = DRAWS[settings.scale]
    made = repeated(lambda number: drawn(settings.seed + number), times, settings, "data sets")
    tables = (_chosen(made), first_states(made[0].shown), steps(made[0].shown))
    told = (tables, claims(made), _remarks(made))
    return Outcome(NAME, settings.seed, len(made), times, *told, _plain(made))


def drawn(seed: int) -> Draw:
    """Merged under every prior."""
    data, dag = unseen(alarm_cases(CASES, seed), HIDDEN), textbook("alarm").dag
    found = {
        prior: agglomerate(data, dag, HIDDEN, prior=prior.kind, strength=prior.strength)
        for prior in PRIORS
    }
    states = {prior: each.states for prior, each in found.items()}
    return Draw(found[SHOWN].first_states, states, found[SHOWN])


def shares(made: Sequence[Draw], prior: TableWeights) -> Counter[int]:
    """How many data sets have so many states under a prior."""
    return Counter(min(draw.states[prior], LARGEST) for draw in made)


def _chosen(made: Sequence[Draw]) -> Grid:
    rows = []
    for prior in PRIORS:
        counts = shares(made, prior)
        cells = [str(counts[states]) if counts[states] else "" for states in range(1, LARGEST + 1)]
        rows.append((str(prior), str(PAPER) if prior.kind == SUMMED else "", *cells))
    heads = ("prior", "paper", *map(str, range(1, LARGEST)), f"{LARGEST} or more")
    many = counted(len(made), "data set")
    return Grid(f"{HIDDEN}, {CASES:,} cases: states chosen, in {many}", heads, tuple(rows))


def first_states(found: Agglomeration) -> Grid:
    """The configurations that merging begins with."""
    states, _ = found.tree.cut(found.states)
    rows = tuple(
        (
            str(leaf + 1),
            *configuration(found, codes).values(),
            f"{weight:g}",
            str(states[leaf] + 1),
        )
        for leaf, (codes, weight) in enumerate(
            zip(found.tree.codes, found.tree.weights, strict=True)
        )
    )
    heads = ("first state", *found.tree.variables, "cases", "ends in state")
    title = f"the first data set: {found.first_states} first states, merged to {found.states}"
    return Grid(title, heads, rows, labels=1 + len(found.tree.variables))


def steps(found: Agglomeration) -> Grid:
    """The merge tree in writing: which two are merged at each step, and what it gains."""
    first = found.first_states

    def called(node: int) -> str:
        return f"state {node + 1}" if node < first else f"step {node - first + 1}"

    rows = tuple(
        (
            str(merge.step),
            " with ".join(map(called, sorted(merge.pair))),
            f"{merge.gain:+.2f}",
            str(first - merge.step),
            f"{found.curve[first - merge.step]:.2f}",
            "best" if first - merge.step == found.states else "",
        )
        for merge in found.merges
    )
    heads = ("step", "merges", "gain", "states left", "score", "")
    return Grid(f"its merges, prior {found.prior}, in nats", heads, rows, labels=2)


def claims(made: Sequence[Draw]) -> tuple[Claim, ...]:
    """What the source shows, and what holds under any prior."""
    chosen = {prior: shares(made, prior) for prior in PRIORS}
    summed = [counts for prior, counts in chosen.items() if prior.kind == SUMMED]
    last = [draw.shown.merges[-1].gain for draw in made]
    return (
        Claim(
            f"under the source's prior, of some strength, {PAPER} states are chosen in a third of "
            "the data sets",
            any(counts[PAPER] >= len(made) / 3 for counts in summed),
        ),
        Claim(
            f"under {USUAL}, the prior of tc.agglomerate, {TRUE} are in nine data sets of ten",
            chosen[USUAL][TRUE] >= 0.9 * len(made),
        ),
        Claim(
            "under no prior is the variable given up in more than one data set of twenty",
            all(counts[1] <= 0.05 * len(made) for counts in chosen.values()),
        ),
        Claim(
            "merging the last two states costs more than any other step",
            all(
                gain == min(merge.gain for merge in draw.shown.merges)
                for gain, draw in zip(last, made, strict=True)
            ),
        ),
    )


def _remarks(made: Sequence[Draw]) -> tuple[str, ...]:
    held = [draw.first_states for draw in made]
    span = f"{min(held)} to {max(held)}" if min(held) < max(held) else str(held[0])
    return (
        f"The source shows one tree, from which {PAPER} states are cut; the truth has {TRUE}. It "
        "says neither how strong its prior is nor which cases it drew.",
        f"Its neighbours {', '.join(made[0].shown.tree.variables)} have 18 configurations, of "
        f"which {span} occur among {CASES:,} cases; so many are the first states.",
        "A summed prior gives a merged state the prior of all its parts, so that the prior of the "
        "states that are left differs from state to state; per_cell and uniform_k do not.",
    )


def _plain(made: Sequence[Draw]) -> dict[str, Any]:
    rows = [
        {
            "prior": prior.kind,
            "strength": prior.strength,
            "paper": PAPER if prior.kind == SUMMED else None,
            "true": TRUE,
            "states": [draw.states[prior] for draw in made],
        }
        for prior in PRIORS
    ]
    return {
        "rows": rows,
        "first_states": [draw.first_states for draw in made],
        "tree": made[0].shown.to_plain(),
    }
