"""Talk: one conversation with a model through the agent library: for a value of a type, or with tools.

A value is asked for in words, as JSON: the one way that every server understands, also one that knows neither tools nor schemas.
Imported with the first question alone.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    AgentRunError,
    ModelMessage,
    ModelResponse,
    ModelRetry,
    ModelSettings,
    PromptedOutput,
    RunUsage,
    UsageLimitExceeded,
    UsageLimits,
    capture_run_messages,
)
from pydantic_ai import Tool as LibraryTool
from pydantic_ai.exceptions import OutputTokenLimitExceeded, UnexpectedModelBehavior

from memtree.engine.llm.adapters import open_model
from memtree.engine.llm.asking import AgentRun, RunOver, Tool
from memtree.engine.llm.desk import Desk
from memtree.engine.llm.errors import BadReply
from memtree.engine.llm.roles import Ready
from memtree.engine.llm.usage import Usage
from memtree.engine.llm.wire import LONGEST_PAUSE, Wire
from memtree.engine.model_settings import COMPATIBLE
from memtree.tree.context_fence import CLOSE, OPEN, fenced
from memtree.tree.errors import Error

_REPAIRS = 1
_CALLS_A_REQUEST = 4
_MOST_TOKENS = 10**12  # a server may say what it likes
_COMPLAINT = 200  # characters of what a check says
# What the library raises, also where it trips over an answer in a shape that no server should give. What a check or a tool raises
# does not come by here: they run in the thread that asked.
_UNREADABLE = (AgentRunError, ValueError, TypeError, AttributeError, LookupError)

Output = TypeVar("Output", bound=BaseModel)


class Talk:
    """One conversation. `usage` is what it has cost so far, also where it failed."""

    def __init__(self, ready: Ready, pause: float) -> None:
        self.ready = ready
        self._pause = pause
        self._spent = RunUsage()
        self._started = time.monotonic()
        self._complaint = ""
        self._calls: list[str] = []

    @property
    def usage(self) -> Usage:
        seconds = round(time.monotonic() - self._started, 3)
        asked, said = (min(count, _MOST_TOKENS) for count in (self._spent.input_tokens, self._spent.output_tokens))
        return Usage(self.ready.model.model, self._spent.requests, asked, said, seconds)

    def typed(self, instructions: str, prompt: str, output: type[Output], check: Callable[[Output], str]) -> Output:
        """A value of a type that `check` finds nothing wrong with, after at most one round of mending."""
        desk: Desk[Output] = self._desk(1)

        async def asked() -> Output:
            async with open_model(self.ready, self._pause) as (model, wire):
                agent = Agent(
                    model,
                    output_type=PromptedOutput(output),
                    instructions=_clean(instructions),
                    name="memtree",
                    retries={"output": _REPAIRS, "tools": _REPAIRS},
                    model_settings=self._settings(None),
                )
                agent.instrument = False

                @agent.output_validator
                async def checked(value: Output) -> Output:
                    self._complaint = await desk.do(lambda: check(value))
                    if self._complaint:
                        raise ModelRetry(self._complaint)
                    return value

                limits = UsageLimits(request_limit=1 + _REPAIRS)
                try:
                    found = await agent.run(_clean(prompt), usage=self._spent, usage_limits=limits)
                except _UNREADABLE as error:
                    raise self._trouble(error, wire) from None
                return found.output

        return desk.run(asked)

    def working(
        self,
        instructions: str,
        prompt: str,
        tools: Sequence[Tool],
        *,
        request_limit: int,
        temperature: float | None,
        max_result_chars: int,
    ) -> AgentRun:
        """What a model says after it has worked with tools, or when its requests were used up."""
        desk: Desk[AgentRun] = self._desk(request_limit)

        async def worked() -> AgentRun:
            async with open_model(self.ready, self._pause) as (model, wire):
                agent: Agent[object, str | None] = Agent(
                    model,
                    output_type=[str, type(None)],  # having nothing to say is a fine end
                    instructions=_clean(instructions),
                    name="memtree",
                    retries={"output": _REPAIRS, "tools": request_limit},
                    tools=[self._library_tool(tool, desk, max_result_chars) for tool in tools],
                    model_settings=self._settings(temperature),
                )
                agent.instrument = False
                limits = UsageLimits(request_limit=request_limit, tool_calls_limit=request_limit * _CALLS_A_REQUEST)
                with capture_run_messages() as messages:
                    try:
                        found = await agent.run(_clean(prompt), usage=self._spent, usage_limits=limits)
                    except UsageLimitExceeded:
                        return self._ended(_last_words(messages), max_result_chars, incomplete=True)
                    except _UNREADABLE as error:
                        trouble = self._trouble(error, wire)
                        # What its tools did stands; asked again it would do it twice.
                        if isinstance(trouble, BadReply) and self._calls:
                            return self._ended(_last_words(messages), max_result_chars, incomplete=True)
                        raise trouble from None
                return self._ended(found.output or "", max_result_chars, incomplete=False)

        try:
            return desk.run(worked)
        except RunOver:
            return self._ended("", max_result_chars, incomplete=False)

    def _desk(self, requests: int) -> Desk[Any]:
        """A desk that waits for as long as all requests and their repetitions may take, and a little."""
        chosen = self.ready.model
        once = (chosen.retries + 1) * chosen.timeout + chosen.retries * LONGEST_PAUSE
        return Desk((requests + _REPAIRS) * once + 10)

    def _settings(self, temperature: float | None) -> ModelSettings:
        chosen = self.ready.model
        settings = ModelSettings(max_tokens=chosen.max_tokens)
        if chosen.provider == COMPATIBLE:
            settings["framing_announcement"] = "never"  # a second system message, which many servers refuse
        wanted = chosen.temperature if temperature is None else temperature
        if wanted is not None:
            settings["temperature"] = wanted
        return settings

    def _library_tool(self, tool: Tool, desk: Desk[AgentRun], most: int) -> LibraryTool[object]:
        @functools.wraps(tool.function)
        async def called(*positional: Any, **named: Any) -> str:
            self._calls.append(tool.name)
            result: str = await desk.do(lambda: _result(tool, positional, named))
            return _cut(result, most)

        return LibraryTool(called, takes_ctx=False, name=tool.name, description=tool.description, sequential=True)

    def _ended(self, text: str, most: int, *, incomplete: bool) -> AgentRun:
        return AgentRun(_cut(_clean(text).strip(), most), self.usage, tuple(self._calls), incomplete)

    def _trouble(self, error: Exception, wire: Wire) -> Error:
        """What went wrong, as one of ours. Nothing of the library's own words: they hold what was asked and answered."""
        if wire.trouble is not None:
            if isinstance(wire.trouble, BadReply):
                wire.trouble.usage = self.usage
            return wire.trouble
        who = wire.line.who
        if isinstance(error, OutputTokenLimitExceeded):
            return BadReply(f"{who} was cut off at max_tokens ({self.ready.model.max_tokens:,})", self.usage, cut=True)
        if isinstance(error, UsageLimitExceeded | UnexpectedModelBehavior):
            why = f": {self._complaint[:_COMPLAINT]}" if self._complaint else ""
            return BadReply(f"{who} answered nothing that can be used{why}", self.usage)
        return BadReply(f"{who} answered what its client could not read ({type(error).__name__})", self.usage)


def _result(tool: Tool, positional: tuple[Any, ...], named: dict[str, Any]) -> str:
    try:
        return str(tool.function(*positional, **named))
    except Error as error:
        return f"Error: {error}. {error.hint}".strip()


def _last_words(messages: Sequence[ModelMessage]) -> str:
    """The last text that the model said."""
    said = (message.text for message in reversed(messages) if isinstance(message, ModelResponse))
    return next((text for text in said if text), "")


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = f"…\n{CLOSE}" if text.startswith(OPEN) and text.endswith(CLOSE) and most > len(fenced("")) else "…"
    return text[: most - len(end)] + end  # what is fenced as data stays so


def _clean(text: str) -> str:
    """A text that can be sent: halves of characters, which some programs leave in names, cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")
