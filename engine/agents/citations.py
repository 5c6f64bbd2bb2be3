"""Citations: the marks of a model's answer, tied to what was read; the list below it is ours.

A model cites passages by their numbers, and may end with a list of its own, in whatever form: what an entry names by its path
counts more than its number, as models number anew. What names nothing that was read is dropped, and said. Code has no marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtree.engine.agents.passages import Passage
from memtree.engine.agents.sentence_lines import stretches
from memtree.engine.agents.sources import Source, source
from memtree.indexers.tokens import fold
from memtree.tree.context_fence import unmarked

_MOST = 40  # sources of an answer
_RANGE = 10  # numbers that `[1-9]` may stand for
_NAMED = 80  # characters of a dropped citation that are told
_CLAIM = 300  # characters before a mark that it may speak for

# A model may send thousands of blanks, or of letters without one: no two parts that take the same may stand side by side.
_TITLE = re.compile(
    r"^[ \t]*(?:(?:#{1,6}|>)[ \t]*)?(?:(?:\*\*|__)[ \t]*)?(?:sources?|references?|citations?|works cited|来源|参考资料|参考文献"
    r"|参考|引用|出处)[ \t]*(?:(?:\*\*|__)[ \t]*)?(?:[:：][ \t]*)?(?:(?:\*\*|__)[ \t]*)?(?P<rest>\S.*)?$",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE_ALONE = re.compile(r"[:：*_#]|^\s*\w+\s*$")
_ENTRY = re.compile(
    r"^[ \t]*(?:[-*+•][ \t]+)?(?:(?:\[\^?|【)(?P<boxed>\d{1,3})[\]】][:.]?|\(?(?P<plain>\d{1,3})[.):、][ \t]?)?[ \t]*(?P<what>.*)$"
)
_NUMBERS = r"\d{1,3}(?:\s*[-–,，;、&]\s*#?\d{1,3})*"
_NAMED_SO = r"(?:(?:sources?|passages?|refs?|ids?|see|cf\.)(?:\s*[:：#]\s*|\s+))?"
_WORD = rf"(?:{_NAMED_SO}|(?:来源|引用)\s*[:：#]?\s*)"
_FILE = r"[^\s\[\]【】()<>\"'`|]{1,300}\.(?:md|markdown|txt|jsonl?|org|csv|html?|ya?ml|toml|py|eml)(?:[:#]L?\d+(?:[-–]L?\d+)?)?"
_MARK = re.compile(
    rf"(?P<code>```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`)"
    rf"|[ \t]?(?:\[\^?#?{_WORD}#?(?P<one>{_NUMBERS})\]|【#?{_WORD}#?(?P<two>{_NUMBERS})(?:†[^】]*)?】)(?:\([^()\n]*\))?(?!\])"
    rf"|[ \t]?(?<!\[)[\[【]{_NAMED_SO}(?P<file>[^\[\]【】\n]{{3,300}})[\]】](?![(\]])"
    rf"|[ \t]?\({_NAMED_SO}(?P<lined>[^()\n]{{3,300}})\)",
    re.IGNORECASE | re.DOTALL,
)
_LINES = re.compile(r"(?:[:#]L?|\blines?\s+|第\s*)(\d{1,7})(?:\s*(?:[-–]|to|至|到)\s*L?(\d{1,7}))?", re.IGNORECASE)
_CITES = re.compile(_FILE, re.IGNORECASE)
_BESIDE = 24  # characters that may stand beside a path that is cited: its lines, a word
_PATH_LIKE = re.compile(rf"{_FILE}|[\w.-]{1, 300}/[\w./-]+", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“«「『](.{3,400}?)[\"”»」』]|[—–]\s+(.{3,400})$")
_TO = re.compile(r"[-–]")
_OPENERS = re.compile(r"[.!?。！？\n]\s*")


class _Target(NamedTuple):
    """What a citation stands for: a passage, the lines of it that are meant, and words that were quoted."""

    passage: Passage
    lines: tuple[int, int] | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer whose marks count from 1 by their first use, each standing for one of `sources`. `dropped` are others' names."""

    text: str
    sources: tuple[Source, ...]
    dropped: tuple[str, ...]


def cited(text: str, read: Sequence[Passage]) -> Cited:
    """A model's answer with its marks tied to what was read."""
    body, entries = _taken_apart(text)
    return _Tying(read, entries).tied(body)


class _Entry(NamedTuple):
    """An entry of a model's own list: its number, and what stands behind it."""

    number: int
    what: str


def _taken_apart(text: str) -> tuple[str, list[_Entry]]:
    """The answer without its own list of sources, and that list."""
    for found in reversed(list(_TITLE.finditer(text))):
        head = found[0][: found.start("rest") - found.start()] if found["rest"] else found[0]
        if not _TITLE_ALONE.search(head):
            continue
        entries, after = _entries(f"{found['rest'] or ''}\n{text[found.end() :]}")
        if entries:
            return "\n\n".join(part for part in (text[: found.start()].strip(), after) if part), entries
        if not text[found.end() :].strip() and not found["rest"]:
            return text[: found.start()].strip(), []
    return text.strip(), []


def _entries(text: str) -> tuple[list[_Entry], str]:
    """The entries at the beginning of a text, and what stands below them."""
    entries: list[_Entry] = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        found = _ENTRY.match(line)
        marked = found is not None and (found["boxed"] or found["plain"] or line.lstrip()[:1] in "-*+•")
        if found is None or not (marked or _PATH_LIKE.search(line)):
            if entries and line[:1].isspace():
                continue  # the rest of an entry
            return entries, "\n".join(lines[number:]).strip() if entries else ""
        several = re.split(r"[;；]\s*(?=\[\d)", line)
        for part in several:
            one = _ENTRY.match(part)
            given = int(one["boxed"] or one["plain"] or 0) if one is not None else 0
            entries.append(_Entry(given or len(entries) + 1, one["what"] if one is not None else part))
    return entries, ""


class _Tying:
    def __init__(self, read: Sequence[Passage], entries: Sequence[_Entry]) -> None:
        self._by_number = {one.number: one for one in read}
        self._by_path = sorted(read, key=lambda one: -len(one.path))
        self._entries = {one.number: one for one in reversed(entries)}
        self._sources: list[Source] = []
        self._numbers: dict[tuple[str, int, int], int] = {}
        self._dropped: dict[str, None] = {}

    def tied(self, body: str) -> Cited:
        parts: list[str] = []
        at = 0
        for mark in _MARK.finditer(body):
            if mark["code"] is not None:
                continue
            parts.append(body[at : mark.start()])
            parts.append(self._marks(mark, body[max(0, mark.start() - _CLAIM) : mark.start()]))
            at = mark.end()
        text = "".join((*parts, body[at:])).strip()
        if not self._sources and self._entries and text:
            text += self._unmarked_sources(text)
        return Cited(unmarked(text), tuple(self._sources), tuple(self._dropped))

    def _marks(self, mark: re.Match[str], before: str) -> str:
        """What stands in the place of a mark: ours, or nothing."""
        file = mark["file"] or mark["lined"]
        if file:
            target = self._named(file)
            cites = _CITES.fullmatch(file.strip()) if target is None else len(file) - len(target.passage.path) <= _BESIDE
            if not cites or (target is None and mark["lined"] and not _LINES.search(file)):
                return mark[0]  # a file that is spoken of, or something else in brackets
            targets = [(file, target)]
        else:
            numbers = _expanded(mark["one"] or mark["two"])
            if numbers == [0]:
                return mark[0]
            targets = [(f"[{number}]", self._numbered(number)) for number in numbers]
        found: list[int] = []
        for name, target in targets:
            if target is None:
                self._dropped[unmarked(name[:_NAMED])] = None
            elif (number := self._cite(target, before)) and number not in found:
                found.append(number)
        lead = " " if mark[0][:1] in " \t" else ""
        return lead + "".join(f"[{number}]" for number in found) if found else ""

    def _numbered(self, number: int) -> _Target | None:
        entry = self._entries.get(number)
        if entry is not None and _PATH_LIKE.search(entry.what):
            return self._named(entry.what)
        passage = self._by_number.get(number)
        return _Target(passage, None, _quoted(entry.what) if entry is not None else "") if passage is not None else None

    def _named(self, what: str) -> _Target | None:
        """The passage that a text names by its path, and lines where it has some; None where these were not read."""
        path = next((one.path for one in self._by_path if one.path in what), None)
        if path is None:
            return None
        behind = what[what.index(path) + len(path) :]
        if behind[:1].isalnum() or (what.index(path) and what[what.index(path) - 1] not in " \t[(<\"'`*:：—-"):
            return None  # part of another path
        passages = [one for one in self._by_path if one.path == path]
        lines = _LINES.match(behind.lstrip(" `*)],(")) or _LINES.match(behind)
        if lines is None:
            return _Target(passages[0], None, _quoted(behind)) if passages else None
        start, end = int(lines[1]), int(lines[2] or lines[1])
        for one in passages:
            if one.holds(path, start, end):
                return _Target(one, (start, end), _quoted(behind))
        met = next((one for one in passages if one.meets(path, start, end)), None)
        return _Target(met, None, _quoted(behind)) if met is not None and start <= end else None

    def _cite(self, target: _Target, before: str) -> int:
        passage = target.passage
        start, end = target.lines or (passage.start_line, passage.end_line)
        key = passage.path, start, end
        if key not in self._numbers:
            if len(self._sources) == _MOST:
                return 0
            words = target.words or _said(passage, _OPENERS.split(before)[-1])
            self._numbers[key] = len(self._sources) + 1
            self._sources.append(source(self._numbers[key], passage, words, (start, end)))
        return self._numbers[key]

    def _unmarked_sources(self, text: str) -> str:
        """The marks of a list whose answer has none."""
        found: dict[int, None] = {}
        for entry in self._entries.values():
            target = self._numbered(entry.number)
            if target is None:
                self._dropped[unmarked(entry.what[:_NAMED] or f"[{entry.number}]")] = None
            elif number := self._cite(target, text):
                found[number] = None
        return " " + "".join(f"[{number}]" for number in sorted(found)) if found else ""


def _expanded(numbers: str) -> list[int]:
    """`1, 3-5` as numbers."""
    found: list[int] = []
    for part in re.split(r"[,，;、&]", numbers.replace("#", "")):
        ends = [int(one) for one in _TO.split(part)]
        first, last = ends[0], ends[-1]
        found += range(first, min(last, first + _RANGE) + 1) if last >= first else [first, last]
    return list(dict.fromkeys(found))


def _quoted(text: str) -> str:
    found = _QUOTED.search(text)
    return (found[1] or found[2] or "").strip(" \"“”'") if found else ""


def _said(passage: Passage, claim: str) -> str:
    """The sentence of a passage that shares most words with what is claimed of it."""
    wanted = frozenset(_words(claim))
    best = max(stretches(passage.text), key=lambda one: len(wanted.intersection(_words(one.text))), default=None)
    return best.text if best is not None else ""


def _words(text: str) -> Iterator[str]:
    folded = fold(text)
    yield from re.findall(r"[^\W_]{3,}", folded)
    yield from (folded[at : at + 2] for at in range(len(folded)) if folded[at : at + 1] > "\u2e80")
