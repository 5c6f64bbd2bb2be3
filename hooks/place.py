"""Place: the workspace that a hook serves and its state folder, found by names alone: opening a workspace takes too long."""

from __future__ import annotations

import os
from typing import NamedTuple

SETTINGS = "memtree.toml"


class Place(NamedTuple):
    """The workspace's root, and the `memtree` folder of its work tree's own git folder."""

    root: str
    state: str


def find_place(start: str) -> Place | None:
    """The workspace at or above a folder; None where there is none, or no such folder."""
    here = os.path.abspath(os.path.expanduser(start))
    if not os.path.exists(here):
        return None
    while not os.path.isfile(os.path.join(here, SETTINGS)):
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above
    git = git_folder(here)
    return Place(here, os.path.join(git, "memtree")) if git else None


def git_folder(root: str) -> str:
    """The git folder of a work tree, '' for none: `.git` itself, or what the file of that name points to."""
    dot_git = os.path.join(root, ".git")
    if os.path.isdir(dot_git):
        return os.path.realpath(dot_git)
    try:
        with open(dot_git, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(10_000).strip()
    except OSError:
        return ""
    if not text.startswith("gitdir:"):
        return ""
    found = os.path.realpath(os.path.join(root, text.removeprefix("gitdir:").strip()))
    return found if os.path.isdir(found) else ""
