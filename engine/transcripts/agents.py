"""Agents: the programs whose transcripts are read, by name (AGENTS), and whose a file is by what stands in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice

from memtree.engine.transcripts.claude_code import read_claude
from memtree.engine.transcripts.codex import read_codex
from memtree.engine.transcripts.lines import Lines, Value
from memtree.engine.transcripts.openclaw import read_openclaw
from memtree.engine.transcripts.reading import AGENTS as AGENTS
from memtree.engine.transcripts.reading import CLAUDE_CODE, CODEX, OPENCLAW, Transcript

_READERS: dict[str, Callable[[str | os.PathLike[str]], Transcript]] = {
    CLAUDE_CODE: read_claude,
    CODEX: read_codex,
    OPENCLAW: read_openclaw,
}
_LOOKED_AT = 100  # lines: a program begins a file with lines of its own form
_CODEX_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state")


def read_transcript(agent: str, path: str | os.PathLike[str]) -> Transcript:
    """Read a transcript of one of AGENTS; raise UnreadableTranscript."""
    return _READERS[agent](path)


def kind_of_transcript(path: str | os.PathLike[str]) -> str:
    """Whose transcript a file is, one of AGENTS, by its first lines; '' when it is none's. Raise UnreadableTranscript."""
    lines = Lines(os.fspath(path), lambda _line: True)
    return next((kind for _, value in islice(lines, _LOOKED_AT) if (kind := _kind(value))), "")


def _kind(value: Value) -> str:
    kind = value.get("type")
    if kind == "session" and "id" in value:
        return OPENCLAW
    if kind in _CODEX_LINES and isinstance(value.get("payload"), dict):
        return CODEX
    if kind is None and isinstance(value.get("id"), str) and "timestamp" in value and ("instructions" in value or "git" in value):
        return CODEX  # as its first versions began a file
    return CLAUDE_CODE if isinstance(kind, str) and ("parentUuid" in value or "sessionId" in value) else ""
