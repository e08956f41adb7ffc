"""What is saved under which name, and how."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tacit as tc

FILES: dict[str, Callable[[], Any]] = {}
"""What each file is made by, in their order."""


def saved(*files: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Says which files hold what a function returns."""

    def noted(make: Callable[[], Any]) -> Callable[[], Any]:
        FILES.update(dict.fromkeys(files, make))
        return make

    return noted


def interrupted_at(
    step: int, how: type[BaseException] = KeyboardInterrupt
) -> Callable[[int, int], None]:
    """What presses Ctrl-C, or does worse, when it has heard of progress so often."""
    heard: list[int] = []

    def hear(done: int, total: int) -> None:
        heard.append(done)
        if len(heard) == step:
            raise how

    return hear


def keep(made: Any, file: str) -> None:
    """Saves a value as its kind is saved."""
    if isinstance(made, str):
        Path(file).write_text(made)
    elif isinstance(made, tc.Network):
        tc.write(made, file)
    else:
        made.save(file)


def write_files() -> None:
    """Every file, into the folder we are in; what several hold is made once."""
    made: dict[Callable[[], Any], Any] = {}
    for file, make in FILES.items():
        if make not in made:
            made[make] = make()
        keep(made[make], file)
