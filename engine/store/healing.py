"""Healing: putting index entries right that a git command with an old index wrote back (see recent.py for how that happens)."""

from __future__ import annotations

from collections.abc import Callable

from memtree.engine.repo import Repo
from memtree.engine.store.git_index import GitIndex
from memtree.engine.store.index_file import IndexFile, Replacement
from memtree.engine.store.recent import Recent
from memtree.engine.store.working_copy import WorkingCopy

_WINDOW = 60.0  # seconds; a git commit that read our before-image is not delayed longer than this


class Healing:
    def __init__(
        self, repo: Repo, ref: str, git_index: GitIndex, recent: Recent, working_copy: WorkingCopy, clock: Callable[[], float]
    ) -> None:
        self._repo = repo
        self._ref = ref
        self._git_index = git_index
        self._recent = recent
        self._working_copy = working_copy
        self._clock = clock
        self._clean: IndexFile | None = None

    def heal(self, said: list[str]) -> None:
        """Put stale entries right, under the write lock, and say so."""
        if not self._recent.exists() or not self.stale(self._git_index.load()):
            return
        self._git_index.take_lock()
        try:
            stale = self.stale(self._git_index.load())
            if stale:
                self._git_index.install(stale)
                said.append(f"healed the git index: another git command had put {len(stale)} old entries back")
        finally:
            self._git_index.drop_lock()

    def stale(self, index: IndexFile) -> dict[str, Replacement]:
        """Entries that stand at our before-image while HEAD and disk hold our after-image."""
        if index is self._clean:
            # The same bytes as last time, or spliced by us since; whoever else writes the index makes us parse it anew.
            return {}
        stale: dict[str, Replacement] = {}
        clean = True
        tip = self._repo.tip(self._ref)
        for path, written in self._recent.since(self._clock() - _WINDOW).items():
            held = index.find(path)
            now = held.entry if held is not None else None
            if written.before == written.after or now != written.before:
                continue
            clean = False
            if self._repo.entry(tip, path) != written.after:
                continue
            disk = self._working_copy.look(path)
            if disk.entry == written.after:
                stale[path] = Replacement(written.after, disk.stat)
        self._clean = index if clean else None
        return stale
