"""Front matter merged key by key: what one side changed is taken, of two changes one stands and the other is handed back.

The lines of a key stay as a side wrote them, its comments with it. `created` becomes the earlier, `updated` the later, lists are
sets. A header that cannot be taken apart into keys is merged as one value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from memtree.engine.merge.header_keys import HeaderKey, HeaderKeys, lines, read_keys
from memtree.engine.merge.header_lists import merge_list
from memtree.engine.merge.three_way import merge_order, merged_set, pick
from memtree.tree.forgotten import forgets_more
from memtree.tree.front_matter import epoch_milliseconds, fences

# Which of two changed lines of a key stands; None where the rule cannot tell.
KeyRule = Callable[[bytes, bytes], bytes | None]

_FENCE = b"---\n"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Header:
    """`data` is the front matter with both fences and its last line end, None for none; `lost` the lines that gave way."""

    data: bytes | None
    lost: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class _Value:
    """A key's lines, and those that gave way to them."""

    text: bytes
    lost: bytes | None = None


def earlier(one: bytes, two: bytes) -> bytes | None:
    """The line with the earlier time; None where one of them is no time."""
    times = _times(one, two)
    return min(times)[1] if times else None


def later(one: bytes, two: bytes) -> bytes | None:
    """The line with the later time; None where one of them is no time."""
    times = _times(one, two)
    return max(times)[1] if times else None


RULES: Mapping[str, KeyRule] = {"created": earlier, "updated": later}


def merge_header(base: bytes | None, ours: bytes | None, theirs: bytes | None, *, rules: Mapping[str, KeyRule] = RULES) -> Header:
    """Three-way; each version is a file's front matter with its fences, or None. The answer has LF line ends."""
    old, *sides = (None if data is None else _normal(data) for data in (base, ours, theirs))
    one, two = sorted(sides, key=lambda data: (data is not None, data or b""))

    def merge(x: bytes | None, y: bytes | None) -> Header | None:
        return _by_keys(old, x, y, rules)

    merged = merge(one, two)
    if merged is None or not _stands(merge, old, one, two, merged.data):
        return _whole(old, one, two)
    return merged


def _normal(data: bytes) -> bytes:
    data = data.removeprefix(_BOM)
    return (data if data.endswith(b"\n") else data + b"\n").replace(b"\r\n", b"\n")


def _stands(
    merge: Callable[[bytes | None, bytes | None], Header | None],
    base: bytes | None,
    one: bytes | None,
    two: bytes | None,
    data: bytes | None,
) -> bool:
    """Whether merging the result with either side again would give it again, so that machines come to rest on it."""
    if one == two or base in (one, two):
        return True
    return data != base and all(each is not None and each.data == data for each in (merge(data, two), merge(one, data)))


def _whole(base: bytes | None, one: bytes | None, two: bytes | None) -> Header:
    """One side's front matter as it is; which one says only what the two are."""
    if one is None or two is None:
        return Header(one if two is None else two)
    winner, loser = sorted((one, two), key=lambda side: (forgets_more(base, side), read_keys(side) is not None, side), reverse=True)
    place = fences(loser)
    text = (loser[place.start : place.header_end] if place else loser).strip(b"\n")
    return Header(winner, () if forgets_more(base, winner) or not text else (text,))


def _by_keys(base: bytes | None, one: bytes | None, two: bytes | None, rules: Mapping[str, KeyRule]) -> Header | None:
    """The merge key by key; None where a version cannot be taken apart, or the result could not."""
    if one == two or two == base:
        return Header(one)
    if one == base:
        return Header(two)
    old, first, second = (HeaderKeys() if data is None else read_keys(data) for data in (base, one, two))
    if old is None or first is None or second is None:
        return None
    values = dict(_values(old, first, second, rules))
    order = merge_order(old.names, *([name for name in side.names if name in values] for side in (first, second)))
    keys = HeaderKeys(
        pick(old.opening, first.opening, second.opening, lambda: max(first.opening, second.opening)) or _FENCE,
        tuple(values[name][0] for name in order),
        _merge_remarks(old.remarks, first.remarks, second.remarks),
        pick(old.closing, first.closing, second.closing, lambda: max(first.closing, second.closing)) or _FENCE,
    )
    if not keys.keys and not keys.remarks and None in (one, two):
        return Header(None)
    data = keys.render()
    lost = tuple(gone for name in order if (gone := values[name][1]) is not None)
    return Header(data, lost) if read_keys(data) == keys else None


def _values(
    old: HeaderKeys, one: HeaderKeys, two: HeaderKeys, rules: Mapping[str, KeyRule]
) -> Iterator[tuple[str, tuple[HeaderKey, bytes | None]]]:
    """The keys that stay, each with the lines that gave way to it."""
    before, ours, theirs = old.by_name(), one.by_name(), two.by_name()
    for name in {**ours, **theirs}:
        was, x, y = before.get(name), ours.get(name), theirs.get(name)
        if x is not None and y is not None:
            value = _merge_value(rules.get(name), None if was is None else was.text, x.text, y.text)
            remarks = _merge_remarks(b"" if was is None else was.remarks, x.remarks, y.remarks)
            yield name, (HeaderKey(name, remarks, value.text), value.lost)
        elif (kept := x or y) is not None and (was is None or _edited(was, kept)):
            yield name, (kept, None)


def _edited(was: HeaderKey, now: HeaderKey) -> bool:
    """Whether a key says more or something else than it did, so that a deletion on the other side gives way."""
    new = set(lines([now.remarks])) - set(lines([was.remarks]))
    return now.text != was.text or any(line.strip() for line in new)


def _merge_value(rule: KeyRule | None, base: bytes | None, ours: bytes, theirs: bytes) -> _Value:
    if ours == theirs or theirs == base:
        return _Value(ours)
    if ours == base:
        return _Value(theirs)
    smaller, larger = sorted((ours, theirs))
    forgetting = [side for side in (smaller, larger) if forgets_more(base, side)]
    if forgetting:
        return _Value(max(forgetting))
    chosen = rule(smaller, larger) if rule is not None else None
    if chosen is not None:
        return _Value(chosen)
    merged = merge_list(base, smaller, larger)
    return _Value(larger, smaller.strip(b"\n")) if merged is None else _Value(merged)


def _times(one: bytes, two: bytes) -> list[tuple[int, bytes]]:
    times = [(time, side) for side in (one, two) if (time := _milliseconds(side)) is not None]
    return times if len(times) == 2 else []


def _milliseconds(text: bytes) -> int | None:
    return epoch_milliseconds(word_of(text).decode("utf-8", "replace"))


def word_of(text: bytes) -> bytes:
    """What a key of one line says, without quotes and the comment behind it."""
    _, _, value = text.partition(b":")
    return value.partition(b" #")[0].strip().strip(b"\"'")


def _merge_remarks(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Comments as a set of lines, so that none is lost and none comes twice."""

    def union() -> bytes:
        old, one, two = (list(dict.fromkeys(lines([text]))) for text in (base, ours, theirs))
        kept = merged_set(frozenset(old), frozenset(one), frozenset(two))
        return b"".join(merge_order(old, *([line for line in side if line in kept] for side in (one, two))))

    forgetting = [side for side in (ours, theirs) if forgets_more(base, side)]
    return min(forgetting) if forgetting else pick(base, ours, theirs, union)
