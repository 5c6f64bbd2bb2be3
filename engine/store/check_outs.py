"""The ring of what check-outs replaced in the last hour: (time, path, what stood there, what came).

An editor may have opened a file before a pull and save it after: what it started from is then told by this (see stale_saves.py).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from memtree.engine.files import Files
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath

KEPT = 3600.0  # seconds
_LIMIT = 1 << 20  # bytes; above it what is too old is dropped before more is noted
_MOST = 5_000  # files of one check-out; nobody has more of them open in editors


@dataclass(frozen=True, slots=True)
class CheckOut:
    """What a check-out did to one file. One that changed nothing is the mark of a save that was merged already."""

    when: float
    path: RepoPath
    replaced: Entry
    arrived: Entry


class CheckOuts:
    def __init__(self, path: str, files: Files) -> None:
        self._path = path
        self._files = files

    def note(self, check_outs: Iterable[CheckOut]) -> None:
        """Remember replaced files; what is too old goes when there is much of it."""
        noted = list(islice(check_outs, _MOST))
        if not noted:
            return
        if self._size() > _LIMIT:
            kept = [one for one in self._read() if one.when >= noted[0].when - KEPT]
            self._files.replace(self._path, b"".join(map(_line, kept)))
        self._files.append(self._path, b"".join(map(_line, noted)))

    def since(self, when: float) -> dict[RepoPath, list[CheckOut]]:
        """What was replaced under each path since then, newest first; nothing costs a look at the file's name."""
        found: dict[RepoPath, list[CheckOut]] = {}
        for one in self._read():
            if one.when >= when:
                found.setdefault(one.path, []).insert(0, one)
        return found

    def drop(self) -> None:
        """Forget everything."""
        self._files.unlink(self._path)

    def _size(self) -> int:
        try:
            return os.stat(self._path).st_size
        except FileNotFoundError:
            return 0

    def _read(self) -> list[CheckOut]:
        try:
            with open(self._path, "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            try:
                when, path, replaced, arrived = json.loads(line)
                found.append(CheckOut(float(when), RepoPath(path), _entry(replaced), _entry(arrived)))
            except (ValueError, TypeError, IndexError):
                continue  # a line that a kill cut short
        return found


def _line(one: CheckOut) -> bytes:
    return json.dumps([one.when, one.path, one.replaced, one.arrived], ensure_ascii=True).encode() + b"\n"


def _entry(raw: list[object]) -> Entry:
    return Entry(int(str(raw[0])), str(raw[1]))
