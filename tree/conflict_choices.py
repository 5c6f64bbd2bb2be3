"""The conflicts that stand open in a markdown file as choices: numbered versions, and the file with one of them taken.

A callout right below the front matter that holds one key's lines is a value that lost there: version 1 is then what the front
matter says now, and the others are what the callout holds. Every other callout offers the versions that it holds.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from memtree.tree.blocks import Block, BlockKind, scan
from memtree.tree.conflict_callout import MARK, Place, conflicts_in
from memtree.tree.document import Document, Span

_GAP_BEFORE = re.compile(rb"\r?\n(?:[ \t]*\r?\n)*\Z")
_GAP_AFTER = re.compile(rb"(?:[ \t]*\r?\n)*")


class Every(enum.Enum):
    """What can be taken beside one version."""

    ALL = "all"
    NONE = "none"


Take = int | Every  # versions are numbered from 1


@dataclass(frozen=True, slots=True)
class Choice:
    """One open callout. `key` is the front matter's key that it is about, '' for a passage; `versions` are on LF line ends."""

    place: Place
    versions: tuple[bytes, ...]
    key: str = ""

    @property
    def id(self) -> str:
        return self.place.callout.id


class OneValue(ValueError):
    """A key of the front matter holds one value: not all of them can be taken."""


def choices_in(data: bytes) -> list[Choice]:
    """Every open conflict of a markdown file, in order."""
    if MARK not in data:
        return []
    blocks = scan(data)
    document = Document.parse(data)
    below = _below_front_matter(blocks)
    return [_choice(place, document, lost=place.start in below) for place in conflicts_in(data)]


def _below_front_matter(blocks: list[Block]) -> set[int]:
    """Where the callouts start that follow the front matter with nothing between."""
    if not blocks or blocks[0].kind is not BlockKind.FRONT_MATTER:
        return set()
    found = set()
    for block in blocks[1:]:
        if block.kind is not BlockKind.CALLOUT:
            break
        found.add(block.start)
    return found


def _choice(place: Place, document: Document, *, lost: bool) -> Choice:
    variants = place.callout.variants
    if lost:
        keys = {_key_of(text) for text in variants}
        key = keys.pop() if len(keys) == 1 else ""
        present = _span(document, key) if key else None
        if present is not None:
            now = _lf(document.data[present.start : present.end]).rstrip(b"\n")
            return Choice(place, (now, *variants), key)
    return Choice(place, variants)


def _key_of(text: bytes) -> str:
    """The key whose lines a text is, '' when it is anything else."""
    document = Document.parse(b"---\n" + text + b"\n---\n")
    spans = document.spans() if document.header is not None and not document.front_matter().problem else []
    whole = document.header
    return spans[0][0] if len(spans) == 1 and spans[0][1] == whole else ""


def _span(document: Document, key: str) -> Span | None:
    """Where a key's lines stand; of one that stands twice the last counts."""
    return next((span for name, span in reversed(document.spans()) if name == key), None)


def taken(data: bytes, choice: Choice, take: Take) -> bytes:
    """The file without the callout, with what was chosen in its place. Raise OneValue, IndexError for no such version."""
    if isinstance(take, int) and not 1 <= take <= len(choice.versions):
        raise IndexError(take)
    if choice.key:
        return _taken_value(data, choice, take)
    place = choice.place
    if take is Every.NONE:
        return _without(data, place)
    texts = choice.versions if isinstance(take, Every) else (choice.versions[take - 1],)
    text = b"\n\n".join(texts)
    return data[: place.start] + _as_in(data, place, text) + data[place.end :]


def _taken_value(data: bytes, choice: Choice, take: Take) -> bytes:
    if take is Every.ALL:
        raise OneValue(choice.key)
    rest = _without(data, choice.place)
    if take is Every.NONE or take == 1:
        return rest
    span = _span(Document.parse(rest), choice.key)
    assert span is not None
    lines = _as_in(data, choice.place, choice.versions[take - 1] + b"\n")
    return rest[: span.start] + lines + rest[span.end :]


def _without(data: bytes, place: Place) -> bytes:
    """The file without the callout; of the gaps before and after it the larger one stays, so that no two blocks become one."""
    before, after = _GAP_BEFORE.search(data, 0, place.start), _GAP_AFTER.match(data, place.end)
    assert after is not None
    head = data[: before.start() if before else place.start]
    gaps = [before[0] if before else b"", after[0]]
    if after.end() == len(data):
        return head + gaps[0][: len(_as_in(data, place, b"\n"))]
    gap = max(gaps, key=lambda gap: gap.count(b"\n")) if head else b""
    return head + gap + data[after.end() :]


def _as_in(data: bytes, place: Place, text: bytes) -> bytes:
    """A text with the line ends that the callout has."""
    return text.replace(b"\n", b"\r\n") if b"\r\n" in data[place.start : place.end + 2] else text


def _lf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")
