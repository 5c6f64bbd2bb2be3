"""Events: what a user decided, promised, prefers, or told of themselves, as one line each under a recap's `## Events`.

    - decision: We'll use tantivy for search. (turns 4, 8; confidence 0.6) ^e-1a2b3c4d5e6f

An event is found by the words of one sentence and no model: better none than a wrong one. The same messages give the same events on
every machine.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.tree.agent_turn import USER
from memtree.tree.directives import asks_for_text
from memtree.tree.errors import UserError
from memtree.tree.event_patterns import EventClass, Told, hands_over, levelled, told, well_put
from memtree.tree.memory_entry import one_entry
from memtree.tree.prose import prose_of
from memtree.tree.sentences import sentences

if TYPE_CHECKING:
    from memtree.tree.segments import Message

__all__ = ["CONFIDENCE", "LONGEST", "Event", "EventClass", "event_id", "event_line", "events_of", "normalised", "read_event_line"]

CONFIDENCE = 0.6  # of what words alone tell
LONGEST = 300  # characters of an event's text
_ID = 12  # hex digits
_READ = 200_000  # characters of a message: who pastes more is not speaking
_SENTENCES = 400
_CLAUSES = 40
_CLAUSE = re.compile(r"[,，;；。:：—–]\s*")
_LINE = re.compile(
    r"[ \t]{0,3}[-*+][ \t]+(?P<kind>[a-z]+):[ \t]+(?P<text>\S.*?)[ \t]+\(turns?[ \t]+(?P<seqs>\d{1,9}(?:,[ \t]*\d{1,9})*);"
    r"[ \t]*confidence[ \t]+(?P<confidence>[0-9.e+-]{1,30})\)[ \t]+\^(?P<id>e-[0-9a-f]{12})[ \t]*\Z",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `text` is a sentence on one line, `seqs` the numbers of the messages that say it, in their order."""

    id: str
    kind: EventClass
    text: str
    seqs: tuple[int, ...]
    confidence: float = CONFIDENCE


def events_of(session: str, messages: Sequence[Message]) -> list[Event]:
    """The events that the user's messages tell, in the order in which they were first told.

    A sentence told twice is one event with the numbers of both messages. What an agent says is never one.
    """
    found: dict[tuple[EventClass, str], Event] = {}
    for message in messages:
        if message.role != USER:
            continue
        for kind, text in _told_in(message.text):
            key = kind, normalised(text)
            known = found.get(key)
            if known is None:
                found[key] = Event(event_id(session, message.seq, kind, text), kind, text, (message.seq,))
            elif message.seq not in known.seqs:
                found[key] = replace(known, seqs=(*known.seqs, message.seq))
    return list(found.values())


def _told_in(text: str) -> Iterator[tuple[EventClass, str]]:
    """The events of one message, each with its text as it will be shown."""
    said = sentences(prose_of(text[:_READ]), quoted=False)[:_SENTENCES]
    for sentence in said:
        if hands_over(sentence):
            return  # what follows was given to be translated or mended
        event = told(sentence)
        if event is None or (event.bare and any(asks_for_text(levelled(other)) for other in said if other != sentence)):
            continue
        shown = _shown(event)
        if shown:
            yield event.kind, shown


def _shown(event: Told) -> str:
    """An event's text as it reads in a list, '' for one that cannot stand in it."""
    text = well_put(event)
    if len(text) > LONGEST - 1:
        text = _shorter(text, event.kind)
    try:
        entry = one_entry(text)
    except UserError:
        return ""
    return entry if len(entry) <= LONGEST else entry[: LONGEST - 1].rstrip("\\ ") + "…"


def _shorter(text: str, kind: EventClass) -> str:
    """A statement from the last clause on that still tells the same, and no more of it than fits."""
    for split in [*_CLAUSE.finditer(text)][-_CLAUSES:][::-1]:
        later = told(text[split.end() :])
        if later is not None and later.kind is kind:
            text = well_put(later)
            break
    if len(text) < LONGEST:
        return text
    cut = text[: LONGEST - 1]
    word = cut.rfind(" ", LONGEST // 2)
    return (cut[:word] if word > 0 else cut).rstrip(" ,;:，；：、") + "…"


def event_line(event: Event) -> str:
    """The event as one item of a list, without a line end."""
    turns = ", ".join(str(seq) for seq in event.seqs)
    plural = "turn" if len(event.seqs) == 1 else "turns"
    return f"- {event.kind}: {event.text} ({plural} {turns}; confidence {event.confidence!r}) ^{event.id}"


def read_event_line(line: str) -> Event | None:
    """The event that a line holds, None when it is none: another item, or one that was edited until it can no longer be read."""
    found = _LINE.match(line.rstrip("\r\n"))
    if found is None or found["kind"] not in tuple(EventClass):
        return None
    try:
        confidence = float(found["confidence"])
    except ValueError:
        return None
    if not 0 <= confidence <= 1:
        return None
    seqs = tuple(int(seq) for seq in found["seqs"].split(","))
    return Event(found["id"], EventClass(found["kind"]), found["text"], seqs, confidence)


def event_id(session: str, seq: int, kind: EventClass, text: str) -> str:
    """The id of an event that a session's message of that number told first: the same on every machine."""
    told = f"{session}\0{seq}\0{kind}\0{normalised(text)}"
    return "e-" + hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:_ID]


def normalised(text: str) -> str:
    """A text's words in lower case with single spaces: what two ways to write one sentence have in common."""
    plain = unicodedata.normalize("NFKC", text.replace("’", "'")).casefold()
    return " ".join("".join(char if char.isalnum() or char in "'+#-" else " " for char in plain).split())
