"""Hidden variables without states as proposals: what each is worth, and the fit with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.families.gaussian import LinearGaussian
from tacit.infer.sampling import fresh_seed
from tacit.learn.fits import Fit, Stop
from tacit.learn.structures import as_structure
from tacit.learn.unseen.hunting import UNSAID
from tacit.learn.unseen.profile import CHILD, Neighbour, Profile
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals, Hunt

CLUSTER = "columns that miss the same"


@dataclass(frozen=True, slots=True, eq=False)
class RealHunt:
    """What `propose_hidden` asks where all columns are continuous.

    held_out  the share of the cases to judge by
    evidence  what one must gain to be accepted, in nats
    most      hidden variables at most
    """

    network: Any
    name: str
    evidence: float
    held_out: float
    most: int
    leave_out: Sequence[str]
    seed: int


def hunt_of(
    network: Any, name: str, evidence: float, held_out: Any, most: int, leave_out: Sequence[str],
    seed: int | None,
) -> RealHunt:  # fmt: skip
    """What was asked, with a seed of its own where none was given."""
    return RealHunt(network, name, evidence, held_out, most, leave_out, fresh_seed(seed))


def mean_gain(apart: np.ndarray) -> tuple[float, float | None]:
    error = float(apart.std(ddof=1) / np.sqrt(apart.size)) if apart.size > 1 else None
    return float(apart.mean()), error


def proposal_of(
    name: str,
    children: tuple[str, ...],
    told: tuple[float, float | None, float | None],
    found: Fit,
    accepted: bool,
    turn: int,
) -> HiddenProposal:
    """A proposal; `told` is its gain, that held out, and the error of this."""
    gain, held, error = told
    why = "accepted" if accepted else "it gains too little, or cases held out do not confirm it"
    return HiddenProposal(
        name=name, children=children, parents=(), states=0, gain=gain, held_out_gain=held,
        held_out_error=error, fit=found, profile=profile_of(found.network, name),
        accepted=accepted, why=why, source=CLUSTER, around=children, turn=turn, merged=0, curve={},
    )  # fmt: skip


def profile_of(network: Network, name: str) -> Profile:
    """What each child and the hidden variable tell of each other: -log(1 - r²) / 2, r their
    correlation where only this parent speaks."""
    near = []
    for child in network.dag.children[name]:
        family = network[child]
        assert isinstance(family, LinearGaussian)
        root = network[name]
        sd = root.sd if isinstance(root, LinearGaussian) else 1.0
        slope = float(family.coefficients[family.parents.index(name)]) * sd
        told = 0.5 * float(np.log1p(slope**2 / family.sd**2)) if family.sd > 0 else np.inf
        near.append(Neighbour(child, CHILD, (), told, np.zeros((0, 0)), np.zeros(0)))
    near.sort(key=lambda each: -each.information)
    return Profile(name, (), np.zeros(0), tuple(near))


def proposals_of(
    proposals: Sequence[HiddenProposal],
    fits: tuple[Fit, Fit],
    score: float,
    parts: tuple[Dataset, Dataset],
    asked: RealHunt,
    stop: Stop,
) -> HiddenProposals:
    """All proposals with the fit of the network with those accepted, and of that without any."""
    end, without_ = fits
    hunt = Hunt(tuple(proposals), (), without_, score, len(parts[0]), len(parts[1]))
    kept = {each.name: getattr(end, each.name) for each in fields(Fit)}
    refused = sum(not each.accepted for each in proposals)
    more = (f"{counted(refused, 'proposal')} not accepted",) if refused else ()
    if len(proposals) - refused == asked.most > 0:
        more = (*more, f"as many were accepted as most={asked.most} allows; there may be more")
    kept |= {
        "notes": (*(note for note in end.notes if note not in UNSAID), *more),
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
        "least": 4, "restarts": 5, "held_out": asked.held_out, "score": "BDeu(5)", "named": [],
        "states": None, "refused": [], "left_out": list(asked.leave_out), "begun_at": begun_at,
    }  # fmt: skip
