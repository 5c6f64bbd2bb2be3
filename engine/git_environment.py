"""What of the surroundings a git process of ours gets: a person's way to remotes stays, what speaks of another repository goes.

Imported by hooks, which load nothing else of the engine.
"""

from __future__ import annotations

from collections.abc import Mapping

# Set for each git that we start: the git hooks of ours that it calls have nothing to tell us, and a sync that starts inside it is
# one too many.
INTERNAL = "MEMTREE_INTERNAL"

# What git sets around a hook, or takes for one repository or one command alone: with it a command of ours would read, write or
# name something else. `git -c` (CONFIG_PARAMETERS) speaks to its own command; GIT_CONFIG_COUNT and GIT_CONFIG_GLOBAL are a
# person's standing settings, as GIT_SSH_COMMAND, GIT_ASKPASS and the limits of http are, and stay.
_FOREIGN = frozenset(
    f"GIT_{name}"
    for name in (
        *("DIR", "WORK_TREE", "IMPLICIT_WORK_TREE", "COMMON_DIR", "INDEX_FILE", "PREFIX", "NAMESPACE", "CONFIG"),
        *("OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "QUARANTINE_PATH", "SHALLOW_FILE", "GRAFT_FILE"),
        *("REPLACE_REF_BASE", "NO_REPLACE_OBJECTS", "CONFIG_PARAMETERS", "INTERNAL_SUPER_PREFIX", "ATTR_SOURCE", "REFLOG_ACTION"),
        *("LITERAL_PATHSPECS", "GLOB_PATHSPECS", "NOGLOB_PATHSPECS", "ICASE_PATHSPECS"),
    )
)


def of_this_repository(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what speaks of another repository or another command, for what lives on by itself."""
    return {name: value for name, value in environment.items() if name not in _FOREIGN and name != INTERNAL}


def for_git(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a git that we start: it asks nobody, speaks English, and its hooks can tell who started it."""
    words = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", INTERNAL: "1"}
    return of_this_repository(environment) | words


def inside_git_of_ours(environment: Mapping[str, str]) -> bool:
    """Whether this process was called, by way of a hook or a helper, from a git that memtree started."""
    return bool(environment.get(INTERNAL))
