"""Where EM starts: near the data where there are any, at random where nothing was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import EstimateError, OptionError, listed
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.infer.flat import Layout
from tacit.infer.pieces import compile_cases, log_masses
from tacit.learn.expectation import normalised


def start_parameters(
    layout: Layout,
    known: Floats,
    hidden: Sequence[int],
    random: np.random.Generator,
    first: bool,
) -> Floats:
    """Parameters to begin a run with.

    known  the counts of families that are fully observed, flat
    first  the first run keeps observed families at their available cases; others shake them

    A family around a hidden variable gets rows drawn at random, near the child's own distribution
    where that was observed: states of the hidden variable differ from the start, so no symmetry
    holds EM at a saddle.
    """
    weights = known + _even(layout)
    theta = normalised(layout, weights)
    if not first:
        shaken = random.standard_gamma(np.maximum(theta * _row_lengths(layout), 0.2))
        theta = normalised(layout, 0.5 * theta + 0.5 * normalised(layout, shaken))
    unseen, drawn = frozenset(hidden), set[int]()
    for at, axes in enumerate(layout.axes):
        if axes.start in drawn or unseen.isdisjoint(axes.variables):
            continue
        drawn.add(axes.start)  # tied families share one block
        block = layout.block(theta, at)
        centre = _child_distribution(layout, known, at) if at not in unseen else None
        block[...] = _random_rows(block.shape, centre, random)
    return theta


def _even(layout: Layout) -> Floats:
    """One case spread over each row."""
    return 1.0 / _row_lengths(layout)


def _row_lengths(layout: Layout) -> Floats:
    _, lengths = layout.rows
    return np.repeat(lengths, lengths).astype(np.float64)


def _child_distribution(layout: Layout, known: Floats, at: int) -> Floats:
    """How often each state of a variable was seen, in whatever family that counted it."""
    for family in (at, *layout.touching[at]):
        axes = layout.axes[family]
        counts = layout.block(known, family)
        other = tuple(n for n, v in enumerate(axes.variables) if v != at)
        seen = np.asarray(counts.sum(axis=other)) + 0.5
        if counts.sum() > 0:
            return np.asarray(seen / seen.sum())
    return np.full(layout.cards[at], 1.0 / layout.cards[at])


def _random_rows(
    shape: tuple[int, ...], centre: Floats | None, random: np.random.Generator
) -> Floats:
    """Dirichlet rows: flat, or around the centre with the weight of two cases a state."""
    strength = np.ones(shape[-1]) if centre is None else 2.0 * shape[-1] * centre
    rows = random.standard_gamma(np.broadcast_to(np.maximum(strength, 0.1), shape))
    rows = np.maximum(rows, 1e-6)
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))


def given_parameters(
    layout: Layout, families: Mapping[str, tuple[Discrete, ...]], network: Network
) -> Floats:
    """The numbers of a network to start from, if it has these states and shares these tables."""
    for name, axes in families.items():
        variable = network.variables[name]
        if variable != axes[-1]:
            states = listed(variable.states) if isinstance(variable, Discrete) else "real values"
            raise OptionError(
                f"{name!r} has the states {listed(axes[-1].states)}, "
                f"but in the network to start from: {states}"
            )
    theta = layout.parameters(network)
    for at, name in enumerate(layout.names):
        table = network[name]
        if isinstance(table, Table) and not np.array_equal(layout.block(theta, at), table.values):
            raise OptionError(
                f"{name!r} shares its table with others, "
                "but in the network to start from it has another"
            )
    return theta


def check_possible(layout: Layout, data: Dataset, theta: Floats) -> None:
    """Nothing, or an error about an incomplete case of probability 0, which no step could use."""
    compiled = compile_cases(data, layout)
    gone = log_masses(compiled, theta)[compiled.pieces.context] == -np.inf
    if gone.any():
        case = int(compiled.pieces.case[gone].min()) + 1
        raise EstimateError(
            f"the network to start from holds case {case} impossible, so EM cannot use it"
            '\n\nstart from a network without zeros, or leave out start="given"'
        )
