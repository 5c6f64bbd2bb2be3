"""Derived: the files that a closed segment becomes. A pure function of what was said, so every machine makes the same ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from memtree.tree.chat_chunk import chat_chunks
from memtree.tree.episode import iso_time
from memtree.tree.events import Event, event_line, events_of
from memtree.tree.paths import RepoPath
from memtree.tree.prose import prose_of
from memtree.tree.recap import Recap, Status
from memtree.tree.secrets import find_secrets, redacted
from memtree.tree.segments import Segment

_Made = TypeVar("_Made")
Writing = Callable[[Segment], str]  # the prose of a segment's recap


@dataclass(frozen=True, slots=True)
class Derived:
    """`files` are new ones that need nothing of what is there; `events` are what profiles are made of. `trouble`: what failed."""

    segment: Segment
    folder: str
    recap: RepoPath
    files: dict[RepoPath, bytes]
    events: tuple[Event, ...] = ()
    status: Status = Status.CLOSED
    trouble: str = ""
    seen: dict[str, str] = field(default_factory=dict)  # of each event's id, the day on which it was said


def derive(segment: Segment, folder: str, content_root: str, write: Writing, *, chat: bool = True) -> Derived:
    """The files of a segment. What goes wrong with one of them is told, and the others are made all the same."""
    troubles: list[str] = []
    worded = any(prose_of(message.text).strip() for message in segment.messages)
    prose = _tried(lambda: write(segment), troubles, "recap") if worded else ""
    events = _tried(lambda: events_of(segment.session, segment.messages), troubles, "events") or []
    status = Status.EMPTY if not worded else Status.CLOSED if prose else Status.FAILED
    recap = Recap.of(segment, status, prose or "", [event_line(event) for event in events])
    path = recap.path(folder, content_root)
    files = {path: sealed_recap(recap)}
    chunks = _tried(lambda: chat_chunks(segment, content_root), troubles, "chat") if chat and worded else []
    for chunk in chunks or []:
        files[chunk.path] = redacted(chunk.data.decode()).encode() if find_secrets(chunk.data) else chunk.data
    days = {one.seq: "" if one.timestamp is None else iso_time(one.timestamp)[:10] for one in segment.messages}
    seen = {event.id: max((days.get(seq, "") for seq in event.seqs), default="") for event in events}
    return Derived(segment, folder, path, files, tuple(events), status, "; ".join(troubles), seen)


def sealed_recap(recap: Recap) -> bytes:
    """The recap's file. What only looks like a secret once the parts stand together is taken out of the parts."""
    data = recap.render()
    if not find_secrets(data):
        return data
    data = replace(recap, prose=redacted(recap.prose), events=tuple(map(redacted, recap.events))).render()
    return data if not find_secrets(data) else replace(recap, prose="", events=(), status=Status.EMPTY).render()


def _tried(make: Callable[[], _Made], troubles: list[str], what: str) -> _Made | None:
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - whatever one text does to us, the conversation is closed with the rest of it
        troubles.append(f"{what}: {type(error).__name__}")
        return None
