"""What changed between two trees, by comparing subtree ids: an unchanged folder is never opened.

libgit2's own diff walks every tree; at 100,000 files that is 200 ms against 6 (measured), so the comparison is ours.
"""

from __future__ import annotations

from collections.abc import Iterator

from memtree.engine.repo import Repo
from memtree.tree.objects import FOLDER, Change, ChangeKind, CommitId, Entry, no_folder
from memtree.tree.paths import RepoPath


def diff_commits(repo: Repo, before: CommitId | None, after: CommitId | None, *, folder: str = "") -> list[Change]:
    """Every path that differs, sorted by path, renames as a delete and an add. None stands for the empty tree."""
    changes = list(diff_trees(repo, _top(repo, before), _top(repo, after), folder=folder))
    changes.sort(key=lambda change: change.path)
    return changes


def _top(repo: Repo, commit: CommitId | None) -> str | None:
    return repo.tree(commit) if commit is not None else None


def diff_trees(repo: Repo, before: str | None, after: str | None, *, folder: str = "") -> Iterator[Change]:
    """The same for two tree ids; `folder` limits the walk to one path (a folder or a file)."""
    wanted = tuple(folder.split("/")) if folder else ()
    yield from _diff(repo, before, after, "", wanted)


def _diff(repo: Repo, before: str | None, after: str | None, prefix: str, wanted: tuple[str, ...]) -> Iterator[Change]:
    if before == after:
        return
    for name, one, two in repo.differing(before, after):
        if wanted and name != wanted[0]:
            continue
        path = prefix + name
        old_tree = one.id if one is not None and one.mode == FOLDER else None
        new_tree = two.id if two is not None and two.mode == FOLDER else None
        if old_tree is not None or new_tree is not None:
            yield from _diff(repo, old_tree, new_tree, path + "/", wanted[1:])
        if len(wanted) <= 1:
            yield from _leaf(RepoPath(path), one, two)


def _leaf(path: RepoPath, one: Entry | None, two: Entry | None) -> Iterator[Change]:
    before, after = no_folder(one), no_folder(two)
    if before is None and after is None:
        return
    kind = ChangeKind.ADDED if before is None else ChangeKind.DELETED if after is None else ChangeKind.MODIFIED
    yield Change(kind, path, before, after)
