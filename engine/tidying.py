"""Tidying: what keeps a repository small while a process serves it for weeks, in small bites and beside everybody who writes.

Unlike `maintain` it holds no lock while git packs: nothing that is in no branch is removed, so nothing that a writer has just made,
or is about to name, can vanish. Several packs become one only when they are about as large, so a bite costs what is new.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memtree.engine.children import Children
from memtree.engine.git import GitFailed
from memtree.engine.workspace import Workspace

_SAMPLES = ("17", "a8")  # as git does: names are spread evenly over 256 folders
_STALE = 2 * 86_400.0  # seconds after which a temporary file of a killed git, or of ours, has no owner any more
_LONGEST_GC = 12 * 3600.0  # seconds: as git itself believes
# Without hooks, of one repository, and no more than one core; a bitmap, which a setting may ask for, is only of everything.
_REPACK = ("-c", "core.hooksPath=/dev/null", "-c", "pack.threads=1", "repack", "-d", "-l", "-n", "-q", "--no-write-bitmap-index")


@dataclass(frozen=True, slots=True)
class Tidied:
    """Loose objects before and after (estimated), displaced contents and stale files that were removed."""

    loose_before: int
    loose_after: int
    dropped: int
    swept: int


def loose_objects(common_folder: str) -> int:
    """About how many loose objects there are; costs two folder listings."""
    found = sum(len(_names(os.path.join(common_folder, "objects", sample))) for sample in _SAMPLES)
    return found * 256 // len(_SAMPLES)


def in_the_way(workspace: Workspace) -> str:
    """What a person's git does here right now, or ''."""
    if what := workspace.repo.busy_with():
        return what
    if os.path.lexists(workspace.places.index_lock):
        return "git command"
    return "git gc" if _is_collecting(workspace) else ""


def _is_collecting(workspace: Workspace) -> bool:
    """Whether `git gc` runs, as git tells it: what it left of itself when it was killed counts for half a day at most."""
    try:
        began = os.lstat(os.path.join(workspace.repo.common_folder, "gc.pid")).st_mtime
    except OSError:
        return False
    return began > workspace.options.clock() - _LONGEST_GC


def tidy(workspace: Workspace, children: Children | None = None) -> Tidied:
    """Pack loose objects, drop what has been displaced for long and what killed programs left. Raises as git and the lock."""
    folder = workspace.repo.common_folder
    before = loose_objects(folder)
    git = replace(workspace.git, children=children)
    if git.present():
        try:
            git.run(*_REPACK, "--geometric=2", timeout=None)
        except GitFailed:
            if children is not None and children.ended:
                raise
            git.run(*_REPACK, timeout=None)  # a git from before 2.32, or a pack that is kept
    else:
        with workspace.store.exclusive():
            workspace.repo.pack_loose()
    return Tidied(before, loose_objects(folder), drop_displaced(workspace), sweep(workspace))


def drop_displaced(workspace: Workspace) -> int:
    """Remove displaced contents that were kept long enough; how many. The write lock is held for as long as that takes."""
    if not workspace.store.displaced.overdue():
        return 0
    with workspace.store.exclusive():
        return workspace.store.displaced.drop()


def sweep(workspace: Workspace) -> int:
    """Remove temporary files that nobody has written to for two days; how many."""
    removed = 0
    for path in _temporary(workspace):
        with contextlib.suppress(OSError):
            found = os.lstat(path)
            if stat.S_ISREG(found.st_mode) and found.st_mtime < workspace.options.clock() - _STALE:
                os.unlink(path)
                removed += 1
    return removed


def _temporary(workspace: Workspace) -> Iterator[str]:
    objects = os.path.join(workspace.repo.common_folder, "objects")
    for folder in (*(name for name in _names(objects) if len(name) == 2), "pack"):
        here = os.path.join(objects, folder)
        yield from (os.path.join(here, name) for name in _names(here) if name.startswith(("tmp_", ".tmp-")))
    state = workspace.places.folder  # the times of syncs, half written: `sync.json.<pid>`
    names = (name for name in _names(state) if name.startswith("sync.json."))
    yield from (os.path.join(state, name) for name in names)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
