"""What a text names on disk, where it may as well be no name of a file at all."""

from __future__ import annotations

from pathlib import Path


def is_file(text: str) -> bool:
    """Whether a file has this name; a text that can be no name, such as a long dag, is none."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def neighbours(text: str) -> list[str]:
    """The names of what lies in the folder of a file that a text would name."""
    try:
        return [path.name for path in Path(text).parent.iterdir()]
    except (OSError, ValueError):
        return []
