"""Oracles of counting: one case at a time, in plain loops. They import nothing of what they check.

Columns are sequences of codes (-1 is missing) or reals (nan is missing), parents first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import isnan
from typing import Any

import numpy as np


def counts(columns: Sequence[Any], shape: Sequence[int], weights: Any = None) -> Any:
    """N(parents, child): the weight of the cases in each cell; incomplete cases are left out."""
    table = {cell: Fraction(0) for cell in product(*(range(states) for states in shape))}
    for case in range(len(columns[0])):
        cell = tuple(int(column[case]) for column in columns)
        if -1 not in cell:
            table[cell] += Fraction(1) if weights is None else Fraction(float(weights[case]))
    values = np.zeros(tuple(shape))
    for cell, weight in table.items():
        values[cell] = float(weight)
    return values


def moments(columns: Sequence[Any], weights: Any = None) -> tuple[float, Any, Any]:
    """Weight, means and centred co-products, in exact fractions until the end."""
    known = [at for at in range(len(columns[0])) if not any(isnan(c[at]) for c in columns)]
    cases = [[Fraction(float(column[at])) for column in columns] for at in known]
    weighed = [Fraction(1) if weights is None else Fraction(float(weights[at])) for at in known]
    total = sum(weighed, Fraction(0))
    size = len(columns)
    if total == 0:
        return 0.0, np.zeros(size), np.zeros((size, size))
    means = [
        sum((w * case[i] for w, case in zip(weighed, cases, strict=True)), Fraction(0)) / total
        for i in range(size)
    ]
    scatter = np.zeros((size, size))
    for i, j in product(range(size), range(size)):
        scatter[i, j] = float(
            sum(
                (w * (case[i] - means[i]) * (case[j] - means[j])
                 for w, case in zip(weighed, cases, strict=True)),
                Fraction(0),
            )
        )  # fmt: skip
    return float(total), np.array([float(mean) for mean in means]), scatter


def population(joint: Any, axes: Sequence[int]) -> Any:
    """P(child given parents) of a whole joint table, the child the last of `axes`."""
    joint = np.asarray(joint)
    conditional = np.zeros([joint.shape[axis] for axis in axes])
    for cell in product(*(range(joint.shape[axis]) for axis in axes)):
        agree = [
            full
            for full in product(*(range(states) for states in joint.shape))
            if tuple(full[axis] for axis in axes) == cell
        ]
        conditional[cell] = sum(joint[full] for full in agree)
    return conditional / conditional.sum(axis=-1, keepdims=True)
