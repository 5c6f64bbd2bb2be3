"""Sync: fetch, merge in memory, check out, push; again with a growing, jittered pause when somebody else pushed first.

Never a rebase, reset, force, conflict marker or half-done merge: a merge is made in memory and reaches branch and files through the
store's transaction, or not at all.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from memtree.engine.arrivals import Accept, Arrivals
from memtree.engine.merge.outcome import Conflict
from memtree.engine.repo import Repo
from memtree.engine.store.store import Store
from memtree.engine.transport import PushRaced, Transport, tracking
from memtree.engine.tree_diff import diff_commits
from memtree.tree.errors import Error, StateError
from memtree.tree.objects import Change, CommitId
from memtree.tree.paths import RepoPath

_ATTEMPTS = 8
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 8.0  # seconds

# Asked before each push whether anything in tip, but in none of the known commits, must not leave; raises what forbids it.
Inspect = Callable[[CommitId, list[CommitId]], None]
Say = Callable[[str], None]


class RemoteAhead(StateError):
    """A push without a pull met commits that are not here."""

    def __init__(self, remote: str) -> None:
        super().__init__(
            f"remote {remote} holds commits that are not here yet; nothing was sent",
            hint="memtree sync fetches and merges them, and pushes then; where it is push-only, first: "
            f"memtree remote add {remote} makes it both",
        )
        self.remote = remote


@dataclass(frozen=True, slots=True)
class Target:
    """A remote and what is done with it."""

    remote: str
    pull: bool = True
    push: bool = True


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one remote's sync did. `changes` is what all pulls of this sync together did to the files."""

    remote: str
    before: CommitId | None
    after: CommitId | None
    received: int = 0  # commits
    sent: int = 0
    changes: tuple[Change, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    outside_edits: tuple[RepoPath, ...] = ()
    rounds: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """The remotes that were synced, and what went wrong with the others."""

    reports: tuple[SyncReport, ...]
    failures: tuple[tuple[str, Error], ...]


@dataclass(slots=True)
class _Progress:
    """One remote under way."""

    target: Target
    theirs: CommitId | None = None
    received: int = 0
    sent: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    outside: dict[RepoPath, None] = field(default_factory=dict)
    rounds: int = 0
    raced: bool = True  # its news is not known yet
    failure: Error | None = None


class Syncer:
    def __init__(
        self,
        repo: Repo,
        store: Store,
        transport: Transport,
        branch: str,
        arrivals: Arrivals,
        inspect: Inspect,
        *,
        say: Say = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._repo = repo
        self._store = store
        self._transport = transport
        self._branch = branch
        self._arrivals = arrivals
        self._inspect = inspect
        self._say = say
        self._sleep = sleep
        self._jitter = jitter

    def sync(self, targets: Sequence[Target], accept: Accept) -> Outcome:
        """Exchange commits with every remote: all news is merged first, in the order of its ids, then sent to all.

        So machines that share several remotes in a ring make the same merges. A remote that fails does not keep the others waiting;
        what it raised is in the outcome, and the branch is as if it had not been asked.
        """
        before = self._repo.tip(self._store.ref)
        under_way = [_Progress(target) for target in targets]
        for attempt in range(_ATTEMPTS):
            self._fetch([one for one in under_way if one.raced and one.failure is None], accept)
            self._merge([one for one in under_way if one.failure is None], accept)
            self._push([one for one in under_way if one.failure is None], last=attempt == _ATTEMPTS - 1)
            if not any(one.raced and one.failure is None for one in under_way):
                break
            self._sleep(min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt) * (0.5 + self._jitter()))
        return self._outcome(before, under_way)

    def _outcome(self, before: CommitId | None, under_way: list[_Progress]) -> Outcome:
        after = self._repo.tip(self._store.ref)
        pulled = any(one.target.pull for one in under_way)
        changes = tuple(diff_commits(self._repo, before, after)) if pulled and before != after else ()
        reports = tuple(
            SyncReport(
                one.target.remote,
                before,
                after,
                one.received,
                one.sent,
                changes if one.target.pull else (),
                tuple(one.conflicts),
                tuple(one.outside),
                one.rounds,
            )
            for one in under_way
            # What came in is told, also when nothing could go out.
            if one.failure is None or (one.received and self._repo.contains(after, one.theirs))
        )
        return Outcome(reports, tuple((one.target.remote, one.failure) for one in under_way if one.failure is not None))

    # -- the steps
    def _fetch(self, under_way: list[_Progress], accept: Accept) -> None:
        for one in under_way:
            one.rounds += 1
            remote = one.target.remote
            self._say(f"fetching from {remote}")
            try:
                self._tracked(remote)  # a torn ref is told with its cure, before git says something less clear about it
                theirs = self._transport.fetch(remote, self._branch, accept_rewritten=accept.rewritten)
                if one.target.pull:  # else it is only asked how it stands, so that a push alarms as a sync does
                    one.theirs = theirs
                    one.received += self._new(theirs)
            except Error as error:
                one.failure = error

    def _new(self, theirs: CommitId | None) -> int:
        """How many of the remote's commits are not in the branch; an earlier sync that went no further may have fetched them."""
        tip = self._repo.tip(self._store.ref)
        if theirs is None or self._repo.contains(tip, theirs):
            return 0
        return sum(1 for _ in self._repo.walk([theirs], hide=[tip] if tip is not None else []))

    def _merge(self, under_way: list[_Progress], accept: Accept) -> None:
        for one in sorted(under_way, key=lambda one: (one.theirs or "", one.target.remote)):
            theirs = one.theirs
            if theirs is None or self._repo.contains(self._repo.tip(self._store.ref), theirs):
                continue
            self._say(f"merging what {one.target.remote} has")
            check = partial(self._arrivals.check, one.target.remote, theirs, accept)
            try:
                report = self._store.check_out(theirs, check)
            except Error as error:
                one.failure = error
                continue
            one.conflicts += report.conflicts
            one.outside.update(dict.fromkeys(report.outside_edits))

    def _push(self, under_way: list[_Progress], *, last: bool) -> None:
        for one in under_way:
            one.raced = False
            tip, known = self._repo.tip(self._store.ref), self._tracked(one.target.remote)
            if not one.target.push or tip is None or self._repo.contains(known, tip):
                continue
            self._say(f"sending to {one.target.remote}")
            try:
                one.sent += self._send(one.target.remote, tip, known)
            except PushRaced as error:
                if one.target.pull:
                    one.raced, one.failure = True, error if last else None
                else:
                    one.failure = RemoteAhead(one.target.remote)
            except Error as error:
                one.failure = error

    def _send(self, remote: str, tip: CommitId, known: CommitId | None) -> int:
        there = [known] if known is not None else []
        self._inspect(tip, there)
        self._transport.push(remote, self._branch, tip)
        return sum(1 for _ in self._repo.walk([tip], hide=there))

    def _tracked(self, remote: str) -> CommitId | None:
        return self._repo.tip(tracking(remote, self._branch))
