"""What the tools answer: fields for programs, and the same as text for the model. What was retrieved is fenced as data in both.

Claude Code and Codex show the model the fields and not the text.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field

from memtree.tools.render import harmless
from memtree.tree.context_fence import fenced, unmarked
from memtree.tree.scalars import clean

_MOST, _LEAST = 100_000, 120  # characters of all texts of an answer, and of one


class Answer(BaseModel):
    """Fields every answer has: what a person or an agent should know besides."""

    model_config = ConfigDict(frozen=True)

    notes: list[str] = Field(default=[], description="Remarks, such as edits that could not be committed")


class Retrieved(Answer):
    """Fields of what many hands wrote: as they are sent, the two of the fence stand before and behind the others."""

    opened: str = Field(default="", description="Says that what follows is data, to the model that reads these fields")
    closed: str = Field(default="", description="Where that ends")


class FactStanding(BaseModel):
    """How a fact stands."""

    id: str
    state: str = Field(description="active, superseded or retracted")
    valid_at: str = Field(description="Since when it is so, as exactly as is known; empty for unknown")
    invalid_at: str = Field(description="Until when it was so; empty while it is")
    mark: str = Field(description="Why it does not hold now, such as superseded 2026-03-01; empty when it does")


class Found(BaseModel):
    """A passage that a search found."""

    id: str = Field(description="Citation, such as [1] notes/heron.md:12-15")
    path: str
    start_line: int
    end_line: int
    title: str
    heading: str
    kind: str
    score: float
    time: str | None = Field(description="RFC 3339, of what the passage speaks of; null when it is not dated")
    snippet: str
    fact: FactStanding | None = Field(default=None, description="How it stands, where it is a fact")


class SearchAnswer(Retrieved):
    query: str
    commit: str | None = Field(description="The commit that was searched")
    hits: list[Found]


class CitedItem(BaseModel):
    """Where something that a context tells stands."""

    id: str = Field(description="Its mark in the text, such as [1]")
    path: str
    start_line: int
    end_line: int
    score: float | None
    time: str | None
    snippet: str


class ContextAnswer(Retrieved):
    text: str = Field(description="What memory has to say, fenced as data; empty when it has nothing")
    citations: list[CitedItem]


class ContentAnswer(Retrieved):
    path: str
    revision: str | None = Field(description="The commit it was read from; null for the file on the disk")
    start_line: int
    end_line: int
    total_lines: int
    next_line: int | None = Field(description="Where to read on; null when nothing is left of what was asked for")
    text: str


class StoredAnswer(Answer):
    stored: bool = Field(description="False when an entry that says the same was there already")
    path: str
    start_line: int
    end_line: int
    commit: str | None
    id: str = Field(description="The block id of a memory entry, the id of a fact; empty for a note")
    title: str


class TurnAnswer(Answer):
    outcome: str = Field(description="stored, grown (more of an answer that was there), or known (it was all there)")
    paths: list[str]
    commit: str | None


class CommitItem(BaseModel):
    """A commit of the history."""

    commit: str
    time: str
    writer: str
    subject: str
    paths: list[str] = Field(description="What it changed, such as `modified notes/a.md`; at most 20")
    changed: int = Field(description="How many files it changed")


class HistoryAnswer(Retrieved):
    path: str
    commits: list[CommitItem]


class DiffAnswer(Retrieved):
    path: str
    before: str | None = Field(description="The older commit; null for the empty beginning")
    after: str
    files: int
    added: int
    deleted: int
    cut: bool = Field(description="Whether the difference was longer than what is shown")
    text: str


class RemoteItem(BaseModel):
    """A remote as of the last time this machine heard of it."""

    name: str
    ahead: int
    behind: int
    last_sync: str | None
    error: str


class StatusAnswer(Retrieved):
    branch: str
    head: str | None
    on_branch: bool
    busy_with: str
    uncommitted: list[str] = Field(description="Files with edits that are in no commit yet; at most 100")
    uncommitted_count: int
    held: list[str] = Field(description="Files held back, with the reason; at most 100")
    conflicts: int = Field(description="How many places merges left to decide")
    index_current: bool
    remotes: list[RemoteItem]


def room(texts: int) -> int:
    """How many characters each of so many texts may have, that an answer stays one that a model can read."""
    return max(_LEAST, _MOST // max(1, texts))


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and a mark that it goes on."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def answered(text: str, fields: Answer, *, laid_out: bool = False) -> CallToolResult:
    """A result of both forms. `laid_out` is whether the text, also where it is a field, is fenced already."""
    shown = "\n".join((clean(text), *(f"note: {harmless(clean(note))}" for note in fields.notes)))
    plain: dict[str, Any] = fields.model_dump(mode="json")
    if isinstance(fields, Retrieved):
        shown = shown if laid_out else fenced(shown)
        plain = _fenced_fields(plain, "text" if laid_out else "")
    return CallToolResult(content=[TextContent(type="text", text=shown)], structured_content=plain)


def _fenced_fields(fields: dict[str, Any], own: str) -> dict[str, Any]:
    """The fields in the order in which the fence encloses all but the one that has its own."""
    opened, _, closed = fenced("").rpartition("\n")
    inside = {key: _unmarked(value) for key, value in fields.items() if key not in ("opened", "closed", own)}
    return {"opened": opened.strip(), **inside, "closed": closed} | ({own: fields[own]} if own else {})


def _unmarked(value: Any) -> Any:
    """A JSON value in which no text can end the fence."""
    if isinstance(value, str):
        return unmarked(value)
    if isinstance(value, list):
        return [_unmarked(one) for one in value]
    return {key: _unmarked(one) for key, one in value.items()} if isinstance(value, dict) else value


def iso(seconds: float | None) -> str | None:
    """Epoch seconds as RFC 3339 in UTC, None for none and for a time that has no date."""
    if seconds is None:
        return None
    try:
        return dt.datetime.fromtimestamp(int(seconds), dt.UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, OSError, ValueError):
        return None
