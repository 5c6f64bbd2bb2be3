"""Exchange: one sync of a workspace with its remotes, from the capture of edits to the indexes, or only the plan of one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from memtree.engine.arrivals import Accept, Arrivals
from memtree.engine.children import Children
from memtree.engine.git_environment import INTERNAL, inside_git_of_ours
from memtree.engine.locks import LockBusy, WriteLock
from memtree.engine.merge.outcome import Conflict
from memtree.engine.repo import Repo
from memtree.engine.secrets.scan import refuse_secrets
from memtree.engine.sync import Inspect, Outcome, Say, Syncer, SyncReport, Target
from memtree.engine.traces import forgets_something
from memtree.engine.transport import Direction, Remote, Transport, choose_transport, tracking
from memtree.engine.transport.local import move_ref
from memtree.engine.workspace import NoRemote, Progress, Workspace
from memtree.tree.errors import Error, StateError, TransientError, UserError
from memtree.tree.objects import Change, ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath

_HELD_SHOWN = 5
_PATIENCE = 1.0  # seconds


class SyncInsideSync(StateError):
    """A git hook that a sync's own git called wants to sync: each would call the next one for ever."""

    def __init__(self) -> None:
        super().__init__(
            "a sync of memtree goes on already and called the git hook that this comes from",
            hint=f"let the hook leave it out where {INTERNAL} is set in its environment",
        )


class AnotherSync(TransientError):
    """Somebody else syncs this workspace right now."""

    def __init__(self) -> None:
        super().__init__("another sync of this workspace is under way", hint="try again when it is done")


@dataclass(frozen=True, slots=True)
class Served:
    """Of a sync in the background, by a process that captures edits and keeps the indexes itself: neither is done here.

    It gives way to the sync of a person, looks only at the remotes `among`, and ends when its git programs are ended.
    """

    among: frozenset[str]
    children: Children


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asked for. `remote` None means all of them."""

    remote: str | None = None
    accept: Accept = field(default_factory=Accept)
    pull: bool = True
    push: bool = True
    allow_mass_delete: bool = False


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The remotes that were synced, what went wrong with the others, and what else a person should know."""

    reports: tuple[SyncReport, ...]
    failures: tuple[tuple[str, Error], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedSync:
    """What a sync with one remote would do now. `alarm` and `blocked` say why it would not receive, or not send."""

    remote: str
    receives: int  # commits
    sends: int
    changes: tuple[Change, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    alarm: str = ""
    blocked: str = ""


def exchange(
    workspace: Workspace,
    wanted: Wanted,
    *,
    say: Say = lambda _: None,
    progress: Progress | None = None,
    served: Served | None = None,
) -> Exchanged:
    """Capture edits, exchange commits with the remotes. Raises what the capture raises, NoRemote, and a served one AnotherSync."""
    targets = _targets(workspace, wanted)
    if served is not None:
        targets = [target for target in targets if target.remote in served.among]
    with _announced(workspace, gives_way=served is not None):
        return _exchanged(workspace, targets, wanted, say, progress, served)


@contextlib.contextmanager
def _announced(workspace: Workspace, *, gives_way: bool) -> Iterator[None]:
    """Hold the lock that says that a sync is under way; who does not give way waits a moment for it, and then goes on without.

    It only spares work: races are decided by the store and the remotes.
    """
    patience = 0.0 if gives_way else _PATIENCE
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(WriteLock(os.path.join(workspace.places.folder, "sync.lock"), patience).held())
        except LockBusy as error:
            if gives_way:
                raise AnotherSync from error
        yield


def _exchanged(
    workspace: Workspace, targets: list[Target], wanted: Wanted, say: Say, progress: Progress | None, served: Served | None
) -> Exchanged:
    held: list[str] = []
    if served is None:
        # Who allows a mass deletion means it: it need not settle first.
        _, survey = workspace.capture.take(automatic=not wanted.allow_mass_delete, allow_mass_delete=wanted.allow_mass_delete)
        # Who only ever syncs must learn of it too; a merge may have told it already.
        held = [f"left alone: {held.path} ({held.reason})" for held in survey.held]
    workspace.attend_to_git()
    outcome = _syncer(workspace, say, served.children if served is not None else None).sync(targets, wanted.accept)
    if any(report.received for report in outcome.reports):
        workspace.attend_to_git()  # a plain clone may have sent markers; the repair goes out with the next sync
    failures = () if served is not None and served.children.ended else outcome.failures
    _remember(workspace, outcome, failures)
    if any(forgets_something(workspace.repo, report.before, report.after) for report in outcome.reports):
        workspace.searching.expect_remains()
    workspace.store.refresh_index_times()
    indexed = workspace.refresh_index(progress) if served is None else []
    said = dict.fromkeys([*held[:_HELD_SHOWN], *workspace.said(), *indexed])
    return Exchanged(outcome.reports, failures, tuple(said))


def _remember(workspace: Workspace, outcome: Outcome, failures: tuple[tuple[str, Error], ...]) -> None:
    failed = {remote for remote, _ in outcome.failures}
    for report in outcome.reports:
        if report.remote not in failed:
            workspace.sync_state.succeeded(report.remote, workspace.options.clock())
    for remote, error in failures:
        workspace.sync_state.failed(remote, str(error), workspace.options.clock())


def plan(workspace: Workspace, wanted: Wanted, *, say: Say = lambda _: None) -> list[PlannedSync]:
    """What a sync would do: the remotes are asked, but no file, branch or remote changes. Edits that are not saved do not count."""
    ours = workspace.repo.tip(workspace.settings.ref)
    asked = [_ask(workspace, target, wanted.accept, say) for target in _targets(workspace, wanted)]
    planned = [(_receives(workspace, one, wanted.accept, ours) if one.news else _nothing_new(one), one) for one in asked]
    news = [one.theirs for plan, one in planned if one.theirs is not None and one.news and not plan.alarm]
    return [plan if plan.alarm or not one.push else _sends(workspace, plan, one.theirs, ours, news) for plan, one in planned]


def _targets(workspace: Workspace, wanted: Wanted) -> list[Target]:
    around = workspace.options.environment
    if inside_git_of_ours(os.environ if around is None else around):
        raise SyncInsideSync
    remotes = workspace.remotes.chosen(wanted.remote)
    if not remotes:
        raise NoRemote
    targets = [_target(remote, wanted) for remote in remotes]
    if wanted.remote is not None and not (targets[0].pull or targets[0].push):
        raise UserError(
            f"remote {wanted.remote} is synced in the other direction only",
            hint=f"memtree remote add {wanted.remote} makes it both",
        )
    return targets


def _target(remote: Remote, wanted: Wanted) -> Target:
    pull = wanted.pull and remote.direction is not Direction.PUSH
    return Target(remote.name, pull, wanted.push and remote.direction is not Direction.PULL)


def _syncer(workspace: Workspace, say: Say, children: Children | None) -> Syncer:
    return Syncer(
        workspace.repo,
        workspace.store,
        _transport(workspace, children),
        workspace.settings.branch,
        Arrivals(workspace.repo, workspace.store, workspace.scope),
        _inspect(workspace),
        say=say,
    )


def _transport(workspace: Workspace, children: Children | None = None) -> Transport:
    return choose_transport(workspace.repo, replace(workspace.git, children=children), workspace.files)


def _inspect(workspace: Workspace) -> Inspect:
    return partial(refuse_secrets, workspace.repo, workspace.secrets)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Where a remote stands; `news` when what it has is to be merged."""

    remote: str
    push: bool
    theirs: CommitId | None
    news: bool = False
    failure: Error | None = None


def _ask(workspace: Workspace, target: Target, accept: Accept, say: Say) -> _Asked:
    repo, remote, branch = workspace.repo, target.remote, workspace.settings.branch
    known = repo.tip(tracking(remote, branch))
    say(f"fetching from {remote}")
    try:
        theirs = _transport(workspace).fetch(remote, branch, accept_rewritten=accept.rewritten)
    except Error as error:
        return _Asked(remote, target.push, known, failure=error)
    if known is not None and not repo.contains(theirs, known):
        # Only a sync accepts for good that a history was replaced.
        move_ref(repo.git_folder, tracking(remote, branch), known, durable=workspace.files.durable)
    news = target.pull and theirs is not None and not repo.contains(repo.tip(workspace.settings.ref), theirs)
    return _Asked(remote, target.push, theirs, news)


def _nothing_new(asked: _Asked) -> PlannedSync:
    return PlannedSync(asked.remote, 0, 0, alarm=_told(asked.failure))


def _told(error: Error | None) -> str:
    return f"{error}; {error.hint}" if error is not None else ""


def _receives(workspace: Workspace, asked: _Asked, accept: Accept, ours: CommitId | None) -> PlannedSync:
    repo, theirs = workspace.repo, asked.theirs
    assert theirs is not None
    count = sum(1 for _ in repo.walk([theirs], hide=[ours] if ours is not None else []))
    merged = workspace.store.trees.commits(ours, theirs)
    changes = tuple(_change(path, repo.entry(ours, path), entry) for path, entry in merged.changes.items())
    alarm = ""
    try:
        Arrivals(repo, workspace.store, workspace.scope).check(asked.remote, theirs, accept, ours, merged)
    except Error as error:
        alarm = _told(error)
    return PlannedSync(asked.remote, count, 0, changes, merged.conflicts, alarm=alarm)


def _sends(
    workspace: Workspace, plan: PlannedSync, theirs: CommitId | None, ours: CommitId | None, news: list[CommitId]
) -> PlannedSync:
    """The plan with how many commits would be sent, what other remotes have and the merges included, and what forbids it."""
    heads, merges = _heads(workspace.repo, ours, news)
    if all(workspace.repo.contains(theirs, head) for head in heads):
        return plan
    there = [theirs] if theirs is not None else []
    try:
        for head in heads:
            _inspect(workspace)(head, there)
    except Error as error:
        return replace(plan, blocked=_told(error))
    return replace(plan, sends=sum(1 for _ in workspace.repo.walk(heads, hide=there)) + merges)


def _heads(repo: Repo, ours: CommitId | None, news: list[CommitId]) -> tuple[list[CommitId], int]:
    """What a sync would have brought together, and by how many merges."""
    heads = [ours] if ours is not None else []
    merges = 0
    for theirs in sorted(news):
        if any(repo.contains(head, theirs) for head in heads):
            continue
        heads = [head for head in heads if not repo.contains(theirs, head)]
        merges += bool(heads)
        heads.append(theirs)
    return heads, merges


def _change(path: RepoPath, before: Entry | None, after: Entry | None) -> Change:
    kind = ChangeKind.DELETED if after is None else ChangeKind.ADDED if before is None else ChangeKind.MODIFIED
    return Change(kind, path, before, after)
