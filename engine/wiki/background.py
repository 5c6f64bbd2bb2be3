"""Background: the summary tree brought up to date without being asked, a little at a time, not more often than once an hour."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memtree.engine.local_state import keep_state, read_state
from memtree.engine.wiki.view import STATE

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

EVERY = 3_600.0  # seconds
MOST = 100  # nodes of one run
REFRESHED = 20  # nodes that a model writes in one run


def build_if_due(workspace: Workspace) -> list[str]:
    """What was built, in words. Nothing on another branch, which is a person's business. Raises what building raises."""
    place = os.path.join(workspace.places.folder, STATE, "built.json")
    now, last = workspace.options.clock(), read_state(place).get("at", 0.0)
    # A time to come is that of a clock that was wrong.
    if isinstance(last, int | float) and last <= now < last + EVERY:
        return []
    if workspace.repo.head() != workspace.settings.ref or workspace.repo.tip(workspace.settings.ref) is None:
        return []
    from memtree.engine.wiki.building import build

    report = build(workspace, limit=MOST)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    keep_state(place, {"at": 0.0 if report.more else now})  # what was left is gone on with the next time
    if not report.commit.changed:
        return []
    return [f"summaries: {report.made} made" + (f", {report.removed} removed" if report.removed else "")]
