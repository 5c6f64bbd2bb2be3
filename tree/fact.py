"""Fact: something lasting that was told, as one file that people can read, edit and delete.

    ---
    id: 3f1c…
    kind: insight
    category: environment
    tags: [home]
    subject: user
    slot: environment.home
    state: active
    confidence: 0.6
    attributed_to: user
    sources:
      - {session: s-2026, seq: 12, quote_hash: 9f86d081884c7d65}
    temporal:
      kind: relative
      …
    valid_at: 2026-03-01
    created_at: 2026-03-09T10:00:00Z
    generator: extractive
    body_hash: 91ab…
    ---
    I moved to Lisbon last month.

The file is `facts/{hh}/{id}.md`. A fact that a machine derives has an id made of the session, the turns and the slot it comes from,
so whoever derives it writes the same file; what a person pins has a random id that sorts by time. Four times are told apart:
`valid_at` and `invalid_at` are when it began and ceased to be so in the world, `created_at` and `expired_at` when memory learned
of that.
"""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from memtree.tree.document import Document
from memtree.tree.episode import iso_time
from memtree.tree.errors import UserError
from memtree.tree.fact_lines import lines_of, plain, source_in
from memtree.tree.front_matter import FrontMatter, Meaning, epoch_milliseconds
from memtree.tree.generated import EXTRACTIVE, GENERATOR, HASH, Author, author_of, body_hash, signed
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.paths import RepoPath
from memtree.tree.scalars import clean, written

FOLDER = "facts"
MOST_SOURCES = 6
MOST_TAGS = 3
LONGEST = 1_200  # characters of a fact's text
USER = "user"  # the subject that is the person memory belongs to
PERSON = "person"  # the generator of what a person wrote down

_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
_PLACE = re.compile(r"(?:^|/)facts/(?:[0-9a-f]{2}/)?([0-9a-f]{32})\.md\Z", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{16}", re.ASCII)
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:T.{1,30})?)?)?", re.ASCII)
_Member = TypeVar("_Member", bound=enum.StrEnum)
_MOMENTS = ("valid_at", "invalid_at", "created_at", "told_at", "expired_at")
_TEMPORAL = ("kind", "anchor_source", "granularity", "resolved_start", "resolved_end", "display")


class InvalidFact(UserError):
    """A fact that cannot be stored, or a file that holds none."""


class FactKind(enum.StrEnum):
    """An insight was derived from what was said; what is pinned a person wrote down, and no model changes it."""

    INSIGHT = "insight"
    PINNED = "pinned"


class State(enum.StrEnum):
    """Active facts are told; superseded ones were so until another took their place; retracted ones hold no longer."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class FactSource(NamedTuple):
    """A turn that a fact rests on. `quote_hash` tells whether the turn still says what it said; see `quote_hash`."""

    session: str
    seq: int
    quote_hash: str


@dataclass(frozen=True, slots=True)
class Temporal:
    """A time that a fact speaks of, resolved. The text stays as it was spoken.

    `kind` is absolute or relative; `anchor_source` what a relative one was counted from: message, or text (a date beside it);
    `granularity` is minute, hour, day, week, month, quarter, season, year or decade. `resolved_start` and `resolved_end` are both
    inclusive ISO dates (YYYY-MM-DD) or, finer than a day, times with their offset. `display` is what readers are shown.
    """

    kind: str
    anchor_source: str
    granularity: str
    resolved_start: str
    resolved_end: str
    display: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as its file holds it. Moments are ISO texts, '' for unknown: dates as exact as they are known, or UTC times.

    `supersedes` and `superseded_by` are ids of facts. `extra` are the header's other lines, kept as they are. `told_at` is the
    last moment for which it was told again, '' where it was told once.
    """

    id: str
    text: str
    kind: FactKind = FactKind.INSIGHT
    category: str = ""
    tags: tuple[str, ...] = ()
    subject: str = USER
    slot: str = ""
    state: State = State.ACTIVE
    confidence: float = 0.6
    attributed_to: str = USER
    sources: tuple[FactSource, ...] = ()
    temporal: Temporal | None = None
    valid_at: str = ""
    invalid_at: str = ""
    created_at: str = ""
    expired_at: str = ""
    supersedes: str = ""
    superseded_by: str = ""
    reason: str = ""
    generator: str = EXTRACTIVE
    extra: str = ""
    told_at: str = ""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise InvalidFact(f"{self.id[:60]!r} is no id of a fact", hint="an id has 32 hex digits; memtree facts list shows them")
        if not self.text.strip():
            raise InvalidFact("a fact needs a text", hint="say what is to be remembered")
        if not 0 <= self.confidence <= 1:
            raise InvalidFact(f"{self.confidence} is no confidence between 0 and 1")

    @property
    def active(self) -> bool:
        return self.state is State.ACTIVE

    @property
    def last_told(self) -> str:
        """The last moment for which it was told, '' for unknown."""
        return self.told_at or self.created_at

    @property
    def pinned(self) -> bool:
        return self.kind is FactKind.PINNED

    def path(self, content_root: str = CONTENT_ROOT) -> RepoPath:
        """Where it lies."""
        return fact_path(self.id, content_root)

    def render(self) -> bytes:
        """The file. `read_fact` of it is this fact."""
        values: dict[str, str | float | None] = {
            "id": self.id,
            "kind": self.kind.value,
            "category": self.category or None,
        }
        after: dict[str, str | float | None] = {
            "subject": self.subject or None,
            "slot": self.slot or None,
            "state": self.state.value,
            "confidence": self.confidence,
            "attributed_to": self.attributed_to or None,
        }
        times: dict[str, str | float | None] = {
            name: getattr(self, name) or None
            for name in ("valid_at", "invalid_at", "created_at", "told_at", "expired_at", "supersedes", "superseded_by", "reason")
        }
        tags = "".join(f"  - {written(tag)}\n" for tag in self.tags[:MOST_TAGS])
        sources = "".join(f"  - {_source_line(one)}\n" for one in self.sources[:MOST_SOURCES])
        temporal = "" if self.temporal is None else _rendered(self.temporal)
        extra = self.extra if not self.extra or self.extra.endswith("\n") else f"{self.extra}\n"
        head = (
            _lines(values)
            + (f"tags:\n{tags}" if tags else "")
            + _lines(after)
            + (f"sources:\n{sources}" if sources else "")
            + temporal
            + _lines(times)
            + extra
        )
        body = clean(f"\n{self.text.strip()}\n")
        if extra:
            return signed(Document.parse(clean(f"---\n{head}---\n{body}").encode()), self.generator).render()
        # What `signed` makes of it, without reading back what was just written.
        sign = f"{GENERATOR}: {written(self.generator)}\n{HASH}: {written(body_hash(body.encode()))}\n"
        return clean(f"---\n{head}{sign}---\n{body}").encode()


@dataclass(frozen=True, slots=True)
class ReadFact:
    """A fact as a file holds it. `edited`: a person changed its text, or wrote it; no program changes that text."""

    fact: Fact
    path: RepoPath
    edited: bool
    blob: str = ""


def read_fact(path: RepoPath, data: bytes, blob: str = "") -> ReadFact | None:
    """The fact in a file, None for a file that holds none: one without text, or with bytes that are no text.

    Never raises. What its keys say wrongly is left out; the file's name decides about the id.
    """
    found = _PLACE.search(path)
    if found is None:
        return None
    plainly = _as_written(found[1], data)
    if plainly is not None:
        return ReadFact(plainly, path, plainly.generator in ("", PERSON), blob)
    document = Document.parse(data)
    front = document.front_matter()
    text = document.body_bytes().decode("utf-8", "replace").replace("\r\n", "\n").strip()
    if not text or "\0" in text:
        return None
    confidence = front.meaning("confidence")
    fact = Fact(
        id=found[1],
        text=text,
        kind=_member(FactKind, front.text("kind"), FactKind.INSIGHT),
        category=front.text("category"),
        tags=_texts(front, "tags")[:MOST_TAGS],
        subject=front.text("subject") or USER,
        slot=front.text("slot"),
        state=_member(State, front.text("state").lower(), State.ACTIVE),
        confidence=confidence if isinstance(confidence, int | float) and 0 <= confidence <= 1 else 0.6,
        attributed_to=front.text("attributed_to"),
        sources=_sources(front.meaning("sources")),
        temporal=_temporal(front.meaning("temporal")),
        valid_at=_of_form(_DATE, front.text("valid_at")),
        invalid_at=_of_form(_DATE, front.text("invalid_at")),
        created_at=_of_form(_DATE, front.text("created_at")),
        told_at=_of_form(_DATE, front.text("told_at")),
        expired_at=_of_form(_DATE, front.text("expired_at")),
        supersedes=_of_form(_ID, front.text("supersedes")),
        superseded_by=_of_form(_ID, front.text("superseded_by")),
        reason=front.text("reason"),
        generator=front.text(GENERATOR) or PERSON,
        extra=_extra(document, front),
    )
    return ReadFact(fact, path, author_of(document) is Author.PERSON, blob)


def _as_written(name: str, data: bytes) -> Fact | None:
    """The fact whose file is exactly this; None where it takes a parser to tell."""
    header, end, body = data.removeprefix(b"---\n").partition(b"\n---\n\n")
    if not end or not body.strip() or b"\r" in data or b"\0" in data:
        return None
    try:
        read = lines_of(header.decode())
        moments = {key: _of_form(_DATE, read.text(key)) for key in _MOMENTS}
        fact = Fact(
            id=name,
            text=body.decode().strip(),
            kind=FactKind(read.text("kind")),
            tags=tuple(map(plain, read.lists.get("tags", ()))),
            state=State(read.text("state")),
            confidence=float(read.text("confidence")),
            sources=_valid(FactSource(*source_in(one)) for one in read.lists.get("sources", ())),
            temporal=_temporal({key: plain(value) for key, value in read.maps.get("temporal", {}).items()}),
            supersedes=_of_form(_ID, read.text("supersedes")),
            superseded_by=_of_form(_ID, read.text("superseded_by")),
            **{key: read.text(key) for key in ("category", "subject", "slot", "attributed_to", "reason", "generator")},
            **moments,
        )
        return fact if fact.subject and fact.render() == data else None
    except (ValueError, InvalidFact):
        return None


def fact_id(session: str, seqs: Iterable[int], slot: str) -> str:
    """The id of what a session's turns say under a slot: the same on every machine. `slot` is never empty."""
    told = "\0".join((session, *map(str, sorted(set(seqs))), slot))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def pinned_id(milliseconds: int, noise: bytes) -> str:
    """An id that sorts by time, for what a person or a tool writes down; `noise` are at least ten random bytes."""
    return f"{milliseconds:012x}"[-12:] + noise[:10].hex()


def quote_hash(text: str) -> str:
    """What stands under a source for the turn's text; white space and line ends do not count."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def fact_path(fact: str, content_root: str = CONTENT_ROOT) -> RepoPath:
    """Where the fact of an id lies."""
    return RepoPath(f"{content_root}/" * bool(content_root) + f"{FOLDER}/{fact[:2]}/{fact}.md")


def is_fact_file(path: RepoPath) -> bool:
    return _PLACE.search(path) is not None


def with_sources(fact: Fact, more: Sequence[FactSource]) -> Fact:
    """The fact resting on more turns, at most six: the first that told it, and the newest."""
    known = {(one.session, one.seq): one for one in (*fact.sources, *more)}
    together = tuple(known.values())
    kept = together if len(together) <= MOST_SOURCES else (*together[:3], *together[-3:])
    return replace(fact, sources=kept)


def moment(milliseconds: int | None) -> str:
    """A UTC time as facts hold it, to the second; '' for unknown."""
    return "" if milliseconds is None else iso_time(milliseconds // 1000 * 1000)


def began(text: str) -> int | None:
    """The first instant of a moment such as `2026-03` in UTC epoch milliseconds, None for none: what facts are ordered by."""
    if not text:
        return None
    return epoch_milliseconds(f"{text}-01-01"[:10] if len(text) == 4 else f"{text}-01" if len(text) == 7 else text)


def _lines(values: Mapping[str, str | float | None]) -> str:
    return "".join(f"{key}: {written(value)}\n" for key, value in values.items() if value is not None)


def _rendered(temporal: Temporal) -> str:
    inside = "".join(f"  {name}: {written(getattr(temporal, name))}\n" for name in _TEMPORAL if getattr(temporal, name))
    return f"temporal:\n{inside}" if inside else ""


def _source_line(source: FactSource) -> str:
    return f"{{session: {written(source.session, in_brackets=True)}, seq: {source.seq}, quote_hash: {written(source.quote_hash)}}}"


def _sources(found: Meaning) -> tuple[FactSource, ...]:
    """Those that can be read, at most six, each once."""
    items = [one for one in found if isinstance(one, Mapping)] if isinstance(found, tuple) else []
    told = ((one.get("session"), one.get("seq"), str(one.get("quote_hash"))) for one in items)
    return _valid(
        FactSource(session, seq, sign) for session, seq, sign in told if isinstance(session, str) and isinstance(seq, int)
    )


def _valid(sources: Iterable[FactSource]) -> tuple[FactSource, ...]:
    read = {(one.session, one.seq): one for one in sources if one.session and one.seq >= 0 and _HASH.fullmatch(one.quote_hash)}
    return tuple(read.values())[:MOST_SOURCES]


def _temporal(found: Meaning) -> Temporal | None:
    if not isinstance(found, Mapping):
        return None
    values = {name: str(value) for name in _TEMPORAL if isinstance(value := found.get(name, ""), str | int | float)}
    made = Temporal(**{name: values.get(name, "") for name in _TEMPORAL})
    return made if made.resolved_start or made.display else None


def _of_form(form: re.Pattern[str], text: str) -> str:
    return text if form.fullmatch(text) else ""


def _texts(front: FrontMatter, key: str) -> tuple[str, ...]:
    value = front.values.get(key, ())
    return (value,) if isinstance(value, str) else tuple(value)


def _member(of: type[_Member], text: str, otherwise: _Member) -> _Member:
    return of(text) if text in [one.value for one in of] else otherwise


_KEYS = {
    *("id", "kind", "category", "tags", "subject", "slot", "state", "confidence", "attributed_to", "sources", "temporal"),
    *("valid_at", "invalid_at", "created_at", "told_at", "expired_at", "supersedes", "superseded_by", "reason", GENERATOR, HASH),
}


def _extra(document: Document, front: FrontMatter) -> str:
    """The header's lines under keys that are not ours, and remarks."""
    header = document.header_bytes().decode("utf-8", "replace")
    for one in reversed(front.fields):
        if one.key in _KEYS:
            header = header[: one.start] + header[one.end :]
    return header
