"""Topics: how near what a user says is to what they said before, with each text put into numbers once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memtree.tree.errors import Error
from memtree.tree.segments import Exchange

if TYPE_CHECKING:
    from memtree.indexers.embedder import Embedder


class Topics:
    """Asks a workspace's embedder; once that fails, nothing more is known of topics, and the other checks decide alone."""

    def __init__(self, open_embedder: Callable[[], Embedder | None]) -> None:
        self._open = open_embedder
        self._opened = False
        self._embedder: Embedder | None = None

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, loaded when it is first wanted; None where there is none that answers."""
        if not self._opened:
            self._opened = True
            try:
                self._embedder = self._open()
            except (Error, OSError):
                self._embedder = None
        return self._embedder

    def nearness(self, before: Sequence[Exchange], now: Exchange) -> float | None:
        """The cosine of a turn to those before it; None where it says too little, or there is no embedder."""
        embedder = self.embedder
        if embedder is None:
            return None
        from memtree.indexers.drift import nearness

        try:
            return nearness([turn.asked for turn in before], now.asked, embedder)
        except (Error, OSError):
            self._embedder = None
            return None
