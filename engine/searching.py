"""Searching: the indexes of a workspace, brought to the present commit and asked. Never under the write lock."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from memtree.engine.repo import Repo
from memtree.engine.scope import Scope
from memtree.engine.settings import Settings
from memtree.engine.source import RepoSource
from memtree.engine.store.places import Places
from memtree.indexers.base import Index, IndexBusy, IndexCorrupt, IndexUnwritable
from memtree.indexers.catch_up import CatchUp, catch_up
from memtree.indexers.query import Hit, Query
from memtree.tree.objects import CommitId

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class SearchReport:
    """Hits, best first, and what a person should know about them (an index that is behind, edits that could not be captured)."""

    hits: tuple[Hit, ...]
    commit: CommitId | None
    notes: tuple[str, ...] = ()


class Searching:
    """Owns the open indexes."""

    def __init__(self, repo: Repo, scope: Callable[[], Scope], places: Places, settings: Settings) -> None:
        self._repo = repo
        self._scope = scope
        self._places = places
        self._settings = settings
        self._open: tuple[str, Index] | None = None

    def index(self) -> Index:
        """The full-text index for the present scope."""
        scope = self._scope()
        if self._open is None or self._open[0] != scope.fingerprint or not os.path.isdir(self._places.search):
            from memtree.indexers.fulltext import FullTextIndex

            self.close()
            opened = FullTextIndex.open(Path(self._places.search), scope.fingerprint, content_root=self._settings.content)
            self._open = scope.fingerprint, opened
        return self._open[1]

    def close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def refresh(self, progress: Progress | None = None) -> list[str]:
        """Bring the index to HEAD; answer with what a person should know instead of raising."""
        try:
            done = self.catch_up(progress)
        except (IndexBusy, IndexUnwritable) as error:
            return [f"the search index is behind: {error}"]
        except OSError as error:
            return [f"the search index is behind: {error.strerror or error}"]
        if done is not None and done.rebuilt and done.reason and "never built" not in done.reason:
            return [f"the search index was rebuilt: {done.reason}"]
        return []

    def catch_up(self, progress: Progress | None = None, *, patience: float = 10.0) -> CatchUp | None:
        """Bring the index to HEAD, waiting a while for another process that does the same. None on an unborn branch."""
        tip = self._repo.tip("HEAD")
        if tip is None:
            return None
        deadline = time.monotonic() + patience
        while True:
            try:
                return catch_up(self.index(), RepoSource(self._repo, self._scope()), tip, progress)
            except IndexBusy:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def search(self, query: Query, progress: Progress | None = None) -> SearchReport:
        """Bring the index to HEAD and answer. Never raises for what the query says."""
        notes = self.refresh(progress)
        tip = self._repo.tip("HEAD")
        if tip is None:
            return SearchReport((), None, (*notes, "nothing has been saved here yet"))
        if query.since is not None or query.until is not None:
            query = self._with_window(query, tip)
        try:
            hits = self.index().search(query)
        except IndexCorrupt:
            # Damage that only a search meets: the index remembers it, so catching up now builds it anew.
            notes += self.refresh(progress)
            hits = self.index().search(query)
        return SearchReport(tuple(hits), tip, tuple(notes))

    def _with_window(self, query: Query, tip: CommitId) -> Query:
        from memtree.engine.window import paths_changed_between

        return replace(query, changed=frozenset(paths_changed_between(self._repo, tip, query.since, query.until)))
