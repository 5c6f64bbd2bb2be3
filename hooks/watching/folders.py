"""Folders: which folders of a workspace are watched. Each one needs a watch of its own, so links are never followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memtree.hooks.watching.momentary import is_momentary


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders relative to the workspace's root, which is ''.

    `watched` has the nested repositories in it, for the moment when one ends to be one; what is below these is not listed.
    """

    watched: frozenset[str] = frozenset()
    nested: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()  # seen and left out with all below: ignored, or not readable

    def known(self, folder: str) -> bool:
        """Whether something of this name was a folder."""
        return folder in self.watched or folder in self.passed

    def anew(self, root: str, tops: Iterable[str], watches: Callable[[str], bool]) -> Folders:
        """These folders, with each of `tops` and what is below listed again as it is now on the disk."""
        tops = outermost(tops)
        listing = _Listing(root, watches)
        for top in tops:
            listing.add(top)
        kept = [frozenset(_outside(some, tops)) for some in (self.watched, self.nested, self.passed)]
        return Folders(kept[0] | listing.watched, kept[1] | listing.nested, kept[2] | listing.passed)

    def without_vanished(self, root: str) -> Folders:
        """These folders without those that are no folders any more, or cannot be read."""
        watched = frozenset(folder for folder in self.watched if _is_readable(os.path.join(root, folder)))
        return Folders(watched, self.nested & watched, self.passed)


def outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """The folders that lie in none of the others, sorted."""
    found: list[str] = []
    for folder in sorted(folders, key=lambda one: f"{one}/" if one else ""):
        if not found or not within(folder, found[-1]):
            found.append(folder)
    return tuple(found)


def within(folder: str, top: str) -> bool:
    """Whether a folder is `top` or lies below it."""
    return not top or folder == top or folder.startswith(top + "/")


def _outside(folders: Iterable[str], tops: tuple[str, ...]) -> Iterable[str]:
    """Those of `folders` that are none of `tops` and lie below none."""
    if "" in tops:
        return ()
    chosen = set(tops)
    return (folder for folder in folders if not any(above in chosen for above in _upwards(folder)))


def _upwards(folder: str) -> Iterable[str]:
    yield folder
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        yield folder


class _Listing:
    def __init__(self, root: str, watches: Callable[[str], bool]) -> None:
        self._root = root
        self._watches = watches
        self.watched: set[str] = set()
        self.nested: set[str] = set()
        self.passed: set[str] = set()

    def add(self, top: str) -> None:
        full = os.path.join(self._root, top)
        if not is_folder(full):
            return
        waiting = [top] if not top or self._wanted(top) else []
        while waiting:
            self._look_into(waiting.pop(), waiting)

    def _look_into(self, folder: str, waiting: list[str]) -> None:
        inside: list[str] = []
        git = False
        try:
            with os.scandir(os.path.join(self._root, folder)) as found:
                for entry in found:
                    if entry.name == ".git":
                        git = True
                    elif entry.is_dir(follow_symlinks=False) and _is_text(entry.name):
                        inside.append(entry.name)
        except OSError:  # gone meanwhile, or not readable
            self.passed.add(folder)
            return
        self.watched.add(folder)
        if git and folder:
            self.nested.add(folder)
            return
        waiting.extend(one for name in inside if self._wanted(one := f"{folder}/{name}" if folder else name))

    def _wanted(self, folder: str) -> bool:
        if not is_momentary(f"{folder}/") and self._watches(folder):
            return True
        self.passed.add(folder)
        return False


def is_folder(full: str) -> bool:
    """Whether a real folder stands at a path; a link to one is none."""
    try:
        return stat.S_ISDIR(os.lstat(full).st_mode)
    except (OSError, ValueError):
        return False


def _is_readable(full: str) -> bool:
    return is_folder(full) and os.access(full, os.R_OK | os.X_OK)


def _is_text(name: str) -> bool:
    """Whether a name is UTF-8; the workspace holds no others, and none can be watched."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
