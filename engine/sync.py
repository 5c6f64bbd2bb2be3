"""Sync: fetch, merge in memory, check out, push; again with a growing, jittered pause when somebody else pushed first.

Never a rebase, reset, force, conflict marker or half-done merge: a merge is made in memory and reaches branch and files through the
store's transaction, or not at all.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from memtree.engine.incoming import printable, refused
from memtree.engine.mass_deletion import FEW, MassDeletion, looks_like_an_accident
from memtree.engine.merge.outcome import Conflict
from memtree.engine.repo import Repo
from memtree.engine.scope import Scope
from memtree.engine.store.planner import Edit
from memtree.engine.store.store import Store
from memtree.engine.transport import GitTransport, PushRaced, tracking
from memtree.engine.tree_diff import diff_commits
from memtree.tree.errors import StateError
from memtree.tree.objects import Change, ChangeKind, CommitId
from memtree.tree.paths import RepoPath, twins

_ATTEMPTS = 8


class UnrelatedHistory(StateError):
    def __init__(self, remote: str) -> None:
        super().__init__(
            f"remote {remote} holds another history than this workspace; nothing was changed",
            hint="to join both (nothing is dropped, same names keep both versions): memtree sync --accept-unrelated",
        )
        self.remote = remote


class RefusedPaths(StateError):
    """The remote's tree holds paths that this machine must not or cannot check out."""

    def __init__(self, remote: str, problems: tuple[tuple[str, str], ...]) -> None:
        path, reason = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(
            f"remote {remote} sent {path!r}, which is refused: {reason}{more}; nothing was changed",
            hint="rename or remove it on the machine that made it, and sync again",
        )
        self.problems = problems


class UncommittedOutside(StateError):
    """The remote changed a file that has uncommitted changes here and is outside the workspace's scope, or ignored."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} has changes that memtree must not commit, and the remote changed it too; nothing was changed",
            hint="commit it with git, or move it away, and sync again",
        )


class RemoteAhead(StateError):
    """A push without a pull met commits that are not here."""

    def __init__(self, remote: str) -> None:
        super().__init__(
            f"remote {remote} holds commits that are not here yet; nothing was sent",
            hint="memtree sync fetches and merges them, and pushes then",
        )
        self.remote = remote


@dataclass(frozen=True, slots=True)
class Accept:
    """What the user allows although it looks like an accident."""

    rewritten: bool = False
    unrelated: bool = False
    mass_delete: bool = False


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one remote's sync did."""

    remote: str
    before: CommitId | None
    after: CommitId | None
    received: int = 0  # commits
    sent: int = 0
    changes: tuple[Change, ...] = ()  # what the pull did to the files
    conflicts: tuple[Conflict, ...] = ()
    outside_edits: tuple[RepoPath, ...] = ()
    rounds: int = 1

    def then(self, later: SyncReport) -> SyncReport:
        """One report of two syncs with the same remote."""
        return replace(
            later,
            before=self.before,
            received=self.received + later.received,
            sent=self.sent + later.sent,
            changes=(*self.changes, *later.changes),
            conflicts=(*self.conflicts, *later.conflicts),
            outside_edits=(*self.outside_edits, *later.outside_edits),
            rounds=self.rounds + later.rounds,
        )


class Syncer:
    def __init__(
        self,
        repo: Repo,
        store: Store,
        transport: GitTransport,
        branch: str,
        scope: Callable[[], Scope],
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._repo = repo
        self._store = store
        self._transport = transport
        self._branch = branch
        self._scope = scope
        self._sleep = sleep
        self._jitter = jitter

    def sync(self, remote: str, accept: Accept, *, pull: bool = True, push: bool = True) -> SyncReport:
        """Exchange commits with one remote. Raises the transport's and the alarms' errors; the branch is then as it was."""
        before = self._repo.tip(self._store.ref)
        conflicts: list[Conflict] = []
        outside: dict[RepoPath, None] = {}
        received = 0
        for attempt in range(_ATTEMPTS):
            if pull:
                known = self._repo.tip(tracking(remote, self._branch))
                theirs = self._transport.fetch(remote, self._branch, accept_rewritten=accept.rewritten)
                received += self._count(theirs, known, self._repo.tip(self._store.ref))
                merged = self._merge(remote, theirs, accept)
                conflicts += merged[0]
                outside.update(dict.fromkeys(merged[1]))
            try:
                sent = self._push(remote) if push else 0
            except PushRaced as error:
                if not pull:
                    raise RemoteAhead(remote) from error
                if attempt == _ATTEMPTS - 1:
                    raise
                self._sleep(min(8.0, 0.05 * 2**attempt) * (0.5 + self._jitter()))
                continue
            break
        after = self._repo.tip(self._store.ref)
        changes = tuple(diff_commits(self._repo, before, after)) if pull else ()
        return SyncReport(remote, before, after, received, sent, changes, tuple(conflicts), tuple(outside), attempt + 1)

    def holds_all(self, remote: str) -> bool:
        """Whether a remote, as we last heard of it, has everything that is here."""
        return self._repo.contains(self._repo.tip(tracking(remote, self._branch)), self._repo.tip(self._store.ref))

    def _count(self, theirs: CommitId | None, known: CommitId | None, ours: CommitId | None) -> int:
        if theirs is None or theirs == known:
            return 0
        hide = [commit for commit in (known, ours) if commit is not None]
        return sum(1 for _ in self._repo.walk([theirs], hide=hide))

    def _merge(self, remote: str, theirs: CommitId | None, accept: Accept) -> tuple[tuple[Conflict, ...], tuple[RepoPath, ...]]:
        ours = self._repo.tip(self._store.ref)
        if theirs is None or self._repo.contains(ours, theirs):
            return (), ()
        report = self._store.check_out(theirs, lambda tip: self._edits(remote, tip, theirs, accept))
        return report.conflicts, report.outside_edits

    def _edits(self, remote: str, ours: CommitId | None, theirs: CommitId, accept: Accept) -> Mapping[RepoPath, Edit]:
        """What the other side changed since the merge base, checked before anything of it touches this machine."""
        base = self._repo.merge_base(ours, theirs) if ours is not None else None
        if base is None and ours is not None and not accept.unrelated:
            raise UnrelatedHistory(remote)
        changes = diff_commits(self._repo, base, theirs)
        self._refuse(remote, ours, changes)
        if not accept.mass_delete:
            self._guard(ours, changes)
        self._protect_outside(ours, changes)
        return {change.path: (change.before, change.after) for change in changes}

    def _refuse(self, remote: str, ours: CommitId | None, changes: list[Change]) -> None:
        problems = []
        for change in changes:
            if change.after is None:
                continue
            reason = refused(self._repo, change.path, change.after)
            if reason:
                problems.append((printable(change.path), reason))
        if self._repo.config("core.ignorecase") == "true":
            arriving = [change.path for change in changes if change.after is not None]
            leaving = {change.path for change in changes if change.after is None}
            present = [path for path, _ in self._repo.files(ours) if path not in leaving]
            problems += [
                (group[-1], f"this file system cannot hold it beside {group[0]!r}") for group in twins([*present, *arriving])
            ]
        if problems:
            raise RefusedPaths(remote, tuple(problems))

    def _guard(self, ours: CommitId | None, changes: list[Change]) -> None:
        gone = [change for change in changes if change.kind is ChangeKind.DELETED]
        if len(gone) <= FEW:
            return
        arrived = {change.after.id for change in changes if change.kind is ChangeKind.ADDED and change.after is not None}
        lost = sum(1 for change in gone if change.before is not None and change.before.id not in arrived)
        total = sum(1 for _ in self._repo.files(ours))
        if looks_like_an_accident(lost, total):
            raise MassDeletion(lost, total)

    def _protect_outside(self, ours: CommitId | None, changes: list[Change]) -> None:
        """Files that memtree must not commit (out of scope, or ignored by git) are neither overwritten nor sent along."""
        scope = self._scope()
        for change in changes:
            here = self._repo.entry(ours, change.path)
            path = RepoPath(self._store.working_copy.obstacle(change.path) or change.path) if here is None else change.path
            if scope.holds(path) and (here is not None or not self._is_ignored(path)):
                continue
            if self._store.working_copy.look(path).entry not in (self._repo.entry(ours, path), change.after):
                raise UncommittedOutside(path)

    def _is_ignored(self, path: RepoPath) -> bool:
        return os.path.lexists(self._store.working_copy.full(path)) and self._repo.is_ignored(path)

    def _push(self, remote: str) -> int:
        tip, known = self._repo.tip(self._store.ref), self._repo.tip(tracking(remote, self._branch))
        if tip is None or tip == known:
            return 0
        self._transport.push(remote, self._branch, tip)
        return sum(1 for _ in self._repo.walk([tip], hide=[known] if known is not None else []))
