"""How far a hidden variable depends on where EM began: starts at random beside merged states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.errors import SizeError
from tacit.core.grid import counted
from tacit.core.interrupts import Asked
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.infer.prediction import predict
from tacit.infer.queries import query
from tacit.learn.methods import EM
from tacit.learn.structure.sem_found import states_turned
from tacit.learn.unseen.heading import headed
from tacit.learn.unseen.learning import (
    Learned,
    Memory,
    from_nowhere,
    question_of,
    scored,
    states_in,
)
from tacit.learn.unseen.rounds import Round
from tacit.learn.unseen.sought import PARAMS, Bench
from tacit.learn.unseen.trials import Trial

NEAR = 0.5
"""Nats within which two ends of EM count as the same maximum."""


@dataclass(frozen=True, slots=True)
class Stability:
    """What EM makes of the dag of a proposal if it begins elsewhere.

    below   how many nats each start at random scores below the proposal
    agree   the share of the cases that each puts in the same state, the states matched
    merged  how many nats the start from merged states scores below it: 0, or a start at random
            came higher and is the proposal now
    """

    below: tuple[float, ...]
    agree: tuple[float, ...]
    merged: float = 0.0

    @property
    def reached(self) -> int:
        """How many starts at random came as high, half a nat aside."""
        return sum(each <= NEAR for each in self.below)

    def __str__(self) -> str:
        said = f"{self.reached} of {counted(len(self.below), 'start')} at random came as high"
        if self.reached < len(self.below):
            said += f", the others up to {max(self.below):,.2f} nats lower"
        said += f"; they put {min(self.agree):.0%} of the cases or more in the same state"
        if self.merged > NEAR:
            said += f"; merged states came {self.merged:,.2f} nats lower than the best of them"
        return said


def steadied(
    bench: Bench, found: Round, memory: Memory, asked: Asked
) -> tuple[Round, Stability | None]:
    """The round, its best proposal held against starts elsewhere, states in order."""
    if not found.worked:
        return found, None
    first, told = shaken(bench, found.worked[0], memory, asked)
    worked = tuple(in_order(bench, each) for each in (first, *found.worked[1:]))
    return replace(found, worked=worked), told


def in_order(bench: Bench, trial: Trial) -> Trial:
    """The trial with the most common state first, unless an expert or a rule names states."""
    said = trial.place.asked.states if trial.place.asked else None
    rules = bench.knowledge is not None and bench.knowledge.parameters
    if trial.learned is None or rules or isinstance(said, tuple):
        return trial
    network, name = trial.learned.network, trial.place.name
    try:
        shares = np.asarray(query(network, [name]).values)
    except SizeError:  # only names are at stake
        return trial
    turned = states_turned(network, name, np.argsort(-shares, kind="stable"))
    return replace(trial, learned=replace(trial.learned, network=turned))


def shaken(
    bench: Bench, trial: Trial, memory: Memory, asked: Asked
) -> tuple[Trial, Stability | None]:
    """The trial, or what scores higher in its dag from other starts; and what all starts came to.

    The tables of the hidden variables are drawn anew, and EM alone goes on from there.
    """
    if trial.learned is None or not bench.settings.restarts:
        return trial, None
    first, name = trial.learned, trial.place.name
    others = list[Learned]()
    for number in range(bench.settings.restarts):
        if asked():
            break
        found = _from_elsewhere(bench, first.network, name, number, memory)
        if not asked():  # otherwise it may have been broken off
            others.append(found)
    best = max([first, *others], key=lambda each: each.score)
    if best.score <= first.score + NEAR:
        best = first
    below = tuple(max(0.0, best.score - each.score) for each in others)
    ends = [each.network for each in others]
    told = Stability(
        below, agreement(bench.cases, best.network, ends, name), best.score - first.score
    )
    if best is not first and bench.settings.finish != PARAMS:
        network = headed(best.network, name, bench.limits(best.network.dag, name))
        best = replace(best, network=network)
    return replace(trial, learned=best), told if others else None


def _from_elsewhere(
    bench: Bench, network: Network, name: str, number: int, memory: Memory
) -> Learned:
    states = states_in(bench, network, name)
    question = question_of(network, f"from elsewhere {bench.settings.seed} {number}", 0)

    def answer() -> Learned:
        return scored(bench, from_nowhere(bench, network.dag, states, EM(restarts=1), number))

    found = memory.recall(question, answer)
    assert found is not None
    return found


def agreement(
    cases: Dataset, network: Network, others: Sequence[Network], name: str
) -> tuple[float, ...]:
    """The share of the cases whose most probable state of a variable is the same, states matched.

    States have no names of their own, so the matching is the one that agrees most: an assignment.
    """
    from scipy.optimize import linear_sum_assignment

    mine = _most_probable(network, cases, name)
    weights = np.ones(len(cases)) if cases.weights is None else np.asarray(cases.weights)
    found = []
    for other in others:
        variable = network.variables[name]
        assert isinstance(variable, Discrete)
        k = len(variable.states)
        yours = _most_probable(other, cases, name)
        both = np.asarray(np.bincount(mine * k + yours, weights, k * k)).reshape(k, k)
        rows, columns = linear_sum_assignment(-both)
        found.append(float(both[rows, columns].sum() / weights.sum()))
    return tuple(found)


def _most_probable(
    network: Network, cases: Dataset, name: str
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    told = predict(network, cases)[name]
    return np.asarray(np.nan_to_num(told).argmax(axis=1), dtype=np.int64)
