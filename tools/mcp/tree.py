"""The memory tree and recalling over MCP: a mode of many parameters, answered in both forms; a document taken in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from memtree.tools.mcp import arguments
from memtree.tools.mcp.answers import Answer, FactStanding, Retrieved, answered, room, shortened
from memtree.tools.mcp.keeping import Keeper
from memtree.tree.kinds import Kind
from memtree.tree.scalars import clean

if TYPE_CHECKING:
    from memtree.engine.memory_tree import hits


class Node(BaseModel):
    """A passage (leaf) or a summary that answers. Times are epoch seconds, beside them in UTC."""

    id: str = Field(description="Citation, such as [1] notes/heron.md:12-15")
    node_id: str = Field(description="For drill_down and fetch_leaves")
    node_kind: str = Field(description="leaf or summary")
    path: str
    start_line: int
    end_line: int
    lines: str
    commit: str
    kind: str
    source: str
    level: int
    title: str
    text: str
    entities: list[str] = Field(description="Those of the query that it speaks of")
    time_start: int | None
    time_end: int | None
    time_start_at: str | None
    time_end_at: str | None
    score: float | None = Field(description="How much of what was asked it answers, 0 to 1; null where nothing was asked")
    children: list[str] = Field(description="Of a summary: what it was made from")
    source_ref: str
    fact: FactStanding | None = Field(default=None, description="How it stands, where it is a fact")


class Entity(BaseModel):
    """Who or what memory speaks of."""

    canonical_id: str = Field(description="Such as name:ada lovelace, for query_topic")
    kind: str
    surface: str
    aliases: list[str]
    mention_count: int
    last_seen: int | None
    last_seen_at: str | None


class Source(BaseModel):
    """A source of memory: what it holds, from when to when, and how many summaries of each level tell of it."""

    name: str
    kind: str
    files: int
    chunks: int
    first: int | None
    last: int | None
    first_at: str | None
    last_at: str | None
    summaries: dict[str, int]


class TreeAnswer(Retrieved):
    mode: str
    commit: str | None = Field(description="The commit that was asked")
    hits: list[Node] = Field(default=[], description="Passages and summaries, best first")
    total: int = Field(default=0, description="How many there were before the limit")
    truncated: bool = False
    route: str = Field(default="", description="How hits were found: local, entity, dense, source, time, tree or nothing")
    entities: list[str | Entity] = Field(default=[], description="Those of the query; for search_entities those that were found")
    sources: list[Source] = Field(default=[], description="For list_sources: all that there are")


class IngestedAnswer(Answer):
    path: str
    change: str = Field(description="new, updated, or unchanged")
    commit: str | None


def memory_tree(keeper: Keeper, mode: str, parameters: Mapping[str, object]) -> CallToolResult:
    from memtree.engine.memory_tree.modes import run_mode

    workspace = keeper.workspace()
    asked = {name: _plain(value) for name, value in parameters.items() if value is not None and value not in ("", [])}
    notes = keeper.fresh(workspace)
    keeper.connect(workspace)
    found = run_mode(workspace, mode, asked, may_write=False, capture=False)
    return _told(found, mode, notes)


def memory_recall(
    keeper: Keeper, query: str, limit: int, kinds: Sequence[str], sources: Sequence[str], as_of: str
) -> CallToolResult:
    from memtree.engine.retrieval.memories import NOTHING, recall_memories

    workspace = keeper.workspace()
    asked = arguments.needed("query", query, arguments.QUERY)
    named = [arguments.text("sources", name) for name in sources]
    then = arguments.date("as_of", as_of, int(workspace.options.clock()))
    notes = keeper.fresh(workspace)
    only = tuple(map(Kind, dict.fromkeys(kinds)))
    found = recall_memories(workspace, asked, limit=limit, kinds=only, sources=named, as_of=then)
    return _told(found, "recall", notes, nothing=NOTHING)


def ingest_document(keeper: Keeper, parameters: Mapping[str, str]) -> CallToolResult:
    from memtree.engine.memory_tree.hits import Ingested
    from memtree.engine.memory_tree.modes import run_mode

    workspace = keeper.workspace()
    asked = {name: _plain(value) for name, value in parameters.items() if value}
    found = run_mode(workspace, "ingest_document", asked)
    assert isinstance(found, Ingested)
    fields = IngestedAnswer(
        path=clean(found.path), change=found.change, commit=found.commit, notes=[*found.notes, *workspace.said()]
    )
    return answered(f"{fields.path}: {fields.change}", fields)


def _told(found: hits.Answer, mode: str, notes: Sequence[str], *, nothing: str = "Nothing was found.") -> CallToolResult:
    from memtree.engine.memory_tree.as_json import as_json

    plain = _plain(as_json(found, mode))
    nodes = plain.get("hits", ())
    most = room(len(nodes))
    cut = sum(len(hit["text"]) > most for hit in nodes)
    for number, hit in enumerate(nodes, 1):
        hit |= {"id": f"[{number}] {hit['path']}:{hit['lines']}", "text": shortened(hit["text"], most)}
    shorter = [f"{cut} of the texts were shortened: fetch fewer of them, or read_content"] if cut else []
    fields = TreeAnswer.model_validate({**plain, "notes": [*notes, *plain["notes"], *shorter]})
    blocks = [*map(_shown, fields.hits), *map(_entity, fields.entities), *map(_source, fields.sources)]
    return answered("\n\n".join(filter(None, blocks)) or nothing, fields)


def _shown(node: Node) -> str:
    when = (node.time_start_at or "")[:10]
    what = f"summary {node.node_id}, level {node.level}" if node.node_kind == "summary" else node.kind
    score = f"score {node.score:g}" if node.score is not None else ""
    mark = node.fact.mark if node.fact is not None else ""
    facts = ", ".join(filter(None, (what, mark, node.source, when, score)))
    return f"{node.id}\n{f'{node.title} ({facts})'.lstrip()}\n{node.text}"


def _entity(found: str | Entity) -> str:
    if isinstance(found, str):
        return ""  # those of the query stand in the fields
    also = f", also {', '.join(found.aliases)}" if found.aliases else ""
    return f"{found.canonical_id}: {found.surface}{also} (mentions: {found.mention_count:,})"


def _source(found: Source) -> str:
    first, last = ((when or "?")[:10] for when in (found.first_at, found.last_at))
    return f"{found.name}: {found.kind}, {found.files:,} files, from {first} to {last}"


def _plain(value: Any) -> Any:
    """A value without half characters."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
