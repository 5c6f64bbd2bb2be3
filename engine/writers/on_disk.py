"""On disk: whether a file shows what is committed. A writer's files come before its commit: what differs may only be under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memtree.tree.errors import TransientError

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace


def settled(workspace: Workspace, look: Callable[[], bool]) -> bool:
    """Whether something holds of the files and the branch; where it does not, it is looked at again while nobody writes."""
    if look():
        return True
    try:
        with workspace.store.exclusive():
            return look()
    except TransientError:
        return False  # somebody writes for very long
