"""The hooks of agents: which of their events call memtree, where that is set, and the settings with and without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from memtree.hooks.connect.command_line import Call, recognised, shell_line, shell_words
from memtree.hooks.connect.errors import Misshapen
from memtree.hooks.connect.json_settings import Json, Number
from memtree.hooks.connect.places import claude_settings, codex_file

_HOOKS = "hooks"  # the key of all events, and in each group that of its commands


@dataclass(frozen=True, slots=True)
class Agent:
    """A program with hooks: its name in commands and to people, its events with their limits in seconds, where they are set."""

    name: str
    title: str
    events: Mapping[str, int]
    path: Callable[[Mapping[str, str]], str]
    advice: str

    @property
    def tail(self) -> tuple[str, ...]:
        """The end of the command that it calls."""
        return ("hook", self.name)


_EVENTS = {"SessionStart": 10, "UserPromptSubmit": 5, "Stop": 10, "PreCompact": 10, "SessionEnd": 10}
AGENTS = {
    agent.name: agent
    for agent in (
        Agent("claude-code", "Claude Code", _EVENTS, claude_settings, "It takes part from the next session on."),
        Agent(
            "codex",
            "Codex",
            _EVENTS | {"SessionEnd": 3},  # Codex allows no more there
            lambda environment: codex_file(environment, "hooks.json"),
            "Codex skips new hooks until you approve them: type /hooks in Codex, once.",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class HookEntries:
    """Our commands in the settings of one agent, as functions from settings to settings. Nobody else's entry is changed."""

    agent: Agent

    def found(self, settings: Json) -> Call | None:
        """The workspace that the agent is connected to; None where none of our commands is there."""
        return next((call for _, handler in _handlers(settings) if (call := self._ours(handler)) is not None), None)

    def connected(self, settings: Json, words: list[str]) -> Json:
        """The settings in which each event calls these words, once; raise Misshapen where there is no place for that."""
        line = shell_line(words)
        events = _events(settings.get(_HOOKS, {}))
        new = {event: self._called(groups, line) if event in self.agent.events else groups for event, groups in events.items()}
        new = {event: self._left(groups) if event not in self.agent.events else groups for event, groups in new.items()}
        new = {event: groups for event, groups in new.items() if groups or not events[event]}
        for event, seconds in self.agent.events.items():
            groups = _groups(new.get(event, []), event)
            if not any(self._ours(handler) for handler in _handlers_of(groups)):
                handler = {"type": "command", "command": line, "timeout": Number(str(seconds))}
                new[event] = [*groups, {_HOOKS: [handler]}]
        return settings | {_HOOKS: new}

    def disconnected(self, settings: Json, before: Json) -> Json:
        """The settings without our commands and without what they leave empty; what `before` has stays, though empty."""
        events = settings.get(_HOOKS)
        if self.found(settings) is None or not isinstance(events, dict):
            return settings
        then = before.get(_HOOKS) if isinstance(before.get(_HOOKS), dict) else None
        left = {event: self._left(groups) for event, groups in events.items()}
        left = {event: groups for event, groups in left.items() if groups or not events[event] or event in (then or {})}
        if left or then is not None:
            return settings | {_HOOKS: left}
        return {key: value for key, value in settings.items() if key != _HOOKS}

    def by_hand(self, words: list[str]) -> str:
        """What somebody would write into the file instead of us."""
        line = shell_line(words)
        return f"repair it, or add by hand: a command hook for each of {', '.join(self.agent.events)} that runs {line}"

    def remarks(self, settings: Json) -> tuple[str, ...]:
        """What a person should know who connects the agent with such settings."""
        off = ("disableAllHooks is true there: no hook runs until you change that",)
        return (self.agent.advice, *(off if settings.get("disableAllHooks") is True else ()))

    def _ours(self, handler: Json) -> Call | None:
        if not isinstance(handler, dict) or not isinstance(line := handler.get("command"), str):
            return None
        return recognised(shell_words(line), self.agent.tail)

    def _called(self, groups: Json, line: str) -> Json:
        """An event's groups with the first of our commands brought up to date and no second one."""
        seen = False

        def kept(handler: Json) -> Json | None:
            nonlocal seen
            if self._ours(handler) is None:
                return handler
            if seen:
                return None
            seen = True
            return handler if handler["command"] == line else handler | {"command": line}

        return _each_handler(groups, kept)

    def _left(self, groups: Json) -> Json:
        """An event's groups without our commands."""
        return _each_handler(groups, lambda handler: handler if self._ours(handler) is None else None)


def _each_handler(groups: Json, kept: Callable[[Json], Json | None]) -> Json:
    """The groups with each handler as `kept` returns it, None for gone; a group goes with its last handler."""
    if not isinstance(groups, list):
        return groups
    new: list[Json] = []
    for group in groups:
        if not isinstance(group, dict) or not isinstance(handlers := group.get(_HOOKS), list):
            new.append(group)
            continue
        left = [one for handler in handlers if (one := kept(handler)) is not None or handler is None]
        if left or not handlers:
            new.append(group if left == handlers else group | {_HOOKS: left})
    return new


def _handlers(settings: Json) -> Iterator[tuple[str, Json]]:
    """Every handler with its event, as far as the settings have the usual form."""
    events = settings.get(_HOOKS)
    for event, groups in events.items() if isinstance(events, dict) else ():
        yield from ((event, handler) for handler in _handlers_of(groups))


def _handlers_of(groups: Json) -> Iterator[Json]:
    for group in groups if isinstance(groups, list) else ():
        handlers = group.get(_HOOKS) if isinstance(group, dict) else None
        yield from handlers if isinstance(handlers, list) else ()


def _events(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise Misshapen("hooks is not an object ({…})", _HOOKS)
    return value


def _groups(value: Json, event: str) -> list[Json]:
    if not isinstance(value, list):
        raise Misshapen(f"hooks.{event} is not a list ([…])", _HOOKS, event)
    return value
