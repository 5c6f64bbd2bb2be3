"""Laws of a three-way merge, as checks. What the pieces of a file are is an argument, so that merges of other formats can be held
to the same laws. They count words: in the documents to try them on (made_documents.py) each author's words are nobody else's.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from hypothesis import settings

from memtree.tree.blocks import BlockKind, scan

Merge = Callable[[bytes, bytes, bytes], bytes]
Pieces = Callable[[bytes], Iterable[bytes]]

LAW = settings(max_examples=100_000 if os.environ.get("MEMTREE_TEST_PROFILE") == "deep" else 1_000, deadline=None)

_WORD = re.compile(rb"[0-9A-Za-z_]+")
_ID = re.compile(rb"(?<=[ \t\n])\^([A-Za-z0-9-]+)[ \t]*$|\[!conflict\] (c-[0-9a-f]{8})", re.MULTILINE)
_OWN = re.compile(rb"b[0-9]")
_CALLOUT_ID = re.compile(rb"\[!conflict\] c-[0-9a-f]{8}")
_MARKER = re.compile(rb"^(?:<{7}|>{7}|\|{7}|={7})(?: .*)?$", re.MULTILINE)


@lru_cache(maxsize=64)
def tokens(data: bytes) -> frozenset[bytes]:
    """The words of a text. The id of a callout is none: of two that are merged one stays."""
    return frozenset(_WORD.findall(_CALLOUT_ID.sub(b"", data)))


@lru_cache(maxsize=64)  # one base and its sides are looked at again for every order in which they are merged
def markdown_pieces(data: bytes) -> tuple[bytes, ...]:
    """The texts of a document's blocks, lists as their items; headings are left out, which may stay for what is under them."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    found: list[bytes] = []
    for block in scan(data):
        if block.kind in (BlockKind.HEADING, BlockKind.FRONT_MATTER, BlockKind.BLANK):
            continue
        starts = block.parts if block.kind is BlockKind.LIST else (block.start,)
        ends = (*starts[1:], block.content_end)
        found += [data[start:end].rstrip() for start, end in zip(starts, ends, strict=True)]
    return tuple(found)


def check_algebra(merge: Merge, base: bytes, one: bytes, two: bytes) -> bytes:
    """Commutative, idempotent, and verbatim where at most one side changed anything; returns the merge."""
    merged = merge(base, one, two)
    assert merge(base, two, one) == merged, "the order of the sides shows"
    for side in (one, two):
        assert merge(base, side, base) == side
        assert merge(base, base, side) == side
        assert merge(base, side, side) == side
    return merged


def check_nothing_added_is_lost(base: bytes, sides: Sequence[bytes], merged: bytes) -> None:
    added = set().union(*map(tokens, sides)) - tokens(base)
    assert not added - tokens(merged), sorted(added - tokens(merged))


def check_nothing_returns(
    base: bytes, sides: Sequence[bytes], merged: bytes, pieces: Pieces = markdown_pieces, *, but: Iterable[bytes] = ()
) -> None:
    """What one side has no more, and the others have as it was, is gone; copies that another side made of it may stay."""
    old, now = Counter(pieces(base)), Counter(pieces(merged))
    held = [Counter(pieces(side)) for side in sides]
    for text, count in old.items():
        if count == 1 and now[text] and text not in but:
            assert all(side[text] for side in held) or any(side[text] > 1 for side in held), text


def check_no_marker_added(sides: Sequence[bytes], merged: bytes) -> None:
    known = {line for side in sides for line in _MARKER.findall(side)}
    assert all(line in known for line in _MARKER.findall(merged))


def check_no_id_twice(sides: Sequence[bytes], merged: bytes) -> None:
    """No id stands twice that does not stand twice in an input."""
    twice = [found for found, count in Counter(_ID.findall(merged)).items() if count > 1]
    known = {found for side in sides for found, count in Counter(_ID.findall(side)).items() if count > 1}
    assert not set(twice) - known, twice


def check_absorbs(merge: Merge, base: bytes, one: bytes, two: bytes, merged: bytes) -> None:
    """Merging a side again changes nothing: m(b, m, y) = m = m(b, x, m)."""
    assert merge(base, merged, two) == merged
    assert merge(base, one, merged) == merged


def check_line_ends(one: bytes, two: bytes, merged: bytes) -> None:
    """Two sides with one style of line end each make a file with one style."""
    if "mixed" not in (line_ends(one), line_ends(two)):
        assert line_ends(merged) != "mixed"


def line_ends(data: bytes) -> str:
    """`lf`, `crlf`, `none` or `mixed`."""
    pairs, feeds = data.count(b"\r\n"), data.count(b"\n")
    if data.count(b"\r") != pairs or 0 < pairs < feeds:
        return "mixed"
    return ("crlf" if pairs else "lf") if feeds else "none"


def check_stays_forgotten(gone: set[tuple[bytes, bytes]], merged: bytes) -> None:
    assert not gone & told(merged), gone & told(merged)


def told(text: bytes) -> set[tuple[bytes, bytes]]:
    """What a text says: each two neighbouring words of a line, one of them the base author's own."""
    pairs = (pair for line in text.splitlines() for pair in pairwise(_WORD.findall(line)))
    return {pair for pair in pairs if any(_OWN.match(word) for word in pair)}


def check_three_machines(
    merge: Merge, base: bytes, sides: Sequence[bytes], pieces: Pieces = markdown_pieces, *, but: Iterable[bytes] = ()
) -> None:
    """In whatever order three machines meet: nothing added is lost, nothing deleted returns."""
    for last in range(len(sides)):
        # Six orders are three here: which of the first two is called ours changes nothing.
        one, two = (side for number, side in enumerate(sides) if number != last)
        merged = merge(base, merge(base, one, two), sides[last])
        check_nothing_added_is_lost(base, sides, merged)
        check_nothing_returns(base, sides, merged, pieces, but=but)
