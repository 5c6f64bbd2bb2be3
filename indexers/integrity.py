"""Integrity: telling damage from other failures, and finding damage that no search has met yet."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import struct
import zlib
from collections.abc import Iterator

from memtree.indexers.base import IndexBusy, IndexCorrupt, IndexUnwritable
from memtree.tree.errors import Error

_FOOTER_MARK = 1337
_SEGMENT_FILES = frozenset({".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term"})
_REFUSALS = ("No space left", "Permission denied", "Read-only file system", "quota exceeded")


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn what the index library raises, and what reading its folder raises, into our errors."""
    try:
        yield
    except (ValueError, OSError, RuntimeError, KeyError, TypeError) as error:
        raise _as_ours(error) from error
    except BaseException as error:
        # Damaged segments make the Rust side panic, which arrives as an exception outside the Exception family.
        if type(error).__name__ != "PanicException":
            raise
        raise _as_ours(error) from error


def _as_ours(error: BaseException) -> Error:
    text = " ".join(str(error).split())[:300]
    if "LockBusy" in text:
        return IndexBusy("the index is being written by another process")
    if any(sign in text for sign in _REFUSALS):
        return IndexUnwritable(f"the index cannot be used: {text}")
    return IndexCorrupt(f"the index is damaged: {text}")


def damaged_files(folder: str) -> list[str]:
    """Return the names of segment files whose content is not what was written. Reads everything once, about 1 GB/s."""
    names = sorted(name for name in os.listdir(folder) if os.path.splitext(name)[1] in _SEGMENT_FILES)
    return [name for name in names if not _is_whole(os.path.join(folder, name))]


def holds_deleted(folder: str) -> bool:
    """Whether segments hold documents that were deleted, or files are left of segments that were merged away."""
    try:
        with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
            segments = json.load(file)["segments"]
    except (OSError, ValueError, KeyError, TypeError):
        return True
    live = {segment["segment_id"].replace("-", "") for segment in segments}
    names = [name for name in os.listdir(folder) if os.path.splitext(name)[1] in _SEGMENT_FILES]
    return any(segment["deletes"] for segment in segments) or any(name.split(".")[0] not in live for name in names)


def _is_whole(path: str) -> bool:
    # A segment file ends in a JSON footer with the CRC of what stands before it, the footer's length and a mark.
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            length, mark = struct.unpack("<II", data[-8:])
            end = len(data) - 8 - length
            footer = json.loads(data[end:-8]) if mark == _FOOTER_MARK and end >= 0 else {}
            with memoryview(data) as view, view[:end] as content:
                return footer.get("crc") == zlib.crc32(content)
    except FileNotFoundError:
        return True  # merged away while we were looking
    except (OSError, ValueError, struct.error):
        return False
