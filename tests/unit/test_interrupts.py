"""Ctrl-C asks first, and only then insists."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from tacit.core.interrupts import asked_to_end


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_interrupt_is_a_question_and_the_second_an_exception() -> None:
    with asked_to_end() as asked:
        assert not asked()
        interrupt()
        assert asked()
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_work_within_work_hears_the_same_question() -> None:
    with asked_to_end() as outer:
        with asked_to_end() as inner:
            interrupt()
            assert inner()
        assert outer()
    with pytest.raises(KeyboardInterrupt):
        interrupt()


def test_other_threads_hear_it_only_from_the_main_one() -> None:
    heard: list[bool] = []

    def work() -> None:
        with asked_to_end() as asked:
            heard.append(asked())

    def in_a_thread() -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    in_a_thread()
    with asked_to_end():
        interrupt()
        in_a_thread()
    assert heard == [False, True]
