"""Missing cells as a state of their own, for gaps that say something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError
from tacit.core.variables import Discrete
from tacit.io.cases import as_dataset


def missing_as_state(
    data: Any, columns: Sequence[str] | None = None, state: str = "missing"
) -> Dataset:
    """The same cases, in which a missing cell is one more state of its variable, the last.

    For cells whose being missing depends on what they would have said: such gaps are not at
    random, and filling them in by expectation would be wrong. By default every discrete column
    with gaps gets the state. [HV1-47]
    """
    cases = as_dataset(data)
    gaps = cases.missing()
    chosen = [name for name in cases.names if gaps[name]] if columns is None else list(columns)
    variables, coded = dict(cases.variables), dict(cases.columns)
    for name in chosen:
        column, variable = cases[name], cases.variables[name]
        if not isinstance(variable, Discrete):
            if columns is None:
                continue
            raise CasesError(
                f"{name!r} is continuous; a gap can be a state of discrete columns only"
            )
        if state in variable.states:
            raise CasesError(f"{name!r} has a state {state!r} already; choose another word")
        variables[name] = replace(variable, states=(*variable.states, state))
        codes = column.astype("int64")
        codes[codes < 0] = len(variable.states)
        coded[name] = codes
    return replace(cases, variables=variables, columns=coded)
