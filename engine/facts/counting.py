"""Counting: how many facts there are and how they stand, and what waits on the way to be one."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.closing.queue import FACTS, Queue
from memtree.engine.facts.kept import Kept
from memtree.tree.fact import State

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace


class FactCounts(NamedTuple):
    """Facts by state; `pinned` are those of the active ones that a person wrote. `quarantined` are statements that are no facts.

    `waiting` are stretches of conversations to be learned from, `failing` those among them that failed before, `reason` why the one
    that failed most often did.
    """

    active: int = 0
    superseded: int = 0
    retracted: int = 0
    pinned: int = 0
    quarantined: int = 0
    waiting: int = 0
    failing: int = 0
    reason: str = ""

    @property
    def any(self) -> bool:
        return any(self)


def fact_counts(workspace: Workspace) -> FactCounts:
    """How facts stand on the branch now. Nothing but what changed since the last look is read."""
    from memtree.engine.facts.quarantine import FOLDER, MOST
    from memtree.engine.facts.view import FactView

    facts = [one.fact for one in FactView.look(workspace).facts]
    by_state = Counter(fact.state for fact in facts)
    steps = Queue(workspace.places.folder).steps(FACTS)
    failing = [step for step in steps if step.tries]
    worst = max(failing, key=lambda step: step.tries, default=None)
    return FactCounts(
        active=by_state[State.ACTIVE],
        superseded=by_state[State.SUPERSEDED],
        retracted=by_state[State.RETRACTED],
        pinned=sum(fact.active and fact.pinned for fact in facts),
        quarantined=len(Kept(os.path.join(workspace.places.folder, FOLDER), MOST).names()),
        waiting=len(steps),
        failing=len(failing),
        reason=worst.reason if worst is not None else "",
    )
