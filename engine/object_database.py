"""ObjectDatabase: git's objects as bytes, listed, and taken away for good. Beside `repo`, the only importer of pygit2.

Only `forget --purge` removes: nothing else may take an object that somebody could still name.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Collection, Iterable, Iterator

import pygit2
from pygit2.enums import ObjectType

from memtree.engine.files import Files
from memtree.engine.repo_errors import MissingObject
from memtree.engine.store.pack import PackWriter
from memtree.tree.objects import FOLDER, GITLINK

KINDS = {ObjectType.COMMIT: "commit", ObjectType.TREE: "tree", ObjectType.BLOB: "blob", ObjectType.TAG: "tag"}
_TYPES = {name: kind for kind, name in KINDS.items()}
_FANOUT = struct.Struct(">256I")
_HEADER = 8


class ObjectDatabase:
    """The objects below a repository's `objects` folder, what alternates lend included in reading only."""

    def __init__(self, common_folder: str, files: Files) -> None:
        self._folder = os.path.join(common_folder, "objects")
        self._files = files
        self._odb = pygit2.Odb(self._folder)

    def reopen(self) -> None:
        """See the files as they are now."""
        self._odb = pygit2.Odb(self._folder)

    def ids(self) -> Iterator[str]:
        """Every object, reachable or not."""
        for found in self._odb:
            yield str(found)

    def read(self, object_id: str) -> tuple[str, bytes]:
        """Its kind and bytes; raise MissingObject."""
        try:
            kind, data = self._odb.read(object_id)
        except (KeyError, pygit2.GitError) as error:
            raise MissingObject(object_id) from error
        return KINDS[ObjectType(kind)], data

    def write(self, kind: str, data: bytes) -> str:
        """Make an object that nothing names yet; its id."""
        return str(self._odb.write(_TYPES[kind], data))

    def links(self, object_id: str) -> tuple[str, list[tuple[str, bool]]]:
        """An object's kind and the objects it names, each with whether it is a blob. Submodules' commits are not here."""
        kind, data = self.read(object_id)
        if kind == "tree":
            return kind, [(found, mode != FOLDER) for mode, found in _tree_links(data) if mode != GITLINK]
        if kind in ("commit", "tag"):
            head = data.partition(b"\n\n")[0]
            named = (line.split(b" ") for line in head.split(b"\n") if line.startswith((b"tree ", b"parent ", b"object ")))
            return kind, [(parts[1].decode(), False) for parts in named]
        return kind, []

    def reachable(self, roots: Iterable[str]) -> set[str]:
        """What roots lead to, themselves included; what is missing leads nowhere."""
        seen: set[str] = set()
        ahead = list(dict.fromkeys(roots))
        while ahead:
            here = ahead.pop()
            if here in seen:
                continue
            try:
                _, links = self.links(here)
            except MissingObject:
                continue
            seen.add(here)
            seen.update(found for found, is_blob in links if is_blob)
            ahead += [found for found, is_blob in links if not is_blob and found not in seen]
        return seen

    def remove(self, doomed: Collection[str], folder: str) -> None:
        """Take objects away. Packs that hold any are written anew without them, through temporary files in `folder`."""
        for object_id in doomed:
            self._files.unlink(os.path.join(self._folder, object_id[:2], object_id[2:]))
        packs = os.path.join(self._folder, "pack")
        names = [name[: -len(".idx")] for name in _listed(packs) if name.endswith(".idx")]
        hit = [name for name in names if not set(doomed).isdisjoint(_pack_ids(os.path.join(packs, f"{name}.idx")))]
        if hit:
            self._rewrite(packs, hit, doomed, folder)
            self._drop_caches(packs)
        self.reopen()

    def _rewrite(self, packs: str, names: list[str], doomed: Collection[str], folder: str) -> None:
        kept = dict.fromkeys(found for name in names for found in _pack_ids(os.path.join(packs, f"{name}.idx")))
        writer = PackWriter(folder)
        try:
            for object_id in kept:
                if object_id not in doomed:
                    kind, data = self.read(object_id)
                    writer.add(data, kind)
            if len(writer):
                writer.finish(self._folder, self._files)
        finally:
            writer.close()
        self._odb = pygit2.Odb()  # lets go of the old packs
        for name in names:
            # The index goes first: without one a pack does not exist to git.
            for other in sorted(
                (one for one in _listed(packs) if one.split(".")[0] == name), key=lambda one: not one.endswith(".idx")
            ):
                self._files.unlink(os.path.join(packs, other))
        self._files.sync_folder(packs)

    def _drop_caches(self, packs: str) -> None:
        """What git keeps to find objects quicker, and makes again: it would name packs and commits that are gone."""
        graphs = os.path.join(self._folder, "info", "commit-graphs")
        gone = [os.path.join(packs, name) for name in _listed(packs) if name.startswith("multi-pack-index")]
        gone += [os.path.join(graphs, name) for name in _listed(graphs)]
        for path in (*gone, os.path.join(self._folder, "info", "commit-graph")):
            self._files.unlink(path)


def _tree_links(data: bytes) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(data):
        end = data.index(b"\0", at)
        yield int(data[at : data.index(b" ", at)], 8), data[end + 1 : end + 21].hex()
        at = end + 21


def _pack_ids(path: str) -> list[str]:
    """The objects that a pack's index (version 2) lists."""
    with open(path, "rb") as file:
        data = file.read()
    count = _FANOUT.unpack_from(data, _HEADER)[255]
    start = _HEADER + _FANOUT.size
    return [data[at : at + 20].hex() for at in range(start, start + 20 * count, 20)]


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
