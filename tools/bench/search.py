"""search: a query over the indexes in process, and a whole `memtree search` process; beside `git grep`.

`memtree_…` and `process_…` are by words alone, `hybrid_…` by words and meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from random import Random

from memtree.engine.workspace import Workspace
from memtree.indexers.query import Query
from memtree.tools.bench.ground import Ground, git, options
from memtree.tools.bench.index import chunks
from memtree.tools.bench.measure import Result, Series, figure, percentile, ratio
from memtree.tools.bench.vocabulary import CHINESE, vocabulary

_PROCESSES = 20
_PEERS = 7
_COMMON, _RARE = 200, 5_000  # ranks: words up to the first are common, from the second on rare


def search(ground: Ground, files: int, repetitions: int) -> Result:
    """Ask `repetitions` queries of each kind. The processes find nothing to capture, and caches warm."""
    root = ground.workspace(files)
    kinds = {kind: [*asked] for kind, asked in queries(ground.seed, repetitions).items()}
    with Workspace.open(root, options()) as workspace:
        workspace.search(Query("warm"))
        alone = {kind: _alone(workspace, asked) for kind, asked in kinds.items()}
        hybrid = _both(workspace, kinds["mixed"])
        count, _ = chunks(workspace)
    process, both, peer = Series(), Series(), Series()
    ground.memtree(root, "search", "--json", "warm")
    for text in kinds["mixed"][:_PROCESSES]:
        process.time(lambda words=text: ground.memtree(root, "search", "--mode", "text", "--json", "--", words))  # type: ignore[misc]
        both.time(lambda words=text: ground.memtree(root, "search", "--json", "--", words))  # type: ignore[misc]
    for text in kinds["mixed"][:_PEERS]:
        peer.time(lambda words=text: grep(root, words))  # type: ignore[misc]
    every = Series()
    every.costs = [cost for series in alone.values() for cost in series.costs]
    return {
        "files": files,
        "chunks": count,
        "repetitions": len(every.costs),
        "git_ms": figure(peer.median),
        "memtree_ms": figure(every.median),
        "memtree_p95_ms": figure(every.p95),
        "memtree_max_ms": figure(percentile((cost.wall for cost in every.costs), 1)),
        "kinds_p95_ms": {kind: figure(series.p95) for kind, series in alone.items()},
        "ratio": ratio(peer.median, every.median),
        "process_ms": figure(process.median),
        "process_p95_ms": figure(process.p95),
        "process_cpu_ms": figure(process.programs_cpu),
        "process_ratio": ratio(peer.median, process.median),
        "process_repetitions": len(process.costs),
        "hybrid_ms": figure(hybrid.median),
        "hybrid_p95_ms": figure(hybrid.p95),
        "hybrid_process_ms": figure(both.median),
        "hybrid_process_p95_ms": figure(both.p95),
        "git_repetitions": len(peer.costs),
    }


def _alone(workspace: Workspace, asked: list[str]) -> Series:
    series, index = Series(), workspace.index()
    for text in asked:
        series.time(lambda words=text: index.search(Query(words)))  # type: ignore[misc]
    return series


def _both(workspace: Workspace, asked: list[str]) -> Series:
    """The same queries by words and meaning, in a process that stays: with the graph in memory where one pays."""
    series, hybrid = Series(), workspace.searching.hybrid()
    vectors = workspace.searching.meaning().vectors
    assert vectors is not None
    vectors.warm()
    hybrid.search(Query("warm"))
    for text in asked:
        series.time(lambda words=text: hybrid.search(Query(words)))  # type: ignore[misc]
    return series


def grep(root: str, text: str) -> None:
    """Files that hold any of the words: what somebody without an index would run."""
    patterns = [part for word in text.split() for part in ("-e", word)]
    git(root, "grep", "-l", "-i", "-F", *patterns, accept=(0, 1))


def queries(seed: int, count: int) -> dict[str, Iterator[str]]:
    """Queries by kind; `mixed` words are drawn as the notes draw theirs."""
    random, words = Random(seed), vocabulary()
    weights = [*accumulate(1 / (rank + 2.7) for rank in range(len(words)))]
    common, rare = words[:_COMMON], words[_RARE:]

    def several(drawn: tuple[str, ...], most: int, space: str = " ") -> str:
        return space.join(random.choices(drawn, k=random.randint(1, most)))

    return {
        "mixed": (" ".join(random.choices(words, cum_weights=weights, k=random.randint(1, 6))) for _ in range(count)),
        "common": (several(common, 6) for _ in range(count)),
        "rare": (several(rare, 3) for _ in range(count)),
        "any": (several(words, 6) for _ in range(count)),
        "chinese": (several(CHINESE, 4, "") for _ in range(count)),
    }
