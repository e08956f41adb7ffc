"""Ctrl-C that asks long work to end at its next step, instead of breaking it where it stands."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

Asked: TypeAlias = Callable[[], bool]
"""Whether someone asked for the end."""


@contextmanager
def asked_to_end() -> Iterator[Asked]:
    """While this lasts, the first Ctrl-C is kept as a question that the work answers in its time.

    An exception raised at any instruction may be raised while a lock is being taken, which then
    nobody gives back, or inside code that swallows it; work on several threads, and work that has
    something to lose, looks here between steps instead. The second Ctrl-C is the usual exception.

    Work within such work hears the same question. In other threads, and where something else than
    Python's own handler listens, nothing changes and the answer is always no.
    """
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, _Listener):
        yield handler.asked.is_set
        return
    listener = _Listener()
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or handler is not signal.default_int_handler:
        yield listener.asked.is_set
        return
    signal.signal(signal.SIGINT, listener)
    try:
        yield listener.asked.is_set
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class _Listener:
    """A signal handler that remembers the first call and passes on the next."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked.is_set():
            signal.default_int_handler(number, frame)
        self.asked.set()
