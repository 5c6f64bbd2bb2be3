"""The real rule table over blobs in memory, for tests: what files a merge of one path leaves."""

from __future__ import annotations

from memtree.engine.merge.files import FileMerge
from memtree.engine.merge.outcome import Merged
from memtree.engine.merge.rules import content_rules
from memtree.engine.repo import Repo
from memtree.tree.objects import BlobId, Entry
from memtree.tree.paths import RepoPath
from support import laws


class Outcome:
    """What a merge left: `kept` is the text under the path itself, `files` are all texts by name."""

    def __init__(self, path: RepoPath, merged: Merged, blobs: dict[str, bytes]) -> None:
        assert merged.entry is not None
        self.conflict = merged.conflict
        self.kept = blobs[merged.entry.id]
        self.files = {path: self.kept, **{name: blobs[entry.id] for name, entry in merged.extra}}


def merge_file(path: str, base: bytes | None, ours: bytes, theirs: bytes) -> Outcome:
    blobs: dict[str, bytes] = {}

    def store(data: bytes) -> BlobId:
        name = Repo.hash_blob(data)
        blobs[name] = data
        return name

    merge = FileMerge(blobs.__getitem__, lambda name: len(blobs[name]), store, content_rules())
    base_entry, ours_entry, theirs_entry = (None if data is None else Entry(0o100644, store(data)) for data in (base, ours, theirs))
    return Outcome(RepoPath(path), merge(RepoPath(path), base_entry, ours_entry, theirs_entry), blobs)


def merge_of(path: str) -> laws.Merge:
    """The merge of one path as a function of texts."""
    return lambda base, ours, theirs: merge_file(path, base, ours, theirs).kept
