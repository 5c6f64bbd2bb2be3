"""merge-driver: called by git for each file that both sides changed."""

from __future__ import annotations

import os

import click

from memtree.tools.commands.common import json_option, notes, screen


@click.command("merge-driver")
@click.argument("base", type=click.Path())
@click.argument("ours", type=click.Path())
@click.argument("theirs", type=click.Path())
@click.argument("path", type=click.Path())
@click.option("--no-markers", is_flag=True, help="Leave OURS as it is where it cannot be merged.")
@json_option
def merge_driver(base: str, ours: str, theirs: str, path: str, no_markers: bool, as_json: bool) -> None:
    """Merge for git: BASE, OURS and THEIRS are three versions of PATH; the result goes to OURS.

    `memtree init` tells git about it, so that git merge, pull, rebase and stash pop merge notes as memtree does. What both sides
    changed in one passage stands in a callout, and counts as merged. What cannot stand in one file gets git's markers, and exit 1.
    """
    from memtree.engine.merge_driver import content_root_at, leave_markers, merge_files, put
    from memtree.tree.paths import RepoPath

    old, one, two = (_read(name) for name in (base, ours, theirs))
    # An empty base is how git says that there is none.
    merged = merge_files(RepoPath(path), old or None, one, two, content_root_at(os.getcwd()))
    if merged is not None:
        put(ours, merged.data)
    elif not no_markers:
        leave_markers(os.getcwd(), base, ours, theirs)
    if as_json:
        screen().json({"path": path, "merged": merged is not None, "conflicts": merged.places if merged is not None else ()})
    elif merged is not None and merged.kind is not None:
        notes([f"{path}: {merged.kind.value}"])
    if merged is None:
        raise click.exceptions.Exit(1)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
