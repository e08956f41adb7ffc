"""Facts about a dag that was searched for: what each arc is worth, and what the rules did."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tacit.knowledge.reasons import Reasons
from tacit.learn.fits import Fit, Stop
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.searched import Arc, Search
from tacit.reporting import sections
from tacit.reporting.turning import CASES, KINDS, NOBODY, RULES, directions, reasons
from tacit.reporting.wording import finite, some

LITTLE = 3.0
"""Nats below which an arc rests on little: a factor of 20 in likelihood, after the price of its
parameters, is what Kass and Raftery (1995) begin to call strong."""
HALF = 0.5
"""The share of bootstrap samples below which a link is doubtful."""
MOST_ABSENT = 50
DRAWN = 12
"""Forbidden arcs that are drawn: those by which the score would gain most."""


def in_short(fit: Search, cases: str) -> list[str]:
    """What was searched for, where, how, and what came of it, in sentences."""
    said, found = fit.settings, fit.found
    extent = f"{some(len(fit.dag.arcs), 'arc')} among {some(len(fit.network), 'variable')}"
    prior = f" and the prior over dags {said['dag_prior']}" if said.get("dag_prior") else ""
    rules = f", under {some(len(found.guidance), 'rule')}" if found.guidance else ""
    method = str(said["method"])
    scored = f"{'and' if ' with ' in method else 'with'} score {said['score']}"
    told = f"Its score is {fit.score:,.1f} nats"
    if said.get("variant") == "bayes" and (found.hidden or any(fit.cases.missing.values())):
        told += ", the Cheeseman-Stutz estimate of the log marginal likelihood"
    if fit.stop is Stop.PROVEN:
        told += ", and it is proven to be the best dag of its kind"
    sentences = [
        f"A dag of {extent} was learned from {cases} by {method} {scored}{prior}{rules}.",
        f"{told}.",
    ]
    if (sure := fit.confidence) is not None and sure.replicates and fit.dag.arcs:
        real = sum(sure.link(*arc) >= sure.threshold for arc in fit.dag.arcs)
        sentences.append(
            f"{real:,} of its {some(len(fit.dag.arcs), 'arc')} {'joins' if real == 1 else 'join'} "
            f"variables that {sure.threshold:.0%} or more of "
            f"{some(sure.replicates, 'bootstrap sample')} link: from there on links are taken for "
            "real."
        )
    return sentences


def network(fit: Fit) -> dict[str, Any]:
    """The section on the network; after a search its arcs are marked, forbidden ones added.

    An arc has `required`, whether rules demand it, and `direction`: who says which way it points
    (see `turning.directions`). Where it is not computed what it carries, `per_case` stands for
    that in the drawing: what the score gains by it, per case. `missed` are forbidden arcs that the
    score would gain by.
    """
    section = sections.network(fit)
    if not isinstance(fit, Search):
        return section
    towards = directions(fit)
    for arc in section["arcs"]:
        pair = (arc["parent"], arc["child"])
        arc |= {"required": pair in fit.found.required, "direction": towards[pair]}
        if "information" in arc["unsaid"] and fit.cases.weight:
            arc["per_case"] = finite(max(0.0, fit.gains.get(pair, 0.0)) / fit.cases.weight)
    missed = sorted(fit.found.missed.items(), key=lambda one: -one[1])[:DRAWN]
    section["missed"] = [_gain(pair, gain) for pair, gain in missed]
    return section


def arcs(fit: Fit) -> dict[str, Any] | None:
    """`arcs`, those that the score gains most by first: what is known of each of them.

    gain       what the score would lose if this arc alone were left out, in nats
    link, this_way  the share of the bootstrap samples that join the two, and of those the share
                    that have the arc this way; None where nobody asked
    required   the rule that demands it, or None
    direction  who says which way it points: cases, kinds, rules or nobody
    `directions` counts them; `absent` are links of half of the samples or more that the dag has
    not; `families` is what each variable with its parents adds to the score.
    """
    if not isinstance(fit, Search) or not fit.dag.arcs:
        return None
    towards, sure = directions(fit), fit.confidence
    order = sorted(fit.dag.arcs, key=lambda arc: (-fit.gains.get(arc, np.inf), arc))
    count = Counter(towards.values())
    return {
        "score": finite(fit.score),
        "little": LITTLE,
        "replicates": None if sure is None else sure.replicates,
        "threshold": None if sure is None else finite(sure.threshold),
        "directions": {who: count[who] for who in (CASES, KINDS, RULES, NOBODY)},
        "arcs": [
            {
                "parent": arc[0],
                "child": arc[1],
                "gain": finite(fit.gains.get(arc)),
                "link": None if sure is None else finite(sure.link(*arc)),
                "this_way": None if sure is None else finite(sure.direction(*arc)),
                "required": fit.found.required.get(arc),
                "direction": towards[arc],
            }
            for arc in order
        ],
        "absent": absent(fit),
        "families": [
            {"variable": name, "score": finite(worth)} for name, worth in fit.found.families.items()
        ],
    }


def absent(fit: Search) -> list[dict[str, Any]]:
    """Links of half of the bootstrap samples or more that the dag has not, the surest first."""
    sure = fit.confidence
    if sure is None:
        return []
    joined = np.triu(sure.shares + sure.shares.T, 1)
    here = {frozenset(arc) for arc in fit.dag.arcs}
    pairs = (
        (sure.names[one], sure.names[other])
        for one, other in zip(*map(np.ndarray.tolist, np.nonzero(joined >= HALF)), strict=True)
    )
    found = [_link(sure, pair) for pair in pairs if frozenset(pair) not in here]
    return sorted(found, key=lambda link: -link["link"])[:MOST_ABSENT]


def _link(sure: ArcConfidence, pair: Arc) -> dict[str, Any]:
    tail, head = pair if sure.arc(*pair) >= sure.arc(*pair[::-1]) else pair[::-1]
    return {
        "parent": tail,
        "child": head,
        "link": sure.link(tail, head),
        "this_way": sure.direction(tail, head),
    }


def guidance(fit: Fit) -> dict[str, Any] | None:
    """What the rules did to the dag: `guidance` says of every rule what it forced or forbade.

    `required` are the arcs that rules demand, dear ones first, with the rule and what the score
    gains by them: below 0 it would be higher without. `missed` are arcs that rules forbid though
    the score would gain, with a rule that does.
    """
    if not isinstance(fit, Search) or not fit.found.guidance:
        return None
    found, known = fit.found, reasons(fit)
    required = [
        {**_gain(arc, fit.gains.get(arc)), "rule": rule} for arc, rule in found.required.items()
    ]
    return {
        "guidance": list(found.guidance),
        "required": sorted(
            required, key=lambda one: np.inf if one["gain"] is None else one["gain"]
        ),
        "missed": [
            {**_gain(arc, gain), "rule": forbidding(known, arc)}
            for arc, gain in sorted(found.missed.items(), key=lambda one: -one[1])
        ],
    }


def forbidding(known: Reasons | None, arc: Arc) -> str | None:
    """The rule that rules this arc out, as it was written."""
    if known is None:
        return None
    tail, head = (known.names.index(name) for name in arc)
    number = int(known.forbidding[tail, head])
    return " ".join(known.rules[number].text.split()) if number >= 0 else None


def _gain(arc: Arc, gain: float | None) -> dict[str, Any]:
    return {"parent": arc[0], "child": arc[1], "gain": finite(gain)}
