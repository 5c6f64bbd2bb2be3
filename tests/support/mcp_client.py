"""Clients of the MCP server for tests: the SDK's own, driven from ordinary code; and the bare wire, for what that cannot send."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from memtree.engine.workspace import Options
from memtree.tools.mcp.server import serving
from support.cli import MEMTREE, environment


class Session:
    """An open session. What a tool answers comes back as the SDK gives it."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client

    def start(self, tool: str, **arguments: Any) -> Future[CallToolResult]:
        """Call a tool without waiting for its answer."""
        return self._portal.start_task_soon(self.client.call_tool, tool, arguments)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        return self.start(tool, **arguments).result(timeout=120)

    def good(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The plain fields of an answer that is no error."""
        result = self.call(tool, **arguments)
        assert not result.is_error, words(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def bad(self, tool: str, **arguments: Any) -> str:
        """The words of an answer that is an error."""
        result = self.call(tool, **arguments)
        assert result.is_error, words(result)
        return words(result)

    def read(self, uri: str) -> str:
        """A resource's text."""
        found = self._portal.call(self.client.read_resource, uri)
        return "".join(getattr(one, "text", "") for one in found.contents)

    def prompt(self, name: str, **arguments: str) -> str:
        """What a prompt says."""
        found = self._portal.call(self.client.get_prompt, name, arguments)
        return "\n".join(part.content.text for part in found.messages if isinstance(part.content, TextContent))

    def prompts(self) -> dict[str, Any]:
        return {prompt.name: prompt for prompt in self._portal.call(self.client.list_prompts).prompts}

    def told(self, tool: str, **arguments: Any) -> tuple[CallToolResult, list[str]]:
        """What a tool answers, and what it says while it works."""
        said: list[str] = []

        async def heard(_progress: float, _total: float | None, message: str | None) -> None:
            said.append(message or "")

        async def asked() -> CallToolResult:
            return await self.client.call_tool(tool, arguments, progress_callback=heard)

        return self._portal.call(asked), said

    def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in self._portal.call(self.client.list_tools).tools}


def words(result: CallToolResult) -> str:
    """What the model is shown."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@contextlib.contextmanager
def in_process(root: str | os.PathLike[str] | None, options: Options | None = None, mode: str = "auto") -> Iterator[Session]:
    """A session with a server in this process."""
    with _connected(serving(os.fspath(root) if root is not None else None, options), mode) as session:
        yield session


@contextlib.contextmanager
def as_process(root: str | os.PathLike[str], mode: str = "auto") -> Iterator[Session]:
    """A session with `memtree mcp` as a process of its own."""
    command, *arguments = (*MEMTREE, "-w", os.fspath(root), "mcp")
    with _connected(StdioServerParameters(command=command, args=arguments, env=environment()), mode) as session:
        yield session


@contextlib.contextmanager
def _connected(target: Any, mode: Any) -> Iterator[Session]:
    with start_blocking_portal("asyncio") as portal, portal.wrap_async_context_manager(Client(target, mode=mode)) as client:
        yield Session(portal, client)


class Wire:
    """The lines of the protocol as they are, to and from a process."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        pipe = subprocess.PIPE
        command = (sys.executable, *MEMTREE[1:], "-w", os.fspath(root), "mcp")
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment())
        self._number = 0

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, parameters: str) -> Any:
        """Send a request whose parameters are JSON as it is written, and return the answer to it."""
        self._number += 1
        self.send(f'{{"jsonrpc":"2.0","id":{self._number},"method":"{method}","params":{parameters}}}'.encode())
        while True:
            answer = self.line()
            if answer.get("id") == self._number:
                return answer

    def line(self) -> Any:
        """The next line of standard output, which must be a message of the protocol."""
        assert self.process.stdout is not None
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    def end(self) -> tuple[int, bytes, bytes]:
        """Close standard input; return the exit code and what was left on both streams."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err
