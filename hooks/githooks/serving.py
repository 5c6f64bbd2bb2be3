"""What a git hook does: it tells the daemon that git did something. Nothing else is loaded: git waits for it.

Without a daemon nothing needs doing: an index stores the commit that it reflects, and the next search compares that with HEAD. What
a merge left in the files, the next command of memtree's repairs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from memtree.engine.git_environment import inside_git_of_ours
from memtree.hooks.place import Place, git_folder

NOTICES = ("post-commit", "post-merge", "post-checkout", "post-rewrite")
PRE_PUSH = "pre-push"


def place_of(environment: Mapping[str, str], folder: str) -> Place | None:
    """The repository that git calls a hook for; None for none. `environment` is the hook's, `folder` where it runs.

    Git names the repository in its environment unless it is the `.git` of that folder, which is the top of the work tree. No
    `memtree.toml` is looked for: a branch that was switched to may be without one.
    """
    named = environment.get("GIT_DIR")
    git = os.path.realpath(os.path.join(folder, named)) if named else git_folder(folder)
    return Place(folder, os.path.join(git, "memtree")) if git else None


def notice(name: str, words: Sequence[str], environment: Mapping[str, str], folder: str) -> bool:
    """Tell the daemon what git did, with the words that git gave the hook: whether it was told. Never raises."""
    try:
        place = place_of(environment, folder)
        if place is None or not _matters(name, words) or inside_git_of_ours(environment):
            return False
        if not os.path.exists(os.path.join(place.state, "daemon.json")):
            return False
        from memtree.hooks.daemon.client import tell

        return tell(place, "notify", {"what": name})
    except Exception:  # noqa: BLE001 - a person's git command has done its work and must not fail for ours
        return False


def _matters(name: str, words: Sequence[str]) -> bool:
    """Whether commits may have changed: a check-out of files alone changes none, and says so by a third word of 0."""
    return name != "post-checkout" or tuple(words[2:3]) != ("0",)
