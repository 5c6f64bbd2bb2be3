"""Chats: an export of one turn a line becomes pieces of a few turns each, as search and readers like them.

Pieces are cut by what was said alone, from the start of each conversation: when it grows, all but its last piece stay as they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from memtree.engine.importing.record import Record, SourceKind
from memtree.engine.importing.report import Remark, Tell, Unfit
from memtree.engine.importing.turns import BadLine, Turn, parse_line
from memtree.engine.importing.walking import Found

_ENOUGH, _MOST = 300, 500  # tokens of a piece
_LONG = 8_000  # characters of a turn; a longer one is cut at its lines
_LINE_LIMIT = 16 * 1024 * 1024
_OPEN = 1_000  # conversations that may go on at the same time in one file
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(slots=True)
class _Conversation:
    name: str
    title: str = ""
    part: int = 0
    size: int = 0
    turns: list[Turn] = field(default_factory=list)


def read_chat(found: Found, tell: Tell) -> Iterator[Record]:
    """The pieces of every conversation in a file; lines that cannot be read are told by number. Raise Unfit."""
    try:
        file = open(found.full, "rb")  # noqa: SIM115 - the statement below closes it
    except OSError as error:
        raise Unfit(f"not readable ({error.strerror or error})") from error
    open_ones: dict[str, _Conversation] = {}
    parts: dict[str, int] = {}
    bad: list[int] = []
    with file:
        for turn in _turns(file, bad):
            name = turn.conversation or found.id
            talk = open_ones.get(name)
            if talk is None:
                if len(open_ones) >= _OPEN:
                    yield from _close(open_ones.pop(next(iter(open_ones))), parts)
                talk = open_ones[name] = _Conversation(name, part=parts.get(name, 0))
            talk.title = talk.title or turn.title
            yield from _add(talk, turn)
        for talk in open_ones.values():
            yield from _close(talk, parts)
    if bad:
        tell(Remark(found.id, _words(bad)))
    if not parts:
        raise Unfit("a file of JSON lines without turns of a chat")


def _words(bad: list[int]) -> str:
    lines = ", ".join(f"{number:,}" for number in bad[:10]) + (", …" if len(bad) > 10 else "")
    return f"line {lines} is no JSON object" if len(bad) == 1 else f"{len(bad):,} lines are no JSON objects: {lines}"


def _turns(file: BinaryIO, bad: list[int]) -> Iterator[Turn]:
    number = 0
    while line := file.readline(_LINE_LIMIT):
        number += 1
        if len(line) == _LINE_LIMIT and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(_LINE_LIMIT)
            bad.append(number)
        elif line.strip():
            try:
                yield from parse_line(line)
            except BadLine:
                bad.append(number)


def _add(talk: _Conversation, turn: Turn) -> Iterator[Record]:
    for text in _cut(turn.text):
        size = tokens(text)
        if talk.turns and talk.size + size > _MOST:
            yield _piece(talk)
        talk.turns.append(Turn(turn.who, text, turn.time, talk.name))
        talk.size += size
        if talk.size >= _ENOUGH:
            yield _piece(talk)


def _close(talk: _Conversation, parts: dict[str, int]) -> Iterator[Record]:
    if talk.turns:
        yield _piece(talk)
    parts[talk.name] = talk.part


def _piece(talk: _Conversation) -> Record:
    turns = talk.turns
    times = [turn.time for turn in turns if turn.time]
    record = Record(
        SourceKind.CHAT,
        talk.name,
        talk.title or talk.name,
        "\n".join(turn.render() for turn in turns),
        (
            ("timestamp", times[0] if times else ""),
            ("until", times[-1] if len(times) > 1 else ""),
            ("speakers", tuple(dict.fromkeys(turn.who for turn in turns))),
        ),
        part=talk.part,
    )
    talk.part, talk.size, talk.turns = talk.part + 1, 0, []
    return record


def tokens(text: str) -> int:
    """About how many tokens a text is: one for a Chinese character, one for four others."""
    wide = len(_WIDE.findall(text)) if not text.isascii() else 0
    return wide + (len(text) - wide) // 4 + 1


def _cut(text: str) -> Iterator[str]:
    while len(text) > _LONG:
        end = max(text.rfind("\n", _LONG // 2, _LONG), text.rfind(" ", _LONG // 2, _LONG))
        end = end + 1 if end >= 0 else _LONG
        yield text[:end].strip()
        text = text[end:]
    if text.strip():
        yield text.strip()
