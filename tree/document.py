"""Document: one markdown file as the bytes it is: front matter, and a body of blocks.

Promise: `Document.parse(data).render() == data` for any bytes at all: a byte order mark, CRLF, a missing last newline and text
that is not UTF-8 stay as they were, because only spans are kept and never a rewritten form. An edit replaces one key's lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memtree.tree.blocks import Block, scan
from memtree.tree.errors import UserError
from memtree.tree.front_matter import NO_FRONT_MATTER, Field, FrontMatter, Meaning, fences
from memtree.tree.scalars import Scalar, clean, written, written_key

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r")
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")
_KEY_LIMIT = 500  # YAML reads no key of more than 1,024 characters; an escape may take ten for one

NewValue = Scalar | Sequence[Scalar]


class FrontMatterNotEditable(UserError):
    """A header whose keys cannot be changed one by one."""

    hint = "write the front matter as lines of the form `key: value`"


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open stretch of bytes."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """A file's bytes and where its parts lie. `header` spans the lines between the fences, None without front matter."""

    data: bytes
    header: Span | None
    body: Span

    @classmethod
    def parse(cls, data: bytes) -> Document:
        """Find the front matter; it counts only at the very start and only when it is closed."""
        found = fences(data)
        if found is None:
            return cls(data, None, Span(0, len(data)))
        return cls(data, Span(found.start, found.header_end), Span(found.end, len(data)))

    def render(self) -> bytes:
        """Return the file again, byte for byte."""
        return self.data

    def front_matter(self) -> FrontMatter:
        """Read the header's values now; a document without a header never loads the YAML library."""
        return NO_FRONT_MATTER if self.header is None else FrontMatter.parse(self.header_bytes())

    def header_bytes(self) -> bytes:
        """Return what stands between the fences, b"" without front matter."""
        return self.data[self.header.start : self.header.end] if self.header else b""

    def body_bytes(self) -> bytes:
        """Return what follows the front matter; without one that is the file."""
        return self.data[self.body.start : self.body.end]

    def blocks(self) -> list[Block]:
        """Scan the file now; the front matter, where there is one, is the first block."""
        return scan(self.data)

    def value(self, key: str) -> Meaning:
        """Return what a key of the front matter says; None when it is missing too."""
        return self.front_matter().meaning(key)

    def spans(self) -> list[tuple[str, Span]]:
        """Return the front matter's top-level keys in order, each with the lines it takes in the file."""
        if self.header is None:
            return []
        header, found, at, characters = self.header_bytes().decode("utf-8", "replace"), [], self.header.start, 0
        for one in self.front_matter().fields:
            start = at + len(header[characters : one.start].encode())
            at = start + len(header[one.start : one.end].encode())
            characters = one.end
            found.append((one.key, Span(start, at)))
        return found

    def with_value(self, key: str, value: NewValue) -> Document:
        """Return the document with a key set: its lines are replaced, or it is added below the others.

        Everything else stays byte for byte. Raise FrontMatterNotEditable where the header has no key lines, ValueError for what
        cannot be written (a number of more than 18 digits, a key of more than 500 characters).
        """
        key = clean(key)
        if len(key) > _KEY_LIMIT:
            raise ValueError("the key is too long for front matter")
        if self.header is None:
            return self._with_front_matter(_rendered(key, value, self._line_end()))
        front = self._editable()
        fields = [one for one in front.fields if one.key == key]
        if fields and _same(front.meaning(key), value):
            return self
        header = self.header_bytes().decode()
        if not fields:
            indent = header[front.fields[0].start :] if front.fields else ""
            indent = indent[: len(indent) - len(indent.lstrip(" "))]
            return self._with_header(header + _rendered(key, value, self._line_end(), indent))
        # Of a key that stands twice the last one counts.
        one = fields[-1]
        return self._with_header(header[: one.start] + self._replaced(header, one, value) + header[one.end :])

    def without_key(self, key: str) -> Document:
        """Return the document without a key, all of its lines if it stands twice; raise as `with_value` does."""
        if self.header is None:
            return self
        header = self.header_bytes().decode("utf-8", "replace")
        fields = [one for one in self._editable().fields if one.key == clean(key)]
        for one in reversed(fields):
            header = header[: one.start] + header[one.end :]
        return self._with_header(header) if fields else self

    def _editable(self) -> FrontMatter:
        front = self.front_matter()
        if not front.editable:
            raise FrontMatterNotEditable(front.problem or "the front matter's keys do not stand on lines of their own")
        return front

    def _replaced(self, header: str, one: Field, value: NewValue) -> str:
        """A field's lines with another value; indentation, the form of the list and a comment behind the value stay."""
        old = header[one.start : one.end]
        indent = old[: len(old) - len(old.lstrip(" "))]
        before = header[one.start : one.value_end]
        in_brackets = before.rstrip().endswith("]") and not _has_line_end(before)
        comment = _COMMENT.match(header, one.value_end, one.end)
        tail = comment[0] if comment and not _has_line_end(before) else ""
        return _rendered(one.key, value, self._line_end(), indent, tail, in_brackets=in_brackets)

    def _with_header(self, header: str) -> Document:
        span = self.header or Span(0, 0)
        return Document.parse(self.data[: span.start] + header.encode() + self.data[span.end :])

    def _with_front_matter(self, lines: str) -> Document:
        end = self._line_end()
        mark = _BOM if self.data.startswith(_BOM) else b""
        return Document.parse(mark + f"---{end}{lines}---{end}".encode() + self.data.removeprefix(mark))

    def _line_end(self) -> str:
        match = _LINE_END.search(self.data)
        return match[0].decode() if match else "\n"


def _has_line_end(text: str) -> bool:
    return "\n" in text or "\r" in text


def _same(old: Meaning, new: NewValue) -> bool:
    if isinstance(old, tuple) and isinstance(new, Sequence) and not isinstance(new, str):
        return len(old) == len(new) and all(map(_same, old, new))
    return type(old) is type(new) and old == new


def _rendered(key: str, value: NewValue, end: str, indent: str = "", tail: str = "", *, in_brackets: bool = False) -> str:
    """A key and its value as lines."""
    start = f"{indent}{written_key(key)}:"
    if value is None:
        return f"{start}{tail}{end}"
    if isinstance(value, str) or not isinstance(value, Sequence):
        return f"{start} {written(value)}{tail}{end}"
    if in_brackets or not value:
        return f"{start} [{', '.join(written(item, in_brackets=True) for item in value)}]{tail}{end}"
    return f"{start}{tail}{end}" + "".join(f"{indent}  - {written(item)}{end}" for item in value)
