"""ObjectWriter: makes blobs, trees and commits for one transaction and brings them to the disk before its journal names them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping

from memtree.engine.files import Files
from memtree.engine.repo import Person, Repo
from memtree.engine.store.pack import PackWriter
from memtree.tree.objects import FOLDER, BlobId, CommitId, Entry, TreeId
from memtree.tree.paths import RepoPath


class ObjectWriter:
    def __init__(self, repo: Repo, files: Files) -> None:
        self._repo = repo
        self._files = files
        self._made: dict[str, None] = {}
        self._pack: PackWriter | None = None

    @contextlib.contextmanager
    def packing(self, folder: str) -> Iterator[None]:
        """Blobs made inside go into one pack, which is in place when this ends. Nothing inside may read them back."""
        self._pack = PackWriter(folder)
        try:
            yield
            if len(self._pack):
                self._files.observe("object", "pack")
                self._pack.finish(os.path.join(self._repo.common_folder, "objects"), self._files)
        finally:
            self._pack.close()
            self._pack = None

    def blob(self, data: bytes) -> BlobId:
        if self._pack is not None:
            return BlobId(self._pack.add(data))
        self._files.observe("object", "blob")
        return BlobId(self._note(self._repo.create_blob(data)))

    def tree(self, base: TreeId | None, changes: Mapping[RepoPath, Entry | None]) -> TreeId:
        """The tree `base` with these paths replaced or removed, each touched folder written once; empty folders vanish."""
        made = self._tree(base, [(path.split("/"), entry) for path, entry in sorted(changes.items())])
        return made if made is not None else TreeId(self._note(self._repo.create_tree(None, {})))

    def _tree(self, base: str | None, changes: list[tuple[list[str], Entry | None]]) -> TreeId | None:
        present = self._repo.items(base) if base is not None else {}
        direct: dict[str, Entry | None] = {}
        below: dict[str, list[tuple[list[str], Entry | None]]] = {}
        for parts, entry in changes:
            if len(parts) == 1:
                if entry is None and parts[0] in present and present[parts[0]].mode == FOLDER:
                    continue  # what is removed is a file; a folder of that name is somebody else's
                direct[parts[0]] = entry
            else:
                below.setdefault(parts[0], []).append((parts[1:], entry))
        for name, inner in below.items():
            old = direct[name] if name in direct else present.get(name)
            made = self._tree(old.id if old is not None and old.mode == FOLDER else None, inner)
            if made is not None:
                direct[name] = Entry(FOLDER, made)
            elif old is None or old.mode == FOLDER:
                direct[name] = None
        if not any(entry is not None for entry in direct.values()) and present.keys() <= direct.keys():
            return None
        self._files.observe("object", "tree")
        return TreeId(self._note(self._repo.create_tree(base, direct)))

    def commit(self, tree: TreeId, parents: Iterable[CommitId], message: str, *, author: Person, time: int) -> CommitId:
        self._files.observe("object", "commit")
        return CommitId(self._note(self._repo.create_commit(tree, parents, message, author=author, time=time)))

    def note(self, object_id: str) -> None:
        """Remember an object that another program wrote for this transaction."""
        self._made[object_id] = None

    def sync(self) -> None:
        """Bring what was made to the disk, in durability full; objects that are already in a pack need nothing."""
        if self._files.durable and self._made:
            folders: dict[str, None] = {}
            objects = os.path.join(self._repo.common_folder, "objects")
            for object_id in self._made:
                folder = os.path.join(objects, object_id[:2])
                path = os.path.join(folder, object_id[2:])
                if os.path.exists(path):
                    self._files.sync_file(path)
                    folders[folder] = None
            for folder in (*folders, objects):
                self._files.sync_folder(folder)
        self._made.clear()

    def _note(self, object_id: str) -> str:
        self._made[object_id] = None
        return object_id
