"""Hidden variables above clusters of what the lines of a network leave over. [HV2 3.5]"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import ColumnError, OptionError, listed, nearest
from tacit.core.network import Network
from tacit.estimate.ideal.clusters import Profiles, best_cluster
from tacit.estimate.scores.values import BIC
from tacit.families.gaussian import LinearGaussian
from tacit.infer.likelihood import log_likelihood
from tacit.infer.prediction import predict
from tacit.learn.counted import cases_used
from tacit.learn.fit import fit
from tacit.learn.fits import Fit
from tacit.learn.hidden import REAL
from tacit.learn.layers.proposed import RealHunt, mean_gain, proposal_of, proposals_of
from tacit.learn.progress import Report
from tacit.learn.structures import as_structure
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals


def above_dag(
    whole: Dataset, train: Dataset, test: Dataset, hunt: RealHunt, told: Report
) -> HiddenProposals:
    """Clusters of variables whose residuals under a network go together, one after the other."""
    dag = _whole_dag(as_structure(hunt.network).dag, whole)
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
        held, error = (None, None) if apart is None else mean_gain(apart)
        good = gain >= hunt.evidence and (held is None or held > 0)
        end = fit(found.network, whole, hidden={name: REAL}, start="given", seed=hunt.seed)
        proposals.append(proposal_of(name, members, (gain, held, error), end, good, 1))
    proposals.sort(key=lambda each: (-each.accepted, -each.gain))
    best = [each for each in proposals if each.accepted][:1]
    proposals = [
        each if each in best or not each.accepted else replace(
            each, accepted=False, why="another gains more; ask again with its network"
        )
        for each in proposals
    ]  # fmt: skip
    end = best[0].fit if best else without_
    return proposals_of(proposals, (end, without_), score, (train, test), hunt)


def _whole_dag(dag: Dag, cases: Dataset) -> Dag:
    """The dag with the columns that it does not name, without arcs."""
    for name in dag.names:
        if name not in cases:
            near = nearest(name, cases.names)
            raise ColumnError(
                f"the dag names {name!r}, which is no column of the cases{near}"
                f"\n\ncolumns: {listed(cases.names)}"
            )
    return Dag({**dag.parents, **{name: () for name in cases.names if name not in dag}})


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
    rows = _residuals(network, cases)
    left = list(range(len(cases.names)))
    for _ in range(most):
        found = best_cluster(Profiles.of(rows[left])) if len(left) > 1 else None
        if found is None or found.score <= 0:
            return
        members = [left[each] for each in found.members]
        yield tuple(cases.names[each] for each in members)
        left = [each for each in left if each not in members]


def _residuals(network: Network, cases: Dataset) -> Floats:
    """(variables, cases) what each family misses, in its standard deviations: the expected residual
    where cells are missing, as the similarity in moment form has it. [HV2 3.6]"""
    told = predict(network, cases) if cases_used(cases).missing else cases
    known = {name: np.asarray(told[name], dtype=np.float64) for name in cases.names}
    rows = []
    for name in cases.names:
        family = network[name]
        if not isinstance(family, LinearGaussian):
            raise OptionError(f"the family of {name!r} is no straight line\n\ngive a dag instead")
        parents = [known[each] for each in family.parents]
        off = known[name] - np.asarray(family.mean(parents, len(cases)))
        rows.append(off / family.sd if family.sd > 0 else np.zeros(len(cases)))
    return np.array(rows)


def _bic(found: Fit, cases: Dataset) -> float:
    """Log-likelihood less the price of the parameters; a hidden root has none of its own."""
    hidden = len(found.settings.get("hidden", ()))
    many = found.network.free_parameters - 2 * hidden
    return found.log_likelihood - BIC().per_parameter(cases.total_weight) * many
