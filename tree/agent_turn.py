"""AgentTurn: what a user asked and what an agent answered, as it becomes the two files of an episode.

The user's message is one file, the agent's answer the next, a millisecond later. The answer's header carries the id of what it
answers (the two can come apart, and two machines can give one number), the calls of tools, the model, the cost in US dollars, and
the lesson when a tool failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from memtree.tree.context_fence import without_fenced
from memtree.tree.episode import Episode
from memtree.tree.redactor import Json, Redactor
from memtree.tree.scalars import clean, written

USER, ASSISTANT = "user", "assistant"
UUID, PROMPT = "uuid", "prompt"
KEYS = (UUID, PROMPT, "model", "cost", "lesson", "tool_calls")

LONGEST = 4 * 1024 * 1024  # characters of what one side says; a longer text is a file, not a turn

_DEEP, _MANY, _LONG, _KEY = 6, 50, 2_000, 100  # nesting, items, characters of a text, of a key
_ROUGH = 256 * 1024  # a text is first cut here, so that redacting a file that a tool wrote takes no minutes
_CALLS, _HEADER = 200, 16_384  # calls; characters of their JSON, because every reader of the file reads its header
_NAME = 200
_RICH = 1e9  # US dollars
_DIGITS = 1_000  # of a number; Python itself refuses to write far longer ones
_LAST_MOMENT = 253_402_300_799_999  # epoch milliseconds: the end of the year 9999
# What JSON may hold in a text and YAML may not hold anywhere.
_UNFIT = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_SHORTENED = "… ({:,} more characters)"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool. `input` is a JSON value; `error` is what a call that failed said."""

    name: str
    input: Json = None
    failed: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """One turn. `timestamp` is when the user spoke, in UTC epoch milliseconds.

    `uuid` is the turn's own id, that of its last message: the same turn delivered again has the same. `prompt_uuid` is the id of
    the user's message where it has one, and stays the same while the answer still grows. `cost` is in US dollars.
    """

    session: str
    user: str = ""
    assistant: str = ""
    timestamp: int | None = None
    uuid: str = ""
    prompt_uuid: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    model: str = ""
    cost: float | None = None
    source: str = ""
    speaker: str = ""

    def safe(self, redactor: Redactor) -> AgentTurn:
        """The turn without secrets, without what memory itself had put into it, and with the inputs of tools at a sane size."""
        calls = (_safe_call(call, redactor) for call in self.tool_calls[:_CALLS])
        return replace(
            self,
            session=redactor.id(self.session),
            uuid=redactor.id(self.uuid),
            prompt_uuid=redactor.id(self.prompt_uuid),
            user=redactor.text(without_fenced(self.user)).strip("\n"),
            assistant=redactor.text(without_fenced(self.assistant)).strip("\n"),
            tool_calls=tuple(calls),
            model=redactor.text(self.model)[:_NAME],
            source=redactor.text(self.source)[:_NAME],
            speaker=redactor.text(self.speaker)[:_NAME],
        )

    @property
    def says_something(self) -> bool:
        return bool(self.user.strip() or self.answered)

    @property
    def answered(self) -> bool:
        """Whether the agent said or did anything."""
        return bool(self.assistant.strip() or self.tool_calls)

    @property
    def asked(self) -> str:
        """The id that the user's message and every version of the answer have in common, '' for none."""
        return self.prompt_uuid or self.uuid

    @property
    def lesson(self) -> str:
        """What failed, '' when nothing did."""
        failed = dict.fromkeys(call.name for call in self.tool_calls if call.failed)
        return f"Tools that failed in this turn: {_cut(', '.join(failed), _LONG)}" if failed else ""

    def episodes(self, seq: int) -> Iterator[Episode]:
        """The turn as files, the user's first; one that would say nothing is left out. The numbers follow from `seq`."""
        if self.user.strip():
            extra = _line(UUID, self.asked)
            yield Episode(self.session, seq, self.user, self.timestamp, USER, self.speaker, self.source, extra)
            seq += 1
        if self.answered:
            later = self.timestamp if self.timestamp in (None, _LAST_MOMENT) else self.timestamp + 1
            yield Episode(self.session, seq, self.assistant, later, ASSISTANT, "", self.source, self._header())

    def _header(self) -> str:
        calls = f"tool_calls: {_as_yaml(_within(self.tool_calls))}\n" if self.tool_calls else ""
        cost = f"cost: {_amount(self.cost)}\n" if self.cost is not None and 0 <= self.cost < _RICH else ""
        ids = _line(UUID, self.uuid) + _line(PROMPT, self.asked if self.asked != self.uuid else "")
        return f"{ids}{_line('model', self.model)}{cost}{_line('lesson', self.lesson)}{calls}"


def _safe_call(call: ToolCall, redactor: Redactor) -> ToolCall:
    # Redacted before it is shortened for good: half a key is a secret that no rule knows.
    name = " ".join(redactor.text(call.name).split())[:_NAME] or "unnamed"
    given = _shortened(redactor.value(_shortened(call.input, _ROUGH)), _LONG)
    return ToolCall(name, given, call.failed, _cut(redactor.text(call.error[:_ROUGH]), _LONG // 4))


def _within(calls: Iterable[ToolCall]) -> list[Json]:
    """The calls; once their inputs have filled the header, the others are only named."""
    told, left = [], _HEADER
    for call in calls:
        one = _told(call)
        if (size := len(json.dumps(one, ensure_ascii=False, default=str))) > left:
            one = _told(replace(call, input=None, error=""))
        else:
            left -= size
        told.append(one)
    return told


def _told(call: ToolCall) -> dict[str, Json]:
    told: dict[str, Json] = {"name": call.name}
    if call.input is not None:
        told["input"] = call.input
    if call.failed:
        told["error"] = call.error or True
    return told


def _shortened(value: Json, longest: int, deep: int = 0) -> Json:
    """A value without endless texts, lists and depths: who needs the whole input finds it in the agent's own transcript."""
    if isinstance(value, str):
        return _cut(value, longest)
    if isinstance(value, (int, float)):
        return value if -(10**_DIGITS) < value < 10**_DIGITS else "[left out: no number that can be written]"
    if isinstance(value, (list, tuple, dict)) and deep == _DEEP:
        return _cut(_dumped(value), longest)
    if isinstance(value, (list, tuple)):
        more = [f"… ({len(value) - _MANY:,} more)"] if len(value) > _MANY + 1 else list(value[_MANY:])
        return [_shortened(item, longest, deep + 1) for item in (*value[:_MANY], *more)]
    if isinstance(value, dict):
        of_key = _KEY if longest == _LONG else longest
        return {_cut(str(key), of_key): _shortened(item, longest, deep + 1) for key, item in list(value.items())[:_MANY]}
    return value


def _dumped(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        return "[left out: no JSON that can be written]"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + _SHORTENED.format(len(text) - most)


def _line(key: str, value: str) -> str:
    return f"{key}: {written(value)}\n" if value else ""


def _amount(cost: float) -> str:
    return f"{abs(cost):.6f}".rstrip("0").rstrip(".") or "0"


def _as_yaml(value: Json) -> str:
    """JSON on one line, which is YAML too once the characters are escaped that YAML cannot hold."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    return _UNFIT.sub(lambda found: f"\\u{ord(found[0]):04x}", clean(text))
