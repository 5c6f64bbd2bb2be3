"""Scrubbing: a file that holds what must be forgotten, and is not committed yet, is changed in place and never reaches history."""

from __future__ import annotations

import os

from memtree.engine.store.working_copy import read_file
from memtree.engine.workspace import Workspace
from memtree.tree.errors import TransientError
from memtree.tree.paths import RepoPath


class EditedMeanwhile(TransientError):
    def __init__(self, path: str) -> None:
        super().__init__(f"{path} was edited at the same moment; it is as its editor left it", hint="run the same command again")
        self.path = path


def scrub_file(workspace: Workspace, path: RepoPath, before: bytes, after: bytes) -> None:
    """Put `after` in the place of a file that holds `before`; raise EditedMeanwhile when it holds anything else."""
    files, full = workspace.files, workspace.store.working_copy.full(path)
    with workspace.store.exclusive():
        temp = os.path.join(workspace.places.temps, f"forget-{os.urandom(6).hex()}")
        files.write_new(temp, after, mode=os.stat(full).st_mode & 0o777)
        try:
            files.exchange(temp, full)
            if read_file(temp) != before:
                files.exchange(temp, full)
                raise EditedMeanwhile(path)
        finally:
            files.unlink(temp)
