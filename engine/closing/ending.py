"""Ending: sessions are closed as their turns are recorded. What keeps one from it never keeps a turn from being recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtree.engine.closing.closer import Closer, CloseReport, Whole, everything
from memtree.engine.closing.queue import CLOSE, CLOSE_WHOLE, Queue, Step
from memtree.tree.errors import Error

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace


def close_or_wait(workspace: Workspace, folders: Sequence[str], *, whole: Whole) -> CloseReport:
    """Close what has ended in sessions, named by folder. What cannot be closed now is closed later, and that is told.

    Raises OSError where not even a note of it can be kept.
    """
    try:
        return Closer(workspace).close(folders, whole=whole)
    except Exception as error:  # noqa: BLE001 - whatever it is, what was said is recorded already
        queue = Queue(workspace.places.folder)
        for folder in folders:
            queue.put(Step(CLOSE_WHOLE if whole is everything else CLOSE, folder))
        reason = f"{error}; {error.hint}" if isinstance(error, Error) else type(error).__name__
        return CloseReport(notes=[f"closing {len(folders)} of the conversations waits, and is tried again: {reason}"])
