"""What `memtree bench walk` can be told, and running it on the workspace at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from memtree.tools.commands.common import open_workspace, say, screen

WALK = "walk"
_OPTIONS = (
    click.option("--query", "queries", multiple=True, help="Of bench walk: a question to ask (repeatable; five of its own else)."),
    click.option("--content-root", metavar="FOLDER", help="Of bench walk: the workspace to ask, in place of the present one."),
    click.option("--max-turns", type=click.IntRange(1, 20), default=12, help="Of bench walk: a model's requests for one question."),
    click.option("--namespace", default="default", help="Of bench walk: a source of memory, such as notes; default is all of it."),
    click.option("--model", default="", help="Of bench walk: have this model answer, else none is asked. Of recall: minilm."),
    click.option("--verbose", is_flag=True, help="Of bench walk: tell each step."),
    click.option("--out", default="", metavar="PATH", help="Of bench walk: a folder or file for its log (.git/memtree/bench/)."),
)


def walk_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add them; they arrive as `**walking`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def run_walk(
    folder: str | None,
    *,
    queries: tuple[str, ...],
    content_root: str | None,
    max_turns: int,
    namespace: str,
    model: str,
    verbose: bool,
    out: str,
    as_json: bool,
) -> None:
    """Ask, tell, and exit with 1 when a question failed."""
    from memtree.tools.bench.measure import load, machine
    from memtree.tools.bench.walk import DEFAULT_QUERIES, Wanted, walk

    wanted = Wanted(queries or DEFAULT_QUERIES, namespace, max_turns, model, out)
    before = load()
    with open_workspace(content_root or folder) as workspace:
        found = walk(workspace, wanted, say if verbose and not as_json else lambda _: None)
    result = {"bench": WALK, **found, "load_before": before, "load_after": load(), "machine": machine()}
    if as_json:
        screen().json(result)
    else:
        for key, value in result.items():
            if key != "benchmarks":
                say(f"{key:24} {value}")
        for run in found["benchmarks"]:
            if run["error"] and not verbose:
                say(f"failed: {run['query']}: {run['error']}")
    if found["summary"]["failed"]:
        click.get_current_context().exit(1)
