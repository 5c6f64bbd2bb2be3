"""Profiles: the entries of a memory file, with the events that speak for each as a set of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memtree.engine.merge.line_ends import level, one_text
from memtree.engine.merge.outcome import Content
from memtree.engine.merge.profile_values import settled, union
from memtree.engine.merge.prose import merge_entries
from memtree.tree.blocks import BlockKind, scan
from memtree.tree.evidence import block_id, split_evidence, with_evidence
from memtree.tree.paths import RepoPath

Evidence = Mapping[bytes, tuple[bytes, ...]]  # an entry's block id, or else its text, and the events


def merge_profile(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of profiles. What is learned is no edit: an entry that the other side deleted or rewrote does not return."""
    same = one_text(base, ours, theirs)
    if same is not None:
        return Content(same)
    levelled = level(base, ours, theirs)
    old = levelled.base or b""
    if old in (levelled.ours, levelled.theirs):
        return Content(levelled.written(levelled.theirs if levelled.ours == old else levelled.ours))
    versions = [_without_evidence(data) for data in settled(old, levelled.ours, levelled.theirs)]
    merged = merge_entries(path, *(text for text, _ in versions))
    data = _with_evidence(merged.data, [evidence for _, evidence in versions])
    return replace(merged, data=levelled.written(data))


def _without_evidence(data: bytes) -> tuple[bytes, Evidence]:
    evidence: dict[bytes, tuple[bytes, ...]] = {}
    parts: list[bytes] = []
    at = 0
    for start, end, content_end in _entries(data):
        line, ids = split_evidence(data[start:end])
        key = block_id(line) or line + data[end:content_end]
        evidence[key] = tuple(dict.fromkeys([*evidence.get(key, ()), *ids]))
        parts += [data[at:start], line]
        at = end
    return b"".join([*parts, data[at:]]), evidence


def _with_evidence(data: bytes, versions: Sequence[Evidence]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for start, end, content_end in _entries(data):
        line = data[start:end]
        ids = _merge_ids(block_id(line) or line + data[end:content_end], *versions)
        parts += [data[at:start], with_evidence(line, ids)]
        at = end
    return b"".join([*parts, data[at:]])


def _merge_ids(key: bytes, base: Evidence, ours: Evidence, theirs: Evidence) -> list[bytes]:
    """The events of an entry; a version without the entry says nothing about them."""
    old = base.get(key, ())
    return union(old, *(side.get(key, old) for side in (ours, theirs)))


def _entries(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Every entry: where it starts, where its first line ends, and where it ends itself."""
    for block in scan(data):
        if block.kind is BlockKind.LIST:
            for start, stop in zip(block.parts, (*block.parts[1:], block.content_end), strict=True):
                content_end = start + len(data[start:stop].rstrip())
                end = data.find(b"\n", start, content_end)
                yield start, content_end if end < 0 else end, content_end
