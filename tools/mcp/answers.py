"""What the tools answer: plain fields for programs, and for the model the same as text inside the fence that says it is data."""

from __future__ import annotations

import datetime as dt
from typing import Any

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field

from memtree.tools.render import harmless
from memtree.tree.context_fence import fenced
from memtree.tree.scalars import clean


class Answer(BaseModel):
    """Fields every answer has: what a person or an agent should know besides."""

    model_config = ConfigDict(frozen=True)

    notes: list[str] = Field(default=[], description="Remarks, such as edits that could not be committed")


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


class SearchAnswer(Answer):
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


class ContextAnswer(Answer):
    text: str = Field(description="What memory has to say, fenced as data; empty when it has nothing")
    citations: list[CitedItem]


class ContentAnswer(Answer):
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
    id: str = Field(description="The block id of a memory entry; empty for a note")
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


class HistoryAnswer(Answer):
    path: str
    commits: list[CommitItem]


class DiffAnswer(Answer):
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


class StatusAnswer(Answer):
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


def answered(text: str, fields: Answer, *, retrieved: bool = True) -> CallToolResult:
    """A result of both forms. What was retrieved, or made by others, goes into the fence."""
    shown = "\n".join((clean(text), *(f"note: {harmless(clean(note))}" for note in fields.notes)))
    content = TextContent(type="text", text=fenced(shown) if retrieved else shown)
    plain: dict[str, Any] = fields.model_dump(mode="json")
    return CallToolResult(content=[content], structured_content=plain)


def iso(seconds: float | None) -> str | None:
    """Epoch seconds as RFC 3339 in UTC, None for none and for a time that has no date."""
    if seconds is None:
        return None
    try:
        return dt.datetime.fromtimestamp(int(seconds), dt.UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, OSError, ValueError):
        return None
