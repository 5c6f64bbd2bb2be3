"""References: wikilinks, embeds and block ids of a block, as spans, outside code.

Obsidian's forms: `[[target#part|label]]`, `![[embed]]`, and `^id` at the end of a paragraph, of a list's item or on a line of its
own below what it names (https://help.obsidian.md/links). Every pass is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtree.tree.blocks import Block, BlockKind

_CODE_KINDS = frozenset(
    {BlockKind.FENCE, BlockKind.CODE, BlockKind.MATH, BlockKind.COMMENT, BlockKind.HTML, BlockKind.FRONT_MATTER}
)
_MANY_IDS = frozenset({BlockKind.LIST, BlockKind.QUOTE, BlockKind.CALLOUT, BlockKind.FOOTNOTE})

# A fence inside a list or a quote: behind nothing but marks and indentation.
_INNER_FENCE = re.compile(rb"[ \t>*+.)0-9-]*?(`{3,}|~{3,})")
_BLANK = re.compile(rb"[ \t>]*\Z")
# An escape hides what follows, but inside a code span a backslash is text: whether it hides a backtick depends on the place.
_TOKEN = re.compile(rb"\\[^`]|(\\?)(`+)|(!?)\[\[([^\[\]|\r\n]+?)(?:\\?\|([^\[\]\r\n]*))?\]\]", re.DOTALL)
_ID = re.compile(rb"\^([A-Za-z0-9-]+)[ \t]*\Z")
_OWN_LINE = re.compile(rb"[ \t]*\^[A-Za-z0-9-]+[ \t]*\Z")


class Link(NamedTuple):
    """A wikilink or an embed: its span in the document, what it names and the text it is shown as ('' for none)."""

    start: int
    end: int
    target: str
    label: str
    embed: bool


class BlockId(NamedTuple):
    """A block id without its `^`; the span includes it."""

    start: int
    end: int
    id: str


def links(data: bytes, block: Block) -> Iterator[Link]:
    """Yield the wikilinks and embeds of a block."""
    if block.kind in _CODE_KINDS or data.find(b"[[", block.start, block.content_end) < 0:
        return
    for start, end in _paragraphs(data, block):
        for match in _outside_code(data[start:end]):
            target, label = ((part or b"").decode("utf-8", "replace").strip() for part in match.group(4, 5))
            if target:
                yield Link(start + match.start(), start + match.end(), target, label, bool(match[3]))


def block_ids(data: bytes, block: Block) -> Iterator[BlockId]:
    """Yield the ids that a block carries: at its end, and in a list or a quote at the end of any line."""
    if block.kind in _CODE_KINDS or data.find(b"^", block.start, block.content_end) < 0:
        return
    found = None
    for start, end in _lines(data, block):
        at = data.rfind(b"^", start, end)
        match = _ID.match(data, at, end) if at == start or (at > start and data[at - 1 : at] in (b" ", b"\t")) else None
        found = BlockId(at, match.end(1), match[1].decode()) if match else None
        if found and block.kind in _MANY_IDS:
            yield found
    if found and block.kind not in _MANY_IDS:
        yield found


def is_own_line_id(data: bytes, block: Block) -> bool:
    """Whether a block is nothing but the id of the block before it."""
    content = data[block.start : block.content_end]
    return block.kind is BlockKind.PARAGRAPH and content[:4].lstrip()[:1] == b"^" and _OWN_LINE.match(content) is not None


def _lines(data: bytes, block: Block) -> Iterator[tuple[int, int]]:
    """The lines of a block without their ends, but those of fences inside it."""
    at, fence = block.start, b""
    for raw in data[block.start : block.content_end].splitlines(keepends=True):
        line = raw.rstrip(b"\r\n")
        opening = _INNER_FENCE.match(line)
        if fence:
            text = line.strip(b" \t>")
            if len(text) >= len(fence) and not text.strip(fence[:1]):
                fence = b""
        elif opening and block.kind in _MANY_IDS and b"`" not in line[opening.end() :]:
            fence = opening[1]
        else:
            yield at, at + len(line)
        at += len(raw)


def _paragraphs(data: bytes, block: Block) -> Iterator[tuple[int, int]]:
    """Stretches of lines between blank ones: a code span may end on a later line, but not behind a blank one."""
    first = last = -1
    for start, end in _lines(data, block):
        if _BLANK.match(data, start, end):
            if first >= 0:
                yield first, last
            first = -1
            continue
        first, last = (start if first < 0 else first), end
    if first >= 0:
        yield first, last


def _outside_code(text: bytes) -> Iterator[re.Match[bytes]]:
    """The links of a paragraph, code spans skipped: one ends at the next run of as many backticks as it began with."""
    tokens = [match for match in _TOKEN.finditer(text) if match[2] or match[4]]
    closers: dict[int, list[int]] = {}
    for number in range(len(tokens) - 1, -1, -1):
        if tokens[number][2]:
            closers.setdefault(len(tokens[number][2]), []).append(number)
    number = 0
    while number < len(tokens):
        token = tokens[number]
        if token[4]:
            yield token
        elif not token[1]:
            runs = closers[len(token[2])]
            while runs and runs[-1] <= number:
                runs.pop()
            number = runs[-1] if runs else number
        number += 1
