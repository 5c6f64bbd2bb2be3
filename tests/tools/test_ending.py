"""Ending: whoever is asked to end hears it, whichever thread the system gives the signal to."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from memtree.tools.ending import Ending

_PATIENCE = 20.0  # seconds, after which a wait that heard nothing is woken


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_another_thread_gets_ends_the_wait(number: signal.Signals) -> None:
    """The system chooses the thread; of a process that was stopped it is often another one than the main thread."""
    before = signal.signal(number, signal.default_int_handler)  # whoever runs the tests may have it ignored
    late: list[str] = []
    try:
        with Ending() as ending:
            asleep = signal.pthread_sigmask(signal.SIG_BLOCK, {number})

            def receive() -> None:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
                os.kill(os.getpid(), number)

            def rescue() -> None:
                late.append("nothing was heard")
                ending.wake()

            other, waking = threading.Timer(0.2, receive), threading.Timer(_PATIENCE, rescue)
            other.start()
            waking.start()
            try:
                while not ending.wait():
                    assert late == []
                assert late == []
            finally:
                waking.cancel()
                signal.pthread_sigmask(signal.SIG_SETMASK, asleep)
                other.join(_PATIENCE)
    finally:
        signal.signal(number, before)


def test_what_python_told_of_signals_before_is_told_again_afterwards() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        before = signal.set_wakeup_fd(writing)
        try:
            with Ending():
                pass
        finally:
            assert signal.set_wakeup_fd(before) == writing
    finally:
        os.close(reading)
        os.close(writing)
