"""query_source, query_global, list_sources: what a source, or all of memory, tells; and which sources there are."""

from __future__ import annotations

from collections import Counter

from memtree.engine.memory_tree.asked import Asked
from memtree.engine.memory_tree.choosing import distinct, hits, judged, once
from memtree.engine.memory_tree.covering import Cover, covered, family, shown
from memtree.engine.memory_tree.finding import Finder
from memtree.engine.memory_tree.hits import BadRequest, Envelope, FoundSource, Narrowed, SourceList, TreeHit
from memtree.engine.memory_tree.narrowing import entity_filter, inside, refuse_unknown, source_of_node
from memtree.engine.memory_tree.present import Present
from memtree.engine.memory_tree.scoring import Scorer
from memtree.engine.memory_tree.turns import in_context
from memtree.engine.memory_tree.walking import FLOOR
from memtree.indexers.entity_answers import Occurrence, Order, SourceCount
from memtree.tree.kinds import Kind
from memtree.tree.source_names import source_kind_of

_LISTED = 10_000  # chunks that are counted where a list of sources is limited to a window


def query_source(present: Present, asked: Asked) -> Envelope:
    """What a source, or the sources of a kind, tell; raise BadRequest where neither is named."""
    narrowed = with_source(present, asked)
    if not narrowed.sources and not narrowed.source_kind:
        raise BadRequest("source_id", "neither source_id nor source_kind is given", "list_sources shows the sources that there are")
    return _told(present, asked._replace(narrowed=narrowed))


def query_global(present: Present, asked: Asked) -> Envelope:
    """What all of memory tells."""
    return _told(present, asked)


def with_source(present: Present, asked: Asked) -> Narrowed:
    """The limits with `source_id` among them; raise BadRequest for a source that there is not, or that `sources` leaves out."""
    if not asked.source_id:
        return asked.narrowed
    source = asked.source_id.strip()
    refuse_unknown("source_id", [source], present.sources)
    if asked.narrowed.sources and source not in asked.narrowed.sources:
        raise BadRequest(
            "source_id", f"{source} is not among the sources that are allowed", "name one of sources, or leave one out"
        )
    return asked.narrowed._replace(sources=(source,))


def _told(present: Present, asked: Asked) -> Envelope:
    route = "source" if asked.narrowed.sources or asked.narrowed.source_kind else "time"
    found, total = _answering(present, asked) if asked.query else _newest(present, asked)
    return Envelope(tuple(found), total, present.tip, route if found else "nothing", notes=tuple(present.notes))


def _newest(present: Present, asked: Asked) -> tuple[list[TreeHit], int]:
    """The topmost summaries, and the leaves that none of them tells, the newest first."""
    cover = covered(present, asked.narrowed)
    nodes = sorted(cover.nodes, key=lambda node: (-_time(node.time_end), node.path))[: asked.limit]
    leaves = sorted(cover.leaves, key=lambda one: (-_time(one.time), one.path, one.ordinal))[: asked.limit]
    found = sorted(
        shown(present, Cover(tuple(nodes), tuple(leaves))), key=lambda hit: (-_time(hit.time_end), hit.path, hit.start_line)
    )
    return found[: asked.limit], cover.size - (len(nodes) + len(leaves) - len(found))


def _time(seconds: int | None) -> int:
    return -(2**62) if seconds is None else seconds


def _answering(present: Present, asked: Asked) -> tuple[list[TreeHit], int]:
    """By score. A leaf stands beside no summary that tells it: whichever of them answers better is the answer."""
    finder, scorer = Finder(present, asked.query), Scorer(asked.query, present.words)
    found = [*finder.leaves(asked.narrowed), *finder.summaries(asked.narrowed, family(present, asked.narrowed))]
    candidates = in_context(present, finder, scorer, found)
    ranked = list(once(present, distinct(one for one in judged(candidates, scorer) if one.score >= FLOOR), leaves_besides=False))
    return hits(present, ranked, asked.limit, asked.narrowed, scorer), len(ranked)


# -- which sources there are
def list_sources(present: Present, asked: Asked) -> SourceList:
    """Every source with what it holds, by name; with limits only what they admit is counted."""
    levels: dict[str, Counter[int]] = {}
    for node in present.wiki.by_path.values():
        if inside(asked.narrowed.window, node.time_start, node.time_end):
            levels.setdefault(source_of_node(node), Counter())[node.level] += 1
    found = tuple(
        FoundSource(
            one.source, one.source_kind, one.files, one.chunks, one.first, one.last, tuple(sorted(levels[one.source].items()))
        )
        if one.source in levels
        else FoundSource(one.source, one.source_kind, one.files, one.chunks, one.first, one.last, ())
        for one in _counts(present, asked.narrowed)
    )
    return SourceList(found, present.tip, tuple(present.notes))


def _counts(present: Present, narrowed: Narrowed) -> list[SourceCount]:
    graph = present.graph
    if narrowed.window.is_open:
        counts = present.healed(graph.sources) or []
        return [one for one in counts if _admitted(one, narrowed)]
    asked = entity_filter(narrowed, Kind)
    chunks = present.healed(lambda: graph.chunks(asked, _LISTED, Order.NEWEST)) or []
    if len(chunks) == _LISTED:
        present.note(f"only the newest {_LISTED:,} passages were counted: choose a shorter window")
    by_source: dict[str, list[Occurrence]] = {}
    for one in chunks:
        by_source.setdefault(one.source, []).append(one)
    return [
        SourceCount(name, source_kind_of(some[0].kind), len({one.path for one in some}), len(some), some[-1].time, some[0].time)
        for name, some in sorted(by_source.items())
    ]


def _admitted(one: SourceCount, narrowed: Narrowed) -> bool:
    return (not narrowed.sources or one.source in narrowed.sources) and narrowed.source_kind in ("", one.source_kind)
