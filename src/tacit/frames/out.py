"""Native frames out of plain columns."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

BACKENDS = ("pandas", "polars", "pyarrow")


def build(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """A native frame of these columns: of `backend`, or of the first library that is installed.

    columns: arrays or lists; None in a list is a null, and integers and booleans beside it stay so.
    """
    import narwhals.stable.v2 as nw

    chosen: Any = backend or next((name for name in BACKENDS if find_spec(name)), None)
    if chosen not in BACKENDS or find_spec(chosen) is None:
        wanted = backend or " or ".join(BACKENDS)
        raise ImportError(f"a data frame needs {wanted} to be installed")
    data = dict(columns)
    if chosen == "pandas":
        data = {name: _nullable(values) for name, values in data.items()}
    return nw.from_dict(data, backend=chosen).to_native()


def _nullable(values: Any) -> Any:
    """Integers and booleans with nulls, which plain pandas columns would turn into reals."""
    import pandas as pd

    if not isinstance(values, list) or None not in values:
        return values
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {int}:
        return pd.array(values, dtype="Int64")
    if kinds == {bool}:
        return pd.array(values, dtype="boolean")
    return values
