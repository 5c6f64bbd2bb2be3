"""The tools by which an agent asks memory: the tree, recalling, lines, flavours, the check-up, and the memory agent.

What they need is imported when they are called: a server starts as quickly as without them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from memtree.tools.mcp import agent, files, tree
from memtree.tools.mcp.agent import AgentAnswer
from memtree.tools.mcp.declaring import ADDS, ASKS, LOOKS, Below, Kinds, Names, When
from memtree.tools.mcp.failing import Server, tool_errors
from memtree.tools.mcp.files import DoctorAnswer, FlavourAnswer, LinesAnswer
from memtree.tools.mcp.keeping import Keeper
from memtree.tools.mcp.telling import telling
from memtree.tools.mcp.tree import IngestedAnswer, TreeAnswer

Mode = Literal[
    "walk",
    "smart_walk",
    "search_entities",
    "query_source",
    "query_global",
    "query_topic",
    "cover_window",
    "drill_down",
    "fetch_leaves",
    "list_sources",
]
EntityName = Literal[
    "email",
    "url",
    "handle",
    "hashtag",
    "wikilink",
    "path",
    "code",
    "issue",
    "name",
    "person",
    "organization",
    "location",
    "event",
    "product",
    "technology",
    "artifact",
    "topic",
    "misc",
]


def add_memory_tools(server: Server, keeper: Keeper) -> None:
    """Declare them all."""
    _add_tree(server, keeper)
    _add_recalling(server, keeper)
    _add_health(server, keeper)
    _add_agent(server, keeper)


def _add_tree(server: Server, keeper: Keeper) -> None:
    @server.tool(title="Ask the memory tree", annotations=LOOKS)
    async def memory_tree(
        calling: Context[Any, Any],
        mode: Annotated[Mode, Field(description="What is asked; each takes the parameters named in the tool's description")],
        query: Annotated[str, Field(description="What is sought, in any words; for search_entities a name or part of one")] = "",
        limit: Annotated[int | None, Field(ge=1, le=1_000, description="At most this many; most modes take up to 100")] = None,
        max_hops: Annotated[int | None, Field(ge=1, le=4, description="How far apart two entities of the query may be")] = None,
        max_depth: Annotated[int | None, Field(ge=1, le=3, description="How many levels below the node")] = None,
        kinds: Annotated[list[EntityName], Field(description="Only entities of these kinds", max_length=20)] = [],  # noqa: B006
        entity_id: Annotated[str, Field(description="As search_entities tells it, such as name:ada lovelace")] = "",
        source_id: Annotated[str, Field(description="One source, by the name that list_sources tells")] = "",
        node_id: Annotated[str, Field(description="A summary's id, or a leaf's")] = "",
        chunk_ids: Annotated[list[str], Field(description="Leaves: PATH#NUMBER, PATH, or PATH:LINE-LINE", max_length=20)] = [],  # noqa: B006
        since: When = "",
        until: When = "",
        since_ms: Annotated[int | None, Field(description="As since, in milliseconds since 1970")] = None,
        until_ms: Annotated[int | None, Field(description="As until, in milliseconds since 1970")] = None,
        time_window_days: Annotated[int | None, Field(ge=1, le=36_500, description="Only the last days up to now")] = None,
        sources: Names = [],  # noqa: B006
        source_kind: Annotated[
            Literal["", "chat", "document", "memory"], Field(description="Only sources of this kind; empty for all")
        ] = "",
    ) -> Annotated[CallToolResult, TreeAnswer]:
        """Go through memory by entities, summaries, sources and time. Nothing is written; ingest_document is a tool of its own.

        walk (query): passages that answer a question, also by how the people and things in it are connected.
        search_entities (query): who and what memory speaks of. query_topic (entity_id): passages that speak of one of them.
        list_sources; query_source (source_id) and query_global: what sources tell, summaries first. cover_window (since, until):
        all of a stretch of time. drill_down (node_id): what a summary was made from. fetch_leaves (chunk_ids): passages whole.
        query, limit, times, sources and source_kind go with most of them. A score says how much of the query a passage answers.
        """
        given = {name: value for name, value in locals().items() if name not in ("calling", "mode", "keeper", "server")}
        return await telling(calling, "asking the memory tree", lambda: tree.memory_tree(keeper, mode, given))

    @server.tool(title="Take a document in", annotations=ADDS)
    def ingest_document(
        title: Annotated[str, Field(description="The document's title")],
        body: Annotated[str, Field(description="The document, as markdown")],
        source_id: Annotated[str, Field(description="What names it where it comes from: the same again takes its place")],
        provider: Annotated[str, Field(description="Where it comes from; it is kept as a source of that name")] = "",
        source_ref: Annotated[str, Field(description="An address or a name under which a person finds it there")] = "",
    ) -> Annotated[CallToolResult, IngestedAnswer]:
        """Keep a document that was found elsewhere (a page, a mail, a file) as evidence, where searches and the tree find it.

        For what the user or you have to say, use memory_store. One of the same provider and source_id takes the former's place, and
        what a person edited in that is merged; the same again changes nothing. Passwords and keys are taken out.
        """
        given = {"title": title, "body": body, "source_id": source_id, "provider": provider, "source_ref": source_ref}
        with tool_errors():
            return tree.ingest_document(keeper, given)


def _add_recalling(server: Server, keeper: Keeper) -> None:
    @server.tool(title="Recall memories", annotations=LOOKS)
    def memory_recall(
        query: Annotated[str, Field(description="What to recall: telling words, names, or a question")],
        limit: Annotated[int, Field(ge=1, le=50, description="At most this many passages")] = 5,
        kinds: Kinds = [],  # noqa: B006
        sources: Names = [],  # noqa: B006
        as_of: Annotated[
            str, Field(description="What was so at a date, such as 2026-02-15: facts of then, and nothing said later")
        ] = "",
    ) -> Annotated[CallToolResult, TreeAnswer]:
        """Recall the passages of memory that fit best, by words and meaning, each with path, lines, time, commit and score.

        Use it first for any question about earlier conversations, people, decisions or notes; then read_content for what stands
        around a passage, memory_tree for connections, query_memory for exact words. Facts that hold no longer are left out; search
        shows them, marked. Says so when memory has nothing.
        """
        with tool_errors():
            return tree.memory_recall(keeper, query, limit, kinds, sources, as_of)

    @server.tool(title="Find exact lines", annotations=LOOKS)
    def query_memory(
        pattern: Annotated[str, Field(description="A text as it stands in a line, or an expression; at most 1,000 characters")],
        regex: Annotated[
            bool, Field(description="Take it as a regular expression (RE2: no backreferences, no looking around)")
        ] = False,
        ignore_case: Annotated[
            bool | None, Field(description="Whether case is ignored; by default it is where the pattern has no capital letter")
        ] = None,
        path: Below = "",
        kinds: Kinds = [],  # noqa: B006
        since: When = "",
        until: When = "",
        limit: Annotated[int, Field(ge=1, le=200, description="At most this many lines")] = 20,
        context: Annotated[int, Field(ge=0, le=5, description="Lines before and behind each")] = 0,
    ) -> Annotated[CallToolResult, LinesAnswer]:
        """Find the lines of memory's files that hold a text, or match an expression: by the letter, newest file first.

        Use it for numbers, addresses, identifiers and quotations, where words and meaning are too vague. total says how many lines
        there are; where the answer is truncated, narrow it by path, kind or time.
        """
        with tool_errors():
            return files.query_memory(keeper, pattern, regex, ignore_case, path, kinds, since, until, limit, context)

    @server.tool(title="What the user likes", annotations=LOOKS)
    def memory_flavour(
        flavour: Annotated[
            str,
            Field(
                description="communication, coding_style, stack, workflow, environment, directives or anti_preferences; also other "
                "words for them, such as tone, coding, tooling, rules or dislikes"
            ),
        ],
    ) -> Annotated[CallToolResult, FlavourAnswer]:
        """Tell what the profile knows of a side of the user, as markdown, what they pinned first. That there is none is an answer.

        Use it before choosing a tone, a style or a tool for the user, and for what they want always or never done (directives,
        anti_preferences).
        """
        with tool_errors():
            return files.memory_flavour(keeper, flavour)


def _add_health(server: Server, keeper: Keeper) -> None:
    @server.tool(title="How memory stands", annotations=LOOKS)
    def memory_doctor() -> Annotated[CallToolResult, DoctorAnswer]:
        """Tell whether memory answers whole: each stage from a file to an answer, what is wrong first, and how much there is.

        Use it once when something that should be there is not found. Where degraded is true, tell the user the reason, and that
        results may be incomplete until the remedy. It only looks, and asks no model.
        """
        with tool_errors():
            return files.memory_doctor(keeper)


def _add_agent(server: Server, keeper: Keeper) -> None:
    @server.tool(title="Ask the memory agent", annotations=ASKS)
    async def call_memory_agent(
        context: Context[Any, Any],
        query: Annotated[str, Field(description="The question, whole and in words that stand on their own")],
        known: Annotated[
            str, Field(validation_alias="context", description="What bears on it besides, such as the answer to a question back")
        ] = "",
        max_turns: Annotated[int | None, Field(ge=1, le=20, description="At most this many requests to a model")] = None,
        later: Annotated[
            bool, Field(validation_alias="async", description="Answer in the background: returns a task id at once")
        ] = False,
    ) -> Annotated[CallToolResult, AgentAnswer]:
        """Have a question answered from memory, with sources: by a model where one is configured, else with the sentences that fit.

        Use it for a question that may need several searches; for one passage memory_recall is quicker. Each [1] in the answer
        stands for one of the sources, which were read word for word. Status awaiting_user is a question back: ask again, with the
        answer to it as context.
        """
        return await telling(
            context, "looking in memory", lambda: agent.call_memory_agent(keeper, query, known, max_turns, later=later)
        )

    @server.tool(title="Result of the memory agent", annotations=LOOKS)
    def memory_agent_result(
        task_id: Annotated[str, Field(description="As call_memory_agent told it, such as mem- and 32 digits")],
    ) -> Annotated[CallToolResult, AgentAnswer]:
        """Tell what became of a question that the memory agent works on in the background; results are kept for a week.

        While the status is running, ask again after a few seconds.
        """
        with tool_errors():
            return agent.memory_agent_result(keeper, task_id)
