"""import: a folder of notes brought in as one commit, synced; beside copying the folder and committing it with git."""

from __future__ import annotations

import json
import os
import sys
import time

from memtree.engine.importing.importer import import_sources
from memtree.engine.workspace import Workspace
from memtree.tools.bench.corpus import notes
from memtree.tools.bench.ground import Ground, git, options
from memtree.tools.bench.measure import Result, Series, figure, peak_memory, ratio


def importing(ground: Ground, files: int, repetitions: int) -> Result:
    """Import in a fresh process and a new workspace each time, in turns with the peer; medians.

    A workspace's own durability is `full`: everything is on the disk when the import is over. Git by default syncs its refs and
    packs, but neither the loose objects of an add nor the files.
    """
    source = ground.new("source")
    for path, data in notes(files, ground.seed):
        _write(os.path.join(source, path), data)
    peer, runs = Series(), []
    for _ in range(repetitions):
        peer.time(lambda: _by_git(source, ground.new("by-git")))
        root = ground.new("imported")
        Workspace.init(root, options=options())[0].close()
        runs.append(json.loads(ground.python("-m", "memtree.tools.bench.importing", root, source, folder=root)))
        assert (runs[-1]["imported"], git(root, "status", "--porcelain")) == (files, b"")
    run = sorted(runs, key=lambda one: float(one["seconds"]))[len(runs) // 2]
    return {
        "files": files,
        "repetitions": repetitions,
        "seconds": figure(run["seconds"]),
        "cpu_seconds": figure(run["cpu_seconds"]),
        "repeat_seconds": figure(run["repeat_seconds"]),
        "files_per_second": figure(files / run["seconds"]),
        "peak_mib": figure(max(one["peak_bytes"] for one in runs) / 2**20),
        "git_seconds": figure(peer.median / 1000),
        "ratio": ratio(peer.median / 1000, run["seconds"]),
    }


def _write(full: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "wb") as file:
        file.write(data)


def _by_git(source: str, root: str) -> None:
    os.mkdir(root)
    git(root, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")):
        git(root, "config", key, value)
    for folder, _, names in os.walk(source):
        for name in names:
            full = os.path.join(folder, name)
            with open(full, "rb") as file:
                _write(os.path.join(root, os.path.relpath(full, source)), file.read())
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "import")


def measure(root: str, source: str) -> Result:
    """Import in this process, and again with nothing new; seconds, processor seconds, bytes of memory."""
    with Workspace.open(root, options()) as workspace:
        wall, cpu = time.perf_counter(), time.process_time()
        (done,) = import_sources(workspace, [source]).sources
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        peak, again = peak_memory(), time.perf_counter()
        assert not import_sources(workspace, [source]).commit.changed
        return {
            "imported": done.imported,
            "seconds": wall,
            "cpu_seconds": cpu,
            "repeat_seconds": time.perf_counter() - again,
            "peak_bytes": peak,
        }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
