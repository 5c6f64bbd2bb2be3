"""Where git looks for a repository's hooks, and whether that is the repository's own folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memtree.hooks.githooks.errors import HooksElsewhere

if TYPE_CHECKING:
    from memtree.engine.repo import Repo


def hooks_folder(repo: Repo) -> str:
    """The folder that git calls this repository's hooks from, which need not exist; raise HooksElsewhere.

    All work trees of a repository share it. Only a folder inside the git directory is this repository's alone, and in no commit.
    """
    named = repo.config("core.hookspath")
    if not named:
        return usual_folder(repo)
    # From the top of the work tree, where git runs hooks.
    return _own(repo, os.path.join(repo.folder, os.path.expanduser(named)), setting=True)


def usual_folder(repo: Repo) -> str:
    """Where hooks are without a setting; raise HooksElsewhere where that is a link out of the git directory."""
    return _own(repo, os.path.join(repo.common_folder, "hooks"), setting=False)


def _own(repo: Repo, folder: str, *, setting: bool) -> str:
    real, own = os.path.realpath(folder), os.path.realpath(repo.common_folder)
    if os.path.commonpath([real, own]) != own:
        raise HooksElsewhere(real, setting)
    return real
