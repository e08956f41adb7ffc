"""Cases with columns for what nobody measured: the most probable state, and all probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import Column, code_type
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.infer.prediction import Prediction, predict
from tacit.io.cases import as_dataset


def with_posteriors(
    network: Network, hidden: Sequence[str], cases: Any, threads: int = 1
) -> Dataset:
    """The cases, and for each hidden variable H of the network columns `H`, its most probable
    state, and `H=1`, `H=2`, ..., the probability of each; of a continuous one `H`, its mean, and
    `sd(H)`.

    A case that the network holds impossible has none. Columns that the network does not name stay
    as they are.
    """
    data = as_dataset(cases)
    told = predict(network, data, threads=threads)
    variables = dict[str, Variable](data.variables)
    columns = dict[str, Column](data.columns)
    for name in hidden:
        for column, (kind, values) in _columns(network, told, name).items():
            if column in columns:
                raise OptionError(
                    f"the cases have a column {quoted(column)} already, which would hold what is "
                    f"inferred of {quoted(name)}\n\nrename the column, or the variable"
                )
            variables[column], columns[column] = kind, values
    return replace(data, variables=variables, columns=columns)


def _columns(network: Network, told: Prediction, name: str) -> dict[str, tuple[Variable, Column]]:
    """What is told of one hidden variable, by the names of the columns."""
    variable, values = network.variables[name], told[name]
    if not isinstance(variable, Discrete):
        spread = f"sd({name})"
        return {name: (variable, values), spread: (Continuous(spread), told.sd[name])}
    best = np.where(np.isnan(values[:, 0]), -1, np.nan_to_num(values).argmax(axis=1))
    found: dict[str, tuple[Variable, Column]] = {
        name: (variable, best.astype(code_type(len(variable.states))))
    }
    for at, state in enumerate(variable.states):
        column = f"{name}={state}"
        found[column] = (Continuous(column), values[:, at].astype(np.float64))
    return found
