"""Recap view: which recaps a model may still write anew, and which have arrived since goals were last looked at.

A view of the branch that only reads what changed: it remembers the tree of all recaps that it has seen. It can be lost at any time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.local_state import keep_state, read_state
from memtree.engine.repo import Repo
from memtree.engine.repo_errors import MissingObject
from memtree.engine.store.working_copy import FilterMissing
from memtree.tree.objects import FOLDER, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.recap import ReadRecap, read_recap

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_MOST = 20_000  # recaps that are remembered of each kind
_LARGEST = 2 * 1024 * 1024  # bytes of a recap that is read


@dataclass(slots=True)
class RecapView:
    """`plain` are recaps that a model may write anew, `arrived` those with a text that no review of the goals has seen."""

    plain: list[RepoPath]
    arrived: list[RepoPath]
    tree: str = ""

    @classmethod
    def look(cls, workspace: Workspace, place: str) -> RecapView:
        """Bring the view that is kept at a place to the tip."""
        kept = read_state(place)
        known = kept.get("tree")
        view = cls(_paths(kept.get("plain")), _paths(kept.get("arrived")), known if isinstance(known, str) else "")
        entry = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), _root(workspace))
        tree = entry.id if entry is not None and entry.mode == FOLDER else ""
        if tree != view.tree:
            view._follow(workspace, tree)
            view.keep(place)
        return view

    def keep(self, place: str) -> None:
        """Remember the view."""
        os.makedirs(os.path.dirname(place), exist_ok=True)
        keep_state(place, {"tree": self.tree, "plain": self.plain[-_MOST:], "arrived": self.arrived[-_MOST:]})

    def _follow(self, workspace: Workspace, tree: str) -> None:
        plain, arrived = set(self.plain), set(self.arrived)
        for path, before, after in _changes(workspace.repo, RepoPath(_root(workspace)), self.tree, tree):
            recap = read(workspace, path, after)
            plain.discard(path)
            if recap is not None and recap.may_get_better:
                plain.add(path)
            if recap is None:
                arrived.discard(path)
            elif recap.says_something and before is None:
                arrived.add(path)
        self.plain, self.arrived, self.tree = sorted(plain), sorted(arrived), tree


def _changes(repo: Repo, root: RepoPath, old: str, new: str) -> Iterator[tuple[RepoPath, Entry | None, Entry | None]]:
    """The files that differ between two trees of sessions' folders. Where the old one is gone, everything does."""
    try:
        folders = list(repo.differing(old or None, new or None))
    except MissingObject:
        folders = list(repo.differing(None, new or None))
    for folder, before, after in folders:
        trees = [entry.id if entry is not None and entry.mode == FOLDER else None for entry in (before, after)]
        for name, was, now in repo.differing(*trees):
            yield RepoPath(f"{root}/{folder}/{name}"), was, now


def read(workspace: Workspace, path: RepoPath, entry: Entry | None) -> ReadRecap | None:
    """A recap as it is committed; None for what is none, or cannot be read."""
    if entry is None or not entry.is_file or workspace.repo.size(entry.id) > _LARGEST:
        return None
    try:
        return read_recap(path, workspace.store.working_copy.contents(path, entry))
    except FilterMissing:
        return None


def at_tip(workspace: Workspace, paths: Iterable[RepoPath]) -> list[ReadRecap]:
    """The recaps at these paths as they are now; those that are gone are left out."""
    tip = workspace.repo.tip(workspace.settings.ref)
    found = (read(workspace, path, workspace.repo.entry(tip, path)) for path in paths)
    return [recap for recap in found if recap is not None]


def _root(workspace: Workspace) -> str:
    return f"{workspace.settings.content}/recap" if workspace.settings.content else "recap"


def _paths(found: object) -> list[RepoPath]:
    return [RepoPath(one) for one in found if isinstance(one, str)] if isinstance(found, list) else []
