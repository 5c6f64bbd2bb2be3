"""Known: the ids and hashes of what this machine has ever written as facts, to tell what was never known from what was deleted.

One line each under `.git/memtree/facts/`, no words. What is lost of it costs no more than that a deleted fact may be learned again.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable

from memtree.engine.facts.view import STATE

_LINE = re.compile(r"[0-9a-f]{32}", re.ASCII)


class Known:
    """What a workspace's state folder remembers."""

    def __init__(self, folder: str) -> None:
        self._place = os.path.join(folder, STATE, "known")

    def read(self) -> frozenset[str]:
        """All of it."""
        try:
            with open(self._place, encoding="ascii", errors="replace") as file:
                return frozenset(line for line in file.read().split("\n") if _LINE.fullmatch(line))
        except OSError:
            return frozenset()

    def add(self, found: Iterable[str]) -> None:
        """Remember more. A disk that takes nothing remembers nothing: no work fails for this."""
        new = sorted(frozenset(found) - self.read())
        if not new:
            return
        data = "".join(f"{one}\n" for one in new).encode("ascii")
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self._place), exist_ok=True)
            fd = os.open(self._place, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                os.write(fd, data)
            finally:
                os.close(fd)

    def drop(self, gone: Iterable[str]) -> None:
        """Know some no longer, so that they may be told again."""
        left = sorted(self.read() - frozenset(gone))
        temp = f"{self._place}.{os.urandom(4).hex()}"
        with contextlib.suppress(OSError):
            with open(temp, "x", encoding="ascii") as file:
                file.write("".join(f"{one}\n" for one in left))
            os.replace(temp, self._place)
