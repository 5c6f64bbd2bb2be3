"""Git's own words: what a yes-or-no setting says, and which folder several work trees of a repository share."""

from __future__ import annotations

import os

_YES, _NO = ("true", "yes", "on"), ("false", "no", "off", "")


def means_yes(value: str | None) -> bool | None:
    """What a setting that is a yes or a no says, however it is spelt; None where it says neither, or is not set."""
    word = value.strip().lower() if value is not None else None
    if word in _YES:
        return True
    if word in _NO:
        return False
    try:
        return None if word is None else int(word, 0) != 0
    except ValueError:
        return None


def common_folder(git_folder: str) -> str:
    """The folder that holds refs and objects: the main repository's for a linked worktree."""
    try:
        with open(os.path.join(git_folder, "commondir"), encoding="utf-8") as file:
            return os.path.normpath(os.path.join(git_folder, file.read().strip()))
    except FileNotFoundError:
        return git_folder
