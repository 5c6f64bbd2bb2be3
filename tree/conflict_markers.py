"""Conflict markers: the stretches that git leaves in a file when it cannot merge, and the sides that they hold.

A stretch is read only when it is whole: opened, perhaps with the base (diff3 and zdiff3 style), parted once, closed, and with no
other inside. Lines that look like markers are common in notes about git, so what a merge left is told by what the file was before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memtree.tree.blocks import BlockKind, scan

OPENING = b"<<<<<<<"
# Exactly seven characters: a conflict between the bases of a conflict has longer marks.
_MARKER = re.compile(rb"^(?:(<{7}|\|{7}|>{7})(?: [^\r\n]*)?|(={7}))\r?$", re.MULTILINE)
_ANY_MARK = re.compile(rb"^(?:<{7,}|>{7,})(?: |\r?$)", re.MULTILINE)
_MOST_STRAYS = 50  # openings that are never closed


@dataclass(frozen=True, slots=True)
class Region:
    """One stretch: `start` to `end` with its marker lines. The sides are whole lines; `base` is None where it is not shown."""

    start: int
    end: int
    opening: bytes
    closing: bytes
    ours: bytes
    base: bytes | None
    theirs: bytes

    @property
    def labels(self) -> tuple[bytes, bytes]:
        """The marker lines that begin and end it: they name what was merged, and stay when somebody edits between them."""
        return self.opening, self.closing


Side = Callable[[Region], bytes]


def regions_in(data: bytes) -> list[Region]:
    """Every whole stretch of a file that is in no other, in order."""
    if OPENING not in data:
        return []
    marks = list(_MARKER.finditer(data))
    found: list[Region] = []
    first = 0
    for _ in range(_MOST_STRAYS):
        regions, first = _scan(data, marks, first)
        found += regions
        if first >= len(marks):
            break
    return found


def _scan(data: bytes, marks: Sequence[re.Match[bytes]], first: int) -> tuple[list[Region], int]:
    """The outermost stretches from a mark on, and the mark to go on with when an opening before it is never closed."""
    found: list[Region] = []
    opened: list[int] = []
    nested = False
    for number in range(first, len(marks)):
        kind = _kind(marks[number])
        if kind == b"<":
            nested = bool(opened)
            opened.append(number)
        elif kind == b">" and opened:
            start = opened.pop()
            if not opened:
                region = None if nested else _region(data, marks[start : number + 1])
                found += [region] if region is not None else []
                nested = False
            else:
                nested = True
    if opened:
        stray = opened[0]
        before = [region for region in found if region.end <= marks[stray].start()]
        return before, stray + 1
    return found, len(marks)


def _kind(mark: re.Match[bytes]) -> bytes:
    return (mark[1] or mark[2])[:1]


def _region(data: bytes, marks: Sequence[re.Match[bytes]]) -> Region | None:
    kinds = b"".join(map(_kind, marks))
    if kinds not in (b"<=>", b"<|=>"):
        return None
    texts = [data[_line_end(data, one) : two.start()] for one, two in pairwise(marks)]
    base = texts[1] if len(texts) == 3 else None
    if base is not None and _ANY_MARK.search(base):
        base = None  # the bases were in conflict themselves
    opening, closing = (mark[0].rstrip(b"\r") for mark in (marks[0], marks[-1]))
    return Region(marks[0].start(), _line_end(data, marks[-1]), opening, closing, texts[0], base, texts[-1])


def _line_end(data: bytes, mark: re.Match[bytes]) -> int:
    return min(mark.end() + 1, len(data))


def with_side(data: bytes, regions: Iterable[Region], side: Side) -> bytes:
    """The file with one side in the place of each of some stretches."""
    parts, at = [], 0
    for region in regions:
        parts += [data[at : region.start], side(region)]
        at = region.end
    return b"".join([*parts, data[at:]])


def left_by_merge(data: bytes, parents: Sequence[bytes], *, markdown: bool) -> list[Region]:
    """The stretches that a merge left in a version of a file, told by what its parents held.

    What a parent held already is somebody's text. Where an example is likely (a code fence, a file that is not markdown) the sides
    must also be found in the parents, as they are when git wrote them.
    """
    if not parents:
        return []
    regions = regions_in(data)
    known = {region.labels for parent in parents for region in regions_in(parent)} if regions else set()
    fences = _fences(data) if markdown and regions else []
    texts = [_plain(parent) for parent in parents]
    return [
        region
        for region in regions
        if region.labels not in known
        and ((markdown and not _inside(region, fences)) or _comes_from(region, texts))
        and region.ours + region.theirs
    ]


def _fences(data: bytes) -> list[tuple[int, int]]:
    return [(block.start, block.end) for block in scan(data) if block.kind is BlockKind.FENCE]


def _inside(region: Region, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= region.start and region.end <= end for start, end in spans)


def _comes_from(region: Region, parents: Sequence[bytes]) -> bool:
    """Whether our side stands in a parent as it is; of a merge commit also their side."""
    sides = (region.ours, region.theirs) if len(parents) > 1 else (region.ours,)
    wanted = [_plain(side) for side in sides if side]
    return bool(wanted) and all(any(side in parent for parent in parents) for side in wanted)


def _plain(text: bytes) -> bytes:
    """A text between line ends, LF ones, so that whole lines are found in it."""
    text = text.replace(b"\r\n", b"\n")
    return b"\n" + text + (b"" if text.endswith(b"\n") else b"\n")
