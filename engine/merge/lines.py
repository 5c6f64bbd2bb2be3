"""Plain text merged by lines: clean where the sides changed different lines, else both versions are kept as two files."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import TypeVar

from memtree.engine.merge.edits import Edit, edits_of
from memtree.engine.merge.keep_both import two_files
from memtree.engine.merge.line_ends import level, one_text
from memtree.engine.merge.outcome import Content
from memtree.tree.paths import RepoPath

K = TypeVar("K", bound=Hashable)
_Merge = Callable[[bytes, bytes, bytes], bytes | None]


def merge_text(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of plain text."""
    del path
    merged = one_text(base, ours, theirs)
    if merged is None:
        merged = merge_lines(base, ours, theirs)
    return two_files(ours, theirs) if merged is None else Content(merged)


def merge_lines(base: bytes | None, ours: bytes, theirs: bytes) -> bytes | None:
    """The text with both sides' changes; None where the changes overlap or touch, or would not merge to the same again."""
    levelled = level(base, ours, theirs)
    old = levelled.base or b""
    if levelled.ours == old or levelled.theirs == old:
        return levelled.written(levelled.theirs if levelled.ours == old else levelled.ours)
    # The check below asks for the same changes again, and finding them is what takes long.
    merge = partial(_merged, cache(_edits_of_lines))
    merged = merge(old, levelled.ours, levelled.theirs)
    if merged is None or not stands(merge, old, levelled.ours, levelled.theirs, merged):
        return None
    return levelled.written(merged)


def stands(merge: _Merge, base: bytes, ours: bytes, theirs: bytes, merged: bytes) -> bool:
    """Whether merging the result with either side again would give it again, so that machines come to rest on it."""
    again = [merged if merged == side else merge(base, merged, side) for side in (ours, theirs)]
    return merged != base and again == [merged, merged]


def merge_sequences(base: Sequence[K], ours: Sequence[K], theirs: Sequence[K]) -> list[K] | None:
    """The elements with both sides' changes; None where the changes overlap or touch."""
    return _applied(base, edits_of(base, ours), edits_of(base, theirs))


def _merged(edits: Callable[[bytes, bytes], list[Edit[bytes]]], base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    merged = _applied(split_lines(base), edits(base, ours), edits(base, theirs))
    return None if merged is None else b"".join(merged)


def _applied(base: Sequence[K], ours: Iterable[Edit[K]], theirs: Iterable[Edit[K]]) -> list[K] | None:
    edits = sorted({*ours, *theirs}, key=lambda edit: edit[:2])
    if any(start <= end for (_, end, _), (start, _, _) in pairwise(edits)):
        return None
    merged: list[K] = []
    at = 0
    for start, end, new in edits:
        merged += [*base[at:start], *new]
        at = end
    return [*merged, *base[at:]]


def _edits_of_lines(old: bytes, new: bytes) -> list[Edit[bytes]]:
    return edits_of(split_lines(old), split_lines(new))


def split_lines(text: bytes) -> list[bytes]:
    """The lines with their ends, at LF only: a lone CR is part of its line."""
    *lines, last = text.split(b"\n")
    return [*(line + b"\n" for line in lines), *([last] if last else [])]
