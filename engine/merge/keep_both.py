"""Two versions of a text as two files: where merging would make up what nobody wrote."""

from __future__ import annotations

import hashlib

from memtree.engine.merge.line_ends import one_text
from memtree.engine.merge.outcome import ConflictKind, Content
from memtree.tree.forgotten import forgets_more
from memtree.tree.paths import RepoPath


def keep_both(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of turns, chats and documents, which are never changed: what differs is another one."""
    del path
    same = one_text(base, ours, theirs)
    if same is not None:
        return Content(same)
    return the_forgetting_side(base, ours, theirs) or two_files(ours, theirs)


def the_forgetting_side(base: bytes | None, ours: bytes, theirs: bytes) -> Content | None:
    """The side that forgot a passage, as a whole: what is not merged passage by passage could bring it back."""
    sides = [side for side in (ours, theirs) if forgets_more(base, side)]
    return Content(min(sides), kind=ConflictKind.FORGOTTEN) if sides else None


def two_files(ours: bytes, theirs: bytes) -> Content:
    """Both versions; the one with the smaller blob id keeps the name, as everywhere."""
    first, second = sorted((ours, theirs), key=_blob_id)
    return Content(first, second)


def _blob_id(data: bytes) -> bytes:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).digest()
