"""Episode: one turn of a conversation as a file.

    ---
    session_id: 3f2a
    seq: 12
    timestamp: 2024-05-01T10:00:00.123Z
    role: user
    speaker: Ada
    source: cli
    ---
    What was said, exactly as it was said.

The file is `episodic/{session}/{seq:06}.md`. A session's folder is its id, escaped so that no two ids meet in one folder, not
even where names are compared without case: `Über A` is `%c3%9cber%20%41`. One line end after the text belongs to the file.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import dataclass
from typing import NamedTuple

from memtree.tree.document import Document
from memtree.tree.errors import UserError
from memtree.tree.front_matter import FrontMatter, epoch_milliseconds
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.paths import RepoPath, portability_warning
from memtree.tree.scalars import clean, written

KEYS = ("session_id", "seq", "timestamp", "role", "speaker", "source")

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_SEQ_LIMIT = 10**15
# 255 bytes is what file systems hold; some room for the marks of second versions.
_FOLDER_LIMIT = 200
_SHORT = 16  # characters
_ESCAPED = re.compile(rb"[^a-z0-9_.-]")
_FILE = re.compile(r"(?:.*/)?episodic/[^/]+/[0-9]{6,15}(?:-[0-9a-f]+)?\.md", re.DOTALL)
_PATH = re.compile(r"(?:.*/)?episodic/([^/]+)/([0-9]{6,15})\.md", re.DOTALL)


class InvalidEpisode(UserError):
    """A turn that cannot be stored, such as one without a session."""


class Turn(NamedTuple):
    """Which turn a file holds and whose it is. Two files of one `session` and `seq` hold the same turn."""

    session: str
    seq: int
    role: str = ""
    speaker: str = ""
    source: str = ""

    @property
    def key(self) -> tuple[str, int]:
        return self.session, self.seq


@dataclass(frozen=True, slots=True)
class Episode:
    """A turn. `timestamp` is in UTC epoch milliseconds; `extra` are the front matter's other lines, kept as they are."""

    session: str
    seq: int
    text: str
    timestamp: int | None = None
    role: str = ""
    speaker: str = ""
    source: str = ""
    extra: str = ""

    def __post_init__(self) -> None:
        if not self.session.strip():
            raise InvalidEpisode("a turn needs a session id", hint="name the session the turn belongs to")
        if clean(self.session) != self.session:
            raise InvalidEpisode(f"the session id {self.session!r} is no text")
        if not 0 <= self.seq < _SEQ_LIMIT:
            raise InvalidEpisode(f"turn {self.seq} is no number between 0 and {_SEQ_LIMIT - 1}")
        if self.timestamp is not None and epoch_milliseconds(iso_time(self.timestamp)) != self.timestamp:
            raise InvalidEpisode(f"{self.timestamp} is no time in milliseconds")

    @classmethod
    def parse(cls, path: RepoPath, data: bytes) -> Episode | None:
        """Read a turn; None when the file does not say which turn it is, or its header has no key lines.

        Missing keys are taken from the path, so that a file whose header was damaged by hand is still its turn.
        """
        document = Document.parse(data)
        front = document.front_matter()
        turn = turn_of(path, front)
        if turn is None or not front.editable:
            return None
        timestamp = epoch_milliseconds(front.text("timestamp"))
        if timestamp is not None and not iso_time(timestamp):
            timestamp = None  # `0001-01-01T00:00+14:00` lies before the first year
        return cls(
            turn.session, turn.seq, _body(document), timestamp, turn.role, turn.speaker, turn.source, _extra(document, front)
        )

    def render(self) -> bytes:
        """Return the file. `Episode.parse` of it is this episode."""
        values = (
            self.session,
            self.seq,
            None if self.timestamp is None else iso_time(self.timestamp),
            self.role or None,
            self.speaker or None,
            self.source or None,
        )
        lines = "".join(f"{key}: {written(value)}\n" for key, value in zip(KEYS, values, strict=True) if value is not None)
        extra = self.extra if not self.extra or self.extra.endswith("\n") else f"{self.extra}\n"
        return clean(f"---\n{lines}{extra}---\n{self.text}\n").encode()

    def path(self, content_root: str = CONTENT_ROOT) -> RepoPath:
        """Return where the turn lies."""
        return episode_path(self.session, self.seq, content_root)

    @property
    def turn(self) -> Turn:
        return Turn(self.session, self.seq, self.role, self.speaker, self.source)


def episode_path(session: str, seq: int, content_root: str = CONTENT_ROOT) -> RepoPath:
    """Return the path of a session's turn."""
    return RepoPath(f"{content_root}/" * bool(content_root) + f"episodic/{session_folder(session)}/{seq:06}.md")


def is_turn_file(path: RepoPath) -> bool:
    """Whether a path is that of a turn, or of a second file of one that two machines gave the same number."""
    return _FILE.fullmatch(path) is not None


def turn_of(path: RepoPath, front: FrontMatter) -> Turn | None:
    """Return which turn a file holds, by its header, or else by its place under `episodic/`; None for any other file."""
    place = _PATH.fullmatch(path)
    session = _text(front, "session_id") or (session_of(place[1]) if place else None)
    seq = front.text("seq") or (place[2] if place else "")
    if not session or not session.strip() or not (seq.isascii() and seq.isdigit() and len(seq) <= len(str(_SEQ_LIMIT - 1))):
        return None
    return Turn(session, int(seq), _text(front, "role"), _text(front, "speaker"), _text(front, "source"))


def turn_key(path: RepoPath, data: bytes) -> tuple[str, int] | None:
    """Return what a turn in `episodic/` and the same turn in `chat/` have in common, None for a file that is no turn."""
    turn = turn_of(path, Document.parse(data).front_matter())
    return turn.key if turn else None


def session_folder(session: str) -> str:
    """Return the folder of a session: small letters, digits, `_ . -`, and `%xx` for every other byte. Ids too long get a digest."""
    if not session.strip():
        raise InvalidEpisode("a turn needs a session id", hint="name the session the turn belongs to")
    name = _ESCAPED.sub(lambda match: b"%%%02x" % match[0][0], session.encode("utf-8", "surrogatepass")).decode()
    # A dot first hides a folder, a dot last is lost on Windows, where `con` is a device too.
    if name[0] == "." or portability_warning(name):
        name = _escape_at(name, 0)
    if name[-1] == ".":
        name = _escape_at(name, len(name) - 1)
    if len(name) > _FOLDER_LIMIT:
        return f"{name[:100].rstrip('%')}%-{hashlib.sha256(name.encode()).hexdigest()[:32]}"
    return name


def short_folder(folder: str) -> str:
    """A session's folder as a commit's subject names it; the trailer has it whole."""
    return folder if len(folder) <= _SHORT else f"{folder[:_SHORT]}…"


def session_of(folder: str) -> str | None:
    """Return the session id of a folder; None for a folder that is no session's, or whose id was too long for a name."""
    try:
        session = re.sub(rb"%([0-9a-f]{2})", lambda match: bytes.fromhex(match[1].decode()), folder.encode()).decode()
    except UnicodeError:
        return None
    return session if session.strip() and session_folder(session) == folder else None


def _escape_at(name: str, at: int) -> str:
    return name if name[at] == "%" else f"{name[:at]}%{ord(name[at]):02x}{name[at + 1 :]}"


def _text(front: FrontMatter, key: str) -> str:
    value = front.values.get(key, "")
    return value if isinstance(value, str) else ""


def iso_time(milliseconds: int) -> str:
    """A time in UTC epoch milliseconds as it stands in a header; "" for one that no calendar has."""
    try:
        moment = _EPOCH + dt.timedelta(milliseconds=milliseconds)
    except (OverflowError, ValueError):
        return ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z".rjust(24, "0")


def _body(document: Document) -> str:
    text = document.body_bytes().decode("utf-8", "replace")
    # A rendered file has LF only, and a carriage return before its end was said; elsewhere both are the line's end.
    crlf = document.header is not None and document.data[: document.header.start].endswith(b"\r\n")
    return text.removesuffix("\r\n" if crlf and text.endswith("\r\n") else "\n")


def _extra(document: Document, front: FrontMatter) -> str:
    header = document.header_bytes().decode("utf-8", "replace")
    for one in reversed(front.fields):
        if one.key in KEYS:
            header = header[: one.start] + header[one.end :]
    return header
