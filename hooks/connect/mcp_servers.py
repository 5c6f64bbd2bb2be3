"""MCP clients: where each keeps the servers of its user, and the settings with and without ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memtree.hooks.connect.command_line import Call, recognised
from memtree.hooks.connect.errors import Misshapen
from memtree.hooks.connect.json_settings import Json
from memtree.hooks.connect.places import claude_desktop, claude_state, codex_file, cursor_servers

NAME = "memtree"
TAIL = ("mcp",)


@dataclass(frozen=True, slots=True)
class Client:
    """A program that MCP servers serve: its names, its file (of an environment and a platform), the key of its servers there.

    `typed` is whether it writes down the kind of transport, `toml` whether its file is TOML.
    """

    name: str
    title: str
    path: Callable[[Mapping[str, str], str], str]
    key: str = "mcpServers"
    typed: bool = False
    toml: bool = False
    advice: str = ""


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            lambda environment, _: claude_state(environment),
            typed=True,
            advice="It serves sessions that start from now on; /mcp lists it.",
        ),
        Client("claude-desktop", "Claude Desktop", claude_desktop, advice="Restart Claude Desktop to load it."),
        Client(
            "cursor",
            "Cursor",
            lambda environment, _: cursor_servers(environment),
            advice="Enable it in Cursor's settings under MCP.",
        ),
        Client(
            "codex",
            "Codex",
            lambda environment, _: codex_file(environment, "config.toml"),
            key="mcp_servers",
            toml=True,
            advice="It serves sessions that start from now on; /mcp lists it.",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """Our server among those of one client, as functions from settings to settings. No other server is changed."""

    client: Client

    def found(self, settings: Json) -> Call | None:
        """The workspace that is served to the client; None where our server is not there."""
        servers = settings.get(self.client.key)
        return _ours(servers.get(NAME)) if isinstance(servers, dict) else None

    def connected(self, settings: Json, words: list[str]) -> Json:
        """The settings with a server that is started by these words; raise Misshapen where there is no place for it."""
        servers = settings.get(self.client.key, {})
        if not isinstance(servers, dict):
            raise Misshapen(f"{self.client.key} is not an object", self.client.key)
        there = servers.get(NAME)
        if there is not None and _ours(there) is None:
            raise Misshapen(f"a server called {NAME} that memtree did not put there", self.client.key, NAME)
        start = ({"type": "stdio"} if self.client.typed and there is None else {}) | {"command": words[0], "args": words[1:]}
        return settings | {self.client.key: servers | {NAME: (there or {}) | start}}

    def disconnected(self, settings: Json, before: Json) -> Json:
        """The settings without our server, and without the list of servers if that leaves it empty and `before` had none."""
        if self.found(settings) is None:
            return settings
        servers = {name: server for name, server in settings[self.client.key].items() if name != NAME}
        if servers or self.client.key in before:
            return settings | {self.client.key: servers}
        return {key: value for key, value in settings.items() if key != self.client.key}

    def by_hand(self, words: list[str]) -> str:
        """What somebody would write into the file instead of us."""
        start = json.dumps({"command": words[0], "args": words[1:]}, ensure_ascii=False)
        return f"repair it, or add by hand: a server to {self.client.key} that is started by {start}"

    def remarks(self, _settings: Json) -> tuple[str, ...]:
        """What a person should know who connects the client."""
        return (self.client.advice,) if self.client.advice else ()


def _ours(server: Json) -> Call | None:
    if not isinstance(server, dict) or not isinstance(server.get("command"), str) or not isinstance(server.get("args"), list):
        return None
    words = [server["command"], *server["args"]]
    return recognised(words, TAIL) if all(isinstance(word, str) for word in words) else None
