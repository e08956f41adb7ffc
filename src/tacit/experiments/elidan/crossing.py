"""Five-fold cross-validation of methods against a baseline on the same folds. [HV1-48]"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.core.dataset import Dataset
from tacit.experiments.elidan.domains import Domain
from tacit.experiments.elidan.judged import Paired
from tacit.learn.folds import split


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Cases to learn from, and those held out."""

    train: Dataset
    test: Dataset


def crossed(cases: Dataset, folds: int, seed: int) -> list[Fold]:
    """Every case is held out in one fold and learned from in all others; the seed decides which."""
    fold = split(len(cases), folds, seed)
    return [
        Fold(cases.take(np.flatnonzero(fold != at)), cases.take(np.flatnonzero(fold == at)))
        for at in range(folds)
    ]


def whole(domain: Domain) -> Dataset:
    """All cases of a domain: those to learn from, then the others. [erratum E26]"""
    columns = {
        name: np.concatenate([domain.train.columns[name], domain.test.columns[name]])
        for name in domain.train.names
    }
    return Dataset(domain.train.variables, columns)


def held_out(sizes: Sequence[int], method: Sequence[float], baseline: Sequence[float]) -> Paired:
    """How much a method is above a baseline per case held out; the error is that of the folds.

    sizes             cases held out in each fold
    method, baseline  the mean over the cases held out, fold by fold
    """
    apart = np.subtract(method, baseline)
    error = Paired.of(apart.tolist()).error
    return Paired(float(np.average(apart, weights=sizes)), error, len(sizes))
