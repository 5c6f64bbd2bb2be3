"""Snapshot: what the daemon's work shows of a workspace, read anew after each turn, so that looking at it costs nothing."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from memtree.engine.conflicts import OpenConflicts
from memtree.engine.history import commit_changes, writer_of
from memtree.engine.repo import Repo
from memtree.engine.status import IndexStatus, index_status, vector_status
from memtree.engine.workspace import Workspace
from memtree.hooks.daemon.state import CommitLine, HeldLine, IndexLine
from memtree.tree.errors import Error
from memtree.tree.objects import CommitId

SHOWN = 8  # commits


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A part of ServiceState: see there."""

    head: str | None = None
    commits: tuple[CommitLine, ...] = ()
    index: IndexLine = field(default_factory=lambda: IndexLine(None, None))
    vectors: IndexLine | None = None
    conflicts: int = 0
    held: tuple[HeldLine, ...] = ()


def snapshot(workspace: Workspace, known: Snapshot) -> Snapshot:
    """How the workspace stands; what cannot have changed since `known` is taken from there."""
    repo = workspace.repo
    head = repo.tip("HEAD")
    fresh = head != known.head
    try:
        conflicts = OpenConflicts(repo, workspace.places.folder).count() if fresh else known.conflicts
    except (Error, OSError):
        conflicts = known.conflicts
    vectors = vector_status(workspace)
    return Snapshot(
        head=head,
        commits=newest(repo, head, SHOWN, known.commits) if fresh else known.commits,
        index=_line(repo, index_status(workspace), head),
        vectors=_line(repo, vectors, head) if vectors is not None else None,
        conflicts=conflicts,
        held=tuple(HeldLine(path, one.reason) for path, one in sorted(workspace.holds.all().items())),
    )


def newest(repo: Repo, head: CommitId | None, count: int, known: tuple[CommitLine, ...] = ()) -> tuple[CommitLine, ...]:
    """The newest commits by their time, children before parents; of a long history no more is read than is shown."""
    lines = {line.id: line for line in known}
    found: list[CommitLine] = []
    queue: list[tuple[int, int, CommitId]] = []
    seen: set[CommitId] = set()

    def push(commit: CommitId) -> None:
        if commit not in seen and repo.has_commit(commit):  # of a shallow clone's last commits the parents are not here
            seen.add(commit)
            heapq.heappush(queue, (-repo.commit(commit).time, len(seen), commit))

    if head is not None:
        push(head)
    while queue and len(found) < count:
        commit = heapq.heappop(queue)[2]
        found.append(lines.get(commit) or _commit(repo, commit))
        for parent in repo.commit(commit).parents:
            push(parent)
    return tuple(found)


def _commit(repo: Repo, commit: CommitId) -> CommitLine:
    info = repo.commit(commit)
    device = info.trailers.get("device", "")
    return CommitLine(commit, info.time, writer_of(info), device, info.subject, len(commit_changes(repo, commit)))


def _line(repo: Repo, status: IndexStatus, head: CommitId | None) -> IndexLine:
    if status.commit is None or head is None:
        return IndexLine(status.commit, None if head is not None else 0, status.problem)
    try:
        behind = 0 if status.current else repo.ahead_behind(status.commit, head)[1]
    except Error:
        behind = None  # the commit was purged
    return IndexLine(status.commit, behind, status.problem)
