"""diff: which path the last commit changed, in a warm process; beside `git diff-tree -r`."""

from __future__ import annotations

from memtree.engine.files import Durability
from memtree.engine.repo import Repo
from memtree.engine.tree_diff import diff_commits
from memtree.engine.workspace import Workspace
from memtree.tools.bench.ground import Ground, edited, git, options
from memtree.tools.bench.measure import Result, Series, figure, ratio


def diff(ground: Ground, files: int, repetitions: int) -> Result:
    """Make a commit, then ask what it changed: by an open repository, by one just opened, and by git."""
    root = ground.workspace(files)
    peer, ours, opened = Series(), Series(), Series()
    with Workspace.open(root, options(Durability.FAST)) as workspace:
        for number in range(-1, repetitions):
            path = ground.path(files)
            data = edited(root, path, f"Edit {number}")
            report = workspace.write({path: data}, f"edit {number}\n\nMemtree-Writer: bench\n")
            before, after = report.before, report.after
            assert before is not None
            assert after is not None
            if number < 0:
                continue  # the first round warms caches
            found = ours.time(lambda one=before, two=after: diff_commits(workspace.repo, one, two))  # type: ignore[misc]
            opened.time(lambda one=before, two=after: diff_commits(Repo.open(root), one, two))  # type: ignore[misc]
            shown = peer.time(lambda one=before, two=after: git(root, "diff-tree", "-r", one, two))  # type: ignore[misc]
            assert [change.path for change in found] == [path]
            assert shown.decode().split("\t")[1:] == [f"{path}\n"]
    return {
        "files": files,
        "repetitions": repetitions,
        "git_ms": figure(peer.median),
        "memtree_ms": figure(ours.median),
        "memtree_opened_ms": figure(opened.median),
        "ratio": ratio(peer.median, ours.median),
        "cpu_ratio": ratio(peer.programs_cpu, ours.cpu),
        "git_cpu_ms": figure(peer.programs_cpu),
        "memtree_cpu_ms": figure(ours.cpu),
        "git_p95_ms": figure(peer.p95),
        "memtree_p95_ms": figure(ours.p95),
    }
