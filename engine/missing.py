"""Missing: files that are gone, and since when. An automatic capture believes a deletion only once it has settled.

An editor that saves by delete-and-create looks like a deletion for a moment; and of very many deletions that go on for a while,
each part must not look like a few.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass

from memtree.engine.files import Files
from memtree.tree.paths import RepoPath

SETTLE = 2.0  # seconds since the last file went
LONGEST = 30.0  # seconds since the first one went: something that deletes all the time keeps nothing waiting for ever


@dataclass(frozen=True, slots=True)
class Missing:
    """What captures remember of it, in a file: they are made by several processes."""

    files: Files
    path: str
    clock: Callable[[], float]

    def unsettled(self, gone: Collection[RepoPath], aside: Collection[RepoPath] = ()) -> set[RepoPath]:
        """Which of these must wait; all of them, until nothing more goes. `aside` is missing too, but not asked about.

        From now on these, and no others, are what is known to be missing.
        """
        now, known = self.clock(), self.read()
        since = {path: min(known.get(path, now), now) for path in gone}
        waits = bool(since) and now < _settled(since.values())
        left = {path: min(known.get(path, now), now) for path in aside} | (since if waits else {})
        if left != known:
            self.files.replace(self.path, json.dumps(left).encode())
        return set(since) if waits else set()

    def until(self) -> float | None:
        """When what is missing has settled, if nothing more goes; None when nothing is."""
        since = self.read()
        return _settled(since.values()) if since else None

    def read(self) -> dict[RepoPath, float]:
        """The paths that the last capture left, with when each was first seen missing."""
        try:
            with open(self.path, encoding="utf-8") as file:
                return {RepoPath(path): float(when) for path, when in json.load(file).items()}
        except (FileNotFoundError, ValueError, AttributeError, TypeError):
            return {}

    def forget(self) -> None:
        if os.path.exists(self.path):
            self.files.unlink(self.path)


def _settled(since: Collection[float]) -> float:
    return min(max(since) + SETTLE, min(since) + LONGEST)
