"""What the kernel of missing reals is told, where it works, and what comes out."""

from __future__ import annotations

from typing import NamedTuple

from tacit.arrays import Codes, Floats, Ints

BLOCK = 256
"""Cases that are worked on together."""


class Regressions(NamedTuple):
    """The continuous families: parents..., child of each, and where its numbers and sums start.

    centre  (variables,) what all values are taken about
    """

    axes_at: Ints
    axes: Ints
    slope_at: Ints
    level_at: Ints
    sums_at: Ints
    products_at: Ints
    centre: Floats


class Groups(NamedTuple):
    """Ranges of the cases, parts and tables of each group; how many configurations are weighed."""

    cases_at: Ints
    cases: Ints
    parts_at: Ints
    tables_at: Ints
    joint: Ints


class Parts(NamedTuple):
    """The rows of each part, its unknowns first, and its configurations.

    choice     from `choice_at`, (configurations, rows): the regression each row has
    of_joint   from `joint_at`: its configuration in each that is weighed
    """

    rows_at: Ints
    rows: Ints
    unknown: Ints
    configurations: Ints
    choice_at: Ints
    choice: Ints
    joint_at: Ints
    of_joint: Ints


class Tables(NamedTuple):
    """The tables that speak of open variables: where they start, what was observed of them.

    seen, stride  from `seen_at`: observed variables, and how far apart their states are
    of_joint      from `joint_at`: the place of each configuration that is weighed
    """

    start: Ints
    seen_at: Ints
    seen: Ints
    stride: Ints
    joint_at: Ints
    of_joint: Ints


class Cases(NamedTuple):
    """(cases, variables) reals, nan where missing; (cases, variables) states; weights."""

    reals: Floats
    codes: Codes
    weights: Floats


class Numbers(NamedTuple):
    """Coefficients, intercepts, variances of the noise; logs of all cells of tables."""

    slopes: Floats
    levels: Floats
    noise: Floats
    logs: Floats


class Room(NamedTuple):
    """Space to work in; lines of `held` are variables, then means, `BLOCK` cases each.

    column  (variables,) the unknown that each is in the part at hand, -1 for none
    factors  Q and R⁻¹ of all configurations of a group, where `factor_at` says
    """

    column: Ints
    factors: Floats
    constant: Floats
    held: Floats
    right: Floats
    turned: Floats
    density: Floats
    joint: Floats
    mass: Floats
    base: Ints
    total: Floats


class Sums(NamedTuple):
    """What comes out: weights, Σ z and Σ z zᵀ of every regression; counts in cells of tables; the
    log density of every group."""

    weight: Floats
    sums: Floats
    products: Floats
    counts: Floats
    mass: Floats
