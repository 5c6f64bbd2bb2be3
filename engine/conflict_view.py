"""ConflictView: where conflicts stand open at a commit. A view like the indexes: caught up by what changed, rebuilt when in doubt.

Open are the conflict callouts in markdown files, and the second files that a merge kept beside a first one: their name carries the
beginning of the id of the content that they came with, and they stay open until one of the two files is gone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from memtree.engine.history import trail
from memtree.engine.local_state import keep_state, read_state
from memtree.engine.repo import Repo
from memtree.engine.tree_diff import diff_commits
from memtree.tree.conflict_callout import MARK, conflicts_in
from memtree.tree.episode import is_turn_file
from memtree.tree.kinds import is_markdown
from memtree.tree.objects import FOLDER, Change, ChangeKind, CommitId, Entry
from memtree.tree.paths import LONGEST, RepoPath

_FORMAT = 1
_LONGEST_TRAIL = 2000  # commits looked at for the content that a renamed or edited file came with
_SECOND = re.compile(r"(?P<stem>.+)-(?P<mark>[0-9a-f]{8,40})(?P<extension>\.[^.]*)?\Z", re.DOTALL)


@dataclass(slots=True)
class Open:
    """What stands open at `commit`. `others` only look like second files: their name is a coincidence."""

    commit: CommitId | None = None
    callouts: dict[RepoPath, int] = field(default_factory=dict)  # how many a file holds
    seconds: dict[RepoPath, RepoPath] = field(default_factory=dict)  # second file -> the one that kept the name
    others: set[RepoPath] = field(default_factory=set)

    @property
    def count(self) -> int:
        return sum(self.callouts.values()) + len(self.seconds)


class ConflictView:
    """`folder` holds the view's state, `conflicts.json`: local, never synced, and built anew whenever it is missing or damaged."""

    def __init__(self, repo: Repo, folder: str) -> None:
        self._repo = repo
        self._path = os.path.join(folder, "conflicts.json")

    def at(self, tip: CommitId | None) -> Open:
        """What stands open at a commit; only files that changed since the last time are read."""
        found = self._load()
        if tip is None:
            return Open()
        if found.commit is not None and not self._repo.has_commit(found.commit):
            found = Open()
        if found.commit != tip:
            self._catch_up(found, tip)
            self._keep(found)
        return found

    # -- catching up
    def _catch_up(self, found: Open, tip: CommitId) -> None:
        folders: set[str] = set()
        for change in diff_commits(self._repo, found.commit, tip):
            self._count_callouts(found, change)
            if change.kind is not ChangeKind.MODIFIED or change.path in found.seconds or change.path in found.others:
                folders.add(change.path.folder)
                found.seconds.pop(change.path, None)
                found.others.discard(change.path)
        for folder in folders:
            self._look_for_seconds(found, tip, folder)
        found.commit = tip

    def _count_callouts(self, found: Open, change: Change) -> None:
        found.callouts.pop(change.path, None)
        # A turn that quotes a callout holds none: two versions of a turn stand in two files.
        if change.after is not None and change.after.is_file and is_markdown(change.path) and not is_turn_file(change.path):
            data = self._repo.blob(change.after.id)
            number = sum(1 for _ in conflicts_in(data)) if MARK in data else 0
            if number:
                found.callouts[change.path] = number

    def _look_for_seconds(self, found: Open, tip: CommitId, folder: str) -> None:
        """Sort a folder's files anew: which of them stand beside the file that their name is made from."""
        files = self._files(tip, folder)
        # Two turns that got the same number on two machines are two turns, with nothing to decide.
        pairs = {second: first for second, first in _pairs(folder, files) if not is_turn_file(first)}
        for path in [path for path in found.seconds if path.folder == folder and path not in pairs]:
            del found.seconds[path]
        found.others -= {path for path in found.others if path.folder == folder and path not in pairs}
        for second, first in pairs.items():
            if second in found.seconds or second in found.others:
                continue
            if self._came_as(tip, second, files[second.name]):
                found.seconds[second] = first
            else:
                found.others.add(second)

    def _files(self, tip: CommitId, folder: str) -> dict[str, Entry]:
        top = self._repo.entry(tip, folder) if folder else Entry(FOLDER, self._repo.tree(tip))
        if top is None or top.mode != FOLDER:
            return {}
        return {name: entry for name, entry in self._repo.items(top.id).items() if entry.is_file}

    def _came_as(self, tip: CommitId, path: RepoPath, entry: Entry) -> bool:
        """Whether the mark in a file's name is that of its content, or of one that it once had: merges name second files so."""
        mark = mark_of(path)
        if entry.id.startswith(mark):
            return True
        versions = (here.entry for _, here, _ in islice(trail(self._repo, tip, path), _LONGEST_TRAIL))
        return any(entry is not None and entry.id.startswith(mark) for entry in versions)

    # -- the state
    def _load(self) -> Open:
        try:
            return _decoded(read_state(self._path))
        except (ValueError, TypeError, KeyError, AttributeError):
            return Open()

    def _keep(self, found: Open) -> None:
        state = {"callouts": found.callouts, "seconds": found.seconds, "others": sorted(found.others)}
        keep_state(self._path, {"format": _FORMAT, "commit": found.commit, **state})


def mark_of(path: RepoPath) -> str:
    """The part of a second file's name that stands for its content; '' of any other name."""
    match = _SECOND.match(path.name)
    return match["mark"] if match else ""


def _pairs(folder: str, names: Iterable[str]) -> Iterator[tuple[RepoPath, RepoPath]]:
    """Files named as a second version of another file of the folder is, each with that file."""
    known = set(names)
    for name in known:
        match = _SECOND.match(name)
        if match is None:
            continue
        second = _inside(folder, name)
        whole = match["stem"] + (match["extension"] or "")
        # A name at the limit was cut to make room for the mark.
        candidates = [whole] if len(name.encode()) < LONGEST - 3 else sorted(known)
        for candidate in candidates:
            if candidate in known and _inside(folder, candidate).beside(match["mark"]) == second:
                yield second, _inside(folder, candidate)
                break


def _inside(folder: str, name: str) -> RepoPath:
    return RepoPath(f"{folder}/{name}" if folder else name)


def _decoded(raw: dict[str, Any]) -> Open:
    if raw["format"] != _FORMAT:
        return Open()
    return Open(
        CommitId(str(raw["commit"])),
        {RepoPath(path): int(number) for path, number in raw["callouts"].items()},
        {RepoPath(second): RepoPath(first) for second, first in raw["seconds"].items()},
        {RepoPath(path) for path in raw["others"]},
    )
