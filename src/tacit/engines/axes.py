"""What a structure says before any case: who depends on whom, over which states, none counted."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TypeAlias

import numpy as np

from tacit.core.dag import Dag
from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.engines.tables import check_size, shape_of
from tacit.engines.tasks import Evidence
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.counts import DENSE_CELLS, Counts, SparseCounts
from tacit.families.moments import Moments

Family: TypeAlias = tuple[Variable, ...]
"""The parents, then the child."""


def structure_of(given: object) -> tuple[Dag, Mapping[str, Variable]]:
    """The dag, and the variables where they are declared: a network declares them, a dag none.

    A `Path`, or a text that ends in a known suffix, is a file; any other text is a dag.
    """
    if isinstance(given, Network):
        return given.dag, given.variables
    if isinstance(given, Dag):
        return given, {}
    from tacit.io import formats

    match given:
        case str() if not formats.is_network_file(given):
            return Dag.parse(given), {}
        case str() | Path() if formats.is_dag_file(given):
            return formats.read_dag(given), {}
        case str() | Path():
            return structure_of(formats.read(given))
    kind = type(given).__name__
    raise OptionError(f"a structure is a Dag, its text, a Network or a file of one, not {kind}")


def family_of(dag: Dag, variables: Mapping[str, Variable], name: str) -> Family:
    """The parents of a variable, then the variable."""
    return tuple(variables[other] for other in (*dag.parents[name], name))


def discrete(family: Family) -> tuple[Discrete, ...]:
    """Those variables of a family that have states: all of a table, only parents of a Gaussian."""
    return tuple(variable for variable in family if isinstance(variable, Discrete))


def nothing(family: Family) -> Evidence:
    """The statistics of no cases."""
    axes = discrete(family)
    if not axes:
        return Moments.of(np.zeros((0, len(family))))
    if not isinstance(family[-1], Discrete):
        cases = np.zeros((0, len(family) - len(axes)))
        return ConditionalMoments.of(np.zeros(0, dtype=np.int64), shape_of(axes), cases)
    check_size(axes)
    shape = shape_of(axes)
    if prod(shape) > DENSE_CELLS:
        return SparseCounts(shape, np.zeros(0, dtype=np.int64), np.zeros(0))
    values = np.zeros(shape)
    values.flags.writeable = False
    return Counts(values)
