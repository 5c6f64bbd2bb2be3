"""Status: how a workspace stands, read without changing anything but what a killed run left behind."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from memtree.engine.capture import Survey
from memtree.engine.conflicts import OpenConflicts
from memtree.engine.daemon_lock import daemon_holder
from memtree.engine.facts.counting import FactCounts, fact_counts
from memtree.engine.git import GitMissing
from memtree.engine.librarian import librarian_of
from memtree.engine.locks import Holder
from memtree.engine.outbox_state import OutboxStatus, outbox_status
from memtree.engine.repo_errors import DamagedRef
from memtree.engine.scope import ROOT_FILES
from memtree.engine.settings import Settings
from memtree.engine.transport import Direction, Remote, tracking
from memtree.engine.workspace import Workspace
from memtree.indexers.base import IndexCorrupt, IndexUnwritable, View
from memtree.tree.errors import Error
from memtree.tree.objects import CommitId


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The commit an index reflects; `problem` says why it reflects none, `cure` what a person must do first, if anything.

    `pending` passages are still found by their words only, of `passages` in all (0 unless some are pending).
    """

    commit: CommitId | None
    current: bool
    problem: str = ""
    cure: str = ""
    pending: int = 0
    passages: int = 0

    @property
    def coverage(self) -> str:
        """How far embedding is, in words."""
        return f"{self.passages - self.pending:,} of {self.passages:,} passages are embedded"


@dataclass(frozen=True, slots=True)
class RemoteStatus:
    """A remote as of the last time we heard of it. Times are epoch seconds."""

    name: str
    url: str
    ahead: int
    behind: int
    known: bool
    last_sync: float | None
    error: str
    direction: Direction


@dataclass(frozen=True, slots=True)
class Status:
    root: str
    branch: str
    head: CommitId | None
    head_ref: str  # what HEAD stands at, '' when detached
    busy_with: str  # a merge or rebase of the user's
    writer: str  # who holds the write lock
    daemon: Holder | None  # who serves the workspace
    device: str
    librarian: str  # the machine that does what only one must, '' for none
    survey: Survey
    index: IndexStatus
    vectors: IndexStatus | None  # None where the settings leave them out
    graph: IndexStatus | None  # None until the entity graph is first asked for
    remotes: tuple[RemoteStatus, ...]
    conflicts: int  # how many stand open
    captures: tuple[str, ...]  # the places that are captured, () when that is everything
    notes: tuple[str, ...]
    outbox: OutboxStatus  # what agents' hooks left to record
    facts: FactCounts  # how many there are, and what waits to be one

    @property
    def on_branch(self) -> bool:
        return self.head_ref == f"refs/heads/{self.branch}"


def status(workspace: Workspace) -> Status:
    """Look at everything. First finishes what a killed run left, because its lock would be in the user's way."""
    notes: list[str] = []
    try:
        workspace.store.recover()
    except (Error, OSError) as error:
        notes.append(f"something is left to finish: {error}")
    notes += workspace.said()
    repo = workspace.repo
    remotes: tuple[RemoteStatus, ...] = ()
    librarian = workspace.settings.librarian
    try:
        remotes = tuple(_remote(workspace, remote) for remote in workspace.remotes.all())
        librarian = librarian_of(workspace)
    except (GitMissing, DamagedRef) as error:
        notes.append(f"the remotes are not known: {error}; {error.hint}")
    facts = _facts(workspace, notes)
    return Status(
        root=workspace.root,
        branch=workspace.settings.branch,
        head=repo.tip("HEAD"),
        head_ref=repo.head(),
        busy_with=repo.busy_with(),
        writer=writer(workspace),
        daemon=daemon_holder(workspace.places.folder),
        device=workspace.device,
        librarian=librarian,
        survey=workspace.capture.survey(),
        index=index_status(workspace),
        vectors=vector_status(workspace),
        graph=graph_status(workspace),
        remotes=remotes,
        conflicts=OpenConflicts(repo, workspace.places.folder).count(),
        captures=_captures(workspace.settings),
        notes=tuple(notes),
        outbox=outbox_status(workspace.places.folder),
        facts=facts,
    )


def _facts(workspace: Workspace, notes: list[str]) -> FactCounts:
    try:
        return fact_counts(workspace)
    except (Error, OSError) as error:
        notes.append(f"facts cannot be counted: {error}")
        return FactCounts()


def writer(workspace: Workspace) -> str:
    try:
        return workspace.store.lock_holder()
    except OSError:
        return ""  # a read-only file system: nobody writes there, and the lock file cannot be made


def _captures(settings: Settings) -> tuple[str, ...]:
    if "**" in settings.capture:
        return ()
    return (f"{settings.content}/", *ROOT_FILES[:3], *settings.capture)


def index_status(workspace: Workspace) -> IndexStatus:
    """How the index of words stands."""
    return _standing(workspace, workspace.index)


def vector_status(workspace: Workspace) -> IndexStatus | None:
    """How the index of meanings stands, None where the settings leave it out. Asks no model anything."""
    try:
        vectors = workspace.searching.meaning().vectors
    except (Error, OSError) as error:
        return IndexStatus(None, current=False, problem=str(error), cure=getattr(error, "hint", ""))
    if vectors is None:
        return None
    found = _standing(workspace, lambda: vectors)
    with contextlib.suppress(IndexCorrupt, IndexUnwritable, OSError):  # told by then
        if found.commit is not None and vectors.has_pending():
            done, waiting = vectors.coverage()
            return replace(found, pending=waiting, passages=done + waiting)
    return found


def graph_status(workspace: Workspace) -> IndexStatus | None:
    """How the entity graph stands, None when nobody has asked for it yet."""
    graph = workspace.searching.graph()
    return _standing(workspace, lambda: graph) if graph.exists() else None


def _standing(workspace: Workspace, open_index: Callable[[], View]) -> IndexStatus:
    head = workspace.repo.tip("HEAD")
    try:
        with workspace.searching.turn:
            index = open_index()
            position = index.position()
            problem = index.vacancy() if position is None else ""
    except (IndexCorrupt, IndexUnwritable, OSError) as error:
        return IndexStatus(None, current=False, problem=str(error))
    return IndexStatus(position, position == head, problem)


def _remote(workspace: Workspace, remote: Remote) -> RemoteStatus:
    repo, name = workspace.repo, remote.name
    ours, theirs = repo.tip(workspace.settings.ref), repo.tip(tracking(name, workspace.settings.branch))
    ahead = behind = 0
    if ours is not None and theirs is not None:
        ahead, behind = repo.ahead_behind(ours, theirs)
    elif ours is not None:
        ahead = sum(1 for _ in repo.walk([ours]))
    last = workspace.sync_state.of(name)
    return RemoteStatus(name, remote.url, ahead, behind, theirs is not None, last.succeeded, last.error, remote.direction)
