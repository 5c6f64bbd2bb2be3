"""Recap: what a closed segment of a conversation came to, as a file.

    ---
    session_id: 3f2a
    segment: seg-8c6f…
    first_seq: 1
    last_seq: 12
    turns: 6
    started: 2026-11-30T09:00:00.000Z
    timestamp: 2026-11-30T09:21:04.001Z
    reason: time_gap
    status: closed
    refresh: true
    generator: extractive
    body_hash: 5f0c…
    ---

    What was said, in a few sentences.

    ## Events

    - decision: We'll use tantivy for search. (turns 3; confidence 0.6) ^e-1a2b3c4d5e6f

The file is `recap/{session}/{first:06}-{last:06}.md`. Its header says the segment, which so reaches every machine; what follows the
last recap of a session is its open segment. `refresh` is there as long as the text is one that no model has written.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtree.tree.document import Document
from memtree.tree.episode import iso_time
from memtree.tree.front_matter import epoch_milliseconds
from memtree.tree.generated import EXTRACTIVE, Author, author_of, signed
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.paths import RepoPath
from memtree.tree.scalars import clean, written
from memtree.tree.segments import Segment

HEADING = "## Events"
HIGH = "high"

_NAME = re.compile(r"([0-9]{6,15})-([0-9]{6,15})(?:-[0-9a-f]+)?\.md", re.ASCII)
_HEADING = re.compile(r"^##[ \t]+Events[ \t]*#*[ \t]*$", re.MULTILINE | re.IGNORECASE)
_NEXT = re.compile(r"^#{1,2}[ \t]", re.MULTILINE)
_EVENT = re.compile(r"^[-*+][ \t]+\S.*$", re.MULTILINE)
_HASHES = re.compile(r"^#{1,6}(?=[ \t]|$)", re.MULTILINE)
_EMPTY = "Nothing was said in words."
_FAILED = "The recap could not be made yet."


class Status(enum.StrEnum):
    """CLOSED with a text; EMPTY, because nobody said anything in words; FAILED, to be tried again."""

    CLOSED = "closed"
    EMPTY = "empty"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Recap:
    """A recap as it is written. `events` are the lines of its list, `generator` who wrote the prose."""

    session: str
    segment: str
    first: int
    last: int
    turns: int
    reason: str
    status: Status = Status.CLOSED
    began: int | None = None
    ended: int | None = None
    prose: str = ""
    events: tuple[str, ...] = ()
    generator: str = EXTRACTIVE
    importance: str = ""

    @classmethod
    def of(cls, segment: Segment, status: Status, prose: str, events: Sequence[str] = ()) -> Recap:
        """The recap of a segment, extracted from it."""
        return cls(
            segment.session,
            segment.id,
            segment.first,
            segment.last,
            len(segment.turns),
            segment.reason.value,
            status,
            segment.began,
            segment.ended,
            prose,
            tuple(events),
        )

    def path(self, folder: str, content_root: str = CONTENT_ROOT) -> RepoPath:
        """Where it lies; `folder` is that of the session, in which its turns are."""
        return recap_path(folder, self.first, self.last, content_root)

    def render(self) -> bytes:
        """The file. It is the same wherever it is made: nothing in it tells when or where that was."""
        values: dict[str, str | int | bool | None] = {
            "session_id": self.session,
            "segment": self.segment,
            "first_seq": self.first,
            "last_seq": self.last,
            "turns": self.turns,
            "started": None if self.began is None else iso_time(self.began),
            "timestamp": None if self.ended is None else iso_time(self.ended),
            "reason": self.reason,
            "status": self.status.value,
            "importance": self.importance or None,
            "refresh": self._may_get_better or None,
        }
        head = "".join(f"{key}: {_value(value)}\n" for key, value in values.items() if value is not None)
        return signed(Document.parse(clean(f"---\n{head}---\n\n{self._body()}").encode()), self.generator).render()

    @property
    def _may_get_better(self) -> bool:
        return self.generator == EXTRACTIVE and self.status is not Status.EMPTY

    def _body(self) -> str:
        prose = _paragraphs(self.prose) or {Status.EMPTY: _EMPTY, Status.FAILED: _FAILED}.get(self.status, "")
        events = f"{HEADING}\n\n" + "".join(f"{line}\n" for line in self.events) if self.events else ""
        return f"{prose}\n" + ("\n" if prose and events else "") + events


@dataclass(frozen=True, slots=True)
class ReadRecap:
    """A recap as a file has it, whoever changed it. `body` is all below its header."""

    path: RepoPath
    session: str
    segment: str
    first: int
    last: int
    status: str
    reason: str
    turns: int
    body: str
    refresh: bool
    author: Author
    ended: int | None

    @property
    def prose(self) -> str:
        """What stands above the events, and below them."""
        above, _, below = self._parts()
        return (above + below).strip()

    @property
    def events(self) -> tuple[str, ...]:
        """The lines of the list of events."""
        return tuple(_EVENT.findall(self._parts()[1]))

    def _parts(self) -> tuple[str, str, str]:
        """The body above the events, the section of these without its heading, and what follows it."""
        found = _HEADING.search(self.body)
        if found is None:
            return self.body, "", ""
        below = self.body[found.end() :]
        after = _NEXT.search(below)
        end = after.start() if after is not None else len(below)
        return self.body[: found.start()], below[:end], below[end:]

    @property
    def folder(self) -> str:
        """The folder of its session."""
        return RepoPath(self.path.folder).name

    @property
    def says_something(self) -> bool:
        """Whether it is worth reading: closed, with a text."""
        return self.status not in (Status.EMPTY, Status.FAILED) and bool(self.prose)

    @property
    def may_get_better(self) -> bool:
        """Whether a model may write it anew: a text that no model and no person has written."""
        return self.refresh and self.author is Author.EXTRACTION


def read_recap(path: RepoPath, data: bytes) -> ReadRecap | None:
    """A recap's file; None for one whose name is no recap's, or that does not say which session it is of."""
    span = span_of(path.name)
    document = Document.parse(data)
    front = document.front_matter()
    session = front.values.get("session_id", "")
    if span is None or not isinstance(session, str) or not session.strip():
        return None
    return ReadRecap(
        path,
        session,
        front.text("segment"),
        *span,
        front.text("status"),
        front.text("reason"),
        int(front.text("turns")) if re.fullmatch(r"[0-9]{1,9}", front.text("turns"), re.ASCII) else 0,
        document.body_bytes().decode("utf-8", "replace").replace("\r\n", "\n"),
        front.text("refresh").lower() == "true",
        author_of(document),
        epoch_milliseconds(front.text("timestamp")),
    )


def rewritten(data: bytes, prose: str, generator: str, *, importance: str = "") -> bytes:
    """A recap's file with a model's prose in the place of what stood above its events; it asks for no other any more."""
    document = Document.parse(data).without_key("refresh").with_value("status", Status.CLOSED.value)
    if importance:
        document = document.with_value("importance", importance)
    body = document.body_bytes().decode("utf-8", "replace")
    found = _HEADING.search(body)
    rest = "\n" + body[found.start() :] if found else ""
    head = document.data[: document.body.start]
    return signed(Document.parse(head + clean(f"\n{_paragraphs(prose)}\n{rest}").encode()), generator).render()


def recap_path(folder: str, first: int, last: int, content_root: str = CONTENT_ROOT) -> RepoPath:
    """The path of the recap of a session's messages from one number to another; the session is told by its folder."""
    return RepoPath(f"{recap_folder(folder, content_root)}/{first:06}-{last:06}.md")


def recap_folder(folder: str, content_root: str = CONTENT_ROOT) -> RepoPath:
    """Where the recaps of a session lie, by its folder."""
    return RepoPath(f"{content_root}/" * bool(content_root) + f"recap/{folder}")


def span_of(name: str) -> tuple[int, int] | None:
    """The first and the last number that a recap's name tells; None for another name."""
    found = _NAME.fullmatch(name)
    return (int(found[1]), int(found[2])) if found and int(found[1]) <= int(found[2]) else None


def closed_to(names: Iterable[str]) -> int:
    """The number up to which a session is closed, by the names in its folder of recaps; -1 for none."""
    return max((span[1] for name in names if (span := span_of(name)) is not None), default=-1)


def _value(value: str | int | bool) -> str:
    return written(value) if isinstance(value, str) else str(value).lower()


def _paragraphs(prose: str) -> str:
    """Prose in which no line is a heading: the events are found by theirs."""
    return _HASHES.sub(r"\\\g<0>", prose).strip()
