"""The callout that holds the versions of a passage that two sides changed: ordinary markdown that any editor shows.

    > [!conflict] c-1a2b3c4d
    > > one version
    >
    > > the other

Deleting a version, or all of the callout, is the resolution. The id is minted once and kept while versions come and go. All of
this works on LF line ends.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memtree.tree.block_rules import BOM, BlockKind
from memtree.tree.blocks import scan

_FIRST = re.compile(rb"> ?\[!conflict\][ \t]+(c-[0-9a-f]{8})[ \t]*(?:\n|\Z)")
MARK = b"[!conflict] c-"


@dataclass(frozen=True, slots=True)
class ConflictCallout:
    """`variants` are the texts of the versions, without quote marks, in the order of the file."""

    id: str
    variants: tuple[bytes, ...]

    def render(self) -> bytes:
        """The callout as markdown, its variants in byte order, without a line end behind."""
        lines = [b"> [!conflict] " + self.id.encode()]
        for number, text in enumerate(sorted(self.variants)):
            if number:
                lines.append(b">")
            lines += [b"> > " + line if line else b"> >" for line in text.split(b"\n")]
        return b"\n".join(lines)


def parse_conflict(text: bytes) -> ConflictCallout | None:
    """Read a block; None when it is no conflict callout or holds no version any more."""
    first = _FIRST.match(text)
    if first is None:
        return None
    groups: list[list[bytes]] = [[]]
    for line in text[first.end() :].split(b"\n"):
        line = line[2:] if line.startswith(b"> ") else line.removeprefix(b">")
        if line.strip():
            groups[-1].append(line)
        elif groups[-1]:
            groups.append([])
    variants = tuple(b"\n".join(_unquoted(group)) for group in groups if group)
    return ConflictCallout(first[1].decode(), variants) if variants else None


def _unquoted(lines: list[bytes]) -> list[bytes]:
    """A version without its quote marks; one that a person wrote into the callout without any is taken as it is."""
    if not all(line.startswith(b">") for line in lines):
        return lines
    return [line[2:] if line.startswith(b"> ") else line[1:] for line in lines]


def mint(*parts: bytes) -> str:
    """An id from what the callout is made of, so that two machines that make it apart make the same."""
    return "c-" + hashlib.sha256(b"\0".join(parts)).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a callout stands in a file, in bytes and in lines (the first line is 1, the last one included)."""

    callout: ConflictCallout
    start: int
    end: int
    first_line: int
    last_line: int


def conflicts_in(data: bytes) -> Iterator[Place]:
    """Every conflict callout of a markdown file, in order."""
    if MARK not in data:
        return
    for block in scan(data):
        if block.kind is not BlockKind.CALLOUT:
            continue
        start = block.start + len(BOM) * data.startswith(BOM, block.start)
        text = data[start : block.content_end]
        found = parse_conflict(text.replace(b"\r\n", b"\n"))
        if found is not None:
            first = data.count(b"\n", 0, start) + 1
            yield Place(found, start, block.content_end, first, first + text.count(b"\n"))


def ids_in(texts: Iterable[bytes]) -> set[str]:
    """The ids of the conflict callouts of some files."""
    return {place.callout.id for data in texts for place in conflicts_in(data)}
