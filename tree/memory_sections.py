"""The sections of MEMORY.md and SKILL.md: a heading and what stands under it, up to the next heading of its level or above.

A section is replaced, or added to, and every byte of the others stays. Headings inside code, comments and callouts are none. The
text under a heading of level 1, a file's title, ends at the next heading whatever its level, so that no section is lost with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from memtree.tree.block_parts import heading_text, line_end
from memtree.tree.blocks import Block, BlockKind, scan
from memtree.tree.conflict_callout import conflicts_in
from memtree.tree.errors import UserError
from memtree.tree.memory_entry import LONGEST, MemoryFileOpen
from memtree.tree.memory_items import ID_AT_END, blocks_of, items_of

LEVEL = 2  # of a section that is made
_MARKS = re.compile(r"\s*(#{1,6})(?=\s)")
_CLOSING = re.compile(r"(?:^|\s)#+\s*\Z")
_HASHES = re.compile(r"( {0,3})(#{1,6})")
_DEEPEST = 6


class TwoSections(UserError):
    def __init__(self, title: str, lines: list[int]) -> None:
        where = ", ".join(map(str, lines))
        super().__init__(
            f"there are {len(lines)} sections {title!r}, on lines {where}: none was replaced",
            hint="give one of them another title, then try again; append goes to the first of them",
        )


class UnfitTitle(UserError):
    def __init__(self) -> None:
        super().__init__("no section is named", hint="give the title of a section, such as Patterns")


class UnfitContent(UserError):
    """A text that would not end where the section ends."""

    def __init__(self) -> None:
        super().__init__(
            "the content opens something that it never closes, such as a code block or a comment: what follows would be part of it",
            hint="close it, then try again",
        )


class OpenConflict(UserError):
    def __init__(self, title: str, line: int) -> None:
        super().__init__(
            f"section {title!r} holds a conflict on line {line}: it was not replaced",
            hint="settle it first: memtree conflicts, memtree resolve",
        )


@dataclass(frozen=True, slots=True)
class Section:
    """`start` to `body` is the heading's text, `body` to `end` what is under it with the gaps; `line` is counted from 1."""

    title: str
    level: int
    line: int
    start: int
    body: int
    end: int


class Body(NamedTuple):
    """A text as it may stand under a heading; `deeper` is how many levels its headings were moved down."""

    text: str
    deeper: int


class Wanted(NamedTuple):
    """A statement to be kept as an entry; `section` is the heading that it stood under, '' for none."""

    section: str
    text: str


def title_of(text: str) -> str:
    """A section's title on one line, however it was given: `Patterns`, `## Patterns`, `## Patterns ##`. '' when nothing is left."""
    line = " ".join(text.split())
    marks = _MARKS.match(line + " ")
    return _CLOSING.sub("", line[marks.end() :] if marks else line).strip()  # no heading can end so


def sections(data: bytes) -> list[Section]:
    """Every section of a file, in the order of the headings."""
    headings = [block for block in blocks_of(data) if block.kind is BlockKind.HEADING]
    found: list[Section] = []
    line, at = 1, 0
    for number, block in enumerate(headings):
        line, at = line + data.count(b"\n", at, block.start), block.start
        lowest = _DEEPEST if block.level == 1 else block.level
        end = next((one.start for one in headings[number + 1 :] if one.level <= lowest), len(data))
        found.append(Section(heading_text(data, block), block.level, line, block.start, block.content_end, end))
    return found


def section_of(data: bytes, title: str, *, first: bool = False) -> Section | None:
    """The section with a title, whatever its case; raise TwoSections when there are more, unless the first one is meant.

    One inside another one is a part of it.
    """
    found: list[Section] = []
    for one in sections(data):
        if _same(one.title, title) and not (found and one.start < found[-1].end):
            found.append(one)
    if len(found) > 1 and not first:
        raise TwoSections(title_of(title), [one.line for one in found])
    return found[0] if found else None


def body_of(data: bytes, section: Section) -> bytes:
    """What stands under a section's heading, without the gaps around, on LF line ends."""
    return _lf(data[section.body : section.end]).strip(b"\n").rstrip()


def as_body(content: str, title: str, level: int) -> Body:
    """A text as the body of a section: without the section's own heading above it, its other headings below that level."""
    text = content.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").strip("\n").rstrip()
    data, headings = _headings(text)
    first = headings[0] if headings else None
    if first is not None and not data[: first.start].strip() and _same(heading_text(data, first), title):
        text = data[first.end :].decode().strip("\n")
        data, headings = _headings(text)
    deeper = max(0, level + 1 - min((block.level for block in headings), default=_DEEPEST))
    if not deeper:
        return Body(text, 0)
    made, at = "", 0
    for block in headings:
        made += data[at : block.start].decode() + _deepened(data, block, deeper)
        at = block.content_end
    return Body((made + data[at:].decode()).strip("\n"), deeper)


def _headings(text: str) -> tuple[bytes, list[Block]]:
    # A line above: what looks like front matter at the start of a file is none in the middle of one.
    data = b"\n" + text.encode()
    return data, [block for block in scan(data) if block.kind is BlockKind.HEADING]


def _same(one: str, two: str) -> bool:
    return " ".join(one.split()).casefold() == title_of(two).casefold()


def _deepened(data: bytes, block: Block, by: int) -> str:
    text = data[block.start : block.content_end].decode()
    marks = "#" * min(_DEEPEST, block.level + by)
    found = _HASHES.match(text)
    if found and len(found[2]) == block.level and "\n" not in text:
        return marks + text[found.end() :]
    return f"{marks} {heading_text(data, block)}"


def with_section(data: bytes, title: str, body: bytes) -> bytes:
    """The file with another body (on LF line ends) in a section, which is made at the end of the file when it is not there.

    Every other byte stays. Raise TwoSections, OpenConflict, UnfitTitle, UnfitContent, and MemoryFileOpen when no section can be
    made.
    """
    name = title_of(title)
    if not name:
        raise UnfitTitle
    section = section_of(data, name)
    end = _end_of(data)
    text = body.replace(b"\n", end)
    if section is None:
        return _added(data, b"## " + name.encode() + (end + end + text if text else b""), name)
    lost = next((one for one in conflicts_in(data[section.body : section.end]) if one.callout.id.encode() not in body), None)
    if lost is not None:
        raise OpenConflict(name, data.count(b"\n", 0, section.body) + lost.first_line)
    tail = data[section.end :]
    old = data[section.body : section.end]
    lead = old[: len(old) - len(old.lstrip())]
    above = _gap(lead[: lead.rfind(b"\n") + 1], end, 1) if old.strip() else end + end
    below = _gap(old[len(old.rstrip()) :], end, 2 if tail else 1)
    head = data[: section.body] + (above + text if text else b"")
    return _checked(data, head + below + tail, section, len(head + below))


def with_text(data: bytes, text: bytes, title: str) -> bytes:
    """The file with a text (on LF line ends) as the last one of a section, which is made when it is not there; raise as above."""
    section = section_of(data, title, first=True)
    end = _end_of(data)
    text = text.replace(b"\n", end)
    if section is None:
        return _added(data, b"## " + title_of(title).encode() + end + end + text, title_of(title))
    tail = data[section.end :]
    kept = data[: line_end(data, section.body + len(data[section.body : section.end].rstrip()))]
    head = kept + end + end + text
    below = _gap(data[len(kept) : section.end], end, 2 if tail else 1)
    return _checked(data, head + below + tail, section, len(head + below))


def _gap(found: bytes, end: bytes, lines: int) -> bytes:
    """The gap that was there, or so many line ends where it has fewer."""
    return found if found.count(b"\n") + (found.count(b"\r") if b"\n" not in found else 0) >= lines else end * lines


def _added(data: bytes, text: bytes, title: str) -> bytes:
    if _open(text):
        raise UnfitContent
    end = _end_of(data)
    ends = 0 if not data.strip(b"\xef\xbb\xbf \t\r\n") else 2
    while ends and data.endswith(end * (3 - ends)):
        ends -= 1
    made = data + end * ends + text + end
    last = sections(made + end + b"## end" + end)
    if len(last) < 2 or last[-1].title != "end":
        raise MemoryFileOpen
    start = len(data) + len(end) * ends
    if not any(one.start == start and _same(one.title, title) for one in last):
        raise MemoryFileOpen
    return made


def _checked(old: bytes, new: bytes, section: Section, tail: int) -> bytes:
    """The new file, when everything outside the section is in it what it was; raise UnfitContent."""
    by = tail - section.end
    before = [block for block in blocks_of(old) if block.start < section.body or block.start >= section.end]
    after = [block for block in blocks_of(new) if block.start < section.body or block.start >= tail]
    moved = [(one.kind, one.start + (by if one.start >= section.end else 0), one.level) for one in before]
    if moved != [(one.kind, one.start, one.level) for one in after] or _open(new[section.body : tail]):
        raise UnfitContent
    again = next((one for one in sections(new) if one.start == section.start), None)
    if again is None or again.end != tail:
        raise UnfitContent
    return new


def _open(text: bytes) -> bool:
    """Whether a text would swallow a heading below it, if only when something later closes what it opens."""
    probe = b"\n\n" + text + b"\n\n## end\n\n$$\n\n%%\n\n-->\n"
    return not any(block.kind is BlockKind.HEADING and block.start >= len(text) + 2 for block in scan(probe))


def _end_of(data: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in data else b"\n"


def _lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def wanted(content: str) -> list[Wanted] | None:
    """The statements of a text that is nothing else: its list items and paragraphs, under its headings. None for any other text."""
    data = b"\n" + _lf(content.removeprefix("\ufeff").encode())
    found: list[Wanted] = []
    section = ""
    for block in scan(data):
        text = data[block.start : block.content_end].decode().strip()
        if block.kind is BlockKind.HEADING:
            section = heading_text(data, block)
        elif block.kind is BlockKind.PARAGRAPH and len(text) <= LONGEST and not text.endswith((":", "：")):
            found.append(Wanted(section, text))
        elif block.kind is BlockKind.LIST and (plain := _plain_items(data[block.start : block.content_end])) is not None:
            found += (Wanted(section, one) for one in plain)
        elif block.kind not in (BlockKind.RULE, BlockKind.BLANK):
            return None
    return found


def _plain_items(data: bytes) -> list[str] | None:
    """The items of a list when each is one paragraph; None otherwise."""
    items = list(items_of(data))
    if any(item.own != item.end or len(item.text) > LONGEST for item in items):
        return None
    return [ID_AT_END.sub("", item.text) for item in items if item.text]
