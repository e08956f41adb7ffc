"""Facts about proposed hidden variables: place, states, gain, how sure, and what was tried."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any

from tacit.core.errors import quoted
from tacit.learn.fits import Fit, Stop
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals
from tacit.reporting import sections, unseen
from tacit.reporting.wording import finite, joined, some

PRICED = ("BIC(", "AIC(", "MDL(", "QNML(")
MOST_CANDIDATES = 500
"""Lines of the log that a report holds."""
SURE = 700.0
"""Nats from which odds are no number a machine holds."""


def proposals(fit: Fit) -> dict[str, Any] | None:
    """`proposals`, those accepted first: what each is worth, and what it is.

    gain, held_out_gain  over the best network without it: in nats, and in nats per case held out
    curve     [states, gain]: what other numbers of states would gain in its place
    merging   {first, states, curve}: the score of merged states above that of one, by their number
    stability  {below, agree, merged}: where EM ended from random starts, and with which agreement
    variable, network  as in the sections on hidden variables and on the network, of its own fit
    `priced` names a score that takes off the price of parameters. `candidates` is the log;
    `more` of its lines were left out.
    """
    if not isinstance(fit, HiddenProposals):
        return None
    hunt, search = fit.hunt, fit.settings.get("hidden_search", {})
    log = [_candidate(each) for each in hunt.candidates[:MOST_CANDIDATES]]
    return {
        "learned_from": hunt.learned_from,
        "held_out": hunt.held_out,
        "score_without": finite(hunt.score_without),
        "evidence": search.get("evidence"),
        "priced": priced(fit),
        "proposals": [_proposal(each) for each in fit],
        "candidates": log,
        "more": len(hunt.candidates) - len(log),
    }


def priced(fit: Fit) -> str | None:
    """The score of a search that takes off the price of parameters, as Python writes it; None where
    a prior scores, as among columns that all have states."""
    search = fit.settings.get("hidden_search", {})
    score = str(fit.settings.get("score", search.get("score", "")))
    return score if score.startswith(PRICED) else None


def _proposal(proposal: HiddenProposal) -> dict[str, Any]:
    name, stability, merging = proposal.name, proposal.stability, proposal.merging
    return {
        "name": name,
        "accepted": proposal.accepted,
        "why": proposal.why,
        "children": list(proposal.children),
        "parents": list(proposal.parents),
        "states": list(proposal.profile.states),
        "gain": finite(proposal.gain),
        "held_out_gain": finite(proposal.held_out_gain),
        "held_out_error": finite(proposal.held_out_error),
        "source": proposal.source,
        "around": list(proposal.around),
        "round": proposal.turn,
        "merged": proposal.merged,
        "curve": _curve(proposal.curve),
        "merging": None
        if merging is None
        else {
            "first": merging.first,
            "states": merging.states,
            "curve": _curve(merging.curve),
        },
        "stability": None
        if stability is None
        else {
            "below": [finite(each) for each in stability.below],
            "agree": list(stability.agree),
            "merged": finite(stability.merged),
            "reached": stability.reached,
        },
        "variable": unseen.variable(proposal.fit, name, []),
        "network": _around(proposal.fit, name),
    }


def _curve(curve: Mapping[int, float]) -> list[list[float | None]]:
    return [[states, finite(gain)] for states, gain in sorted(curve.items())]


def _around(fit: Fit, name: str) -> dict[str, Any]:
    """The variable with its parents and children, as the section on the network has it."""
    whole, dag = sections.network(fit), fit.network.dag
    near = {name, *dag.parents[name], *dag.children[name]}
    return {
        "variables": [one for one in whole["variables"] if one["name"] in near],
        "arcs": [arc for arc in whole["arcs"] if name in (arc["parent"], arc["child"])],
    }


def _candidate(candidate: Any) -> dict[str, Any]:
    return {
        "round": candidate.turn,
        "children": list(candidate.children),
        "moved": candidate.moved,
        "source": candidate.source,
        "states": candidate.states,
        "ended_with": list(candidate.ended_with),
        "gain": finite(candidate.gain),
        "verdict": candidate.verdict,
    }


def in_short(fit: HiddenProposals, cases: str) -> list[str]:
    """What was found and what it is worth, in sentences."""
    hunt, accepted = fit.hunt, fit.accepted
    candidates = some(len(hunt.candidates), "candidate")
    tried = [f"{candidates} {_were(hunt.candidates)} tried."] if hunt.candidates else []
    if not accepted:
        why = f"{cases} do not ask for one"
        if fit.stop is Stop.INTERRUPTED:
            why = "the search was ended before it came to one"
        told = [" ".join([f"No hidden variable was accepted: {why}.", *tried])]
        return [*told, *([_next_best(fit[0])] if fit else [])]
    if len(accepted) == 1:
        told = [f"{_asked(accepted[0])} a variable that nobody measured: {_placed(accepted[0])}."]
    else:
        placed = "; ".join(map(_placed, accepted))
        told = [
            f"{some(len(accepted), 'variable')} that nobody measured are in the network: {placed}."
        ]
    told += [_worth(each, fit) for each in accepted]
    return [*told, *tried]


def _were(things: Any) -> str:
    return "was" if len(things) == 1 else "were"


def _asked(proposal: HiddenProposal) -> str:
    return "An expert fixed" if proposal.why.startswith("fixed") else "The cases ask for"


def _placed(proposal: HiddenProposal) -> str:
    """`H, with 3 states, parent of Cough, Fever and Rash`."""
    kind = f"with {some(proposal.states, 'state')}" if proposal.states else "continuous"
    told = f"{quoted(proposal.name)}, {kind}"
    if proposal.parents:
        told += f", child of {joined(map(quoted, proposal.parents), 6)}"
        return f"{told} and parent of {joined(map(quoted, proposal.children), 8)}"
    return f"{told}, parent of {joined(map(quoted, proposal.children), 8)}"


def _worth(proposal: HiddenProposal, fit: HiddenProposals) -> str:
    """What an accepted variable gains, on cases that it was learned from and on others."""
    told = (
        f"{quoted(proposal.name)} makes {some(fit.hunt.learned_from, 'case')} that it was learned "
        f"from {_more(proposal.gain)} probable than the best network without it"
    )
    if proposal.held_out_gain is None:
        return f"{told}; no cases were held out to judge it by."
    error = "" if proposal.held_out_error is None else f" ± {proposal.held_out_error:.4f}"
    return (
        f"{told}, and {some(fit.hunt.held_out, 'case')} held out by "
        f"{proposal.held_out_gain:+.4f}{error} nats each."
    )


def _more(gain: float) -> str:
    """`11.6 nats, a factor of 109,000, more`."""
    factor = f", a factor of {_round(exp(abs(gain)))}," if 0.1 < abs(gain) < SURE else ""
    return f"{abs(gain):,.1f} nats{factor} {'more' if gain >= 0 else 'less'}"


def _round(value: float) -> str:
    return f"{float(f'{value:.2g}'):,.0f}" if 10 <= value < 1e7 else f"{value:.2g}"


def _next_best(proposal: HiddenProposal) -> str:
    held = ""
    if proposal.held_out_gain is not None:
        held = f", {proposal.held_out_gain:+.4f} nats per case held out"
    return (
        f"The best was {_placed(proposal)} ({proposal.gain:+,.1f} nats{held}); it was left out, "
        f"since {proposal.why}."
    )
