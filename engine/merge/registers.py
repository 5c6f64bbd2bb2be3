"""The value of one place in a document, from what the base and both sides have there.

A place holds a set of texts: a plain piece is a set of one, a conflict callout holds several. What both changed is made into one
text where nothing about that is doubtful; else the set keeps both, as a callout that a person settles by deleting from it. Of two
entries both become items, one below the other. What a side forgot is gone, whatever the other made of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from memtree.engine.merge.alignment import entry_id, reopened_id, without_entry_id
from memtree.engine.merge.pieces import Piece, piece_of, sole_piece
from memtree.engine.merge.three_way import merged_set, pick
from memtree.engine.merge.words import merge_lines, merge_words, without_forgotten
from memtree.tree.block_rules import BlockKind
from memtree.tree.conflict_callout import ConflictCallout, mint
from memtree.tree.forgotten import forgets_more

_BY_WORDS = frozenset(
    {BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST, BlockKind.QUOTE, BlockKind.CALLOUT, BlockKind.FOOTNOTE}
)
_CODE_MARKS = (b"```", b"~~~")
_TABLE_HEAD = 2  # lines
Element = tuple[str | None, bytes]  # of a place's set: the id of the callout that holds a text, None without one


@dataclass(frozen=True, slots=True)
class Value:
    """What stands in a place, and an entry's `sibling` below it."""

    piece: Piece
    sibling: Piece | None = None


def merge_piece(base: Piece | None, one: Piece, two: Piece, *, words: bool, entries: bool) -> Value:
    """The value of a place that both sides hold."""
    same = _unchanged(base, one, two)
    if same is not None:
        return Value(same)
    forgetting = _forgetting(base, one, two)
    if forgetting is not None:
        return Value(forgetting)
    if entries and one.is_item and two.is_item:
        return _siblings(one, two)
    if words and base is not None:
        merged = merge_text(base, one, two)
        if merged is not None:
            return Value(merged)
    return Value(_keep_both(base, one, two))


def _unchanged(base: Piece | None, one: Piece, two: Piece) -> Piece | None:
    """The side that changed the place where only one did; texts that differ in line ends alone count as one."""
    text = pick(base.text if base else None, one.text, two.text, lambda: None)
    if text is not None:
        return one if text == one.text else two
    key = pick(base.key if base else None, one.key, two.key, lambda: None)
    return min((side for side in (one, two) if side.key == key), key=lambda side: side.text) if key is not None else None


def _forgetting(base: Piece | None, one: Piece, two: Piece) -> Piece | None:
    """What is left when a side forgot something of this place; with both, only what neither forgot."""
    old = base.key if base else b""
    sides = [side for side in (one, two) if forgets_more(old, side.key)]
    if len(sides) != 2:
        return sides[0] if sides else None
    smaller, larger = sorted(sides, key=lambda side: side.key)
    text = without_forgotten(old, smaller.key, larger.key)
    return sole_piece(text) or piece_of(smaller.kind, text)


def _siblings(one: Piece, two: Piece) -> Value:
    first, second = sorted((one, two), key=lambda item: (without_entry_id(item.key), item.key))
    if entry_id(first.key) == entry_id(second.key):
        second = piece_of(second.kind, without_entry_id(second.text))
    return Value(first, second)


def merge_text(base: Piece, one: Piece, two: Piece) -> Piece | None:
    """The piece with both sides' changes, None where it would be no longer one piece of that kind or is doubtful."""
    sides = (base, one, two)
    if any(side.conflict for side in sides) or not one.kind is two.kind is base.kind:
        return None
    texts = (base.key, one.key, two.key)
    merged = None
    if base.kind is BlockKind.TABLE:
        merged = merge_lines(*texts, fixed=_TABLE_HEAD)
    elif base.kind in _BY_WORDS and not any(mark in text for mark in _CODE_MARKS for text in texts):
        merged = merge_lines(*texts) if base.kind is BlockKind.LIST and any(b"\n" in text for text in texts) else None
        merged = merge_words(*texts) if merged is None else merged
        if merged is None and base.kind is BlockKind.PARAGRAPH and all(b"\n" in text for text in texts[1:]):
            merged = merge_lines(*texts, apart=True)  # such as two lines written below a text by two machines
    found = sole_piece(merged) if merged is not None else None
    return found if found is not None and found.kind is base.kind and found.key == merged else None


def _elements(piece: Piece | None) -> frozenset[Element]:
    if piece is None:
        return frozenset()
    return frozenset((piece.conflict.id if piece.conflict else None, text) for text in piece.variants)


def _still_there(base: Piece | None, one: Piece, two: Piece) -> frozenset[Element]:
    """The base's own text where it stands in one side's callout: what the other side made of it takes its place there.

    In both sides' callouts neither side took it away: two machines each merged the same third one's text with theirs.
    """
    if base is None or base.conflict or all(base.key in side.variants for side in (one, two)):
        return frozenset()
    return frozenset((side.conflict.id, base.key) for side in (one, two) if side.conflict and base.key in side.variants)


def _keep_both(base: Piece | None, one: Piece, two: Piece) -> Piece:
    """Both sides' texts; a side that holds just these is the value. What only one side removed from a callout stays removed.

    Opposite decisions about one callout leave nothing: then it opens again, under a new id, for the result must not be the base.
    """
    sides = (_elements(one), _elements(two))
    texts = {text for _, text in merged_set(_elements(base) | _still_there(base, one, two), *sides)} or {
        text for _, text in sides[0] | sides[1]
    }
    holders = [side for side in (one, two) if set(side.variants) == texts and (base is None or side.key != base.key)]
    if holders:
        return min(holders, key=lambda side: (side.conflict is not None, side.text))
    # Minted once and kept as long as it lives: an id made from the texts would change with each of them.
    held = min((side.conflict.id for side in (one, two) if side.conflict), default=None)
    known = held or mint(b"", *sorted(texts))
    if base is not None and base.conflict and (held is None or {(held, text) for text in texts} == _elements(base)):
        known = reopened_id(base.conflict.id, texts)
    return piece_of(BlockKind.CALLOUT, ConflictCallout(known, tuple(texts)).render())
