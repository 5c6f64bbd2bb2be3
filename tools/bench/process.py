"""Process: what a running program holds and has used, as the system tells it (proc(5))."""

from __future__ import annotations

import os
from dataclasses import dataclass

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of memory: `resident` now and at `peak`, files that are mapped included, `own` without them. Seconds of processor time.

    `programs` is the time of the programs that it ran and that have ended.
    """

    resident: int
    own: int
    peak: int
    cpu: float
    programs: float
    threads: int
    descriptors: int

    @property
    def used(self) -> float:
        """Seconds of processor time, programs included."""
        return self.cpu + self.programs


def usage(pid: int) -> Usage:
    """Look at a process; raise OSError when it is gone."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        # The name before may hold anything, a bracket too.
        fields = file.read().rpartition(")")[2].split()
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        said = dict(line.split(":", 1) for line in file if ":" in line)
    user, system, programs_user, programs_system = (int(ticks) / _TICKS for ticks in fields[11:15])
    return Usage(
        _bytes(said["VmRSS"]),
        _bytes(said["RssAnon"]),
        _bytes(said["VmHWM"]),
        user + system,
        programs_user + programs_system,
        int(fields[17]),
        len(os.listdir(f"/proc/{pid}/fd")),
    )


def _bytes(text: str) -> int:
    return int(text.split(maxsplit=1)[0]) * 1024
