"""What may come into a workspace from another machine: checked before anything of it touches this one."""

from __future__ import annotations

import os

from memtree.engine.repo import Repo
from memtree.tree.objects import SYMLINK, Entry
from memtree.tree.paths import refusal


def refused(repo: Repo, path: str, entry: Entry) -> str:
    """Why this machine must not check an entry out, or ''."""
    reason = refusal(path)
    if not reason and entry.mode == SYMLINK:
        target = repo.blob(entry.id).decode("utf-8", "surrogateescape")
        reason = "" if stays_inside(path, target) else "a symbolic link that leaves the workspace"
    return reason


def printable(path: str) -> str:
    """A path for a message, whatever bytes it was made of."""
    return path.encode("utf-8", "replace").decode()


def stays_inside(path: str, target: str) -> bool:
    """Whether a symbolic link at `path` points into the workspace, by its text alone."""
    if target.startswith("/"):
        return False
    joined = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return joined != ".." and not joined.startswith("../") and joined.split("/")[0] != ".git"
