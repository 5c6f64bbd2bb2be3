"""Changing a settings file that other programs write too: whole or not at all, and never over an edit that was not seen.

It knows nothing of what stands in the file. A plan, made from the bytes that are there, says what shall be there; when they
are others in the moment of the exchange, these come back and the plan is made again.
"""

from __future__ import annotations

import contextlib
import enum
import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memtree.engine.files import Durability, Files
from memtree.hooks.connect.errors import NotASettingsFile, ReadOnlySettings, UnsteadySettings

BACKUP_END = ".before-memtree"
_NEW_END = ".memtree-new"
_TRIES = 20
_PATIENCE, _PAUSE = 10.0, 0.01  # seconds to wait for another run of ours, and between two looks
_MOMENT = 0.05  # seconds that a program may need from emptying a file to filling it
_NO_FLAGS = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)  # what a file system says that cannot exchange names
_NEW_MODE, _NEW_FOLDER_MODE = 0o600, 0o700


class Backup(enum.Enum):
    """What becomes of the copy beside the file."""

    KEEP = "keep"
    WRITE = "write"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Edit:
    """What shall be: the file's content (None: no file), and its backup."""

    content: bytes | None
    backup: Backup = Backup.KEEP


@dataclass(frozen=True, slots=True)
class Changed:
    """What was there before and what is there now, None for no file; `backup` is the copy's path where there is one now."""

    before: bytes | None
    after: bytes | None
    backup: str | None


Plan = Callable[[bytes | None, bytes | None], Edit]


class SettingsFile:
    """One settings file by its path. A link is followed: what it points to is changed, the link stays."""

    def __init__(self, path: str, files: Files | None = None) -> None:
        self.path = path
        self.backup = path + BACKUP_END
        self._files = files or Files(Durability.FULL)

    def read(self) -> bytes | None:
        """The file's bytes, None where there is none."""
        found = _read(self.path)
        if found == b"":
            time.sleep(_MOMENT)  # perhaps it is just being written
            found = _read(self.path)
        return found

    def preview(self, plan: Plan) -> Changed:
        """What `change` would do now; nothing is written."""
        before, saved = self.read(), _read(self.backup)
        edit = plan(before, saved)
        if edit.content != before:
            self._refuse_read_only()
        there = {Backup.KEEP: saved is not None, Backup.WRITE: before is not None, Backup.REMOVE: False}[edit.backup]
        return Changed(before, edit.content, self.backup if there else None)

    def change(self, plan: Plan) -> Changed:
        """Do what the plan says of the present bytes and those of the backup, both None where there is no file.

        The file keeps its mode; a new one is the user's alone, as are new folders. Raise ReadOnlySettings, UnsteadySettings;
        errors of the plan pass through. In each case the file is as it was.
        """
        if not os.path.isdir(os.path.dirname(self.path)) and plan(None, None).content is None:
            return Changed(None, None, None)
        target = os.path.realpath(self.path)
        for folder in (os.path.dirname(self.path), os.path.dirname(target)):
            _make_folders(folder)
        with self._alone(os.path.dirname(target)):
            for _ in range(_TRIES):
                before, saved = self.read(), _read(self.backup)
                edit = plan(before, saved)
                if edit.content == before:
                    return Changed(before, before, self.backup if saved is not None else None)
                self._refuse_read_only()
                if edit.backup is Backup.WRITE and before is not None:
                    self._copy(before, target)
                if self._put(target, before, edit.content):
                    if edit.backup is Backup.REMOVE:
                        self._files.unlink(self.backup)
                    return Changed(before, edit.content, self.backup if os.path.lexists(self.backup) else None)
        raise UnsteadySettings(self.path)

    def _refuse_read_only(self) -> None:
        try:
            mode = os.stat(self.path).st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISREG(mode) or not mode & 0o222 or not os.access(self.path, os.W_OK):
            raise ReadOnlySettings(self.path)

    def _copy(self, data: bytes, target: str) -> None:
        """Write the backup, readable to the same people as the file."""
        new = self.backup + _NEW_END
        self._stage(new, data, target)
        self._files.rename(new, self.backup)
        self._files.sync_folder(os.path.dirname(self.backup))

    def _stage(self, new: str, data: bytes, like: str) -> None:
        """Write a new file with the mode and owner of the one it shall stand for."""
        self._files.unlink(new)
        self._files.write_new(new, data, mode=_NEW_MODE)
        with contextlib.suppress(FileNotFoundError):
            found = os.stat(like)
            with contextlib.suppress(PermissionError):  # somebody else's file that we may write: it becomes ours
                os.chown(new, found.st_uid, found.st_gid)
            os.chmod(new, stat.S_IMODE(found.st_mode))

    def _put(self, target: str, before: bytes | None, content: bytes | None) -> bool:
        """Bring the file from one content to the other; False, with the file as it is, where it holds something else by now."""
        new = target + _NEW_END
        try:
            if content is None:
                return self._taken_away(target, new, before)
            self._stage(new, content, target)
            if before is None:
                self._files.rename_new(new, target)
            elif not self._exchanged(new, target, before, content):
                return False
        except (FileExistsError, FileNotFoundError):
            return False
        except OSError as error:
            if error.errno not in _NO_FLAGS or not self._files.can_exchange:
                raise
            self._files.can_exchange = False
            return False
        finally:
            self._files.unlink(new)
            self._files.sync_folder(os.path.dirname(target))
        return True

    def _exchanged(self, new: str, target: str, before: bytes, content: bytes) -> bool:
        """Swap the new file in; swap back what was written meanwhile, until nothing newer than what lies at the target is aside."""
        self._files.exchange(new, target)
        self._files.sync_folder(os.path.dirname(target))  # takes a moment, in which a program that writes the old file may end
        aside: bytes | None = _read(new)
        placed: bytes | None = content
        if aside == before:
            return True
        while True:
            self._files.exchange(new, target)
            found = _read(new)
            if found == placed:
                return False
            aside, placed = found, aside

    def _taken_away(self, target: str, new: str, before: bytes | None) -> bool:
        """Remove the file that holds `before`; what was written meanwhile comes back."""
        self._files.rename(target, new)
        if _read(new) == before:
            return True
        self._files.rename_new(new, target)
        return False

    @contextlib.contextmanager
    def _alone(self, folder: str) -> Iterator[None]:
        """Keep other runs of ours out by a lock on the folder, which leaves no file behind; without where there is no such lock."""
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            deadline = time.monotonic() + _PATIENCE
            while not _locked(fd):
                if time.monotonic() > deadline:
                    raise UnsteadySettings(self.path)
                time.sleep(_PAUSE)
            yield
        finally:
            os.close(fd)


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a network file system that locks no folders: the exchange alone must do
        return True
    return True


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.EISDIR, errno.ELOOP):
            raise NotASettingsFile(path) from error
        raise


def _make_folders(path: str) -> None:
    if not os.path.isdir(path):
        _make_folders(os.path.dirname(path))
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, _NEW_FOLDER_MODE)
