"""Measuring: what one action costs, what many cost together, and the machine it was measured on. Times are milliseconds."""

from __future__ import annotations

import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

Result = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one action took: time on the wall, and processor time of this process and of the programs it ran."""

    wall: float
    own: float
    programs: float

    @property
    def cpu(self) -> float:
        return self.own + self.programs


def timed(action: Callable[[], T]) -> tuple[T, Cost]:
    """Do something once; return what came back and its cost."""
    own, programs, wall = time.process_time(), _programs(), time.perf_counter()
    found = action()
    wall, own, programs = time.perf_counter() - wall, time.process_time() - own, _programs() - programs
    return found, Cost(1000 * wall, 1000 * own, 1000 * programs)


def _programs() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Series:
    """The costs of one action, repeated."""

    def __init__(self) -> None:
        self.costs: list[Cost] = []

    def time(self, action: Callable[[], T]) -> T:
        """Do something, keep its cost, and return what came back."""
        found, cost = timed(action)
        self.costs.append(cost)
        return found

    @property
    def median(self) -> float:
        return statistics.median(cost.wall for cost in self.costs)

    @property
    def p95(self) -> float:
        return percentile((cost.wall for cost in self.costs), 0.95)

    @property
    def cpu(self) -> float:
        """The median processor time, programs included."""
        return statistics.median(cost.cpu for cost in self.costs)

    @property
    def programs_cpu(self) -> float:
        """The median processor time of the programs that ran, without what it took us to start them."""
        return statistics.median(cost.programs for cost in self.costs)


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least this share of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def figure(value: float) -> float:
    """A measured number with the digits that mean something: four at most."""
    return float(f"{value:.4g}")


def ratio(peer: float, ours: float) -> float:
    """How many times the peer's figure is ours; above 1 means that we are quicker."""
    return figure(peer / max(ours, 1e-6))


def machine() -> Result:
    """The machine and the programs of this run."""
    return {
        "platform": platform.platform(terse=True),
        "cpus": os.cpu_count(),
        "file_system": file_system(tempfile.gettempdir()),
        "python": platform.python_version(),
        "git": subprocess.run(("git", "version"), check=True, capture_output=True, text=True).stdout.split()[2],
        **{name: _version(name) for name in ("pygit2", "tantivy")},
    }


def file_system(folder: str) -> str:
    """The kind of file system that a folder lies on, such as ext4 or tmpfs: commits differ by several times between them."""
    try:
        with open("/proc/self/mounts", encoding="utf-8") as file:
            mounts = [line.split()[1:3] for line in file]
    except OSError:
        return "unknown"
    real = os.path.realpath(folder)
    holding = [(len(place), kind) for place, kind in mounts if real == place or real.startswith(place.rstrip("/") + "/")]
    return max(holding)[1] if holding else "unknown"


def load() -> list[float]:
    """How many processes wanted to run, over the last 1, 5 and 15 minutes."""
    return [round(number, 2) for number in os.getloadavg()]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def peak_memory() -> int:
    """The most memory this process ever held, in bytes, mapped files included."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            # ru_maxrss would include what the parent held when it started this process.
            held = next(line for line in file if line.startswith("VmHWM:"))
        return int(held.split()[1]) * 1024
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
