"""Code places: where code stands in a markdown text, in characters: fenced blocks, and the spans between backticks.

This is the cheap answer for texts that are read in pieces; where a file's blocks lie to the byte is told by `blocks`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r"^ {0,3}(?:> ?)*[ \t]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_LOOKED_AHEAD = 8  # runs of backticks that one span can lie over
_LONGEST_SPAN = 1_000  # characters


class Place(NamedTuple):
    """A stretch of a text, from character `start` up to before `end`."""

    start: int
    end: int


def fenced(text: str) -> list[Place]:
    """The fenced blocks with their fences, in order; one that is never closed lasts to the end."""
    if "```" not in text and "~~~" not in text:
        return []
    found: list[Place] = []
    start, mark = -1, ""
    for fence in _FENCE.finditer(text):
        ticks, rest = fence[1], fence[2]
        if start < 0:
            if ticks[0] == "~" or "`" not in rest:
                start, mark = fence.start(), ticks
        elif ticks[0] == mark[0] and len(ticks) >= len(mark) and not rest.strip():
            found.append(Place(start, fence.end()))
            start = -1
    if start >= 0:
        found.append(Place(start, len(text)))
    return found


def code_spans(text: str) -> list[Place]:
    """What stands between equal runs of backticks, without them, in order. No span holds a blank line."""
    if "`" not in text:
        return []
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(text)]
    found: list[Place] = []
    at = 0
    while at < len(runs):
        start, end = runs[at]
        for closing in range(at + 1, min(len(runs), at + 1 + _LOOKED_AHEAD)):
            stop, after = runs[closing]
            if stop - end > _LONGEST_SPAN:
                break
            if after - stop == end - start:
                if "\n\n" not in text[end:stop]:
                    found.append(Place(end, stop))
                    at = closing
                break
        at += 1
    return found


def blanked(text: str, places: list[Place], filler: str = "\0") -> str:
    """The text with places, in order and apart, filled: as long as before, so that what is found in it stands where it stood."""
    if not places:
        return text
    parts, at = [], 0
    for start, end in places:
        parts += [text[at:start], filler * (end - start)]
        at = end
    parts.append(text[at:])
    return "".join(parts)
