"""The items of a memory file's lists: where each stands, what it says, the block id that it carries, and giving new ones theirs.

The id stands at the end of an item's own paragraph, before what is nested in it. What a person wrote without one is never stamped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memtree.tree.blocks import Block, BlockKind, scan
from memtree.tree.near_duplicate import statement, without_remarks

MARK = re.compile(r"\A[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?")
ID_AT_END = re.compile(r"(?:\s|\A)\^([A-Za-z0-9-]+)\s*\Z")
# What would begin another block at the start of an item, or open something that later lines would be taken into.
OPENS_BLOCK = re.compile(r"#{1,6}(?:\s|\Z)|[-*+](?:\s|\Z)|>|\||~~~|```|[-*_=](?:\s*[-*_=])+\s*\Z|\[\^|:|<|\[.\]\s")
_INNER = re.compile(rb"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|\Z)|[ \t]*(?:```|~~~|>|\||#{1,6}[ \t])")
_LINE_ID = re.compile(rb"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*\Z")
OURS = re.compile(r"m-[0-9a-z]{18}")


class Item(NamedTuple):
    """An item: its bytes without the gap behind, its lines counted from 1, what it says on its own and its id, '' for none.

    `own` is where its own paragraph ends, the id included, `bare` where it ends without.
    """

    start: int
    end: int
    first: int
    last: int
    id: str
    text: str
    own: int
    bare: int


# A change of a memory file looks at the same few versions for their items, their sections and what is open in them.
@lru_cache(maxsize=4)
def blocks_of(data: bytes) -> tuple[Block, ...]:
    """The blocks of a memory file."""
    return tuple(scan(data))


def items_of(data: bytes) -> Iterator[Item]:
    """Every item of the lists of a file, in order; what is nested in one is a part of it."""
    line, at = 1, 0
    for block in blocks_of(data):
        if block.kind is not BlockKind.LIST:
            continue
        for start, stop in zip(block.parts, (*block.parts[1:], block.content_end), strict=True):
            raw = data[start:stop].rstrip()
            line, at = line + data.count(b"\n", at, start), start
            own = _paragraph(raw)
            found = _LINE_ID.search(raw[:own])
            bare = len(raw[: found.start()].rstrip()) if found else own
            said = (raw[:bare] + raw[own:]).decode("utf-8", "replace")
            text = ID_AT_END.sub("", without_remarks(MARK.sub("", said)).strip())
            name = found[1].decode() if found else ""
            yield Item(start, start + len(raw), line, line + raw.count(b"\n"), name, text, start + own, start + bare)


def _paragraph(raw: bytes) -> int:
    """Where an item's first paragraph ends."""
    end = 0
    for number, line in enumerate(raw.splitlines(keepends=True)):
        if number and (not line.strip() or _INNER.match(line)):
            break
        end += len(line)
    return len(raw[:end].rstrip())


def with_ids(body: bytes, old: Sequence[Item], taken: frozenset[str], new_id: Callable[[], str]) -> tuple[bytes, list[str]]:
    """A section's new body, each of its entries under its id; and of items that say the same but the first the text, left out.

    `old` are the items that the section had: what stays keeps its id, also in other words. `taken` are ids of the rest of the file.
    What is new gets an id, whatever it claims.
    """
    items = list(items_of(body))
    spare = {item.id: item for item in old if item.id}
    claimed = [_claimed(item, spare) for item in items]
    same: dict[tuple[str, ...], list[Item]] = {}
    for item in old:
        if item.id in spare or not item.id:
            same.setdefault(statement(item.text), []).append(item)
    made, at, seen = bytearray(), 0, set[tuple[str, ...]]()
    repeated: list[str] = []
    for item, own in zip(items, claimed, strict=True):
        form = statement(item.text)
        if form in seen and item.first == item.last:
            made += body[at : item.start]
            at = _behind(body, item)
            repeated.append(item.text)
            continue
        seen.add(form)
        name = own or _known_id(item, same.get(form, [])) if _may_carry(item) else ""
        if name is None:
            name = item.id if item.id and not OURS.fullmatch(item.id) and item.id not in taken else new_id()
        made += body[at : item.bare]
        made += b" ^" + name.encode() if name else b""
        at = item.own
    return bytes(made + body[at:]), repeated


def _claimed(item: Item, spare: dict[str, Item]) -> str:
    """The id that an item names and that the section had: each goes to one item."""
    return item.id if spare.pop(item.id, None) is not None else ""


def _known_id(item: Item, alike: list[Item]) -> str | None:
    """The id of an old entry that says the same; '' for one of a person's that stays as it is, None for what is new."""
    if not alike:
        return None
    old = alike.pop(0)
    return old.id or ("" if old.text.split() == item.text.split() else None)


def _may_carry(item: Item) -> bool:
    return bool(item.text) and not OPENS_BLOCK.match(item.text) and any(sign.isalnum() for sign in item.text)


def _behind(body: bytes, item: Item) -> int:
    """Where the line behind an item begins."""
    end = body.find(b"\n", item.end)
    return end + 1 if end >= 0 else len(body)
