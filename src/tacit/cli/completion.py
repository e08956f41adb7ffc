"""Completion scripts for a shell that is named, rather than guessed from the running processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tacit.core.errors import OptionError, nearest

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")
REQUEST = "_TACIT_COMPLETE"
"""The variable through which a shell asks for completions, and for the script that asks."""


@contextmanager
def scripted(arguments: list[str]) -> Iterator[list[str]]:
    """The arguments to go on with; `--show-completion zsh` becomes a request for that script."""
    asked = arguments[:1] == ["--show-completion"] and len(arguments) > 1
    if not asked:
        yield arguments
        return
    shell = arguments[1]
    if shell not in SHELLS or len(arguments) > 2:
        raise OptionError(
            f"there is no completion for the shell {shell!r}{nearest(shell, SHELLS)}"
            f"\n\nshells: {', '.join(SHELLS)}"
        )
    os.environ[REQUEST] = f"source_{shell}"
    try:
        yield []
    finally:
        del os.environ[REQUEST]
