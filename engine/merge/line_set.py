"""Files whose lines are rules, such as `.gitignore`: a three-way set of lines, in the order that the sides gave them."""

from __future__ import annotations

from collections import Counter

from memtree.engine.merge.keep_both import two_files
from memtree.engine.merge.line_ends import level, one_text
from memtree.engine.merge.lines import split_lines, stands
from memtree.engine.merge.outcome import Content
from memtree.engine.merge.three_way import merge_order, merged_set
from memtree.tree.paths import RepoPath

_Line = tuple[bytes, int]  # a line, and how many equal ones stand above it


def merge_line_set(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of files whose lines are rules."""
    del path
    same = one_text(base, ours, theirs)
    if same is not None:
        return Content(same)
    levelled = level(base, ours, theirs)
    sides = (levelled.base or b"", levelled.ours, levelled.theirs)
    merged = _merged(*sides)
    return Content(levelled.written(merged)) if stands(_merged, *sides, merged) else two_files(ours, theirs)


def _merged(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    if base in (ours, theirs):
        return theirs if ours == base else ours
    old, one, two = (_numbered(text) for text in (base, ours, theirs))
    kept = merged_set(frozenset(old), frozenset(one), frozenset(two))
    order = merge_order(old, *([line for line in side if line in kept] for side in (one, two)))
    return b"".join(line for line, _ in order)


def _numbered(text: bytes) -> list[_Line]:
    """The lines, each with a line end, the last one too."""
    seen: Counter[bytes] = Counter()
    found: list[_Line] = []
    for line in split_lines(text):
        line = line if line.endswith(b"\n") else line + b"\n"
        found.append((line, seen[line]))
        seen[line] += 1
    return found
