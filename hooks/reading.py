"""Reading the object that a program hands to its hook: with a deadline, because some keep the other end open."""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any

PATIENCE = 2.0  # seconds
LIMIT = 16 * 1024 * 1024  # bytes
_CHUNK = 1 << 16


class NoObject(ValueError):
    """What came is no JSON object, not a whole one, or too large."""


def read_object(fd: int, patience: float = PATIENCE) -> dict[str, Any]:
    """The object that comes, as soon as it is whole; raise NoObject when the end, the deadline or the limit is reached before."""
    deadline = time.monotonic() + patience
    data = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise NoObject(f"no JSON object came within {patience:g} s")
        if not _ready(fd, 0):
            if data.rstrip().endswith(b"}") and (found := parsed(bytes(data))) is not None:
                return found
            if not _ready(fd, left):
                continue
        chunk = os.read(fd, _CHUNK)
        if not chunk:
            found = parsed(bytes(data))
            if found is None:
                raise NoObject("what came is no JSON object")
            return found
        data += chunk
        if len(data) > LIMIT:
            raise NoObject(f"more than {LIMIT:,} bytes came")


def parsed(data: bytes) -> dict[str, Any] | None:
    """The object that a text begins with, None when there is none."""
    try:
        found, _ = json.JSONDecoder().raw_decode(data.decode("utf-8-sig", "replace").lstrip())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _ready(fd: int, seconds: float) -> bool:
    return bool(select.select([fd], [], [], seconds)[0])
