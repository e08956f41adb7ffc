"""The tightest of many bounds on the same thing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints

FEASIBLE = 1e-6
"""Checking finds what cannot hold; bounds that cross by less are met within rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """lower <= x <= upper for every thing, and the rule rows that say so.

    lower_rule, upper_rule      (things,)  -1 where no rule bounds it
    lower_factor, upper_factor  (things,)  the factor of x in that rule row
    """

    lower: Floats
    upper: Floats
    lower_rule: Ints
    upper_rule: Ints
    lower_factor: Floats
    upper_factor: Floats


def limits_of(
    thing: Ints, factor: Floats, limit: Floats, equal: Bools, rule: Ints, things: int
) -> Limits:
    """The bounds that rules factor · x <= limit (equal: =) put on things between 0 and 1."""
    value = limit / factor
    is_upper, is_lower = equal | (factor > 0), equal | (factor < 0)
    upper = _tightest(thing[is_upper], value[is_upper], things)
    lower = _tightest(thing[is_lower], -value[is_lower], things)
    rows_up, rows_low = np.flatnonzero(is_upper)[upper], np.flatnonzero(is_lower)[lower]
    limits = Limits(
        np.zeros(things), np.ones(things), np.full(things, -1), np.full(things, -1),
        np.ones(things), np.ones(things),
    )  # fmt: skip
    at_up, at_low = thing[rows_up], thing[rows_low]
    limits.upper[at_up] = np.minimum(value[rows_up], 1.0)
    limits.lower[at_low] = np.maximum(value[rows_low], 0.0)
    limits.upper_rule[at_up], limits.lower_rule[at_low] = rule[rows_up], rule[rows_low]
    limits.upper_factor[at_up], limits.lower_factor[at_low] = factor[rows_up], factor[rows_low]
    assert np.all(limits.lower <= limits.upper + FEASIBLE), "bounds cross"
    np.minimum(limits.lower, limits.upper, out=limits.lower)
    return limits


def _tightest(thing: Ints, value: Floats, things: int) -> Ints:
    """For every thing named the first of its rows with the smallest value."""
    order = np.lexsort((value, thing))
    counted = np.bincount(thing, minlength=things)
    return np.asarray(order[(np.cumsum(counted) - counted)[counted > 0]])


def limit_prices(limits: Limits, gain: Floats, out: Floats) -> None:
    """Write what bounds hold back into the multipliers of their rules.

    gain  (things,)  above 0: the upper bound holds it; below: the lower; 0: none does
    """
    for rule, factor, held in (
        (limits.upper_rule, limits.upper_factor, (gain > 0) & (limits.upper_rule >= 0)),
        (limits.lower_rule, limits.lower_factor, (gain < 0) & (limits.lower_rule >= 0)),
    ):
        out[rule[held]] = gain[held] / factor[held]
