"""Two changes of one text, made into one: by words, and by lines where lines stand for themselves.

A merge by words is taken only where nothing about it is doubtful: something unchanged stands between the two sides' changes, the
result is still like the base (else a later merge would not find it), and merging a side into the result again changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import TypeVar

from memtree.engine.merge.edits import Edit, edits_of
from memtree.tree.forgotten import STUB
from memtree.tree.matching import Match, match_sequences
from memtree.tree.words import tokens

ALIKE = 0.5  # two texts of less likeness are two texts
_LARGEST = 120_000  # bytes; a larger passage is kept in both versions instead of being merged by words

T = TypeVar("T", bound=Hashable)


def merge_words(base: bytes, one: bytes, two: bytes) -> bytes | None:
    """The text with both sides' changes, None where that is doubtful."""
    if max(map(len, (base, one, two))) > _LARGEST:
        return None
    merged = _by_words(base, one, two)
    if merged is None or merged in (base, one, two):
        return merged if merged != base else None
    lawful = likeness(base, merged) >= ALIKE and _counts_add_up(base, one, two, merged)
    return merged if lawful and _settled(_by_words, base, one, two, merged) else None


def merge_lines(base: bytes, one: bytes, two: bytes, *, fixed: int = 0, apart: bool = False) -> bytes | None:
    """The text with both sides' lines, None where they changed the same ones.

    Lines that both added in one place all stay. The first `fixed` lines must be the same on all sides; with `apart` other changes
    must have a line between them that nobody changed.
    """
    by_lines = partial(_by_lines, apart=apart)
    merged = by_lines(base, one, two)
    if merged is None or merged in (base, one, two):
        return merged if merged != base else None
    heads = {tuple(text.split(b"\n")[:fixed]) for text in (base, one, two, merged)}
    findable = likeness(base, merged) >= ALIKE or base.split(b"\n")[0] == merged.split(b"\n")[0]
    lawful = len(heads) == 1 and findable
    return merged if lawful and _settled(by_lines, base, one, two, merged) else None


def _settled(merge: Callable[[bytes, bytes, bytes], bytes | None], base: bytes, one: bytes, two: bytes, merged: bytes) -> bool:
    return merge(base, merged, two) == merged == merge(base, one, merged)


def _by_words(base: bytes, one: bytes, two: bytes) -> bytes | None:
    words = words_of(base)
    edits = sorted({*edits_of(words, words_of(one)), *edits_of(words, words_of(two))})
    for (_, end, _), (start, _, _) in pairwise(edits):
        if start < end or all(word.isspace() for word in words[end:start]):
            return None
    return "".join(_applied(words, edits)).encode("utf-8", "surrogateescape")


def _by_lines(base: bytes, one: bytes, two: bytes, *, apart: bool) -> bytes | None:
    lines = base.split(b"\n")
    found = [edits_of(lines, side.split(b"\n")) for side in sorted((one, two))]
    edits: list[Edit[bytes]] = []
    for edit in sorted({*found[0], *found[1]}):
        start, end, new = edit
        if edits and (start < edits[-1][1] or edits[-1][:2] == (start, end)):
            if start < end or edits[-1][0] < start:
                return None
            edits[-1] = (start, end, united(edits[-1][2], new))
        elif apart and edits and start == edits[-1][1]:
            return None
        else:
            edits.append(edit)
    return b"\n".join(_applied(lines, edits))


def without_forgotten(base: bytes, one: bytes, two: bytes) -> bytes:
    """What two sides that both forgot parts of a text leave of it: the first side's text, less what the second one took away."""
    words, mine = words_of(base), words_of(one)
    gone = {number for start, end, _ in edits_of(words, words_of(two)) for number in range(start, end)}
    stub = tuple(tokens(STUB.decode()))
    left: list[str] = []
    known = {match.two + n: match.one + n for match in match_sequences(words, mine) for n in range(match.size)}
    for number, word in enumerate(mine):
        if known.get(number) not in gone:
            left.append(word)
        elif tuple(left[-len(stub) :]) != stub and not word.isspace():
            left += stub
    return "".join(left).encode("utf-8", "surrogateescape")


def united(one: Sequence[T], two: Sequence[T]) -> tuple[T, ...]:
    """Two runs that were added in one place: what both hold once, what one holds of its own as it stands there."""
    merged: list[T] = []
    at_one = at_two = 0
    for match in (*match_sequences(one, two), Match(len(one), len(two), 0)):
        own = sorted((tuple(one[at_one : match.one]), tuple(two[at_two : match.two])))
        merged += [*own[0], *own[1], *one[match.one : match.one + match.size]]
        at_one, at_two = match.one + match.size, match.two + match.size
    return tuple(merged)


def _applied(old: Sequence[T], edits: Sequence[Edit[T]]) -> list[T]:
    merged: list[T] = []
    at = 0
    for start, end, added in edits:
        merged += [*old[at:start], *added]
        at = end
    return [*merged, *old[at:]]


def _counts_add_up(base: bytes, one: bytes, two: bytes, merged: bytes) -> bool:
    """Whether every word stands as often as the base and both changes say."""
    old, first, second, new = (Counter(signs_of(text)) for text in (base, one, two, merged))
    return all(
        new[word] == first[word] + second[word] - old[word] or first[word] == second[word] == new[word]
        for word in {*old, *first, *second, *new}
    )


@lru_cache(maxsize=4096)
def words_of(text: bytes) -> tuple[str, ...]:
    """Words, spaces and signs; what is not UTF-8 stays what it is."""
    return tuple(tokens(text.decode("utf-8", "surrogateescape")))


@lru_cache(maxsize=16_384)
def signs_of(text: bytes) -> tuple[str, ...]:
    """The words without the spaces."""
    return tuple(word for word in words_of(text) if not word.isspace())


@lru_cache(maxsize=16_384)
def _bag(text: bytes) -> frozenset[tuple[str, int]]:
    """The words with the number of their occurrence: what two bags have in common is quick to count."""
    counts: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    for word in signs_of(text):
        counts[word] += 1
        found.append((word, counts[word]))
    return frozenset(found)


@lru_cache(maxsize=131_072)
def likeness(one: bytes, two: bytes) -> float:
    """The share of words that two texts have in common, in order; 0 where it is surely below ALIKE."""
    if one == two:
        return 1.0
    bags = _bag(one), _bag(two)
    total = len(bags[0]) + len(bags[1])
    if not all(bags) or 2 * min(map(len, bags)) < ALIKE * total or 2 * len(bags[0] & bags[1]) < ALIKE * total:
        return 0.0
    return 2 * sum(match.size for match in match_sequences(signs_of(one), signs_of(two))) / total


def clear() -> None:
    """Drop what was kept of the texts of a merge: a daemon would hold on to them."""
    for kept in (words_of, signs_of, _bag, likeness):
        kept.cache_clear()
