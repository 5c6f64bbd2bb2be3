"""HeaderKeys: front matter cut into its keys, each with the comments above it, byte for byte. On LF line ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtree.tree.front_matter import FrontMatter, fences


@dataclass(frozen=True, slots=True)
class HeaderKey:
    """One key's lines; `remarks` are the comments and blank lines above them."""

    name: str
    remarks: bytes
    text: bytes


@dataclass(frozen=True, slots=True)
class HeaderKeys:
    """`remarks` are the comments and blank lines below the last key."""

    opening: bytes = b""
    keys: tuple[HeaderKey, ...] = ()
    remarks: bytes = b""
    closing: bytes = b""

    @property
    def names(self) -> list[str]:
        return [key.name for key in self.keys]

    def by_name(self) -> dict[str, HeaderKey]:
        return {key.name: key for key in self.keys}

    def render(self) -> bytes:
        return self.opening + b"".join(key.remarks + key.text for key in self.keys) + self.remarks + self.closing


def read_keys(data: bytes) -> HeaderKeys | None:
    """Read front matter with its fences; None where it cannot be taken apart into keys that each stand once."""
    place = fences(data)
    if place is None or place.end != len(data):
        return None
    header = data[place.start : place.header_end]
    front = FrontMatter.parse(header)
    if not front.editable:
        return None
    keys: list[HeaderKey] = []
    text = header.decode()
    at = 0
    for one in front.fields:
        own = text[one.start : one.end]
        while own.endswith("\n\n"):  # YAML counts the blank lines below a text of several lines as the text's
            own = own[:-1]
        keys.append(HeaderKey(one.key, text[at : one.start].encode(), own.encode()))
        at = one.start + len(own)
    rest = text[at:].encode()
    if len({key.name for key in keys}) < len(keys) or not all(map(is_remark, lines([*(key.remarks for key in keys), rest]))):
        return None
    return HeaderKeys(data[: place.start], tuple(keys), rest, data[place.header_end :])


def lines(texts: Iterable[bytes]) -> list[bytes]:
    """The lines of some texts, each with its line end."""
    return [line for text in texts for line in text.splitlines(keepends=True)]


def is_remark(line: bytes) -> bool:
    """Whether a line of front matter is blank or a comment."""
    return not line.strip() or line.lstrip().startswith(b"#")
