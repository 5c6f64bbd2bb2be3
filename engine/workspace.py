"""Workspace: opens everything and exposes the verbs. The composition root that tools and hooks hold.

Only `save`, `search` and `sync` (and the verbs that write) capture outside edits first. Indexes are brought up to date after a
commit and never under the write lock; an index failure never undoes a commit, it is told.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from memtree.engine import settings as settings_module
from memtree.engine.capture import Capture, Survey
from memtree.engine.commit_info import signed
from memtree.engine.files import Durability, Files, Observer, exchange_works, unobserved
from memtree.engine.git import Git
from memtree.engine.incoming import refuse_unportable
from memtree.engine.merge.outcome import Conflict
from memtree.engine.merge.rules import content_rules
from memtree.engine.quietly import capture_quietly
from memtree.engine.repo import Repo
from memtree.engine.repo_errors import NotARepository
from memtree.engine.scope import Scope
from memtree.engine.searching import Searching, SearchReport
from memtree.engine.secrets.guard import SecretGuard
from memtree.engine.secrets.held import HeldFiles
from memtree.engine.settings import FILE_NAME, Settings, SettingsGone
from memtree.engine.store.places import Places
from memtree.engine.store.report import CommitReport
from memtree.engine.store.store import Store
from memtree.indexers.base import Index
from memtree.indexers.catch_up import CatchUp
from memtree.indexers.query import Query
from memtree.tree.errors import StateError, TransientError, UserError
from memtree.tree.objects import Change, CommitId, Entry
from memtree.tree.paths import RepoPath

# Opening and searching need none of these: start-up time is a feature.
if TYPE_CHECKING:
    from memtree.engine.adopt import Found
    from memtree.engine.arrivals import Accept
    from memtree.engine.sync import SyncReport
    from memtree.engine.sync_state import SyncState
    from memtree.engine.transport import Remotes
    from memtree.engine.writers.turns import TurnReport
    from memtree.tree.agent_turn import AgentTurn
    from memtree.tree.redactor import Redactor

Progress = Callable[[int], None]
ENVIRONMENT_KEY = "MEMTREE_WORKSPACE"
_BEGINS = (
    "the remote is empty: this machine begins its history. If the notes are on another machine, remove this folder, "
    "run memtree sync there, and clone again"
)


class NotAWorkspace(UserError):
    def __init__(self, start: str) -> None:
        super().__init__(
            f"{start} is not inside a memtree workspace",
            hint="run memtree init there, or name one: memtree -w FOLDER … (or set MEMTREE_WORKSPACE)",
        )


class NoRemote(UserError):
    def __init__(self) -> None:
        super().__init__("this workspace has no remote to sync with", hint="memtree remote add origin URL")


@dataclass(frozen=True, slots=True)
class SaveReport:
    """What a save did: the commit, what it left alone, and the state of the index."""

    commit: CommitReport
    changes: tuple[Change, ...]
    survey: Survey
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RestoreReport:
    commit: CommitReport
    changes: tuple[Change, ...]
    conflicts: tuple[Conflict, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may choose when it opens a workspace. `observe` is told every step on disk."""

    durability: Durability | None = None
    observe: Observer = unobserved
    clock: Callable[[], float] = time.time
    lock_timeout: float = 30.0
    git_lock_timeout: float = 10.0
    environment: Mapping[str, str] | None = None  # of the git program; None is this process's own


class Workspace:
    """An open workspace. One object may be used from several threads for reading; writes take their turn by a lock."""

    def __init__(self, root: str, options: Options) -> None:
        self.root = root
        self.options = options
        self.settings: Settings = settings_module.load(root)
        self.repo = Repo.open(root)
        self.git = Git(root, options.environment)
        self.places = Places.of(self.repo)
        files = Files(options.durability or self.settings.durability, options.observe)
        files.can_exchange = files.can_exchange and self._exchange_known()
        self.files = files
        self.store = Store(
            self.repo,
            files,
            self.places,
            self.git,
            self.settings.ref,
            content_rules(self.settings.content),
            lambda message: signed(message, self.device),
            clock=options.clock,
            lock_timeout=options.lock_timeout,
            git_lock_timeout=options.git_lock_timeout,
        )
        self.secrets = SecretGuard(self.repo, self.places.folder, files)
        self.holds = HeldFiles(self.store, self.secrets)
        self.store.withhold(self.holds)
        self.capture = Capture(self.repo, self.store, self.holds, self.scope, files, self.git, options.clock)
        self.searching = Searching(self.repo, self.scope, self.places, self.settings, options.clock)

    @cached_property
    def device(self) -> str:
        """This machine's name in commits."""
        from memtree.engine.adopt import DEVICE_KEY

        return self.repo.config(DEVICE_KEY) or "unnamed"

    @cached_property
    def remotes(self) -> Remotes:
        from memtree.engine.transport import Remotes

        return Remotes(self.repo)

    @cached_property
    def sync_state(self) -> SyncState:
        from memtree.engine.sync_state import SyncState

        return SyncState(self.places.folder)

    @cached_property
    def redactor(self) -> Redactor:
        """What every writer lets its texts go through."""
        from memtree.tree.redactor import Redactor

        return Redactor(self.settings.redact.pii)

    # -- opening
    @classmethod
    def open(cls, start: str | None = None, options: Options | None = None) -> Workspace:
        """Open the workspace that `start` (or the current folder) lies in; raise NotAWorkspace."""
        return cls(find_root(start or os.getcwd()), options or Options())

    @classmethod
    def init(
        cls,
        path: str,
        *,
        content: str | None = None,
        remote: str | None = None,
        git_folder: str | None = None,
        options: Options | None = None,
    ) -> tuple[Workspace, Found]:
        """Make a folder a workspace, or open it when it is one. Commits `memtree.toml` and nothing else."""
        from memtree.engine import adopt

        found = adopt.init(path, content=content, git_folder=git_folder)
        toml = os.path.join(found.root, FILE_NAME)
        data = settings_module.render(found.settings)
        if found.new and not os.path.lexists(toml):
            with open(toml, "xb") as file:
                file.write(data)
        workspace = cls(found.root, options or Options())
        workspace._commit_settings()
        if remote is not None:
            workspace.remotes.add("origin", remote)
        return workspace, found

    @classmethod
    def clone(cls, url: str, path: str, options: Options | None = None) -> tuple[Workspace, Found]:
        """Get a workspace from a remote into a new folder; a remote that is empty or no workspace yet becomes one."""
        from memtree.engine import adopt

        options = options or Options()
        root = adopt.clone(url, path, environment=options.environment)
        empty = Repo.open(root).tip("HEAD") is None
        workspace, found = cls.init(root, options=options)
        workspace.remotes.add("origin", None)
        return workspace, replace(found, warnings=(*found.warnings, _BEGINS)) if empty else found

    def _commit_settings(self) -> None:
        if self.repo.entry(self.repo.tip(self.settings.ref), FILE_NAME) is None:
            path = RepoPath(FILE_NAME)
            self.store.capture(
                lambda: {path: self.store.working_copy.look(path, store=True).entry},
                message="make this folder a memtree workspace\n\nMemtree-Writer: cli\n",
            )

    def _exchange_known(self) -> bool:
        """Whether an exchange was tried on this file system before: the probe costs file operations, so it is done once."""
        mark = os.path.join(self.places.folder, "exchange-works")
        if os.path.exists(mark):
            return True
        if exchange_works(self.places.temps):
            with open(mark, "wb"):
                pass
            return True
        return False

    def scope(self) -> Scope:
        return Scope.read(self.root, self.settings)

    def close(self) -> None:
        self.searching.close()
        self.repo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- saving
    def save(
        self,
        message: str = "",
        *,
        allow_mass_delete: bool = False,
        include_staged: bool = False,
        progress: Progress | None = None,
    ) -> SaveReport:
        """Commit every edit made outside, at once. Raises what the store raises; nothing is committed then."""
        text = f"{message.strip()}\n\nMemtree-Writer: editor\n" if message.strip() else ""
        commit, survey = self.capture.take(message=text, allow_mass_delete=allow_mass_delete, include_staged=include_staged)
        self.attend_to_git()
        notes = [*self.said(), *self.refresh_index(progress)]
        self.store.refresh_index_times()
        return SaveReport(commit, self._changes(commit), survey, tuple(notes))

    def capture_quietly(self, *, allow_mass_delete: bool = False) -> list[str]:
        """Capture outside edits before a reading verb; answer with what could not be done instead of raising."""
        return list(capture_quietly(self, allow_mass_delete=allow_mass_delete).notes)

    def attend_to_git(self) -> None:
        """What git's own merges need of us after a capture: the driver that they call, and a repair of markers that one left."""
        from memtree.engine.marker_repair import MarkerRepair
        from memtree.engine.merge_driver import register

        try:
            register(self.repo)
        except StateError as error:
            self.store.said.append(f"{error}; {error.hint}")  # git's own merges are then as they always were
        self.store.said += MarkerRepair(self.repo, self.store, self.scope).run()

    def write(
        self, contents: Mapping[RepoPath, bytes | None], message: str, *, bases: Mapping[RepoPath, Entry | None] | None = None
    ) -> CommitReport:
        """Commit a writer's contents and bring them to the files; merges with outside edits, never overwrites them.

        Raises InvalidPath for new names that another system could not hold: a person may choose them, a program must not.
        """
        tip = self.repo.tip(self.settings.ref)
        for path in contents:
            refuse_unportable(self.repo, tip, path)
        return self.store.write(contents, message=message, bases=bases)

    def record_turn(self, turn: AgentTurn) -> TurnReport:
        """Commit what a user asked and an agent answered (writers/turns.py). The indexes follow. Raise CaptureOff."""
        from memtree.engine.writers.turns import record_turn

        return record_turn(self, turn)

    # -- searching
    def index(self) -> Index:
        """The full-text index for the present scope."""
        return self.searching.index()

    def refresh_index(self, progress: Progress | None = None) -> list[str]:
        """Bring the indexes to HEAD; answer with what a person should know instead of raising."""
        return self.searching.refresh(progress)

    def catch_up(self, progress: Progress | None = None) -> CatchUp | None:
        """Bring the indexes to HEAD, waiting a while for another process that does the same. None on an unborn branch."""
        return self.searching.catch_up(progress)

    def search(self, query: Query, *, capture: bool = True, progress: Progress | None = None) -> SearchReport:
        """Capture edits, bring the indexes to HEAD, and answer. Never raises for what the query says."""
        notes = self.capture_quietly() if capture else []
        found = self.searching.search(query, progress)
        return SearchReport(found.hits, found.commit, (*notes, *found.notes))

    # -- history
    def resolve(self, revision: str | None) -> CommitId:
        """The commit a revision names, HEAD by default; raise UnknownRevision."""
        return self.repo.resolve(revision or "HEAD")

    def path(self, text: str, *, cwd: str | None = None) -> RepoPath:
        """A path as a person typed it, from the current folder, as a path in the workspace; raise InvalidPath."""
        full = os.path.normpath(os.path.join(cwd or os.getcwd(), os.path.expanduser(text)))
        folder, name = os.path.split(full)
        real = os.path.join(os.path.realpath(folder), name)
        top = os.path.realpath(self.root)
        inside = os.path.relpath(real, top)
        if inside == ".":
            return RepoPath("")
        if (inside == ".." or inside.startswith("../")) and not os.path.isabs(text):
            # Not below the current folder's place in the workspace: perhaps it was meant from the workspace's root.
            inside = os.path.normpath(text)
        return RepoPath.parse(inside)

    def restore(self, path: RepoPath, revision: CommitId) -> RestoreReport:
        """Bring a file, or the files of a folder, back as they were at a commit, by a new commit."""
        from memtree.engine.reversal import entries_at

        entries = entries_at(self.repo, path, revision)
        subject = f"restore {path or 'everything'} as of {revision[:10]}\n\nMemtree-Writer: cli\n"
        return self._reported(self.store.restore(entries, message=subject))

    def undo(self, revision: CommitId) -> RestoreReport:
        """Take one commit's changes back by a new commit. Where a file changed again since, both versions are kept."""
        from memtree.engine.reversal import edits_that_undo

        info = self.repo.commit(revision)
        edits = edits_that_undo(self.repo, revision)
        message = f"undo: {info.subject}\n\nMemtree-Writer: cli\nMemtree-Undo: {info.id}\n"
        return self._reported(self.store.apply_edits(edits, message=message))

    def _reported(self, commit: CommitReport) -> RestoreReport:
        notes = [*self.said(), *self.refresh_index()]
        return RestoreReport(commit, self._changes(commit), commit.conflicts, tuple(notes))

    def _changes(self, commit: CommitReport) -> tuple[Change, ...]:
        from memtree.engine.history import changes_between

        return tuple(changes_between(self.repo, commit.before, commit.after)) if commit.changed else ()

    # -- syncing
    def sync(
        self,
        remote: str | None = None,
        accept: Accept | None = None,
        *,
        pull: bool = True,
        push: bool = True,
        allow_mass_delete: bool = False,
        progress: Progress | None = None,
    ) -> tuple[list[SyncReport], tuple[str, ...]]:
        """Capture edits and exchange commits with the remotes (exchange.py).

        One that is away does not keep the others waiting: what went wrong is raised at the end, an alarm before a passing trouble.
        """
        from memtree.engine.arrivals import Accept
        from memtree.engine.exchange import Wanted, exchange

        done = exchange(self, Wanted(remote, accept or Accept(), pull, push, allow_mass_delete), progress=progress)
        if done.failures:
            raise min((error for _, error in done.failures), key=lambda error: isinstance(error, TransientError))
        return list(done.reports), done.notes

    # -- words for the user
    def said(self) -> list[str]:
        """What recovery and healing did since this was last asked."""
        said, self.store.said[:] = list(self.store.said), []
        return said


def find_root(start: str) -> str:
    """The workspace folder at or above `start`; raise NotAWorkspace, also where `start` is gone: one above it is another one."""
    here = os.path.abspath(os.path.expanduser(start))
    while os.path.exists(here):
        if _lost_its_settings(here):
            raise SettingsGone(here)
        if os.path.isfile(os.path.join(here, FILE_NAME)):
            if not os.path.lexists(os.path.join(here, ".git")):
                raise NotARepository(f"{here} has a {FILE_NAME} but no git repository", hint="run memtree init there")
            return here
        above = os.path.dirname(here)
        if above == here:
            break
        here = above
    raise NotAWorkspace(start)


def _lost_its_settings(folder: str) -> bool:
    """Whether a folder was a workspace, and would still be one if its settings had not been taken away."""
    return not os.path.lexists(os.path.join(folder, FILE_NAME)) and os.path.isdir(os.path.join(folder, ".git", "memtree"))
