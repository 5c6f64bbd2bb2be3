"""BulkWriter: the contents of very many files in one pack, made before the transaction that brings them to the branch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from memtree.engine.files import Files
from memtree.engine.git import Git
from memtree.engine.repo import Repo
from memtree.engine.store.filters import Filters
from memtree.engine.store.object_writer import ObjectWriter
from memtree.engine.store.places import Places
from memtree.engine.store.working_copy import WorkingCopy
from memtree.tree.objects import BlobId
from memtree.tree.paths import RepoPath


class BulkWriter:
    """Makes blobs; with `dry` it only says which they would be."""

    def __init__(self, repo: Repo, files: Files, git: Git, places: Places, *, dry: bool = False) -> None:
        self._objects = ObjectWriter(repo, files)
        self._copy = WorkingCopy(repo, files, Filters(repo, git), places, self._objects)
        self._temps = places.temps
        self._dry = dry

    @contextlib.contextmanager
    def packing(self) -> Iterator[None]:
        """Blobs made inside go into one pack, which is on the disk when this ends. Nothing inside may read them back."""
        if self._dry:
            yield
            return
        with self._objects.packing(self._temps):
            yield
        self._objects.sync()

    def stored(self, path: RepoPath, data: bytes) -> BlobId:
        """The blob of a file's bytes, as the path's git filter stores it."""
        return self._copy.stored(path, data, keep=not self._dry)
