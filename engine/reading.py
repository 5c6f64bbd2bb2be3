"""Reading one file for an agent: as it is on the disk, never by way of a link, or as history holds it; in slices of lines."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.history import file_entry
from memtree.engine.settings import FILE_NAME
from memtree.tree.errors import UserError
from memtree.tree.kinds import is_binary
from memtree.tree.objects import FILE, CommitId, Entry
from memtree.tree.paths import RepoPath, fold, refusal

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

LARGEST = 50 * 1024 * 1024  # bytes of a file
LONGEST = 50_000  # characters of a slice
_LOOKED_AT = 8_192  # bytes that tell a binary file


class NotReadable(UserError):
    """A path that is not handed out, or that holds no text."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Lines `first` to `last` (counted from 1) of `total`; `first` > `last` for an empty file. `cut` when the last is not whole."""

    text: str
    first: int
    last: int
    total: int
    cut: bool = False


def readable(workspace: Workspace, text: str) -> RepoPath:
    """A path that an agent may read, as it was named from the workspace's root; raise NotReadable."""
    reason = refusal(text)
    if reason:
        raise NotReadable(f"the path is refused: {reason}", hint="name a file from the workspace's root, such as notes/today.md")
    path = RepoPath(text)
    if is_settings(path) or not workspace.scope().holds(path):
        raise NotReadable(f"{path} is outside what memory holds", hint="search finds the files that can be read")
    return path


def is_settings(path: str) -> bool:
    """Whether a path leads to the settings, also where file systems do not tell its case."""
    return fold(path) == FILE_NAME


def on_disk(workspace: Workspace, path: RepoPath) -> tuple[bytes, bool]:
    """A file's bytes now, and whether secrets were taken out of them: what must not be committed is not handed out either."""
    data = file_bytes(workspace.root, path)
    head = workspace.repo.entry(workspace.repo.tip("HEAD"), path)
    entry = Entry(FILE, workspace.repo.hash_blob(data))
    if (head is not None and head.id == entry.id) or _is_binary(path, data):
        return data, False
    if not workspace.secrets.new_spots(entry, [head], content=data):
        return data, False
    return workspace.redactor.text(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"), True


def at_commit(workspace: Workspace, path: RepoPath, commit: CommitId) -> bytes:
    """What a file held at a commit; raise NotAFile, NotReadable."""
    entry = file_entry(workspace.repo, path, commit)
    if not entry.is_file:
        raise NotReadable(f"{path} was a symbolic link then", hint="read the file that it points to")
    if workspace.repo.size(entry.id) > LARGEST:
        raise _too_large(path)
    return workspace.repo.blob(entry.id)


def as_text(path: RepoPath, data: bytes) -> str:
    """A file's text, its line ends as LF; raise NotReadable when it is none."""
    if _is_binary(path, data):
        raise NotReadable(f"{path} is a binary file ({len(data):,} bytes)", hint="only text can be read here")
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def lines_of(text: str, start: int = 1, end: int | None = None, *, most: int = LONGEST) -> Slice:
    """The lines from `start` to `end`, as many as `most` characters hold; one that is longer than that is cut."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    total = len(lines)
    stop = total if end is None else min(end, total)
    kept: list[str] = []
    left = most
    for line in lines[start - 1 : stop]:
        if len(line) + 1 > left:
            break
        kept.append(line)
        left -= len(line) + 1
    if not kept and start <= stop:
        return Slice(lines[start - 1][:most], start, start, total, cut=len(lines[start - 1]) > most)
    return Slice("\n".join(kept), start, start + len(kept) - 1, total)


def file_bytes(root: str, path: RepoPath) -> bytes:
    """A file's bytes, each folder on the way opened from the one before: a link put there leads nowhere. Raise NotReadable."""
    *folders, name = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    except OSError as error:
        raise _not_there(root, path, error) from error
    finally:
        os.close(here)
    try:
        _refuse_unfit(path, os.fstat(fd))
    except NotReadable:
        os.close(fd)
        raise
    with open(fd, "rb") as file:
        return file.read(LARGEST + 1)


def _refuse_unfit(path: RepoPath, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise NotReadable(f"{path} is a folder", hint="search with this path finds what is in it")
    if not stat.S_ISREG(found.st_mode):
        raise NotReadable(f"{path} is no ordinary file")
    if found.st_size > LARGEST:
        raise _too_large(path)


def _not_there(root: str, path: RepoPath, error: OSError) -> NotReadable:
    parts = path.split("/")
    if any(os.path.islink(os.path.join(root, *parts[:end])) for end in range(1, len(parts) + 1)):
        return NotReadable(f"{path} is, or lies behind, a symbolic link", hint="read the file that it points to")
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return NotReadable(f"there is no {path} on the disk", hint="search finds files; a revision reads one that is gone")
    return NotReadable(f"{path} cannot be read: {error.strerror}", hint="check who owns it")


def _too_large(path: RepoPath) -> NotReadable:
    return NotReadable(f"{path} is larger than {LARGEST // 2**20} MB", hint="search finds passages in it")


def _is_binary(path: RepoPath, data: bytes) -> bool:
    return is_binary(path) or b"\0" in data[:_LOOKED_AT]
