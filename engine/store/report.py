"""What a transaction answers, and why one is not even begun."""

from __future__ import annotations

from dataclasses import dataclass

from memtree.engine.merge.outcome import Conflict
from memtree.tree.errors import StateError, TransientError
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath


class WrongBranch(StateError):
    def __init__(self, ref: str, head: str) -> None:
        where = f"on {head.removeprefix('refs/heads/')}" if head else "at a detached HEAD"
        super().__init__(
            f"the work tree is {where}, not on {ref.removeprefix('refs/heads/')}",
            hint=f"run: git switch {ref.removeprefix('refs/heads/')} (reading and searching work as they are)",
        )


class GitBusy(StateError):
    def __init__(self, what: str) -> None:
        super().__init__(
            f"a {what} of yours is in progress", hint=f"finish it or run: git {what.split(' ', maxsplit=1)[0]} --abort"
        )


class TooManyRaces(TransientError):
    def __init__(self) -> None:
        super().__init__("files kept changing while they were written", hint="try again when the other program is done")


@dataclass(frozen=True, slots=True)
class CommitReport:
    """What a transaction did: the tips before and after (equal when nothing changed) and what is worth telling."""

    before: CommitId | None
    after: CommitId | None
    conflicts: tuple[Conflict, ...] = ()
    paths: tuple[RepoPath, ...] = ()
    outside_edits: tuple[RepoPath, ...] = ()

    def then(self, later: CommitReport) -> CommitReport:
        """One report of two transactions, the second on top of the first."""
        return CommitReport(
            self.before,
            later.after,
            (*self.conflicts, *later.conflicts),
            tuple(dict.fromkeys((*self.paths, *later.paths))),
            tuple(sorted({*self.outside_edits, *later.outside_edits})),
        )

    @property
    def changed(self) -> bool:
        return self.before != self.after
