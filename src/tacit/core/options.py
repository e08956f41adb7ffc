"""Checks of arguments and options: one message for each kind of mistake, before any work.

numpy is loaded where it is asked for: commands that compute nothing come by here too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any

from tacit.core.errors import OptionError

EXACT = 2.0**53
"""Whole numbers below this are doubles to their last digit."""


def check_value(option: str, given: object, kind: Any, example: str) -> None:
    """Nothing, or an error about what is no value of its kind: a class, a word."""
    if not isinstance(given, kind):
        raise OptionError(f"{option} takes a value such as {example}, not {shown(given)}")


def shown(given: object) -> str:
    """What was given as a message shows it; a class, where a value is wanted, by its name."""
    return f"the class {given.__name__}" if isinstance(given, type) else repr(given)


def check_flag(option: str, given: object) -> None:
    """Nothing, or an error about what is neither True nor False."""
    if given is True or given is False:
        return
    import numpy as np

    if not isinstance(given, np.bool_):
        raise OptionError(f"{option}={given!r} must be True or False")


def is_number(given: object) -> bool:
    """Whether it is a finite number that fits in a float, and no truth value."""
    import numpy as np

    number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    try:
        return number and isfinite(given)  # type: ignore[arg-type]
    except (OverflowError, TypeError):  # 10**400 fits in no float, 1j is on no line
        return False


def names_in(option: str, given: object) -> tuple[str, ...]:
    """The names that an option takes, one or several."""
    names: tuple[Any, ...] = (None,)
    if isinstance(given, str):
        names = (given,)
    elif isinstance(given, Iterable) and not isinstance(given, bytes):
        names = tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise OptionError(f"{option} takes a name or a list of names, not {given!r}")
    return names


def exact(given: float) -> str:
    """A number as Python writes it, to its last digit; a whole one without a point."""
    number = float(given)
    return str(int(number)) if number.is_integer() and abs(number) < EXACT else repr(number)


def check_checkpoint(checkpoint: object, resume: object) -> None:
    """Nothing, or an error about a file to keep work in that is none, or none to go on from."""
    check_flag("resume", resume)
    if checkpoint is None:
        if resume:
            raise OptionError("resume=True needs checkpoint=, the file to go on from")
        return
    if not isinstance(checkpoint, str | Path) or not os.fspath(checkpoint):
        raise OptionError(f"checkpoint takes the path of a file, not {checkpoint!r}")
