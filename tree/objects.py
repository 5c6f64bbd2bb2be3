"""Names and values of git objects: what a commit holds and what changed between two commits."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple, NewType

from memtree.tree.paths import RepoPath

BlobId = NewType("BlobId", str)
CommitId = NewType("CommitId", str)
TreeId = NewType("TreeId", str)

FILE = 0o100644
EXECUTABLE = 0o100755
SYMLINK = 0o120000
GITLINK = 0o160000
FOLDER = 0o040000


class Entry(NamedTuple):
    """What a tree holds under a path: a file mode and an object id (40 hex digits)."""

    mode: int
    id: str

    @property
    def is_file(self) -> bool:
        return self.mode in (FILE, EXECUTABLE)


def no_folder(entry: Entry | None) -> Entry | None:
    """The entry unless it is a folder: what stands under a path as a file, link or gitlink."""
    return None if entry is not None and entry.mode == FOLDER else entry


class ChangeKind(enum.Enum):
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class Change:
    """One path's difference between two commits. `old_path` is set for a rename only."""

    kind: ChangeKind
    path: RepoPath
    before: Entry | None
    after: Entry | None
    old_path: RepoPath | None = None


def pair_renames(changes: list[Change]) -> list[Change]:
    """Join a delete and an add of the same blob into one rename; everything else flows through, sorted by path.

    Pairing is by identical content only; of several candidates the one with the same file name wins, then the first by path.
    """
    gone: dict[str, list[Change]] = {}
    for change in changes:
        if change.kind is ChangeKind.DELETED and change.before is not None and change.before.is_file:
            gone.setdefault(change.before.id, []).append(change)
    result: list[Change] = []
    used: set[RepoPath] = set()
    for change in changes:
        if change.kind is not ChangeKind.ADDED or change.after is None or change.after.id not in gone:
            continue
        sources = [c for c in gone[change.after.id] if c.path not in used]
        if not sources:
            continue
        source = min(sources, key=lambda c: (c.path.name != change.path.name, c.path))
        used.update((source.path, change.path))
        result.append(Change(ChangeKind.RENAMED, change.path, source.before, change.after, source.path))
    result.extend(c for c in changes if c.path not in used)
    return sorted(result, key=lambda c: c.path)
