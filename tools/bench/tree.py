"""tree: the modes of the memory tree in a process that stays, beside `git grep` and a plain search by words and meaning.

`walk_…` are questions with one name, two names that stand together, a name and words, and words alone, in equal shares. The graph
and the indexes are built before; `graph_seconds` is the graph alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random

from memtree.engine.memory_tree.modes import run_mode
from memtree.engine.workspace import Workspace
from memtree.indexers.query import Query
from memtree.tools.bench.ground import Ground, options
from memtree.tools.bench.measure import Result, Series, figure, percentile, ratio
from memtree.tools.bench.search import grep
from memtree.tools.bench.tree_corpus import Writer, names, seed_tree

_PEERS = 7
_CIRCLE = 12
_WINDOWS = (1, 7, 30, 90, 365)
_DAY = 86_400
_START = 1_641_168_000


def tree(ground: Ground, chunks: int, repetitions: int) -> Result:
    """Ask `repetitions` questions of each mode among about so many chunks."""
    root = ground.new("tree")
    seed_tree(root, chunks, ground.seed)
    Workspace.init(root, options=options())[0].close()
    with Workspace.open(root, options()) as workspace:
        started = time.perf_counter()
        assert workspace.refresh_index() == []
        indexed = time.perf_counter()
        assert workspace.searching.refresh_graph() == []
        built = time.perf_counter()
        ids = [f"name:{name.lower()}" for name in names()[:500]]
        asked = questions(ground.seed, repetitions, sorted(workspace.searching.graph().known(ids)))
        found = {name: _asked(workspace, mode, given) for name, (mode, given) in asked.items()}
        hybrid = _hybrid(workspace, [str(given["query"]) for given in asked["walk"][1]])
        size = workspace.searching.graph().size()
    peer = Series()
    for given in asked["walk"][1][:_PEERS]:
        peer.time(lambda words=str(given["query"]): grep(root, words))  # type: ignore[misc]
    walked = found["walk"]
    return {
        "files": chunks,  # as asked; every third is a section of a document
        "chunks": size.chunks,
        "entities": size.entities,
        "repetitions": repetitions,
        "index_seconds": figure(indexed - started),
        "graph_seconds": figure(built - indexed),
        **{f"{name}_ms": figure(series.median) for name, series in found.items() if name != "walk"},
        **{f"{name}_p95_ms": figure(series.p95) for name, series in found.items()},
        "walk_cpu_ms": figure(walked.cpu),
        "walk_cpu_p95_ms": figure(percentile((cost.cpu for cost in walked.costs), 0.95)),
        "hybrid_ms": figure(hybrid.median),
        "hybrid_p95_ms": figure(hybrid.p95),
        "git_ms": figure(peer.median),
        "memtree_ms": figure(walked.median),
        "ratio": ratio(peer.median, walked.median),
    }


def _asked(workspace: Workspace, mode: str, asked: list[dict[str, object]]) -> Series:
    series = Series()
    run_mode(workspace, mode, asked[0], capture=False)
    for given in asked:
        series.time(lambda given=given: run_mode(workspace, mode, given, capture=False))  # type: ignore[misc]
    return series


def _hybrid(workspace: Workspace, texts: list[str]) -> Series:
    series, hybrid = Series(), workspace.searching.hybrid()
    for text in texts:
        series.time(lambda text=text: hybrid.search(Query(text)))  # type: ignore[misc]
    return series


def questions(seed: int, count: int, topics: Sequence[str]) -> dict[str, tuple[str, list[dict[str, object]]]]:
    """What each series asks: a mode, and the parameters of its questions. `topics` are ids of entities that there are."""
    random, known, writer = Random(seed), names(), Writer(seed)

    def name() -> str:
        return known[min(int(random.paretovariate(0.4)), len(known)) - 1]

    def pair() -> str:
        first = min(int(random.paretovariate(0.4)), len(known) - _CIRCLE) // _CIRCLE * _CIRCLE
        return " and ".join(random.sample(known[first : first + _CIRCLE], 2))

    def words() -> str:
        return " ".join(writer.sentences(1).lower().rstrip(".").split()[:5])

    kinds: list[Callable[[], str]] = [name, pair, lambda: f"what did {name().lower()} say of {words()}", words]

    def window() -> dict[str, object]:
        start = _START + random.randrange(1_300) * _DAY
        return {"since_ms": 1000 * start, "until_ms": 1000 * (start + random.choice(_WINDOWS) * _DAY)}

    def part() -> str:
        whole = name()
        return random.choice((whole, whole.split()[1][: random.randint(3, 6)], whole.lower()))

    return {
        "walk": ("walk", [{"query": kinds[n % len(kinds)]()} for n in range(count)]),
        "walk_in_window": ("walk", [{"query": kinds[n % len(kinds)](), **window()} for n in range(count)]),
        "search_entities": ("search_entities", [{"query": part()} for _ in range(count)]),
        "cover_window": ("cover_window", [window() for _ in range(count)]),
        "cover_source": ("cover_window", [{"source_id": random.choice(("mail", "notes")), **window()} for _ in range(count)]),
        "query_topic": ("query_topic", [{"entity_id": random.choice(topics), "query": words()} for _ in range(count)]),
        "query_source": ("query_source", [{"source_id": "mail", "query": words()} for _ in range(count)]),
    }
