"""Proposals of hidden variables without states: above continuous columns that miss the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import MissingError, OptionError
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.estimate.ideal.clusters import Profiles, best_cluster
from tacit.estimate.scores.values import BIC
from tacit.families.gaussian import LinearGaussian
from tacit.infer.likelihood import log_likelihood
from tacit.infer.sampling import fresh_seed
from tacit.learn.fit import fit
from tacit.learn.fits import Fit, Stop
from tacit.learn.hidden import REAL
from tacit.learn.layers.answered import Wanted, answer, bench_of, hidden_names, wanted_of
from tacit.learn.layers.changing import Bench
from tacit.learn.layers.fitting import Fitted, em
from tacit.learn.layers.learning import Learned, learn_layers
from tacit.learn.layers.model import Layer, believe
from tacit.learn.progress import Report
from tacit.learn.structure.question import without
from tacit.learn.structure.searched import Search
from tacit.learn.structure.settings import IdealParent
from tacit.learn.structures import as_structure
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


def refuse_for_reals(wishes: Mapping[str, Any]) -> None:
    """Nothing, or an error about what only hidden variables with states can be asked."""
    for option, wish in wishes.items():
        if wish:
            raise OptionError(
                f"{option}= speaks of hidden variables with states, and all columns are "
                "continuous\n\nleave it out"
            )


def propose_reals(cases: Dataset, hunt: RealHunt, told: Report) -> HiddenProposals:
    """Hidden parents one after the other, as two layers of lines have them; or, with a network,
    above clusters of its variables whose residuals go together, its arcs staying. [HV2 3.5, 3.8]"""
    kept = without(cases, hunt.leave_out)
    if any(kept.missing().values()):
        raise MissingError(
            "hidden variables above continuous columns are sought among cases without gaps"
        )
    if not (isinstance(hunt.held_out, int | float) and 0 <= hunt.held_out < 1):
        raise OptionError(f"held_out={hunt.held_out!r} must be a share of the cases, below 1")
    order = np.random.default_rng(hunt.seed).permutation(len(kept))
    many = round(hunt.held_out * len(kept))
    train, test = kept.take(np.sort(order[many:])), kept.take(np.sort(order[:many]))
    if hunt.network is None:
        return _layers(kept, train, test, hunt, told)
    return _within(kept, train, test, hunt, told)


def _layers(
    whole: Dataset, train: Dataset, test: Dataset, hunt: RealHunt, told: Report
) -> HiddenProposals:
    method = IdealParent(hidden=True, most_hidden=hunt.most)
    wanted = wanted_of(train, method, BIC(), None, (), hunt.seed)
    bench, steps = bench_of(wanted), list[Fitted]()

    def heard(many: int, worth: float) -> None:
        told(many, hunt.most, worth)

    learned = learn_layers(bench, wanted.codes, heard, steps)
    everything = wanted_of(whole, method, BIC(), None, (), hunt.seed)
    empty = Fitted.at(Layer.empty(wanted.codes, bench.columns), bench.columns)
    fits = [_answered(everything, each, learned) for each in (empty, *steps)]
    before, proposals = empty, list[HiddenProposal]()
    open_ = True
    for at, after in enumerate(steps):
        gain = bench.worth(after) - bench.worth(before)
        held, error = _held(wanted, bench, before, after, test)
        open_ = open_ and gain >= hunt.evidence and (held is None or held > 0)
        name = hidden_names(whole.names, at + 1)[-1]
        children = tuple(fits[at + 1].dag.children[name])
        proposals.append(_proposal(name, children, gain, held, error, fits[at + 1], open_, at + 1))
        before = after
    accepted = sum(each.accepted for each in proposals)
    return _proposals(proposals, (fits[accepted], fits[0]), bench.worth(empty), (train, test), hunt)


def _answered(wanted: Wanted, fitted: Fitted, learned: Learned) -> Search:
    """Layers that were learned from some cases, fitted to all of them."""
    bench = bench_of(wanted)
    whole = em(Fitted.at(fitted.layer, bench.columns), bench.columns)
    one = Learned(whole, (bench.worth(whole),), learned.stop)
    return answer(wanted, bench, one)


def _held(
    wanted: Wanted, bench: Bench, before: Fitted, after: Fitted, test: Dataset
) -> tuple[float | None, float | None]:
    """How much more probable cases held out became, in nats a case, and its error."""
    del bench
    if not len(test):
        return None, None
    values = np.array([test[name] for name in test.names], dtype=np.float64)
    columns = (values - wanted.scaled.means[:, None]) / wanted.scaled.sds[:, None]
    apart = believe(after.layer, columns).evidence - believe(before.layer, columns).evidence
    return _mean(apart)


def _mean(apart: np.ndarray) -> tuple[float, float | None]:
    error = float(apart.std(ddof=1) / np.sqrt(apart.size)) if apart.size > 1 else None
    return float(apart.mean()), error


def _within(
    whole: Dataset, train: Dataset, test: Dataset, hunt: RealHunt, told: Report
) -> HiddenProposals:
    """Clusters of variables whose residuals under a network go together, one after the other."""
    dag = as_structure(hunt.network).dag
    base = fit(dag, train)
    score = _bic(base, train)
    without_, proposals = fit(dag, whole), list[HiddenProposal]()
    names = _free_names(whole, hunt)
    for at, members in enumerate(_clusters(base.network, train, hunt.most)):
        name = names[at]
        told(at, hunt.most, score)
        arcs = {each: dag.parents.get(each, ()) for each in dag.names}
        arcs |= {each: (*arcs[each], name) for each in members}
        widened = Dag({name: (), **arcs})
        found = fit(widened, train, hidden={name: REAL}, seed=hunt.seed, progress=False)
        gain = _bic(found, train) - score
        apart = None
        if len(test):
            after = log_likelihood(found.network, test).per_case
            apart = after - log_likelihood(base.network, test).per_case
        held, error = (None, None) if apart is None else _mean(apart)
        good = gain >= hunt.evidence and (held is None or held > 0)
        end = fit(found.network, whole, hidden={name: REAL}, start="given", seed=hunt.seed)
        proposals.append(_proposal(name, members, gain, held, error, end, good, 1))
    proposals.sort(key=lambda each: (-each.accepted, -each.gain))
    best = [each for each in proposals if each.accepted][:1]
    proposals = [
        each if each in best or not each.accepted else replace(
            each, accepted=False, why="another gains more; ask again with its network"
        )
        for each in proposals
    ]  # fmt: skip
    end = best[0].fit if best else without_
    return _proposals(proposals, (end, without_), score, (train, test), hunt)


def _free_names(cases: Dataset, hunt: RealHunt) -> list[str]:
    taken, found, number = set(cases.names), list[str](), 0
    while len(found) < hunt.most:
        number += 1
        name = hunt.name if number == 1 else f"{hunt.name}{number}"
        if name not in taken:
            found.append(name)
    return found


def _clusters(network: Network, cases: Dataset, most: int) -> Iterator[tuple[str, ...]]:
    """Disjoint clusters of residuals that are worth more than their coefficients."""
    rows = []
    for name in cases.names:
        family = network[name]
        if not isinstance(family, LinearGaussian):
            raise OptionError(f"the family of {name!r} is no straight line\n\ngive a dag instead")
        parents = [cases[each] for each in family.parents]
        rows.append(np.asarray(cases[name] - family.mean(parents, len(cases))))
    residuals = np.array(rows)
    spread = np.sqrt((residuals**2).mean(axis=1, keepdims=True))
    residuals = residuals / np.where(spread > 0, spread, 1.0)
    left = list(range(len(cases.names)))
    for _ in range(most):
        found = best_cluster(Profiles.of(residuals[left])) if len(left) > 1 else None
        if found is None or found.score <= 0:
            return
        members = [left[each] for each in found.members]
        yield tuple(cases.names[each] for each in members)
        left = [each for each in left if each not in members]


def _bic(found: Fit, cases: Dataset) -> float:
    """Log-likelihood less the price of the parameters; a hidden root has none of its own."""
    hidden = len(found.settings.get("hidden", ()))
    many = found.network.free_parameters - 2 * hidden
    return found.log_likelihood - BIC().per_parameter(cases.total_weight) * many


def _proposal(
    name: str,
    children: tuple[str, ...],
    gain: float,
    held: float | None,
    error: float | None,
    found: Fit,
    accepted: bool,
    turn: int,
) -> HiddenProposal:
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


def _proposals(
    proposals: Sequence[HiddenProposal],
    fits: tuple[Fit, Fit],
    score: float,
    parts: tuple[Dataset, Dataset],
    asked: RealHunt,
) -> HiddenProposals:
    """All proposals with the fit of the network with those accepted, and of that without any."""
    end, without_ = fits
    hunt = Hunt(tuple(proposals), (), without_, score, len(parts[0]), len(parts[1]))
    kept = {each.name: getattr(end, each.name) for each in fields(Fit)}
    refused = sum(not each.accepted for each in proposals)
    more = (f"{counted(refused, 'proposal')} not accepted",) if refused else ()
    kept |= {
        "notes": (*end.notes, *more),
        "stop": Stop.CONVERGED,
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


def hunt_of(
    network: Any, name: str, evidence: float, held_out: Any, most: int, leave_out: Sequence[str],
    seed: int | None,
) -> RealHunt:  # fmt: skip
    """What was asked, with a seed of its own where none was given."""
    return RealHunt(network, name, evidence, held_out, most, leave_out, fresh_seed(seed))
