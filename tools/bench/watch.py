"""watch: a workspace that its daemon serves: from saving a note to finding it, whole search processes, memory, idling, a bulk copy.

`memtree_ms` is what lies between the quiet time after a save and the moment at which a search finds it that brings nothing up to
date itself; `at_once_…` is a search right after the save. Beside git add, commit and grep.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from random import Random

from memtree.engine.workspace import Workspace
from memtree.indexers.query import Mode, Query
from memtree.tools.bench.corpus import notes
from memtree.tools.bench.freshness import found_by_git, new_word
from memtree.tools.bench.ground import PREFIX, Ground, edited, git, options, save_as_editor
from memtree.tools.bench.measure import Cost, Result, Series, figure, percentile, ratio
from memtree.tools.bench.search import grep, queries
from memtree.tools.bench.served import Served, served
from memtree.tree.paths import RepoPath

BULK = 1_000  # files; among fewer notes fewer
_MIB = 2**20
_PROCESSES = 21
_PEERS = 7
_FIRST = 3  # searches after a start
_BEFORE = 0.05  # seconds before the end of the quiet time, from which on it is looked
_LOOK = 0.002  # seconds between two looks
_PATIENCE = 60.0  # seconds
_BULK_FOLDER = f"{PREFIX}bulk"


def watch(ground: Ground, files: int, repetitions: int) -> Result:
    """Serve the workspace three times: with no index, with one, and again for the searches without a daemon in between."""
    root = ground.workspace(files)
    _without_indexes(root)
    with served(root) as daemon:
        built = _built(daemon)
    result: Result = {"files": files, "repetitions": repetitions, **built}
    result |= _alone(ground, root, repetitions)
    peer = Series()
    for number in range(min(_PEERS, repetitions)):
        found_by_git(peer, root, ground.path(files), new_word(number, "git"))
    result |= {"git_ms": figure(peer.median), "git_cpu_ms": figure(peer.programs_cpu), "git_repetitions": len(peer.costs)}
    with served(root) as daemon:
        result |= _started(daemon, ground)
        result |= _saves(ground, daemon, files, repetitions)
        result |= _processes(ground, root, "daemon_process", repetitions)
        daemon.rest()
        result |= _held(daemon)
        result["idle"] = _idle(daemon, ground.idle_seconds)
        result |= _bulk(daemon, ground.seed, min(BULK, files))
        result |= {"after_bulk_mib": figure(daemon.usage().resident / _MIB), "peak_mib": figure(daemon.usage().peak / _MIB)}
    _take_back(root)
    return {**result, "ratio": ratio(result["git_ms"], result["memtree_ms"])}


def _without_indexes(root: str) -> None:
    """Take the indexes away that another benchmark may have made."""
    for name in ("index", "vectors"):
        shutil.rmtree(os.path.join(root, ".git", "memtree", name), ignore_errors=True)


def _built(daemon: Served) -> Result:
    """From the start of the first daemon until everything is indexed, and until it has nothing to do any more."""
    seconds = daemon.ready_seconds + daemon.wait(daemon.is_current)
    began = time.perf_counter()
    daemon.rest()
    used = daemon.usage()
    return {
        "first_build_seconds": figure(seconds),
        "first_rest_seconds": figure(seconds + time.perf_counter() - began),
        "first_build_cpu_seconds": figure(used.used),
        "first_build_peak_mib": figure(used.peak / _MIB),
        "first_build_left_mib": figure(used.resident / _MIB),
    }


def _started(daemon: Served, ground: Ground) -> Result:
    """A daemon that finds its indexes: until it answers, and what the first ones who ask wait for."""
    first = Series()
    for words in [*queries(ground.seed + 1, _FIRST)["mixed"]]:
        first.time(lambda asked=words: daemon.search(asked))  # type: ignore[misc]
    daemon.rest()
    return {"ready_ms": figure(1000 * daemon.ready_seconds), "first_searches_ms": [figure(cost.wall) for cost in first.costs]}


def _held(daemon: Served) -> Result:
    used = daemon.usage()
    return {
        "memory_mib": figure(used.resident / _MIB),
        "memory_own_mib": figure(used.own / _MIB),
        "memory_peak_mib": figure(used.peak / _MIB),
        "threads": used.threads,
        "descriptors": used.descriptors,
    }


# -- saves
def _saves(ground: Ground, daemon: Served, files: int, repetitions: int) -> Result:
    """One after the other, each after the daemon came to rest; processor time is the daemon's for a save, its programs included."""
    root, random = daemon.place.root, Random(ground.seed)
    by_itself, at_once, warm = Series(), Series(), Series()
    with Workspace.open(root, options()) as workspace:
        quiet = workspace.settings.watch.quiet
        for number in range(2):
            _by_itself(Series(), workspace, quiet, ground.path(files), new_word(number, "warm"))
        daemon.settle()
        before = daemon.usage().used
        for number in range(repetitions):
            time.sleep(random.random() * 0.1)
            _by_itself(by_itself, workspace, quiet, ground.path(files), new_word(number, "itself"))
            daemon.settle()
        used = daemon.usage().used - before
    for number in range(repetitions):
        _at_once(at_once, daemon, ground.path(files), new_word(number, "once"))
        daemon.settle()
    for words in [*queries(ground.seed, repetitions)["mixed"]]:
        warm.time(lambda asked=words: daemon.search(asked))  # type: ignore[misc]
    return {
        "quiet_ms": figure(1000 * quiet),
        "memtree_ms": figure(by_itself.median),
        "memtree_p95_ms": figure(by_itself.p95),
        "memtree_max_ms": figure(percentile((cost.wall for cost in by_itself.costs), 1)),
        "daemon_cpu_ms": figure(1000 * used / repetitions),
        "at_once_ms": figure(at_once.median),
        "at_once_p95_ms": figure(at_once.p95),
        "answer_ms": figure(warm.median),
        "answer_p95_ms": figure(warm.p95),
    }


def _by_itself(series: Series, workspace: Workspace, quiet: float, path: RepoPath, word: str) -> None:
    """Save, and look from the end of the quiet time on, by an index of our own that is only read."""
    data, query = edited(workspace.root, path, word), Query(word, mode=Mode.TEXT)
    began = time.perf_counter()
    save_as_editor(workspace.root, path, data)
    time.sleep(max(0.0, quiet - _BEFORE - (time.perf_counter() - began)))
    while [hit.path for hit in workspace.searching.peek(query).hits] != [path]:
        if time.perf_counter() - began > _PATIENCE:
            raise TimeoutError(f"the daemon does not find {path}")
        time.sleep(_LOOK)
    series.costs.append(Cost(max(0.1, 1000 * (time.perf_counter() - began - quiet)), 0.0, 0.0))


def _at_once(series: Series, daemon: Served, path: RepoPath, word: str) -> None:
    data = edited(daemon.place.root, path, word)

    def action() -> list[str]:
        save_as_editor(daemon.place.root, path, data)
        return [hit.path for hit in daemon.search(word).hits]

    assert series.time(action)[:1] == [path]


# -- whole processes
def _alone(ground: Ground, root: str, repetitions: int) -> Result:
    """Without a daemon: the search process, and the peers."""
    python, peer = Series(), Series()
    for words in [*queries(ground.seed, min(_PROCESSES, repetitions))["mixed"]]:
        python.time(lambda: ground.python("-c", "pass", folder=root))
        peer.time(lambda asked=words: grep(root, asked))  # type: ignore[misc]
    peers = {"python_ms": figure(python.median), "git_grep_ms": figure(peer.median)}
    return {**_processes(ground, root, "alone_process", repetitions), **peers}


def _processes(ground: Ground, root: str, name: str, repetitions: int) -> Result:
    """Typed as a person does, words alone."""
    series = Series()
    ground.memtree(root, "search", "warm")
    for words in [*queries(ground.seed, min(_PROCESSES, repetitions))["mixed"]]:
        series.time(lambda asked=words: ground.memtree(root, "search", *asked.split()))  # type: ignore[misc]
    figures = {"ms": series.median, "p95_ms": series.p95, "cpu_ms": series.programs_cpu}
    return {f"{name}_{key}": figure(value) for key, value in figures.items()} | {"process_repetitions": len(series.costs)}


# -- idling
def _idle(daemon: Served, seconds: float) -> Result:
    """What of a core a daemon uses that has nothing to do; a scan shows by the time of the program that it ran."""
    before = last = daemon.usage()
    began = time.perf_counter()
    scans = 0
    while (left := seconds - (time.perf_counter() - began)) > 0:
        time.sleep(min(left, 1.0))
        now = daemon.usage()
        scans += now.programs > last.programs
        last = now
    passed = time.perf_counter() - began
    return {
        "seconds": figure(passed),
        "percent": figure(100 * (last.used - before.used) / passed),
        "own_percent": figure(100 * (last.cpu - before.cpu) / passed),
        "scans": scans,
    }


# -- very many files at once
def _bulk(daemon: Served, seed: int, count: int) -> Result:
    """New notes as a copy writes them, one after the other; until a search that brings nothing up to date finds each of them."""
    root, word = daemon.place.root, new_word(count, "bulk")
    contents = [data + f"\n{word}\n".encode() for _, data in notes(count, seed + 1)]
    before = _commits(root)
    began = time.perf_counter()
    for number, data in enumerate(contents):
        name = os.path.join(root, _BULK_FOLDER, f"{number % 16:x}", f"{number}.md")
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            file.write(data)
    written = time.perf_counter() - began
    with Workspace.open(root, options()) as workspace:
        query = Query(word, limit=count, mode=Mode.TEXT)
        _until(lambda: len({hit.path for hit in workspace.searching.peek(query).hits}) == count)
    seconds = time.perf_counter() - began
    daemon.settle()
    return {
        "bulk_files": count,
        "bulk_writing_seconds": figure(written),
        "bulk_seconds": figure(seconds),
        "bulk_commits": _commits(root) - before,
    }


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10 * _PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("not everything is found")
        time.sleep(0.05)


def _commits(root: str) -> int:
    return int(git(root, "rev-list", "--count", "HEAD"))


def _take_back(root: str) -> None:
    """Leave the notes that other benchmarks expect."""
    git(root, "rm", "-r", "--quiet", _BULK_FOLDER)
    git(root, "commit", "--quiet", "-m", "without the copies")
