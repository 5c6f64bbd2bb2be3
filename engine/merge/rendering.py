"""A merged document as bytes: the gaps between its pieces, and guards where neighbours would be read as something else.

Two neighbours that are neighbours in a side keep that side's gap; a gap that no side has is a blank line, between items of a close
list a line end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memtree.engine.merge.elements import Element
from memtree.engine.merge.pieces import Piece, Pieces, closed, piece_of, split
from memtree.engine.merge.three_way import pick
from memtree.tree.block_rules import BOM, BlockKind

_SEPARATOR = b"<!-- -->"
_TAKES_CODE = frozenset({BlockKind.LIST, BlockKind.FOOTNOTE, BlockKind.CODE})
_START, _END = Element(None, -1, -1), Element(None, None, None)


@dataclass(frozen=True, slots=True)
class Versions:
    """The three documents that are merged, and the line end of what is made."""

    base: Pieces
    one: Pieces
    two: Pieces
    line_end: bytes


def render(elements: Sequence[Element], front: bytes, versions: Versions) -> tuple[bytes, Pieces | None]:
    """The document, and its pieces when it is read as just the elements; None when neighbours are read as something else."""
    row = list(_guarded(elements, versions))
    wanted = [element.key for element in row]
    mark = _three_way(versions.base.mark, versions.one.mark, versions.two.mark, BOM)
    text = b""
    # A second try puts blank lines where the first one put none.
    for spaced in (False, True):
        body = _body(row, versions, spaced=spaced)
        if front and body and not front.endswith(b"\n"):
            body = versions.line_end + body
        if not front and body.startswith(b"---") and split(body).front:
            body = versions.line_end + body  # a rule at the very start would open front matter
        text = mark + front + body
        found = split(text)
        if found.front == front and found.mark == mark and [piece.key for piece in found.pieces] == wanted:
            return text, found
    return text, None


def _three_way(base: bytes, one: bytes, two: bytes, otherwise: bytes) -> bytes:
    return pick(base, one, two, lambda: otherwise)


def _guarded(elements: Sequence[Element], versions: Versions) -> list[Element]:
    """The elements, with a comment before indented code that an item would take in, and with nothing left open but at the end."""
    row: list[Element] = []
    for element in elements:
        before = row[-1] if row else None
        if before is not None and _takes_in(before, element) and not _neighbours(before, element, versions):
            row.append(Element(None, None, None, piece_of(BlockKind.HTML, _SEPARATOR), made=True))
        row.append(element)
    for element in row[:-1]:
        piece = element.value
        if piece is not None and piece.kind in (BlockKind.FENCE, BlockKind.HTML) and closed(piece.kind, piece.text) != piece.text:
            element.value, element.made = Piece(piece.kind, piece.key, piece.key), True
    return row


def _takes_in(before: Element, element: Element) -> bool:
    return _kind(element) is BlockKind.CODE and _kind(before) in _TAKES_CODE


def _kind(element: Element) -> BlockKind | None:
    return element.value.kind if element.value is not None else None


def _neighbours(before: Element, element: Element, versions: Versions) -> bool:
    return any(_gap(before, element, side) is not None for side in _sides(versions)[1:])


def _sides(versions: Versions) -> list[tuple[Pieces, str]]:
    return [(versions.base, "base"), (versions.one, "one"), (versions.two, "two")]


def _gap(before: Element, after: Element, side: tuple[Pieces, str]) -> bytes | None:
    """The gap between two places in a version where they are neighbours."""
    document, name = side
    size = len(document.pieces)
    here = -1 if before is _START else getattr(before, name)
    there = size if after is _END else getattr(after, name)
    return document.gaps[there] if here is not None and there is not None and there == here + 1 else None


def _body(row: Sequence[Element], versions: Versions, *, spaced: bool) -> bytes:
    parts: list[bytes] = []
    for before, after in pairwise((_START, *row, _END)):
        parts.append(_between(before, after, versions, spaced=spaced))
        if after.value is not None:
            text = after.value.text
            parts.append(text.replace(b"\n", versions.line_end) if after.made else text)
    return b"".join(parts)


def _between(before: Element, after: Element, versions: Versions, *, spaced: bool) -> bytes:
    base, one, two = (_gap(before, after, side) for side in _sides(versions))
    if before is _START or after is _END:
        return _at_the_edge(after, (base, one, two), versions)
    if one is not None and two is not None:
        gap = _three_way(base or b"", one, two, _wider(one, two))
    elif one is not None or two is not None:
        gap = one or two or b""
    else:
        gap = _made_gap(before, after, versions, spaced=spaced)
    lines, items = gap.count(b"\n"), _kind(before) is BlockKind.LIST is _kind(after)
    wants_blank = (spaced and (one is None or two is None)) or ((before.made or after.made) and not items)
    if lines < 2 and wants_blank:
        return versions.line_end * 2
    return gap if lines or b"\r" in gap else versions.line_end


def _wider(one: bytes, two: bytes) -> bytes:
    return max((one, two), key=lambda gap: (gap.count(b"\n"), gap))


def _at_the_edge(after: Element, gaps: tuple[bytes | None, bytes | None, bytes | None], versions: Versions) -> bytes:
    """What precedes the first piece, or follows the last one, is a matter of the document and not of its neighbours."""
    base, one, two = gaps
    if one is None and two is None:
        at = -1 if after is _END else 0
        base, one, two = versions.base.gaps[at], versions.one.gaps[at], versions.two.gaps[at]
        gap = _three_way(base, one, two, _wider(one, two))
        # Without a line end this gap would be spaces that indent the first piece.
        return b"" if after is not _END and gap and not gap.endswith(b"\n") else gap
    if one is not None and two is not None:
        return _three_way(base or b"", one, two, _wider(one, two))
    return one or two or b""


def _made_gap(before: Element, after: Element, versions: Versions, *, spaced: bool) -> bytes:
    """A gap that no side has: a line end between items where one of them has one next to it, else a blank line."""
    if not (_kind(before) is BlockKind.LIST is _kind(after)) or spaced:
        return versions.line_end * 2
    near: list[bytes] = []
    for document, name in _sides(versions)[1:]:
        here, there = getattr(before, name), getattr(after, name)
        edges = ([here] if here is not None else []) + ([there - 1] if there else [])
        pairs = ((document.pieces[edge : edge + 2], document.gaps[edge + 1]) for edge in edges)
        near += [gap for neighbours, gap in pairs if len(neighbours) == 2 and all(piece.is_item for piece in neighbours)]
    close = not near or any(gap.count(b"\n") == 1 for gap in near)
    return versions.line_end if close else versions.line_end * 2
