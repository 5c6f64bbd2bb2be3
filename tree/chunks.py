"""Chunk: the stretch of a file that search returns.

A markdown file is cut at its headings, a long section at its paragraphs; a fence stays whole. Every line that is not blank and
not front matter lies in exactly one chunk (a single line of more than FENCE_LIMIT characters in several). All passes are linear,
so a 10 MB line or 100,000 headings cost what their size costs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memtree.tree.document import Document
from memtree.tree.front_matter import NO_FRONT_MATTER, FrontMatter, epoch_seconds
from memtree.tree.kinds import is_markdown, is_text
from memtree.tree.outline import PLAIN, Section, outline
from memtree.tree.paths import RepoPath

TARGET = 2_000
PARAGRAPH_LIMIT = 4_000
FENCE_LIMIT = 8_000
_LABEL_LIMIT = 2_000

_DATE_IN_NAME = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", re.ASCII)
_TAG = re.compile(r"(?<![\w/&#])#([\w/-]+)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of `path`: lines `start_line` to `end_line`, 1-based and inclusive, front matter counted.

    `labels` are the front matter's other texts (aliases, author); the first chunk of a file carries them.
    """

    path: RepoPath
    ordinal: int
    title: str
    headings: tuple[str, ...]
    text: str
    start_line: int
    end_line: int
    tags: tuple[str, ...] = ()
    time: int | None = None
    labels: tuple[str, ...] = ()


class _Piece(NamedTuple):
    headings: tuple[str, ...]
    first: int  # index into the file's lines
    last: int
    text: str
    fenced: bool


def chunk(path: RepoPath, data: bytes) -> list[Chunk]:
    """Cut a file into chunks; there is always at least one, so that a file without text is found by its name and title."""
    if not is_text(path, data):
        return [Chunk(path, 0, _stem(path), (), "", 1, 1, time=_time_in_name(path))]
    document = Document.parse(data) if is_markdown(path) else None
    front = document.front_matter() if document else NO_FRONT_MATTER
    lines = split_lines(data)
    sections, body = _sections(document, front, lines)
    pieces = [piece for section in sections for piece in _pieces(section, lines)]
    title = front.title or _first_heading(sections) or _stem(path)
    return list(_chunks(path, title, front, pieces or [_Piece((), min(body, len(lines) - 1), len(lines) - 1, "", False)]))


def split_lines(data: bytes) -> list[str]:
    """Decode a file and split it at LF, CRLF and CR only, as editors and git count lines. Never empty."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines


def _sections(document: Document | None, front: FrontMatter, lines: list[str]) -> tuple[list[Section], int]:
    """The file's sections and the index of its first body line."""
    if document is None:
        return [Section((), 0, len(lines), (), PLAIN)], 0
    body = len(split_lines(document.data[: document.body.start])) if document.header else 0
    sections = outline(lines, body)
    if front.problem:
        # A header that cannot be read is text like any other: nothing a person wrote may be unfindable.
        sections.insert(0, Section((), 0, body, (), PLAIN))
    return sections, body


def _first_heading(sections: Iterable[Section]) -> str:
    return next((section.headings[-1] for section in sections if section.level == 1), "")


def _chunks(path: RepoPath, title: str, front: FrontMatter, pieces: list[_Piece]) -> Iterator[Chunk]:
    time = front.time if front.time is not None else _time_in_name(path)
    labels = tuple(text[:_LABEL_LIMIT] for text in front.labels()[:50])
    for ordinal, piece in enumerate(pieces):
        tags = front.tags if piece.fenced else tuple(dict.fromkeys((*front.tags, *_inline_tags(piece.text))))
        yield Chunk(
            path,
            ordinal,
            title,
            piece.headings,
            piece.text,
            piece.first + 1,
            piece.last + 1,
            tags,
            time,
            () if ordinal else labels,
        )


def _pieces(section: Section, lines: list[str]) -> Iterator[_Piece]:
    for first, end, fenced in _packed(section, lines):
        while first < end and not lines[first].strip():
            first += 1
        while end > first and not lines[end - 1].strip():
            end -= 1
        if first == end:
            continue
        text = "\n".join(lines[first:end])
        if end - first == 1 and len(text) > FENCE_LIMIT:
            yield from (_Piece(section.headings, first, first, part, fenced) for part in _cut(text))
        else:
            yield _Piece(section.headings, first, end - 1, text, fenced)


def _packed(section: Section, lines: list[str]) -> Iterator[tuple[int, int, bool]]:
    """Join a section's blocks into stretches of about TARGET characters."""
    first, size, fenced = section.start, 0, True
    for start, end, length, is_fence in _blocks(section, lines):
        if size and size + length > TARGET:
            yield first, start, fenced
            first, size, fenced = start, 0, True
        size += length
        fenced = fenced and is_fence
        if end == section.end:
            yield first, end, fenced


def _blocks(section: Section, lines: list[str]) -> Iterator[tuple[int, int, int, bool]]:
    """Paragraphs (with the blank lines after them) and fences as (start, end, characters, is fence), none above its limit."""
    fences = iter(section.fences)
    fence = next(fences, None)
    position = section.start
    while position < section.end:
        if fence and position >= fence[0]:
            end, limit, is_fence = fence[1], FENCE_LIMIT, True
            fence = next(fences, None)
        else:
            end = _paragraph_end(lines, position, fence[0] if fence else section.end)
            limit, is_fence = PARAGRAPH_LIMIT, False
        for start, stop, size in _limited(lines, position, end, limit):
            yield start, stop, size, is_fence
        position = end


def _paragraph_end(lines: list[str], position: int, end: int) -> int:
    while position < end and lines[position].strip():
        position += 1
    while position < end and not lines[position].strip():
        position += 1
    return position


def _limited(lines: list[str], start: int, end: int, limit: int) -> Iterator[tuple[int, int, int]]:
    size = 0
    for number in range(start, end):
        length = len(lines[number]) + 1
        if size and size + length > limit:
            yield start, number, size
            start, size = number, 0
        size += length
    yield start, end, size


def _cut(line: str) -> Iterator[str]:
    start = 0
    while len(line) - start > TARGET:
        space = line.rfind(" ", start + TARGET // 2, start + TARGET)
        end = space + 1 if space >= 0 else start + TARGET
        yield line[start:end]
        start = end
    yield line[start:]


def _inline_tags(text: str) -> Iterator[str]:
    if "#" not in text:
        return
    inside = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif not inside and "#" in line:
            # `#123` is an issue; a tag has a letter. Code spans hold colours and directives, not tags.
            parts = itertools.islice(line.split("`"), 0, None, 2)
            found = (tag for part in parts for tag in _TAG.findall(part))
            yield from (tag for tag in found if any(c.isalpha() for c in tag) and len(tag) < 100)


def _stem(path: RepoPath) -> str:
    return path.name[: -len(path.suffix)] if path.suffix else path.name


def _time_in_name(path: RepoPath) -> int | None:
    times = (epoch_seconds(match) for match in _DATE_IN_NAME.findall(path.name))
    return next((time for time in times if time is not None), None)
