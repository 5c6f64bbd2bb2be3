"""Remembering: one entry more in MEMORY.md, under a heading of it. What stands there already is not stored twice."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.importing.encoding import one_line
from memtree.engine.incoming import refuse_unportable
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


class MemoryIsNoFile(UserError):
    def __init__(self) -> None:
        super().__init__(
            f"{MEMORY} is a symbolic link or a folder: nothing was added", hint="put a file in its place, or store this as a note"
        )


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
    workspace.capture.take(automatic=True, only=(MEMORY,))
    entry = one_entry(workspace.redactor.text(clean(without_fenced(text))))
    heading = workspace.redactor.text(one_line(clean(section), _SECTION).strip("#").strip()) or DEFAULT_SECTION
    block_id = entry_id(int(workspace.options.clock() * 1000), noise(5))
    present: Place | None = None

    def contents() -> dict[RepoPath, bytes | None]:
        nonlocal present
        refuse_unportable(workspace.repo, workspace.repo.tip(workspace.settings.ref), MEMORY)
        data = _at_tip(workspace)  # under the lock: what another process adds meanwhile is seen
        if len(data) > LARGEST:
            raise MemoryFull(len(data))
        present = known(data, entry)
        return {} if present is not None else {MEMORY: with_entry(data, entry, block_id, heading)}

    # Not what it says: a text that is forgotten must stand in no message either.
    said = "remember an entry of MEMORY.md\n\nMemtree-Writer: archivist\n"
    commit = workspace.store.write(contents, message=said)
    if present is not None:
        return EntryReport(commit, False, present, entry)
    place = place_of(workspace.store.working_copy.content(MEMORY) or b"", block_id)
    if place is not None:
        return EntryReport(commit, True, place, entry)
    return EntryReport(commit, True, place_of(_at_tip(workspace), block_id) or Place(0, 0, block_id), entry, on_disk=False)


def _at_tip(workspace: Workspace) -> bytes:
    found = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), MEMORY)
    if found is None:
        return b""
    if not found.is_file:
        raise MemoryIsNoFile
    return workspace.repo.blob(found.id)
