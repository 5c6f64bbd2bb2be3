"""Serving a hook: what an agent's program tells becomes an entry in the outbox, an answer from memory, or nothing.

It never fails: whatever is wrong, the agent goes on as if there were no memory, and the reason stands in the log.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from memtree.hooks import claude_code, codex, generic
from memtree.hooks.events import AgentEvent, Ignored, Kind, asks_something
from memtree.hooks.log import HookLog, harmless, told
from memtree.hooks.place import Place, find_place
from memtree.hooks.reading import NoObject, parsed

SWITCH = "MEMTREE_HOOKS"  # "off" in the environment: no hook does anything
MOST = 9_000  # characters of an answer
AGENTS = (claude_code.AGENT, codex.AGENT, generic.AGENT)


class Adapter(Protocol):
    """What there is for each agent."""

    def read(self, payload: Mapping[str, Any]) -> AgentEvent | Ignored:
        """The event that a payload tells."""
        ...

    def answer(self, event: AgentEvent, context: str) -> dict[str, Any]:
        """The object that hands a text to the agent."""
        ...


class Call(NamedTuple):
    """How a hook was called. `folders` are where its workspace may be, `words` what stood behind the agent's name.

    `read` gives the object on standard input; `start` starts the worker of a workspace; `clock` gives nanoseconds since 1970.
    """

    agent: str
    words: Sequence[str]
    folders: Sequence[str]
    environment: Mapping[str, str]
    read: Callable[[], dict[str, Any]]
    start: Callable[[str], object]
    clock: Callable[[], int] = time.time_ns


class Served(NamedTuple):
    """What goes to standard output, and what to standard error."""

    output: str = ""
    complaint: str = ""


def serve(call: Call) -> Served:
    """Do what the event asks for. Raises nothing but what ends a process."""
    if call.environment.get(SWITCH, "").lower() == "off":
        return Served()
    hook = _Hook(call)
    try:
        return Served(hook.run(), hook.complaint)
    except Exception as error:  # noqa: BLE001 - an agent must not stop for its memory, whatever is wrong with that
        hook.complain(told(error))
        return Served("", hook.complaint)


class _Hook:
    def __init__(self, call: Call) -> None:
        self._call = call
        self._told = ("", "")
        self._log: HookLog | None = None
        self.complaint = ""

    def run(self) -> str:
        call = self._call
        adapter = _adapter(call.agent)
        place = next((there for folder in call.folders if (there := find_place(folder)) is not None), None)
        self._log = HookLog(place.state) if place is not None else None
        payload = self._payload()
        found = adapter.read(payload)
        self._told = (found.name, found.session)
        if place is not None:
            from memtree.hooks.guarding import loggable

            self._told = loggable(found.name, found.session, place.root)
        if isinstance(found, Ignored):
            self._write(f"ignored: {found.reason}")
            return ""
        if place is None:
            self.complain("no memtree workspace here; memtree init makes one, memtree hooks install names one")
            # A person sees no standard error of a hook: without a word here memory would stop unnoticed.
            shows = found.kind is Kind.SESSION_START and call.agent == claude_code.AGENT
            return json.dumps(claude_code.warning(self.complaint)) if shows else ""
        context = self._recalled(found, place) if found.kind in (Kind.SESSION_START, Kind.PROMPT) else ""
        if _is_kept(found, call.agent):
            self._keep(found, place)
        return fitting(lambda text: adapter.answer(found, text), context) if context else ""

    def complain(self, reason: str) -> None:
        """Tell what went wrong, once to the log and once to the caller."""
        self._write(reason)
        self.complaint = f"memtree hook {self._call.agent}: {harmless(reason, 300)}"

    def _write(self, message: str) -> None:
        if self._log is not None:
            self._log.line(self._call.agent, *self._told, message)

    def _payload(self) -> dict[str, Any]:
        first = next((word for word in self._call.words if word.lstrip().startswith("{")), None)
        if first is None:
            return self._call.read()
        found = parsed(first.encode("utf-8", "replace"))
        if found is None:
            raise NoObject("the argument is no JSON object")
        return found

    def _recalled(self, event: AgentEvent, place: Place) -> str:
        if event.kind is Kind.PROMPT and not asks_something(event.prompt):
            return ""
        from memtree.hooks.recall import recalled

        try:
            found = recalled(event, place, self._call.clock() / 1e9)
            for note in found.notes:
                self._write(note)
            return found.text
        except Exception as error:  # noqa: BLE001 - what was said is still recorded
            self.complain(told(error))
            return ""

    def _keep(self, event: AgentEvent, place: Place) -> None:
        from memtree.hooks.capturing import captures

        if event.kind is not Kind.SESSION_START and not captures(place.root, self._call.environment):
            return
        from memtree.hooks.guarding import guarded
        from memtree.hooks.outbox import Outbox

        safe = guarded(event, place.root)
        if event.transcript and not safe.transcript:
            self._write("the transcript's path holds a secret: it is not read")
        _, dropped = Outbox(place.state).add(safe, self._call.clock())
        if dropped:
            self.complain(f"the outbox is full: {dropped} of its oldest events were dropped")
        self._call.start(place.root)


def _adapter(agent: str) -> Adapter:
    return {claude_code.AGENT: claude_code, codex.AGENT: codex, generic.AGENT: generic}[agent]


def _is_kept(event: AgentEvent, agent: str) -> bool:
    """Whether the worker has to do with it: a prompt comes with its turn, in the transcript or in an event of its own."""
    return event.kind is not Kind.PROMPT or (agent != generic.AGENT and not event.transcript)


def fitting(made: Callable[[str], dict[str, Any]], context: str) -> str:
    """The answer as JSON that is not longer than an agent takes: the end of the context goes where it is, its fence stays."""
    from memtree.tree.context_fence import CLOSE

    text = json.dumps(made(context), ensure_ascii=False)
    body = context.removesuffix(CLOSE)
    close = context[len(body) :]
    while len(text) > MOST and body:
        body = body[: min(len(body) - 1, len(body) * MOST // len(text))]
        text = json.dumps(made(body + close), ensure_ascii=False)
    return text if len(text) <= MOST else ""
