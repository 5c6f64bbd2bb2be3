"""Deciding: the files that say what belongs to a workspace and how it is served, and whether they still say what they did."""

from __future__ import annotations

import os

from memtree.engine.git_files import common_folder
from memtree.engine.scope import IGNORE_FILE, Scope
from memtree.engine.settings import FILE_NAME, InvalidSettings, load
from memtree.hooks.place import Place

_NAMES = (FILE_NAME, IGNORE_FILE, ".gitignore")
_EXCLUDED = os.path.join("info", "exclude")  # git's own list, in its folder

Standing = tuple[tuple[int, int, int] | None, ...]


def standing(place: Place) -> Standing:
    """What tells whether one of the files changed."""
    found: list[tuple[int, int, int] | None] = []
    files = [os.path.join(place.root, name) for name in _NAMES]
    own = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git", "ignore")
    for file in (*files, os.path.join(common_folder(os.path.dirname(place.state)), _EXCLUDED), own):
        try:
            info = os.stat(file)
            found.append((info.st_ino, info.st_size, info.st_mtime_ns))
        except OSError:
            found.append(None)
    return tuple(found)


def what_is_wrong(root: str) -> str:
    """Why nothing can be served by the files as they are; '' when it can."""
    try:
        Scope.read(root, load(root))
    except (InvalidSettings, OSError) as error:
        return str(error)
    return ""
