"""Spawning: a process that outlives the agent which called the hook."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from memtree.engine.git_environment import of_this_repository


def spawn_detached(words: Sequence[str], *, cwd: str, environment: Mapping[str, str], stderr: int = subprocess.DEVNULL) -> int:
    """Start a process in a session of its own, without a terminal and with nothing of ours open; its id. Raise OSError.

    Agents end the process group of a hook with themselves, and wait for whoever holds its output. `stderr` is an open file that its
    complaints go to.
    """
    child = subprocess.Popen(
        words,
        cwd=cwd,
        env=of_this_repository(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        close_fds=True,
        start_new_session=True,
    )
    # Nobody here waits for it: once the hook has ended, the system does.
    child.returncode = 0
    return child.pid
