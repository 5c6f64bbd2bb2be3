"""The ring of what the last commits wrote: (time, path, before, after).

`git commit` reads HEAD and index before it locks the index. When our commit falls into that gap, git's ref update fails, but its
old index has been written already, and the user's next try would revert us. An index entry that stands at our before-image while
HEAD and disk hold our after-image is such a leftover, and is put right.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass

from memtree.engine.files import Files
from memtree.engine.store.check_outs import CheckOut, CheckOuts
from memtree.engine.store.plan import Plan, PlanKind
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath

_LIMIT = 1 << 16
_PATHS_PER_COMMIT = 500  # a bulk import is not raced by a person's commit on each of its files


@dataclass(frozen=True, slots=True)
class Written:
    """What a commit of ours did to one path."""

    when: float
    path: RepoPath
    before: Entry | None
    after: Entry | None


class Recent:
    def __init__(self, path: str, files: Files) -> None:
        self._path = path
        self._files = files
        self.check_outs = CheckOuts(path + "-check-outs", files)

    def exists(self) -> bool:
        return os.path.exists(self._path)

    def note(self, plan: Plan, when: float, before: Callable[[str], Entry | None]) -> None:
        """Remember what a finished plan wrote; `before` is what its old commit held."""
        lines = [
            json.dumps([when, p.path, before(p.path), p.result], ensure_ascii=True).encode() + b"\n"
            for p in plan.paths[:_PATHS_PER_COMMIT]
        ]
        if plan.kind is PlanKind.CHECK_OUT:
            self.check_outs.note(
                CheckOut(when, p.path, p.disk, p.result)
                for p in plan.paths
                if p.disk is not None and p.result is not None and p.disk != p.result and not p.left
            )
        if not lines:
            return
        if self._size() > _LIMIT:
            self._files.unlink(self._path)
        # Not worth a sync: it only helps against a race with a program that runs right now.
        self._files.observe("append", self._path)
        fd = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            os.write(fd, b"".join(lines))
        finally:
            os.close(fd)

    def since(self, when: float) -> dict[RepoPath, Written]:
        """The last thing written per path, not older than `when`."""
        found: dict[RepoPath, Written] = {}
        try:
            with open(self._path, "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            return found
        for line in lines:
            try:
                if float(line[1 : line.index(b",")]) < when:
                    continue
                at, path, before, after = json.loads(line)
                written = Written(at, RepoPath(path), _entry(before), _entry(after))
            except (ValueError, TypeError, IndexError):
                continue  # a line that a kill cut short
            found[written.path] = written
        return found

    def _size(self) -> int:
        try:
            return os.stat(self._path).st_size
        except FileNotFoundError:
            return 0


def _entry(raw: list[object] | None) -> Entry | None:
    return Entry(int(str(raw[0])), str(raw[1])) if raw is not None else None
