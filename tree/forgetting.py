"""Forgetting: what a person wants gone, as a value that finds itself in any version of any file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memtree.tree.errors import UserError
from memtree.tree.forgotten import STUB, is_stub
from memtree.tree.front_matter import FrontMatter, fences
from memtree.tree.kinds import is_binary
from memtree.tree.paths import RepoPath
from memtree.tree.stubbing import core, is_heading, stub_field, stub_lines

WHOLE = STUB + b"\n"
_LEAST_TEXT = 3  # bytes
_LEAST_LINE = 12  # a shorter line, such as `- yes`, says nothing of where it came from


class CannotForget(UserError):
    """The request names nothing that could be forgotten, or far too much."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Exactly one of three: a whole file or folder (`whole`), lines by their words (`lines`), a text wherever it stands (`text`).

    `within` limits a text to a file or folder, '' to nothing.
    """

    whole: str = ""
    lines: frozenset[bytes] = frozenset()
    text: bytes = b""
    within: str = ""

    @classmethod
    def of_text(cls, text: str, within: str = "") -> Forgetting:
        """What `--match` asks for; raise CannotForget."""
        data = text.encode("utf-8", "surrogateescape")
        if len(data.strip()) < _LEAST_TEXT:
            raise CannotForget(
                "the text is too short: it would be found everywhere", hint="name the lines instead: memtree forget PATH:LINES"
            )
        if data in STUB:
            raise CannotForget("the text is a part of the stub itself", hint="name the lines instead: memtree forget PATH:LINES")
        return cls(text=data, within=within)

    @classmethod
    def of_lines(cls, data: bytes, numbers: Collection[int]) -> Forgetting:
        """What these lines of a file say, to find their copies. Headings and short lines may mean something else elsewhere."""
        chosen = [line for number, line in enumerate(data.splitlines(), 1) if number in numbers and not is_heading(line)]
        return cls(lines=frozenset(words for line in chosen if len(words := core(line)) >= _LEAST_LINE and not is_stub(words)))

    def reaches(self, path: str) -> bool:
        """Whether files of this name are looked into at all."""
        limit = self.whole or self.within
        return not limit or path == limit or path.startswith(limit + "/")

    def applied(self, path: RepoPath, data: bytes) -> bytes:
        """The file as it is when this is forgotten; the same bytes where it holds nothing of it. Applying it twice is once."""
        if not self.reaches(path):
            return data
        if self.whole:
            return data if data == WHOLE else WHOLE
        if not self._occurs(data):
            return data
        if is_binary(path) or b"\0" in data:
            return WHOLE
        return _without_text(path, data, self.text) if self.text else stub_lines(path, data, self._numbers(data))

    def places(self, path: RepoPath, data: bytes) -> tuple[int, ...]:
        """The lines (from 1) of a file where it stands, one for each place; (0,) for a file that goes as a whole."""
        if self.applied(path, data) == data:
            return ()
        if self.whole or is_binary(path) or b"\0" in data:
            return (0,)
        if self.lines:
            return tuple(sorted(self._numbers(data)))
        found, at = [], data.find(self.text)
        while at >= 0:
            found.append(len(data[: at + 1].splitlines()))
            at = data.find(self.text, at + len(self.text))
        return tuple(found)

    def in_message(self, message: bytes) -> bytes:
        """A commit's message without the text."""
        return message.replace(self.text, STUB) if self.text else message

    def _occurs(self, data: bytes) -> bool:
        return self.text in data if self.text else any(words in data for words in self.lines)

    def _numbers(self, data: bytes) -> set[int]:
        return {number for number, line in enumerate(data.splitlines(), 1) if core(line) in self.lines}


def _without_text(path: RepoPath, data: bytes, text: bytes) -> bytes:
    head = fences(data) if path.suffix in (".md", ".markdown") else None
    if head is None or text not in data[head.start : head.header_end]:
        return _replaced(data, text)
    header = _header_without(data[head.start : head.header_end], text)
    return _replaced(data[: head.start] + header + data[head.header_end :], text)


def _replaced(data: bytes, text: bytes, stub: bytes = STUB) -> bytes:
    """The stub in the text's place, with a space where the two together would be read as a link."""
    parts = data.split(text)
    return b"".join(
        part if not number else stub + (b" " if part[:1] in (b"(", b"[", b":") else b"") + part for number, part in enumerate(parts)
    )


def _header_without(header: bytes, text: bytes) -> bytes:
    """A header stays one that can be read: where the stub alone would mean something else, it stands in quotes."""
    try:
        decoded = header.decode("utf-8")
    except UnicodeDecodeError:
        return header
    out, at = [], 0
    for field in FrontMatter.parse(header).fields:
        piece = decoded[field.start : field.value_end].encode()
        out.append(decoded[at : field.start].encode())
        out.append(_field_without(piece, text) if text in piece else piece)
        at = field.value_end
    return b"".join((*out, decoded[at:].encode()))


def _field_without(piece: bytes, text: bytes) -> bytes:
    before = FrontMatter.parse(piece).values
    plain = _replaced(piece, text)
    key, colon, value = plain.partition(b": ")
    for candidate in (plain, _replaced(piece, text, b'"' + STUB + b'"'), key + colon + b'"' + value.rstrip() + b'"'):
        after = FrontMatter.parse(candidate)
        if after.problem or after.values.keys() != before.keys():
            continue
        if all(type(value) is type(before[key]) and STUB.decode() in str(value) for key, value in after.values.items()):
            return candidate
    return stub_field(piece, name=text in piece.partition(b":")[0])
