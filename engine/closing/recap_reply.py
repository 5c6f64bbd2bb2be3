"""RecapReply: the shape in which a model answers with a recap. Apart, because it loads pydantic."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class RecapReply(BaseModel):
    """A recap of a stretch of a conversation."""

    recap: str = Field(description="The recap: plain sentences in the language of the conversation, no headings, no lists.")
    importance: Literal["normal", "high"] = Field(
        default="normal", description="high only when a decision, a promise or a fact in it would be costly to lose."
    )
