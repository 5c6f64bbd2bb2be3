"""FaultLab: starts the driver of the fault suite as a process of its own and hands it jobs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from types import TracebackType
from typing import Self

from support.faultrun import Job, Outcome

_DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faultrun.py")
_ANSWER_LIMIT = 120.0


def quick_folder() -> str:
    """A folder in memory where there is one: the suite kills processes, not the power, so slow syncs prove nothing more."""
    memory = "/dev/shm"
    return tempfile.mkdtemp(prefix="memtree-faults-", dir=memory if os.access(memory, os.W_OK) else None)


class FaultLab:
    """One scenario, its steps, and as many runs as a test wants. `without` names a part of the store that is switched off."""

    def __init__(self, scenario: str, *, durability: str = "full", without: str = "") -> None:
        self._folder = quick_folder()
        self._process = subprocess.Popen(
            [sys.executable, _DRIVER, os.path.join(self._folder, "lab"), scenario, durability, without],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.trace: list[tuple[str, str]] = [(step, path) for step, path in self._answer()["trace"]]
        self.runs = 0

    @property
    def steps(self) -> range:
        return range(1, len(self.trace) + 1)

    def run(self, jobs: Iterable[Job]) -> list[tuple[Job, Outcome]]:
        done = []
        for job in jobs:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(asdict(job)) + "\n")
            self._process.stdin.flush()
            done.append((job, Outcome(**self._answer())))
            self.runs += 1
        return done

    def _answer(self) -> dict[str, object]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the driver ended with {self._process.wait(timeout=_ANSWER_LIMIT)}"
        answer: dict[str, object] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=_ANSWER_LIMIT)
        shutil.rmtree(self._folder, ignore_errors=True)


def bad(done: Iterable[tuple[Job, Outcome]]) -> list[str]:
    """The runs in which something was wrong, each with what is needed to repeat it."""
    return [f"{job}: {problem}" for job, outcome in done for problem in outcome.problems]
