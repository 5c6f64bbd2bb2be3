"""Telling a client that a long call goes on: a model is asked, or the first question of a large memory builds the graph."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult

from memtree.tools.mcp.failing import tool_errors

_BEAT = 2.0  # seconds between two signs that it still works


async def telling(context: Context[Any, Any], what: str, work: Callable[[], CallToolResult]) -> CallToolResult:
    """Do something long in a thread of its own, and tell the client again and again that it goes on."""
    ended: list[CallToolResult | BaseException] = []
    started = time.monotonic()

    async def beat() -> None:
        while True:
            await context.report_progress(time.monotonic() - started, None, what)
            await anyio.sleep(_BEAT)

    async with anyio.create_task_group() as group:
        group.start_soon(beat)
        ended.append(await anyio.to_thread.run_sync(functools.partial(_outcome, work), abandon_on_cancel=True))
        group.cancel_scope.cancel()
    (outcome,) = ended
    if isinstance(outcome, BaseException):
        with tool_errors():
            raise outcome
    return outcome


def _outcome(work: Callable[[], CallToolResult]) -> CallToolResult | BaseException:
    # A group of tasks would wrap what is raised in it.
    try:
        return work()
    except BaseException as error:  # noqa: BLE001 - raised again by who waits
        return error
