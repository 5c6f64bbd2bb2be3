"""Chat chunk: what was said in a closed segment, as prose, from which summaries are made. Recaps never are: evidence only.

    ---
    source_kind: chat
    source_id: conversations:agent
    session_id: 3f2a
    segment: seg-8c6f…
    part: 1
    first_seq: 1
    last_seq: 12
    started: 2026-11-30T09:00:00.000Z
    timestamp: 2026-11-30T09:21:04.001Z
    tags: [agent_chat]
    ---

    **user** (2026-11-30T09:00:00.000Z)

    Which port does staging use?

The file is `chat/conversations-agent/{hh}/{chunk_id}.md`; its id is made of what it holds, so every machine makes the same one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memtree.tree.episode import iso_time
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.paths import RepoPath
from memtree.tree.prose import prose_of
from memtree.tree.scalars import clean, written
from memtree.tree.segments import Message, Segment

SOURCE_ID, SOURCE_KIND = "conversations:agent", "chat"
FOLDER = "chat/conversations-agent"
LONGEST = 12_000  # characters of a chunk: 3,000 tokens at four characters each

_ID = 32  # hex digits
_ENDS = ("\n", ". ", "。", " ")


class ChatChunk(NamedTuple):
    """A file and its content."""

    path: RepoPath
    data: bytes


class _Said(NamedTuple):
    message: Message
    text: str


def chat_chunks(segment: Segment, content_root: str = CONTENT_ROOT) -> list[ChatChunk]:
    """The prose of a segment in parts of at most 12,000 characters each; none where nobody said anything in words."""
    said = [_Said(message, text) for message in segment.messages if (text := prose_of(message.text).strip())]
    return [_chunk(segment, number, part, content_root) for number, part in enumerate(_parts(said), start=1)]


def chunk_id(source_kind: str, source_id: str, part: int, content: bytes) -> str:
    """The first 32 hex digits of SHA-256 over where a chunk comes from, its number there, and what it holds."""
    head = "\0".join((source_kind, source_id, str(part), ""))
    return hashlib.sha256(head.encode("utf-8", "surrogatepass") + content).hexdigest()[:_ID]


def _parts(said: Sequence[_Said]) -> Iterator[list[_Said]]:
    part: list[_Said] = []
    size = 0
    for one in said:
        for text in _pieces(one.text):
            if part and size + len(text) > LONGEST:
                yield part
                part, size = [], 0
            part.append(_Said(one.message, text))
            size += len(text)
    if part:
        yield part


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces that fit, cut behind the last paragraph, line, sentence or word of each."""
    while len(text) > LONGEST:
        ends = [text.rfind(mark, LONGEST // 2, LONGEST) + len(mark) for mark in _ENDS if mark in text[LONGEST // 2 : LONGEST]]
        at = max(ends, default=LONGEST)
        yield text[:at].strip()
        text = text[at:].strip()
    if text:
        yield text


def _chunk(segment: Segment, number: int, part: Sequence[_Said], content_root: str) -> ChatChunk:
    body = clean("\n".join(_rendered(one) for one in part))
    times = [one.message.timestamp for one in part if one.message.timestamp is not None]
    values = [
        ("source_kind", SOURCE_KIND),
        ("source_id", SOURCE_ID),
        ("session_id", written(segment.session)),
        ("segment", segment.id),
        ("part", str(number)),
        ("first_seq", str(part[0].message.seq)),
        ("last_seq", str(part[-1].message.seq)),
        *([("started", iso_time(times[0])), ("timestamp", iso_time(times[-1]))] if times else []),
        ("tags", "[agent_chat]"),
    ]
    data = clean("---\n" + "".join(f"{key}: {value}\n" for key, value in values) + f"---\n\n{body}").encode()
    # The header with it: what two sessions both said stands in a file of each.
    name = chunk_id(SOURCE_KIND, SOURCE_ID, number, data)
    prefix = f"{content_root}/" * bool(content_root)
    return ChatChunk(RepoPath(f"{prefix}{FOLDER}/{name[:2]}/{name}.md"), data)


def _rendered(one: _Said) -> str:
    message = one.message
    # Not a heading: a search would cut the conversation into single turns there.
    when = f" ({iso_time(message.timestamp)})" if message.timestamp is not None else ""
    return f"**{' '.join((message.speaker or message.role or 'unknown').split())}**{when}\n\n{one.text}\n"
