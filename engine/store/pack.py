"""A pack of many objects, for hundreds of files at once: one file and one sync instead of a loose object each.

Format: gitformat-pack(5), undeltified, with its index (version 2): all that the index holds is known while the pack is written, and
having git find it out again takes a third of the time. The index is put in place last: a pack without one does not exist to git.
"""

from __future__ import annotations

import hashlib
import os
import struct
import tempfile
import zlib
from collections import deque
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, BinaryIO

from memtree.engine.files import Files

if TYPE_CHECKING:
    from concurrent.futures import Future

_NUMBERS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
_BATCH = 1 << 18  # bytes handed to the compressor at once
_WAITING = 4  # batches; more would only be held in memory
_PIECE = 1 << 20
_FAR = 1 << 31  # offsets from here on stand in a table of their own
_HEADER = b"PACK" + struct.pack(">2I", 2, 0)
_INDEX = b"\xfftOc" + struct.pack(">I", 2)

_Raw = tuple[str, bytes]  # kind and content
_Packed = tuple[bytes, list[int], list[int]]  # objects as the pack holds them, their sizes and checksums


class PackWriter:
    """Collects objects in a temporary file in `folder`. They are compressed on a thread, beside the work that makes them."""

    def __init__(self, folder: str) -> None:
        from concurrent.futures import ThreadPoolExecutor  # few commits are packs, and it loads what logs and prints

        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`
        self._file.write(_HEADER)
        self._end = len(_HEADER)
        self._ids: dict[bytes, None] = {}  # in the order of the pack
        self._offsets: list[int] = []
        self._sums: list[int] = []
        self._batch: list[_Raw] = []
        self._size = 0
        self._pool = ThreadPoolExecutor(1)
        self._waiting: deque[Future[_Packed]] = deque()

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, data: bytes, kind: str = "blob") -> str:
        """Add an object once; return its id."""
        digest = hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)), usedforsecurity=False)
        digest.update(data)
        object_id = digest.digest()
        if object_id not in self._ids:
            self._ids[object_id] = None
            self._batch.append((kind, data))
            self._size += len(data)
            if self._size >= _BATCH:
                self._hand_over()
                self._write(_WAITING)
        return object_id.hex()

    def _hand_over(self) -> None:
        self._waiting.append(self._pool.submit(_packed, self._batch))
        self._batch, self._size = [], 0

    def _write(self, left: int) -> None:
        while len(self._waiting) > left:
            data, sizes, sums = self._waiting.popleft().result()
            self._file.write(data)
            self._sums += sums
            for size in sizes:
                self._offsets.append(self._end)
                self._end += size

    def finish(self, objects: str, files: Files) -> None:
        """Put the pack into the folder of a repository's objects, on the disk in durability full."""
        self._hand_over()
        self._write(0)
        self._file.seek(8)
        self._file.write(struct.pack(">I", len(self._ids)))
        digest = self._digest()
        self._file.write(digest)
        self._file.seek(0)
        folder = os.path.join(objects, "pack")
        files.make_folders(folder)
        name = os.path.join(folder, f"pack-{hashlib.sha1(b''.join(sorted(self._ids)), usedforsecurity=False).hexdigest()}")
        self._put(files, f"{name}.pack", iter(lambda: self._file.read(_PIECE), b""))
        self._put(files, f"{name}.idx", (self._index(digest),))
        files.sync_folder(folder)

    def _put(self, files: Files, path: str, parts: Iterable[bytes]) -> None:
        if os.path.exists(path):
            return  # the same objects were packed by a run that was killed before it named them
        new = os.path.join(os.path.dirname(path), f"tmp_memtree_{os.path.basename(path)}")
        files.unlink(new)
        files.write_parts(new, parts, mode=0o444)
        files.rename(new, path)

    def _digest(self) -> bytes:
        self._file.seek(0)
        digest = hashlib.sha1(usedforsecurity=False)
        while piece := self._file.read(_PIECE):
            digest.update(piece)
        return digest.digest()

    def _index(self, pack: bytes) -> bytes:
        rows = sorted(zip(self._ids, self._sums, self._offsets, strict=True))
        counts = [0] * 256
        for object_id, _, _ in rows:
            counts[object_id[0]] += 1
        far = [offset for _, _, offset in rows if offset >= _FAR]
        places = iter(range(len(far)))
        near = [offset if offset < _FAR else _FAR | next(places) for _, _, offset in rows]
        body = b"".join(
            (
                _INDEX,
                struct.pack(">256I", *accumulate(counts)),
                *(object_id for object_id, _, _ in rows),
                struct.pack(f">{len(rows)}I", *(checksum for _, checksum, _ in rows)),
                struct.pack(f">{len(rows)}I", *near),
                struct.pack(f">{len(far)}Q", *far),
                pack,
            )
        )
        return body + hashlib.sha1(body, usedforsecurity=False).digest()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._file.close()


def _packed(objects: list[_Raw]) -> _Packed:
    whole = [_type_and_size(_NUMBERS[kind], len(data)) + zlib.compress(data, 1) for kind, data in objects]
    return b"".join(whole), [len(data) for data in whole], [zlib.crc32(data) for data in whole]


def _type_and_size(kind: int, size: int) -> bytes:
    byte = (kind << 4) | (size & 15)
    size >>= 4
    out = bytearray()
    while size:
        out.append(byte | 128)
        byte = size & 127
        size >>= 7
    out.append(byte)
    return bytes(out)
