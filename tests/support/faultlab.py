"""FaultLab: has the driver of the fault suite work as a process of its own and hands it jobs."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self

from support.faultrun import DOOR, Job, Outcome

_DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faultrun.py")
_ANSWER_LIMIT = 120.0


def quick_folder() -> str:
    """A folder in memory where there is one: the suite kills processes, not the power, so slow syncs prove nothing more."""
    memory = "/dev/shm"
    return tempfile.mkdtemp(prefix="memtree-faults-", dir=memory if os.access(memory, os.W_OK) else None)


class _Program:
    """The program that drivers are forked from: started once in a test process, for it takes longer than most labs."""

    def __init__(self) -> None:
        self.folder = quick_folder()
        self.process = subprocess.Popen([sys.executable, _DRIVER, self.folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n", f"it ended with {self.process.wait(timeout=_ANSWER_LIMIT)}"
        atexit.register(self.close)

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(os.path.join(self.folder, DOOR))
        return connection

    def close(self) -> None:
        """End it; its folder goes with it. It does so by itself when this process is killed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(timeout=_ANSWER_LIMIT)
        self.process.stdout.close()


_programs: list[_Program] = []


def _program() -> _Program:
    """The program, a new one when the one before has crashed."""
    if not _programs or _programs[-1].process.poll() is not None:
        _programs.append(_Program())
    return _programs[-1]


class FaultLab:
    """One scenario, its steps, and as many runs as a test wants. `without` names a part of the store that is switched off."""

    def __init__(self, scenario: str, *, durability: str = "full", without: str = "") -> None:
        self._folder = quick_folder()
        with _program().connect() as connection:
            self._driver = connection.makefile("rw")
        self._ask({"scenario": scenario, "durability": durability, "without": without, "folder": self._folder})
        self.trace: list[tuple[str, str]] = [(step, path) for step, path in self._answer()["trace"]]
        self.runs = 0

    @property
    def steps(self) -> range:
        return range(1, len(self.trace) + 1)

    def run(self, jobs: Iterable[Job]) -> list[tuple[Job, Outcome]]:
        done = []
        for job in jobs:
            self._ask(asdict(job))
            done.append((job, Outcome(**self._answer())))
            self.runs += 1
        return done

    def _ask(self, what: dict[str, object]) -> None:
        self._driver.write(json.dumps(what) + "\n")
        self._driver.flush()

    def _answer(self) -> dict[str, Any]:
        line = self._driver.readline()
        assert line, "the driver ended, and said why in the standard error"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._driver.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def bad(done: Iterable[tuple[Job, Outcome]]) -> list[str]:
    """The runs in which something was wrong, each with what is needed to repeat it."""
    return [f"{job}: {problem}" for job, outcome in done for problem in outcome.problems]
