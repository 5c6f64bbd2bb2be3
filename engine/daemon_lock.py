"""The daemon's lock: whoever serves a workspace holds it, and so tells everybody that it runs."""

from __future__ import annotations

import os

from memtree.engine.locks import Holder, WriteLock

NAME = "daemon.lock"
_PATIENCE = 1.0  # seconds: looking at the lock takes it for an instant


def daemon_lock(state: str) -> WriteLock:
    """The lock of the workspace whose state folder this is; who finds it taken for a second finds a daemon."""
    return WriteLock(os.path.join(state, NAME), _PATIENCE)


def daemon_holder(state: str) -> Holder | None:
    """The daemon that serves the workspace now, None for none. Its process may be busy, or stopped."""
    return daemon_lock(state).held_by()
