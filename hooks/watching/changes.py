"""Changes: what a batch of notices means: which paths are to be looked at, which folders are to be listed again."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from memtree.engine.scope import IGNORE_FILE
from memtree.engine.settings import FILE_NAME
from memtree.hooks.watching.folders import Folders, is_folder
from memtree.hooks.watching.momentary import is_momentary
from memtree.hooks.watching.notices import ADDED, DELETED, Notice

_RULES = (FILE_NAME, IGNORE_FILE, ".gitignore")  # at the root they say what belongs to the workspace


@dataclass(frozen=True, slots=True)
class Spot:
    """Where things lie, as real absolute paths; `watches` says of a folder whether it can hold anything of the workspace."""

    root: str
    git: str
    cookies: str
    watches: Callable[[str], bool]

    def targets(self, folders: Folders) -> list[str]:
        """Everything that needs a watch, of git's folder what tells that HEAD moved."""
        logs = os.path.join(self.git, "logs")
        ours = [self.cookies, self.git, *([logs] if is_folder(logs) else [])]
        return [*ours, *(os.path.join(self.root, folder) if folder else self.root for folder in folders.watched)]


@dataclass(slots=True)
class Changes:
    """Paths relative to the root; among `hints` a folder ends in a slash and is meant with all below."""

    hints: set[str] = field(default_factory=set)
    due: set[str] = field(default_factory=set)  # folders that are to be listed again; '' is the root
    replaced: bool = False  # a watched folder may be another one now
    renew: bool = False  # something of ours or git's needs a new watch
    passed: set[str] = field(default_factory=set)  # new folders that hold nothing of the workspace
    cookies: set[str] = field(default_factory=set)
    moved: bool = False  # HEAD may have
    scope: bool = False  # what belongs to the workspace may have changed


def sorted_out(batch: Iterable[Notice], spot: Spot, folders: Folders, waiting: Collection[str]) -> Changes:
    """What a batch means, where `waiting` names the folders that are to be listed again since before."""
    changes = Changes()
    above = spot.root.rstrip("/") + "/"
    for kind, path in batch:
        if path.startswith((spot.git + "/", spot.cookies + "/")) or path in (spot.git, spot.cookies):
            _of_git(kind, path, spot, changes)
        elif path.startswith(above):
            _of_workspace(kind, path, path[len(above) :], spot, folders, waiting, changes)
        elif path == spot.root and kind == DELETED:
            changes.due.add("")
            changes.replaced = True
    return changes


def _of_git(kind: int, path: str, spot: Spot, changes: Changes) -> None:
    if path.startswith(spot.cookies + "/"):
        if kind == ADDED:
            changes.cookies.add(path)
    elif path in (spot.cookies, spot.git):
        changes.renew |= kind == DELETED
    elif path in (os.path.join(spot.git, "HEAD"), os.path.join(spot.git, "logs", "HEAD")):
        changes.moved = True
    elif path == os.path.join(spot.git, "logs"):
        changes.moved = changes.renew = True


def _of_workspace(
    kind: int, full: str, path: str, spot: Spot, folders: Folders, waiting: Collection[str], changes: Changes
) -> None:
    folder, _, name = path.rpartition("/")
    if name == ".git":
        if folder:  # a nested repository began or ended
            _list_again(folder, changes)
    elif folder in folders.nested:
        return
    elif is_folder(full):
        _a_folder(kind, path, spot, folders, changes)
    else:
        if folders.known(path) or path in waiting:
            _list_again(path, changes)
            changes.replaced = True
        if not is_momentary(path):
            changes.hints.add(path)
        if name in _RULES:
            _new_rules(folder, name, changes)


def _a_folder(kind: int, path: str, spot: Spot, folders: Folders, changes: Changes) -> None:
    if is_momentary(path + "/"):
        return
    if kind != ADDED and path in folders.watched:
        changes.hints.add(path + "/")  # its permissions, perhaps
        return
    changes.hints.add(path)  # it may stand where a file was
    if path not in folders.watched and not spot.watches(path):
        changes.passed.add(path)
        return
    _list_again(path, changes)
    changes.replaced |= path in folders.watched


def _new_rules(folder: str, name: str, changes: Changes) -> None:
    if not folder:
        changes.due.add("")
        changes.scope = True
    elif name == ".gitignore":
        _list_again(folder, changes)


def _list_again(folder: str, changes: Changes) -> None:
    changes.due.add(folder)
    changes.hints.add(folder + "/")
