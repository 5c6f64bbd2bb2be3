"""A ref that never leaves this machine: it keeps contents that are in no commit of the branch, and has no history."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memtree.engine.files import Files
from memtree.engine.repo import ENGINE, Repo
from memtree.engine.store.object_writer import ObjectWriter
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath


class LocalRef:
    """Written under the store's write lock only, so nobody else's lock can be in the way."""

    def __init__(self, repo: Repo, files: Files, objects: ObjectWriter, name: str) -> None:
        self._repo = repo
        self._files = files
        self._objects = objects
        self.name = name

    def keep(self, entries: Mapping[RepoPath, Entry], *, when: int) -> None:
        """Let the ref hold exactly these entries, by a commit without a parent; with none the ref goes."""
        tip = self._repo.tip(self.name)
        if not entries:
            if tip is not None:
                self._files.observe("drop_ref", self.name)
                self._repo.drop_ref(self.name)
            return
        tree = self._objects.tree(None, entries)
        if tip is None or self._repo.tree(tip) != tree:
            commit = self._objects.commit(tree, (), "held back\n", author=ENGINE, time=when)
            self._objects.sync()
            self._move(commit)

    def _move(self, commit: str) -> None:
        # No log of it, unlike a branch: an old version must not stay reachable.
        path = os.path.join(self._repo.common_folder, self.name)
        lock = f"{path}.lock"
        self._files.make_folders(os.path.dirname(path))
        self._files.unlink(lock)
        self._files.write_new(lock, f"{commit}\n".encode())
        self._files.rename(lock, path)
        self._files.sync_folder(os.path.dirname(path))
