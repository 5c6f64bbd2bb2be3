"""Searching: the indexes of a workspace, brought to the present commit and asked. Never under the write lock.

The entity graph is built when it is first asked for (`refresh_graph`), and follows every commit from then on.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtree.engine.repo import Repo
from memtree.engine.repo_errors import MissingObject
from memtree.engine.scope import Scope
from memtree.engine.settings import Settings
from memtree.engine.source import RepoSource
from memtree.engine.store.places import Places
from memtree.indexers.base import IndexBusy, IndexCorrupt, View
from memtree.indexers.catch_up import CatchUp, catch_up
from memtree.indexers.query import Hit, Mode, Query
from memtree.tree.asked_slots import asked_slots
from memtree.tree.errors import CorruptionError, StateError, TransientError
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId

if TYPE_CHECKING:
    from memtree.engine.facts.recalling import Cache, Facts
    from memtree.engine.meaning import Meaning
    from memtree.indexers.embedder import Embedder
    from memtree.indexers.entity_graph import EntityGraph
    from memtree.indexers.fulltext import FullTextIndex
    from memtree.indexers.hybrid import Hybrid

Progress = Callable[[int], None]

_VECTORS = "vector index"
_GRAPH = "entity graph"
_BUSY = 60  # times that embedding the rest meets another writer, a second apart, before it is left to that one
_SEARCH_PATIENCE = 1.0  # seconds that a search waits for another process that is indexing


@dataclass(frozen=True, slots=True)
class SearchReport:
    """Hits, best first, and what a person should know about them (an index that is behind, edits that could not be captured)."""

    hits: tuple[Hit, ...]
    commit: CommitId | None
    notes: tuple[str, ...] = ()


class Searching:
    """Owns the open indexes. The vector leg is loaded when it is first needed: words alone start quicker.

    Threads take turns: an index knows what it read last, and what it prepared. Who uses an index from here directly holds `turn`.
    """

    def __init__(
        self, repo: Repo, scope: Callable[[], Scope], places: Places, settings: Settings, clock: Callable[[], float]
    ) -> None:
        self._repo = repo
        self._scope = scope
        self._places = places
        self._settings = settings
        self._clock = clock
        self.turn = threading.RLock()
        self._open: tuple[str, FullTextIndex] | None = None
        self._meaning: Meaning | None = None
        self._graph: EntityGraph | None = None
        self._embedder: Embedder | None = None
        self._remains = os.path.join(places.folder, "index-remains")
        self._facts: Cache = {}
        self._trouble = False  # the embedder did not answer, or may not be asked: not asked again by the same search

    def index(self) -> FullTextIndex:
        """The full-text index for the present scope."""
        scope = self._scope()
        with self.turn:
            if self._open is None or self._open[0] != scope.fingerprint or not os.path.isdir(self._places.search):
                from memtree.indexers.fulltext import FullTextIndex

                self.close()
                with contextlib.suppress(OSError):  # indexing tells
                    self._places.make()  # a person may have removed the state folder
                opened = FullTextIndex.open(Path(self._places.search), scope.fingerprint, content_root=self._settings.content)
                self._open = scope.fingerprint, opened
            return self._open[1]

    def meaning(self) -> Meaning:
        """The vector index with its embedder, and how both indexes are combined."""
        with self.turn:
            self.index()
            from memtree.engine.meaning import open_meaning, refuse_unless_allowed

            if self._meaning is None:
                self._meaning = open_meaning(self._repo, self._places, self._settings, self._scope().fingerprint)
            refuse_unless_allowed(self._repo, self._settings.embedding)  # whoever lives long hears that it was taken back
            return self._meaning

    def graph(self) -> EntityGraph:
        """The entity graph as it is; `refresh_graph` brings it to HEAD."""
        with self.turn:
            self.index()
            if self._graph is None:
                from memtree.indexers.entity_graph import EntityGraph

                folder = Path(self._places.folder, "entities")
                self._graph = EntityGraph.open(folder, self._scope().fingerprint, content_root=self._settings.content)
            return self._graph

    def embedder(self) -> Embedder | None:
        """What judges how near texts are, beside the index; None where there is none. Raise EndpointNotAllowed."""
        from memtree.engine.meaning import open_embedder

        with self.turn:
            if self._embedder is None:
                self._embedder = open_embedder(self._repo, self._settings)
            return self._embedder

    def close(self) -> None:
        with self.turn:
            if self._open is not None:
                self._open[1].close()
                self._open = None
            if self._meaning is not None:
                self._meaning.close()
                self._meaning = None
            if self._graph is not None:
                self._graph.close()
                self._graph = None

    def refresh(self, progress: Progress | None = None, *, mode: Mode | None = None, patience: float = 2.0) -> list[str]:
        """Bring the indexes that a mode of search needs to HEAD; answer with what a person should know.

        Without a mode it is all that are kept: those of the settings' own mode, and the entity graph once it was asked for.
        """
        keep = mode is None
        mode = mode or self._settings.search.mode
        with self.turn:
            self._trouble = False
            notes = self._told("search index", lambda: self.catch_up(progress, patience=patience))
            if mode is not Mode.TEXT:
                notes += self._told(_VECTORS, lambda: self._catch_up_meaning(progress, patience))
                if self._meaning is not None:
                    notes += self._meaning.said()
            if keep and self._graph_is_kept():
                notes += self.refresh_graph(progress, patience=patience)
            if os.path.exists(self._remains):
                notes += self._clean(progress)
            return notes

    def refresh_graph(self, progress: Progress | None = None, *, patience: float = 2.0) -> list[str]:
        """Bring the entity graph to HEAD, for the first time too; answer with what a person should know."""
        return self._told(_GRAPH, lambda: self._bring(self.graph, progress, patience))

    def _graph_is_kept(self) -> bool:
        # An import need not pay for what nobody has asked for.
        return os.path.isdir(os.path.join(self._places.folder, "entities")) and self.graph().exists()

    def expect_remains(self) -> None:
        """From the next refresh on the indexes' files hold nothing of texts that are in no file any more."""
        with open(self._remains, "wb"):
            pass

    def _clean(self, progress: Progress | None) -> list[str]:
        # Deleted chunks stay in an index' files until much else has changed; a text that was forgotten must not.
        def cleaned() -> None:
            text = self.index()
            if text.has_remains():
                text.clear()
                self.catch_up(progress)
            if self._graph_is_kept():
                self._bring(self.graph, progress, _SEARCH_PATIENCE)
                self.graph().compact()
            vectors = self.meaning().vectors
            if vectors is not None:
                self._catch_up_meaning(progress, _SEARCH_PATIENCE)
                vectors.compact()
            os.unlink(self._remains)

        return self._told("cleaning of the indexes", cleaned)

    def _told(self, name: str, catch_up: Callable[[], CatchUp | None]) -> list[str]:
        try:
            done = catch_up()
        except (TransientError, StateError) as error:
            self._trouble = self._trouble or name == _VECTORS
            return [f"the {name} is behind: {error}" + (f"; {error.hint}" if error.hint else "")]
        except OSError as error:
            return [f"the {name} is behind: {error.strerror or error}"]
        if done is not None and done.rebuilt and done.reason and "never built" not in done.reason:
            return [f"the {name} was rebuilt: {done.reason}"]
        return []

    def catch_up(self, progress: Progress | None = None, *, patience: float = 2.0) -> CatchUp | None:
        """Bring the full-text index to HEAD, waiting a while for another process that does the same. None on an unborn branch."""
        return self._bring(self.index, progress, patience)

    def _catch_up_meaning(self, progress: Progress | None, patience: float) -> CatchUp | None:
        vectors = self.meaning().vectors
        return self._bring(lambda: vectors, progress, patience) if vectors is not None else None

    def embed_pending(self, seconds: float = math.inf, progress: Progress | None = None) -> int:
        """Embed what no catch-up waited for, for about so many seconds; return how many passages still wait.

        `progress` hears how many it were. Raise what asking the model raises, and IndexBusy.
        """
        vectors = self.meaning().vectors
        if vectors is None or not vectors.has_pending():
            return 0
        return vectors.complete(RepoSource(self._repo, self._scope()), seconds, progress).pending

    def embed_rest(self, progress: Progress | None = None) -> bool:
        """Embed all that waits, whatever else writes meanwhile; return whether anything did. What goes wrong, `refresh` tells."""
        waited = False
        for _ in range(_BUSY):
            try:
                vectors = self.meaning().vectors
                if vectors is None or not vectors.has_pending():
                    break
                waited = True
                self.embed_pending(math.inf, progress)
            except IndexBusy:
                time.sleep(_SEARCH_PATIENCE)
            except (TransientError, StateError, CorruptionError, OSError):
                break
        return waited

    def rebuild(self, progress: Progress | None = None) -> tuple[CatchUp | None, list[str]]:
        """Build the indexes anew, the entity graph where there is one.

        Vectors of chunks that are still there are not embedded again; `refresh` and `embed_pending` do the rest.
        """
        with self.turn:
            self.index().clear()
            try:
                vectors = self.meaning().vectors
            except (TransientError, StateError):
                vectors = None  # refreshing below tells why
            if vectors is not None:
                vectors.clear()
            if self._graph_is_kept():
                self.graph().clear()
            done = self.catch_up(progress)
            return done, self.refresh(progress)

    def hybrid(self) -> Hybrid:
        """Both indexes as one, as the settings combine them."""
        return self.meaning().hybrid(self.index(), self._settings.search.ranking, self._clock)

    def _bring(self, index: Callable[[], View], progress: Progress | None, patience: float) -> CatchUp | None:
        tip = self._repo.tip("HEAD")
        if tip is None:
            return None
        deadline = time.monotonic() + patience
        remembered = False
        while True:
            try:
                with self.turn:
                    return catch_up(index(), RepoSource(self._repo, self._scope()), tip, progress)
            except MissingObject:
                if remembered:
                    raise
                remembered = True
                self._repo.close()  # another process purged the commit that the index reflects; from memory it still seems there
            except IndexBusy:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def search(self, query: Query, progress: Progress | None = None) -> SearchReport:
        """Bring the indexes to HEAD and answer. Never raises for what the query says."""
        with self.turn:
            return self._answered(query, progress)

    def _answered(self, query: Query, progress: Progress | None) -> SearchReport:
        notes = self.refresh(progress, mode=query.mode, patience=_SEARCH_PATIENCE)
        tip = self._repo.tip("HEAD")
        if tip is None:
            return SearchReport((), None, (*notes, "nothing has been saved here yet"))
        if query.since is not None or query.until is not None:
            query = self._with_window(query, tip)
        hits = self._sifted(query, tip, lambda query: self._present_hits(query, tip, notes, progress))
        return SearchReport(tuple(hits), tip, tuple(dict.fromkeys(notes)))

    def _present_hits(self, query: Query, tip: CommitId, notes: list[str], progress: Progress | None) -> list[Hit]:
        try:
            hits = self._hits(query)
        except IndexCorrupt:
            # Damage that only a search meets: the index remembers it, so catching up now builds it anew.
            notes += self.refresh(progress, mode=query.mode)
            hits = self._hits(query)
        except (TransientError, StateError) as error:
            notes.append(f"searched by words only: {error}")
            hits = self.index().search(query)
        return self._brought_up(query, hits, tip, notes)

    def _sifted(self, query: Query, tip: CommitId, ask: Callable[[Query], list[Hit]]) -> list[Hit]:
        """The hits, facts among them with how they stand: those that hold before those that do not."""
        hits = ask(query)
        asked = asked_slots(query.text)
        if query.as_of is None and not asked and not any(hit.kind is Kind.FACT for hit in hits):
            return hits
        from memtree.engine.facts.recalling import answering, sifted

        facts = self.facts(tip, query.as_of)
        return answering(query, asked, sifted(query, hits, facts, ask), facts, ask)

    def facts(self, tip: CommitId, as_of: int | None = None) -> Facts:
        """The facts of a commit, and which of them hold now or did at a moment (epoch seconds)."""
        from memtree.engine.facts.recalling import Facts

        return Facts(self._repo, tip, self._settings.content, self._clock(), as_of, self._facts)

    def peek(self, query: Query) -> SearchReport:
        """Answer with what the indexes hold: nothing is brought up to date, nobody is waited for. Damage is told, never raised."""
        tip = self._repo.tip("HEAD")
        try:
            position = self.index().position()
            if tip is None or position is None:
                return SearchReport((), tip, () if tip is None else ("there is no search index yet: memtree reindex",))
            notes = () if position == tip else ("the search index is behind the newest commits",)
            trouble: list[str] = []
            hits = self._sifted(query, tip, lambda query: self._peeked(query, trouble))
        except (TransientError, StateError, CorruptionError) as error:
            return SearchReport((), tip, (f"memory could not be searched: {error}",))
        except OSError as error:
            return SearchReport((), tip, (f"memory could not be searched: {error.strerror or error}",))
        return SearchReport(tuple(hits), tip, (*notes, *trouble))

    def _peeked(self, query: Query, trouble: list[str]) -> list[Hit]:
        if query.mode is not Mode.TEXT:
            try:
                return self.hybrid().search(query)
            except (TransientError, StateError, CorruptionError) as error:
                trouble.append(f"searched by words only: {error}")
        return self.index().search(query)

    def _brought_up(self, query: Query, hits: list[Hit], tip: CommitId, notes: list[str]) -> list[Hit]:
        """The hits with what changed since the index was last brought up to date, where another process keeps it from that."""
        try:
            position = self.index().position()
        except IndexCorrupt:
            return hits
        if position == tip:
            return hits
        from memtree.engine.overlay import overlaid

        source = RepoSource(self._repo, self._scope())
        found = overlaid(query, hits, source, position, tip, self._settings.content)
        if found is None:
            return hits
        notes.append("what the index does not hold yet was searched directly")
        return found

    def _hits(self, query: Query) -> list[Hit]:
        if query.mode is Mode.TEXT or self._trouble:
            return self.index().search(query)
        return self.hybrid().search(query)

    def _with_window(self, query: Query, tip: CommitId) -> Query:
        from memtree.engine.window import paths_changed_between

        return query._replace(changed=frozenset(paths_changed_between(self._repo, tip, query.since, query.until)))
