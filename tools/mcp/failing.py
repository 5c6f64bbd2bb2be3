"""How a tool fails: in memtree's own words with what to do about it, without a traceback, a secret, or the value that was sent."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError, UnexpectedToolError
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from memtree.tools.exits import explain
from memtree.tools.render import harmless
from memtree.tree.errors import Error
from memtree.tree.scalars import clean
from memtree.tree.secrets import redacted


@contextlib.contextmanager
def tool_errors() -> Iterator[None]:
    """Turn what memtree raises into what a client is told."""
    try:
        yield
    except (Error, OSError) as error:
        raise ToolError(told(error)) from error


@contextlib.contextmanager
def resource_errors() -> Iterator[None]:
    """The same for resources."""
    try:
        yield
    except (Error, OSError) as error:
        raise ResourceError(told(error)) from error


def told(error: BaseException) -> str:
    """An error as words for a client: the message, and below it what to do."""
    failure = explain(error)
    lines = filter(None, (failure.message, failure.hint))
    return "\n".join(redacted(harmless(clean(line))) for line in lines)


class Server(MCPServer[Any]):
    """The SDK's server, whose refusals of arguments do not repeat them."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise  # a bug: its words stay here, on standard error
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(_unfit(cause.errors(include_input=False, include_url=False))) from None
            if isinstance(cause, ToolError):
                raise ToolError(str(cause)) from cause.__cause__
            if cause is None:
                raise ToolError(redacted(str(error)[:300])) from None  # no such tool
            raise


def _unfit(problems: Sequence[Any]) -> str:
    """Which arguments do not fit, and why. What is said of one never holds what was sent."""
    lines = {f"{'.'.join(str(part)[:40] for part in problem['loc'][:3])}: {problem['msg']}" for problem in problems[:20]}
    return "\n".join(("the arguments do not fit:", *sorted(lines)))
