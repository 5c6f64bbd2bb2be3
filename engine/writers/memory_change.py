"""What MEMORY.md or SKILL.md becomes: statements added to a section as entries, a text at its end, or a section replaced.

Pure: asked again on a file that moved on, a change is made anew with the same ids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from memtree.engine.importing.encoding import one_line
from memtree.tree.memory_entry import DEFAULT_SECTION, UnfitEntry, entry_id, one_entry, with_entries
from memtree.tree.memory_items import Item, items_of, with_ids
from memtree.tree.memory_sections import LEVEL, as_body, section_of, title_of, wanted, with_section, with_text
from memtree.tree.near_duplicate import statement

_SHOWN = 80  # characters of an entry in a note


class Made(StrEnum):
    """What a change did to the file."""

    NOTHING = "nothing"
    ENTRIES = "entries"
    TEXT = "text"
    SECTION = "section"
    REPLACED = "replaced"
    CLEARED = "cleared"


@dataclass(frozen=True, slots=True)
class Kept:
    """A statement that is to be kept: the entry that it became, or the one that says the same and was there (`stored` False)."""

    text: str
    id: str
    stored: bool


@dataclass(slots=True)
class Outcome:
    """The file after a change. `entries` are those that were asked for, `body` is the text that was put there, on LF line ends.

    `there` is the line of a text that stood in the file already, 0 otherwise.
    """

    data: bytes
    made: Made
    section: str
    entries: list[Kept] = field(default_factory=list)
    body: bytes = b""
    notes: list[str] = field(default_factory=list)
    there: int = 0


class Ids:
    """Ids for new entries. `again` begins anew with the same ones."""

    def __init__(self, now: int, noise: Callable[[int], bytes]) -> None:
        self._now, self._noise = now, noise
        self._made: list[str] = []
        self._next = 0

    def again(self) -> None:
        self._next = 0

    def next(self) -> str:
        if self._next == len(self._made):
            self._made.append(entry_id(self._now + self._next, self._noise(5)))
        self._next += 1
        return self._made[self._next - 1]


def appended(data: bytes, text: str, title: str, ids: Ids) -> Outcome:
    """The file with a text's statements as entries, each once; any other text stands at the end of a section as it is.

    Without a title the text's own headings say where, else it is Notes. Of two sections with one title the first is meant. Raise
    UnfitEntry, UnfitContent, MemoryFileOpen.
    """
    found = wanted(text)
    if found is None or (title and any(one.section and one.section.casefold() != title.casefold() for one in found)):
        return _text_added(data, text, title or DEFAULT_SECTION, ids)
    outcome = Outcome(data, Made.NOTHING, title)
    new: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    there = {statement(item.text): item for item in reversed(list(items_of(data)))}
    for one in found:
        entry = one_entry(one.text)
        section = title or title_of(one.section) or DEFAULT_SECTION
        known = there.get(statement(entry))
        if known is not None:
            outcome.entries.append(Kept(known.text, known.id, stored=False))
            continue
        name = ids.next()
        new.setdefault(section.casefold(), (section, []))[1].append((entry, name))
        outcome.section = outcome.section or section
        outcome.entries.append(Kept(entry, name, stored=True))
        there[statement(entry)] = Item(0, 0, 0, 0, name, entry, 0, 0)
    for section, entries in new.values():
        outcome.data, outcome.made = with_entries(outcome.data, entries, section), Made.ENTRIES
    if not outcome.entries:
        raise _nothing()
    return outcome


def replaced(data: bytes, text: str, title: str, ids: Ids) -> Outcome:
    """The file with another body in a section, which is made when it is not there; an empty text clears it.

    Entries that stay keep their ids, new ones get one. Raise TwoSections, OpenConflict, UnfitContent, MemoryFileOpen.
    """
    section = section_of(data, title)
    body = as_body(text, title, section.level if section is not None else LEVEL)
    inside = [one for one in items_of(data) if section is not None and section.body <= one.start < section.end]
    outcome = Outcome(data, Made.NOTHING, section.title if section is not None else title, notes=_depth(body.deeper))
    outcome.body = _stamped(body.text, data, inside, ids, outcome.notes)
    outcome.data = with_section(data, title, outcome.body)
    if outcome.data != data:
        outcome.made = Made.SECTION if section is None else Made.REPLACED if outcome.body else Made.CLEARED
    return outcome


def _text_added(data: bytes, text: str, title: str, ids: Ids) -> Outcome:
    section = section_of(data, title, first=True)
    body = as_body(text, title, section.level if section is not None else LEVEL)
    if not any(sign.isalnum() for sign in body.text):
        raise _nothing()
    outcome = Outcome(data, Made.NOTHING, section.title if section is not None else title, notes=_depth(body.deeper))
    present, sought = _lines(_without_ids(data)), _lines(body.text.encode())
    if (at := present.find(sought)) >= 0:
        outcome.body, outcome.there = body.text.encode(), present.count(b"\n", 0, at) + 1
        return outcome
    outcome.body = _stamped(body.text, data, [], ids, outcome.notes)
    outcome.data, outcome.made = with_text(data, outcome.body, title), Made.TEXT
    return outcome


def _stamped(text: str, data: bytes, inside: list[Item], ids: Ids, notes: list[str]) -> bytes:
    """A body with the ids of its entries; what it says twice is left out and told."""
    here = {item.start for item in inside}
    others = [item for item in items_of(data) if item.start not in here]
    body, repeated = with_ids(text.encode(), inside, frozenset(item.id for item in others), ids.next)
    notes += [f"left out, another entry of the text says the same: {one_line(one, _SHOWN)}" for one in repeated]
    there = {statement(item.text): item for item in others}
    for item in items_of(body):
        if (known := there.get(statement(item.text))) is not None:
            name = f" (^{known.id})" if known.id else ""
            notes.append(f"another section says the same{name}: {one_line(known.text, _SHOWN)}")
    return body


def _depth(deeper: int) -> list[str]:
    if not deeper:
        return []
    levels = "1 level" if deeper == 1 else f"{deeper} levels"
    return [f"headings of the text were moved down by {levels}, so that they stay inside the section"]


def _without_ids(data: bytes) -> bytes:
    parts, at = [], 0
    for item in items_of(data):
        parts.append(data[at : item.bare])
        at = item.own
    return b"".join((*parts, data[at:]))


def _lines(data: bytes) -> bytes:
    """Whole lines, to look for some of them in others."""
    return b"\n" + b"\n".join(line.rstrip() for line in data.splitlines()) + b"\n"


def _nothing() -> UnfitEntry:
    return UnfitEntry("there is nothing to remember in this text", hint="give it some words")
