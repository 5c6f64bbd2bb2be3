"""The entries of a profile's file as they stand there: whose they are, what speaks for them, and what is forgotten.

An entry is learned while some event speaks for its words; words that none speaks for are a person's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from memtree.tree.block_parts import heading_text
from memtree.tree.block_rules import BOM
from memtree.tree.blocks import Block, BlockKind, scan
from memtree.tree.evidence import block_id, split_evidence
from memtree.tree.facets import normal_key
from memtree.tree.profile_evidence import Seen, fingerprint, read_seen

FORGOTTEN = "Forgotten"
PINNED = re.compile(rb"[ \t]*<!--[ \t]*pinned[ \t]*-->")
OWN_ID = re.compile(rb"(?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*\Z")
# An item with a key in front, in bold or plain.
KEYED = re.compile(
    rb"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+"
    rb"(?:\*\*(?P<bold>[^*\n]{1,120}?)[ \t]*(?:\*\*[ \t]*(?::|\xef\xbc\x9a)|(?::|\xef\xbc\x9a)\*\*)"
    rb"|(?P<plain>[^:\n<\[`(]{1,60}?)(?::|\xef\xbc\x9a))[ \t]*"
)
PROFILE_ID = re.compile(r"p-[0-9a-f]{10}")
_REMARK = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_ITEM = re.compile(rb"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_LONGEST_PLAIN = 3  # words of a key that a person wrote without stars: more are a sentence


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a profile: `start` to `end` is its first line without a line end, `stop` the end of the whole item.

    `key` is '' for an item without one. `value` is what a person reads behind the key; `plain` that nothing else stands there.
    """

    start: int
    end: int
    stop: int
    first_line: int
    key: str
    value: str
    id: str
    plain: bool
    pinned: bool
    evidence: tuple[bytes, ...]

    @property
    def seen(self) -> tuple[Seen, ...]:
        return tuple(map(read_seen, self.evidence))

    @property
    def spoken(self) -> bool:
        """Whether an event speaks for the words that stand there. A person who adds lines or remarks makes them theirs."""
        own = fingerprint(self.value)
        return self.plain and any(seen.value == own for seen in self.seen)

    @property
    def learned(self) -> bool:
        """Whether the words may be changed by what is said later."""
        return self.spoken and not self.pinned

    @property
    def edited(self) -> bool:
        """Whether events spoke for it once, and a person chose other words."""
        return bool(self.evidence) and not self.spoken

    @property
    def last_seen(self) -> str:
        """The newest day on which it was said, '' for none that is known."""
        return max((seen.day for seen in self.seen), default="")

    @property
    def count(self) -> int:
        """How many events speak for the words that stand there; of words of a person's, for the entry at all."""
        own = fingerprint(self.value)
        return len({seen.event for seen in self.seen if not self.spoken or seen.value == own})


class ProfileFile:
    """A profile's file, read. Bytes that are no text have entries too, as far as they have lists."""

    def __init__(self, data: bytes) -> None:
        self.mark = BOM if data.startswith(BOM) else b""
        self.data = data.removeprefix(BOM)
        self.blocks = scan(self.data)
        self.newline = b"\r\n" if b"\r\n" in self.data else b"\n"

    @cached_property
    def section(self) -> tuple[int, int] | None:
        """The blocks that are the section of what is forgotten, its heading first; None without one."""
        for number, block in enumerate(self.blocks):
            if block.kind is BlockKind.HEADING and is_forgotten(heading_text(self.data, block)):
                after = range(number + 1, len(self.blocks))
                return number, next((at for at in after if self.blocks[at].kind is BlockKind.HEADING), len(self.blocks))
        return None

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries in their order; those of the forgotten are none."""
        first, stop = self.section or (0, 0)
        found: list[Entry] = []
        line, at = 1, 0
        for span in self._items([*self.blocks[:first], *self.blocks[stop:]]):
            line, at = line + self.data.count(b"\n", at, span[0]), span[0]
            found.append(self._entry(*span, line))
        return found

    @cached_property
    def forgotten(self) -> tuple[str, ...]:
        """The keys that are not learned, in their order."""
        return tuple(self._forgotten)

    def forgetting(self, key: str) -> list[tuple[int, int]]:
        """The bytes of the items that say that a key is not learned."""
        return self._forgotten.get(key, [])

    @cached_property
    def _forgotten(self) -> dict[str, list[tuple[int, int]]]:
        if self.section is None:
            return {}
        found: dict[str, list[tuple[int, int]]] = {}
        for start, _, stop in self._items(self.blocks[slice(*self.section)]):
            shown = _ITEM.sub(b"", OWN_ID.sub(b"", _REMARK.sub(b"", self.data[start:stop])), count=1)
            key = normal_key(shown.decode("utf-8", "replace"))
            if key:
                found.setdefault(key, []).append((start, stop))
        return found

    def of(self, key: str) -> Entry | None:
        """The entry of a key: the learned one, else the first that a person gave this key."""
        own = [entry for entry in self.entries if entry.key == key]
        return next((entry for entry in own if PROFILE_ID.fullmatch(entry.id)), own[0] if own else None)

    def taken(self, facet: str, key: str) -> bool:
        """Whether a person took the place of a key for something else: another key, or no entry at all."""
        found = self.of(key)
        return (found is None or found.id != entry_id(facet, key)) and f"^{entry_id(facet, key)}".encode() in self.data

    def _items(self, blocks: Sequence[Block]) -> Iterator[tuple[int, int, int]]:
        for block in blocks:
            if block.kind is BlockKind.LIST:
                for start, stop in zip(block.parts, (*block.parts[1:], block.content_end), strict=True):
                    content = start + len(self.data[start:stop].rstrip())
                    end = self.data.find(b"\n", start, content)
                    yield start, content if end < 0 else start + len(self.data[start:end].rstrip(b"\r")), content

    def _entry(self, start: int, end: int, stop: int, number: int) -> Entry:
        line, evidence = split_evidence(self.data[start:end])
        found = KEYED.match(line)
        key = ""
        if found is not None:
            named = (found["bold"] or found["plain"]).decode("utf-8", "replace")
            key = normal_key(named) if found["bold"] or len(named.split()) <= _LONGEST_PLAIN else ""
        rest = line[found.end() :] if found is not None and key else _ITEM.sub(b"", line, count=1)
        said = PINNED.sub(b"", OWN_ID.sub(b"", rest))
        value = _REMARK.sub(b" ", said).decode("utf-8", "replace").strip()
        plain = end == stop and b"<!--" not in said
        own = (block_id(line) or b"").decode()
        return Entry(start, end, stop, number, key, value, own, plain, PINNED.search(line) is not None, evidence)


def entry_id(facet: str, key: str) -> str:
    """The block id of a learned entry: the same on every machine."""
    return "p-" + hashlib.sha256(f"{facet}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()[:10]


def is_forgotten(heading: str) -> bool:
    """Whether what stands under a heading is not to be learned, and told to nobody."""
    return heading.strip().casefold() == FORGOTTEN.casefold()
