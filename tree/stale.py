"""Telling a save from before a pull: a text that lacks everything a pull brought, and is nearer to what stood there before.

Terms: *replaced* is what the pull took away, *arrived* what it brought, *saved* what an editor wrote later, *present* what the
newest commit held just before that.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from memtree.tree.matching import Match, match_sequences

_WORD = re.compile(rb"\w+|[\x80-\xff]")
# A line of marks only (`---`, a fence), and the key of a list in front matter: two people write them without knowing of each other.
_SAYS_NOTHING = re.compile(rb"[^\w\x80-\xff]*|[ \t]*[\w-]+:[ \t]*")
_WORDS_LIMIT = 1 << 20  # bytes; larger texts are compared by their lines


class _Hunk(NamedTuple):
    """Lines `old` to `old_end` of the replaced text that became `new` to `new_end` of the arrived one."""

    old: int
    old_end: int
    new: int
    new_end: int


def saved_from_before(replaced: bytes, arrived: bytes, saved: bytes, present: bytes) -> bool | None:
    """Whether a save comes from before a pull; None when nothing of the pull stands any more, so that a save says nothing of it."""
    if any(b"\0" in text for text in (replaced, arrived, saved, present)):
        return saved == replaced if present == arrived else None
    old, new = replaced.splitlines(), arrived.splitlines()
    hunks = _standing(_hunks(old, new), len(new), _places(new, present.splitlines()))
    if not hunks:
        return None
    if saved == replaced:
        return True
    hunks = [hunk for hunk in hunks if _telling(new, hunk.new, hunk.new_end) or _telling(old, hunk.old, hunk.old_end)]
    if not hunks:
        return None
    lines = saved.splitlines()
    kept, taken = _places(old, lines), _places(new, lines)
    return all(_is_lacking(hunk, old, new, kept, taken) for hunk in hunks) and _is_nearer(saved, replaced, arrived)


def _hunks(old: list[bytes], new: list[bytes]) -> list[_Hunk]:
    matches = [Match(0, 0, 0), *match_sequences(old, new), Match(len(old), len(new), 0)]
    gaps = (_Hunk(a.one + a.size, b.one, a.two + a.size, b.two) for a, b in pairwise(matches))
    return [gap for gap in gaps if gap.old < gap.old_end or gap.new < gap.new_end]


def _places(one: list[bytes], two: list[bytes]) -> dict[int, int]:
    """For each line of the first text that the second has too, where."""
    return {match.one + n: match.two + n for match in match_sequences(one, two) for n in range(match.size)}


def _standing(hunks: list[_Hunk], count: int, places: dict[int, int]) -> list[_Hunk]:
    """The hunks that the present text still has: their lines in one piece, or where lines went, still nothing in between."""
    return [
        hunk for hunk in hunks if _in_one_piece(range(hunk.new, hunk.new_end) or range(hunk.new - 1, hunk.new + 1), count, places)
    ]


def _in_one_piece(lines: range, count: int, places: dict[int, int]) -> bool:
    found = [places.get(line) for line in lines if 0 <= line < count]
    return all(one is not None and two is not None and two == one + 1 for one, two in pairwise(found)) and None not in found


def _is_lacking(hunk: _Hunk, old: list[bytes], new: list[bytes], kept: dict[int, int], taken: dict[int, int]) -> bool:
    """Whether a saved text has nothing of what a hunk brought; where it only took lines away, whether one is still there."""
    brought = _telling(new, hunk.new, hunk.new_end)
    if brought:
        return not any(line in taken for line in brought)
    return any(line in kept for line in _telling(old, hunk.old, hunk.old_end))


def _telling(lines: list[bytes], start: int, end: int) -> list[int]:
    """The lines of a hunk that somebody who has them has read."""
    return [line for line in range(start, end) if not _SAYS_NOTHING.fullmatch(lines[line])]


def _is_nearer(saved: bytes, replaced: bytes, arrived: bytes) -> bool:
    if max(len(saved), len(replaced), len(arrived)) > _WORDS_LIMIT:
        mine, before, after = saved.splitlines(), replaced.splitlines(), arrived.splitlines()
    else:
        mine, before, after = map(_words, (saved, replaced, arrived))
    # Common words over all words, as fractions: a text written anew resembles neither.
    return _common(mine, before) * (len(mine) + len(after)) > _common(mine, after) * (len(mine) + len(before))


def _words(text: bytes) -> list[bytes]:
    """The words that somebody chose; marks of markdown and YAML are alike in texts that have nothing else in common."""
    return [word for line in text.splitlines() if not _SAYS_NOTHING.fullmatch(line) for word in _WORD.findall(line)]


def _common(one: list[bytes], two: list[bytes]) -> int:
    return sum(match.size for match in match_sequences(one, two))
