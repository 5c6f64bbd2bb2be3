"""Copies: turns that a program repeats in the transcript of another session, as Claude Code does when a session is forked.

Such a copy has the ids of what it is copied from and does not say where that is: what this machine noted of its sessions does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from memtree.engine.writers.ledger import noted_ids, plain_id
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.episode import session_folder


class Copies:
    """Which sessions hold a turn, by its id; `folder` is the state folder. Only for programs whose ids no two turns share."""

    def __init__(self, folder: str) -> None:
        self._place = os.path.join(folder, "turns")
        self._holders: dict[str, set[str]] | None = None

    def left_out(self, turn: AgentTurn) -> bool:
        """Whether a turn is one of another session, and not of its own; else it counts as its own from now on."""
        own, uuid = session_folder(turn.session), plain_id(turn.uuid)
        if not uuid:
            return False
        if self._holders is None:
            self._holders = {}
            for session, one in self._noted():
                self._holders.setdefault(one, set()).add(session)
        holders = self._holders.setdefault(uuid, {own})
        return own not in holders

    def _noted(self) -> Iterator[tuple[str, str]]:
        try:
            names = os.listdir(self._place)
        except OSError:
            return
        for name in names:
            yield from ((name, one) for one in noted_ids(os.path.join(self._place, name)))
