"""A pack of many new blobs, for a capture of hundreds of files: one file and one sync instead of a loose object each.

Format: gitformat-pack(5), undeltified. `git index-pack` checks it and puts it in place; 10,000 blobs take 1.3 s that way against
6-9 s as loose objects (measured).
"""

from __future__ import annotations

import hashlib
import struct
import tempfile
import zlib
from typing import BinaryIO

_BLOB = 3
_HEADER = b"PACK" + struct.pack(">2I", 2, 0)


class PackWriter:
    """Collects blobs in a temporary file in `folder`."""

    def __init__(self, folder: str) -> None:
        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`
        self._file.write(_HEADER)
        self._known: set[str] = set()

    def __len__(self) -> int:
        return len(self._known)

    def add(self, data: bytes) -> str:
        """Add a blob once; return its id."""
        object_id = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        if object_id not in self._known:
            self._known.add(object_id)
            self._file.write(_type_and_size(_BLOB, len(data)) + zlib.compress(data, 1))
        return object_id

    def finish(self) -> BinaryIO:
        """The whole pack, ready to be read from its start."""
        self._file.seek(8)
        self._file.write(struct.pack(">I", len(self._known)))
        self._file.seek(0)
        digest = hashlib.sha1(usedforsecurity=False)
        while piece := self._file.read(1 << 20):
            digest.update(piece)
        self._file.write(digest.digest())
        self._file.flush()
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        self._file.close()


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
