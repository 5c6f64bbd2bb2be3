"""Remembering: one entry more in MEMORY.md, under a heading of it. What says the same as one that is there is not stored."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.importing.encoding import one_line
from memtree.engine.store.report import CommitReport
from memtree.engine.writers.memory_md import MEMORY as MEMORY
from memtree.engine.writers.memory_md import MemoryFull as MemoryFull
from memtree.engine.writers.memory_md import MemoryIsNoFile as MemoryIsNoFile
from memtree.engine.writers.memory_md import write_memory
from memtree.tree.context_fence import without_fenced
from memtree.tree.memory_entry import DEFAULT_SECTION, Place, entry_id, known, one_entry, place_of, with_entry
from memtree.tree.memory_sections import title_of
from memtree.tree.scalars import clean

if TYPE_CHECKING:
    from collections.abc import Callable

    from memtree.engine.workspace import Workspace

_SECTION = 100  # characters


@dataclass(frozen=True, slots=True)
class EntryReport:
    """Where the entry stands on the disk now; `stored` is False when one that says the same was there already.

    `on_disk` is False when the file is held back: the entry is in the commit, and comes to the file when that is committed.
    """

    commit: CommitReport
    stored: bool
    place: Place
    text: str
    on_disk: bool = True


def remember(workspace: Workspace, text: str, *, section: str = "", noise: Callable[[int], bytes] = os.urandom) -> EntryReport:
    """Commit a text as one entry of MEMORY.md, redacted.

    What was edited there by hand is committed first, and merged with, never overwritten. Raise UnfitEntry, MemoryFull,
    MemoryFileOpen, MemoryIsNoFile, and InvalidPath where there is a `memory.md`; nothing is stored then.
    """
    entry = one_entry(workspace.redactor.text(clean(without_fenced(text))))
    heading = title_of(workspace.redactor.text(title_of(one_line(clean(section), _SECTION)))) or DEFAULT_SECTION
    block_id = entry_id(int(workspace.options.clock() * 1000), noise(5))
    present: Place | None = None

    def change(data: bytes) -> bytes:
        nonlocal present
        present = known(data, entry)
        return data if present is not None else with_entry(data, entry, block_id, heading)

    # Not what it says: a text that is forgotten must stand in no message either.
    said = "remember an entry of MEMORY.md\n\nMemtree-Writer: archivist\n"
    written = write_memory(workspace, MEMORY, change, said)
    if present is not None:
        return EntryReport(written.commit, False, present, entry)
    place = place_of(written.disk, block_id)
    if place is not None:
        return EntryReport(written.commit, True, place, entry)
    return EntryReport(written.commit, True, place_of(written.committed, block_id) or Place(0, 0, block_id), entry, on_disk=False)
