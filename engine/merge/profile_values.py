"""The learned entries of two profiles brought to one value each, before their files are merged.

A learned entry's words follow from what speaks for it, so that of two machines neither is right by itself: what speaks on both
decides. A person's words, a pin and a deletion come before whatever a machine learned meanwhile. What two people changed is left to
the merge of the file, which keeps both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtree.engine.merge.three_way import merge_order, merged_set, pick
from memtree.tree.evidence import split_evidence, with_evidence
from memtree.tree.profile_entries import PROFILE_ID, Entry, ProfileFile
from memtree.tree.profile_evidence import fingerprint, read_seen, strength, written_seen
from memtree.tree.profile_file import pinned_line

Ids = tuple[bytes, ...]


class Three(NamedTuple):
    """Something of the base and of both sides."""

    base: bytes
    one: bytes
    two: bytes


@dataclass(frozen=True, slots=True)
class _Version:
    """An entry in one version: `item` are its bytes without what speaks for it, which `ids` are."""

    entry: Entry
    item: bytes
    ids: Ids

    @property
    def value(self) -> str:
        return self.entry.value

    def pinned(self, *, pin: bool) -> bytes:
        line, end, rest = self.item.partition(b"\n")
        return pinned_line(line, pin=pin) + end + rest


Versions = Mapping[str, _Version]


def settled(base: bytes, one: bytes, two: bytes) -> Three:
    """The three versions with learned entries at their common value and without those that are forgotten."""
    files = [ProfileFile(data) for data in (base, one, two)]
    versions = [_versions(file) for file in files]
    old, first, second = (_neutral(known, versions[1:]) for known in versions)
    gone = merged_set(*(frozenset(file.forgotten) for file in files))
    items: dict[str, tuple[bytes | None, bytes | None]] = {}
    for own in {**first, **second}:
        mine, other = first.get(own), second.get(own)
        chosen = _chosen(old.get(own), mine, other)
        items[own] = (_kept(chosen, mine, gone), _kept(chosen, other, gone))
    return Three(
        _written(files[0], old, {}),
        _written(files[1], first, {own: sides[0] for own, sides in items.items()}),
        _written(files[2], second, {own: sides[1] for own, sides in items.items()}),
    )


def union(base: Sequence[bytes], one: Sequence[bytes], two: Sequence[bytes]) -> list[bytes]:
    """What speaks for an entry in either version, but for what one of them took out."""
    kept = merged_set(frozenset(base), frozenset(one), frozenset(two))
    return merge_order(base, *([each for each in side if each in kept] for side in (one, two)))


def _versions(file: ProfileFile) -> dict[str, _Version]:
    """The entries that carry an id of a profile's; an id that stands twice tells nothing."""
    own = [entry for entry in file.entries if PROFILE_ID.fullmatch(entry.id)]
    counts = Counter(entry.id for entry in own)
    found: dict[str, _Version] = {}
    for entry in own:
        if counts[entry.id] == 1:
            line, ids = split_evidence(file.data[entry.start : entry.end])
            found[entry.id] = _Version(entry, line + file.data[entry.end : entry.stop], ids)
    return found


def _neutral(versions: Versions, sides: Sequence[Versions]) -> dict[str, _Version]:
    """A version in which nothing speaks for words that a person chose: else what was learned would count as said by them."""
    found: dict[str, _Version] = {}
    for own, version in versions.items():
        edited = {fingerprint(side[own].value) for side in sides if own in side and side[own].entry.edited}
        ids = version.ids
        if edited:
            ids = tuple(dict.fromkeys(_without_value(each, edited) for each in ids))
        found[own] = _Version(version.entry, version.item, ids)
    return found


def _without_value(item: bytes, values: set[str]) -> bytes:
    seen = read_seen(item)
    return written_seen(seen._replace(value="")) if seen.value in values else item


def _chosen(base: _Version | None, one: _Version | None, two: _Version | None) -> bytes | None:
    """The item that both sides are to have, None where the merge of the file decides."""
    if one is None or two is None:
        kept = one or two
        # What was only learned anew is no edit: an entry that the other side deleted does not return for it.
        return base.item if base is not None and kept is not None and kept.entry.learned else None
    if one.item == two.item:
        return None
    if one.entry.learned and two.entry.learned:
        return _stronger(base, one, two)
    if base is not None and base.item in (one.item, two.item):
        return None
    if one.entry.learned != two.entry.learned:
        return two.item if one.entry.learned else one.item
    return _of_persons(base, one, two)


def _stronger(base: _Version | None, one: _Version, two: _Version) -> bytes:
    items = [read_seen(each) for each in union(base.ids if base is not None else (), one.ids, two.ids)]
    ranks = [(strength(items, fingerprint(side.value)) or (), side.item) for side in (one, two)]
    return max(ranks)[1]


def _of_persons(base: _Version | None, one: _Version, two: _Version) -> bytes | None:
    """Where one side only pinned what the other side wrote."""
    if base is None:
        return one.pinned(pin=True) if one.pinned(pin=True) == two.pinned(pin=True) else None
    pin = pick(base.entry.pinned, one.entry.pinned, two.entry.pinned, lambda: True)
    bare = [version.pinned(pin=pin) for version in (base, one, two)]
    text = pick(bare[0], bare[1], bare[2], lambda: b"")
    return text or None


def _kept(chosen: bytes | None, side: _Version | None, gone: frozenset[str]) -> bytes | None:
    """What a side is to have in place of its entry, None for nothing."""
    if side is None or (side.entry.learned and side.entry.key in gone):
        return None
    return side.item if chosen is None else chosen


def _written(file: ProfileFile, versions: Versions, items: Mapping[str, bytes | None]) -> bytes:
    data = file.data
    for own, version in reversed(list(versions.items())):
        entry = version.entry
        item = items.get(own, version.item)
        if item is None:
            begin, end = entry.start, entry.stop + data[entry.stop : entry.stop + 1].count(b"\n")
            data = data[:begin] + data[end:]
            continue
        line, end_of_line, rest = item.partition(b"\n")
        made = with_evidence(line, version.ids) + end_of_line + rest
        data = data[: entry.start] + made + data[entry.stop :]
    return file.mark + data
