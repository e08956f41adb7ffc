"""What the ways to other libraries and back share."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from tacit.arrays import Floats
from tacit.core.errors import FormatError, OptionError
from tacit.core.variables import Discrete
from tacit.families.table import Table
from tacit.io.draft import rescaled, settled

_log = logging.getLogger("tacit")


def rounded_table(axes: tuple[Discrete, ...], values: Floats) -> Table:
    """A table whose rows may be rounded, as those of files read in single precision are."""
    rows = values.reshape(-1, values.shape[-1])
    rows, off = settled(axes, rows, lambda _, what: FormatError(what))
    if off is not None:
        _log.info("%s", rescaled(axes[-1].name, off))
    return Table(axes, rows.reshape(values.shape))


def texts(states: Iterable[Any]) -> tuple[str, ...]:
    """Labels, whatever they are, as text."""
    return tuple(map(str, states))


def library(name: str) -> Any:
    """A library that is only needed here; an error that says how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        extra = "networkx" if name == "networkx" else "tacit-bn[interop]"
        raise OptionError(f"this needs {name}\n\ninstall it with: pip install '{extra}'") from None
