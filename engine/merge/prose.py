"""The structural merge of markdown: notes by their blocks, memory files by their entries. Pure, symmetric, total.

A merge is tried on a ladder of levels, the finest first, and taken only when it lawfully holds both sides: when merging either side
into it again changes nothing, and it is not the base. Else machines that meet in another order would go on changing each other's
files. Below the last level stands a document that holds both sides' text and promises no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memtree.engine.merge import words
from memtree.engine.merge.elements import Element, ElementRules, sequences_of
from memtree.engine.merge.front_matter import merge_header
from memtree.engine.merge.line_ends import level as levelled
from memtree.engine.merge.ordering import arrange, with_headings
from memtree.engine.merge.outcome import ConflictKind, Content
from memtree.engine.merge.pairing import identify
from memtree.engine.merge.pieces import Piece, Pieces, piece_of, split
from memtree.engine.merge.rendering import Versions, render
from memtree.engine.merge.three_way import pick
from memtree.tree.block_rules import BlockKind
from memtree.tree.conflict_callout import ConflictCallout, mint
from memtree.tree.paths import RepoPath

_ROUNDS = 3


class Level(NamedTuple):
    """How much a merge dares: merge texts by words, take similar pieces for edits; `shared_first` aligns the sides first."""

    words: bool
    pairing: bool
    shared_first: bool


_LADDER = (
    Level(words=True, pairing=True, shared_first=False),
    Level(words=True, pairing=True, shared_first=True),
    Level(words=False, pairing=True, shared_first=False),
    Level(words=False, pairing=False, shared_first=False),
    Level(words=False, pairing=False, shared_first=True),
)


def merge_prose(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of notes: what both sides changed in one passage stands in a callout where it cannot be made into one."""
    del path
    return _content(base, ours, theirs, entries=False)


def merge_entries(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of memory files: list items are members of a set, and of one that both sides changed both versions stay."""
    del path
    return _content(base, ours, theirs, entries=True)


def _content(base: bytes | None, ours: bytes, theirs: bytes, *, entries: bool) -> Content:
    if ours == theirs or theirs == base:
        return Content(ours)
    if ours == base:
        return Content(theirs)
    texts = levelled(base, *sorted((ours, theirs)))
    old = texts.base or b""
    if texts.ours == texts.theirs or old in (texts.ours, texts.theirs):
        return Content(texts.written(texts.theirs if texts.ours == old else texts.ours))
    try:
        merge = _Merge(old, texts.ours, texts.theirs, entries=entries)
        merged = merge.run()
        made = merge.new_callouts(merged)
    finally:
        words.clear()
    kind = ConflictKind.SAME_PASSAGE if made or merged.siblings else None
    return Content(texts.written(merged.data), kind=kind, places=made)


@dataclass(frozen=True, slots=True)
class _Merged:
    """A candidate. `pieces` is None when it is not read as what it was made of; `siblings` counts entries that became two."""

    data: bytes
    pieces: Pieces | None
    siblings: int = 0


class _Merge:
    """One merge of two sides in byte order, which makes it symmetric. Keeps the pieces of what it has cut up."""

    def __init__(self, base: bytes, one: bytes, two: bytes, *, entries: bool) -> None:
        self._base, self._one, self._two = base, one, two
        self._entries = entries
        self._cut: dict[bytes, Pieces] = {}

    def run(self) -> _Merged:
        """The merge of the finest level that is lawful."""
        first: _Merged | None = None
        found: _Merged | None = None
        for candidate, level in self._candidates():
            first = first or candidate
            if candidate.data in (self._one, self._two):
                # One side already holds the other: it is what an earlier merge made of them.
                if found is None or self._texts(candidate.data) != self._texts(found.data):
                    return candidate
            elif found is None and candidate.pieces is not None:
                found = self._settled(candidate, level)
                if found is not None and not self._may_hold_the_other():
                    return found
        assert first is not None
        return found or first

    def new_callouts(self, merged: _Merged) -> tuple[str, ...]:
        """The ids of the callouts that neither side has."""
        known = self._split(self._one).conflicts() | self._split(self._two).conflicts()
        return tuple(sorted(self._split(merged.data).conflicts() - known))

    def _candidates(self) -> Iterator[tuple[_Merged, Level]]:
        for level in _LADDER:
            yield self._core(self._one, self._two, level), level

    def _settled(self, candidate: _Merged, level: Level) -> _Merged | None:
        """The candidate once merging a side into it changes nothing; it may be put in another order until then."""
        texts: list[bytes] = []
        for number in range(_ROUNDS):
            data = candidate.data
            if data == self._base or (number and sorted(self._texts(data)) != texts):
                return None
            again = self._core(data, self._two, level), self._core(self._one, data, level)
            if again[0].data == data == again[1].data:
                return candidate
            texts = sorted(self._texts(data))
            other = again[0] if again[0].data != data else again[1]
            candidate = _Merged(other.data, other.pieces, candidate.siblings)
        return None

    def _texts(self, data: bytes) -> list[bytes]:
        return [piece.key for piece in self._split(data).pieces]

    def _split(self, data: bytes) -> Pieces:
        if data not in self._cut:
            self._cut[data] = split(data)
        return self._cut[data]

    def _may_hold_the_other(self) -> bool:
        """Whether one side can be an earlier merge with the other, found on a coarser level: it has all words that the other added.

        A side that added nothing says nothing here: a coarse level takes what it moved for deleted where the other edited it.
        """
        base, one, two = (Counter(self._texts(data)) for data in (self._base, self._one, self._two))
        added = [{word for key in side - base for word in words.signs_of(key)} for side in (one, two)]
        old = {word for key in base - one for word in words.signs_of(key)}
        old |= {word for key in base - two for word in words.signs_of(key)}
        return any(mine - old and mine - old <= others for mine, others in (added, added[::-1]))

    def _core(self, one: bytes, two: bytes, level: Level) -> _Merged:
        """One merge on one level."""
        # The sides' order must not show here either: a candidate can stand before or behind the side that it is merged with.
        one, two = sorted((one, two))
        line_end = b"\r\n" if (one.count(b"\r\n") + two.count(b"\r\n")) * 2 > one.count(b"\n") + two.count(b"\n") else b"\n"
        versions = Versions(self._split(self._base), self._split(one), self._split(two), line_end)
        front, lost = _front(versions)
        elements = self._elements(versions, level)
        siblings = _put_siblings(elements)
        _show_lost(elements, lost, versions)
        _part_ids(elements)
        data, pieces = render(elements, front, versions)
        if pieces is not None:
            self._cut.setdefault(data, pieces)
        return _Merged(data, pieces, siblings)

    def _elements(self, versions: Versions, level: Level) -> list[Element]:
        base, one, two = (document.pieces for document in (versions.base, versions.one, versions.two))
        first, second = identify(base, one, two, entries=self._entries, shared_first=level.shared_first, pairing=level.pairing)
        sequences = sequences_of(base, first, second, ElementRules(level.words, self._entries))
        return with_headings(arrange(sequences, first, second), base, first, second)


def _put_siblings(elements: list[Element]) -> int:
    """Put the other version of an entry below it, unless it already stands somewhere."""
    known = {element.key for element in elements}
    added = 0
    for at in range(len(elements) - 1, -1, -1):
        sibling = elements[at].sibling
        if sibling is not None and sibling.key not in known:
            known.add(sibling.key)
            elements.insert(at + 1, Element(None, None, None, sibling))
            added += 1
    return added


def _front(versions: Versions) -> tuple[bytes, tuple[bytes, ...]]:
    """The front matter, and what gave way in it; as it is in the one side that changed it."""
    base, one, two = (document.front for document in (versions.base, versions.one, versions.two))
    if one == two or base in (one, two):
        return pick(base, one, two, lambda: one), ()
    header = merge_header(base or None, one or None, two or None)
    return (header.data or b"").replace(b"\n", versions.line_end), header.lost


def _show_lost(elements: list[Element], lost: Iterable[bytes], versions: Versions) -> None:
    """Show what gave way in the front matter below it, unless it is already shown or was settled."""
    known = {piece.key for document in (versions.one, versions.two) for piece in document.pieces}
    shown = [_callout(mint(b"front", text), text) for text in lost]
    elements[:0] = [Element(None, None, None, piece, made=True) for piece in shown if piece.key not in known]


def _callout(number: str, text: bytes) -> Piece:
    return piece_of(BlockKind.CALLOUT, ConflictCallout(number, (text,)).render())


def _part_ids(elements: list[Element]) -> None:
    """Give a callout that the merge made another id where one of that id stands already."""
    seen: Counter[str] = Counter()
    for element in elements:
        piece = element.value
        if not element.made or piece is None or piece.conflict is None:
            continue
        number = piece.conflict.id
        seen[number] += 1
        if seen[number] > 1:
            other = ConflictCallout(mint(number.encode(), b"%d" % seen[number]), piece.conflict.variants)
            element.value = piece_of(BlockKind.CALLOUT, other.render())
