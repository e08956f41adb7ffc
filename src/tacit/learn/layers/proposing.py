"""Proposals of hidden variables without states: above continuous columns that miss the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.interrupts import Asked, asked_to_end
from tacit.core.network import Network
from tacit.estimate.estimates import ML
from tacit.estimate.scores.values import BIC
from tacit.learn.counted import cases_used
from tacit.learn.fit import fit
from tacit.learn.fits import Fit, Stop
from tacit.learn.layers.above_dag import above_dag
from tacit.learn.layers.answered import answer, bench_of, copies, wanted_of
from tacit.learn.layers.fitting import Fitted
from tacit.learn.layers.learning import Learned, learn_layers
from tacit.learn.layers.one_more import Ground, best_with_one_more
from tacit.learn.layers.proposed import (
    Held,
    Parts,
    RealHunt,
    bic_of,
    enough,
    fitted_to_all,
    free_names,
    held_out,
    proposal_of,
    proposals_of,
)
from tacit.learn.progress import Report
from tacit.learn.structure.search import search
from tacit.learn.structure.searched import Search
from tacit.learn.structure.sem_reals_front import check_reals
from tacit.learn.structure.settings import IdealParent, Tabu
from tacit.learn.structure.structural_em import structural_em
from tacit.learn.unseen.parting import check_told, parted
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals


def refuse_for_reals(wishes: Mapping[str, Any]) -> None:
    """Nothing, or an error about what only hidden variables with states can be asked."""
    for option, wish in wishes.items():
        if wish:
            raise OptionError(
                f"{option}= speaks of hidden variables with states, and all columns are "
                "continuous\n\nleave it out, or say how many states they have: states=2"
            )


def propose_reals(kept: Dataset, hunt: RealHunt, told: Report) -> HiddenProposals:
    """Hidden parents one after the other, above columns that are linked as children of one are, or
    as two layers of lines have them; or, with a network, above clusters of its variables whose
    residuals go together, its arcs staying. [HV1 3.4; HV2 3.5, 3.8]"""
    check_reals(kept, BIC())
    train, test = parted(kept, hunt.held_out, hunt.seed)
    check_told(train)
    parts = Parts(kept, train, test)
    with asked_to_end() as asked:
        if hunt.network is None:
            return _rounds(parts, hunt, told, asked)
        return above_dag(parts, hunt, told, asked)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """The best network with one more hidden variable.

    gain  its BIC above that of the best network before it; held: on cases held out
    """

    name: str
    after: Ground
    gain: float
    held: Held


def _rounds(parts: Parts, hunt: RealHunt, told: Report, asked: Asked) -> HiddenProposals:
    """One hidden variable after the other, each against the best network before it: that without
    any, to begin with."""
    base = _best_dag(parts.train, hunt.seed)
    floor, layers = bic_of(base, parts.train), _two_layers(parts, hunt, asked)
    ground, steps, good = Ground(parts.train, hunt.seed, base, ()), list[_Step](), 0
    names = free_names(parts.whole.names, hunt.name)
    for turn, name in zip(range(hunt.most), names, strict=False):
        told(turn, hunt.most, bic_of(ground.fit, parts.train) - floor)
        after = best_with_one_more(ground, name, layers[turn : turn + 1], asked)
        if after is None:
            break
        gain = bic_of(after.fit, parts.train) - bic_of(ground.fit, parts.train)
        held = held_out(after.fit.network, ground.fit.network, parts.test)
        steps.append(_Step(name, after, gain, held))
        if not enough(gain, held, hunt.evidence):
            break
        good, ground = turn + 1, after
        if asked():
            break
    ends = [
        fitted_to_all(each.after.fit.network, parts.whole, each.after.known, hunt.seed)
        for each in steps
    ]
    without_ = fit(base.network.dag, parts.whole, seed=hunt.seed, progress=False)
    end = ends[good - 1] if good else without_
    proposals = [
        _proposed(at, each, end if at < good else ends[at], at < good)
        for at, each in enumerate(steps)
    ]
    stop = Stop.INTERRUPTED if asked() else Stop.CONVERGED
    more = tuple(copies(parts.whole))
    return proposals_of(proposals, (end, without_), floor, parts, hunt, stop, more)


def _best_dag(train: Dataset, seed: int) -> Search:
    """The best network without any hidden variable, at its most likely numbers."""
    if cases_used(train).missing:
        return structural_em(
            train, score=BIC(), estimate=ML(), as_given=True, seed=seed, progress=False
        )
    return search(
        train, score=BIC(), method=Tabu(), estimate=ML(), as_given=True, seed=seed, progress=False
    )


def _two_layers(parts: Parts, hunt: RealHunt, asked: Asked) -> list[Network]:
    """The two layers of every number of hidden variables, from one on."""
    method = IdealParent(hidden=True, most_hidden=hunt.most)
    wanted = wanted_of(parts.train, method, BIC(), None, hunt.seed)
    bench, found = bench_of(wanted), list[Fitted]()

    def heard(many: int, worth: float) -> None:
        del many, worth
        if asked():
            raise KeyboardInterrupt

    learned = learn_layers(bench, wanted.codes, heard, found)
    grown = {each.layer.hidden: each for each in found}  # one that a new one makes idle goes
    names = tuple(islice(free_names(parts.whole.names, hunt.name), max(grown, default=0)))
    return [
        answer(wanted, bench, Learned(each, (0.0,), learned.stop), names).network
        for each in grown.values()
    ]


def _proposed(at: int, step: _Step, end: Fit, good: bool) -> HiddenProposal:
    """A hidden variable; one that is accepted as it stands in the last network."""
    children = tuple(end.network.dag.children[step.name])
    return proposal_of(
        step.name, children, (step.gain, *step.held), end, good, at + 1, step.after.source
    )
