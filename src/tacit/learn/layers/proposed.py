"""Hidden variables without states as proposals: what each is worth, and the fit with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import count
from typing import Any, TypeAlias

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import EstimateError, TacitError
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.core.options import is_number
from tacit.estimate.estimates import ML
from tacit.estimate.scores.values import BIC
from tacit.infer.information import mutual_information
from tacit.infer.likelihood import log_likelihood
from tacit.learn.averaged import average_and_error
from tacit.learn.fit import fit
from tacit.learn.fits import Fit, Stop
from tacit.learn.hidden import REAL
from tacit.learn.methods import EM
from tacit.learn.origins import judged_by
from tacit.learn.structures import as_structure
from tacit.learn.unseen.asking import OTHERS, Said, check_numbers, check_words
from tacit.learn.unseen.hunting import UNSAID
from tacit.learn.unseen.profile import CHILD, Neighbour, Profile
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals, Hunt

CLUSTER = "columns that miss the same"


@dataclass(frozen=True, slots=True, eq=False)
class RealHunt:
    """What `propose_hidden` asks where all columns are continuous.

    held_out  the share of the cases to judge by, or cases of their own
    evidence  what one must gain to be accepted, in nats
    most      hidden variables at most
    columns   which columns were left out, set aside or kept all the same
    """

    network: Any
    name: str
    evidence: float
    held_out: Any
    most: int
    columns: Mapping[str, Any]
    seed: int


def hunt_of(said: Said) -> RealHunt:
    """What was asked, checked."""
    check_numbers(said)
    check_words(said, said.columns.cases)
    return RealHunt(
        said.network, said.name, said.evidence, said.held_out, said.most,
        said.columns.settings, said.seed,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """All cases; those to learn from; those to judge by, if there are any."""

    whole: Dataset
    train: Dataset
    test: Dataset | None


Held: TypeAlias = tuple[float | None, float | None]
"""How much more probable cases held out became, a case, and its standard error."""


def held_out(network: Network, before: Network, cases: Dataset | None) -> Held:
    """What cases held out say of a network in the place of another."""
    if cases is None:
        return None, None
    here, there = (log_likelihood(each, cases).per_case for each in (network, before))
    return average_and_error(here - there, cases.weights)


def enough(gain: float, held: Held, evidence: float) -> bool:
    """Whether something gains enough and cases held out confirm it."""
    return gain >= evidence and (held[0] is None or held[0] > 0)


def bic_of(found: Fit, cases: Dataset) -> float:
    """Log-likelihood less the price of the parameters; a hidden root has none of its own."""
    hidden = [name for name in found.network if name not in cases]
    many = found.network.free_parameters - 2 * len(hidden)
    return found.log_likelihood - BIC().per_parameter(cases.total_weight) * many


def led(
    start: Network | Dag, cases: Dataset, hidden: Sequence[str], seed: int, method: EM | None = None
) -> Fit | None:
    """The most likely numbers, by EM from a network or from starts of its own in a dag; None where
    some noise shrinks to nothing and nothing is most likely."""
    given = isinstance(start, Network)
    try:
        return fit(
            start, cases, hidden=dict.fromkeys(hidden, REAL), start="given" if given else None,
            estimate=ML(), method=method or EM(restarts=1 if given else None), seed=seed,
            progress=False,
        )  # fmt: skip
    except EstimateError:
        return None


def fitted_to_all(network: Network, cases: Dataset, hidden: Sequence[str], seed: int) -> Fit:
    """The network fitted to all cases, from its own numbers."""
    unseen = dict.fromkeys(hidden, REAL)
    return fit(network, cases, hidden=unseen, start="given", seed=seed, progress=False)


def free_names(taken: Sequence[str], stem: str) -> Iterator[str]:
    """H, H2, H3, ..., none of them taken, without end."""
    numbered = (f"{stem}{number}" if number > 1 else stem for number in count(1))
    return (name for name in numbered if name not in taken)


def proposal_of(
    name: str,
    children: tuple[str, ...],
    told: tuple[float, float | None, float | None],
    found: Fit,
    accepted: bool,
    turn: int,
    source: str = CLUSTER,
) -> HiddenProposal:
    """A proposal; `told` is its gain, that held out, and the error of this."""
    gain, held, error = told
    why = "accepted" if accepted else "it gains too little, or cases held out do not confirm it"
    return HiddenProposal(
        name=name, children=children, parents=(), states=0, gain=gain, held_out_gain=held,
        held_out_error=error, fit=found, profile=profile_of(found.network, name),
        accepted=accepted, why=why, source=source, around=children, turn=turn, merged=0, curve={},
    )  # fmt: skip


def profile_of(network: Network, name: str) -> Profile:
    """What each child and the hidden variable tell of each other."""
    near = []
    for child in network.dag.children[name]:
        try:
            told = mutual_information(network, name, child)
        except TacitError:  # a child without noise tells all there is
            told = float("inf")
        near.append(Neighbour(child, CHILD, (), told, np.zeros((0, 0)), np.zeros(0)))
    near.sort(key=lambda each: -each.information)
    return Profile(name, (), np.zeros(0), tuple(near))


def proposals_of(
    proposals: Sequence[HiddenProposal],
    fits: tuple[Fit, Fit],
    score: float,
    parts: Parts,
    asked: RealHunt,
    stop: Stop,
    notes: Sequence[str] = (),
) -> HiddenProposals:
    """All proposals with the fit of the network with those accepted, and of that without any."""
    end, without_ = fits
    judged = 0 if parts.test is None else len(parts.test)
    hunt = Hunt(tuple(proposals), (), without_, score, len(parts.train), judged)
    kept = {each.name: getattr(end, each.name) for each in fields(Fit)}
    refused = sum(not each.accepted for each in proposals)
    more = (f"{counted(refused, 'proposal')} not accepted",) if refused else ()
    if len(proposals) - refused == asked.most > 0:
        more = (*more, f"as many were accepted as most={asked.most} allows; there may be more")
    kept |= {
        "notes": (*(note for note in end.notes if note not in UNSAID), *notes, *more),
        "stop": stop,
        "seed": asked.seed,
        "settings": {**end.settings, "hidden_search": _said(asked)},
    }
    return HiddenProposals(**kept, hunt=hunt)


def _said(asked: RealHunt) -> dict[str, Any]:
    """What was asked, as the settings of any search for hidden variables tell it."""
    begun_at = "" if asked.network is None else str(as_structure(asked.network).dag)
    return {
        "name": asked.name, "variant": "staged", "most": asked.most, "most_states": 10,
        "evidence": asked.evidence, "tries": 12, "shown": 3, "bootstrap": 20, "threshold": 0.4,
        "least": 4, "restarts": 5, "held_out": _share(asked.held_out),
        "score": BIC().describe(), "named": [], "states": None, "refused": [],
        "left_out": [], **asked.columns, "begun_at": begun_at, **judged_by(asked.held_out),
    }  # fmt: skip


def _share(held_out: Any) -> Any:
    return float(held_out or 0) if held_out is None or is_number(held_out) else OTHERS
