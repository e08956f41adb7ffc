"""The search for hidden variables from round to round, and what it ends with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import listed
from tacit.core.grid import counted
from tacit.core.interrupts import Asked as Ended
from tacit.core.network import Network
from tacit.knowledge.mentions import mentioned
from tacit.learn.fit import fit
from tacit.learn.fits import Fit, Stop
from tacit.learn.methods import EM
from tacit.learn.progress import Report
from tacit.learn.ruled import said_by_experts
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.search import search
from tacit.learn.structure.sem_job import PLAIN
from tacit.learn.structure.settings import Tabu
from tacit.learn.structure.structural_em import structural_em
from tacit.learn.structures import NUMBERS_UNUSED
from tacit.learn.unseen.asking import Asked
from tacit.learn.unseen.judging import candidates_of, proposals_of
from tacit.learn.unseen.learning import Memory, at_best
from tacit.learn.unseen.places import alike
from tacit.learn.unseen.proposals import HiddenCandidate, HiddenProposal, HiddenProposals, Hunt
from tacit.learn.unseen.rounds import Base, Course, gaps
from tacit.learn.unseen.seeking import SEEKERS
from tacit.learn.unseen.sought import PARAMS, Bench, Named
from tacit.learn.unseen.stability import steadied

UNSAID = (
    "the network gave structure and states, and its numbers were the start",
    NUMBERS_UNUSED,
)
"""Notes of the last fit about a network that nobody gave."""


MERGED_AMONG = ", and states are merged among the cases whose blanket is complete"


@dataclass(slots=True, eq=False)
class _Log:
    """What the rounds have brought so far."""

    proposals: list[HiddenProposal] = field(default_factory=list)
    candidates: list[HiddenCandidate] = field(default_factory=list)

    @property
    def accepted(self) -> list[HiddenProposal]:
        return [each for each in self.proposals if each.accepted]

    def ranked(self) -> tuple[HiddenProposal, ...]:
        """Those accepted in their order, then the others by gain, each variable once: the latest
        judgement of it counts."""
        taken = self.accepted
        rest = list[HiddenProposal]()
        for each in reversed([each for each in self.proposals if not each.accepted]):
            others = [*taken, *rest]
            mine = frozenset(each.children)
            if not any(alike(mine, frozenset(other.children)) for other in others):
                rest.append(each)
        return (*taken, *sorted(rest, key=lambda each: -each.gain))


def hunt(asked: Asked, memory: Memory, ended: Ended, told: Report) -> HiddenProposals:
    """Round after round until nothing is accepted, enough is, or someone asks for the end."""
    bench, log = asked.bench, _Log()
    base = first = begun(bench, asked.start, told, memory)
    bench = bench.filled_by(base.learned.network)
    for turn, named in enumerate(_turns(bench), 1):
        course = Course(memory, ended, told, [frozenset(e.children) for e in log.accepted])
        found = SEEKERS[type(bench.settings.method)](bench, base, course, named)
        if not log.accepted:
            first = found.base
        found, stability = steadied(bench, found, memory, ended)
        fresh = proposals_of(bench, asked.court, found, turn, stability)
        log.proposals += fresh
        log.candidates += candidates_of(bench, asked.court, found, turn)
        taken = next((each for each in fresh if each.accepted), None)
        if taken is not None:
            winner = next(t for t in found.worked if t.place.name == taken.name)
            assert winner.learned is not None
            base = Base(winner.learned, base.confidence)
            bench = bench.after(winner.learned.network, taken.name)
        if ended() or (taken is None and named is None):
            break
    return _ended(asked, bench, first, log, Stop.INTERRUPTED if ended() else Stop.CONVERGED)


def _turns(bench: Bench) -> Sequence[Named | None]:
    """Variables that an expert fixed, then as many as may be found."""
    return (*bench.settings.named, *([None] * bench.settings.most))


def begun(bench: Bench, start: Dag | Network | None, told: Report, memory: Memory) -> Base:
    """The best network that is known before any variable is added, and how sure its links are."""
    learned = memory.recall("begun", lambda: at_best(bench, _best_without(bench, start, told)))
    assert learned is not None
    if gaps(bench) or bench.known or not bench.settings.bootstrap:
        return Base(learned)
    if start is not None and bench.settings.variant == PARAMS:
        return Base(learned)
    return Base(learned, memory.links(lambda: _links(bench, start, told)))


def _links(bench: Bench, start: Dag | Network | None, told: Report) -> ArcConfidence | None:
    """The shares of bootstrap samples that have each link."""
    settings = bench.settings
    return search(
        bench.cases, start=start, score=settings.score, method=PLAIN,
        bootstrap=settings.bootstrap, as_given=True, **_common(bench, start, told),
    ).confidence  # fmt: skip


def _common(bench: Bench, start: Dag | Network | None, told: Report) -> dict[str, Any]:
    rules = bench.spoken(Dag({}) if start is None else _dag(start))
    return {
        "knowledge": rules, "seed": bench.settings.seed, "threads": bench.settings.threads,
        "progress": lambda *_: told(0, 1),
    }  # fmt: skip


def _best_without(bench: Bench, start: Dag | Network | None, told: Report) -> Network:
    settings, cases, common = bench.settings, bench.cases, _common(bench, start, told)
    if start is not None and settings.variant == PARAMS:
        return _fitted(bench, start, common)
    if gaps(bench) or bench.known:
        known = {name: list(states) for name, states in bench.known.items()} or None
        return structural_em(
            cases, start=start, hidden=known, score=settings.score, restarts=1, as_given=True,
            **common,
        ).network  # fmt: skip
    return search(
        cases, start=start, score=settings.score, method=Tabu(), as_given=True, **common
    ).network


def _dag(start: Dag | Network) -> Dag:
    return start.dag if isinstance(start, Network) else start


def _fitted(bench: Bench, start: Dag | Network, common: dict[str, Any]) -> Network:
    """The given structure as it is; every column a variable."""
    dag, cases = _dag(start), bench.cases
    whole = Dag({**dict.fromkeys(cases.names, ()), **dag.parents})
    known = {name: list(states) for name, states in bench.known.items()}
    given = isinstance(start, Network) and set(start) == set(whole.names)
    return fit(
        start if given else whole,
        cases,
        hidden=known or None,
        start="given" if given and known else None,
        method=EM() if known else None,
        prior=bench.prior,
        **common,
    ).network


def _ended(asked: Asked, bench: Bench, first: Base, log: _Log, stop: Stop) -> HiddenProposals:
    """Everything that was found, as one value."""
    court, ranked = asked.court, log.ranked()
    without = court.fitted(asked.bench, court.finished(asked.bench, first.learned.network))
    taken = log.accepted
    whole: Fit = taken[-1].fit if taken else without
    settings = bench.settings
    judged = 0 if court.judged is None else _many(court.judged)
    found = Hunt(
        ranked, tuple(log.candidates), without, first.learned.score, _many(bench.cases), judged
    )
    own = _notes(asked, log, stop)
    notes = (*own, *(note for note in whole.notes if note not in (*own, *UNSAID)))
    kept = {each.name: getattr(whole, each.name) for each in fields(Fit)}
    said = {**whole.settings, "hidden_search": {**settings.describe(), **asked.wishes}}
    for key in ("knowledge", "knowledge_files"):
        said.pop(key, None)  # that fixed variables keep their children is said elsewhere
    if asked.bench.knowledge is not None:
        said |= said_by_experts(asked.bench.knowledge)
    told = HiddenProposals(
        **{**kept, "settings": said, "notes": notes, "seed": settings.seed}, hunt=found
    )
    return replace(told, stop=stop) if stop is Stop.INTERRUPTED else told


def _notes(asked: Asked, log: _Log, stop: Stop) -> tuple[str, ...]:
    notes = list(asked.notes)
    if gaps(asked.bench):
        notes.append(
            "cells are missing: links come from the dag alone"
            + ("" if asked.bench.mixed else MERGED_AMONG)
        )
    found = [each for each in log.accepted if not each.why.startswith("fixed")]
    if len(found) == asked.bench.settings.most > 0:
        notes.append(
            f"{counted(len(found), 'variable')} accepted, as many as most={len(found)} allows; "
            "there may be more"
        )
    waiting = waits_for(asked, log)
    if waiting:
        notes.append(waiting)
    if not log.candidates and stop is not Stop.INTERRUPTED:
        notes.append("no set of variables is linked as the children of a hidden one would be")
    return tuple(notes)


def _many(cases: Dataset) -> int:
    """How many cases these are; each as often as it counts, if that is a whole number."""
    total = cases.total_weight
    whole = cases.weights is None or bool((cases.weights == np.floor(cases.weights)).all())
    return int(total) if whole else len(cases)


def waits_for(asked: Asked, log: _Log) -> str:
    """A note about rules that name variables which did not come; nothing if there are none."""
    rules = () if asked.bench.knowledge is None else asked.bench.knowledge.rules
    here = {each.name for each in log.accepted}
    absent = [name for name in asked.bench.settings.to_come if name not in here]
    idle = [rule.text for rule in rules if not mentioned(rule).isdisjoint(absent)]
    if not idle:
        return ""
    return f"{counted(len(idle), 'rule')} named variables that were not accepted: {listed(idle, 3)}"
