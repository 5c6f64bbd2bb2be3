"""The working copy: the files a person or an agent edits, looked at and changed without ever overwriting an unseen edit."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from memtree.engine.files import Files
from memtree.engine.repo import Repo
from memtree.engine.store.filters import Conversion, Filters
from memtree.engine.store.object_writer import ObjectWriter
from memtree.engine.store.places import Places
from memtree.engine.store.plan import PlannedPath, is_submodule, writes_file
from memtree.tree.errors import StateError
from memtree.tree.objects import EXECUTABLE, FILE, SYMLINK, BlobId, Entry
from memtree.tree.paths import RepoPath


class PathBlocked(StateError):
    """Something that memtree cannot move aside stands where a file must go."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path} is in the way: it is {what}", hint="move it away and try again")
        self.path = path


class FilterMissing(StateError):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path} needs a git filter that is not set up here", hint="install and unlock the filter, then try again")


@dataclass(frozen=True, slots=True)
class Disk:
    """What is on disk under a path. `stat` only when the file held still while it was read, so that it may be cached."""

    entry: Entry | None
    stat: os.stat_result | None = None
    content: bytes | None = None  # what the entry's blob holds, unless a filter makes it of the file's bytes


NOTHING = Disk(None)


@dataclass(frozen=True, slots=True)
class Raced:
    """An outside edit that was found in the way: what it holds, and what is on disk now (stored, when it is yet another edit)."""

    edit: Entry | None
    disk: Entry | None


class WorkingCopy:
    def __init__(self, repo: Repo, files: Files, filters: Filters, places: Places, objects: ObjectWriter) -> None:
        self._repo = repo
        self._files = files
        self._staging = files
        self._filters = filters
        self._places = places
        self._objects = objects
        self._passing = False
        self._clear: str | None = None  # while passing: the folder just looked at, with nothing in its way
        self._made: str | None = None  # the folder just made

    def passing(self, moves: Files | None = None) -> WorkingCopy:
        """For one pass over many paths in order: a folder is looked at once for the files of it that follow each other.

        With `moves` what is moved goes through that door, whose syncs come all at once at the end of the pass. Contents that are
        staged meanwhile are synced all the same: a content must be safe before it is moved.
        """
        copy = WorkingCopy(self._repo, moves or self._files, self._filters, self._places, self._objects)
        copy._staging, copy._passing = self._files, True
        return copy

    def full(self, path: str) -> str:
        return os.path.join(self._repo.folder, path)

    # -- looking
    def look(self, path: RepoPath, *, store: bool = False) -> Disk:
        """What is on disk under a path, never through a linked folder; with `store` its content is also kept as a blob."""
        if self.obstacle(path) is not None:
            return NOTHING
        return self._look(path, self.full(path), store)

    def held(self, path: RepoPath, full: str, *, store: bool = False) -> Disk:
        """What a file that stands elsewhere holds, seen as the content of `path`."""
        return self._look(path, full, store)

    def is_staged(self, planned: PlannedPath) -> bool:
        """Whether the temporary file holds what the plan writes, not what it displaced."""
        return self._holds(planned, self.temp(planned))

    def _look(self, path: RepoPath, full: str, store: bool) -> Disk:
        try:
            before = os.lstat(full)
        except (FileNotFoundError, NotADirectoryError):
            return NOTHING
        link = stat.S_ISLNK(before.st_mode)
        if not link and not stat.S_ISREG(before.st_mode):
            return NOTHING
        try:
            data = os.fsencode(os.readlink(full)) if link else read_file(full)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return NOTHING  # gone since
        except OSError as error:
            if error.errno == (errno.EINVAL if link else errno.ELOOP):
                return self._look(path, full, store)  # a file took the place of a link, or the other way round
            raise
        if link:
            return Disk(Entry(SYMLINK, self._objects.blob(data) if store else self._repo.hash_blob(data)), before)
        entry = Entry(EXECUTABLE if before.st_mode & 0o100 else FILE, self.stored(path, data, keep=store))
        plain = self._filters.conversion(path) is Conversion.NONE
        return Disk(entry, before if _still(full, before) else None, data if plain else None)

    def stored(self, path: RepoPath, data: bytes, *, keep: bool) -> BlobId:
        """The id of what git stores for a file's bytes; with `keep` the blob is made. Raise FilterMissing."""
        match self._filters.conversion(path):
            case Conversion.NONE:
                return self._objects.blob(data) if keep else self._repo.hash_blob(data)
            case Conversion.GIT:
                made = self._filters.clean(path, data, store=keep)
                if keep:
                    self._objects.note(made)
                return made
            case Conversion.MISSING:
                raise FilterMissing(path)

    def content(self, path: RepoPath) -> bytes | None:
        """What git would store for the file now: its bytes (a link's target) or what its filter makes of them; None if absent."""
        full = self.full(path)
        try:
            mode = os.lstat(full).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(mode):
            return os.fsencode(os.readlink(full))
        if not stat.S_ISREG(mode):
            return None
        if self._filters.conversion(path) is Conversion.GIT:
            return self._repo.blob(self._filters.clean(path, read_file(full), store=True))
        return read_file(full)

    def obstacle(self, path: RepoPath) -> RepoPath | None:
        """The first part above `path` that is not a folder (a symbolic link is not one), or None."""
        if self._passing and path.folder == self._clear:
            return None
        found = self._obstacle(path)
        self._clear = path.folder if found is None else None
        return found

    def _obstacle(self, path: RepoPath) -> RepoPath | None:
        parts = path.split("/")
        for end in range(1, len(parts)):
            above = "/".join(parts[:end])
            try:
                mode = os.lstat(self.full(above)).st_mode
            except FileNotFoundError:
                return None
            if not stat.S_ISDIR(mode):
                return RepoPath(above)
        return None

    def refuse_blocked(self, path: RepoPath, going: set[RepoPath]) -> None:
        """Raise PathBlocked when a file must go where a folder with other content, or no ordinary file, stands."""
        try:
            mode = os.lstat(self.full(path)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return
        if stat.S_ISDIR(mode):
            for folder, _, names in os.walk(self.full(path)):
                for name in names:
                    inner = os.path.relpath(os.path.join(folder, name), self._repo.folder)
                    if RepoPath(inner) not in going:
                        raise PathBlocked(path, f"a folder that holds {inner}")
        elif not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
            raise PathBlocked(path, "a device, pipe or socket")

    # -- staging
    def temp(self, planned: PlannedPath) -> str:
        return os.path.join(self._places.temps, planned.temp)

    def stage(self, planned: PlannedPath) -> None:
        """Write the new content beside, whole or not at all: a torn temp must never look like displaced bytes."""
        temp = self.temp(planned)
        part = temp + ".part"
        self._staging.unlink(part)
        self._write(planned, part, self._staging)
        self._staging.rename(part, temp)

    def stage_all(self, plan: Iterable[PlannedPath], files: Files) -> None:
        """Write the contents of a plan that no journal names yet: nobody looks at them before they are whole and synced."""
        for planned in plan:
            self._write(planned, self.temp(planned), files)

    def _write(self, planned: PlannedPath, path: str, files: Files) -> None:
        assert planned.result is not None
        content = self.contents(planned.path, planned.result)
        if planned.result.mode == SYMLINK:
            files.symlink(content, path)
        else:
            files.write_new(path, content, mode=0o777 if planned.result.mode == EXECUTABLE else 0o666)

    def contents(self, path: RepoPath, entry: Entry) -> bytes:
        """The bytes that belong into the file for a stored entry (a link's target). Raise FilterMissing."""
        if entry.mode == SYMLINK:
            return self._repo.blob(entry.id)
        match self._filters.conversion(path):
            case Conversion.NONE:
                return self._repo.blob(entry.id)
            case Conversion.GIT:
                return self._filters.smudge(path, entry.id)
            case Conversion.MISSING:
                raise FilterMissing(path)

    # -- placing
    def place(self, planned: PlannedPath) -> Raced | None:
        """Bring the plan's content under its path; return the outside edit that was found there instead, if any.

        May be repeated after a kill at any point: what the temp holds says how far an earlier try came.
        """
        if not writes_file(planned) or is_submodule(planned.result):
            raced = self._take_away(planned) if writes_file(planned) else None
            if raced is None:
                self._mark_submodule(planned)
            return raced
        if planned.result is None:
            return self._take_away(planned)
        if planned.disk is None:
            return self._put_new(planned)
        return self._exchange(planned)

    def _mark_submodule(self, planned: PlannedPath) -> None:
        """An empty folder stands for a submodule that is not checked out, as git makes it; without one it would look deleted."""
        if is_submodule(planned.result) and not os.path.lexists(self.full(planned.path)):
            self._make_folders(planned.path)
        elif planned.result is None and _is_folder(self.full(planned.path)) and planned.disk is not None:
            self._prune(planned.path)  # only where it is empty

    def _take_away(self, planned: PlannedPath) -> Raced | None:
        temp, full = self.temp(planned), self.full(planned.path)
        self._give_folder_back(temp, full)
        if not os.path.lexists(temp):
            now = self.look(planned.path).entry
            if now is None:
                return None
            if now != planned.disk:
                return self._raced(planned.path)
            try:
                self._files.rename(full, temp)
            except FileNotFoundError:
                return None
            self._files.sync_folder(os.path.dirname(full))
            if self._give_folder_back(temp, full) and not os.path.lexists(temp):
                return None
        raced = self._check_displaced(planned)
        if raced is None and self.look(planned.path).entry == planned.disk:
            # The file is back as it was (a forced check-out after a kill): the temp of the first try is done with.
            self._files.unlink(temp)
            return self._take_away(planned)
        self._prune(planned.path.folder)
        return raced

    def _put_new(self, planned: PlannedPath) -> Raced | None:
        temp, full = self.temp(planned), self.full(planned.path)
        if self._placed(planned):
            return None
        if self.look(planned.path).entry is not None:
            return self._raced(planned.path)
        if not os.path.lexists(temp):
            self.stage(planned)
        try:
            self._make_folders(planned.path.folder)
        except PathBlocked:
            return self._raced(planned.path)  # what stands where a folder must be is an outside edit: the new plan finds it
        self._remove_empty_folders(full)
        try:
            self._files.rename_new(temp, full)
        except FileExistsError:
            return self._raced(planned.path)
        self._files.sync_folder(os.path.dirname(full))
        return None

    def _exchange(self, planned: PlannedPath) -> Raced | None:
        temp, full = self.temp(planned), self.full(planned.path)
        self._files.finish_exchange(temp)
        self._give_folder_back(temp, full)
        if not os.path.lexists(temp):
            self.stage(planned)
        if not self._holds(planned, temp):
            # Exchanged by an earlier try: the temp holds what was displaced.
            raced = self._check_displaced(planned)
            if raced is not None or self._placed(planned) or self.look(planned.path).entry != planned.disk:
                return raced
            self._files.unlink(temp)  # the old content is back, so the work is done again
            self.stage(planned)
        if self._placed(planned):
            return None
        if self.look(planned.path).entry != planned.disk:
            return self._raced(planned.path)
        try:
            self._files.exchange(temp, full)
        except FileNotFoundError:
            return self._raced(planned.path)
        self._files.sync_folder(os.path.dirname(full))
        if self._give_folder_back(temp, full) and self._holds(planned, temp):
            return self._raced(planned.path)
        return self._check_displaced(planned)

    def _give_folder_back(self, temp: str, full: str) -> bool:
        """A folder that took the file's place between looking and moving goes back: nobody has seen what is in it."""
        if not _is_folder(temp) or _is_folder(full):
            return False
        if os.path.lexists(full):
            self._files.exchange(temp, full)
        else:
            self._files.rename_new(temp, full)
        self._files.sync_folder(os.path.dirname(full))
        return True

    def _placed(self, planned: PlannedPath) -> bool:
        return self.obstacle(planned.path) is None and self._holds(planned, self.full(planned.path))

    def _holds(self, planned: PlannedPath, full: str) -> bool:
        """Whether a file is what the plan writes. The id that it would be stored under does not always tell: a CRLF that was
        stored by other means under a `text` attribute would not be stored so again."""
        found, result = self._look(planned.path, full, False).entry, planned.result
        if found is None or result is None or found == result:
            return found == result
        if not found.is_file or found.mode != result.mode or self._filters.conversion(planned.path) is not Conversion.GIT:
            return False
        return read_file(full) == self.contents(planned.path, result)

    def _check_displaced(self, planned: PlannedPath) -> Raced | None:
        """Hash what was displaced after the fact: only so can an edit not slip in between looking and moving."""
        temp = self.temp(planned)
        if self._look(planned.path, temp, False).entry == planned.disk:
            return None
        return Raced(self._look(planned.path, temp, True).entry, self.look(planned.path, store=True).entry)

    def _raced(self, path: RepoPath) -> Raced:
        found = self.look(path, store=True).entry
        return Raced(found, found)

    def _make_folders(self, folder: str) -> None:
        if self._passing and folder == self._made:
            return
        self._made = folder
        here = self._repo.folder
        for part in filter(None, folder.split("/")):
            here = os.path.join(here, part)
            try:
                self._files.make_folder(here)
            except FileExistsError as error:
                raise PathBlocked(os.path.relpath(here, self._repo.folder), "not a folder") from error

    def _remove_empty_folders(self, full: str) -> None:
        """Make room where a folder without files stands: to git, and so to every other machine, it is nothing."""
        if os.path.isdir(full) and not os.path.islink(full):
            for folder, _, _ in os.walk(full, topdown=False):
                self._files.remove_folder(folder)

    def _prune(self, folder: str) -> None:
        while folder and self._files.remove_folder(self.full(folder)):
            folder = os.path.dirname(folder)


def read_file(full: str) -> bytes:
    """A file's bytes, without following a link or waiting on a pipe."""
    fd = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        return file.read()


def _still(full: str, before: os.stat_result) -> bool:
    try:
        after = os.lstat(full)
    except FileNotFoundError:
        return False
    return (before.st_ino, before.st_size, before.st_mtime_ns, before.st_ctime_ns) == (
        after.st_ino,
        after.st_size,
        after.st_mtime_ns,
        after.st_ctime_ns,
    )


def _is_folder(full: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(full).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
