"""Differences between two versions of a file, line by line and word by word.

Terms: a *hunk* is a stretch of changed lines with a few unchanged ones around it, a *piece* is a stretch of one line that is the
same, added or removed. Every text keeps its line end, so the old side of all pieces is the old text exactly, and the new side
the new one. Time is bounded: a 10 MB file never explodes, at worst its diff gets coarser.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memtree.tree.matching import Match, match_sequences
from memtree.tree.objects import ChangeKind
from memtree.tree.paths import RepoPath

CONTEXT = 3
# Pairing the lines of a replaced block looks at every pair; above this many, lines are paired in order.
_LINE_PAIRS = 4_096
# A rewritten stretch of this many characters is shown as lines: word marks over whole pages help nobody.
_WORD_BLOCK = 1_000_000
_ALIKE = 0.4

_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Combining marks and Indic vowel signs are no word characters to `re`, yet they belong to the word around them.
_MARKS = "\u0300-\u036f\u0900-\u0eff\u200d"
_TOKEN = re.compile(
    rf"[{_CJK}]|[^\W{_CJK}]+(?:[{_MARKS}]+[^\W{_CJK}]*)*|\r?\n|[^\S\r\n]+|.",
    re.DOTALL,
)


class Mark(enum.Enum):
    """What happened to a line or a piece. CHANGED is for lines only: its pieces say what is old and what is new."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Detail(enum.Enum):
    """How fine a diff is: whole lines, or words inside lines that changed."""

    LINES = "lines"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Mark
    text: str


@dataclass(frozen=True, slots=True)
class DiffLine:
    kind: Mark
    pieces: tuple[Piece, ...]

    @property
    def old(self) -> str:
        """What the line was, '' for an added one."""
        return "".join(piece.text for piece in self.pieces if piece.kind is not Mark.ADDED)

    @property
    def new(self) -> str:
        """What the line is, '' for a removed one."""
        return "".join(piece.text for piece in self.pieces if piece.kind is not Mark.REMOVED)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Starts count from 1; where a side has no lines its start is the line before, as in a unified diff."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file's difference. `added` and `deleted` count lines; a binary file has no hunks."""

    path: RepoPath
    old_path: RepoPath | None
    kind: ChangeKind
    binary: bool
    hunks: tuple[Hunk, ...]
    added: int
    deleted: int


def diff_file(
    path: RepoPath,
    old: bytes | None,
    new: bytes | None,
    *,
    detail: Detail,
    old_path: RepoPath | None = None,
    context: int = CONTEXT,
) -> FileDiff:
    """The difference between two versions; None stands for a file that is not there."""
    kind = _kind(old, new, old_path)
    one, two = _text(old), _text(new)
    if one is None or two is None:
        return FileDiff(path, old_path, kind, True, (), 0, 0)
    if one == two:
        return FileDiff(path, old_path, kind, False, (), 0, 0)
    script = list(_script(split_lines(one), split_lines(two), detail))
    added = sum(line.kind in (Mark.ADDED, Mark.CHANGED) for line in script)
    deleted = sum(line.kind in (Mark.REMOVED, Mark.CHANGED) for line in script)
    return FileDiff(path, old_path, kind, False, tuple(_hunks(script, context)), added, deleted)


def _kind(old: bytes | None, new: bytes | None, old_path: RepoPath | None) -> ChangeKind:
    if old is None:
        return ChangeKind.ADDED
    if new is None:
        return ChangeKind.DELETED
    return ChangeKind.RENAMED if old_path is not None else ChangeKind.MODIFIED


def _text(data: bytes | None) -> str | None:
    """The text of a version, None when it is binary: a NUL byte, or not UTF-8."""
    if data is None:
        return ""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def split_lines(text: str) -> list[str]:
    """Lines with their ends. Only a line feed ends a line: str.splitlines would cut at a dozen other characters."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def tokens(text: str) -> list[str]:
    """Words, stretches of space, line ends, single signs and single CJK characters; together they are the text."""
    return _TOKEN.findall(text)


# -- lines


def _script(old: list[str], new: list[str], detail: Detail) -> Iterator[DiffLine]:
    """Every line of both sides, in order."""
    one = two = 0
    for match in (*match_sequences(old, new), Match(len(old), len(new), 0)):
        yield from _replaced(old[one : match.one], new[two : match.two], detail)
        one, two = match.one + match.size, match.two + match.size
        for line in old[match.one : one]:
            yield _whole(Mark.SAME, line)


def _whole(kind: Mark, line: str) -> DiffLine:
    return DiffLine(kind, (Piece(kind, line),))


def _replaced(old: list[str], new: list[str], detail: Detail) -> Iterator[DiffLine]:
    pairs = _pair_lines(old, new) if detail is Detail.WORDS else []
    one = two = 0
    for left, right in (*pairs, (len(old), len(new))):
        yield from (_whole(Mark.REMOVED, line) for line in old[one:left])
        yield from (_whole(Mark.ADDED, line) for line in new[two:right])
        if left < len(old):
            yield DiffLine(Mark.CHANGED, diff_words(old[left], new[right]))
        one, two = left + 1, right + 1


def _pair_lines(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Which removed line became which added one, in rising order; lines without a likeness stay alone."""
    if not old or not new:
        return []
    alone = len(old) == len(new) == 1
    if not alone and sum(map(len, old)) + sum(map(len, new)) > _WORD_BLOCK:
        return []
    bags, others = [_Bag(line) for line in old], [_Bag(line) for line in new]
    if alone or len(old) * len(new) > _LINE_PAIRS:
        return [(n, n) for n, (one, two) in enumerate(zip(bags, others, strict=False)) if _likeness(one, two) >= _ALIKE]
    return _best_pairs([[_likeness(one, two) for two in others] for one in bags])


class _Bag:
    """A line's words (of a line without any, its other signs), each with its number of characters in the line."""

    __slots__ = ("total", "weights")

    def __init__(self, line: str) -> None:
        found = [token for token in tokens(line) if not token.isspace()]
        words = [token for token in found if token[0].isalnum()] or found
        self.weights = {word: count * len(word) for word, count in Counter(words).items()}
        self.total = sum(self.weights.values())


def _likeness(one: _Bag, two: _Bag) -> float:
    """The share of characters that two lines have in common, from 0 to 1."""
    common = sum(min(one.weights[word], two.weights[word]) for word in one.weights.keys() & two.weights.keys())
    return 2 * common / (one.total + two.total) if common else 0.0


def _best_pairs(scores: list[list[float]]) -> list[tuple[int, int]]:
    """The pairs, rising on both sides, whose likeness adds up to the most."""
    rows, columns = len(scores), len(scores[0])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            score = scores[row][column]
            paired = best[row + 1][column + 1] + score if score >= _ALIKE else 0.0
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    found: list[tuple[int, int]] = []
    row = column = 0
    while row < rows and column < columns:
        if best[row][column] == best[row + 1][column]:
            row += 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            found.append((row, column))
            row, column = row + 1, column + 1
    return found


def _hunks(script: list[DiffLine], context: int) -> Iterator[Hunk]:
    changed = [n for n, line in enumerate(script) if line.kind is not Mark.SAME]
    start = old = new = 0
    for first, last in _stretches(changed, 2 * context):
        begin, end = max(first - context, 0), min(last + 1 + context, len(script))
        old, new = old + _count(script[start:begin], Mark.ADDED), new + _count(script[start:begin], Mark.REMOVED)
        lines = script[begin:end]
        olds, news = _count(lines, Mark.ADDED), _count(lines, Mark.REMOVED)
        yield Hunk(old + (olds > 0), olds, new + (news > 0), news, tuple(lines))
        start, old, new = end, old + olds, new + news


def _count(lines: list[DiffLine], without: Mark) -> int:
    return sum(line.kind is not without for line in lines)


def _stretches(places: list[int], gap: int) -> Iterator[tuple[int, int]]:
    """First and last of each run of places that are at most `gap` unchanged lines apart."""
    first = last = places[0]
    for place in places[1:]:
        if place - last > gap + 1:
            yield first, last
            first = place
        last = place
    yield first, last


# -- words


def diff_words(old: str, new: str) -> tuple[Piece, ...]:
    """Two texts as pieces, removed before added; neighbours of one kind are joined."""
    one, two = tokens(old), tokens(new)
    pieces: list[Piece] = []
    at_one = at_two = 0
    for match in (*_without_lone_spaces(match_sequences(one, two), one), Match(len(one), len(two), 0)):
        removed, added = "".join(one[at_one : match.one]), "".join(two[at_two : match.two])
        same = "".join(one[match.one : match.one + match.size])
        found = ((Mark.REMOVED, removed), (Mark.ADDED, added), (Mark.SAME, same))
        pieces.extend(Piece(kind, text) for kind, text in found if text)
        at_one, at_two = match.one + match.size, match.two + match.size
    return tuple(pieces)


def _without_lone_spaces(matches: Iterable[Match], one: list[str]) -> Iterator[Match]:
    """Drop a match of only a blank between two changes: two replaced words read better as one replaced phrase."""
    for match in matches:
        inside = match.one > 0 and match.two > 0 and match.one + match.size < len(one)
        if not (inside and match.size == 1 and one[match.one].isspace()):
            yield match
