"""Sifting what a capture found: what is committed as it stands, what is held, what is merged because its hold is over."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import chain

from memtree.engine.repo import Repo
from memtree.engine.secrets.held import HeldFile, HeldFiles, moved
from memtree.engine.store.planner import Edit
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath


@dataclass(slots=True)
class Sifting:
    """One capture's decisions, path by path; `gone` are the deletions it may commit, renames' other halves among them."""

    repo: Repo
    holds: HeldFiles
    tip: CommitId | None
    gone: Collection[RepoPath]
    entries: dict[RepoPath, Entry | None] = field(default_factory=dict)
    held: dict[RepoPath, HeldFile] = field(default_factory=dict)
    merging: dict[RepoPath, Edit] = field(default_factory=dict)
    _old: dict[RepoPath, HeldFile] = field(init=False)

    def __post_init__(self) -> None:
        self._old = self.holds.all()

    def look(self, path: RepoPath, entry: Entry, content: bytes | None) -> None:
        """Decide on a file. `content` is what its blob holds, if that is at hand."""
        # Only looked up where there is a secret. One that moved here from a file that is gone is not new.
        before = (self.repo.entry(self.tip, one) for one in chain((path,), self.gone))
        spots = self.holds.guard.new_spots(entry, before, content=content)
        if spots:
            self.held[path] = self.holds.begun(path, entry, spots[0], self._old, self.tip)
        else:
            self._take(path, entry)

    def lose(self, unsettled: Collection[RepoPath]) -> None:
        """Decide on the deletions, once every file was looked at."""
        for path in self.gone:
            waiting = moved(self._old[path], self.held) if path in self._old else None
            if waiting is not None:
                self.held[path] = waiting
            elif path in unsettled:
                self.held.update({path: self._old[path]} if path in self._old else {})
            else:
                self._take(path, None)

    def keep_others(self, paths: Collection[str]) -> None:
        """Holds of paths that this capture does not decide on go on."""
        self.held.update({path: one for path, one in self._old.items() if path in paths and path not in self.held})

    def is_held(self, path: RepoPath) -> bool:
        """Whether the path is held by an earlier capture."""
        return path in self._old

    def under_way(self) -> dict[RepoPath, HeldFile]:
        """The holds to be kept while the entries are committed: what is still to be merged needs to know where it began."""
        return {path: self._old[path] for path in self.merging} | self.held

    def _take(self, path: RepoPath, entry: Entry | None) -> None:
        began = self._old.get(path)
        if began is not None and self.repo.entry(self.tip, path) not in (began.base, entry):
            self.merging[path] = (began.base, entry)  # HEAD moved on while it was held
        else:
            self.entries[path] = entry
