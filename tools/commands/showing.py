"""demo, bench, completion: showing memtree at work, measuring it, helping to type it."""

from __future__ import annotations

from typing import Any

import click

from memtree.tools.commands.common import json_option, say, screen
from memtree.tools.commands.walking import WALK, run_walk, walk_options


@click.command()
@click.option("--notes", "folder", metavar="FOLDER", help="Use copies of your own markdown instead of the built-in notes.")
@click.option("--keep", is_flag=True, help="Leave the temporary folder for a look around.")
@json_option
def demo(folder: str | None, keep: bool, as_json: bool) -> None:
    """Show two machines and a remote at work in a temporary folder, with real timings."""
    from memtree.tools.demo import run

    run(folder, keep=keep, as_json=as_json)


@click.command()
@click.argument("name", default="all")
@click.option("--files", type=click.IntRange(1), help="How many notes (each bench has its own default).")
@click.option("--turns", type=click.IntRange(1), help="How many turns, of bench turns and bench close.")
@click.option("--chunks", type=click.IntRange(100), help="How many chunks, of bench tree.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the corpus generator.")
@click.option("--idle-seconds", type=click.FloatRange(1), help="How long bench watch lets the daemon idle (300; 10 of all).")
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="How long bench soak takes.")
@click.option("--locomo", metavar="FILE", help="The LoCoMo data that recall is measured on.")
@walk_options
@json_option
@click.pass_obj
def bench(
    folder: str | None,
    /,
    name: str,
    files: int | None,
    turns: int | None,
    chunks: int | None,
    seed: int,
    idle_seconds: float | None,
    minutes: float | None,
    locomo: str | None,
    as_json: bool,
    **walking: Any,
) -> None:
    """Run benchmark NAME beside git: commit, diff, index, freshness, search, sync, import, turns, close, merge, facts, watch,
    tree, vector, or all.

    Or recall, which tells how well conversations are remembered: memtree bench recall --locomo FILE; or soak, which tells whether
    a daemon at work grows: memtree bench soak --minutes M; or walk, which asks the workspace at hand: memtree bench walk --query Q
    """
    if name == WALK:
        run_walk(folder, as_json=as_json, **walking)
        return
    from memtree.tools.bench.run import RECALL, SOAK, run, run_recall, run_soak

    if name == RECALL:
        if locomo is None:
            raise click.UsageError("bench recall needs --locomo FILE")
        results = [run_recall(locomo, seed, walking["model"])]
    elif name == SOAK:
        if minutes is None:
            raise click.UsageError("bench soak needs --minutes M")
        results = [run_soak(minutes, files, seed)]
    else:
        results = run(name, files or turns or chunks, seed, idle_seconds=idle_seconds)
    if as_json:
        screen().json(results if name == "all" else results[0])
        return
    for result in results:
        for key, value in result.items():
            say(f"{key:24} {value}")
        say("")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that makes SHELL complete memtree's commands; source it from your shell's start file."""
    from click.shell_completion import get_completion_class

    from memtree.tools.cli import cli

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "memtree", "_MEMTREE_COMPLETE").source())
