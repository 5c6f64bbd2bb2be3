"""Spawning: a process that outlives the agent which called the hook."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence


def spawn_detached(words: Sequence[str], *, cwd: str, environment: Mapping[str, str]) -> int:
    """Start a process in a session of its own, without a terminal and with nothing of ours open; its id. Raise OSError.

    Agents end the process group of a hook with themselves, and wait for whoever holds its output.
    """
    child = subprocess.Popen(
        words,
        cwd=cwd,
        env=without_git(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        start_new_session=True,
    )
    # Nobody here waits for it: once the hook has ended, the system does.
    child.returncode = 0
    return child.pid


def without_git(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what an agent, or a git hook around it, tells git about another repository."""
    return {key: value for key, value in environment.items() if not key.startswith("GIT_")}
