"""Which files were changed in a stretch of time, by the commits made in it."""

from __future__ import annotations

import itertools
from collections.abc import Collection

from memtree.engine.repo import Repo
from memtree.engine.tree_diff import diff_commits
from memtree.tree.objects import CommitId

_RECENT = 500  # commits in which it is looked when a file was last changed
_PATIENCE = 100  # commits out of the window in a row before the walk ends: clocks of several machines may disagree


def paths_changed_between(repo: Repo, tip: CommitId, since: int | None, until: int | None) -> set[str]:
    """The paths that commits with a time in `since`..`until` (epoch seconds, inclusive) added or modified."""
    found: set[str] = set()
    early = 0
    for info in repo.walk([tip]):
        if since is not None and info.time < since:
            early += 1
            if early > _PATIENCE:
                break
            continue
        early = 0
        if (until is not None and info.time > until) or len(info.parents) > 1:
            continue
        parent = info.parents[0] if info.parents else None
        found.update(change.path for change in diff_commits(repo, parent, info.id) if change.after is not None)
    return found


def last_changes(repo: Repo, tip: CommitId, paths: Collection[str], *, most: int = _RECENT) -> dict[str, int]:
    """When each of some paths was last added or modified, in epoch seconds; those that the newest `most` commits left alone are
    not among them."""
    found: dict[str, int] = {}
    for info in itertools.islice(repo.walk([tip]), most):
        if len(found) == len(paths):
            break
        if len(info.parents) > 1:
            continue
        parent = info.parents[0] if info.parents else None
        for change in diff_commits(repo, parent, info.id):
            if change.after is not None and change.path in paths:
                found.setdefault(change.path, info.time)
    return found
