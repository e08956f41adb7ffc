"""The one adapter to data frames: nothing else in the package knows pandas, polars or Arrow."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

BACKENDS = ("pandas", "polars", "pyarrow")


def build(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """A native frame of these columns: of `backend`, or of the first library that is installed."""
    import narwhals.stable.v2 as nw

    chosen = backend or next((name for name in BACKENDS if find_spec(name)), None)
    if chosen not in BACKENDS or find_spec(chosen) is None:
        wanted = backend or " or ".join(BACKENDS)
        raise ImportError(f"a data frame needs {wanted} to be installed")
    return nw.from_dict(dict(columns), backend=chosen).to_native()
