"""Capture: edits made in any editor become commits. The scan is the truth; events are only hints that one is due.

`survey` looks at what git sees as touched and sorts it (nothing is written); `take` commits what is due under the store's lock.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtree.engine.files import Files
from memtree.engine.git import Git, GitFailed
from memtree.engine.glance import touched
from memtree.engine.hinted import hinted_files
from memtree.engine.incoming import printable, stays_inside
from memtree.engine.locks import WriteLock
from memtree.engine.mass_deletion import SHARE, MassDeletion, looks_like_an_accident, may_be_many
from memtree.engine.missing import Missing
from memtree.engine.repo import Repo
from memtree.engine.scope import Scope
from memtree.engine.secrets.held import HeldFile, HeldFiles
from memtree.engine.secrets.sifting import Sifting
from memtree.engine.settings import FILE_NAME, SettingsGone
from memtree.engine.stale_saves import StaleSaves
from memtree.engine.store.filters import Conversion
from memtree.engine.store.planner import Edit
from memtree.engine.store.report import CommitReport
from memtree.engine.store.store import Store
from memtree.engine.store.working_copy import FilterMissing
from memtree.tree.errors import StateError
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath, refusal

LARGE = 50 * 1024 * 1024
_PACK_FROM = 300  # files; below that loose objects are as quick
_LOOKED_INTO = 1000  # files; a survey of more does not read them all, a capture does


class RootMissing(StateError):
    def __init__(self, folder: str) -> None:
        super().__init__(
            f"the workspace folder {folder} is gone; nothing was committed", hint="mount the disk, or move the folder back"
        )


@dataclass(frozen=True, slots=True)
class Left:
    """A path that a capture leaves alone, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Survey:
    """What differs between HEAD and the disk inside the scope."""

    due: tuple[RepoPath, ...] = ()  # to be committed
    gone: tuple[RepoPath, ...] = ()  # deleted on disk (a part of `due` when settled)
    staged: tuple[RepoPath, ...] = ()  # staged by the user, and left so
    left: tuple[Left, ...] = ()  # held files among them
    held: tuple[HeldFile, ...] = ()

    @property
    def clean(self) -> bool:
        return not self.due and not self.gone


@dataclass(slots=True)
class _Sorting:
    changed: list[RepoPath] = field(default_factory=list)
    gone: list[RepoPath] = field(default_factory=list)
    staged: list[RepoPath] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)


class Capture:
    def __init__(
        self,
        repo: Repo,
        store: Store,
        holds: HeldFiles,
        scope: Callable[[], Scope],
        files: Files,
        git: Git,
        clock: Callable[[], float],
    ) -> None:
        self._repo = repo
        self._store = store
        self._holds = holds
        self._scope = scope
        self._git = git
        self._stale = StaleSaves(repo, store, clock)
        self._missing = Missing(files, os.path.join(store.places.folder, "missing.json"), clock)
        self._lock = WriteLock(store.places.write_lock, store.lock_timeout)

    def survey(self, *, include_staged: bool = False) -> Survey:
        """Sort what git sees as touched, without writing anything. Deletions count as due, held files do not."""
        with self._lock.turn():
            return self._without_held(self._touched(include_staged=include_staged))

    def take(
        self,
        *,
        message: str = "",
        automatic: bool = False,
        allow_mass_delete: bool = False,
        include_staged: bool = False,
        only: Collection[RepoPath] | None = None,
        hints: Collection[str] | None = None,
    ) -> tuple[CommitReport, Survey]:
        """Commit what is due, or what of it is among `only`. An automatic capture leaves deletions that have not settled.

        With `hints` (hinted.py) it looks at these paths alone, and at what earlier captures left to be looked at again.
        Raise MassDeletion.
        """
        with self._lock.turn():
            return self._take(message, automatic, allow_mass_delete, include_staged, only, hints)

    def _take(
        self,
        message: str,
        automatic: bool,
        allow_mass_delete: bool,
        include_staged: bool,
        only: Collection[RepoPath] | None,
        hints: Collection[str] | None,
    ) -> tuple[CommitReport, Survey]:
        if not os.path.isdir(self._repo.folder):
            raise RootMissing(self._repo.folder)
        self._store.recover()
        self._stale.resume()
        everything = self._touched(include_staged=include_staged, hints=hints)
        if hints is not None and may_be_many(everything.gone):
            everything = self._touched(include_staged=include_staged)  # whether it is an accident shows in the whole
        survey = everything if only is None else _among(everything, only)
        if not allow_mass_delete:
            self.guard(survey)
        if automatic and not os.path.lexists(os.path.join(self._repo.folder, FILE_NAME)):
            raise SettingsGone(self._repo.folder)
        aside = set(everything.gone) - set(survey.gone)
        if not survey.due and not self._holds.any():
            if not aside:
                self._missing.forget()
            tip = self._repo.tip(self._store.ref)
            return CommitReport(tip, tip), survey
        left: list[Left] = []
        sifted: list[Sifting] = []

        def read() -> Mapping[RepoPath, Entry | None]:
            sifted[:] = [self._read(survey, left, automatic, aside)]
            sifted[0].keep_others(_undecided(everything, survey))
            self._holds.keep(sifted[0].under_way())
            return sifted[0].entries

        def said() -> str:
            return message or _message(list(sifted[0].entries))

        report = self._stale.around(lambda: self._store.capture(read, message=said))
        if sifted[0].merging:
            report = report.then(self._end_holds(sifted[0], message or _message(list(sifted[0].merging))))
        self._holds.guard.flush()
        return report, _holding(replace(survey, left=(*survey.left, *left)), sifted[0].held)

    # -- sorting
    def _touched(self, *, include_staged: bool, hints: Collection[str] | None = None) -> Survey:
        self._store.filters.refresh()
        scope, found = self._scope(), _Sorting()
        among = self._among(hints)
        differing = self._repo.touched() if among is None else touched(self._repo, self._store, among)
        for path, flags in differing.items():
            self._sort(path, flags.name or "", scope, found, include_staged)
        return Survey(
            tuple(sorted((*found.changed, *found.gone))),
            tuple(sorted(found.gone)),
            tuple(sorted(found.staged)),
            tuple(sorted(found.left, key=lambda left: left.path)),
        )

    def _among(self, hints: Collection[str] | None) -> list[str] | None:
        """The files to look at: those of the hints, what is held, and deletions that had not settled; None for all."""
        if hints is None:
            return None
        left = (*self._holds.all(), *self._missing.read())
        return hinted_files(self._repo.folder, self._store.git_index.load(), (*hints, *left))

    def _sort(self, path: str, flags: str, scope: Scope, found: _Sorting, include_staged: bool) -> None:
        if path.endswith("/"):
            if scope.holds(path):
                found.left.append(Left(path, "a nested repository"))
            return
        reason = refusal(path)
        if reason:
            found.left.append(Left(printable(path), reason))
            return
        checked = RepoPath(path)
        if not scope.holds(checked):
            return
        if "CONFLICTED" in flags:
            found.left.append(Left(checked, "unmerged in the git index"))
        elif "INDEX_" in flags and not include_staged:
            found.staged.append(checked)
        elif "INDEX_" in flags and (reason := self._staged_secret(checked)):
            found.left.append(Left(checked, f"what is staged of it holds {reason}: git restore --staged {checked}"))
        else:
            self._sort_by_disk(checked, found)

    def _staged_secret(self, path: RepoPath) -> str:
        """Why a version that only the git index holds, and that would become a commit, must not; or ''."""
        held = self._store.git_index.load().find(path)
        reason = self._holds.reason(path, held.entry) if held is not None else ""
        return reason if reason and held is not None and self._store.working_copy.look(path).entry != held.entry else ""

    def _sort_by_disk(self, path: RepoPath, found: _Sorting) -> None:
        full = os.path.join(self._repo.folder, path)
        info = self._standing(path, full)
        if info is None:
            if not (_is_placeholder(full) or self._is_sparse(path) or self._was_linked_away(path)):
                found.gone.append(path)
            return
        reason = self._unfit(path, full, info)
        if reason:
            found.left.append(Left(path, reason))
        elif stat.S_ISDIR(info.st_mode):
            if not os.path.lexists(os.path.join(full, ".git")):
                found.gone.append(path)  # a file became a folder; what is in it is listed by itself
        else:
            found.changed.append(path)

    def _standing(self, path: RepoPath, full: str) -> os.stat_result | None:
        """What stands under a path, None for nothing: what a link above leads to stands elsewhere."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return os.lstat(full) if self._store.working_copy.obstacle(path) is None else None
        return None

    def _was_linked_away(self, path: RepoPath) -> bool:
        """Whether a folder above went out of the workspace and a link took its place: that link is told, no file is lost."""
        above = self._store.working_copy.obstacle(path)
        with contextlib.suppress(OSError):  # no link, or gone since
            return above is not None and not stays_inside(above, os.readlink(self._store.working_copy.full(above)))
        return False

    def _unfit(self, path: RepoPath, full: str, info: os.stat_result) -> str:
        if stat.S_ISLNK(info.st_mode):
            return "" if stays_inside(path, os.readlink(full)) else "a symbolic link that leaves the workspace"
        if stat.S_ISDIR(info.st_mode):
            return ""
        if not stat.S_ISREG(info.st_mode):
            return "not an ordinary file"
        if info.st_size > LARGE:
            return f"larger than {LARGE // 2**20} MB"
        if not os.access(full, os.R_OK):
            return "not readable"
        if self._store.filters.conversion(path) is Conversion.MISSING:
            return "held: its git filter is not set up here"
        return ""

    def _is_sparse(self, path: RepoPath) -> bool:
        held = self._store.git_index.load().find(path)
        return held is not None and held.skip_worktree

    # -- guarding
    def guard(self, survey: Survey) -> None:
        """Raise MassDeletion where so much is gone that a capture commits nothing by itself."""
        if not may_be_many(survey.gone):
            return
        scope = self._scope()
        tip = self._repo.tip(self._store.ref)
        total = sum(1 for path, _ in self._repo.files(tip) if scope.holds(path))
        if looks_like_an_accident(len(survey.gone), total) and not self._moved(survey, tip):
            raise MassDeletion(len(survey.gone), total)

    def _moved(self, survey: Survey, tip: CommitId | None) -> bool:
        """Whether most of what is gone stands elsewhere now: a folder was moved, nothing was lost."""
        new = [path for path in survey.due if self._repo.entry(tip, path) is None]
        if len(new) < len(survey.gone) * (1 - SHARE):
            return False
        content = {entry.id for path in new if (entry := self._store.working_copy.look(path).entry) is not None}
        lost = [path for path in survey.gone if (entry := self._repo.entry(tip, path)) is None or entry.id not in content]
        return len(lost) <= len(survey.gone) * SHARE

    # -- reading
    def _read(self, survey: Survey, left: list[Left], automatic: bool, aside: Collection[RepoPath]) -> Sifting:
        """The entries to commit, stored. Called under the store's lock, so what it sees is what is committed."""
        gone = [path for path in survey.gone if self._store.working_copy.look(path).entry is None]
        present = [path for path in survey.due if path not in set(gone)]
        sifting = self._sifting(gone)
        if len(present) >= _PACK_FROM:
            with self._store.objects.packing(self._store.places.temps):
                self._look_all(present, sifting, left)
        else:
            self._look_all(present, sifting, left)
        sifting.lose(self._unsettled(gone, sifting.entries, aside) if automatic else ())
        return sifting

    def _sifting(self, gone: Collection[RepoPath]) -> Sifting:
        return Sifting(self._repo, self._holds, self._repo.tip(self._store.ref), gone)

    def _look_all(self, paths: list[RepoPath], sifting: Sifting, left: list[Left]) -> None:
        for path in paths:
            try:
                disk = self._store.working_copy.look(path, store=True)
            except PermissionError:
                left.append(Left(path, "not readable"))
                continue
            except (FilterMissing, GitFailed) as error:
                left.append(Left(path, f"held: its git filter does not work here ({error})"))
                continue
            if disk.entry is not None:
                sifting.look(path, disk.entry, disk.content)

    # -- holding
    def _without_held(self, survey: Survey) -> Survey:
        """The survey with what a capture would hold told as such; of very many files only those that are held already."""
        sifting = self._sifting(survey.gone)
        for path in survey.due:
            if path in sifting.gone or (len(survey.due) > _LOOKED_INTO and not sifting.is_held(path)):
                continue
            try:
                disk = self._store.working_copy.look(path)
                content = disk.content if disk.content is not None else self._store.working_copy.content(path)
            except (PermissionError, FilterMissing, GitFailed):
                continue  # a capture tells
            if disk.entry is not None and content is not None:
                read = disk.entry if content is disk.content else Entry(disk.entry.mode, self._repo.hash_blob(content))
                sifting.look(path, read, content)
        sifting.lose(())
        return _holding(survey, sifting.held)

    def _end_holds(self, sifting: Sifting, message: str) -> CommitReport:
        """Merge the edits whose hold is over from where it began: HEAD has moved on since."""
        held = dict(sifting.held)

        def edits() -> dict[RepoPath, Edit]:
            again = self._sifting([path for path, (_, entry) in sifting.merging.items() if entry is None])
            self._look_all([path for path, (_, entry) in sifting.merging.items() if entry is not None], again, [])
            again.lose(())
            held.update(again.held)
            return again.merging

        report = self._store.bring_in(edits, message=message)
        with self._store.exclusive():
            self._holds.keep(held)
        return report

    def unsettled_until(self) -> float | None:
        """When the deletions that this workspace's captures have left so far may be committed; None when there are none."""
        return self._missing.until()

    def _unsettled(
        self, gone: list[RepoPath], entries: Mapping[RepoPath, Entry | None], aside: Collection[RepoPath]
    ) -> set[RepoPath]:
        tip = self._repo.tip(self._store.ref)
        arrived = {path: entry.id for path, entry in entries.items() if entry is not None}
        folders, ids = {above for path in arrived for above in path.above}, set(arrived.values())
        # Renamed ones need no time: their content stands elsewhere. Nor do those in whose place something else stands.
        lost = [path for path in gone if (entry := self._repo.entry(tip, path)) is None or entry.id not in ids]
        return self._missing.unsettled(
            [path for path in lost if path not in folders and arrived.keys().isdisjoint(path.above)], aside
        )


def _is_placeholder(full: str) -> bool:
    """Whether a cloud client took the file away and left a placeholder: not a deletion."""
    folder, name = os.path.split(full)
    return os.path.lexists(os.path.join(folder, f".{name}.icloud"))


def _message(paths: Sequence[RepoPath]) -> str:
    what = paths[0] if len(paths) == 1 else f"{len(paths)} files"
    return f"save {what}\n\nMemtree-Writer: editor\n"


def _among(survey: Survey, only: Collection[RepoPath]) -> Survey:
    due, gone = ([path for path in paths if path in only] for paths in (survey.due, survey.gone))
    return replace(survey, due=tuple(due), gone=tuple(gone))


def _undecided(everything: Survey, survey: Survey) -> set[str]:
    """The touched paths that a capture of `survey` says nothing about."""
    return {*(left.path for left in everything.left), *everything.staged, *everything.due} - set(survey.due)


def _holding(survey: Survey, held: Mapping[RepoPath, HeldFile]) -> Survey:
    """The survey with these paths held: not due, and left for the reason that each gives."""
    return Survey(
        tuple(path for path in survey.due if path not in held),
        tuple(path for path in survey.gone if path not in held),
        survey.staged,
        tuple(sorted((*survey.left, *(Left(path, one.reason) for path, one in held.items())), key=lambda left: left.path)),
        tuple(one for _, one in sorted(held.items())),
    )
