"""mcp: a search through `memtree mcp` as a process of its own, asked by the SDK's client; beside the same queries in process.

`mcp_search_…` are answers alone; `mcp_scan_…` those before which the server looks for edits, having last done so a while ago.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memtree.engine.workspace import Workspace
from memtree.indexers.query import Query
from memtree.tools.bench.corpus import environment
from memtree.tools.bench.ground import Ground, options
from memtree.tools.bench.measure import Cost, Result, Series, figure
from memtree.tools.bench.search import queries

if TYPE_CHECKING:
    from mcp import Client

_WARMING = 6.0  # seconds in which a server loads the model and the graph
_SCANS = 15
_TURNS = 15


def mcp_figures(ground: Ground, files: int, repetitions: int) -> Result:
    """Ask `repetitions` queries and record some turns over the protocol; times are those the client sees."""
    import anyio

    root = ground.workspace(files)
    asked = [*queries(ground.seed, repetitions)["mixed"]]
    with Workspace.open(root, options()) as workspace:
        workspace.save()
        alone = Series()
        workspace.search(Query("warm"))
        for text in asked:
            alone.time(lambda words=text: workspace.search(Query(words), capture=False))  # type: ignore[misc]
    measured = anyio.run(_measured, root, asked, repetitions)
    return {"mcp_alone_ms": figure(alone.median), "mcp_alone_p95_ms": figure(alone.p95), **measured}


async def _measured(root: str, asked: Sequence[str], repetitions: int) -> Result:
    from mcp import Client, StdioServerParameters

    from memtree.tools.mcp.keeping import SCAN_AGAIN

    arguments = ["-m", "memtree.tools", "-w", root, "mcp"]
    started = time.perf_counter()
    async with Client(StdioServerParameters(command=sys.executable, args=arguments, env=environment())) as client:
        start = 1000 * (time.perf_counter() - started)
        await _calls(client, "search", [{"query": "warm"}] * 3)
        time.sleep(_WARMING)
        search, scan = Series(), Series()
        for text in asked:
            # Right after another answer, so that no scan is due.
            search.costs += (await _calls(client, "search", [{"query": "warm"}, {"query": text}]))[1:]
        for text in asked[: min(_SCANS, repetitions)]:
            time.sleep(SCAN_AGAIN + 0.1)
            scan.costs += await _calls(client, "search", [{"query": text}])
        turn = Series()
        for number in range(min(_TURNS, repetitions)):
            turn.costs += await _calls(
                client,
                "record_turn",
                [{"session_id": "bench", "user": f"ask {number} {os.getpid()}", "assistant": f"told {number}"}],
            )
    return {
        "mcp_start_ms": figure(start),
        "mcp_search_ms": figure(search.median),
        "mcp_search_p95_ms": figure(search.p95),
        "mcp_scan_ms": figure(scan.median),
        "mcp_scan_p95_ms": figure(scan.p95),
        "mcp_turn_ms": figure(turn.median),
        "mcp_turn_p95_ms": figure(turn.p95),
    }


async def _calls(client: Client, tool: str, calls: Sequence[dict[str, Any]]) -> list[Cost]:
    """Call a tool one time after the other; return what each took."""
    costs = []
    for arguments in calls:
        started = time.perf_counter()
        result = await client.call_tool(tool, arguments)
        costs.append(Cost(1000 * (time.perf_counter() - started), 0.0, 0.0))
        if result.is_error:
            raise RuntimeError(f"{tool} failed: {result.content}")
    return costs
