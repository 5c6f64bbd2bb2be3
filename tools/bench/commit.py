"""commit: one changed file becomes a commit, its path known, in a warm process; beside `git add PATH` and `git commit`."""

from __future__ import annotations

import os
from contextlib import ExitStack

from memtree.engine.files import Durability
from memtree.engine.workspace import Workspace
from memtree.tools.bench.ground import Ground, edited, git, options, save_as_editor
from memtree.tools.bench.measure import Result, Series, figure, ratio
from memtree.tree.paths import RepoPath


def commit(ground: Ground, files: int, repetitions: int) -> Result:
    """Interleave git, memtree without and memtree with fsync; each commits another note.

    `memtree_ms` is a commit that follows one of memtree's own; strictly interleaved, right after git's commit and with git's index
    to be read anew, it is `memtree_after_git_ms`. Git reads its index every time.
    """
    root = ground.workspace(files)
    _fan_out(root)
    peer, after, fast, full = Series(), Series(), Series(), Series()
    with ExitStack() as stack:
        ours = [
            (series, stack.enter_context(Workspace.open(root, options(durability))))
            for series, durability in ((fast, Durability.FAST), (full, Durability.FULL))
        ]
        for number in range(-1, repetitions):
            if number == 0:
                _forget(peer, after, fast, full)  # the first round warmed caches
            _by_git(peer, root, ground.path(files), number)
            for series, workspace in ours:
                _by_memtree(after if series is fast else Series(), workspace, ground.path(files), number)
                _by_memtree(series, workspace, ground.path(files), number)
    return {
        "files": files,
        "repetitions": repetitions,
        "git_ms": figure(peer.median),
        "memtree_ms": figure(fast.median),
        "memtree_full_ms": figure(full.median),
        "memtree_after_git_ms": figure(after.median),
        "ratio": ratio(peer.median, fast.median),
        "full_ratio": ratio(peer.median, full.median),
        "cpu_ratio": ratio(peer.programs_cpu, fast.cpu),
        "after_git_ratio": ratio(peer.median, after.median),
        "cpu_after_git_ratio": ratio(peer.programs_cpu, after.cpu),
        "git_cpu_ms": figure(peer.programs_cpu),
        "memtree_cpu_ms": figure(fast.cpu),
        "memtree_full_cpu_ms": figure(full.cpu),
        "git_p95_ms": figure(peer.p95),
        "memtree_p95_ms": figure(fast.p95),
        "memtree_full_p95_ms": figure(full.p95),
    }


def _fan_out(root: str) -> None:
    """Make the 256 folders of loose objects, which both sides fill: a hundred commits would have made them.

    In a repository just seeded from a pack each new object makes its folder first, at up to a millisecond each on a busy disk.
    """
    for number in range(256):
        os.makedirs(os.path.join(root, ".git", "objects", f"{number:02x}"), exist_ok=True)


def _forget(*every: Series) -> None:
    for series in every:
        series.costs.clear()


def _by_git(series: Series, root: str, path: RepoPath, number: int) -> None:
    data = edited(root, path, f"Edit {number} by git")

    def action() -> None:
        save_as_editor(root, path, data)
        git(root, "add", "--", path)
        git(root, "commit", "--quiet", "-m", f"edit {number}")

    series.time(action)


def _by_memtree(series: Series, workspace: Workspace, path: RepoPath, number: int) -> None:
    data = edited(workspace.root, path, f"Edit {number} by memtree")
    report = series.time(lambda: workspace.write({path: data}, f"edit {number}\n\nMemtree-Writer: bench\n"))
    assert report.changed
    assert not workspace.said()
