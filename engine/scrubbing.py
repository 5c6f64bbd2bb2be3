"""Scrubbing: a file that holds what must be forgotten, and is not committed yet, is changed in place and never reaches history."""

from __future__ import annotations

import os
from collections.abc import Iterable

from memtree.engine.store.filters import Conversion
from memtree.engine.store.index_file import Replacement
from memtree.engine.store.working_copy import read_file
from memtree.engine.workspace import Workspace
from memtree.tree.errors import TransientError
from memtree.tree.forgetting import Forgetting
from memtree.tree.objects import BlobId, Entry
from memtree.tree.paths import RepoPath


class EditedMeanwhile(TransientError):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was edited at the same moment; it is as its editor left it", hint="run the same command again")
        self.path = path


def scrub_staged(workspace: Workspace, forgetting: Forgetting, staged: Iterable[RepoPath]) -> set[BlobId]:
    """Take a text out of what git's index holds of these paths, which a capture would commit first; what was staged before."""
    store = workspace.store
    old: set[BlobId] = set()
    changes: dict[str, Replacement] = {}
    with store.exclusive():
        store.git_index.take_lock()
        try:
            for path in staged:
                held = store.git_index.load().find(path)
                if held is None or held.unmerged or not held.entry.is_file or store.filters.conversion(path) is not Conversion.NONE:
                    continue
                data = workspace.repo.blob(held.entry.id)
                new = forgetting.applied(path, data)
                if new != data:
                    old.add(BlobId(held.entry.id))
                    changes[path] = Replacement(Entry(held.entry.mode, store.objects.blob(new)))
            if changes:
                store.objects.sync()
                store.git_index.install(changes)
        finally:
            store.git_index.drop_lock()
    return old


def scrub_file(workspace: Workspace, path: RepoPath, before: bytes, after: bytes) -> None:
    """Put `after` in the place of a file that holds `before`; raise EditedMeanwhile when it holds anything else."""
    files, full = workspace.files, workspace.store.working_copy.full(path)
    with workspace.store.exclusive():
        temp = os.path.join(workspace.places.temps, f"forget-{os.urandom(6).hex()}")
        files.write_new(temp, after, mode=os.stat(full).st_mode & 0o777)
        try:
            files.exchange(temp, full)
            if read_file(temp) != before:
                files.exchange(temp, full)
                raise EditedMeanwhile(path)
        finally:
            files.unlink(temp)
