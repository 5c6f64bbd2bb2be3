"""What a merge answers: contents, further files, and conflicts, which are values and never exceptions."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath


class ConflictKind(enum.Enum):
    SAME_PASSAGE = "both sides changed the same passage; both versions stand in the file"
    BOTH_CHANGED = "both sides changed it; both versions are kept"
    CHANGED_AND_DELETED = "one side deleted it, the other changed it; the change is kept"
    FILE_AND_FOLDER = "one side has a file where the other has a folder; the file was renamed"
    SUBMODULE = "both sides moved the submodule; one commit was chosen"
    RENAMED_TWICE = "the sides gave it different names; one was chosen"
    FORGOTTEN = "one side forgot a passage that the other changed; it stays forgotten"


@dataclass(frozen=True, slots=True)
class Conflict:
    """What a merge could not settle silently.

    `second` names the file that holds the other version, where there is one; `places` are the ids of the callouts in the file.
    """

    path: RepoPath
    kind: ConflictKind
    second: RepoPath | None = None
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome for one path: its entry (None: deleted), further files, and what to report."""

    entry: Entry | None
    extra: tuple[tuple[RepoPath, Entry], ...] = ()
    conflict: Conflict | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """What a rule makes of two changed texts: the bytes that keep the path, and what the reader should know.

    `second` is the version that cannot stand in the same file. `places` are the callouts that the merge itself put in.
    """

    data: bytes
    second: bytes | None = None
    kind: ConflictKind | None = None
    places: tuple[str, ...] = ()


MergeRule = Callable[[RepoPath, Entry | None, Entry | None, Entry | None], Merged]
# (path, base or None, ours, theirs); only ever asked about two different texts that both differ from the base.
ContentRule = Callable[[RepoPath, bytes | None, bytes, bytes], Content]


def second_name(path: RepoPath, entry: Entry, digits: int = 8) -> RepoPath:
    """The name of a second version: from its content, so that two machines that resolve apart do not conflict again."""
    return path.beside(entry.id[:digits])
