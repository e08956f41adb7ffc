"""Proposals of hidden variables without states: above continuous columns that miss the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.interrupts import Asked, asked_to_end
from tacit.estimate.scores.values import BIC
from tacit.learn.counted import cases_used
from tacit.learn.fit import fit
from tacit.learn.fits import Stop
from tacit.learn.layers.above_dag import above_dag
from tacit.learn.layers.answered import Wanted, answer, bench_of, wanted_of
from tacit.learn.layers.changing import with_arcs
from tacit.learn.layers.fitting import Fitted, em
from tacit.learn.layers.learning import Learned, learn_layers, settled
from tacit.learn.layers.model import Layer
from tacit.learn.layers.proposed import (
    Held,
    Parts,
    RealHunt,
    bic_of,
    enough,
    free_names,
    held_out,
    proposal_of,
    proposals_of,
)
from tacit.learn.progress import Report
from tacit.learn.structure.question import without
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


def propose_reals(cases: Dataset, hunt: RealHunt, told: Report) -> HiddenProposals:
    """Hidden parents one after the other, as two layers of lines have them; or, with a network,
    above clusters of its variables whose residuals go together, its arcs staying. [HV2 3.5, 3.8]"""
    kept = without(cases, hunt.leave_out)
    check_reals(kept, BIC())
    train, test = parted(kept, hunt.held_out, hunt.seed)
    check_told(train)
    parts = Parts(kept, train, test)
    with asked_to_end() as asked:
        if hunt.network is None:
            return _layers(parts, hunt, told, asked)
        return above_dag(parts, hunt, told, asked)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """Two layers, learned from the cases to learn from.

    after  the network, with its BIC as score
    own    what the last hidden variable gains above the layers without it; held: on others
    over   the same above the best network without any hidden variable
    """

    fitted: Fitted
    after: Search
    own: float
    held: Held
    over: float
    held_over: Held

    def stands(self, evidence: float) -> bool:
        """Whether the last one gains enough and cases held out confirm it."""
        return enough(self.own, self.held, evidence)

    def wins(self, evidence: float) -> bool:
        """Whether all of them together do, above the best network without any."""
        return enough(self.over, self.held_over, evidence)


def _layers(parts: Parts, hunt: RealHunt, told: Report, asked: Asked) -> HiddenProposals:
    """Two layers against the best dag without hidden variables.

    A dag among the columns explains much of what hidden parents do, so these are believed only if
    all of them together score higher than it, and the last one higher than those before it.
    """
    method = IdealParent(hidden=True, most_hidden=hunt.most)
    wanted = wanted_of(parts.train, method, BIC(), None, (), hunt.seed)
    bench, found = bench_of(wanted), list[Fitted]()

    def heard(many: int, worth: float) -> None:
        told(many, hunt.most, worth)
        if asked():
            raise KeyboardInterrupt

    learned = learn_layers(bench, wanted.codes, heard, found)
    base = _best_dag(parts.train, hunt.seed)
    steps = _steps(parts, wanted, base, _growing(found), learned)
    standing = list(takewhile(lambda each: each.stands(hunt.evidence), steps))
    many = max((at for at, each in enumerate(standing, 1) if each.wins(hunt.evidence)), default=0)
    everything = wanted_of(parts.whole, method, BIC(), None, (), hunt.seed)
    names = free_names(parts.whole.names, hunt.name, hunt.most)
    ends = [_answered(everything, each.fitted, learned, names) for each in steps]
    without_ = fit(base.dag, parts.whole)
    proposals = [_proposed(at, steps[at], ends[at], names) for at in range(many, len(steps))]
    if many:
        desk = _Desk(parts, wanted, base, steps[many - 1], learned)
        proposals = [*_accepted(desk, ends[many - 1], names), *proposals]
    stop = learned.stop if learned.stop is Stop.INTERRUPTED else Stop.CONVERGED
    fits = (ends[many - 1] if many else without_, without_)
    return proposals_of(proposals, fits, bic_of(base, parts.train), parts, hunt, stop)


def _best_dag(train: Dataset, seed: int) -> Search:
    """The best network without any hidden variable."""
    if cases_used(train).missing:
        return structural_em(train, score=BIC(), seed=seed, progress=False)
    return search(train, score=BIC(), method=Tabu(), seed=seed, progress=False)


def _growing(found: Sequence[Fitted]) -> list[Fitted]:
    """The last layers of each number of hidden variables: one that a new one makes idle goes."""
    return list({each.layer.hidden: each for each in found}.values())


def _steps(
    parts: Parts, wanted: Wanted, base: Search, found: Sequence[Fitted], learned: Learned
) -> list[_Step]:
    bench, train, test = bench_of(wanted), parts.train, parts.test
    empty = Fitted.at(Layer.empty(wanted.codes, bench.columns), bench.columns)
    nets = [
        answer(wanted, bench, Learned(each, (bench.worth(each),), learned.stop))
        for each in (empty, *found)
    ]
    floor, steps = bic_of(base, train), list[_Step]()
    for fitted, before, after in zip(found, nets, nets[1:], strict=False):
        own, over = after.score - before.score, after.score - floor
        held = held_out(after.network, before.network, test)
        steps.append(
            _Step(fitted, after, own, held, over, held_out(after.network, base.network, test))
        )
    return steps


@dataclass(frozen=True, slots=True, eq=False)
class _Desk:
    """What accepted variables are judged by: the network with all of them, and one without any."""

    parts: Parts
    wanted: Wanted
    base: Search
    last: _Step
    learned: Learned


def _accepted(desk: _Desk, end: Search, names: Sequence[str]) -> Iterator[HiddenProposal]:
    """Each as it stands in the last network, which is compared with the best one without it: that
    without any, or these layers without it, whichever scores higher."""
    bench, layer = bench_of(desk.wanted), desk.last.fitted.layer
    floor = bic_of(desk.base, desk.parts.train)
    for at in range(layer.hidden):
        arcs = layer.arcs.copy()
        arcs[:, at] = False
        fitted = settled(bench, with_arcs(bench, desk.last.fitted, arcs))
        one = Learned(fitted, (bench.worth(fitted),), desk.learned.stop)
        others = answer(desk.wanted, bench, one)
        rival = others if others.score > floor else desk.base
        gain = desk.last.after.score - max(others.score, floor)
        held = held_out(desk.last.after.network, rival.network, desk.parts.test)
        children = tuple(end.dag.children[names[at]])
        yield proposal_of(names[at], children, (gain, *held), end, True, at + 1)


def _proposed(at: int, step: _Step, end: Search, names: Sequence[str]) -> HiddenProposal:
    """A hidden variable that is not accepted, beside those before it."""
    name = names[step.fitted.layer.hidden - 1]
    gain, held = min((step.over, step.held_over), (step.own, step.held), key=lambda each: each[0])
    found = proposal_of(name, tuple(end.dag.children[name]), (gain, *held), end, False, at + 1)
    if step.own > 0 >= step.over:
        return replace(found, why="arcs among the columns explain as much")
    return found


def _answered(wanted: Wanted, fitted: Fitted, learned: Learned, names: Sequence[str]) -> Search:
    """Layers that were learned from some cases, fitted to all of them."""
    bench = bench_of(wanted)
    whole = em(Fitted.at(fitted.layer, bench.columns), bench.columns)
    one = Learned(whole, (bench.worth(whole),), learned.stop)
    return answer(wanted, bench, one, names)
