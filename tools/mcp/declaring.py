"""What the declarations of tools share: what a tool may do, and the forms of arguments."""

from __future__ import annotations

from typing import Annotated, Literal

from mcp.types import ToolAnnotations
from pydantic import Field

LOOKS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
# A model may be asked, which may be anywhere.
ASKS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
# Nothing is lost that git remembers, but what a file says is no longer only added to.
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False)

KindName = Literal["episode", "recap", "chat", "raw", "fact", "profile", "entity", "wiki", "memory", "note"]
Kinds = Annotated[list[KindName], Field(description="Only these kinds; empty for all", max_length=20)]
When = Annotated[str, Field(description="A date or time (2026-03-31, 2026-03-31T14:00), an age (3d, 2w), today or yesterday")]
Path = Annotated[str, Field(description="From the workspace's root, such as memory_tree/content/notes/heron.md")]
Below = Annotated[str, Field(description="Only below this folder, or matching this glob (*, ?, **)")]
Names = Annotated[list[str], Field(description="Only these sources, by the names that list_sources tells", max_length=100)]
