"""Definition: what an agent is called, which model it asks, how long it may run, which tools it has. Read from `agent.toml`."""

from __future__ import annotations

import enum
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memtree.tree.errors import UserError

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_LINE = 500  # characters
_TOOLS = 40


class Sandbox(enum.StrEnum):
    """What an agent's tools may do: anything that they can, or nothing but look (two words for the same)."""

    NONE = "none"
    SANDBOXED = "sandboxed"
    READ_ONLY = "read_only"

    @property
    def may_write(self) -> bool:
        return self is Sandbox.NONE


class Tier(enum.StrEnum):
    """How much an agent is trusted with: talk with a person, plan and delegate, or do one thing and report."""

    CHAT = "chat"
    REASONING = "reasoning"
    WORKER = "worker"


class Role(enum.StrEnum):
    """The models that a workspace can name, by what they are for."""

    LOCAL = "local"
    CHAT = "chat"
    AGENTIC = "agentic"
    SUMMARIZATION = "summarization"


class BadDefinition(UserError):
    """A definition that says something wrong; `path` and `key` say where."""

    def __init__(self, path: str, key: str, reason: str) -> None:
        super().__init__(f"{path}: {f'{key} ' if key else ''}{reason}", hint=f"correct {path}, or remove the line")
        self.path = path
        self.key = key


@dataclass(frozen=True, slots=True)
class Definition:
    """An agent. `max_iterations` are requests to the model, `max_result_chars` characters of what it says in the end.

    `hint` is the role of the model it asks, `tools` the names of the only tools that it gets, `delegates` the names by which it may
    have other agents work (by the tool call_memory_agent). What `omit_*` names is left out of its prompt: who it is, what memory
    tells every session, what is data and what is not, the user's profile, MEMORY.md.
    """

    id: str
    display_name: str
    delegate_name: str
    when_to_use: str
    temperature: float
    max_iterations: int
    max_result_chars: int
    sandbox_mode: Sandbox
    agent_tier: Tier
    background: bool
    hint: Role
    omit_identity: bool
    omit_memory_context: bool
    omit_safety_preamble: bool
    omit_profile: bool
    omit_memory_md: bool
    tools: tuple[str, ...]
    delegates: tuple[str, ...]


class _Unfit(ValueError):
    """A value that a key cannot have; the message follows the key's name."""


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise _Unfit("must be a name of small letters, digits and _")
    return value


def _line(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > _LINE or not value.isprintable():
        raise _Unfit(f"must be one line of text, at most {_LINE} characters")
    return value.strip()


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Unfit("must be true or false")
    return value


def _temperature(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2:
        raise _Unfit("must be a number from 0 to 2")
    return float(value)


def _between(least: int, most: int) -> Callable[[Any], int]:
    def number(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise _Unfit(f"must be a whole number from {least:,} to {most:,}")
        return value

    return number


def _one_of(kind: type[enum.StrEnum]) -> Callable[[Any], enum.StrEnum]:
    def chosen(value: Any) -> enum.StrEnum:
        names = [one.value for one in kind]
        if not isinstance(value, str) or value not in names:
            raise _Unfit(f"must be one of {', '.join(names)}")
        return kind(value)

    return chosen


def _names_of(what: str) -> Callable[[Any], tuple[str, ...]]:
    def names(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) > _TOOLS:
            raise _Unfit(f"must be a list of at most {_TOOLS} names of {what}")
        return tuple(dict.fromkeys(_name(one) for one in value))

    return names


# The keys as they stand in the file, with a dot for those of a table -> field, and what makes a value of the file one of ours.
_KEYS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "id": ("id", _name),
    "display_name": ("display_name", _line),
    "delegate_name": ("delegate_name", _name),
    "when_to_use": ("when_to_use", _line),
    "temperature": ("temperature", _temperature),
    "max_iterations": ("max_iterations", _between(1, 50)),
    "max_result_chars": ("max_result_chars", _between(200, 100_000)),
    "sandbox_mode": ("sandbox_mode", _one_of(Sandbox)),
    "agent_tier": ("agent_tier", _one_of(Tier)),
    "background": ("background", _flag),
    "model.hint": ("hint", _one_of(Role)),
    "omit_identity": ("omit_identity", _flag),
    "omit_memory_context": ("omit_memory_context", _flag),
    "omit_safety_preamble": ("omit_safety_preamble", _flag),
    "omit_profile": ("omit_profile", _flag),
    "omit_memory_md": ("omit_memory_md", _flag),
    "tools.named": ("tools", _names_of("tools")),
    "delegates.named": ("delegates", _names_of("agents")),
}
_TABLES = ("model", "tools", "delegates")


def keys_of(data: bytes, path: str) -> dict[str, Any]:
    """The keys that a file sets, each with its checked value; a key of a table is called `model.hint`. Raise BadDefinition."""
    try:
        raw = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadDefinition(path, "", f"is no TOML: {error}") from error
    return {key: _checked(key, value, path) for key, value in _flat(raw, path).items()}


def definition_of(keys: Mapping[str, Any], path: str) -> Definition:
    """The definition that checked keys make; raise BadDefinition where one is missing."""
    missing = next((key for key in _KEYS if key not in keys), "")
    if missing:
        raise BadDefinition(path, missing, "is missing")
    found = Definition(**{_KEYS[key][0]: value for key, value in keys.items()})
    if found.delegate_name in found.delegates:
        raise BadDefinition(path, "delegates.named", f"must not name {found.delegate_name}: no agent calls itself")
    return found


def as_keys(definition: Definition) -> dict[str, Any]:
    """The definition by the keys of its file, in their order."""
    return {key: getattr(definition, name) for key, (name, _) in _KEYS.items()}


def _flat(raw: Mapping[str, Any], path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in raw.items():
        if key not in _TABLES:
            found[key] = value
        elif isinstance(value, Mapping):
            found |= {f"{key}.{name}": below for name, below in value.items()}
        else:
            raise BadDefinition(path, key, f"must be a table: [{key}]")
    return found


def _checked(key: str, value: Any, path: str) -> Any:
    if key not in _KEYS:
        raise BadDefinition(path, repr(key), f"is no key of an agent; it may hold {', '.join(_KEYS)}")
    try:
        return _KEYS[key][1](value)
    except _Unfit as error:
        raise BadDefinition(path, key, str(error)) from None
