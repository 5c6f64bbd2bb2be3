"""What a block says of itself, read on demand: a heading's text, a fence's language, a callout's title, a list's inner items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtree.tree.block_rules import BOM, CALLOUT
from memtree.tree.block_scanner import Scanner
from memtree.tree.blocks import Block

_FENCE = re.compile(rb" {0,3}(?:`{3,}|~{3,})[ \t]*([^\r\n]*)")
_HASHES = re.compile(r"#{1,6}(?:[ \t]|\Z)")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+\Z")
_SPACES = re.compile(rb"[ \t]*")


class Callout(NamedTuple):
    """`> [!type]- title`. `fold` is `-` or `+` when it can be folded, else ''."""

    type: str
    fold: str
    title: str


class Item(NamedTuple):
    """A list item from its mark up to the next item's, at whatever `depth` (1: the list's own items)."""

    start: int
    content_end: int
    end: int
    depth: int


def heading_text(data: bytes, block: Block) -> str:
    """Return a heading's text on one line, without its marks."""
    text = _text(data, block).removeprefix("\ufeff").strip()
    if not _HASHES.match(text):
        # The underline is the last line.
        return " ".join(part.strip() for part in re.split(r"\r\n|\r|\n", text)[:-1])
    text = text.lstrip("#").strip(" \t")
    # `# C#` keeps its last character: closing marks stand after a space.
    return _CLOSING_MARKS.sub("", text).rstrip(" \t")


def fence_info(data: bytes, block: Block) -> str:
    """Return what stands behind a fence's opening marks, usually a language; '' when nothing does."""
    match = _FENCE.match(_content(data, block))
    return match[1].decode("utf-8", "replace").strip() if match else ""


def callout(data: bytes, block: Block) -> Callout | None:
    """Return the first line of a callout, None for any other block. Types are compared in lower case, as Obsidian does."""
    match = CALLOUT.match(_content(data, block))
    if match is None:
        return None
    kind, fold, title = (part.decode("utf-8", "replace").strip() for part in match.groups())
    return Callout(kind.lower(), fold, title)


def list_items(data: bytes, block: Block) -> Iterator[Item]:
    """Yield a list's items and those inside them, in order; together they tile the list."""
    scanner = Scanner(data[block.start : block.content_end])
    scanner.run()
    # `- - x` opens two items on one line: the outer one is meant.
    starts: dict[int, int] = {}
    for start, depth in scanner.items:
        starts.setdefault(block.start + start, depth + 1)
    bounds = [*starts, block.end]
    for number, (start, depth) in enumerate(starts.items()):
        end = bounds[number + 1]
        yield Item(start, start + len(data[start:end].rstrip(b" \t\r\n")), end, depth)


def _content(data: bytes, block: Block) -> bytes:
    return data[block.start : block.content_end].removeprefix(BOM)


def _text(data: bytes, block: Block) -> str:
    return data[block.start : block.content_end].decode("utf-8", "replace")


def line_end(data: bytes, at: int) -> int:
    """Where the line is over, before its line end, whose words are over at a place: spaces behind them belong to it."""
    found = _SPACES.match(data, at)
    return found.end() if found else at
