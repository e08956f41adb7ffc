"""Cases to learn from, and cases to judge by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import Ints
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import CasesError, OptionError, quoted
from tacit.core.grid import amount
from tacit.core.options import is_number
from tacit.core.variables import Continuous
from tacit.io.cases import as_dataset

FEWEST = 10
"""Cases to learn from."""
MOST_UNITS = 10**9
"""Cases that weights may stand for if they are to be drawn one by one."""


def parted(cases: Dataset, held_out: Any, seed: int) -> tuple[Dataset, Dataset | None]:
    """The cases to learn from, and those to judge by."""
    if not (isinstance(held_out, bool | float | int) or held_out is None):
        judged = as_dataset(held_out, like=cases.variables, columns=cases.names)
        _check_enough(cases.total_weight, judged.total_weight)
        return cases, judged
    if held_out is None or (is_number(held_out) and held_out == 0):
        _check_enough(cases.total_weight, FEWEST)
        return cases, None
    if not (is_number(held_out) and 0 < held_out < 1):
        raise OptionError(
            f"held_out={held_out!r} must be a share of the cases below 1, 0 for none, or cases"
        )
    return _split(cases, float(held_out), np.random.default_rng([seed, 1]))


def check_told(cases: Dataset) -> None:
    """Nothing, or an error about continuous columns that tell nothing among these cases."""
    for name, variable in cases.variables.items():
        values = cases[name]
        if isinstance(variable, Continuous) and np.unique(values[~absent(values)]).size < 2:
            raise CasesError(
                f"{quoted(name)} has fewer than two values among the cases to learn from"
                "\n\nleave the column out, or hold no cases out: held_out=0"
            )


def _split(
    cases: Dataset, share: float, random: np.random.Generator
) -> tuple[Dataset, Dataset | None]:
    """The cases in two, at random; one that counts several times may go to both."""
    counts = np.ones(len(cases)) if cases.weights is None else np.asarray(cases.weights)
    whole = bool((counts == np.floor(counts)).all() and counts.sum() < MOST_UNITS)
    if cases.weights is None or not whole:
        order = random.permutation(len(cases))
        many = round(share * len(cases))
        parts = cases.take(np.sort(order[many:])), cases.take(np.sort(order[:many]))
    else:
        units = counts.astype(np.int64)
        many = round(share * int(units.sum()))
        held = random.multivariate_hypergeometric(units, many, method="marginals")
        parts = _weighing(cases, units - held), _weighing(cases, held)
    _check_enough(*(each.total_weight for each in parts))
    return parts


def _weighing(cases: Dataset, units: Ints) -> Dataset:
    there = np.flatnonzero(units)
    return replace(cases.take(there), weights=units[there].astype(np.float64))


def _check_enough(learned: float, judged: float) -> None:
    if learned < FEWEST:
        many = "case to learn from is" if learned == 1 else "cases to learn from are"
        raise CasesError(
            f"{amount(learned)} {many} too few to find a hidden variable; {FEWEST} are the least"
        )
    if not judged > 0:
        raise CasesError("there are no cases to judge by; held_out=0 judges by none")
