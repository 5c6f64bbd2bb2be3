"""freshness: from saving a note to finding its new words; beside git committing all edits and `git grep`."""

from __future__ import annotations

import hashlib

from memtree.engine.workspace import Workspace
from memtree.indexers.query import Query
from memtree.tools.bench.ground import Ground, edited, git, options, save_as_editor
from memtree.tools.bench.measure import Result, Series, figure, ratio
from memtree.tree.paths import RepoPath

_PEER_EVERY = 3


def freshness(ground: Ground, files: int, repetitions: int) -> Result:
    """Edit, then search for a word that no note had: found by a scan, found after a write of a known path, found by git."""
    root = ground.workspace(files)
    peer, scanned, written = Series(), Series(), Series()
    with Workspace.open(root, options()) as workspace:
        workspace.search(Query("warm"))
        for number in range(repetitions):
            _scanned(scanned, workspace, ground.path(files), new_word(number, "scan"))
            _written(written, workspace, ground.path(files), new_word(number, "write"))
            if number % _PEER_EVERY == 0:
                found_by_git(peer, root, ground.path(files), new_word(number, "git"))
                workspace.search(Query("settle"))
        durability = workspace.files.durability.value
    return {
        "files": files,
        "repetitions": repetitions,
        "durability": durability,
        "git_ms": figure(peer.median),
        "memtree_ms": figure(scanned.median),
        "memtree_p95_ms": figure(scanned.p95),
        "memtree_write_ms": figure(written.median),
        "memtree_write_p95_ms": figure(written.p95),
        "ratio": ratio(peer.median, scanned.median),
        "cpu_ratio": ratio(peer.programs_cpu, scanned.cpu),
        "git_cpu_ms": figure(peer.programs_cpu),
        "memtree_cpu_ms": figure(scanned.cpu),
        "git_repetitions": len(peer.costs),
    }


def new_word(number: int, kind: str) -> str:
    """A word that is in no corpus."""
    return "fresh" + hashlib.sha256(f"{kind}{number}".encode()).hexdigest()[:12]


def _scanned(series: Series, workspace: Workspace, path: RepoPath, word: str) -> None:
    data = edited(workspace.root, path, word)

    def action() -> list[str]:
        save_as_editor(workspace.root, path, data)
        return [hit.path for hit in workspace.search(Query(word)).hits]

    assert series.time(action)[:1] == [path]


def _written(series: Series, workspace: Workspace, path: RepoPath, word: str) -> None:
    data = edited(workspace.root, path, word)

    def action() -> list[str]:
        workspace.write({path: data}, f"{word}\n\nMemtree-Writer: bench\n")
        return [hit.path for hit in workspace.search(Query(word), capture=False).hits]

    assert series.time(action)[:1] == [path]


def found_by_git(series: Series, root: str, path: RepoPath, word: str) -> None:
    """Save a note with a new word, commit and find it by git, and keep what that took."""
    data = edited(root, path, word)

    def action() -> str:
        save_as_editor(root, path, data)
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "-m", word)
        return git(root, "grep", "-l", "-i", "-w", word).decode().strip()

    assert series.time(action) == path
