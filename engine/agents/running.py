"""Running an agent: its prompt within the room that its model has, its own tools and no other, its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.agents.finding import Found, find_agent
from memtree.engine.agents.prompt import Prompt, agent_prompt
from memtree.engine.agents.tool_facts import Granted, MissingTools, granted
from memtree.engine.agents.tools import tools_of
from memtree.engine.llm.usage import Usage
from memtree.tree.errors import StateError
from memtree.tree.token_count import count_tokens

if TYPE_CHECKING:
    from memtree.engine.llm.asking import Asker
    from memtree.engine.workspace import Workspace

_WORKING = 1_200  # tokens for the shapes of the tools, calls and their answers
_LEAST = 400
_PROMPT_SHARE = 0.6  # of the room, before what the agent is handed


class NoRoom(StateError):
    """A model that cannot read what an agent must be told."""

    def __init__(self, agent: str, role: str, needed: int, room: int) -> None:
        super().__init__(
            f"the agent {agent} needs {needed:,} tokens for its prompt alone, and the model for {role} has room for {room:,}",
            hint=f"raise context under [models.{role}] in memtree.toml if the model can read more, or name another model",
        )


@dataclass(frozen=True, slots=True)
class Run:
    """What a run came to: the model's last words without secrets, the tools that it called, and what those refused."""

    said: str
    usage: Usage
    calls: tuple[str, ...]
    incomplete: bool
    refused: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """An agent that can run: `room` is how many tokens there are for what it is handed."""

    found: Found
    tools: Granted
    prompt: Prompt
    room: float

    @property
    def role(self) -> str:
        return self.found.definition.hint.value

    def run(self, workspace: Workspace, asker: Asker, request: str, *benches: object) -> Run:
        """Let the model work on a request with the tools that the benches have; raise what `Asker.run_agent` raises."""
        definition, refused = self.found.definition, list[str]()
        tools = tools_of(self.tools.tools, benches, refused)
        ended = asker.run_agent(
            self.role,
            self.prompt.text,
            request,
            tools,
            request_limit=definition.max_iterations,
            temperature=definition.temperature,
            max_result_chars=definition.max_result_chars,
        )
        notes = [*self.prompt.notes]
        absent = {facts.name for facts in self.tools.tools} - {tool.name for tool in tools}
        if absent:
            notes.append(f"{definition.id} works here without {', '.join(sorted(absent))}")
        said = workspace.redactor.text(ended.text)[: definition.max_result_chars]
        return Run(said, ended.usage, ended.calls, ended.incomplete, tuple(refused), tuple(notes))


def runnable(workspace: Workspace, name: str) -> tuple[Found, Granted]:
    """An agent whose tools are all here; raise NoSuchAgent, BadDefinition, MissingTools."""
    found = find_agent(workspace.root, name)
    tools = granted(found.definition)
    if tools.missing:
        raise MissingTools(found.definition.id, tools.missing)
    return found, tools


def ready(workspace: Workspace, name: str, asker: Asker, *, requests: int | None = None) -> Ready:
    """An agent with its prompt, as of what is saved now; `requests` takes the place of its own limit.

    Raise what `runnable` raises, ModelNotConfigured, NoRoom.
    """
    found, tools = runnable(workspace, name)
    if requests is not None:
        found = replace(found, definition=replace(found.definition, max_iterations=requests))
    room = asker.room(found.definition.hint.value)
    prompt = _fitting(lambda share: agent_prompt(workspace, found, tools.tools, share=share), room * _PROMPT_SHARE)
    size = _tokens(prompt.text)
    if size + _LEAST > room:
        raise NoRoom(found.definition.id, found.definition.hint.value, round(size + _LEAST), room)
    return Ready(found, tools, prompt, max(_LEAST, room - size - _WORKING))


def _fitting(build: Callable[[float], Prompt], room: float) -> Prompt:
    """The prompt with as much of the user's files as there is room for."""
    whole = build(1.0)
    size = _tokens(whole.text)
    if size <= room:
        return whole
    bare = _tokens(build(0.0).text)
    return build(max(0.0, (room - bare) / max(1.0, size - bare)))


def _tokens(text: str) -> float:
    return count_tokens(text.encode("utf-8", "replace"))
