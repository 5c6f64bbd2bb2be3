"""SummaryReply: the shape in which a model answers with a summary. Apart, because it loads pydantic."""

from __future__ import annotations

from pydantic import BaseModel, Field


class SummaryReply(BaseModel):
    """A summary of a stretch of memory."""

    summary: str = Field(description="The summary: plain sentences in the language of what was read, no headings, no lists.")
