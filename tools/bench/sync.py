"""sync: an edit on one machine is found on another, over a folder, ssh and http; and very many edits on both sides at once.

Beside git add, commit, push and pull.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memtree.engine.workspace import Workspace
from memtree.indexers.query import Query
from memtree.tools.bench.corpus import note_path
from memtree.tools.bench.ground import PREFIX, Ground, edited, git, options, save_as_editor
from memtree.tools.bench.measure import Result, Series, figure, ratio
from memtree.tools.bench.ways import Way, ways
from memtree.tree.paths import RepoPath

_PROCESSES = 5
_APART = 3
_SHARE = 20  # one note in so many is changed on each side


@dataclass(frozen=True, slots=True)
class _Pair:
    """The folders of two machines that share a remote."""

    one: str
    two: str
    remote: str

    def go(self, way: Way) -> None:
        for folder in (self.one, self.two):
            way.lead(folder, self.remote)


def sync(ground: Ground, files: int, repetitions: int) -> Result:
    """Two workspaces and two plain clones, each pair with its own remote; both routes end with the note on the second."""
    root = ground.workspace(files)
    ours, theirs = _workspaces(ground, root), _clones(ground, root)
    results: dict[str, Result] = {}
    with ways(ground) as found:
        for way in found:
            if way.missing:
                results[way.name] = {"skipped": way.missing}
                continue
            ours.go(way)
            theirs.go(way)
            results[way.name] = _one_note(ground, ours, theirs, files, repetitions, way.name)
        ours.go(found[0])
        theirs.go(found[0])
    return {
        "files": files,
        "repetitions": repetitions,
        **results.pop("file"),
        **_processes(ground, ours, files, repetitions),
        **results,
        "apart": _apart(ground, ours, theirs, files, repetitions),
    }


def _one_note(ground: Ground, ours: _Pair, theirs: _Pair, files: int, repetitions: int, name: str) -> Result:
    peer, route, idle = Series(), Series(), Series()
    with Workspace.open(ours.one, options()) as one, Workspace.open(ours.two, options()) as two:
        for workspace in (one, two):
            workspace.sync()
            workspace.refresh_index()
        for number in range(repetitions):
            _edit(route, ours, ground.path(files), f"{name}{number}", lambda word: _in_process(one, two, word))
            idle.time(one.sync)
            _edit(peer, theirs, ground.path(files), f"{name}{number}", lambda word: _by_git(theirs, word))
        durability = one.files.durability.value
    return {
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
    }


def _processes(ground: Ground, ours: _Pair, files: int, repetitions: int) -> Result:
    """The same by whole processes, as a person runs them."""
    processes, idle = Series(), Series()
    for number in range(min(_PROCESSES, repetitions)):
        _edit(processes, ours, ground.path(files), f"process{number}", lambda word: _by_processes(ground, ours, word))
        idle.time(lambda: ground.memtree(ours.one, "sync"))
    return {
        "processes_ms": figure(processes.median),
        "idle_process_ms": figure(idle.median),
        "process_repetitions": len(processes.costs),
    }


def _apart(ground: Ground, ours: _Pair, theirs: _Pair, files: int, repetitions: int) -> Result:
    """Other notes are changed on each side; then the two agree. What memtree takes includes searching it afterwards."""
    changed, repetitions = max(1, files // _SHARE), min(_APART, repetitions)
    route, peer = Series(), Series()
    with Workspace.open(ours.one, options()) as one, Workspace.open(ours.two, options()) as two:
        for number in range(repetitions):
            _edit_many(ground, ours, changed, f"apart{number}")
            route.time(lambda: [workspace.sync() for workspace in (one, two, one)])
            assert git(ours.one, "rev-parse", "HEAD") == git(ours.two, "rev-parse", "HEAD")
            _edit_many(ground, theirs, changed, f"apart{number}")
            peer.time(lambda: _agree_by_git(theirs))
            assert git(theirs.one, "rev-parse", "HEAD") == git(theirs.two, "rev-parse", "HEAD")
    return {
        "changed_on_each_side": changed,
        "repetitions": repetitions,
        "git_ms": figure(peer.median),
        "memtree_ms": figure(route.median),
        "ratio": ratio(peer.median, route.median),
        "git_cpu_ms": figure(peer.programs_cpu),
        "memtree_cpu_ms": figure(route.cpu),
    }


def _edit_many(ground: Ground, pair: _Pair, count: int, text: str) -> None:
    for folder, numbers in ((pair.one, range(count)), (pair.two, range(count, 2 * count))):
        for path in _paths(ground, numbers):
            save_as_editor(folder, path, edited(folder, path, text))


def _paths(ground: Ground, numbers: Iterable[int]) -> Iterable[str]:
    return (PREFIX + note_path(ground.seed, number) for number in numbers)


def _workspaces(ground: Ground, root: str) -> _Pair:
    remote = ground.new("remote")
    git(root, "clone", "--quiet", "--bare", ".", remote)
    folders = ground.new("one"), ground.new("two")
    for folder in folders:
        Workspace.clone(remote, folder, options())[0].close()
    return _Pair(*folders, remote)


def _clones(ground: Ground, root: str) -> _Pair:
    remote = ground.new("remote")
    git(root, "clone", "--quiet", "--bare", ".", remote)
    folders = ground.new("one"), ground.new("two")
    for folder in folders:
        git(root, "clone", "--quiet", remote, folder)
        for key, value in (("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")):
            git(folder, "config", key, value)
    return _Pair(*folders, remote)


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
    _commit_by_git(pair.one, word)
    git(pair.one, "push", "--quiet")
    git(pair.two, "pull", "--quiet")


def _agree_by_git(pair: _Pair) -> None:
    _commit_by_git(pair.one, "one")
    git(pair.one, "push", "--quiet")
    _commit_by_git(pair.two, "two")
    git(pair.two, "pull", "--quiet", "--no-rebase", "--no-edit")
    git(pair.two, "push", "--quiet")
    git(pair.one, "pull", "--quiet", "--no-rebase", "--no-edit")


def _commit_by_git(folder: str, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", message)
