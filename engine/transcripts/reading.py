"""Reading: what the readers of all agents' transcripts share: the result, a turn while it is put together, fields of any type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memtree.tree.agent_turn import LONGEST, AgentTurn, ToolCall
from memtree.tree.front_matter import epoch_milliseconds
from memtree.tree.moments import YEAR_10000
from memtree.tree.redactor import Json
from memtree.tree.scalars import clean

CLAUDE_CODE, CODEX, OPENCLAW = AGENTS = ("claude-code", "codex", "openclaw")
_ID = 500  # characters
# Far above what a turn's file keeps: a text must be shortened after secrets were taken out, for half a key is a secret that no rule
# knows. Here only what would fill the memory is dropped.
_LONG, _MANY, _DEEP = 64 * 1024, 1_000, 30


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a file says. `session` and `cwd` are the file's own; a turn names the session that it belongs to itself.

    `problems` are sentences about lines that were left out. `complete_last` is False when the last line was still being written.
    """

    session: str
    cwd: str = ""
    turns: tuple[AgentTurn, ...] = ()
    problems: tuple[str, ...] = ()
    complete_last: bool = True


class Result(NamedTuple):
    """What a tool gave back: whether it failed, and what it said then."""

    failed: bool
    error: str = ""


@dataclass(slots=True)
class OpenTurn:
    """A turn that still grows. `prompt` is its key; `last` the id of the last line that added something; `added` how many did."""

    session: str
    prompt: str
    last: str
    user: str
    timestamp: int | None
    source: str
    texts: list[str] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    model: str = ""
    cost: float | None = None
    added: int = 0

    def say(self, text: str, last: str) -> None:
        """Add what the agent said."""
        if text.strip():
            self.texts.append(text.strip("\n"))
            self._note(last)

    def call(self, id: str, name: str, value: Json, last: str) -> None:  # noqa: A002
        """Add a call of a tool, its input `bounded`; `id` is what its result names."""
        self.calls[id or f"#{len(self.calls)}"] = ToolCall(name, value)
        self._note(last)

    def answered(self, id: str, result: Result, last: str) -> bool:  # noqa: A002
        """Add what a tool gave back; False when no call of this turn has that id."""
        call = self.calls.get(id)
        if call is None:
            return False
        self.calls[id] = ToolCall(call.name, call.input, result.failed, result.error if result.failed else "")
        self._note(last)
        return True

    def pay(self, cost: float | None) -> None:
        """Add to what the turn cost, in US dollars."""
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def _note(self, last: str) -> None:
        self.last = last
        self.added += 1

    def closed(self) -> AgentTurn:
        """The turn as it stands now."""
        return AgentTurn(
            session=self.session,
            user=_fitting(self.user),
            assistant=_fitting("\n\n".join(self.texts)),
            timestamp=self.timestamp,
            uuid=self.last,
            prompt_uuid=self.prompt,
            tool_calls=tuple(self.calls.values()),
            model=self.model,
            cost=self.cost,
            source=self.source,
        )


def _fitting(text: str) -> str:
    """A text that a turn can hold: one that is longer ends where a line does, so that no key is cut in two."""
    if len(text) <= LONGEST:
        return text
    room = LONGEST - 100
    end = max(text.rfind("\n", 0, room), text.rfind(" ", 0, room))
    return f"{text[: max(end, 0)]}\n… ({len(text) - max(end, 0):,} more characters, in the transcript)".lstrip("\n")


def text_of(value: object) -> str:
    """A text as it can be stored; '' for what is none."""
    return clean(value) if isinstance(value, str) else ""


def id_of(value: object) -> str:
    """An id, '' for what can be none."""
    return clean(value) if isinstance(value, str) and 0 < len(value) <= _ID and value.strip() else ""


def object_of(value: object) -> dict[str, Any]:
    """A JSON object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def time_of(value: object) -> int | None:
    """A time as UTC epoch milliseconds; None for what says none or lies outside the years that can be written."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    if isinstance(value, int) and not 0 <= value < YEAR_10000:
        return None
    moment = epoch_milliseconds(str(value))
    return moment if moment is not None and 0 <= moment < YEAR_10000 else None


def money_of(value: object) -> float | None:
    """An amount, None for what is none."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9 else None


def text_in(content: object, kind: str = "text") -> str:
    """The texts of a message's content, as one; a picture is only named. `content` is a text or a list of blocks."""
    if isinstance(content, str):
        return clean(content)
    parts = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            parts.append(clean(block))
        elif isinstance(block, dict):
            form = block.get("type")
            if form == kind:
                parts.append(text_of(block.get("text")))
            elif isinstance(form, str) and form.removeprefix("input_") in ("image", "document", "file"):
                parts.append(f"[{form.removeprefix('input_')}]")
    return "\n\n".join(part for part in parts if part.strip())


def bounded(value: Json, deep: int = 0) -> Json:
    """A JSON value without what would fill the memory: endless texts and lists, depths that no writer can walk."""
    if isinstance(value, str):
        return clean(value if len(value) <= _LONG else f"{value[:_LONG]}… ({len(value) - _LONG:,} more characters)")
    if isinstance(value, (list, dict)) and deep == _DEEP:
        return "…"
    if isinstance(value, list):
        return [bounded(item, deep + 1) for item in value[:_MANY]]
    if isinstance(value, dict):
        return {clean(key[:_LONG]): bounded(item, deep + 1) for key, item in list(value.items())[:_MANY]}
    return value
