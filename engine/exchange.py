"""Exchange: one sync of a workspace with its remotes, from the capture of edits to the indexes, or only the plan of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from memtree.engine.arrivals import Accept, Arrivals
from memtree.engine.merge.outcome import Conflict
from memtree.engine.secrets.scan import refuse_secrets
from memtree.engine.sync import Inspect, Say, Syncer, SyncReport, Target
from memtree.engine.traces import forgets_something
from memtree.engine.transport import Direction, Remote, Transport, choose_transport, tracking
from memtree.engine.workspace import NoRemote, Progress, Workspace
from memtree.tree.errors import Error, UserError
from memtree.tree.objects import Change, ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath


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


def exchange(workspace: Workspace, wanted: Wanted, *, say: Say = lambda _: None, progress: Progress | None = None) -> Exchanged:
    """Capture edits and exchange commits with the remotes. Raises what the capture raises, and NoRemote."""
    targets = _targets(workspace, wanted)
    workspace.capture.take(automatic=True, allow_mass_delete=wanted.allow_mass_delete)
    workspace.attend_to_git()
    outcome = _syncer(workspace, say).sync(targets, wanted.accept)
    for report in outcome.reports:
        workspace.sync_state.succeeded(report.remote, workspace.options.clock())
    for remote, error in outcome.failures:
        workspace.sync_state.failed(remote, str(error), workspace.options.clock())
    if any(forgets_something(workspace.repo, report.before, report.after) for report in outcome.reports):
        workspace.searching.expect_remains()
    workspace.store.refresh_index_times()
    return Exchanged(outcome.reports, outcome.failures, (*workspace.said(), *workspace.refresh_index(progress)))


def plan(workspace: Workspace, wanted: Wanted, *, say: Say = lambda _: None) -> list[PlannedSync]:
    """What a sync would do: the remotes are asked, but no file, branch or remote changes. Edits that are not saved do not count."""
    return [_plan(workspace, target, wanted.accept, say) for target in _targets(workspace, wanted)]


def _targets(workspace: Workspace, wanted: Wanted) -> list[Target]:
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


def _syncer(workspace: Workspace, say: Say) -> Syncer:
    return Syncer(
        workspace.repo,
        workspace.store,
        _transport(workspace),
        workspace.settings.branch,
        Arrivals(workspace.repo, workspace.store, workspace.scope),
        _inspect(workspace),
        say=say,
    )


def _transport(workspace: Workspace) -> Transport:
    return choose_transport(workspace.repo, workspace.git, workspace.files)


def _inspect(workspace: Workspace) -> Inspect:
    return partial(refuse_secrets, workspace.repo, workspace.secrets)


def _plan(workspace: Workspace, target: Target, accept: Accept, say: Say) -> PlannedSync:
    repo, remote, branch = workspace.repo, target.remote, workspace.settings.branch
    ours = repo.tip(workspace.settings.ref)
    theirs = repo.tip(tracking(remote, branch))
    if target.pull:
        say(f"fetching from {remote}")
        try:
            theirs = _transport(workspace).fetch(remote, branch, accept_rewritten=accept.rewritten)
        except Error as error:
            return PlannedSync(remote, 0, 0, alarm=f"{error}; {error.hint}")
    receives = 0
    changes: tuple[Change, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    if target.pull and theirs is not None and not repo.contains(ours, theirs):
        receives = sum(1 for _ in repo.walk([theirs], hide=[ours] if ours is not None else []))
        merged = workspace.store.trees.commits(ours, theirs)
        changes = tuple(_change(path, repo.entry(ours, path), entry) for path, entry in merged.changes.items())
        conflicts = merged.conflicts
        try:
            Arrivals(repo, workspace.store, workspace.scope).check(remote, theirs, accept, ours, merged)
        except Error as error:
            return PlannedSync(remote, receives, 0, changes, conflicts, alarm=f"{error}; {error.hint}")
    sends, blocked = _sends(workspace, ours, theirs) if target.push else (0, "")
    return PlannedSync(remote, receives, sends, changes, conflicts, blocked=blocked)


def _sends(workspace: Workspace, ours: CommitId | None, theirs: CommitId | None) -> tuple[int, str]:
    """How many commits would be sent, the merge that a sync would make included, and what forbids it."""
    if ours is None or workspace.repo.contains(theirs, ours):
        return 0, ""
    there = [theirs] if theirs is not None else []
    try:
        _inspect(workspace)(ours, there)
    except Error as error:
        return 0, f"{error}; {error.hint}"
    merge = 0 if theirs is None or workspace.repo.contains(ours, theirs) else 1
    return sum(1 for _ in workspace.repo.walk([ours], hide=there)) + merge, ""


def _change(path: RepoPath, before: Entry | None, after: Entry | None) -> Change:
    kind = ChangeKind.DELETED if after is None else ChangeKind.ADDED if before is None else ChangeKind.MODIFIED
    return Change(kind, path, before, after)
