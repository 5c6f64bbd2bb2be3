"""Pieces: what a merge of markdown moves about. A document as blocks, its lists as their items, and the gaps between them.

The gap behind a piece is no part of it: else a paragraph added below would change the paragraph above. Texts are compared by their
key: with LF line ends, and with what a fence or a comment at the end of a file may leave open closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from memtree.tree.block_rules import BOM, BlockKind
from memtree.tree.blocks import Block, scan
from memtree.tree.conflict_callout import MARK, ConflictCallout, parse_conflict
from memtree.tree.front_matter import fences

_PROBE = b"zqx"
_SMALL = 16 << 10  # bytes of a document whose pieces are kept for the next merge; of larger ones they would fill the memory
# Other HTML ends at a blank line.
_MAY_STAY_OPEN = re.compile(rb"\s*<(?:[!?]|(?i:script|pre|style|textarea))")
_HTML_ENDS = (b"-->", b"?>", b"]]>", b"</script>", b">")
_HEADS = frozenset({BlockKind.FRONT_MATTER, BlockKind.BLANK})


@dataclass(frozen=True, slots=True)
class Piece:
    """A block or, of kind LIST, one item with what belongs to it. `level` is a heading's; `conflict` is what a callout holds."""

    kind: BlockKind
    text: bytes
    key: bytes
    level: int = 0
    conflict: ConflictCallout | None = None

    @property
    def variants(self) -> tuple[bytes, ...]:
        """The texts that stand in this place: one, or what a conflict callout holds."""
        return self.conflict.variants if self.conflict else (self.key,)

    @property
    def is_item(self) -> bool:
        return self.kind is BlockKind.LIST


@dataclass(frozen=True, slots=True)
class Pieces:
    """A document cut up. `front` is the front matter with both fence lines; `gaps[0]` precedes the first piece."""

    mark: bytes
    front: bytes
    pieces: tuple[Piece, ...]
    gaps: tuple[bytes, ...]

    def conflicts(self) -> set[str]:
        """The ids of its conflict callouts."""
        return {piece.conflict.id for piece in self.pieces if piece.conflict}

    def render(self) -> bytes:
        """The document again, byte for byte."""
        between = (part for piece, gap in zip(self.pieces, self.gaps[1:], strict=True) for part in (piece.text, gap))
        return b"".join([self.mark, self.front, self.gaps[0], *between])


def split(data: bytes) -> Pieces:
    """Cut a document up. Any bytes have pieces."""
    return _kept(data) if len(data) <= _SMALL else _cut(data)


def _cut(data: bytes) -> Pieces:
    mark = BOM if data.startswith(BOM) else b""
    data = data[len(mark) :]
    head = fences(data)
    begin = head.end if head else 0
    pieces: list[Piece] = []
    gaps: list[bytes] = []
    end = begin
    for block in scan(data):
        if block.kind in _HEADS:
            continue
        for start, stop in _spans(block):
            gaps.append(data[end:start])
            text = data[start:stop].rstrip(b" \t\r\n")
            pieces.append(piece_of(block.kind, text, block.level))
            end = start + len(text)
    return Pieces(mark, data[:begin], tuple(pieces), (*gaps, data[end:]))


# A merge is tried again with what it made, and one base is merged with many sides.
_kept = lru_cache(maxsize=64)(_cut)


def _spans(block: Block) -> Iterable[tuple[int, int]]:
    starts = block.parts if block.kind is BlockKind.LIST else (block.start,)
    return zip(starts, (*starts[1:], block.end), strict=True)


def piece_of(kind: BlockKind, text: bytes, level: int = 0) -> Piece:
    """A piece from its text, which has no line end behind."""
    key = closed(kind, unified(text))
    return Piece(kind, text, key, level, _conflict(key) if kind is BlockKind.CALLOUT and MARK in key else None)


def _conflict(key: bytes) -> ConflictCallout | None:
    found = parse_conflict(key)
    if found is None:
        return None
    # Spaces at the end of a version are seen only while another version follows.
    return ConflictCallout(found.id, tuple(text.rstrip(b" \t") for text in found.variants))


def sole_piece(text: bytes) -> Piece | None:
    """The one piece that a text is, None when it is none or several, or would be read otherwise behind a first line."""
    found = split(text)
    return found.pieces[0] if len(found.pieces) == 1 and not found.front and found.pieces[0].text == text else None


def unified(text: bytes) -> bytes:
    """A text with LF line ends; a lone CR ends a line too."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def closed(kind: BlockKind, text: bytes) -> bytes:
    """A text with its end where the document's end alone ended it: nothing may follow an open fence or comment."""
    if kind is BlockKind.FENCE:
        return _closed_fence(text)
    if kind is BlockKind.HTML and _MAY_STAY_OPEN.match(text) and not _ends(text):
        return next((sealed for end in _HTML_ENDS if _ends(sealed := text + b"\n" + end)), text)
    return text


def _closed_fence(text: bytes) -> bytes:
    first, _, rest = text.lstrip(b" ").partition(b"\n")
    mark = first[: len(first) - len(first.lstrip(first[:1]))]
    last = rest.rpartition(b"\n")[2].strip()
    done = len(last) >= len(mark) and not last.strip(mark[:1])
    return text if done else text + b"\n" + mark


def _ends(text: bytes) -> bool:
    """Whether a paragraph below would be one."""
    found = scan(text + b"\n\n" + _PROBE)
    return found[-1].start == len(text) + 2
