"""Displaced contents: the inodes that an exchange or a delete took away, kept for a while.

An editor may still hold such an inode open and write through its old descriptor: the bytes then land in a file that has no name any
more. Kept with its path and what it held, a late write can be noticed and brought back as an edit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memtree.engine.files import Files
from memtree.engine.store.places import Places
from memtree.engine.store.plan import PlannedPath
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath

KEPT = 3600.0  # seconds


@dataclass(frozen=True, slots=True)
class LateWrite:
    """A displaced file that changed after it was taken away: what it held then stands in `before`."""

    name: str
    path: RepoPath
    before: Entry
    full: str


@dataclass(frozen=True, slots=True)
class _Record:
    name: str
    path: RepoPath
    entry: Entry
    mtime_ns: int
    size: int


class Displaced:
    def __init__(self, folder: str, files: Files, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._records = os.path.join(folder, "records")
        self._files = files
        self._clock = clock

    def keep(self, temp: str, path: RepoPath | None = None, entry: Entry | None = None) -> None:
        """Move a temporary file here. With its path and content known, late writes to it will be noticed."""
        found = os.lstat(temp)
        name = f"{int(self._clock())}-{os.path.basename(temp)}"
        if path is not None and entry is not None and entry.is_file:
            record = [name, path, entry, found.st_mtime_ns, found.st_size]
            self._files.observe("append", self._records)
            with open(self._records, "ab") as file:
                file.write(json.dumps(record, ensure_ascii=True).encode() + b"\n")
        self._files.rename(temp, os.path.join(self._folder, name))

    def late_writes(self) -> list[LateWrite]:
        """Displaced files that were written to since. Costs a look at each; nothing when there are none."""
        late = []
        for record in self._read():
            full = os.path.join(self._folder, record.name)
            try:
                found = os.lstat(full)
            except FileNotFoundError:
                continue
            if (found.st_mtime_ns, found.st_size) != (record.mtime_ns, record.size):
                late.append(LateWrite(record.name, record.path, record.entry, full))
        return late

    def forget(self, late: LateWrite) -> None:
        """The late write has been brought back."""
        self._files.unlink(late.full)

    def drop(self, *, older_than: float = KEPT) -> int:
        """Remove what has been kept long enough; say how many."""
        dropped = 0
        for entry in list(os.scandir(self._folder)):
            since, _, _ = entry.name.partition("-")
            if entry.name != "records" and (not since.isdigit() or int(since) < self._clock() - older_than):
                self._files.unlink(entry.path)
                dropped += 1
        kept = [record for record in self._read() if os.path.lexists(os.path.join(self._folder, record.name))]
        if not kept and os.path.exists(self._records):
            self._files.unlink(self._records)
        return dropped

    def count(self) -> int:
        return sum(1 for entry in os.scandir(self._folder) if entry.name != "records")

    def _read(self) -> Iterator[_Record]:
        try:
            with open(self._records, "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            try:
                name, path, entry, mtime_ns, size = json.loads(line)
                yield _Record(name, RepoPath(path), Entry(int(entry[0]), str(entry[1])), int(mtime_ns), int(size))
            except (ValueError, TypeError, IndexError):
                continue  # a line that a kill cut short


class Temps:
    """The staged contents of plans, and what exchanges put in their place."""

    def __init__(self, places: Places, files: Files, displaced: Displaced) -> None:
        self._places = places
        self._files = files
        self._displaced = displaced

    def all(self) -> list[str]:
        try:
            return [entry.path for entry in os.scandir(self._places.temps) if not entry.is_dir()]
        except FileNotFoundError:
            return []

    def put_aside(self, planned: PlannedPath) -> None:
        """Keep what stands under a planned path's temporary name for a while."""
        temp = os.path.join(self._places.temps, planned.temp)
        if os.path.lexists(temp):
            self._displaced.keep(temp, planned.path, planned.disk)

    def clean(self) -> None:
        """Clear everything that no plan needs any more."""
        for path in self.all():
            if path.endswith(".part"):
                self._files.unlink(path)
            else:
                self._displaced.keep(path)
        for path in (self._places.ref_new, self._places.journal + ".new"):
            if os.path.lexists(path):
                self._files.unlink(path)
