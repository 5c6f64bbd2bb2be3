"""Kept: small JSON files in one folder below `.git/memtree`, for their owner's eyes only, at most so many: the oldest go.

They are never synced, and what is lost of them costs nothing but what they told.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memtree.engine.local_state import keep_private

_NAME = re.compile(r"[A-Za-z0-9%._-]{1,200}\.json", re.ASCII)
_HALF = re.compile(r"[A-Za-z0-9%._-]{1,200}\.json\.[0-9a-f]{8}", re.ASCII)
_STALE = 3600.0  # seconds after which a file that was being written belongs to nobody
_LARGEST = 4 << 20  # bytes of a file


class Kept:
    """The files of a folder. Reading never raises; writing raises OSError."""

    def __init__(self, folder: str, most: int) -> None:
        self.folder = folder
        self._most = most

    def put(self, name: str, value: Mapping[str, Any]) -> None:
        """Keep a value under a name, whole or not at all."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        keep_private(self._path(name), value)

    def get(self, name: str) -> dict[str, Any] | None:
        """The value under a name; None where there is none, or it cannot be read."""
        try:
            fd = os.open(self._path(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(fd, encoding="utf-8", errors="replace") as file:
                found = json.loads(file.read(_LARGEST))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def drop(self, name: str) -> bool:
        """Remove a value; whether there was one."""
        try:
            os.unlink(self._path(name))
        except OSError:
            return False
        return True

    def names(self) -> list[str]:
        """The names of all values, sorted."""
        try:
            return sorted(name.removesuffix(".json") for name in os.listdir(self.folder) if _NAME.fullmatch(name))
        except OSError:
            return []

    def all(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every value that can be read, under its name."""
        for name in self.names():
            value = self.get(name)
            if value is not None:
                yield name, value

    def sweep(self, now: float) -> None:
        """Remove the oldest of too many, and what killed processes left half-written; `now` is in epoch seconds."""
        self.drop_halves(now - _STALE)
        names = self.names()
        if len(names) <= self._most:
            return
        times: list[tuple[float, str]] = []
        for name in names:
            with contextlib.suppress(OSError):
                times.append((os.lstat(self._path(name)).st_mtime, name))
        for _, name in sorted(times)[: max(0, len(times) - self._most)]:
            self.drop(name)

    def drop_halves(self, before: float = math.inf) -> None:
        """Remove what is half-written, as of that time."""
        with contextlib.suppress(OSError), os.scandir(self.folder) as found:
            for entry in found:
                if _HALF.fullmatch(entry.name) and entry.stat(follow_symlinks=False).st_mtime < before:
                    os.unlink(entry.path)

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.json")
