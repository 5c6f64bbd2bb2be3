"""MemoryEntry: one line of MEMORY.md, and where a new one goes.

    ## Notes

    - Deploys go out on Tuesdays. ^m-01k3v9f4xq8d2m7b5c

An entry is one item of a list. Its id tells it from every other when two machines edit it; entries that say the same are one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memtree.tree.block_parts import heading_text, line_end
from memtree.tree.block_rules import BOM
from memtree.tree.blocks import Block, BlockKind
from memtree.tree.errors import UserError
from memtree.tree.memory_items import ID_AT_END, OPENS_BLOCK, blocks_of, items_of
from memtree.tree.near_duplicate import statement

DEFAULT_SECTION = "Notes"
LONGEST = 2_000  # characters

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_BULLET = re.compile(rb"[ ]{0,3}[-*+][ ]+")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|\Z)")
_MARK = re.compile(r"\A[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[.\][ \t]+)?")  # a higher number is a year, not a mark
_OPENS_SPAN = re.compile(r"<!--|%%|\$\$|```|~~~")


class UnfitEntry(UserError):
    """A text that cannot be one entry."""


class MemoryFileOpen(UserError):
    """Something in the file swallows what is added to it."""

    def __init__(self) -> None:
        super().__init__(
            "the file takes no entry: something in it is opened and never closed, such as a code block or a comment",
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
    line = " ".join(_MARK.sub("", ID_AT_END.sub("", text.strip())).split())
    if not any(char.isalnum() for char in line):
        raise UnfitEntry("there is nothing to remember in this text", hint="give it some words")
    if len(line) > LONGEST:
        raise UnfitEntry(
            f"the entry has {len(line):,} characters, more than {LONGEST:,}", hint="keep it short, or store the text as a note"
        )
    line = _OPENS_SPAN.sub(lambda found: "\\" + "\\".join(found[0]), line)
    line = _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line
    return "\\" + line if OPENS_BLOCK.match(line) else line


def known(data: bytes, entry: str) -> Place | None:
    """Return the place of an entry that says the same, as `near_duplicate` has it."""
    sought = statement(entry)
    return next((Place(item.first, item.last, item.id) for item in items_of(data) if statement(item.text) == sought), None)


def place_of(data: bytes, block_id: str) -> Place | None:
    """Return the place of the entry with an id."""
    return next((Place(item.first, item.last, item.id) for item in items_of(data) if item.id == block_id), None)


def with_entry(data: bytes, entry: str, block_id: str, section: str = DEFAULT_SECTION) -> bytes:
    """Return the file with an entry at the end of a section's list, the section made when it is not there.

    Every other byte stays. Raise MemoryFileOpen when the entry would not be one in this file.
    """
    return with_entries(data, [(entry, block_id)], section)


def with_entries(data: bytes, entries: Sequence[tuple[str, str]], section: str = DEFAULT_SECTION) -> bytes:
    """The same for several entries, each with its id, in their order; one look at the file whatever their number."""
    end = b"\r\n" if b"\r\n" in data else b"\n"
    lines = [f"{entry} ^{block_id}".encode() for entry, block_id in entries]
    blocks = blocks_of(data)
    inside = (_in_section(data, blocks, lines, section, end, gap) for gap in (b"", end))  # what follows may want a gap
    for made in (*inside, _at_the_end(data, lines, section, end)):
        if made is not None and {item.id for item in items_of(made)}.issuperset(block_id for _, block_id in entries):
            return made
    raise MemoryFileOpen


def _in_section(data: bytes, blocks: Sequence[Block], lines: Sequence[bytes], section: str, end: bytes, gap: bytes) -> bytes | None:
    inside = _section(data, blocks, section)
    if inside is None:
        return None
    lists = [block for block in inside if block.kind is BlockKind.LIST]
    last = lists[-1] if lists else inside[-1]
    bullet = _BULLET.match(data, last.parts[-1]) if last.parts else None
    mark = bullet[0] if bullet is not None else b"- "
    added = (end if bullet is not None else end + end) + mark + (end + mark).join(lines)
    at = line_end(data, last.content_end)
    return data[:at] + added + (end if at == len(data) else gap) + data[at:]


def _section(data: bytes, blocks: Sequence[Block], section: str) -> list[Block] | None:
    """The blocks of a section, its heading first."""
    sought = section.casefold()
    for number, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING and heading_text(data, block).casefold() == sought:
            after = blocks[number + 1 :]
            stop = next((at for at, one in enumerate(after) if one.kind is BlockKind.HEADING), len(after))
            return [block, *after[:stop]]
    return None


def _at_the_end(data: bytes, lines: Sequence[bytes], section: str, end: bytes) -> bytes:
    before = data if data.strip() else b""
    ends = 2 if before.removeprefix(BOM) else 0
    while ends and before.endswith(end * (3 - ends)):
        ends -= 1
    return before + end * ends + b"## " + section.encode() + end + end + b"- " + (end + b"- ").join(lines) + end
