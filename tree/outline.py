"""The outline of a markdown text: sections under headings, and the fences inside them."""

from __future__ import annotations

import re
from dataclasses import dataclass

PLAIN = 0
_HEADING_LIMIT = 200

_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
# A list item, quote, table row or indented code: an underline below it is a rule, not a heading.
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[-+*](?:[ \t]|$)|[>|]|\d{1,9}[.)](?:[ \t]|$))")


@dataclass(frozen=True, slots=True)
class Section:
    """Lines `start` up to `end` (indexes) under `headings`; `fences` are (start, end) inside it; `level` 0 has no heading."""

    headings: tuple[str, ...]
    start: int
    end: int
    fences: tuple[tuple[int, int], ...]
    level: int


def outline(lines: list[str], start: int = 0) -> list[Section]:
    """Cut `lines[start:]` at ATX and setext headings outside fences; the sections tile it."""
    scan = _Scan(lines, start)
    for number in range(start, len(lines)):
        scan.step(number)
    return scan.finish()


class _Scan:
    def __init__(self, lines: list[str], start: int) -> None:
        self._lines = lines
        self._sections: list[Section] = []
        self._stack: list[tuple[int, str]] = []
        self._start = start
        self._fences: list[tuple[int, int]] = []
        self._fence = ""  # the marker that opened the fence we are in
        self._fence_start = 0
        self._paragraph = -1  # where the paragraph began that an underline would turn into a heading

    def step(self, number: int) -> None:
        line = self._lines[number]
        if self._fence:
            self._close_fence(number, line)
        elif not line or line.isspace():
            self._paragraph = -1
        elif (atx := _ATX.match(line)) is not None:
            self._heading(number, len(atx[1]), _atx_text(line[atx.end() :]))
        elif (fence := _FENCE.match(line)) is not None and not (fence[1][0] == "`" and "`" in line[fence.end() :]):
            self._fence, self._fence_start, self._paragraph = fence[1], number, -1
        elif self._paragraph >= 0 and _UNDERLINE.fullmatch(line):
            text = " ".join(part.strip() for part in self._lines[self._paragraph : min(number, self._paragraph + 20)])
            self._heading(self._paragraph, 1 if "=" in line else 2, text)
        elif self._paragraph == -1:
            self._paragraph = -2 if _NO_PARAGRAPH.match(line) or _UNDERLINE.fullmatch(line) else number

    def finish(self) -> list[Section]:
        if self._fence:
            self._fences.append((self._fence_start, len(self._lines)))
        self._end_section(len(self._lines))
        return self._sections

    def _close_fence(self, number: int, line: str) -> None:
        text = line.strip()
        if len(text) >= len(self._fence) and text == self._fence[0] * len(text):
            self._fences.append((self._fence_start, number + 1))
            self._fence = ""

    def _heading(self, start: int, level: int, text: str) -> None:
        self._end_section(start)
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, text[:_HEADING_LIMIT]))
        self._paragraph = -1

    def _end_section(self, end: int) -> None:
        if end > self._start:
            level = self._stack[-1][0] if self._stack else PLAIN
            headings = tuple(text for _, text in self._stack)
            self._sections.append(Section(headings, self._start, end, tuple(self._fences), level))
        self._start, self._fences = end, []


def _atx_text(rest: str) -> str:
    rest = rest.strip()
    bare = rest.rstrip("#")
    # `# C#` keeps its last character: closing marks stand after a space.
    return bare.rstrip() if not bare or bare[-1] in " \t" else rest
