"""Which new piece of a side is an edit of which base piece that the side no longer has.

Only within a gap: between two neighbours that are in their place. There the pairs, rising on both sides, whose likeness adds up to
the most. A stub is the edit of what stood in its place, however little is left of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtree.engine.merge.alignment import Alignment, align, entry_id, forgets, tokens_of
from memtree.engine.merge.pieces import Piece
from memtree.engine.merge.words import ALIKE, likeness
from memtree.tree.block_rules import BlockKind
from memtree.tree.forgotten import STUB, forgets_more, is_stub

_MOST_PAIRS = 40_000  # in one gap; above it what was deleted and what was added stand side by side
_MOST_PAIRS_IN_ALL = 120_000
_ROUNDS = 3
_ALONE, _STUB, _PARTLY = 0.01, 0.6, 0.3  # the weight of a pair that is not alike


class Gap(NamedTuple):
    """What a side lost between two neighbours, and what it has there instead."""

    lost: list[int]
    new: list[int]


def identify(
    base: Sequence[Piece], one: Sequence[Piece], two: Sequence[Piece], *, entries: bool, shared_first: bool, pairing: bool
) -> tuple[Alignment, Alignment]:
    """Align both sides with the base, edits included. What both sides added is the edit of one base piece on both, or of none."""
    tokens = tokens_of(base, one, two, entries=entries)
    first, second = align(base, one, two, tokens, shared_first=shared_first)
    new = [{row[number]: number for number in side.new()} for side, row in ((first, tokens.one), (second, tokens.two))]
    shared = sorted((new[0].keys() & new[1].keys()), key=repr) if pairing else []
    barred: tuple[set[int], set[int]] = (set(), set())
    halves = (_Half(first, new[0], barred[0]), _Half(second, new[1], barred[1]))
    searches = _Search(base, one, _grown(base, two), entries), _Search(base, two, _grown(base, one), entries)
    for _ in range(_ROUNDS):
        for search, half in zip(searches, halves, strict=True):
            _pair(search, half.side, half.barred, pairing=pairing)
        if not _agree(halves, shared):
            break
    for side in (first, second):
        _forget_the_rest(base, side)
    return first, second


class _Half(NamedTuple):
    side: Alignment
    new: dict[Hashable, int]
    barred: set[int]


def _agree(halves: tuple[_Half, _Half], shared: Sequence[Hashable]) -> bool:
    """Make both sides say the same of a piece that both added; True when pairs were barred, so that pairing must be done again."""
    first, second = halves
    origins = [{there: here for here, there in half.side.edited.items()} for half in halves]
    again = False
    for token in shared:
        found = origins[0].get(first.new[token]), origins[1].get(second.new[token])
        if found[0] == found[1]:
            continue
        for half, other, own, others in ((first, second, found[0], found[1]), (second, first, found[1], found[0])):
            if own is None:
                continue
            if others is None and other.side.of(own) is None:
                other.side.linked[own] = other.new[token]
            elif half.new[token] not in half.barred and _may_be_barred(half, other, token, own, others):
                half.barred.add(half.new[token])
                again = True
    return again


def _may_be_barred(half: _Half, other: _Half, token: Hashable, own: int, others: int | None) -> bool:
    """A stub only when it cannot let anything return: the other side has a stub of its own, and what was forgotten unchanged."""
    if STUB not in half.side.pieces[half.new[token]].key:
        return True
    return others is None and (own in other.side.in_place or own in other.side.moved)


def _grown(base: Sequence[Piece], side: Sequence[Piece]) -> set[bytes]:
    """The base texts that a side multiplied."""
    old, now = Counter(piece.key for piece in base), Counter(piece.key for piece in side)
    return {key for key, count in old.items() if now[key] > count}


def _gaps(size: int, side: Alignment) -> Iterator[tuple[range, range]]:
    before_here = before_there = -1
    for here, there in (*sorted(side.in_place.items()), (size, len(side.pieces))):
        yield range(before_here + 1, here), range(before_there + 1, there)
        before_here, before_there = here, there


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for one side's edits. `multiplied` are base texts that the other side has more of than the base."""

    base: Sequence[Piece]
    side: Sequence[Piece]
    multiplied: set[bytes]
    entries: bool

    def pairs(self, gap: Gap) -> list[tuple[int, int]]:
        if len(gap.lost) * len(gap.new) > _MOST_PAIRS:
            return list(zip(gap.lost, (there for there in gap.new if STUB in self.side[there].key), strict=False))
        alone = len(gap.lost) == 1 == len(gap.new)
        weights = [[self._weight(self.base[here], self.side[there], alone=alone) for there in gap.new] for here in gap.lost]
        return [(gap.lost[row], gap.new[column]) for row, column in heaviest(weights)]

    def _weight(self, old: Piece, new: Piece, *, alone: bool) -> float:
        """The weight of a pair, 0 for none."""
        if STUB in new.key:
            if old.key == new.key:
                return 1.0
            if forgets_more(old.key, new.key):
                least = _STUB if is_stub(new.key) else _PARTLY
                return max(alike(old, new), least) + (_ALONE if old.kind is new.kind else 0.0)
        if old.key in self.multiplied or (self.entries and _two_entries(old, new)):
            return 0.0
        if (old.kind is BlockKind.HEADING) != (new.kind is BlockKind.HEADING) and not new.conflict:
            return 0.0
        score = alike(old, new)
        if score >= ALIKE:
            return score
        return _ALONE if alone and (old.kind is new.kind or new.conflict or old.conflict) else 0.0


def _pair(search: _Search, side: Alignment, barred: set[int], *, pairing: bool) -> None:
    """Find a side's edits, in the smallest gaps first, for as long as that is quick."""
    side.edited, side.linked = {}, {}
    left = _MOST_PAIRS_IN_ALL
    for gap in sorted(_open_gaps(search, side, barred), key=lambda gap: (len(gap.lost) * len(gap.new), gap)):
        forgetting = any(STUB in side.pieces[there].key for there in gap.new)
        if not (pairing or forgetting):
            continue
        left -= len(gap.lost) * len(gap.new)
        if left < 0 and not forgetting:
            break
        for here, there in search.pairs(gap):
            if pairing or STUB in side.pieces[there].key:
                side.edited[here] = there


def _open_gaps(search: _Search, side: Alignment, barred: set[int]) -> Iterator[Gap]:
    """The gaps where something may be an edit. Never one: a copy of a base text, what is barred."""
    base, pieces = search.base, side.pieces
    taken = {*side.in_place.values(), *side.moved.values(), *barred}
    keys = {piece.key for piece in base}
    if forgets(base, pieces):
        keys = {key for key in keys if STUB not in key}
    for lost, new in _gaps(len(base), side):
        gap = Gap(
            [here for here in lost if here not in side.moved], [n for n in new if n not in taken and pieces[n].key not in keys]
        )
        if gap.lost and gap.new:
            yield gap


def _two_entries(old: Piece, new: Piece) -> bool:
    """Whether both carry an id of their own: these are never one entry, however alike they are."""
    ids = [entry_id(piece.key) if piece.is_item else None for piece in (old, new)]
    return None not in ids and ids[0] != ids[1]


def alike(one: Piece, two: Piece) -> float:
    """The likeness of two pieces: of their most alike versions. What has the same first line, a table or an item, only grew."""
    if one.conflict or two.conflict:
        best = max(likeness(first, second) for first in one.variants for second in two.variants)
    else:
        best = likeness(one.key, two.key)
    if best < ALIKE and one.kind is two.kind and one.kind in (BlockKind.LIST, BlockKind.TABLE):
        head = one.key.partition(b"\n")[0]
        return ALIKE if head == two.key.partition(b"\n")[0] else best
    return best


def heaviest(weights: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The pairs (row, column), rising on both sides, whose weights add up to the most; 0 is no pair."""
    rows, columns = len(weights), len(weights[0]) if weights else 0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        own, here, below = weights[row], best[row], best[row + 1]
        for column in range(columns - 1, -1, -1):
            paired = own[column] + below[column + 1] if own[column] else 0.0
            here[column] = max(below[column], here[column + 1], paired)
    found: list[tuple[int, int]] = []
    row = column = 0
    while row < rows and column < columns:
        weight = weights[row][column]
        if weight and best[row][column] == weight + best[row + 1][column + 1]:
            found.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            row += 1
    return found


def _forget_the_rest(base: Sequence[Piece], side: Alignment) -> None:
    """What a side lost next to its stubs, more than there are stubs, counts as forgotten: it must not come back by an edit."""
    if not any(STUB in piece.key for piece in side.pieces):
        return
    for lost, _ in _gaps(len(base), side):
        pairs = [(base[here], side.pieces[side.edited[here]]) for here in lost if here in side.edited]
        if any(forgets_more(old.key, new.key) and alike(old, new) < ALIKE for old, new in pairs):
            side.forgotten.update(here for here in lost if side.of(here) is None)
    for here, old in enumerate(base):
        there = side.of(here)
        if there is not None and forgets_more(old.key, side.pieces[there].key):
            side.forgotten.add(here)
