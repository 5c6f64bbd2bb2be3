"""The git index as bytes: read entries, splice changed ones in, write the file back.

Format: gitformat-index(5), versions 2, 3 and 4. A full parse by a library costs several times a splice at 100,000 files, because a
splice copies what did not change. Stat data and the assume-valid flag of other entries stay as they were; the cached trees (TREE)
lose only the changed folders; the extensions that git rebuilds by itself (untracked cache, file system monitor, offset tables) are
dropped.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtree.tree.errors import CorruptionError, StateError
from memtree.tree.objects import Entry

_FIXED = 62  # bytes of an entry before its name: ten words of stat data, a 20-byte id, 16 bits of flags
_EXTENDED = 0x4000
_INTENT_TO_ADD = 0x2000
_ASSUME_VALID = 0x8000
_STAGE = 0x3000
_KEPT_EXTENSIONS = (b"TREE", b"REUC")
_WORD = struct.Struct(">I")
_FLAGS = struct.Struct(">H")
_STAT = struct.Struct(">10I")
# A cached tree: name, number of entries, number of children, id; without an id when it is invalid (a negative number of entries).
_NODE = re.compile(rb"([^\0]*)\0(?:(\d+) (\d+)\n.{20}|-\d+ (\d+)\n)", re.DOTALL)


class UnsupportedIndex(StateError):
    """The index uses a format that must not be spliced."""


class IndexDamaged(CorruptionError):
    def __init__(self, reason: str) -> None:
        super().__init__(f"the git index is damaged ({reason})", hint="rm .git/index && git reset rebuilds it from HEAD")


@dataclass(frozen=True, slots=True)
class Staged:
    """What the index holds under a path. `unmerged`: an outside merge left conflict stages there."""

    entry: Entry
    unmerged: bool = False
    skip_worktree: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """The new entry for a path, or None to drop it; stat data only when the disk is known to hold exactly that."""

    entry: Entry | None
    stat: os.stat_result | None = None


@dataclass(slots=True)
class IndexFile:
    """A parsed index. Mutable: `splice` works in place and is followed by one write of `parts()`."""

    version: int
    body: bytearray  # header and entries
    starts: array[int]
    names: list[bytes] | None  # version 4 compresses names, so they are kept beside
    extensions: list[tuple[bytes, bytes]]
    skip_hash: bool = False

    @classmethod
    def empty(cls) -> IndexFile:
        return cls(2, bytearray(b"DIRC" + struct.pack(">2I", 2, 0)), array("Q"), None, [])

    @classmethod
    def parse(cls, data: bytes) -> IndexFile:
        """Read index bytes; raise IndexDamaged or UnsupportedIndex."""
        try:
            return _parse(data)
        except (struct.error, ValueError, IndexError) as error:
            raise IndexDamaged(str(error)) from error

    def __len__(self) -> int:
        return len(self.starts)

    def find(self, path: str) -> Staged | None:
        """What the index holds under `path`, or None; a mere intent to add holds nothing yet."""
        name = path.encode("utf-8", "surrogateescape")
        at = self._position(name)
        if at == len(self.starts) or self._name(at) != name:
            return None
        start = self.starts[at]
        flags = _FLAGS.unpack_from(self.body, start + 60)[0]
        extended = _FLAGS.unpack_from(self.body, start + 62)[0] if flags & _EXTENDED else 0
        if extended & _INTENT_TO_ADD:
            return None
        entry = Entry(_WORD.unpack_from(self.body, start + 24)[0], self.body[start + 40 : start + 60].hex())
        return Staged(entry, bool(flags & _STAGE), bool(extended & 0x4000))

    def is_marked(self, path: str) -> bool:
        """Whether the entry under `path` is no ordinary one: unmerged, or with a flag that tells git to look at it otherwise."""
        name = path.encode("utf-8", "surrogateescape")
        at = self._position(name)
        if at == len(self.starts) or self._name(at) != name:
            return False
        flags = _FLAGS.unpack_from(self.body, self.starts[at] + 60)[0]
        return bool(flags & (_EXTENDED | _ASSUME_VALID | _STAGE))

    def paths(self) -> Iterator[bytes]:
        return (self._name(at) for at in range(len(self.starts)))

    def below(self, folder: str) -> Iterator[str]:
        """The paths below a folder, in order."""
        prefix = folder.encode("utf-8", "surrogateescape") + b"/"
        for at in range(self._position(prefix), len(self.starts)):
            name = self._name(at)
            if not name.startswith(prefix):
                return
            yield name.decode("utf-8", "surrogateescape")

    def splice(self, changes: Mapping[str, Replacement]) -> None:
        """Replace, add and drop entries."""
        named = {path.encode("utf-8", "surrogateescape"): change for path, change in changes.items()}
        if not self._patch(named):
            self._rebuild(self._with_obstacles(named))
        self.extensions = [(mark, _forget_folders(data, changes) if mark == b"TREE" else data) for mark, data in self.extensions]

    def parts(self) -> tuple[bytes | bytearray, ...]:
        """The file's bytes in order; the last part is the checksum (zeros where git was told to skip it)."""
        extensions = b"".join(mark + _WORD.pack(len(data)) + data for mark, data in self.extensions)
        if self.skip_hash:
            return self.body, extensions, bytes(20)
        digest = hashlib.sha1(self.body, usedforsecurity=False)
        digest.update(extensions)
        return self.body, extensions, digest.digest()

    def _name(self, at: int) -> bytes:
        if self.names is not None:
            return self.names[at]
        start = self.starts[at]
        flags = _FLAGS.unpack_from(self.body, start + 60)[0]
        name = start + _FIXED + (2 if flags & _EXTENDED else 0)
        length = flags & 0xFFF
        end = name + length if length < 0xFFF else self.body.index(0, name)
        return bytes(self.body[name:end])

    def _position(self, name: bytes) -> int:
        return bisect_left(range(len(self.starts)), name, key=self._name)

    def _patch(self, changes: Mapping[bytes, Replacement]) -> bool:
        """Overwrite the fixed part of entries in place when nothing is added or dropped; say whether that was possible."""
        spots: list[tuple[int, Replacement]] = []
        for name, change in changes.items():
            at = self._position(name)
            if change.entry is None or at == len(self.starts) or self._name(at) != name:
                return False
            start = self.starts[at]
            if _FLAGS.unpack_from(self.body, start + 60)[0] & (_STAGE | _EXTENDED):
                return False
            spots.append((start, change))
        for start, change in spots:
            assert change.entry is not None
            self.body[start : start + 60] = _head(change.entry, change.stat)
        return True

    def _with_obstacles(self, changes: Mapping[bytes, Replacement]) -> dict[bytes, Replacement]:
        """Also drop what cannot stand beside a new entry: a file where it needs a folder, files below where it is a file."""
        result = dict(changes)
        for name, change in changes.items():
            if change.entry is None:
                continue
            parts = name.split(b"/")
            for end in range(1, len(parts)):
                folder = b"/".join(parts[:end])
                at = self._position(folder)
                if at < len(self.starts) and self._name(at) == folder:
                    result.setdefault(folder, Replacement(None))
            at = self._position(name + b"/")
            while at < len(self.starts) and self._name(at).startswith(name + b"/"):
                result.setdefault(self._name(at), Replacement(None))
                at += 1
        return result

    def _rebuild(self, changes: Mapping[bytes, Replacement]) -> None:
        out = _Writer(self.version)
        at = 0
        for name in sorted(changes):
            stop = self._position(name)
            self._copy(out, at, stop)
            at = stop
            keep = 0
            while at < len(self.starts) and self._name(at) == name:  # every stage of the path goes
                keep |= _FLAGS.unpack_from(self.body, self.starts[at] + 60)[0] & _ASSUME_VALID
                at += 1
            change = changes[name]
            if change.entry is not None:
                out.add(_head(change.entry, change.stat), keep, name)
        self._copy(out, at, len(self.starts))
        self.body, self.starts, self.names = out.finish()

    def _copy(self, out: _Writer, at: int, stop: int) -> None:
        if at >= stop:
            return
        if self.version == 4:
            # Only the first entry's name was compressed against a neighbour that may be gone.
            start = self.starts[at]
            extended = 2 if _FLAGS.unpack_from(self.body, start + 60)[0] & _EXTENDED else 0
            out.add_raw(bytes(self.body[start : start + _FIXED + extended]), self._name(at))
            at += 1
            if at >= stop:
                return
        end = self.starts[stop] if stop < len(self.starts) else len(self.body)
        begin = self.starts[at]
        names = self.names[at:stop] if self.names is not None else None
        out.copy(memoryview(self.body)[begin:end], [s - begin for s in self.starts[at:stop]], names)


class _Writer:
    """Assembles the entries of a new index."""

    def __init__(self, version: int) -> None:
        self._version = version
        self._body = bytearray(b"DIRC" + struct.pack(">2I", version, 0))
        self._starts: array[int] = array("Q")
        self._names: list[bytes] = []
        self._last = b""

    def add(self, head: bytes, flags: int, name: bytes) -> None:
        self.add_raw(head + _FLAGS.pack(min(len(name), 0xFFF) | flags), name)

    def add_raw(self, fixed: bytes, name: bytes) -> None:
        self._starts.append(len(self._body))
        if self._version == 4:
            shared = _shared_prefix(self._last, name)
            self._body += fixed + _offset(len(self._last) - shared) + name[shared:] + b"\0"
            self._names.append(name)
            self._last = name
        else:
            entry = fixed + name
            self._body += entry + bytes(8 - len(entry) % 8)

    def copy(self, run: memoryview, starts: Sequence[int], names: list[bytes] | None) -> None:
        begin = len(self._body)
        self._body += run
        self._starts.extend(begin + start for start in starts)
        if names:
            self._names += names
            self._last = names[-1]

    def finish(self) -> tuple[bytearray, array[int], list[bytes] | None]:
        self._body[8:12] = _WORD.pack(len(self._starts))
        return self._body, self._starts, self._names if self._version == 4 else None


def _parse(data: bytes) -> IndexFile:
    if data[:4] != b"DIRC" or len(data) < 32:
        raise IndexDamaged("no index header")
    version, count = struct.unpack_from(">2I", data, 4)
    if version not in (2, 3, 4):
        raise UnsupportedIndex(f"git index version {version} is unknown", hint="git update-index --index-version 2")
    starts: array[int] = array("Q")
    names: list[bytes] | None = [] if version == 4 else None
    at = _walk_compressed(data, count, starts, names) if names is not None else _walk(data, count, starts)
    body = bytearray(memoryview(data)[:at])
    extensions = []
    while at < len(data) - 20:
        mark, length = data[at : at + 4], _WORD.unpack_from(data, at + 4)[0]
        if mark[:1].islower():
            raise _mandatory(mark)
        if at + 8 + length > len(data) - 20:
            raise IndexDamaged("an extension runs past the end")
        if mark in _KEPT_EXTENSIONS:
            extensions.append((mark, data[at + 8 : at + 8 + length]))
        at += 8 + length
    return IndexFile(version, body, starts, names, extensions, data[-20:] == bytes(20))


def _walk(data: bytes, count: int, starts: array[int]) -> int:
    at, flags_of, add = 12, _FLAGS.unpack_from, starts.append
    for _ in range(count):
        flags = flags_of(data, at + 60)[0]
        size = _FIXED + 2 if flags & _EXTENDED else _FIXED
        length = flags & 0xFFF
        if length == 0xFFF:
            length = data.index(0, at + size) - at - size
        add(at)
        at += (size + length + 8) & ~7
    if at > len(data) - 20:
        raise IndexDamaged("it is truncated")
    return at


def _walk_compressed(data: bytes, count: int, starts: array[int], names: list[bytes]) -> int:
    at, last = 12, b""
    for _ in range(count):
        starts.append(at)
        at += _FIXED + (2 if _FLAGS.unpack_from(data, at + 60)[0] & _EXTENDED else 0)
        byte = data[at]
        strip = byte & 127
        while byte & 128:
            at += 1
            byte = data[at]
            strip = ((strip + 1) << 7) | (byte & 127)
        end = data.index(0, at + 1)
        last = last[: len(last) - strip] + data[at + 1 : end]
        names.append(last)
        at = end + 1
    return at


def _mandatory(mark: bytes) -> UnsupportedIndex:
    if mark == b"link":
        return UnsupportedIndex("the git index is split", hint="run: git update-index --no-split-index")
    if mark == b"sdir":
        return UnsupportedIndex(
            "the git index is sparse", hint="run: git sparse-checkout disable, or git config index.sparse false"
        )
    return UnsupportedIndex(f"the git index has the unknown extension {mark.decode('latin-1')!r}", hint="use an ordinary index")


def _head(entry: Entry, stat: os.stat_result | None) -> bytes:
    """The first 60 bytes of an entry. Zero stat data makes git compare the content."""
    if stat is None:
        return bytes(24) + _WORD.pack(entry.mode) + bytes(12) + bytes.fromhex(entry.id)
    words = (
        stat.st_ctime_ns // 10**9,
        stat.st_ctime_ns % 10**9,
        stat.st_mtime_ns // 10**9,
        stat.st_mtime_ns % 10**9,
        stat.st_dev,
        stat.st_ino,
        entry.mode,
        stat.st_uid,
        stat.st_gid,
        stat.st_size,
    )
    return _STAT.pack(*(word & 0xFFFFFFFF for word in words)) + bytes.fromhex(entry.id)


def _shared_prefix(one: bytes, two: bytes) -> int:
    length = min(len(one), len(two))
    return next((at for at in range(length) if one[at] != two[at]), length)


def _offset(value: int) -> bytes:
    """Git's variable-width offset encoding (gitformat-pack)."""
    out = [value & 127]
    value >>= 7
    while value:
        value -= 1
        out.insert(0, 128 | (value & 127))
        value >>= 7
    return bytes(out)


def _forget_folders(data: bytes, paths: Mapping[str, object]) -> bytes:
    """The cached-tree extension with the nodes on the changed paths made invalid."""
    dirty = {b""}
    for path in paths:
        folder = path.encode("utf-8", "surrogateescape")
        while b"/" in folder:
            folder = folder.rsplit(b"/", 1)[0]
            dirty.add(folder)
    out: list[bytes] = []
    at = kept = 0
    open_nodes: list[tuple[bytes, int]] = []  # (prefix, children still to come)
    while at < len(data):
        node = _NODE.match(data, at)
        if node is None:
            raise IndexDamaged("cached trees")
        while open_nodes and open_nodes[-1][1] == 0:
            open_nodes.pop()
        here = node[1]
        if open_nodes:
            prefix, left = open_nodes[-1]
            open_nodes[-1] = prefix, left - 1
            here = prefix + here
        children = node[3] or node[4]
        if node[2] and here in dirty:
            out += (data[kept : node.start(2)], b"-1 ", children, b"\n")
            kept = node.end()
        if children != b"0":
            open_nodes.append((here + b"/" if here else b"", int(children)))
        at = node.end()
    out.append(data[kept:])
    return b"".join(out)
