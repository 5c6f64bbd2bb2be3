"""Chunk: the stretch of a file that search returns.

A markdown file is cut at its headings, a long section between its blocks; small neighbours are joined. A fence or a table is cut
only when it alone is larger than WHOLE_LIMIT, a list between its items. A turn of a conversation is one chunk. Every line that is
not blank and not front matter lies in exactly one chunk (a line too long for one in several). All passes are linear, so a 10 MB
line or 100,000 headings cost what their size costs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memtree.tree.chunk_units import CHUNK_LIMIT, Unit, line_units, markdown_units, plain_units
from memtree.tree.document import Document
from memtree.tree.episode import Turn, turn_of
from memtree.tree.evidence import holds_evidence, searchable
from memtree.tree.fact import USER, is_fact_file
from memtree.tree.front_matter import NO_FRONT_MATTER, FrontMatter, epoch_seconds
from memtree.tree.inline_tags import inline_tags
from memtree.tree.kinds import is_markdown, is_text
from memtree.tree.paths import RepoPath

# A turn is not cut below this: no model reads more at once, and a pasted log is no single thought.
TURN_LIMIT = 8_000
_LABEL_LIMIT = 2_000
_LABELS = 50
_HASH_LENGTH = 32

_DATE_IN_NAME = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of `path`: lines `start_line` to `end_line`, 1-based and inclusive, front matter counted.

    `labels` are the front matter's other texts (aliases, author); the first chunk of a file carries them. `block_ids` are those
    that stand in the stretch. `turn` is which turn of a conversation the file holds, None for other files.
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
    block_ids: tuple[str, ...] = ()
    turn: Turn | None = None

    @property
    def passage(self) -> str:
        """What an embedder sees: title, headings and text, each once; where a chunk lies is no part of its meaning."""
        return "\n".join(part for part in dict.fromkeys((self.title, *self.headings, self.text)) if part)

    @property
    def hash(self) -> str:
        """32 hex digits over the passage: a chunk that moved, or whose file did, keeps it and is not embedded again."""
        return hashlib.sha256(self.passage.encode("utf-8", "replace")).hexdigest()[:_HASH_LENGTH]


def chunk(path: RepoPath, data: bytes) -> list[Chunk]:
    """Cut a file into chunks; there is always at least one, so that a file without text is found by its name and title."""
    if not is_text(path, data):
        return [Chunk(path, 0, _stem(path), (), "", 1, 1, time=_time_in_name(path))]
    lines = split_lines(data)
    if not is_markdown(path):
        return list(_chunks(path, _stem(path), NO_FRONT_MATTER, None, _pieces(plain_units(lines), lines), lines))
    if holds_evidence(data):
        lines = [searchable(line) for line in lines]
    document = Document.parse(data)
    front = document.front_matter()
    units = list(markdown_units(document, lines, skip_header=not front.problem))
    turn = turn_of(path, front)
    if turn is not None:
        title = front.title or turn.speaker or turn.role or _stem(path)
        return list(_chunks(path, title, front, turn, _turn_pieces(units, lines), lines))
    named = "" if is_fact_file(path) else _stem(path)  # an id tells nothing, and would be embedded with each fact
    title = front.title or next((unit.headings[-1] for unit in units if unit.level == 1), "") or named
    return list(_chunks(path, title, front, None, _pieces(units, lines), lines))


def time_of(path: RepoPath, front: FrontMatter = NO_FRONT_MATTER) -> int | None:
    """A file's own time in epoch seconds: what its header says, or else the date in its name; None for one without."""
    if is_fact_file(path) and (learned := epoch_seconds(front.text("created_at"))) is not None:
        return learned
    return front.time if front.time is not None else _time_in_name(path)


def split_lines(data: bytes) -> list[str]:
    """Decode a file and split it at LF, CRLF and CR only, as editors and git count lines. Never empty."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines


class _Piece(NamedTuple):
    headings: tuple[str, ...]
    first: int  # index into the file's lines
    last: int
    text: str
    tags: tuple[str, ...] = ()
    block_ids: tuple[str, ...] = ()


def _chunks(
    path: RepoPath, title: str, front: FrontMatter, turn: Turn | None, pieces: Iterable[_Piece], lines: list[str]
) -> Iterator[Chunk]:
    time = time_of(path, front)
    labels = tuple(text[:_LABEL_LIMIT] for text in _labels(path, front)[:_LABELS])
    last = len(lines) - 1
    for ordinal, piece in enumerate(_at_least_one(pieces, last)):
        yield Chunk(
            path,
            ordinal,
            title,
            piece.headings,
            piece.text,
            piece.first + 1,
            piece.last + 1,
            tuple(dict.fromkeys((*front.tags, *piece.tags))),
            time,
            () if ordinal else labels,
            piece.block_ids,
            turn,
        )


def _labels(path: RepoPath, front: FrontMatter) -> tuple[str, ...]:
    """The header's texts by which a file is found. Of a fact's only what it is about: each of thousands is `active`."""
    if not is_fact_file(path):
        return front.labels()
    about = (front.text("category"), front.text("slot"), front.text("subject"))
    return tuple(text for text in about if text not in ("", USER))


def _at_least_one(pieces: Iterable[_Piece], last: int) -> Iterator[_Piece]:
    found = False
    for piece in pieces:
        found = True
        yield piece
    if not found:
        yield _Piece((), last, last, "")


def _pieces(units: Iterable[Unit], lines: list[str], limit: int = CHUNK_LIMIT) -> Iterator[_Piece]:
    """Join neighbouring units of one section up to `limit` tokens; a heading stays with what follows it."""
    waiting: list[Unit] = []
    size = 0.0
    for unit in units:
        full = size + unit.tokens > limit and unit.tokens and not (len(waiting) == 1 and waiting[0].level)
        if waiting and (full or unit.level or unit.part or unit.apart or waiting[-1].apart):
            yield _joined(waiting, lines)
            waiting, size = [], 0.0
        if unit.part:
            yield _Piece(unit.headings, unit.first, unit.first, unit.part, _tags(unit, unit.part), unit.block_ids)
        else:
            waiting.append(unit)
            size += unit.tokens
    if waiting:
        yield _joined(waiting, lines)


def _joined(units: list[Unit], lines: list[str]) -> _Piece:
    first, end = units[0].first, units[-1].end
    while not lines[end - 1].strip() and end - 1 > first:
        end -= 1
    tags = tuple(tag for unit in units for tag in _tags(unit, "\n".join(lines[unit.first : unit.end])))
    ids = tuple(dict.fromkeys(one for unit in units for one in unit.block_ids))
    return _Piece(units[0].headings, first, end - 1, "\n".join(lines[first:end]), tags, ids)


def _tags(unit: Unit, text: str) -> tuple[str, ...]:
    return tuple(inline_tags(text)) if unit.prose else ()


def _turn_pieces(units: list[Unit], lines: list[str]) -> Iterator[_Piece]:
    """A turn's text as one piece; headings inside are part of what was said."""
    if not units:
        return
    whole = _joined(units, lines)._replace(headings=())
    if sum(unit.tokens for unit in units) <= TURN_LIMIT:
        yield whole
    else:
        turn = Unit((), 0, whole.first, whole.last + 1, 0.0, prose=True)
        yield from _pieces(line_units(turn, lines, TURN_LIMIT), lines, TURN_LIMIT)


def _stem(path: RepoPath) -> str:
    return path.name[: -len(path.suffix)] if path.suffix else path.name


def _time_in_name(path: RepoPath) -> int | None:
    times = (epoch_seconds(match) for match in _DATE_IN_NAME.findall(path.name))
    return next((time for time in times if time is not None), None)
