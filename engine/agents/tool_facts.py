"""The tools that agents and MCP clients can have, by name: what each is for and what it may do. Which of them an agent gets.

A name that stands in a definition but not here belongs to a tool that this memtree does not have.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from memtree.engine.agents.definition import Definition
from memtree.tree.errors import StateError


class Permission(enum.StrEnum):
    """What a tool may do to memory."""

    READ_ONLY = "read-only"
    WRITE = "write"


class Scope(enum.StrEnum):
    """Who may call a tool: anybody, or only who is in an agent's turn (a call over MCP and `memtree ask` count as one)."""

    ANY = "any"
    AGENT_ONLY = "agent-only"


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """A tool as an agent is told of it. `concurrent`: calls of it may run beside each other and beside any other call."""

    name: str
    description: str
    permission: Permission = Permission.READ_ONLY
    scope: Scope = Scope.ANY
    concurrent: bool = True

    @property
    def writes(self) -> bool:
        return self.permission is Permission.WRITE


def _writing(name: str, description: str, *, concurrent: bool = True) -> ToolFacts:
    return ToolFacts(name, description, Permission.WRITE, concurrent=concurrent)


# What is written over the store's lock may be called at once; a draft, which a run changes call by call, may not.
_WRITING = (
    _writing(
        "update_memory_md",
        "Keep one lesson of one or two sentences: file MEMORY.md (or SKILL.md), action append, the lesson as content, its category "
        "(pattern, mistake, preference, fact). It is checked at once and written when you have finished.",
        concurrent=False,
    ),
    _writing(
        "record_turn",
        "Record what a user asked and an agent answered, where a turn of the conversation is missing; what is recorded stays.",
    ),
    _writing(
        "memory_store",
        "Keep a longer text as a note of its own, with a title. It is checked at once and written when you have finished.",
    ),
    _writing("ingest_document", "Take a document into memory as files of its source, where the memory tree finds it."),
    _writing("goals_add", "Add a goal: one line of text. The answer names its label.", concurrent=False),
    _writing("goals_edit", "Put a new text in the place of a goal's, by its label.", concurrent=False),
    _writing("goals_delete", "Take a goal away, by its label: it is reached, given up, or said by another one.", concurrent=False),
)
_LOOKING = (
    ToolFacts(
        "memory_recall",
        "Search memory by words and meaning; the best passages, each with its path, lines and time. Facts that hold no longer are "
        "left out; as_of (a date) asks for what was so then.",
    ),
    ToolFacts(
        "memory_tree",
        "Go through memory by mode: walk (what a question's people and things have in common), search_entities, query_source, "
        "query_topic, query_global, cover_window, drill_down, fetch_leaves, list_sources; parameters as that mode takes them.",
    ),
    ToolFacts("query_memory", "Find exact words, or what a regular expression matches, in the files themselves; narrowed by path."),
    ToolFacts("read_content", "Read lines of a file, such as those around a passage that was found."),
    ToolFacts("memory_flavour", "What is known of how the user likes things, by flavour, such as communication or coding_style."),
    ToolFacts("memory_doctor", "Whether memory is whole and its indexes are current: what is wrong, and what cures it."),
    ToolFacts("search", "Find passages in memory by words and meaning, with filters by kind, path and time."),
    ToolFacts("context", "What memory has to say in few words: goals, profile, earlier conversations, what answers a question."),
    ToolFacts("history", "The commits that changed a file, a folder or all of memory, newest first."),
    ToolFacts("diff", "How a file or folder changed between two commits."),
    ToolFacts("sync_status", "How memory stands: what is not committed, held back, in conflict, ahead of or behind a remote."),
    ToolFacts("goals_list", "The long-term goals with their labels."),
    ToolFacts(
        "ask_user_clarification",
        "Ask whoever asked, once, what they mean, with suggestions where there are some. Your work ends with it.",
        scope=Scope.AGENT_ONLY,
        concurrent=False,
    ),
    ToolFacts(
        "call_memory_agent",
        "Have the memory agent answer a question from memory, with sources.",
        scope=Scope.AGENT_ONLY,
    ),
    ToolFacts("memory_agent_result", "What became of a question that the memory agent works on in the background, by its task id."),
)
KNOWN: Mapping[str, ToolFacts] = {one.name: one for one in (*_WRITING, *_LOOKING)}


class MissingTools(StateError):
    """An agent whose definition names tools that are not here."""

    def __init__(self, agent: str, missing: tuple[str, ...]) -> None:
        super().__init__(
            f"the agent {agent} cannot run: there is no tool {', '.join(missing)}",
            hint=f"memtree agents show {agent} says which tools it names, and where",
        )
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Granted:
    """The tools that an agent gets, those it names that are not here, and those withheld because its sandbox forbids writing."""

    tools: tuple[ToolFacts, ...]
    missing: tuple[str, ...]
    withheld: tuple[str, ...]


def granted(definition: Definition) -> Granted:
    """Which of the tools that a definition names its agent gets: none but those, and none that writes where it may only look."""
    here = [KNOWN[name] for name in definition.tools if name in KNOWN]
    kept = tuple(one for one in here if definition.sandbox_mode.may_write or one.permission is Permission.READ_ONLY)
    missing = tuple(name for name in definition.tools if name not in KNOWN)
    return Granted(kept, missing, tuple(one.name for one in here if one not in kept))
