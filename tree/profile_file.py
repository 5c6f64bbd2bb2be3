"""The file of one facet of a profile: entries that people write, and entries that are learned from what they say.

    # Coding style

    - **indentation**: Prefers tabs to spaces <!-- evidence: e-1a2b3c4d5e6f 2026-12-01 0.6 9c1e --> ^p-1a2b3c4d5e

    ## Forgotten

    - line_length

An entry is learned while some event speaks for its words. Words that none speaks for are a person's, and are never changed, nor is
an entry with `<!-- pinned -->`. What stands under Forgotten is not learned again. Every other byte of the file stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memtree.tree.block_parts import line_end
from memtree.tree.blocks import BlockKind
from memtree.tree.errors import UserError
from memtree.tree.evidence import split_evidence, with_evidence
from memtree.tree.facets import Observation, headline
from memtree.tree.profile_entries import FORGOTTEN, KEYED, OWN_ID, PINNED, Entry, ProfileFile, entry_id
from memtree.tree.profile_evidence import Seen, fingerprint, kept, read_seen, strength, written_seen

MOST_LEARNED = 200  # learned entries of a file: beyond that nobody reads them
_BLANK = re.compile(rb"[ \t]*(?:\r\n|\n|\r)")
_LINE_END = re.compile(rb"[ \t]*(?:\r\n|\n|\r)?")
_UNSAFE = re.compile(r"(?<=<)(?=!--)|(?<=--)(?=>)|(?<=%)(?=%)")


class ProfileFileOpen(UserError):
    """Something in the file swallows what is added to it."""

    def __init__(self, facet: str) -> None:
        super().__init__(
            f"the profile's file {facet}.md takes no entry: something in it is opened and never closed, such as a comment",
            hint="close it, then try again",
        )


def with_observations(data: bytes | None, facet: str, observations: Sequence[Observation]) -> bytes:
    """The file with what was observed, in that order; the same bytes where nothing of it is new. Raise ProfileFileOpen.

    A weaker observation never takes a stronger one's place: of two values the surer one stays, then the one said more often, then
    the one said last.
    """
    file = ProfileFile(data or b"")
    keys = dict.fromkeys(one.key for one in observations if one.facet == facet)
    drafts = {key: _Draft(key, file.of(key)) for key in keys if not file.taken(facet, key)}
    room = MOST_LEARNED - sum(1 for entry in file.entries if entry.evidence)
    for one in observations:
        draft = drafts.get(one.key) if one.facet == facet else None
        if draft is None or one.key in file.forgotten or (draft.unknown and room <= 0):
            continue
        before = draft.unknown
        draft.take(one)
        room -= before and not draft.unknown
    return _written(file, facet, drafts)


class _Draft:
    """An entry while observations come to it: what stands in the file is only looked at, the changes are kept here."""

    def __init__(self, key: str, entry: Entry | None) -> None:
        self.key = key
        self.entry = entry
        self.value = entry.value if entry is not None else ""
        self.items: list[tuple[bytes, Seen]] = [(item, read_seen(item)) for item in entry.evidence] if entry is not None else []

    @property
    def unknown(self) -> bool:
        return self.entry is None and not self.items

    @property
    def changed(self) -> bool:
        if self.entry is None:
            return bool(self.items)
        return self.value != self.entry.value or tuple(item for item, _ in self.items) != self.entry.evidence

    def take(self, one: Observation) -> None:
        entry, value = self.entry, safe_value(one.value)
        persons = entry is not None and (entry.pinned or not entry.evidence)
        if persons or not value or any(seen.event == one.event for _, seen in self.items):
            return
        edited = entry is not None and entry.edited
        mark = fingerprint(value)
        if edited and mark == fingerprint(self.value):
            mark = ""
        seen = Seen(one.event, one.seen, one.confidence, mark)
        self.items.append((written_seen(seen), seen))
        if self.entry is None and not self.value:
            self.value = value
        self._keep()  # first: what is not kept counts for nothing
        if not edited and self._stronger(mark):
            self.value = value
            self._keep()

    def _keep(self) -> None:
        chosen = set(kept(self.items, fingerprint(self.value)))
        self.items = [item for item in self.items if item[0] in chosen]

    def _stronger(self, mark: str) -> bool:
        present = fingerprint(self.value)
        items = [seen for _, seen in self.items]
        new, old = strength(items, mark), strength(items, present)
        return mark != present and new is not None and (old is None or new > old)


def safe_value(value: str) -> str:
    """A value as it can stand in a line: nothing in it is read as a remark, as an id, or as the end of the line."""
    line = " ".join(value.split())
    line = _UNSAFE.sub(" ", line)
    return re.sub(r"(?:^|(?<=\s))\^(?=[A-Za-z0-9-]+$)", r"\\^", line)


# -- writing


def _written(file: ProfileFile, facet: str, drafts: dict[str, _Draft]) -> bytes:
    edits: list[tuple[int, int, bytes]] = []
    added: list[bytes] = []
    for draft in drafts.values():
        if not draft.changed:
            continue
        ids = [item for item, _ in draft.items]
        if draft.entry is None:
            added.append(with_evidence(f"- **{draft.key}**: {draft.value} ^{entry_id(facet, draft.key)}".encode(), ids))
        else:
            line = _with_value(split_evidence(file.data[draft.entry.start : draft.entry.end])[0], draft.entry, draft.value)
            edits.append((draft.entry.start, draft.entry.end, with_evidence(line, ids)))
    data = file.data
    if added:
        at, text = _addition(file, facet, added)
        edits.append((at, at, text))
    for start, stop, text in sorted(edits, reverse=True):
        data = data[:start] + text + data[stop:]
    made = file.mark + data
    if added:
        held = {entry.key for entry in ProfileFile(made).entries if entry.evidence}
        if not held.issuperset(key for key, draft in drafts.items() if draft.changed):
            raise ProfileFileOpen(facet)
    return made


def _with_value(line: bytes, entry: Entry, value: str) -> bytes:
    """An entry's line, without evidence, with another value in place of its own."""
    if value == entry.value:
        return line
    found = KEYED.match(line)
    assert found is not None, "only an entry with a key has a value that changes"
    own = OWN_ID.search(line)
    return line[: found.end()] + value.encode() + (own[0] if own else b"")


def _addition(file: ProfileFile, facet: str, lines: Sequence[bytes]) -> tuple[int, bytes]:
    """Where new entries go, and the bytes: behind the last learned one, else before what is forgotten, else at the end."""
    end = file.newline
    text = end.join(lines)
    learned = [entry for entry in file.entries if entry.evidence]
    if learned:
        return line_end(file.data, learned[-1].stop), end + text
    if file.section is not None:
        at = file.blocks[file.section[0]].start
        return at, (b"" if not at or file.data[:at].endswith(end + end) else end) + text + end + end
    body = file.data.rstrip(b" \t\r\n")
    if not body:
        return len(file.data), f"# {headline(facet)}".encode() + end + end + text + end
    gap = file.data[len(body) :].count(b"\n")
    return len(file.data), end * max(0, 2 - gap) + text + end


# -- what a person decides


def pinned(data: bytes, entry: Entry, *, pin: bool) -> bytes:
    """The file with an entry pinned, or no longer so."""
    file = ProfileFile(data)
    line, ids = split_evidence(file.data[entry.start : entry.end])
    made = with_evidence(pinned_line(line, pin=pin), ids)
    return file.mark + file.data[: entry.start] + made + file.data[entry.end :]


def pinned_line(line: bytes, *, pin: bool) -> bytes:
    """An entry's first line, without what speaks for it, with the mark that it is pinned, or without."""
    if (PINNED.search(line) is not None) is pin:
        return line
    line = PINNED.sub(b"", line)
    if not pin:
        return line
    own = OWN_ID.search(line)
    at = own.start() if own else len(line.rstrip())
    return line[:at] + b" <!-- pinned -->" + line[at:]


def without_key(data: bytes, facet: str, key: str) -> bytes:
    """The file without the entries of a key, which stands under Forgotten from now on. Raise ProfileFileOpen."""
    file = ProfileFile(data)
    text = _cut(file.data, [(entry.start, entry.stop) for entry in file.entries if entry.key == key])
    file = ProfileFile(file.mark + text)
    if key not in file.forgotten:
        file = ProfileFile(_with_forgotten(file, facet, key))
    if key not in file.forgotten:
        raise ProfileFileOpen(facet)
    return file.mark + file.data


def with_learning(data: bytes, key: str) -> bytes:
    """The file in which a key is not forgotten any more; a section that holds nothing else goes too."""
    file = ProfileFile(data)
    file = ProfileFile(file.mark + _cut(file.data, file.forgetting(key)))
    if file.section is not None and file.section[1] == file.section[0] + 1 and key not in file.forgotten:
        heading = file.blocks[file.section[0]]
        before = file.data[: line_end(file.data, len(file.data[: heading.start].rstrip(b" \t\r\n")))]
        after = file.data[heading.end :]
        gap = file.data[len(before) : heading.start] if after else file.newline if before else b""
        return file.mark + before + gap + after
    return file.mark + file.data


def _with_forgotten(file: ProfileFile, facet: str, key: str) -> bytes:
    end, line = file.newline, b"- " + key.encode()
    if file.section is not None:
        _, stop = file.section
        last = file.blocks[stop - 1]
        gap = end if last.kind is BlockKind.LIST else end + end
        at = line_end(file.data, last.content_end)
        return file.mark + file.data[:at] + gap + line + (file.data[at:] or end)
    body = file.data if file.data.strip() else f"# {headline(facet)}".encode()
    ends = 2
    while ends and body.endswith(end * (3 - ends)):
        ends -= 1
    return file.mark + body + end * ends + f"## {FORGOTTEN}".encode() + end + end + line + end


def _cut(text: bytes, places: Sequence[tuple[int, int]]) -> bytes:
    """The text without some items, in their order, and the ends of their last lines. Two blank lines that then meet become one."""
    parts, at, tail = [], 0, b""
    for start, stop in places:
        begin = text.rfind(b"\n", 0, start) + 1
        begin = begin if not text[begin:start].strip() else start
        end = _LINE_END.match(text, stop)
        parts.append(text[at:begin])
        tail = (tail + parts[-1][-3:])[-3:]
        at = end.end() if end else stop
        blank = _BLANK.match(text, at) if tail.endswith((b"\n\n", b"\n\r\n")) else None
        at = blank.end() if blank else at
    return b"".join((*parts, text[at:]))
