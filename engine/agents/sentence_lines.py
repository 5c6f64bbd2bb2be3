"""Sentences of a passage with the lines that they stand on. What is no prose (rows of a table, code) counts line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memtree.tree.sentences import sentences

_LONGEST = 20_000  # characters of a passage that are looked at
_SIGN = 24  # letters and digits that tell where a sentence begins, and ends
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)、])\s+")
_NO_WORDS = re.compile(r"\s*(?:#{1,6}\s|```|~~~|[|:\-+=\s]*\Z)")
_ANNOUNCES = (":", "：")
_CELLS = re.compile(r"\s*\|\s*")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A sentence or line. `first` and `last` are lines of the text, from 0; `item`: it stands in a list."""

    text: str
    first: int
    last: int
    item: bool = False


def stretches(text: str) -> list[Stretch]:
    """What a text says, piece by piece, in the order of its lines; code with the words that announce it."""
    text = text[:_LONGEST]
    lines = text.split("\n")
    found = [one for one in _located(text, lines) if not _NO_WORDS.match(lines[one.first])]
    taken = {number for one in found for number in range(one.first, one.last + 1)}
    rest = (Stretch(_row(line), n, n) for n, line in enumerate(lines) if n not in taken and not _NO_WORDS.match(line))
    return _with_code(sorted((*found, *rest), key=lambda one: one.first))


def _with_code(pieces: list[Stretch]) -> list[Stretch]:
    """`Unpack it:` and the code on the next line as one: each alone answers nothing."""
    joined: list[Stretch] = []
    for one in pieces:
        before = joined[-1] if joined else None
        if before is not None and one.text.startswith("`") and before.text.endswith(_ANNOUNCES):
            joined[-1] = Stretch(f"{before.text} {one.text}", before.first, one.last, before.item)
        else:
            joined.append(one)
    return joined


def _located(text: str, lines: list[str]) -> Iterator[Stretch]:
    """The sentences, each found again by its letters and digits: marks of markdown were taken out of it."""
    letters, rows = _letters(lines)
    at = 0
    for sentence in sentences(text):
        sign = "".join(filter(str.isalnum, sentence))
        begin = letters.find(sign, at)
        end = begin + len(sign)
        if begin < 0:  # the address of a link stood in the middle
            begin = letters.find(sign[:_SIGN], at)
            end = letters.find(sign[-_SIGN:], begin) + len(sign[-_SIGN:]) if begin >= 0 else -1
        if begin < 0 or end <= begin:
            continue
        first, last = rows[begin], rows[end - 1]
        yield Stretch(sentence, first, last, _ITEM.match(lines[first]) is not None)
        at = end


def _letters(lines: list[str]) -> tuple[str, list[int]]:
    """All letters and digits of the lines, and the line of each."""
    kept = ["".join(filter(str.isalnum, line)) for line in lines]
    return "".join(kept), [number for number, line in enumerate(kept) for _ in line]


def _row(line: str) -> str:
    """A line as it is read: cells of a table with commas between them."""
    line = line.strip()
    return ", ".join(cell for cell in _CELLS.split(line) if cell) if line.startswith("|") else line
