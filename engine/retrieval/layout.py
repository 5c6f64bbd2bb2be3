"""Layout: items in blocks, brought into a number of characters, each with the citation that its mark in the text stands for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtree.engine.retrieval.plain import shortened
from memtree.tree.context_fence import fenced
from memtree.tree.paths import RepoPath

_LEAST = 40  # characters of an item that still say something
SNIPPET = 280  # characters of a citation's snippet


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that memory has to say, on one line: `lead` (a date, a kind) before the text, `tail` (where it stands) behind."""

    text: str
    path: RepoPath
    start_line: int
    end_line: int
    lead: str = ""
    tail: str = ""
    score: float | None = None
    timestamp: int | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Items under a title. `kept` is the share of the room that blocks before it leave to it, `most` the share it may take."""

    title: str
    items: Sequence[Item]
    kept: float
    most: float = 1.0


@dataclass(frozen=True, slots=True)
class Citation:
    """Where an item of a context stands. `id` is its mark in the text, such as `[1]`.

    `score` is None where nothing was ranked; `timestamp` is in UTC epoch seconds, None for what bears no date. Lines are counted
    from 1, the last one included. The snippet is at most 280 characters.
    """

    id: str
    path: RepoPath
    start_line: int
    end_line: int
    score: float | None
    timestamp: int | None
    snippet: str


def laid_out(blocks: Iterable[Block], budget: int) -> tuple[str, tuple[Citation, ...]]:
    """The fenced text of at most `budget` characters and its citations; '' where there is nothing to say, or no room to say it."""
    waiting = [block for block in blocks if block.items]
    room = left = budget - len(fenced(""))
    parts: list[str] = []
    citations: list[Citation] = []
    for number, block in enumerate(waiting):
        reserved = sum(min(int(other.kept * room), _size(other)) for other in waiting[number + 1 :])
        gap = 2 if parts else 0
        text, found = _block(block, min(left - reserved, int(block.most * room)) - gap, len(citations) + 1)
        if found:
            parts.append(text)
            citations += found
            left -= len(text) + gap
    return (fenced("\n\n".join(parts)) if parts else ""), tuple(citations)


def _block(block: Block, room: int, first: int) -> tuple[str, list[Citation]]:
    lines = [f"{block.title}:"]
    found: list[Citation] = []
    room -= len(lines[0])
    for item in block.items:
        mark = f"[{first + len(found)}]"
        line = _line(item, mark, room - 1)
        if not line:
            break
        lines.append(line)
        room -= len(line) + 1
        snippet = shortened(item.text, SNIPPET)
        found.append(Citation(mark, item.path, item.start_line, item.end_line, item.score, item.timestamp, snippet))
    return "\n".join(lines), found


def _line(item: Item, mark: str, room: int) -> str:
    """The item as one line; its text is shortened when that makes it fit, and '' when too little of it would be left."""
    start = f"- {mark} {item.lead}"
    text = shortened(item.text, room - len(start) - len(item.tail))
    return f"{start}{text}{item.tail}" if text and len(text) >= min(_LEAST, len(item.text)) else ""


def _size(block: Block) -> int:
    """At most how many characters the block takes, with the gap before it."""
    return len(block.title) + 3 + sum(len(item.lead) + len(item.text) + len(item.tail) + 9 for item in block.items)


def day(timestamp: int | None) -> str:
    """The day of a time as `2026-03-31`, in UTC; '' for none, and for one outside of the years that are written so."""
    if timestamp is None:
        return ""
    try:
        return dt.datetime.fromtimestamp(timestamp, dt.UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""


def dated(timestamp: int | None, *more: str) -> str:
    """What stands before a text: its day and other words in brackets, '' when there are none."""
    words = ", ".join(word for word in (day(timestamp), *more) if word)
    return f"({words}) " if words else ""
