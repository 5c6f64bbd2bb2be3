"""Gone: recaps that were here and that somebody deleted. What they covered stays closed: nothing brings them back by itself.

History tells it, on every machine alike; what was found is remembered, so that only new commits are looked at. A closing that was
undone as a whole (`memtree undo`, `git revert`) is as if it had never been: its turns are open again.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from memtree.engine.local_state import keep_state, read_state
from memtree.engine.repo import Repo
from memtree.engine.repo_errors import MissingObject
from memtree.tree.objects import FOLDER, CommitId
from memtree.tree.recap import span_of

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_UNDOES = re.compile(r"^(?:Memtree-Undo: |This reverts commit )", re.MULTILINE)


def deleted_recaps(workspace: Workspace, tip: CommitId | None) -> Mapping[str, int]:
    """The last number that a deleted recap covered, by the session's folder."""
    place = os.path.join(workspace.places.folder, "closing", "gone.json")
    kept = read_state(place)
    known, root = kept.get("tip"), _root(workspace)
    ends = _ends(kept.get("ends"))
    if tip is None or (known == tip and kept.get("root") == root):
        return ends if tip is not None else {}
    repo = workspace.repo
    since = CommitId(known) if isinstance(known, str) and kept.get("root") == root and _holds(repo, tip, known) else None
    if since is None:
        ends = {}  # history was written anew, or what was known of it is lost
    for folder, end in _deleted(repo, root, tip, since):
        ends[folder] = max(end, ends.get(folder, end))
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(place), exist_ok=True)
    keep_state(place, {"tip": tip, "root": root, "ends": ends})
    return ends


def _deleted(repo: Repo, root: str, tip: CommitId, since: CommitId | None) -> Iterator[tuple[str, int]]:
    trees: dict[str, str | None] = {}  # the tree of all recaps of a commit that comes next: its parent, most often

    def tree_of(commit: CommitId) -> str | None:
        try:
            entry = repo.entry(commit, root)
        except MissingObject:  # history that was cut off here
            return None
        return entry.id if entry is not None and entry.mode == FOLDER else None

    for commit in repo.walk([tip], hide=[since] if since is not None else []):
        if len(commit.parents) != 1:
            continue  # what a merge leaves out was deleted in one of the histories that it joins
        parent = commit.parents[0]
        after = trees.pop(commit.id) if commit.id in trees else tree_of(commit.id)
        before = trees[parent] = tree_of(parent)
        if before is not None and before != after and not _UNDOES.search(commit.message):
            yield from _ends_between(repo, before, after)


def _ends_between(repo: Repo, before: str, after: str | None) -> Iterator[tuple[str, int]]:
    for folder, was, now in repo.differing(before, after):
        trees = [entry.id if entry is not None and entry.mode == FOLDER else None for entry in (was, now)]
        for name, old, new in repo.differing(*trees):
            span = span_of(name) if old is not None and old.is_file and new is None else None
            if span is not None:
                yield folder, span[1]


def _holds(repo: Repo, tip: CommitId, known: str) -> bool:
    return len(known) == len(tip) and repo.has_commit(CommitId(known)) and repo.contains(tip, CommitId(known))


def _ends(found: object) -> dict[str, int]:
    pairs = found.items() if isinstance(found, dict) else ()
    return {folder: end for folder, end in pairs if isinstance(end, int)}


def _root(workspace: Workspace) -> str:
    return f"{workspace.settings.content}/recap" if workspace.settings.content else "recap"
