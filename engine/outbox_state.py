"""The outbox as a folder: what hooks left there for their worker, what it gave up, what was too much. Looked at, never changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from memtree.engine.local_state import read_state

OUTBOX, FAILED, DROPPED = "outbox", "failed", "dropped"  # the folder, the one in it, the count beside the entries
END = ".json"


class OutboxStatus(NamedTuple):
    """How many events wait to be recorded, how many could not be, and how many found no room."""

    waiting: int = 0
    failed: int = 0
    dropped: int = 0


def outbox_status(state: str) -> OutboxStatus:
    """How the outbox in a workspace's state folder stands."""
    folder = os.path.join(state, OUTBOX)
    dropped = read_state(os.path.join(folder, DROPPED)).get("count", 0)
    waiting, failed = (sum(1 for _ in entry_names(one)) for one in (folder, os.path.join(folder, FAILED)))
    return OutboxStatus(waiting, failed, dropped if isinstance(dropped, int) else 0)


def entry_names(folder: str) -> Iterator[str]:
    """The names of the entries in a folder, in no order; none where there is no such folder."""
    try:
        with os.scandir(folder) as found:
            yield from (entry.name for entry in found if entry.name.endswith(END) and not entry.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return
