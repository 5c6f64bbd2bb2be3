"""EntityGraph: who and what texts speak of, and what stands together. Diff-driven, one position, rebuilt by itself.

    folder/lock                 held by the one process that writes
    folder/v1/state.sqlite      everything (entity_state)

    search, known, named        which entities there are
    group                       all ids that mean one entity, as files under `entities/` say at this commit
    occurrences                 the chunks that speak of some
    connected, neighbours       which stand together, in one chunk or by way of others
    chunks, chunks_of, sources  every chunk of every text file, whatever it speaks of

Threads take turns. No answer depends on the order in which commits arrived. Text from outside is never read as a pattern.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from memtree.indexers import entity_reader, entity_routes
from memtree.indexers.base import IndexBusy, IndexCorrupt, Source
from memtree.indexers.entity_answers import EntityFilter, GraphSize, Known, Neighbour, Occurrence, Order, Pair, SourceCount
from memtree.indexers.entity_groups import Groups
from memtree.indexers.entity_state import EntityState, Stamp
from memtree.indexers.home import Home
from memtree.indexers.sqlite_file import FILE_NAME
from memtree.indexers.state_reader import StateReader
from memtree.tree.entity import EntityKind
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.objects import Change, CommitId

VERSION = 1  # also of what is taken for a mention

_MANY = 1_000  # paths; what is written of so many lies beside the file at first, as large as the file itself
_ALL = EntityFilter()


class _View(NamedTuple):
    """The graph at one moment."""

    state: EntityState
    groups: Groups
    size: GraphSize


class EntityGraph:
    """A `View` of one commit. Opening reads nothing; a graph that was never built knows nothing. Raises IndexCorrupt if damaged."""

    def __init__(self, folder: str, fingerprint: str, content_root: str) -> None:
        self._home = Home(folder, VERSION, FILE_NAME)
        self._fingerprint = f"{fingerprint}|{content_root}"
        self._content_root = content_root
        self._reader = StateReader(self._home, EntityState, EntityState.name)
        self._seen: Stamp | None = None
        self._prepared: tuple[int, Stamp, Groups, GraphSize] | None = None

    @classmethod
    def open(cls, folder: Path, fingerprint: str, *, content_root: str = CONTENT_ROOT) -> EntityGraph:
        """Return the graph in `folder`; `fingerprint` names the settings that shape its content."""
        return cls(str(folder), fingerprint, content_root)

    def close(self) -> None:
        """Let go of files."""
        self._reader.close()

    # -- the life of an index
    def exists(self) -> bool:
        """Whether it was built, by this version or another one."""
        return self._home.exists() or bool(self._home.versions())

    def position(self) -> CommitId | None:
        """Return the commit this index reflects, None when it must be built from nothing; raise IndexCorrupt if damaged."""
        stamp = self._stamp()
        self._seen = stamp
        return stamp.commit if stamp.fingerprint == self._fingerprint else None

    def vacancy(self) -> str:
        """Say why `position` is None, '' when it is not."""
        stamp = self._stamp()
        if stamp.commit is None:
            foreign = not self._home.exists() and self._home.versions()
            return "it was built by another version" if foreign else "it was never built"
        return "" if stamp.fingerprint == self._fingerprint else "it was built under other settings"

    def apply(self, changes: Iterable[Change], source: Source, to: CommitId, progress: Callable[[int], None] | None = None) -> int:
        """Bring the index to `to`, all or nothing; return the number of paths. See `View.apply` for what is raised."""
        from memtree.indexers.entity_writer import EntityWriter  # what finds mentions is loaded where it is needed

        with self._home.locked():
            if not self._home.exists():
                self._home.replace(self._create)
            count = 0
            with self._reader.noting_damage(), contextlib.closing(self._writable()) as state:
                with state.transaction():
                    writer = EntityWriter(state, self._content_root)
                    if self._seen not in (None, writer.stamp):
                        raise IndexBusy("another process has moved the index meanwhile")
                    for count, change in enumerate(changes, 1):
                        writer.write(change, source)
                        if progress:
                            progress(count)
                    writer.finish(Stamp(to, self._fingerprint))
                if count > _MANY:
                    state.settle()
            self._seen = None
            return count

    def clear(self) -> None:
        """Empty the index, whatever state it is in."""
        with self._home.locked():
            self._reader.close()
            self._home.replace(self._create)
            self._reader.forget_damage()
            self._seen = self._stamp()

    def compact(self) -> None:
        """Write the file anew, so that nothing is left in it of texts that are gone; raise IndexBusy while it is read elsewhere."""
        with self._home.locked():
            if not self._home.exists():
                return
            self._reader.close()
            with self._reader.noting_damage(), contextlib.closing(self._writable()) as state:
                with state.transaction():
                    state.reindex_text()
                state.vacuum()

    def verify(self) -> list[str]:
        """Read the whole index and return the files that are damaged; if there are any, the next catch-up rebuilds it."""
        try:
            with self._reader.moment() as state:
                whole = state is None or state.is_whole()
        except IndexCorrupt:
            whole = False
        if not whole:
            self._reader.note(IndexCorrupt(f"the entity graph is damaged: {FILE_NAME}"))
        return [] if whole else [FILE_NAME]

    def size(self) -> GraphSize:
        """How much it holds."""
        with self._view() as view:
            return view.size if view else GraphSize(0, 0, 0)

    def contents(self) -> dict[str, list[tuple[object, ...]]]:
        """Everything that is told, comparable: two graphs of one commit have equal contents."""
        with self._view() as view:
            return view.state.contents() if view else {}

    # -- who is known
    def search(self, text: str, kinds: Sequence[EntityKind] = (), limit: int = 5, narrowed: EntityFilter = _ALL) -> list[Known]:
        """Return entities whose value or surface holds `text`, whatever its case, width and accents; none for a blank one.

        Those mentioned most come first, then those seen last, then by id. Under a filter only chunks that it admits count.
        """
        with self._view() as view:
            return entity_reader.search(view.state, view.groups, text, kinds, limit, narrowed) if view else []

    def known(self, ids: Iterable[str]) -> dict[str, Known]:
        """Return those of at most 1,000 ids that the graph knows, by the id as it was asked."""
        with self._view() as view:
            return entity_reader.known(view.state, view.groups, ids) if view else {}

    def group(self, id: str) -> frozenset[str]:  # noqa: A002
        """Return all ids that mean the same entity, this one with them."""
        with self._view() as view:
            return view.groups.members(entity_reader.canonical(id)) if view else frozenset((id,))

    def named(self, words: Sequence[str]) -> list[str]:
        """Return ids whose value runs of a query's words spell, the longest runs first.

        `when did ada lovelace write` finds `name:ada lovelace`. No word counts in two runs.
        """
        with self._view() as view:
            return entity_reader.named(view.state, words) if view else []

    # -- where
    def occurrences(self, ids: Iterable[str], limit: int, narrowed: EntityFilter = _ALL) -> list[Occurrence]:
        """Return the chunks that speak of ids, by any of their names.

        Those that speak of most of them come first, then the newest, then by path and place.
        """
        with self._view() as view:
            if view is None:
                return []
            asked = entity_reader.numbers_of(view.state, view.groups, ids)
            return entity_reader.occurrences(view.state, asked, view.groups, limit, narrowed)

    def chunks(self, narrowed: EntityFilter = _ALL, limit: int = 100, order: Order = Order.NEWEST) -> list[Occurrence]:
        """Return chunks of text files, whatever they speak of."""
        with self._view() as view:
            return entity_reader.chunks(view.state, narrowed, limit, order) if view else []

    def count(self, narrowed: EntityFilter = _ALL) -> int:
        """Return how many chunks there are."""
        with self._view() as view:
            return entity_reader.count(view.state, narrowed) if view else 0

    def chunks_of(self, paths: Iterable[str]) -> list[Occurrence]:
        """Return the chunks of at most 1,000 files, by path and place, each with all ids that it speaks of."""
        with self._view() as view:
            return entity_reader.chunks_of(view.state, paths) if view else []

    def sources(self) -> list[SourceCount]:
        """Return what there is of each source, by name."""
        with self._view() as view:
            return entity_reader.sources(view.state) if view else []

    # -- what stands together
    def connected(self, ids: Iterable[str], max_hops: int = 2) -> list[Pair]:
        """Return the pairs of ids that are joined within `max_hops` (1 to 4), the nearest first.

        Where several ids mean one entity, the first of them stands for it.
        """
        with self._view() as view:
            if view is None:
                return []
            asked = entity_reader.numbers_of(view.state, view.groups, ids)
            return entity_routes.connected(view.state, view.groups, asked, max_hops, view.size.chunks)

    def neighbours(self, id: str, limit: int = 10) -> list[Neighbour]:  # noqa: A002
        """Return what stands in one chunk with an entity, by the number of such chunks (of its newest 10,000), then by id."""
        with self._view() as view:
            if view is None:
                return []
            (numbers,) = entity_reader.numbers_of(view.state, view.groups, [id]).values()
            return entity_routes.neighbours(view.state, view.groups, numbers, limit)

    def _stamp(self) -> Stamp:
        with self._reader.moment() as state:
            return state.stamp() if state else Stamp()

    @contextlib.contextmanager
    def _view(self) -> Iterator[_View | None]:
        """The graph as of now; what the files under `entities/` say is read once a commit."""
        with self._reader.moment() as state:
            stamp = state.stamp() if state else Stamp()
            if state is None or stamp.commit is None:
                yield None
                return
            key = self._home.identity(), stamp
            if self._prepared is None or self._prepared[:2] != key:
                self._prepared = (*key, entity_reader.groups_of(state), entity_reader.size(state))
            yield _View(state, self._prepared[2], self._prepared[3])

    def _create(self, folder: str) -> None:
        EntityState.create(os.path.join(folder, FILE_NAME))

    def _writable(self) -> EntityState:
        return EntityState(os.path.join(self._home.path, FILE_NAME), writable=True)
