"""Remembering: one entry more in MEMORY.md, under a heading of it. What stands there already is not stored twice."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.importing.encoding import one_line
from memtree.engine.store.report import CommitReport
from memtree.tree.context_fence import without_fenced
from memtree.tree.errors import UserError
from memtree.tree.memory_entry import DEFAULT_SECTION, Place, entry_id, known, one_entry, place_of, with_entry
from memtree.tree.paths import RepoPath
from memtree.tree.scalars import clean

if TYPE_CHECKING:
    from collections.abc import Callable

    from memtree.engine.workspace import Workspace

MEMORY = RepoPath("MEMORY.md")
LARGEST = 1 << 20  # bytes of a file that is still added to
_SECTION = 100  # characters


class MemoryFull(UserError):
    def __init__(self, size: int) -> None:
        super().__init__(
            f"{MEMORY} has {size:,} bytes, more than {LARGEST:,}: nothing was added",
            hint="move some of it to notes, or store this as a note",
        )


@dataclass(frozen=True, slots=True)
class EntryReport:
    """Where the entry stands on the disk now; `stored` is False when one that says the same was there already."""

    commit: CommitReport
    stored: bool
    place: Place
    text: str


def remember(workspace: Workspace, text: str, *, section: str = "", noise: Callable[[int], bytes] = os.urandom) -> EntryReport:
    """Commit a text as one entry of MEMORY.md, redacted. Raise UnfitEntry, MemoryFull, MemoryFileOpen; nothing is stored then.

    What was edited there by hand is committed first, and merged with, never overwritten.
    """
    workspace.capture.take(automatic=True, only=(MEMORY,))
    entry = one_entry(workspace.redactor.text(clean(without_fenced(text))))
    heading = workspace.redactor.text(one_line(clean(section), _SECTION).strip("#").strip()) or DEFAULT_SECTION
    block_id = entry_id(int(workspace.options.clock() * 1000), noise(5))
    present: Place | None = None

    def contents() -> dict[RepoPath, bytes | None]:
        nonlocal present
        data = _at_tip(workspace)  # under the lock: what another process adds meanwhile is seen
        if len(data) > LARGEST:
            raise MemoryFull(len(data))
        present = known(data, entry)
        return {} if present is not None else {MEMORY: with_entry(data, entry, block_id, heading)}

    said = f"remember: {one_line(entry, 60)}\n\nMemtree-Writer: archivist\n"
    commit = workspace.store.write(contents, message=said)
    if present is not None:
        return EntryReport(commit, False, present, entry)
    on_disk = workspace.store.working_copy.content(MEMORY) or b""
    return EntryReport(commit, True, place_of(on_disk, block_id) or Place(0, 0, block_id), entry)


def _at_tip(workspace: Workspace) -> bytes:
    found = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), MEMORY)
    return workspace.repo.blob(found.id) if found is not None and found.is_file else b""
