"""Moving a ref by compare-and-swap, with git's own locking protocol.

The lock is a hard link to a file of ours, so that after a kill its owner can be told by the inode and nobody else's lock is ever
touched. libgit2's create-on-ref insists that the first parent is the current tip, which a canonical merge commit cannot promise.
"""

from __future__ import annotations

import os
import time

from memtree.engine.files import Files, same_file
from memtree.engine.repo import Repo
from memtree.engine.store.places import Places
from memtree.tree.errors import TransientError
from memtree.tree.objects import CommitId

ZERO = "0" * 40


class GitLockBusy(TransientError):
    """A lock of git's that another program holds."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is held by another program",
            hint="wait for the running git command or close the editor it opened; if none is running, remove the file",
        )
        self.path = path


class HeadMoved(TransientError):
    """The ref is no longer where the plan started from."""

    def __init__(self, ref: str, now: CommitId | None) -> None:
        super().__init__(f"{ref} moved to {now}", hint="try again")
        self.now = now


def wait_link(files: Files, source: str, lock: str, *, timeout: float) -> None:
    """Take a lock by linking our file to its name; raise GitLockBusy when another program keeps it."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            files.link(source, lock)
        except FileExistsError:
            if same_file(source, lock):
                return
            if time.monotonic() >= deadline:
                raise GitLockBusy(lock) from None
            time.sleep(0.005)
        else:
            return


class RefMover:
    def __init__(self, repo: Repo, files: Files, places: Places, *, timeout: float) -> None:
        self._repo = repo
        self._files = files
        self._places = places
        self._timeout = timeout

    def lock_path(self, ref: str) -> str:
        return os.path.join(self._repo.common_folder, ref + ".lock")

    def move(self, ref: str, old: CommitId | None, new: CommitId, *, reason: str, when: int) -> None:
        """Set `ref` from `old` to `new`; raise HeadMoved when it stands elsewhere, GitLockBusy when it is locked."""
        lock, mine = self.lock_path(ref), self._places.ref_new
        self.drop_lock(ref)
        self._files.unlink(mine)
        self._files.write_new(mine, (new + "\n").encode())
        self._files.make_folders(os.path.dirname(lock))
        wait_link(self._files, mine, lock, timeout=self._timeout)
        try:
            self._compare(ref, old)
            self._log(ref, old, new, reason, when)
            self._files.rename(lock, os.path.join(self._repo.common_folder, ref))
            self._files.sync_folder(os.path.dirname(lock))
        except BaseException:
            self.drop_lock(ref)
            raise
        finally:
            self._files.unlink(mine)

    def _compare(self, ref: str, old: CommitId | None) -> None:
        now = self._repo.tip(ref)
        if now != old:
            raise HeadMoved(ref, now)

    def drop_lock(self, ref: str) -> None:
        """Remove the ref's lock when it is ours (a killed run left it); another program's is not touched."""
        if same_file(self.lock_path(ref), self._places.ref_new):
            self._files.unlink(self.lock_path(ref))

    def _log(self, ref: str, old: CommitId | None, new: CommitId, reason: str, when: int) -> None:
        person = self._repo.author()
        line = f"{old or ZERO} {new} {person.name} <{person.email}> {when} +0000\tmemtree: {reason}\n".encode()
        for folder, name in ((self._repo.common_folder, ref), (self._repo.git_folder, "HEAD")):
            path = os.path.join(folder, "logs", name)
            self._files.make_folders(os.path.dirname(path))
            self._files.append(path, line)

    def was_reached(self, ref: str, commit: CommitId) -> bool:
        """Whether the ref once stood at `commit` and was moved on since, by its log: a person's reset."""
        try:
            with open(os.path.join(self._repo.common_folder, "logs", ref), encoding="utf-8", errors="replace") as file:
                moves = [line.split(" ", 2)[:2] for line in file]
        except FileNotFoundError:
            return False
        hits = [at for at, move in enumerate(moves) if move[1:] == [commit]]
        return bool(hits) and hits[-1] + 1 < len(moves) and moves[hits[-1] + 1][0] == commit
