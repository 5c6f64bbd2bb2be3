"""MemoryEntry: one line of MEMORY.md, and where a new one goes.

    ## Notes

    - Deploys go out on Tuesdays. ^m-01k3v9f4xq8d2m7b5c

An entry is one item of a list. Its id tells it from every other when two machines edit it; entries that say the same are one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from memtree.tree.block_parts import heading_text
from memtree.tree.blocks import Block, BlockKind, scan
from memtree.tree.errors import UserError

DEFAULT_SECTION = "Notes"
LONGEST = 2_000  # characters

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_BULLET = re.compile(rb"[ ]{0,3}[-*+][ ]+")
_MARK = re.compile(r"\A[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?")
_ID_AT_END = re.compile(r"(?:\s|\A)\^[A-Za-z0-9-]+\s*\Z")
_REMARK = re.compile(r"<!--.*?-->", re.DOTALL)
# What would begin another block at the start of an item, or open something that later lines would be taken into.
_OPENS_BLOCK = re.compile(r"#{1,6}(?:\s|\Z)|[-*+](?:\s|\Z)|>|\||~~~|```|[-*_=](?:\s*[-*_=])+\s*\Z|\[\^|:|<|\[.\]\s")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|\Z)")
_OPENS_SPAN = re.compile(r"<!--|%%|\$\$|```|~~~")
_BETWEEN = ".,;:!?\"'()[]*_`“”‘’"


class UnfitEntry(UserError):
    """A text that cannot be one entry."""


class MemoryFileOpen(UserError):
    """Something in the file swallows what is added to it."""

    def __init__(self) -> None:
        super().__init__(
            "MEMORY.md takes no entry: something in it is opened and never closed, such as a code block or a comment",
            hint="close it, then try again",
        )


class Place(NamedTuple):
    """Where an entry stands, in lines counted from 1."""

    first: int
    last: int
    id: str


def entry_id(milliseconds: int, noise: bytes) -> str:
    """Return a block id that sorts by time: the moment in ten digits, then eight of the noise (5 bytes of it)."""
    number = (milliseconds & (1 << 48) - 1) << 40 | int.from_bytes(noise[:5], "big")
    return "m-" + "".join(_DIGITS[number >> shift & 31] for shift in range(85, -1, -5))


def one_entry(text: str) -> str:
    """Return a text as the one line of an entry: no block begins in it, no id ends it. Raise UnfitEntry."""
    line = " ".join(_MARK.sub("", _ID_AT_END.sub("", text.strip())).split())
    if not any(char.isalnum() for char in line):
        raise UnfitEntry("there is nothing to remember in this text", hint="give it some words")
    if len(line) > LONGEST:
        raise UnfitEntry(
            f"the entry has {len(line):,} characters, more than {LONGEST:,}", hint="keep it short, or store the text as a note"
        )
    line = _OPENS_SPAN.sub(lambda found: "\\" + "\\".join(found[0]), line)
    line = _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line
    return "\\" + line if _OPENS_BLOCK.match(line) else line


def known(data: bytes, entry: str) -> Place | None:
    """Return the place of an entry that says the same: its words in their order, whatever their case and the marks between."""
    sought = _words(entry)
    return next((place for place, text in _entries(data) if _words(text) == sought), None)


def place_of(data: bytes, block_id: str) -> Place | None:
    """Return the place of the entry with an id."""
    return next((place for place, _ in _entries(data) if place.id == block_id), None)


def with_entry(data: bytes, entry: str, block_id: str, section: str = DEFAULT_SECTION) -> bytes:
    """Return the file with an entry at the end of a section's list, the section made when it is not there.

    Every other byte stays. Raise MemoryFileOpen when the entry would not be one in this file.
    """
    end = b"\r\n" if b"\r\n" in data else b"\n"
    line = f"{entry} ^{block_id}".encode()
    blocks = scan(data)
    for made in (_in_section(data, blocks, line, section, end), _at_the_end(data, line, section, end)):
        if made is not None and place_of(made, block_id) is not None:
            return made
    raise MemoryFileOpen


def _in_section(data: bytes, blocks: list[Block], line: bytes, section: str, end: bytes) -> bytes | None:
    inside = _section(data, blocks, section)
    if inside is None:
        return None
    lists = [block for block in inside if block.kind is BlockKind.LIST]
    last = lists[-1] if lists else inside[-1]
    bullet = _BULLET.match(data, last.parts[-1]) if last.parts else None
    added = (end + bullet[0] if bullet is not None else end + end + b"- ") + line
    if last.content_end == len(data):
        added += end
    elif data[last.content_end : last.content_end + 1] not in (b"\r", b"\n"):
        return None  # spaces at the line's end: they belong to it
    return data[: last.content_end] + added + data[last.content_end :]


def _section(data: bytes, blocks: list[Block], section: str) -> list[Block] | None:
    """The blocks of a section, its heading first."""
    sought = section.casefold()
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING and heading_text(data, block).casefold() == sought:
            after = blocks[number + 1 :]
            stop = next((at for at, one in enumerate(after) if one.kind is BlockKind.HEADING), len(after))
            return [block, *after[:stop]]
    return None


def _at_the_end(data: bytes, line: bytes, section: str, end: bytes) -> bytes:
    text = data.rstrip(b" \t\r\n")
    before = data[: len(text)] + end + end if text else b""
    return before + b"## " + section.encode() + end + end + b"- " + line + end


def _entries(data: bytes) -> Iterator[tuple[Place, str]]:
    for block in scan(data):
        if block.kind is not BlockKind.LIST:
            continue
        for start, stop in zip(block.parts, (*block.parts[1:], block.content_end), strict=True):
            text = data[start:stop].rstrip()
            first = data.count(b"\n", 0, start) + 1
            shown = _REMARK.sub("", _MARK.sub("", text.decode("utf-8", "replace"))).strip()
            found = _ID_AT_END.search(shown)
            yield Place(first, first + text.count(b"\n"), found[0].strip()[1:] if found else ""), _ID_AT_END.sub("", shown)


def _words(text: str) -> list[str]:
    # Only marks around a word go: `C++` is not `C#`, and `-1` is not `1`.
    plain = unicodedata.normalize("NFKC", text.replace("\\", "")).casefold()
    return [word for part in plain.split() if (word := part.strip(_BETWEEN))]
