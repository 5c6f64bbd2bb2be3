"""Lines of files by the letter, one side of the profile, and how memory stands: over MCP, in both forms."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from memtree.engine.when import Edge
from memtree.tools.mcp import arguments
from memtree.tools.mcp.answers import FactStanding, Retrieved, answered, iso, room, shortened
from memtree.tools.mcp.keeping import Keeper
from memtree.tree.kinds import Kind
from memtree.tree.scalars import clean

if TYPE_CHECKING:
    from memtree.engine.retrieval.file_search import LineHit
    from memtree.engine.workspace import Workspace


class MatchedLine(BaseModel):
    """A line that matches, with those around it that were asked for."""

    id: str = Field(description="Citation, such as [1] notes/heron.md:12")
    path: str
    line: int
    text: str
    before: list[str]
    after: list[str]
    kind: str
    time: str | None = Field(description="RFC 3339, of what the file tells of itself; null when it is not dated")
    commit: str
    fact: FactStanding | None = Field(default=None, description="How it stands, where the file is a fact")


class LinesAnswer(Retrieved):
    commit: str | None = Field(description="The commit that was looked at")
    hits: list[MatchedLine]
    total: int = Field(description="How many lines match")
    matched_files: int
    files: int = Field(description="How many files were looked at")
    truncated: bool = Field(description="Whether lines were left out; those of the newest files come first")


class Known(BaseModel):
    """One thing that is known of the user, and the lines of the file that it takes."""

    text: str
    start_line: int
    end_line: int
    pinned: bool


class FlavourAnswer(Retrieved):
    facet: str = Field(description="Which of the seven flavours it is")
    path: str
    commit: str | None
    markdown: str
    entries: list[Known]


class StageItem(BaseModel):
    """One stage on the way from a file to an answer."""

    stage: str
    ok: bool
    failure: str | None
    note: str
    remedy: str


class DoctorAnswer(Retrieved):
    healthy: bool
    degraded: bool = Field(description="Whether answers may lack something that was saved")
    reason: str
    remedy: str = Field(description="Results may be incomplete until this has happened")
    first_blocking_cause: str | None
    stages: list[StageItem]
    counters: dict[str, int | float | None] = Field(description="null for what cannot be measured")


def query_memory(
    keeper: Keeper,
    pattern: str,
    regex: bool,
    ignore_case: bool | None,
    path: str,
    kinds: Sequence[str],
    since: str,
    until: str,
    limit: int,
    context: int,
) -> CallToolResult:
    from memtree.engine.retrieval.file_search import FileQuery, search_files

    workspace = keeper.workspace()
    now = int(time.time())
    query = FileQuery(
        arguments.needed("pattern", pattern),
        regex,
        ignore_case,
        arguments.text("path", path),
        tuple(map(Kind, dict.fromkeys(kinds))),
        arguments.moment("since", since, now, Edge.START),
        arguments.moment("until", until, now, Edge.END),
        limit,
        context,
    )
    notes = keeper.fresh(workspace)
    found = search_files(workspace, query)
    most = room(len(found.hits) * (1 + 2 * context))
    lines = [
        MatchedLine(
            id=f"[{number}] {clean(hit.path)}:{hit.line}",
            path=clean(hit.path),
            line=hit.line,
            text=shortened(clean(hit.text), most),
            before=[shortened(clean(text), most) for text in hit.before],
            after=[shortened(clean(text), most) for text in hit.after],
            kind=hit.kind.value,
            time=iso(hit.time),
            commit=hit.commit,
            fact=_standing(workspace, hit),
        )
        for number, hit in enumerate(found.hits, 1)
    ]
    fields = LinesAnswer(
        commit=found.commit,
        hits=lines,
        total=found.total,
        matched_files=found.matched,
        files=found.files,
        truncated=found.truncated,
        notes=[*notes, *found.notes],
    )
    return answered("\n".join((_head(fields), *map(_line, lines))), fields)


def _standing(workspace: Workspace, hit: LineHit) -> FactStanding | None:
    found = workspace.searching.facts(hit.commit).told(hit.path) if hit.kind is Kind.FACT else None
    return FactStanding(**found.standing._asdict()) if found is not None else None


def _head(found: LinesAnswer) -> str:
    if not found.hits:
        return f"No line matches; files looked at: {found.files:,}."
    rest = " (the newest files first; narrow it to see others)" if found.truncated else ""
    return f"{len(found.hits):,} of {found.total:,} lines{rest}:"


def _line(hit: MatchedLine) -> str:
    mark = f" ({hit.fact.mark})" if hit.fact is not None and hit.fact.mark else ""
    return "\n".join(
        (*(f"    {text}" for text in hit.before), f"{hit.id} {hit.text}{mark}", *(f"    {text}" for text in hit.after))
    )


def memory_flavour(keeper: Keeper, flavour: str) -> CallToolResult:
    from memtree.engine.retrieval.flavour import memory_flavour as known

    workspace = keeper.workspace()
    name = arguments.needed("flavour", flavour)
    notes = keeper.fresh(workspace)
    found = known(workspace, name)
    fields = FlavourAnswer(
        facet=found.facet,
        path=clean(found.path),
        commit=found.commit,
        markdown=clean(found.markdown),
        entries=[Known(**{**entry._asdict(), "text": clean(entry.text)}) for entry in found.entries],
        notes=[*notes, *found.notes],
    )
    return answered(fields.markdown, fields)


def memory_doctor(keeper: Keeper) -> CallToolResult:
    from memtree.engine.retrieval.checkup import check_up
    from memtree.tools.check_up_view import check_up_lines

    found = check_up(keeper.workspace())
    fields = DoctorAnswer(
        healthy=found.healthy,
        degraded=found.degraded,
        reason=clean(found.reason),
        remedy=clean(found.remedy),
        first_blocking_cause=found.first_blocking_cause,
        stages=[
            StageItem(stage=one.stage, ok=one.ok, failure=one.failure, note=clean(one.note), remedy=clean(one.remedy))
            for one in found.stages
        ],
        counters=found.counters._asdict(),
    )
    return answered("\n".join("".join(span.text for span in line) for line in check_up_lines(found)), fields)
