"""Running benchmarks: their names, sizes and repetitions, and the machine's state beside every result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memtree.tools.bench.close import close
from memtree.tools.bench.commit import commit
from memtree.tools.bench.diff import diff
from memtree.tools.bench.freshness import freshness
from memtree.tools.bench.ground import IDLE, Ground, ground
from memtree.tools.bench.importing import importing
from memtree.tools.bench.index import index
from memtree.tools.bench.measure import Result, load, machine
from memtree.tools.bench.merge import merge
from memtree.tools.bench.search import search
from memtree.tools.bench.sync import sync
from memtree.tools.bench.tree_merge import tree_merge
from memtree.tools.bench.turns import turns
from memtree.tools.bench.watch import watch
from memtree.tree.errors import UserError

ALL = "all"
_LONG_IDLE = 300.0  # seconds, of a benchmark that runs alone
SMALL = 1_000  # notes: the size at which `all` runs


class UnknownBench(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no benchmark {name!r}", hint=f"choose one of {', '.join(BENCHES)}, or {ALL}")


@dataclass(frozen=True, slots=True)
class Bench:
    """A benchmark: what it measures, at how many notes, how often, and the function that does it."""

    description: str
    files: int
    repetitions: int
    measure: Callable[[Ground, int, int], Result]


def _vector(place: Ground, files: int, repetitions: int) -> Result:
    from memtree.tools.bench.vector import vector  # the model's libraries take a while to load

    return vector(place, files, repetitions)


def _facts(place: Ground, count: int, repetitions: int) -> Result:
    from memtree.tools.bench.facts import facts  # so does the calendar of dateutil

    return facts(place, count, repetitions)


def _tree(place: Ground, chunks: int, repetitions: int) -> Result:
    from memtree.tools.bench.tree import tree

    return tree(place, chunks, repetitions)


BENCHES: dict[str, Bench] = {
    "commit": Bench("One changed file becomes a commit; beside git add and git commit.", 10_000, 21, commit),
    "diff": Bench("Which path the last commit changed; beside git diff-tree.", 10_000, 25, diff),
    "index": Bench("The search index built from nothing; beside git reading every note.", 10_000, 1, index),
    "freshness": Bench("From saving a note to finding it; beside git add, commit and grep.", 10_000, 60, freshness),
    "search": Bench("A query, alone and as a whole process; beside git grep.", 10_000, 60, search),
    "sync": Bench(
        "From an edit here to finding it there, over file, ssh and http; beside git commit, push and pull.", 10_000, 15, sync
    ),
    "import": Bench("A folder of notes brought in as one commit; beside copying it, git add and commit.", 10_000, 3, importing),
    "merge": Bench("Two machines' edits of one list merged, and what becomes of them; beside git merge-file.", 5_000, 500, merge),
    "merge-trees": Bench("Two commits that changed the same ten notes merged; beside git merge-tree.", 100_000, 15, tree_merge),
    "turns": Bench(
        "An agent's turn recorded, very many imported, its hooks; beside git add, git commit and Python.", 10_000, 40, turns
    ),
    "close": Bench(
        "Conversations recorded in bulk and closed without a model; beside git adding and committing the same files.",
        10_000,
        3,
        close,
    ),
    "facts": Bench(
        "Facts told from chatter, dated and stored, and what memory shows said again; beside a bag of words, dateutil and git.",
        1_000,
        20,
        _facts,
    ),
    "watch": Bench(
        "A workspace that its daemon serves: saves, searches, memory, idling; beside git add, commit and grep.",
        10_000,
        40,
        watch,
    ),
    "tree": Bench("Questions to the memory tree, mode by mode; beside git grep and a plain search.", 10_000, 100, _tree),
    "vector": Bench("The nearest chunks of a vector, through the graph; beside looking at every one.", 20_000, 200, _vector),
}


# No part of `all`: recall needs a file of its own, soak takes as long as one says.
RECALL, SOAK = "recall", "soak"


def run_recall(locomo: str, seed: int, model: str = "") -> Result:
    """Which share of the turns that answer a question a search finds; see recall.py."""
    from memtree.tools.bench.recall import recall

    before = load()
    with ground(seed) as place:
        found = recall(place, locomo, model=model or "wordllama")
    return {"bench": RECALL, **found, "load_before": before, "load_after": load(), "machine": machine()}


def run_soak(minutes: float, files: int | None, seed: int) -> Result:
    """Whether a daemon that is at work so long grows; see soak.py."""
    from memtree.tools.bench.soak import soak

    before = load()
    with ground(seed) as place:
        found = soak(place, minutes, files or SMALL)
    return {"bench": SOAK, "seed": seed, **found, "load_before": before, "load_after": load(), "machine": machine()}


def run(
    name: str, files: int | None, seed: int, *, repetitions: int | None = None, idle_seconds: float | None = None
) -> list[Result]:
    """Run one benchmark, or `all` of them at a small size on one corpus; a result each. Raise UnknownBench."""
    if name != ALL and name not in BENCHES:
        raise UnknownBench(name)
    names = [*BENCHES] if name == ALL else [name]
    with ground(seed, idle_seconds or (IDLE if name == ALL else _LONG_IDLE)) as place:
        return [_one(one, files or (SMALL if name == ALL else BENCHES[one].files), place, repetitions) for one in names]


def _one(name: str, files: int, place: Ground, repetitions: int | None) -> Result:
    bench, before = BENCHES[name], load()
    found = bench.measure(place, files, repetitions or bench.repetitions)
    return {"bench": name, "seed": place.seed, **found, "load_before": before, "load_after": load(), "machine": machine()}
