"""Asking a model: for a value of a type, or to work with tools. What comes back is checked, what it cost is told.

The library behind it is imported with the first question. A question may be asked from any thread, also from inside a running event
loop: it is answered in a thread of its own, while the tools run in the thread that asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memtree.engine.llm.errors import BadReply as BadReply
from memtree.engine.llm.errors import ExtraMissing as ExtraMissing
from memtree.engine.llm.errors import KeyMissing as KeyMissing
from memtree.engine.llm.errors import ModelAway as ModelAway
from memtree.engine.llm.errors import ModelBroken as ModelBroken
from memtree.engine.llm.errors import ModelNotConfigured as ModelNotConfigured
from memtree.engine.llm.ledger import Call, Ledger
from memtree.engine.llm.roles import Models
from memtree.engine.llm.usage import Usage
from memtree.tree.errors import Error

if TYPE_CHECKING:
    from pydantic import BaseModel

    from memtree.engine.llm.talk import Talk
    from memtree.engine.workspace import Workspace

RESULT_CHARS = 8_000  # of one tool's result, and of what a run says in the end
_RESERVE = 256  # tokens for what the protocol adds to a question, and for counting that differs
_LEAST_ROOM = 256

Output = TypeVar("Output", bound="BaseModel")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call, with typed parameters and a text as its result. `writes`: it changes memory."""

    name: str
    description: str
    function: Callable[..., str]
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Answer(Generic[Output]):
    """A value that a model gave, valid and checked, and what it cost."""

    output: Output
    usage: Usage


@dataclass(frozen=True, slots=True)
class AgentRun:
    """What a run said in the end. `calls` are the names of the tools it called, in order; `incomplete`: it ran out of requests."""

    text: str
    usage: Usage
    calls: tuple[str, ...] = ()
    incomplete: bool = field(default=False)


class RunOver(Exception):
    """A tool raises it to end its run, as where only a person can go on. What the run cost so far is told as of any other."""


def nothing_wrong(_: Any) -> str:
    """The check that accepts every value."""
    return ""


class Asker:
    """Asks the models of a workspace. `agent` is who asks, for the ledger; `pause` comes before a first repetition, in seconds."""

    def __init__(self, workspace: Workspace, *, agent: str = "", pause: float = 0.5) -> None:
        self.models = Models.of(workspace)
        self._ledger = Ledger(workspace.places.folder)
        self._clock = workspace.options.clock
        self._agent = agent
        self._pause = pause

    def room(self, role: str) -> int:
        """How many tokens a question to a role may have, instructions and all; raise ModelNotConfigured."""
        model = self.models.ready(role).model
        return max(model.context - model.max_tokens - _RESERVE, _LEAST_ROOM)

    def ask_typed(
        self,
        role: str,
        instructions: str,
        prompt: str,
        output: type[Output],
        check: Callable[[Output], str] = nothing_wrong,
    ) -> Answer[Output]:
        """Ask for a value of a type. `check` answers '' or what is wrong with a value; the model is told once and may mend it.

        The check runs in this thread; its words may end up in an error, so they must not repeat the value.
        Raises ModelNotConfigured, ModelBroken, ModelAway, BadReply.
        """
        talk = self._talk(role)
        value = self._noted(role, talk, lambda: talk.typed(instructions, prompt, output, check))
        return Answer(value, talk.usage)

    def run_agent(
        self,
        role: str,
        instructions: str,
        prompt: str,
        tools: Sequence[Tool],
        *,
        request_limit: int | None = None,
        temperature: float | None = None,
        max_result_chars: int = RESULT_CHARS,
    ) -> AgentRun:
        """Let a model work with tools until it has said its last word or made `request_limit` requests, at most the role's own.

        The tools run one at a time in this thread. An Error that one raises is told to the model; RunOver ends the run, with
        nothing said; anything else ends it and is raised here. Where nothing more can be used after a tool was called, the run is
        incomplete. Raises what ask_typed raises.
        """
        talk = self._talk(role)
        most = talk.ready.model.request_limit
        return self._noted(
            role,
            talk,
            lambda: talk.working(
                instructions,
                prompt,
                tools,
                request_limit=min(most, request_limit or most),
                temperature=temperature,
                max_result_chars=max_result_chars,
            ),
        )

    def _talk(self, role: str) -> Talk:
        ready = self.models.ready(role)
        try:
            from memtree.engine.llm.talk import Talk
        except ModuleNotFoundError as error:
            raise ExtraMissing(error.name or "a package") from None
        return Talk(ready, self._pause)

    def _noted(self, role: str, talk: Talk, ask: Callable[[], Result]) -> Result:
        """What a question led to; in any case the ledger is told what it cost."""
        outcome = "failed"
        try:
            result = ask()
            outcome = "incomplete" if isinstance(result, AgentRun) and result.incomplete else "answered"
            return result
        except Error as error:
            outcome = type(error).__name__
            raise
        finally:
            self._ledger.note(Call(int(self._clock()), role, self._agent, outcome, talk.usage))
