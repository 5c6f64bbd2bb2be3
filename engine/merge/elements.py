"""The places of a merged document and what stands in them, before they are put in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from memtree.engine.merge.alignment import Alignment, piece_id
from memtree.engine.merge.pieces import Piece
from memtree.engine.merge.registers import Value, merge_piece
from memtree.engine.merge.words import ALIKE, likeness, signs_of
from memtree.tree.forgotten import forgets_more


@dataclass(slots=True, eq=False)
class Element:
    """One place of the merged document: where it stands in the base and in each side, and its value, None when it is deleted.

    Deleted ones stay in the order until it is settled: a heading may come back for what is under it. `made` is whether the value is
    no side's text, `sibling` an entry that is to stand below it.
    """

    base: int | None
    one: int | None
    two: int | None
    value: Piece | None = None
    made: bool = False
    sibling: Piece | None = None

    @property
    def in_both(self) -> bool:
        return self.one is not None and self.two is not None

    @property
    def key(self) -> bytes:
        return self.value.key if self.value is not None else b""


@dataclass(frozen=True, slots=True)
class Sequences:
    """Each side's elements in its order. What one side moved is only there in that side's sequence. `fixed` are the anchors."""

    one: list[Element]
    two: list[Element]
    fixed: set[Element]


@dataclass(frozen=True, slots=True)
class ElementRules:
    """Whether texts that both sides changed are made into one, and whether items are members of a set."""

    words: bool
    entries: bool


def sequences_of(base: Sequence[Piece], first: Alignment, second: Alignment, rules: ElementRules) -> Sequences:
    """Give every place its value."""
    held = _held(base, first, second, rules)
    shared = _shared_ids(first, second, rules)
    one = list(_sequence(base, (first, second), held, shared, left=True))
    two = list(_sequence(base, (second, first), held, shared, left=False))
    fixed = {e for e in held.values() if e.base is not None and e.in_both and not (first.away(e.base) or second.away(e.base))}
    return Sequences(one, two, fixed)


def _held(base: Sequence[Piece], first: Alignment, second: Alignment, rules: ElementRules) -> dict[int, Element]:
    """The places of the base that a side still has."""
    counts = [Counter(piece.key for piece in pieces) for pieces in (base, first.pieces, second.pieces)]
    held: dict[int, Element] = {}
    for number, old in enumerate(base):
        element = Element(number, first.of(number), second.of(number))
        if element.one is not None and element.two is not None:
            _fill(element, old, first.pieces[element.one], second.pieces[element.two], rules)
        elif element.one is not None or element.two is not None:
            deleter = second if element.two is None else first
            kept = first.pieces[element.one] if element.one is not None else second.pieces[element.two or 0]
            copies = counts[1] if element.two is None else counts[2]
            multiplied = kept.key == old.key and copies[old.key] > counts[0][old.key]
            edited = kept.key != old.key or multiplied
            if forgets_more(old.key, kept.key) or (edited and number not in deleter.forgotten):
                element.value = kept
        else:
            continue
        held[number] = element
    return held


def _fill(element: Element, old: Piece | None, one: Piece, two: Piece, rules: ElementRules) -> None:
    value: Value = merge_piece(old, one, two, words=rules.words, entries=rules.entries)
    element.value, element.sibling = value.piece, value.sibling
    element.made = value.piece.text not in (one.text, two.text)


def _shared_ids(first: Alignment, second: Alignment, rules: ElementRules) -> dict[Hashable, Element]:
    """One place for what both sides added under one id: they have it from a third machine, or one of them made a copy."""
    new = [_new_ids(side, rules) for side in (first, second)]
    shared: dict[Hashable, Element] = {}
    for found in sorted(new[0].keys() & new[1].keys()):
        element = Element(None, new[0][found], new[1][found])
        _fill(element, None, first.pieces[new[0][found]], second.pieces[new[1][found]], rules)
        shared[found] = element
    return shared


def _new_ids(side: Alignment, rules: ElementRules) -> dict[tuple[str, bytes], int]:
    """The ids of a side's new pieces; one that stands twice is void."""
    ids = [piece_id(piece, entries=rules.entries) for piece in side.pieces]
    counts, known = Counter(ids), side.known()
    return {found: n for n, found in enumerate(ids) if found is not None and counts[found] == 1 and n not in known}


def _sequence(
    base: Sequence[Piece],
    sides: tuple[Alignment, Alignment],
    held: dict[int, Element],
    shared: dict[Hashable, Element],
    *,
    left: bool,
) -> Iterator[Element]:
    side, other = sides
    known = side.known()
    forgotten = _Forgotten(base, other)
    by_place = {element.one if left else element.two: element for element in shared.values()}
    for number, piece in enumerate(side.pieces):
        origin = known.get(number)
        if origin is None:
            if number in by_place:
                yield by_place[number]
            elif not forgotten.is_told_by(piece):
                yield Element(None, number if left else None, None if left else number, piece)
        elif side.away(origin) or not (other.of(origin) is not None and other.away(origin)):
            yield held[origin]


class _Forgotten:
    """What a side forgot: a new piece of the other side that is a copy of it, an edited one too, must not bring it back."""

    def __init__(self, base: Sequence[Piece], side: Alignment) -> None:
        self._gone: list[tuple[bytes, set[str]]] = []
        for number in sorted(side.forgotten):
            place = side.of(number)
            left = signs_of(side.pieces[place].key) if place is not None else ()
            self._gone.append((base[number].key, set(signs_of(base[number].key)) - set(left)))

    def is_told_by(self, piece: Piece) -> bool:
        if not self._gone:
            return False
        words = signs_of(piece.key)
        return any(not gone.isdisjoint(words) and likeness(old, piece.key) >= ALIKE for old, gone in self._gone)
