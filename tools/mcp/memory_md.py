"""The tool that curates MEMORY.md and SKILL.md: what it answers is what stands in the file then."""

from __future__ import annotations

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from memtree.engine.writers.memory_md import update_memory_md as update
from memtree.tools.mcp import arguments
from memtree.tools.mcp.answers import Answer, answered
from memtree.tools.mcp.keeping import Keeper


class Entry(BaseModel):
    """An entry that was asked for, or of the section that was replaced."""

    id: str = Field(description="Its block id; empty for one that a person wrote")
    text: str
    start_line: int
    end_line: int
    stored: bool = Field(description="False when this entry was there already and says the same")


class MemoryAnswer(Answer):
    stored: bool = Field(description="False when the file was left as it is")
    message: str
    file: str
    section: str
    entries: list[Entry]
    start_line: int = Field(description="Of what was written, a replaced section's heading included; 0 when nothing was")
    end_line: int
    bytes: int = Field(description="Of the whole file now")
    lines: int = Field(description="Of the whole file now")
    commit: str | None
    on_disk: bool = Field(description="False when the file is held back: it is committed, and lines are those of the commit")


def update_memory_md(keeper: Keeper, file: str, action: str, content: str, section_title: str, category: str) -> CallToolResult:
    workspace = keeper.workspace()
    report = update(
        workspace,
        file,
        action,
        arguments.text("content", content, arguments.TEXT),
        section_title=arguments.text("section_title", section_title),
        category=category,
    )
    entries = [
        Entry(id=one.id, text=one.text, start_line=one.first, end_line=one.last, stored=one.stored) for one in report.entries
    ]
    fields = MemoryAnswer(
        stored=report.stored,
        message=report.message,
        file=report.file,
        section=report.section,
        entries=entries,
        start_line=report.first,
        end_line=report.last,
        bytes=report.size,
        lines=report.lines,
        commit=report.commit.after,
        on_disk=report.on_disk,
        notes=[*report.notes, *workspace.said()],
    )
    return answered(report.message, fields)
