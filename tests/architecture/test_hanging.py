"""The tests themselves: one that hangs fails, and what hung is told."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from support.hanging import Hung, bounded


def test_a_wait_without_an_end_fails_and_tells_what_there_was(capfd: pytest.CaptureFixture[str]) -> None:
    outer, left = signal.getsignal(signal.SIGALRM), signal.setitimer(signal.ITIMER_REAL, 0)
    reading, writing = os.pipe()
    try:
        with subprocess.Popen(("sleep", "60")) as program:
            try:
                with pytest.raises(Hung, match=r"more than 0\.3 s"), bounded(0.3):
                    os.read(reading, 1)
            finally:
                program.kill()
    finally:
        os.close(reading)
        os.close(writing)
        signal.setitimer(signal.ITIMER_REAL, *left)
    told = capfd.readouterr().err
    assert "test_hanging.py" in told
    assert f"process {program.pid}: S" in told
    assert "sleep 60" in told
    assert signal.getsignal(signal.SIGALRM) == outer
