"""Units: the least that a chunk is made of, in order: a block, or lines of one that is too large.

Limits are in tokens as `token_count` estimates them. The default embedder was trained on passages of this size, and larger
models cut at 512.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from memtree.tree.block_parts import heading_text
from memtree.tree.blocks import Block, BlockKind
from memtree.tree.document import Document
from memtree.tree.references import block_ids, is_own_line_id
from memtree.tree.token_count import count_tokens

CHUNK_LIMIT = 450
BLOCK_LIMIT = 700  # a paragraph alone may be this large: a tail of a few words would be worth nothing
WHOLE_LIMIT = 2_000
_HEADING_LIMIT = 200
_ATOM = 100  # characters: what a line that is too long is cut into, at its spaces, before it is joined again
_SPACES_A_TOKEN = 16  # a run of spaces costs little, but not nothing

_WHOLE = frozenset({BlockKind.FENCE, BlockKind.TABLE, BlockKind.CODE, BlockKind.HTML, BlockKind.MATH, BlockKind.COMMENT})
_CODE = frozenset({BlockKind.FENCE, BlockKind.CODE, BlockKind.MATH})


class Unit(NamedTuple):
    """Lines `first` up to `end` (indexes) under `headings`; `level` is a heading's own, 0 for others.

    `part` is a stretch of a line that is too long for one chunk; a unit that is `apart` is joined with no other.
    """

    headings: tuple[str, ...]
    level: int
    first: int
    end: int
    tokens: float
    prose: bool
    block_ids: tuple[str, ...] = ()
    part: str = ""
    apart: bool = False


def markdown_units(document: Document, lines: list[str], *, skip_header: bool) -> Iterator[Unit]:
    """Cut a document at its blocks. A header that cannot be read is text like any other: nothing written may be unfindable."""
    data = document.data
    path: list[tuple[int, str]] = []
    at = 0
    for block in document.blocks():
        first = at
        at += _lines_in(data, block.start, block.end)
        if block.kind is BlockKind.BLANK or (block.kind is BlockKind.FRONT_MATTER and skip_header):
            continue
        if block.level:
            path = [one for one in path if one[0] < block.level]
            path.append((block.level, heading_text(data, block)[:_HEADING_LIMIT]))
        yield from _block_units(data, block, lines, first, tuple(text for _, text in path))


def _block_units(data: bytes, block: Block, lines: list[str], first: int, headings: tuple[str, ...]) -> Iterator[Unit]:
    end = first + _lines_in(data, block.start, block.content_end)
    # The id of the block before stays with it, however full the chunk is.
    tokens = 0.0 if is_own_line_id(data, block) else _tokens(data[block.start : block.content_end])
    ids = list(_ids_with_lines(data, block, first))
    names = tuple(name for _, name in ids)
    unit = Unit(headings, block.level, first, end, tokens, block.kind not in _CODE, names, "", block.kind is BlockKind.FRONT_MATTER)
    if tokens <= (WHOLE_LIMIT if block.kind in _WHOLE else CHUNK_LIMIT if block.kind is BlockKind.LIST else BLOCK_LIMIT):
        yield unit
        return
    smaller = _item_units(data, block, unit, lines) if block.kind is BlockKind.LIST else line_units(unit, lines, CHUNK_LIMIT)
    waiting = list(reversed(ids))
    for one in smaller:
        held = []
        while waiting and waiting[-1][0] < one.end:
            held.append(waiting.pop()[1])
        yield one._replace(block_ids=tuple(held))


def _ids_with_lines(data: bytes, block: Block, first: int) -> Iterator[tuple[int, str]]:
    """The ids of a block, each with the line it stands in."""
    at, line = block.start, first
    for one in block_ids(data, block):
        line += _line_ends(data, at, one.start)
        at = one.start
        yield line, one.id


def _item_units(data: bytes, block: Block, unit: Unit, lines: list[str]) -> Iterator[Unit]:
    at = unit.first
    for number, start in enumerate(block.parts):
        end = block.parts[number + 1] if number + 1 < len(block.parts) else block.content_end
        first = at
        at += _lines_in(data, start, end)
        item = unit._replace(first=first, end=at, tokens=_tokens(data[start:end]))
        yield from line_units(item, lines, CHUNK_LIMIT) if item.tokens > BLOCK_LIMIT else (item,)


def plain_units(lines: list[str]) -> Iterator[Unit]:
    """Cut a text that is no markdown between its paragraphs."""
    first = 0
    for number in range(len(lines) + 1):
        if number < len(lines) and lines[number].strip():
            continue
        if number > first:
            unit = Unit((), 0, first, number, sum(_tokens(f"{line}\n".encode()) for line in lines[first:number]), prose=True)
            yield from line_units(unit, lines, CHUNK_LIMIT) if unit.tokens > BLOCK_LIMIT else (unit,)
        first = number + 1


def line_units(unit: Unit, lines: list[str], limit: float) -> Iterator[Unit]:
    """Cut a unit into one for every line that is not blank, a line far above `limit` into parts of it."""
    level = unit.level
    for number in range(unit.first, unit.end):
        line = lines[number]
        if not line.strip():
            continue
        tokens = _tokens(f"{line}\n".encode())
        made = unit._replace(level=level, first=number, end=number + 1, tokens=tokens, block_ids=())
        level = 0
        if tokens * CHUNK_LIMIT <= limit * BLOCK_LIMIT:
            yield made
        else:
            yield from (made._replace(part=part) for part in _cut(line, tokens, limit) if part.strip())


def _cut(line: str, tokens: float, limit: float) -> Iterator[str]:
    """Cut a line at its spaces into parts of much the same size."""
    wanted = tokens / math.ceil(tokens / limit)
    start = at = 0
    size = 0.0
    while at < len(line):
        space = line.rfind(" ", at + _ATOM // 2, at + _ATOM)
        end = space + 1 if space >= 0 else at + _ATOM
        cost = _tokens(line[at:end].encode())
        if size and size + cost / 2 > wanted:
            yield line[start:at]
            start, size = at, 0.0
        size += cost
        at = end
    yield line[start:]


def _tokens(data: bytes) -> float:
    return max(count_tokens(data), len(data) / _SPACES_A_TOKEN)


def _lines_in(data: bytes, start: int, end: int) -> int:
    """How many lines a stretch has that begins with one; a last one without its end counts."""
    return _line_ends(data, start, end) + (end > start and data[end - 1] not in b"\r\n")


def _line_ends(data: bytes, start: int, end: int) -> int:
    if data.find(b"\r", start, end) < 0:
        return data.count(b"\n", start, end)
    return data[start:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
