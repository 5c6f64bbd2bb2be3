"""Blocks: where the parts of a markdown document lie, in exact byte spans that tile it.

The blocks are those of the root level, as CommonMark, GFM and Obsidian see them; what is inside a block is found on demand
(`block_parts`, `references`). Lines end at LF, CRLF and CR only. The gap after a block, its line end and the blank lines, is no
part of its content: else a paragraph added below, or a last newline, would change the block before it.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from typing import NamedTuple

from memtree.tree.block_rules import BOM, CALLOUT, BlockKind
from memtree.tree.block_scanner import Found, Scanner

__all__ = ["Block", "BlockKind", "scan"]


# A tuple and no dataclass: a large vault has millions of blocks, and a frozen dataclass takes three times as long to make.
class Block(NamedTuple):
    """One block: `start` to `content_end` is its text, `content_end` to `end` the gap after it.

    `level` is a heading's, 0 for others. `parts` are where a list's items or a table's rows start, the first at `start`.
    """

    kind: BlockKind
    start: int
    content_end: int
    end: int
    level: int = 0
    parts: tuple[int, ...] = ()


def scan(data: bytes) -> list[Block]:
    """Return the blocks in order; they tile the bytes, so the first starts at 0 and each other one where the one before ends."""
    scanner = Scanner(data)
    scanner.run()
    found = scanner.found
    if data and (not found or found[0].start):
        found.insert(0, Found(BlockKind.BLANK, 0))
    return list(_tiled(data, found, [start for start, depth in scanner.items if depth == 0]))


def _tiled(data: bytes, found: list[Found], items: list[int]) -> Iterator[Block]:
    item = 0
    for number, one in enumerate(found):
        start = one.start
        end = found[number + 1].start if number + 1 < len(found) else len(data)
        content = data[start:end].rstrip(b" \t\r\n")
        kind = one.kind
        parts: tuple[int, ...] = ()
        if kind is BlockKind.LIST:
            first = item
            item = bisect.bisect_left(items, end, first)
            parts = tuple(items[first:item])
        elif kind is BlockKind.TABLE:
            parts = tuple(_line_starts(content, start))
        elif kind is BlockKind.QUOTE and b"[!" in content and CALLOUT.match(content.removeprefix(BOM)):
            kind = BlockKind.CALLOUT
        elif kind is BlockKind.BLANK:
            content = b""
        yield Block(kind, start, start + len(content), end, one.level, parts)


def _line_starts(text: bytes, at: int) -> Iterator[int]:
    for line in text.splitlines(keepends=True):
        yield at
        at += len(line)
