"""conflicts, resolve: what merges left to decide, and deciding it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from memtree.engine.typed_paths import path_in
from memtree.tools.commands.common import conflict_lines, counted, json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Line, Look, Span
from memtree.tools.render_views import short, when

if TYPE_CHECKING:
    from memtree.engine.conflicts import OpenConflict, Version
    from memtree.engine.workspace import Workspace
    from memtree.tree.conflict_choices import Take
    from memtree.tree.paths import RepoPath

_MOST_LINES = 12  # of a version, as a list shows it
_EDITOR = "e"


@click.command()
@json_option
@opens_workspace
def conflicts(workspace: Workspace, as_json: bool) -> None:
    """List what merges left to decide: where it stands, the versions, and where each came from.

    Nothing waits for it: reading, writing and syncing go on. Example: memtree conflicts
    """
    from memtree.engine.conflicts import OpenConflicts

    found = OpenConflicts(workspace.repo, workspace.places.folder).all()
    remarks = [f"{path} was edited since it was saved: memtree save" for path in _edited(workspace, found)]
    if as_json:
        screen().json({"conflicts": found, "notes": remarks})
        return
    if not found:
        say("No conflict is open.")
        return
    for number, conflict in enumerate(found):
        if number:
            say("")
        say_lines(_described(conflict))
    say_lines(_advice(found))
    notes(remarks)


def _edited(workspace: Workspace, found: list[OpenConflict]) -> list[RepoPath]:
    """The files of some conflicts that hold something else than is listed: perhaps it is settled already."""
    head = workspace.repo.tip("HEAD")
    paths = dict.fromkeys(path for one in found for path in (one.path, one.second) if path is not None)
    return [path for path in paths if workspace.store.working_copy.look(path).entry != workspace.repo.entry(head, path)]


def _described(conflict: OpenConflict, most: int | None = _MOST_LINES) -> Iterator[Line]:
    """A conflict's place, and its versions below."""
    if conflict.second is not None:
        place = (Span(conflict.path, Look.PLACE), Span(f"  beside {conflict.second}"))
    else:
        about = f"  {conflict.key} in the front matter" if conflict.key else ""
        lines = f"{conflict.path}:{conflict.first_line}-{conflict.last_line}"
        place = (Span(lines, Look.PLACE), Span(f"  {conflict.id}{about}"))
    yield place
    for version in conflict.versions:
        yield (Span(f"  {version.number}  ", Look.STRONG), Span(_from(conflict, version), Look.FAINT))
        rows = version.text.removesuffix("\n").split("\n") if version.text else ["(not shown)"]
        yield from ((Span(f"     {row.removesuffix(chr(13))}"),) for row in rows[:most])
        if most is not None and len(rows) > most:
            yield (Span(f"     ... {len(rows) - most:,} more lines", Look.FAINT),)


def _from(conflict: OpenConflict, version: Version) -> str:
    origin = version.origin
    where = f"{version.path}, " if conflict.second is not None else ""
    standing = " (stands there now)" if conflict.key and version.number == 1 else ""
    if origin is None:
        return f"{where}origin unknown{standing}"
    return f"{where}{origin.device}, {when(origin.time)}, {short(origin.commit)}{standing}"


def _advice(found: list[OpenConflict]) -> Iterator[Line]:
    paths = [one.path for one in found]
    several = paths.count(paths[0]) > 1
    which = f" --conflict {found[0].id}" if several else ""
    yield (Span(f"To settle one: memtree resolve {shlex.quote(paths[0])}{which} --take N, or edit the file.", Look.FAINT),)


def _taken(_context: click.Context | None, _option: click.Parameter | None, text: str | None) -> Take | None:
    """What --take says: the number of a version, or all or none of them."""
    from memtree.tree.conflict_choices import Every

    if text is None:
        return None
    word = text.strip().casefold()
    if word.isdecimal():
        return int(word)
    if word not in [every.value for every in Every]:
        raise click.BadParameter(f"{text!r} is neither the number of a version nor all or none")
    return Every(word)


@click.command()
@click.argument("path", type=click.Path())
@click.option(
    "--take", metavar="N|all|none", callback=_taken, help="The version to keep by its number; all of a callout's; or none."
)
@click.option("--conflict", "wanted", metavar="ID", help="Which one, where the file has several.")
@json_option
@opens_workspace
def resolve(workspace: Workspace, path: str, take: Take | None, wanted: str | None, as_json: bool) -> None:
    """Settle a conflict in PATH with one of its versions, and commit that.

    Without --take it asks, or shows the versions where it cannot ask. Editing the file is as good: delete what you do not want.

    Example: memtree resolve notes/plan.md --take 2
    """
    from memtree.engine import resolve as resolve_module

    conflict = resolve_module.find(workspace, path_in(workspace, path, workspace.repo.tip("HEAD")), wanted)
    if take is None and not as_json and sys.stdin.isatty() and sys.stdout.isatty():
        take = _asked(conflict)
        if take is None:
            say(f"Left as it is: {conflict.path}", Look.FAINT)
            return
    if take is None:
        _show(conflict, as_json=as_json)
        return
    done = resolve_module.resolve(workspace, conflict, take)
    if as_json:
        screen().json(
            {"resolved": True, **_fields(done.conflict), "commit": done.commit.after, "open": done.left, "notes": done.notes}
        )
        return
    say(f"Resolved {conflict.id} in {conflict.path} as {short(done.commit.after or '')}.")
    say_lines(conflict_lines(done.commit.conflicts, "save"))
    if done.left:
        say(f"{counted(done.left, 'conflict')} still open: memtree conflicts", Look.FAINT)
    notes(done.notes)


def _fields(conflict: OpenConflict) -> dict[str, object]:
    return {"conflict": conflict.id, "path": conflict.path}


def _show(conflict: OpenConflict, *, as_json: bool) -> None:
    if as_json:
        screen().json({"resolved": False, **_fields(conflict), "versions": conflict.versions})
        return
    say_lines(_described(conflict, None))
    say_lines(
        [(Span(f"To settle it: memtree resolve {shlex.quote(conflict.path)} --conflict {conflict.id} --take N", Look.FAINT),)]
    )


def _asked(conflict: OpenConflict) -> Take | None:
    """What the person at the terminal chooses; None leaves it to the editor."""
    from memtree.engine.conflicts import Form

    say_lines(_described(conflict, None))
    words = [] if conflict.form is not Form.PASSAGE else ["all"]
    choices = [*(str(version.number) for version in conflict.versions), *words, _EDITOR]
    answer = click.prompt(
        f"Which one? {_numbered(choices)} (e: leave it to the editor)", type=click.Choice(choices), show_choices=False
    )
    if answer == _EDITOR:
        return None
    return _taken(None, None, answer)


def _numbered(choices: Iterable[str]) -> str:
    return "/".join(choices)
