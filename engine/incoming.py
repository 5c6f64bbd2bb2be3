"""What may come into a workspace from another machine: checked before anything of it touches this one."""

from __future__ import annotations

from memtree.engine.repo import Repo
from memtree.tree.objects import FOLDER, SYMLINK, CommitId, Entry
from memtree.tree.paths import LONGEST, InvalidPath, RepoPath, fold, is_git_folder, portability_warning, refusal


def refused(repo: Repo, path: str, entry: Entry) -> str:
    """Why this machine must not check an entry out, or ''."""
    reason = refusal(path)
    if not reason and any(len(part.encode()) > LONGEST for part in path.split("/")):
        reason = f"a name in it is longer than {LONGEST} bytes"
    if not reason and entry.mode == SYMLINK:
        target = repo.blob(entry.id).decode("utf-8", "surrogateescape")
        reason = "" if stays_inside(path, target) else "a symbolic link that leaves the workspace"
    return reason


def refuse_unportable(repo: Repo, tip: CommitId | None, path: RepoPath) -> None:
    """Raise InvalidPath when a new path could not be held by another system, or differs from a present one in case only."""
    if repo.entry(tip, path) is not None:
        return
    reason = refusal(path) or portability_warning(path)
    if reason:
        raise InvalidPath(path, reason)
    folder = ""
    for part in path.split("/"):
        entry = repo.entry(tip, folder) if folder else None
        tree = (
            repo.tree(tip) if not folder and tip is not None else entry.id if entry is not None and entry.mode == FOLDER else None
        )
        for name in repo.items(tree) if tree is not None else ():
            if name != part and fold(name) == fold(part):
                raise InvalidPath(path, f"{name!r} is there already and differs only in case or Unicode form")
        folder = f"{folder}/{part}" if folder else part


def printable(path: str) -> str:
    """A path for a message, whatever bytes it was made of."""
    return path.encode("utf-8", "replace").decode()


def stays_inside(path: str, target: str) -> bool:
    """Whether a symbolic link at `path` points into the workspace, by its text alone, whatever other links lie on its way.

    A `..` behind a name is refused: the name may be a link, and then `..` is not where the text says.
    """
    parts = [part for part in target.split("/") if part not in ("", ".")]
    down = [part for part in parts if part != ".."]
    up = len(parts) - len(down)
    return (
        not target.startswith("/")
        and parts == [".."] * up + down
        and up <= path.count("/")
        and not any(is_git_folder(part) for part in down)
    )
