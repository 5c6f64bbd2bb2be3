"""Covering: the least that tells all that was asked for: the topmost summaries wholly inside, and the leaves that none tells.

Where no source is asked for, the summaries of days, weeks and months are taken, else the trees of the sources: never both, which
tell the same. A conversation is told by its prose under `chat/`; only turns that no closed segment has are leaves themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memtree.engine.memory_tree.asked import Asked, require_window
from memtree.engine.memory_tree.choosing import below_of, summary
from memtree.engine.memory_tree.hits import Envelope, Narrowed, TreeHit
from memtree.engine.memory_tree.leaves import leaf, standing
from memtree.engine.memory_tree.narrowing import admits_node, entity_filter
from memtree.engine.memory_tree.present import Present
from memtree.indexers.entity_answers import EntityFilter, Occurrence, Order
from memtree.tree.episode import is_turn_file
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath
from memtree.tree.recap import closed_to, recap_folder
from memtree.tree.summary import DAY, MONTH, OF_A_SOURCE, WEEK, Node

LOOKED_THROUGH = 20_000  # leaves of one window
EVIDENCE = (Kind.CHAT, Kind.RAW, Kind.NOTE, Kind.EPISODE)
_CALENDAR = frozenset((DAY, WEEK, MONTH))
_WIKI = "wiki"  # the source of what tells of every source
_PAGE, _MOST = 5_000, 10_000  # chunks of one look-up: usually, and of any


class Cover(NamedTuple):
    """Summaries and leaves, in no order that matters."""

    nodes: tuple[Node, ...]
    leaves: tuple[Occurrence, ...]

    @property
    def size(self) -> int:
        return len(self.nodes) + len(self.leaves)


def cover_window(present: Present, asked: Asked) -> Envelope:
    """What tells a stretch of time, by time. Of more than the limit those are left out that tell least: see `most_telling`."""
    require_window(asked)
    found = covered(present, asked.narrowed)
    kept = most_telling(found, asked.limit)
    hits = shown(present, kept)
    ordered = sorted(hits, key=lambda hit: (hit.time_start if hit.time_start is not None else 2**62, hit.path, hit.start_line))
    route = "time" if ordered else "nothing"
    return Envelope(tuple(ordered), found.size - (kept.size - len(ordered)), present.tip, route, notes=tuple(present.notes))


def covered(present: Present, narrowed: Narrowed) -> Cover:
    """The least that tells everything admitted."""
    nodes, told = _topmost(present, narrowed)
    return Cover(tuple(nodes), tuple(_untold(present, narrowed, told)))


def most_telling(cover: Cover, limit: int) -> Cover:
    """At most `limit`: the summaries of most evidence first, then the leaves with most lines, of equal ones the newest."""
    nodes = sorted(cover.nodes, key=lambda node: (-node.tokens, -(node.time_end or 0), node.path))[:limit]
    leaves = sorted(cover.leaves, key=lambda one: (one.start_line - one.end_line, -(one.time or 0), one.path, one.ordinal))
    return Cover(tuple(nodes), tuple(leaves[: limit - len(nodes)]))


def shown(present: Present, cover: Cover) -> list[TreeHit]:
    """The members as hits, without a score; what is not there any more is left out."""
    hits = [summary(present, node) for node in cover.nodes]
    keys = [(one.path, one.ordinal) for one in cover.leaves]
    records = (present.healed(lambda: present.text.records_at(keys)) if keys else None) or []
    return hits + [leaf(present, now) for record in records if (now := standing(present, record)) is not None]


# -- summaries
def family(present: Present, narrowed: Narrowed) -> list[Node]:
    """The nodes of the trees that are asked, admitted or not: of the one kind, or where the wiki is among the sources of both."""
    every = present.wiki.by_path.values()
    calendar = [node for node in every if node.namespace in _CALENDAR]
    if not (narrowed.sources or narrowed.source_kind) and calendar:
        return calendar
    of_sources = [node for node in every if node.namespace.startswith(OF_A_SOURCE)]
    return calendar + of_sources if _WIKI in narrowed.sources else of_sources


def _topmost(present: Present, narrowed: Narrowed) -> tuple[list[Node], set[RepoPath]]:
    """The highest admitted nodes of which none tells what another one does, and all paths that they tell of."""
    admitted = [node for node in family(present, narrowed) if admits_node(narrowed, node, present.sources)]
    chosen: list[Node] = []
    told: set[RepoPath] = set()
    for node in sorted(admitted, key=lambda node: (-node.level, node.path)):
        if node.path not in told and told.isdisjoint(below := below_of(present, node)):
            chosen.append(node)
            told |= below
    return chosen, told


# -- leaves
def _untold(present: Present, narrowed: Narrowed, told: set[RepoPath]) -> list[Occurrence]:
    asked = entity_filter(narrowed, EVIDENCE)
    found: list[Occurrence] = []
    looked = 0
    for page in _pages(present, asked):
        looked += len(page)
        found += (one for one in page if one.path not in told)
        if looked >= LOOKED_THROUGH:
            present.note(f"only the newest {looked:,} passages were looked through: choose a shorter window")
            break
    return without_closed(present, found)


def _pages(present: Present, asked: EntityFilter) -> Iterator[list[Occurrence]]:
    """Chunks, the newest first and undated ones last. What many chunks of one second, or without a time, hide is told."""
    seen: set[tuple[str, int]] = set()
    while True:
        most = _PAGE + len(seen)
        page = _page(present, asked, most)
        yield [one for one in page if (one.path, one.ordinal) not in seen]
        if len(page) < min(most, _MOST):
            return
        last = page[-1].time
        seen = {(one.path, one.ordinal) for one in page if one.time == last}
        if last is None or len(seen) >= _MOST - _PAGE:
            present.note("not all passages could be looked through: very many have the same time, or none")
            return
        asked = asked._replace(until=last)


def _page(present: Present, asked: EntityFilter, most: int) -> list[Occurrence]:
    graph = present.graph
    return present.healed(lambda: graph.chunks(asked, min(most, _MOST), Order.NEWEST)) or []


def without_closed(present: Present, found: Sequence[Occurrence]) -> list[Occurrence]:
    """Without the turns of closed segments: what was said in them stands under `chat/`."""
    if not present.workspace.settings.learning.chat_to_tree_enabled:
        return list(found)
    ends: dict[str, int] = {}

    def is_closed(path: RepoPath) -> bool:
        session, name = path.folder.rpartition("/")[2], path.name.removesuffix(".md")
        if session not in ends:
            ends[session] = closed_to(_names(present, recap_folder(session, present.content)))
        return is_turn_file(path) and name.isdigit() and int(name) <= ends[session]

    return [one for one in found if one.kind is not Kind.EPISODE or not is_closed(one.path)]


def _names(present: Present, folder: RepoPath) -> list[str]:
    entry = present.repo.entry(present.tip, folder)
    return list(present.repo.items(entry.id)) if entry is not None and not entry.is_file else []
