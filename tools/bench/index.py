"""index: the indexes of a commit, built from nothing in a process of their own; beside git reading the same notes.

`seconds` and `peak_mib` are of the full-text index alone; `both_…` have the vectors with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from memtree.engine.workspace import Workspace
from memtree.tools.bench.corpus import environment
from memtree.tools.bench.ground import Ground, git, options
from memtree.tools.bench.measure import Result, Series, figure, peak_memory, ratio


def index(ground: Ground, files: int, repetitions: int) -> Result:
    """Build, in a fresh process each time, and report the median; the peer is `git cat-file` printing every note."""
    root = ground.workspace(files)
    peer = Series()
    builds: list[dict[str, Any]] = []
    for _ in range(repetitions):
        peer.time(lambda: _read_all(root))
        builds.append(json.loads(ground.python("-m", "memtree.tools.bench.index", root, folder=root)))
    build = sorted(builds, key=lambda one: float(one["seconds"]))[len(builds) // 2]
    assert build["files"] >= files
    return {
        "files": files,
        "repetitions": repetitions,
        "seconds": figure(build["seconds"]),
        "notes_per_second": figure(build["files"] / build["seconds"]),
        "cpu_seconds": figure(build["cpu_seconds"]),
        "peak_mib": figure(max(one["peak_bytes"] for one in builds) / 2**20),
        "vectors_seconds": figure(build["vectors_seconds"]),
        "both_seconds": figure(build["seconds"] + build["vectors_seconds"]),
        "both_peak_mib": figure(max(one["vectors_peak_bytes"] for one in builds) / 2**20),
        "chunks": build["chunks"],
        "index_mib": figure(build["index_bytes"] / 2**20),
        "git_read_seconds": figure(peer.median / 1000),
        "ratio": ratio(peer.median / 1000, build["seconds"]),
    }


def _read_all(root: str) -> None:
    """Have git print the content of every file of HEAD."""
    rows = git(root, "ls-tree", "-r", "HEAD").splitlines()
    ids = b"".join(row.split()[2] + b"\n" for row in rows)
    subprocess.run(("git", "cat-file", "--batch"), cwd=root, env=environment(), input=ids, stdout=subprocess.DEVNULL, check=True)


def chunks(workspace: Workspace) -> tuple[int, int]:
    """How many chunks the index of a workspace holds, and its size in bytes, as its files say."""
    documents = size = 0
    for folder, _, names in os.walk(workspace.places.search):
        size += sum(os.path.getsize(os.path.join(folder, name)) for name in names)
        if "meta.json" in names:
            with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
                documents += sum(_alive(segment) for segment in json.load(file)["segments"])
    return documents - 1, size  # one document is the index's own position


def _alive(segment: dict[str, Any]) -> int:
    deletes = segment.get("deletes")
    return int(segment["max_doc"]) - (int(deletes["num_deleted_docs"]) if deletes else 0)


def build(root: str) -> Result:
    """Build the index of a workspace anew in this process; seconds, processor seconds, and bytes of memory and of disk."""
    with Workspace.open(root, options()) as workspace:
        workspace.index().clear()
        wall, cpu = time.perf_counter(), time.process_time()
        done = workspace.catch_up()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        assert done is not None
        count, size = chunks(workspace)
        peak = peak_memory()
        vectors = _vectors(workspace)
        return {
            "files": done.changed,
            "seconds": wall,
            "cpu_seconds": cpu,
            "peak_bytes": peak,
            "vectors_seconds": vectors,
            "vectors_peak_bytes": peak_memory(),
            "chunks": count,
            "index_bytes": size,
        }


def _vectors(workspace: Workspace) -> float:
    """Embed every chunk and build the vector index; seconds."""
    found = workspace.searching.meaning().vectors
    assert found is not None
    found.clear()
    started = time.perf_counter()
    notes = workspace.refresh_index()
    assert not notes, notes
    return time.perf_counter() - started


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1])))
