"""Maintenance: keeps history small and scans quick. Loose objects are packed by git where it exists, else by ourselves."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from memtree.engine.git import NO_HOOKS, Git
from memtree.engine.workspace import Workspace

_AUTO_SAMPLE, _AUTO_LIMIT = "17", 20  # as git does: the number of objects in one of 256 folders stands for all


@dataclass(frozen=True, slots=True)
class MaintainReport:
    """What the object store takes on the disk, in bytes, and what was removed."""

    loose_before: int
    loose_after: int
    bytes_before: int
    bytes_after: int
    displaced_dropped: int
    packed_by: str


def maintain(workspace: Workspace) -> MaintainReport:
    """Pack loose objects, refresh the stat data of the git index, drop displaced contents older than an hour."""
    objects = os.path.join(workspace.repo.common_folder, "objects")
    loose, size = _loose(objects), _size(objects)
    with workspace.store.exclusive():
        # Unreferenced objects stay for two weeks (git's default), so nothing that a plan in progress named can vanish.
        if Git.available():
            workspace.git.run(*NO_HOOKS, "gc", "--quiet", timeout=None)
            by = "git gc"
        else:
            workspace.repo.pack_loose()
            by = "memtree"
        dropped = workspace.store.displaced.drop()
    workspace.store.refresh_index_times(force=True)
    return MaintainReport(loose, _loose(objects), size, _size(objects), dropped, by)


def is_due(workspace: Workspace) -> bool:
    """Whether so many loose objects have gathered that packing pays; costs one folder listing."""
    try:
        return len(os.listdir(os.path.join(workspace.repo.common_folder, "objects", _AUTO_SAMPLE))) > _AUTO_LIMIT
    except FileNotFoundError:
        return False


def _loose(objects: str) -> int:
    return sum(len(os.listdir(entry.path)) for entry in os.scandir(objects) if entry.is_dir() and len(entry.name) == 2)


def _size(folder: str) -> int:
    total = 0
    for here, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # another program packs or writes at the same time
                total += os.lstat(os.path.join(here, name)).st_blocks * 512
    return total


def maintain_quietly(workspace: Workspace) -> None:
    """Let git pack in the background when it finds that worth it; failing is no harm."""
    if Git.available():
        workspace.git.call("gc", "--auto", "--quiet", check=False)
