"""Snippets: the part of a chunk that shows why it was found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from memtree.indexers.tokens import Terms

WIDTH = 240
_LEAD = 60
_SPAN_LIMIT = 2_000
# Line breaks, and what would command a terminal; one for one, so that ranges stay right.
_BREAKS = str.maketrans(dict.fromkeys([*range(32), *range(127, 160), 0x2028, 0x2029], " "))


class Match(NamedTuple):
    """A stretch of text that matches a term."""

    start: int
    end: int
    term: str


def literal_matches(text: str, terms: Terms) -> list[Match]:
    """Find what no word analyser finds: exact tokens and runs of characters in unspaced scripts."""
    wanted = sorted((*terms.exact, *terms.pairs, *terms.singles), key=len, reverse=True)
    if not wanted:
        return []
    pattern = re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE)
    found: list[Match] = []
    at = 0
    while (match := pattern.search(text, at)) is not None and len(found) < _SPAN_LIMIT:
        found.append(Match(match.start(), match.end(), match[0].lower()))
        # Pairs overlap: 北京大 holds 北京 and 京大.
        at = match.start() + 1 if len(match[0]) <= 2 else match.end()
    return found


def snippet(text: str, matches: Iterable[Match]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the stretch with the most different terms, on one line, and the ranges to highlight in it."""
    spans = sorted(matches)[:_SPAN_LIMIT]
    start = _start(text, _densest(spans))
    end = min(len(text), start + WIDTH)
    if end < len(text):
        space = max(text.rfind(" ", start + WIDTH // 2, end), text.rfind("\n", start + WIDTH // 2, end))
        end = space if space > 0 else end
    shown = text[start:end].translate(_BREAKS)
    inside = [(match.start - start, match.end - start) for match in spans if start <= match.start and match.end <= end]
    return shown, _joined(inside)


def _densest(spans: list[Match]) -> int:
    """Where the window of WIDTH begins that holds the most different terms; the first of equals."""
    best, best_start, left = 0, 0, 0
    counts: Counter[str] = Counter()
    for span in spans:
        counts[span.term] += 1
        while span.end - spans[left].start > WIDTH - _LEAD and spans[left] is not span:
            counts[spans[left].term] -= 1
            if not counts[spans[left].term]:
                del counts[spans[left].term]
            left += 1
        if len(counts) > best:
            best, best_start = len(counts), spans[left].start
    return best_start


def _start(text: str, wanted: int) -> int:
    """A little before `wanted`, at the start of a line or else of a word."""
    if wanted <= _LEAD:
        return 0
    low = wanted - _LEAD
    line = text.rfind("\n", low, wanted)
    if line >= 0:
        return line + 1
    space = text.find(" ", low, wanted)
    return space + 1 if space >= 0 else low


def _joined(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    result: list[tuple[int, int]] = []
    for start, end in ranges:
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return tuple(result)
