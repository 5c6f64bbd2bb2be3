"""What an import did, source by source, and what it could not take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from memtree.engine.store.report import CommitReport
from memtree.tree.errors import UserError

READ_KINDS = "markdown (.md), text (.txt, .org, .rst), HTML (.html), mail (.mbox, .eml) and chats (.jsonl)"


@dataclass(frozen=True, slots=True)
class Remark:
    """A place in the sources and what is to be said of it."""

    place: str
    reason: str


Tell = Callable[[Remark], None]


class Unfit(Exception):
    """One input cannot be imported; the rest goes on. `reason` is told."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NothingToImport(UserError):
    def __init__(self, skipped: list[Remark], hint: str = f"memtree reads {READ_KINDS}") -> None:
        why = f": {skipped[0].place} is {skipped[0].reason}" if skipped else ""
        more = f", and {len(skipped) - 1:,} more were skipped" if len(skipped) > 1 else ""
        super().__init__(f"nothing there can be imported{why}{more}", hint=hint)
        self.skipped = skipped


@dataclass(slots=True)
class SourceReport:
    """Counts are documents, mails and pieces of conversations. `superseded` are pieces that a longer one replaced."""

    name: str
    imported: int = 0
    updated: int = 0
    unchanged: int = 0
    superseded: int = 0
    skipped: list[Remark] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    @property
    def taken(self) -> int:
        return self.imported + self.updated + self.unchanged


@dataclass(frozen=True, slots=True)
class ImportReport:
    sources: tuple[SourceReport, ...]
    commit: CommitReport
    notes: tuple[str, ...] = ()
