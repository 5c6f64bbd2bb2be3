"""FileMerge: the merge of one path's entries. What stands in the files is the content rules' business (rules.py)."""

from __future__ import annotations

from collections.abc import Callable

from memtree.engine.merge.mending import mended
from memtree.engine.merge.outcome import Conflict, ConflictKind, Content, ContentRule, Merged, second_name
from memtree.tree.forgotten import forgets_more
from memtree.tree.kinds import is_markdown
from memtree.tree.objects import GITLINK, BlobId, Entry
from memtree.tree.paths import RepoPath

LARGEST = 4 * 1024 * 1024  # bytes; above it a merge by content would take too long, and both versions are kept


class FileMerge:
    """A MergeRule over a store of blobs. Symmetric in ours and theirs; one side alone changed is taken as it is."""

    def __init__(
        self,
        read: Callable[[str], bytes],
        size: Callable[[str], int],
        store: Callable[[bytes], BlobId],
        rule_for: Callable[[RepoPath], ContentRule | None],
    ) -> None:
        self._read = read
        self._size = size
        self._store = store
        self._rule_for = rule_for

    def __call__(self, path: RepoPath, base: Entry | None, ours: Entry | None, theirs: Entry | None) -> Merged:
        """Three-way; `base` is None where the sides have no version in common."""
        if ours == theirs or theirs == base:
            return Merged(ours)
        if ours == base:
            return Merged(theirs)
        if ours is None or theirs is None:
            return self._changed_and_deleted(path, ours or theirs)
        if GITLINK in (ours.mode, theirs.mode):
            return self._submodule(path, ours, theirs)
        mode = _mode(base, ours, theirs)
        if mode is None:
            return self._both(path, ours, theirs)
        if ours.id == theirs.id:
            return Merged(Entry(mode, ours.id))
        if base is not None and base.is_file and base.id in (ours.id, theirs.id):
            return Merged(Entry(mode, theirs.id if base.id == ours.id else ours.id))
        return self._contents(path, mode, base, ours, theirs)

    def _changed_and_deleted(self, path: RepoPath, kept: Entry | None) -> Merged:
        return Merged(kept, conflict=Conflict(path, ConflictKind.CHANGED_AND_DELETED))

    def _submodule(self, path: RepoPath, ours: Entry, theirs: Entry) -> Merged:
        """One of two commits; a file that stands against a submodule gets a name of its own."""
        other, link = sorted((ours, theirs), key=lambda entry: (entry.mode == GITLINK, entry.id))
        if other.mode == GITLINK:
            return Merged(link, conflict=Conflict(path, ConflictKind.SUBMODULE))
        name = second_name(path, other)
        return Merged(link, ((name, other),), Conflict(path, ConflictKind.BOTH_CHANGED, name))

    def _contents(self, path: RepoPath, mode: int, base: Entry | None, ours: Entry, theirs: Entry) -> Merged:
        rule = self._rule_for(path)
        versions = [ours, theirs] if base is None or not base.is_file else [ours, theirs, base]
        if max(self._size(entry.id) for entry in versions) > LARGEST:
            return self._both(path, ours, theirs)
        one, two, *rest = (self._read(entry.id) for entry in versions)
        old = rest[0] if rest else None
        forgetting = _forgetting(old, one, two, by_blocks=rule is not None and is_markdown(path))
        if forgetting is not None:
            content = Content(forgetting, kind=ConflictKind.FORGOTTEN)
        elif rule is not None and all(map(_is_text, (one, two, *rest))):
            content = _by_rule(path, old, one, two, rule)
        else:
            return self._both(path, ours, theirs)
        return self._entries(path, mode, content)

    def _entries(self, path: RepoPath, mode: int, content: Content) -> Merged:
        entry = Entry(mode, self._store(content.data))
        if content.second is None:
            found = Conflict(path, content.kind, places=content.places) if content.kind is not None else None
            return Merged(entry, conflict=found)
        other = Entry(mode, self._store(content.second))
        if other == entry:
            return Merged(entry)
        name = second_name(path, other)
        return Merged(entry, ((name, other),), Conflict(path, content.kind or ConflictKind.BOTH_CHANGED, name, content.places))

    def _both(self, path: RepoPath, ours: Entry, theirs: Entry) -> Merged:
        """The smaller blob id keeps the name, the other version gets a second file."""
        first, second = sorted((ours, theirs), key=lambda entry: (entry.id, entry.mode))
        name = second_name(path, second)
        return Merged(first, ((name, second),), Conflict(path, ConflictKind.BOTH_CHANGED, name))


def _mode(base: Entry | None, ours: Entry, theirs: Entry) -> int | None:
    """The merged mode of two files (executable where the side that changed it says so), None where one is a link."""
    if ours.id == theirs.id and (ours.is_file == theirs.is_file):
        changed = [entry.mode for entry in (ours, theirs) if base is None or entry.mode != base.mode]
        return max(changed)
    if not (ours.is_file and theirs.is_file):
        return None
    if base is None or not base.is_file:
        return max(ours.mode, theirs.mode)
    changed = [entry.mode for entry in (ours, theirs) if entry.mode != base.mode]
    return changed[0] if changed else base.mode


def _by_rule(path: RepoPath, base: bytes | None, one: bytes, two: bytes, rule: ContentRule) -> Content:
    if is_markdown(path):
        one, two = mended(path, base, one, rule), mended(path, base, two, rule)
        if one == two or base in (one, two):
            return Content(two if one == base else one)
    return rule(path, base, *sorted((one, two)))


def _forgetting(base: bytes | None, ours: bytes, theirs: bytes, *, by_blocks: bool) -> bytes | None:
    """The side that forgot something wins where texts are not merged block by block; None where neither side did."""
    sides = [side for side in (ours, theirs) if forgets_more(base, side, whole=by_blocks)]
    return min(sides) if sides else None


def _is_text(data: bytes) -> bool:
    """Whether a rule for texts may look at it: UTF-8 without NUL."""
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
