"""close: conversations recorded in bulk and closed without a model; beside git adding and committing the same files.

A turn is what a user asked and an agent answered. Closing cuts a conversation into segments and makes of each a recap, its events,
what the profile learns, and the prose that the summary tree is built from.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict

from memtree.engine.closing.closer import Closer, everything
from memtree.engine.closing.open_turns import Sessions
from memtree.engine.workspace import Workspace
from memtree.engine.writers.many_turns import record_turns
from memtree.tools.bench.ground import PREFIX, Ground, committed_by_git, git, options
from memtree.tools.bench.growth import Bound, growth
from memtree.tools.bench.measure import Result, Series, figure, peak_memory, ratio
from memtree.tools.bench.process import usage
from memtree.tools.bench.talk import TURNS, talk
from memtree.tree.agent_turn import AgentTurn, ToolCall

SESSION = 500  # turns of the one session that is closed by itself
# MiB that closing may hold more in its last quarter than in its second: what libraries keep of memory that is free again.
_BOUND = Bound(16.0)
_SAMPLES = 4


def close(ground: Ground, count: int, repetitions: int) -> Result:
    """Record and close `count` turns in sessions of fifty, and one session of at most SESSION, each in a process of its own."""
    one, many = min(count, SESSION), _closed(ground, count, TURNS)
    alone = min((_closed(ground, one, one) for _ in range(repetitions)), key=lambda found: float(found["close_seconds"]))
    return {
        "files": count,
        "turns": count,
        "repetitions": repetitions,
        **many,
        "session_turns": one,
        "session_segments": alone["segments"],
        "session_seconds": alone["close_seconds"],
        "session_cpu_seconds": alone["close_cpu_seconds"],
        "session_commits": alone["commits"],
    }


def _closed(ground: Ground, count: int, of_session: int) -> Result:
    root, source = ground.new("closed"), ground.new("talk")
    with open(source, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(turn)) + "\n" for turn in talk(count, ground.seed, of_session=of_session))
    Workspace.init(root, options=options())[0].close()
    before = git(root, "rev-list", "--count", "HEAD")
    found = json.loads(ground.python("-m", "memtree.tools.bench.close", root, source, folder=root))
    assert (found.pop("stored"), git(root, "status", "--porcelain")) == (count, b"")
    made = [name for name in _names(root) if not name.startswith(f"{PREFIX}episodic/")]
    peer = Series()
    peer.time(lambda: committed_by_git(root, made, ground.new("by-git")))
    return {
        **{key: figure(value) if isinstance(value, float) else value for key, value in found.items()},
        "made_files": len(made),
        "commits": int(git(root, "rev-list", "--count", "HEAD")) - int(before) - 1,
        "turns_per_second": figure(count / found["close_seconds"]),
        "git_seconds": figure(peer.median / 1000),
        "ratio": ratio(peer.median / 1000, found["close_seconds"]),
    }


def _names(root: str) -> list[str]:
    return git(root, "ls-files", "-z", "--", PREFIX).decode().split("\0")[:-1]


def _read(source: str) -> Iterator[AgentTurn]:
    with open(source, encoding="utf-8") as file:
        for line in file:
            found = json.loads(line)
            yield AgentTurn(**{**found, "tool_calls": tuple(ToolCall(**call) for call in found["tool_calls"])})


def measure(root: str, source: str) -> Result:
    """Record and close in this process; seconds, MiB of memory, and whether closing held more the longer it went on."""
    with Workspace.open(root, options()) as workspace:
        start = time.perf_counter()
        stored = record_turns(workspace, lambda: _read(source), message="turns\n\nMemtree-Writer: import\n").stored
        recorded, cpu, held = time.perf_counter(), time.process_time(), _Held()
        folders = _sessions(workspace).open_folders()
        report = Closer(workspace, progress=held.look).close(folders, whole=everything)
        closed, cpu = time.perf_counter(), time.process_time() - cpu
        assert not _sessions(workspace).open_folders()
        return {
            "stored": stored,
            "sessions": len(folders),
            "segments": len(report.closed),
            "import_seconds": recorded - start,
            "close_seconds": closed - recorded,
            "seconds": closed - start,
            "close_cpu_seconds": cpu,
            "peak_mib": peak_memory() / 2**20,
            **held.told(),
        }


def _sessions(workspace: Workspace) -> Sessions:
    return Sessions.of(workspace)


class _Held:
    """How much memory the process holds for itself, looked at after each session, for a judgement in the end."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, float]] = []

    def look(self, _: int) -> None:
        self._rows.append((usage(os.getpid()).own / 2**20, time.perf_counter()))

    def told(self) -> Result:
        if len(self._rows) < _SAMPLES:
            return {}
        values, times = zip(*self._rows, strict=True)
        found = growth(values, times, [0.0] * len(values), _BOUND)
        return {"second_quarter_mib": found.second, "last_quarter_mib": found.last, "flat": found.flat}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
