"""sync: an edit on one machine is found on another, over a remote on this disk; beside git add, commit, push and pull."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from memtree.engine.workspace import Workspace
from memtree.indexers.query import Query
from memtree.tools.bench.ground import Ground, edited, git, options, save_as_editor
from memtree.tools.bench.measure import Result, Series, figure, ratio
from memtree.tree.paths import RepoPath

_PROCESSES = 5


@dataclass(frozen=True, slots=True)
class _Pair:
    """The folders of two machines that share a remote."""

    one: str
    two: str


def sync(ground: Ground, files: int, repetitions: int) -> Result:
    """Two workspaces and two plain clones, each pair with its own remote; both routes end with the note on the second."""
    root = ground.workspace(files)
    ours, theirs = _workspaces(ground, root), _clones(ground, root)
    peer, route, idle, processes, idle_process = Series(), Series(), Series(), Series(), Series()
    with Workspace.open(ours.one, options()) as one, Workspace.open(ours.two, options()) as two:
        for workspace in (one, two):
            workspace.sync()
            workspace.refresh_index()
        for number in range(repetitions):
            _edit(route, ours, ground.path(files), f"sync{number}", lambda word: _in_process(one, two, word))
            idle.time(one.sync)
            _edit(peer, theirs, ground.path(files), f"sync{number}", lambda word: _by_git(theirs, word))
        durability = one.files.durability.value
    for number in range(min(_PROCESSES, repetitions)):
        _edit(processes, ours, ground.path(files), f"process{number}", lambda word: _by_processes(ground, ours, word))
        idle_process.time(lambda: ground.memtree(ours.one, "sync"))
    return {
        "files": files,
        "repetitions": repetitions,
        "durability": durability,
        "git_ms": figure(peer.median),
        "memtree_ms": figure(route.median),
        "memtree_p95_ms": figure(route.p95),
        "ratio": ratio(peer.median, route.median),
        "cpu_ratio": ratio(peer.programs_cpu, route.cpu),
        "git_cpu_ms": figure(peer.programs_cpu),
        "memtree_cpu_ms": figure(route.cpu),
        "idle_ms": figure(idle.median),
        "idle_p95_ms": figure(idle.p95),
        "processes_ms": figure(processes.median),
        "idle_process_ms": figure(idle_process.median),
        "process_repetitions": len(processes.costs),
    }


def _workspaces(ground: Ground, root: str) -> _Pair:
    remote = ground.new("remote")
    git(root, "clone", "--quiet", "--bare", ".", remote)
    folders = ground.new("one"), ground.new("two")
    for folder in folders:
        Workspace.clone(remote, folder, options())[0].close()
    return _Pair(*folders)


def _clones(ground: Ground, root: str) -> _Pair:
    remote = ground.new("remote")
    git(root, "clone", "--quiet", "--bare", ".", remote)
    folders = ground.new("one"), ground.new("two")
    for folder in folders:
        git(root, "clone", "--quiet", remote, folder)
        for key, value in (("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")):
            git(folder, "config", key, value)
    return _Pair(*folders)


def _edit(series: Series, pair: _Pair, path: RepoPath, name: str, route: Callable[[str], None]) -> None:
    """Edit a note on the first machine, take the route, and see that the edit has come to the second."""
    word = "fresh" + hashlib.sha256(name.encode()).hexdigest()[:12]
    data = edited(pair.one, path, word)

    def action() -> None:
        save_as_editor(pair.one, path, data)
        route(word)

    series.time(action)
    assert edited(pair.two, path, "") == data + b"\n\n"


def _in_process(one: Workspace, two: Workspace, word: str) -> None:
    one.sync()
    two.sync()
    assert two.search(Query(word)).hits


def _by_processes(ground: Ground, pair: _Pair, word: str) -> None:
    ground.memtree(pair.one, "sync")
    ground.memtree(pair.two, "sync")
    assert word.encode() in ground.memtree(pair.two, "search", "--json", word)


def _by_git(pair: _Pair, word: str) -> None:
    git(pair.one, "add", "--all")
    git(pair.one, "commit", "--quiet", "-m", word)
    git(pair.one, "push", "--quiet")
    git(pair.two, "pull", "--quiet")
