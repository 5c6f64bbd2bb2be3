"""Displaced contents: the inodes that an exchange or a delete took away, kept for a while.

An editor may still hold such an inode open and write through its old descriptor: the bytes then land in a file that has no name any
more. Kept with its path and what it held, a late write can be noticed and brought back as an edit.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memtree.engine.files import Files
from memtree.engine.git import GitFailed
from memtree.engine.merge.outcome import second_name
from memtree.engine.repo import Repo
from memtree.engine.store.places import Places
from memtree.engine.store.plan import PlannedPath
from memtree.engine.store.planner import Edit
from memtree.engine.store.report import CommitReport
from memtree.engine.store.withholding import Holds
from memtree.engine.store.working_copy import Disk, FilterMissing, WorkingCopy, read_file
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

    def keep(self, temp: str, path: RepoPath | None = None, entry: Entry | None = None, stat: os.stat_result | None = None) -> None:
        """Move a temporary file here. With its path and what was displaced, late writes to it will be noticed.

        `stat` is how the file stood when it was seen to hold that; without it the content is looked at once more.
        """
        name = f"{int(self._clock())}-{os.path.basename(temp)}"
        if path is not None and entry is not None and entry.is_file:
            self._record(name, path, entry, stat)
        self._files.rename(temp, os.path.join(self._folder, name))

    def _record(self, name: str, path: RepoPath, entry: Entry, stat: os.stat_result | None) -> None:
        record = [name, path, entry, stat.st_mtime_ns if stat else -1, stat.st_size if stat else -1]
        self._files.observe("append", self._records)
        with open(self._records, "ab") as file:
            file.write(json.dumps(record, ensure_ascii=True).encode() + b"\n")

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

    def seen(self, late: LateWrite, path: RepoPath, found: Disk) -> None:
        """A late write now stands under `path`. The file stays here: its editor may still hold it open and write on."""
        if found.entry is not None:
            self._record(late.name, path, Entry(late.before.mode, found.entry.id), found.stat)

    def give(self, late: LateWrite, full: str) -> None:
        """Put a copy of a late write under a name that tells its content: what stands there already is from an earlier try."""
        temp = f"{late.full}.copy"
        self._files.make_folders(os.path.dirname(full))
        self._files.unlink(temp)
        self._files.write_new(temp, read_file(late.full))
        with contextlib.suppress(FileExistsError):
            self._files.rename_new(temp, full)
        self._files.unlink(temp)

    def overdue(self) -> bool:
        """Whether something has been kept for twice as long as it should; costs a look at one line."""
        try:
            with open(self._records, "rb") as file:
                since = file.readline(40).lstrip(b'["').partition(b"-")[0]
        except FileNotFoundError:
            return False
        return not since.isdigit() or int(since) < self._clock() - 2 * KEPT

    def drop(self, *, older_than: float = KEPT) -> int:
        """Remove what has been kept long enough, unless it was written to since; say how many. The write lock must be held."""
        dropped = 0
        late = {one.name for one in self.late_writes()}
        for entry in list(os.scandir(self._folder)):
            since, _, _ = entry.name.partition("-")
            old = not since.isdigit() or int(since) < self._clock() - older_than
            if old and entry.name not in ("records", "records.new", *late):
                self._files.unlink(entry.path)
                dropped += 1
        if os.path.exists(self._records):
            kept = [record for record in self._read() if os.path.lexists(os.path.join(self._folder, record.name))]
            lines = [[record.name, record.path, record.entry, record.mtime_ns, record.size] for record in kept]
            if kept:
                self._files.replace(self._records, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
            else:
                self._files.unlink(self._records)
        return dropped

    def forget(self, holds: Callable[[RepoPath | None, bytes], bool]) -> None:
        """Remove what holds a text that must not be kept; of what never was under a path it is asked without one."""
        paths = {record.name: record.path for record in self._read()}
        for entry in list(os.scandir(self._folder)):
            if entry.name in ("records", "records.new") or not entry.is_file(follow_symlinks=False):
                continue
            with open(entry.path, "rb") as file:
                held = holds(paths.get(entry.name), file.read())
            if held:
                self._files.unlink(entry.path)

    def count(self) -> int:
        return sum(1 for entry in os.scandir(self._folder) if entry.name != "records")

    def _read(self) -> list[_Record]:
        """What is recorded, the last word on each file."""
        found: dict[str, _Record] = {}
        try:
            with open(self._records, "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return []
        for line in lines:
            try:
                name, path, entry, mtime_ns, size = json.loads(line)
                found[name] = _Record(name, RepoPath(path), Entry(int(entry[0]), str(entry[1])), int(mtime_ns), int(size))
            except (ValueError, TypeError, IndexError):
                continue  # a line that a kill cut short
        return list(found.values())


class LateWrites:
    """Brings what editors wrote through descriptors of displaced files back as edits."""

    def __init__(self, repo: Repo, displaced: Displaced, working_copy: WorkingCopy, holds: Holds) -> None:
        self._repo = repo
        self._displaced = displaced
        self._working_copy = working_copy
        self._holds = holds

    def bring_back(self, apply: Callable[[Callable[[], Mapping[RepoPath, Edit]], str], CommitReport], said: list[str]) -> None:
        """Merge each late write by `apply`, which asks for the edit under the write lock; say so."""
        for late in self._displaced.late_writes():
            found, beside = Disk(None), RepoPath("")

            def edits(late: LateWrite = late) -> Mapping[RepoPath, Edit]:
                nonlocal found, beside
                found = self._working_copy.held(late.path, late.full, store=True)
                if found.entry is None or found.entry.id == late.before.id:
                    return {}
                if self._holds.reason(late.path, found.entry):
                    # A file of its own, where the next capture holds it.
                    beside = second_name(late.path, found.entry)
                    beside = beside if self._working_copy.obstacle(beside) is None else RepoPath(beside.name)
                    self._displaced.give(late, self._working_copy.full(beside))
                    return {}
                return {late.path: (late.before, Entry(late.before.mode, found.entry.id))}

            try:
                report = apply(edits, f"bring back a late edit of {late.path}\n\nMemtree-Writer: editor\n")
            except (FilterMissing, GitFailed) as error:
                said.append(f"an edit that an editor wrote late to {late.path} waits: {error}")
                continue
            if beside:
                said.append(f"an edit that an editor wrote late to {late.path} holds a secret: it stands in {beside}")
            elif found.entry is not None and found.entry.id != late.before.id:
                said.append(f"brought back an edit that an editor wrote late: {late.path}")
            self._displaced.seen(late, beside or self._path(late, found, report), found)

    def _path(self, late: LateWrite, found: Disk, report: CommitReport) -> RepoPath:
        """Where the merge put the late content: what is written on belongs to that file."""
        names = (late.path, *(conflict.second for conflict in report.conflicts if conflict.second is not None))
        entries = ((name, self._repo.entry(report.after, name)) for name in names)
        return next((name for name, entry in entries if entry and found.entry and entry.id == found.entry.id), late.path)


class Temps:
    """The staged contents of plans, and what exchanges put in their place."""

    def __init__(self, places: Places, files: Files, displaced: Displaced, working_copy: WorkingCopy) -> None:
        self._places = places
        self._files = files
        self._displaced = displaced
        self._working_copy = working_copy

    def all(self) -> list[str]:
        try:
            return [entry.path for entry in os.scandir(self._places.temps) if not entry.is_dir()]
        except FileNotFoundError:
            return []

    def put_aside(self, planned: PlannedPath, held: Entry | None) -> None:
        """Keep what stands under a planned path's temporary name for a while. `held` is what was displaced, as it was hashed then.

        An editor may have written to it since, so it is hashed once more: a time of now would hide that for ever.
        """
        temp = os.path.join(self._places.temps, planned.temp)
        if not os.path.lexists(temp):
            return
        found = self._working_copy.held(planned.path, temp)
        if found.entry == held:
            self._displaced.keep(temp, planned.path, held, found.stat)
        elif self._working_copy.is_staged(planned):
            self._displaced.keep(temp)  # never came to its place
        else:
            self._displaced.keep(temp, planned.path, held)

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
