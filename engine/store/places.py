"""Where the store keeps its own state: under the git directory, so it is never synced and never dirties a diff."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from memtree.engine.repo import Repo
from memtree.tree.errors import CorruptionError


@dataclass(frozen=True, slots=True)
class Places:
    """Absolute paths. Three of them are second names of lock files: a lock is ours exactly when it is the same inode."""

    folder: str  # .git/memtree
    temps: str  # staged contents, on the file system of the work tree
    displaced: str  # inodes that an exchange took away, kept a while
    journal: str
    recent: str  # ring of what the last commits wrote
    write_lock: str
    index: str
    index_lock: str
    index_new: str  # our second name of index.lock
    index_full: str  # the next index, before it is renamed onto the live one
    spliced: str  # one byte for each entry spliced into the index since it was last rewritten by git
    ref_new: str  # our second name of the ref's lock
    search: str  # full-text index

    @classmethod
    def of(cls, repo: Repo) -> Places:
        git, state = repo.git_folder, os.path.join(repo.git_folder, "memtree")
        _refuse_link(state)
        _make(state)
        temps = _temps(repo.folder, state)
        places = cls(
            folder=state,
            temps=temps,
            displaced=os.path.join(temps, "displaced"),
            journal=os.path.join(state, "journal"),
            recent=os.path.join(state, "recent"),
            write_lock=os.path.join(state, "write.lock"),
            index=os.path.join(git, "index"),
            index_lock=os.path.join(git, "index.lock"),
            index_new=os.path.join(state, "index.new"),
            index_full=os.path.join(state, "index.full"),
            spliced=os.path.join(state, "spliced"),
            ref_new=os.path.join(state, "ref.new"),
            search=os.path.join(state, "index"),
        )
        places.make()
        return places

    def make(self) -> None:
        """Make the folders; a person may remove them at any time, also while a workspace is open.

        Raise FileNotFoundError where all of the workspace is gone: nothing may stand in its place.
        """
        _make(self.folder)
        os.makedirs(self.displaced, exist_ok=True)


def _make(folder: str) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder)


OUTSIDE_TEMPS = ".memtree-tmp"


def _temps(work_tree: str, state: str) -> str:
    """The folder for staged contents: a rename cannot cross file systems, so it must be on the work tree's."""
    if os.stat(work_tree).st_dev == os.stat(state).st_dev:
        return os.path.join(state, "tmp")
    return os.path.join(work_tree, OUTSIDE_TEMPS)


def _refuse_link(path: str) -> None:
    if os.path.islink(path):
        raise CorruptionError(f"{path} is a symbolic link", hint="remove it; memtree makes this folder itself")
