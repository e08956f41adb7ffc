"""Proposals of hidden variables without states: above continuous columns that miss the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.interrupts import Asked, asked_to_end
from tacit.estimate.scores.values import BIC
from tacit.learn.fits import Stop
from tacit.learn.layers.above_dag import above_dag
from tacit.learn.layers.answered import Wanted, answer, bench_of, hidden_names, wanted_of
from tacit.learn.layers.changing import Bench
from tacit.learn.layers.fitting import Fitted, em
from tacit.learn.layers.learning import Learned, learn_layers
from tacit.learn.layers.model import Layer, believe
from tacit.learn.layers.proposed import RealHunt, mean_gain, proposal_of, proposals_of
from tacit.learn.progress import Report
from tacit.learn.structure.question import without
from tacit.learn.structure.searched import Search
from tacit.learn.structure.sem_reals_front import check_reals
from tacit.learn.structure.settings import IdealParent
from tacit.learn.unseen.parting import check_told
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals


def refuse_for_reals(wishes: Mapping[str, Any]) -> None:
    """Nothing, or an error about what only hidden variables with states can be asked."""
    for option, wish in wishes.items():
        if wish:
            raise OptionError(
                f"{option}= speaks of hidden variables with states, and all columns are "
                "continuous\n\nleave it out, or say how many states they have: states=2"
            )


def propose_reals(cases: Dataset, hunt: RealHunt, told: Report) -> HiddenProposals:
    """Hidden parents one after the other, as two layers of lines have them; or, with a network,
    above clusters of its variables whose residuals go together, its arcs staying. [HV2 3.5, 3.8]"""
    kept = without(cases, hunt.leave_out)
    if not (isinstance(hunt.held_out, int | float) and 0 <= hunt.held_out < 1):
        raise OptionError(f"held_out={hunt.held_out!r} must be a share of the cases, below 1")
    check_reals(kept, BIC())
    order = np.random.default_rng(hunt.seed).permutation(len(kept))
    many = round(hunt.held_out * len(kept))
    train, test = kept.take(np.sort(order[many:])), kept.take(np.sort(order[:many]))
    check_told(train)
    with asked_to_end() as asked:
        if hunt.network is None:
            return _layers(kept, train, test, hunt, told, asked)
        return above_dag(kept, train, test, hunt, told, asked)


def _layers(
    whole: Dataset, train: Dataset, test: Dataset, hunt: RealHunt, told: Report, asked: Asked
) -> HiddenProposals:
    method = IdealParent(hidden=True, most_hidden=hunt.most)
    wanted = wanted_of(train, method, BIC(), None, (), hunt.seed)
    bench, steps = bench_of(wanted), list[Fitted]()

    def heard(many: int, worth: float) -> None:
        told(many, hunt.most, worth)
        if asked():
            raise KeyboardInterrupt

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
        worth = (gain, held, error)
        proposals.append(proposal_of(name, children, worth, fits[at + 1], open_, at + 1))
        before = after
    accepted = sum(each.accepted for each in proposals)
    ends = (fits[accepted], fits[0])
    stop = learned.stop if learned.stop is Stop.INTERRUPTED else Stop.CONVERGED
    return proposals_of(proposals, ends, bench.worth(empty), (train, test), hunt, stop)


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
    return mean_gain(apart)
