"""merge-trees: two commits that changed the same notes merged in memory, trees written; beside `git merge-tree --write-tree`."""

from __future__ import annotations

import subprocess

from memtree.engine.files import Durability, Files
from memtree.engine.merge.files import FileMerge
from memtree.engine.merge.rules import content_rules
from memtree.engine.merge.trees import TreeMerger
from memtree.engine.repo import Repo
from memtree.engine.store.object_writer import ObjectWriter
from memtree.tools.bench.corpus import environment
from memtree.tools.bench.ground import Ground, git
from memtree.tools.bench.measure import Result, Series, figure, ratio
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath

_CONFLICTING = 10


def tree_merge(ground: Ground, files: int, repetitions: int) -> Result:
    """Both sides write the first line of the same ten notes anew, and each edits as many of its own."""
    root = ground.workspace(files)
    paths = list(dict.fromkeys(ground.path(files) for _ in range(9 * _CONFLICTING)))
    shared, one, two = paths[:_CONFLICTING], paths[_CONFLICTING : 2 * _CONFLICTING], paths[2 * _CONFLICTING : 3 * _CONFLICTING]
    base = CommitId(git(root, "rev-parse", "HEAD").decode().strip())
    ours, theirs = _side(root, base, [*shared, *one], "ours"), _side(root, base, [*shared, *two], "theirs")
    peer, merged = Series(), Series()
    conflicts = 0
    for _ in range(repetitions):
        done = peer.time(
            lambda: subprocess.run(
                ("git", "merge-tree", "--write-tree", ours, theirs), cwd=root, env=environment(), capture_output=True, check=False
            )
        )
        conflicts = done.stdout.count(b"CONFLICT (content)")
        merged.time(lambda: _merge(root, ours, theirs))
    return {
        "files": files,
        "repetitions": repetitions,
        "git_conflicts": conflicts,
        "git_ms": figure(peer.median),
        "memtree_ms": figure(merged.median),
        "memtree_p95_ms": figure(merged.p95),
        "ratio": ratio(peer.median, merged.median),
    }


def _merge(root: str, ours: CommitId, theirs: CommitId) -> str:
    """From an open program to the merged tree in the object store, as git does, with nothing remembered from the last time."""
    repo = Repo.open(root)
    objects = ObjectWriter(repo, Files(Durability.FAST))
    rule = FileMerge(repo.blob, repo.size, objects.blob, content_rules())
    merge = TreeMerger(repo, rule, objects.tree).commits(ours, theirs)
    tree = objects.tree(repo.tree(ours), merge.changes)
    repo.close()
    return tree


def _side(root: str, base: CommitId, paths: list[RepoPath], word: str) -> CommitId:
    """A commit on top of `base` in which the first line of these notes is another one."""
    repo = Repo.open(root)
    objects = ObjectWriter(repo, Files(Durability.FAST))
    entries: dict[RepoPath, Entry | None] = {}
    for path in paths:
        entry = repo.entry(base, path)
        assert entry is not None
        _, _, rest = repo.blob(entry.id).partition(b"\n")
        entries[path] = Entry(entry.mode, objects.blob(f"# Written by {word}\n".encode() + rest))
    tree = objects.tree(repo.tree(base), entries)
    commit = objects.commit(tree, [base], f"{word}\n", author=repo.author(), time=repo.commit(base).time + 1)
    repo.close()
    return commit
