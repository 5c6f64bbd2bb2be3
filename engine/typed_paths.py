"""Paths as people type them: from the current folder, else from the workspace's root; and what to say of one that is nowhere.

`cwd` is the current folder of whoever typed, None for this process's own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtree.tree.errors import UserError
from memtree.tree.paths import InvalidPath, RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.tree.objects import CommitId


class OutsideWorkspace(UserError):
    def __init__(self, text: str, root: str) -> None:
        super().__init__(
            f"{text} lies outside the workspace {root}", hint="give a path from the current folder, or from the workspace's root"
        )


class NoSuchPath(UserError):
    """Nothing stands under this path in the commits that were asked about."""

    def __init__(self, path: str, where: str, hint: str) -> None:
        super().__init__(f"there is no {path or 'file'} {where}", hint=hint)
        self.path = path


def readings(workspace: Workspace, text: str, cwd: str | None = None) -> list[RepoPath]:
    """What a typed path can mean, likeliest first: from the current folder, then from the root. '' is the root itself."""
    try:
        found = [workspace.path(text, cwd=cwd)]
    except InvalidPath as error:
        if "'..'" not in error.reason:
            raise
        raise OutsideWorkspace(text, workspace.root) from error
    if not os.path.isabs(text):
        try:
            found.append(RepoPath.parse(os.path.normpath(text)))
        except InvalidPath:
            return found  # such as ../notes: it has no meaning from the root
    return list(dict.fromkeys(found))


def path_in(workspace: Workspace, text: str, commit: CommitId | None = None) -> RepoPath:
    """The reading of a typed path that stands at `commit`, at HEAD or on the disk; raise NoSuchPath."""
    paths = readings(workspace, text)
    found = standing(workspace, paths, commit)
    if found is None:
        raise no_such_path(workspace, paths[0], commit)
    return found


def standing(workspace: Workspace, paths: Sequence[RepoPath], commit: CommitId | None = None) -> RepoPath | None:
    """The first of the paths that stands at `commit`, at HEAD or on the disk."""
    for at in dict.fromkeys((commit, workspace.repo.tip("HEAD"))):
        for path in paths:
            if not path or workspace.repo.entry(at, path) is not None:
                return path
    return next((path for path in paths if os.path.lexists(os.path.join(workspace.root, path))), None)


def no_such_path(workspace: Workspace, path: RepoPath, commit: CommitId | None = None) -> NoSuchPath:
    """The error for a path that is not in a commit (None: in no commit at all), with the likeliest way on."""
    head = workspace.repo.tip("HEAD")
    where = (
        f"in commit {commit[:8]}" if commit is not None and commit != head else "in the last commit" if commit else "in any commit"
    )
    if os.path.lexists(os.path.join(workspace.root, path)) and workspace.repo.entry(head, path) is None:
        if workspace.scope().holds(path):
            return NoSuchPath(path, f"{where} yet", "memtree save commits what is on the disk")
        return NoSuchPath(path, where, "it is outside what memtree captures (capture = [...] in memtree.toml)")
    near = _nearest(workspace, path)
    if near:
        return NoSuchPath(path, where, f"did you mean {near}?")
    return NoSuchPath(path, where, f"memtree log {path} shows whether another commit had it" if commit else "check the spelling")


def _nearest(workspace: Workspace, path: str) -> str:
    """The path at HEAD that resembles one most: the same name elsewhere, else a similar spelling."""
    import difflib  # only a typing error pays for it

    known: dict[str, None] = {}
    for file, _ in workspace.repo.files(workspace.repo.tip("HEAD")):
        known.setdefault(file)
        if file.folder:
            known.setdefault(file.folder)
    name = _stem(path)
    alike = [file for file in known if _stem(file) == name]
    if alike:
        return min(alike, key=len)
    # Comparing spellings is quadratic: enough names for a person's folder, few enough to answer at once.
    some = list(known)[:5000]
    close = difflib.get_close_matches(path, some, 1, 0.7)
    by_name = {_stem(file): file for file in reversed(some)}
    return next(iter(close), "") or next((by_name[stem] for stem in difflib.get_close_matches(name, by_name, 1, 0.75)), "")


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0].casefold()
