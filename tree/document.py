"""Document: one markdown file as the bytes it is, split into front matter and body.

Promise: `Document.parse(data).render() == data` for any bytes at all: a byte order mark, CRLF, a missing last newline and text
that is not UTF-8 stay as they were, because only spans are kept and never a rewritten form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memtree.tree.front_matter import NO_FRONT_MATTER, FrontMatter

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(rb"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")


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
        opening = _OPENING.match(data)
        closing = _CLOSING.search(data, opening.end()) if opening else None
        if opening is None or closing is None:
            return cls(data, None, Span(0, len(data)))
        return cls(data, Span(opening.end(), closing.start()), Span(closing.end(), len(data)))

    def render(self) -> bytes:
        """Return the file again, byte for byte."""
        return self.data

    def front_matter(self) -> FrontMatter:
        """Read the header's values now; a document without a header never loads the YAML library."""
        if self.header is None:
            return NO_FRONT_MATTER
        return FrontMatter.parse(self.data[self.header.start : self.header.end])

    def body_bytes(self) -> bytes:
        """Return what follows the front matter; without one that is the file."""
        return self.data[self.body.start : self.body.end]
