"""secrets: what is held back, what blocks a push, and allowing some of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import counted, json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Line, Look, Span, table
from memtree.tools.render_views import short

if TYPE_CHECKING:
    from memtree.engine.secrets.managing import Allowed, Listing
    from memtree.engine.workspace import Workspace

_MOST = 20


@click.group()
def secrets() -> None:
    """Passwords, tokens and keys: what is held back, what blocks a push, and allowing it."""


@secrets.command("list")
@json_option
@opens_workspace
def secrets_list(workspace: Workspace, as_json: bool) -> None:
    """List held files and blocked pushes with line, rule and fingerprint; a secret itself is never shown."""
    from memtree.engine.secrets.managing import listing

    found = listing(workspace)
    if as_json:
        screen().json(_as_json(found))
        return
    rows = list(_rows(found))
    if not rows:
        say("Nothing is held back, and nothing blocks a push.")
        return
    say_lines(table(("WHERE", "RULE", "FINGERPRINT", "WHY"), rows))
    say_lines(_advice(found))


def _rows(found: Listing) -> Iterator[tuple[str, str, str, str]]:
    for held in found.held:
        why = f"held until {held.moved_to} is" if held.moved_to else "held: the edit is not saved"
        yield f"{held.path}:{held.line}", held.rule, held.fingerprint, why
    for blocked in found.blocked:
        secret, names = blocked.secret, ", ".join(blocked.remotes)
        yield secret.where, secret.rule, secret.fingerprint, f"blocked: commit {short(secret.commit)} is not sent to {names}"


def _advice(found: Listing) -> Iterator[Line]:
    if found.held:
        yield (Span("Take a held secret out of its file and save, or allow it: memtree secrets allow FINGERPRINT", Look.FAINT),)
    if found.blocked:
        what = "Allow what blocks a push in the same way, or take it out of history: memtree forget --match - --purge --yes"
        yield (Span(what, Look.FAINT),)


def _as_json(found: Listing) -> dict[str, object]:
    return {
        "held": [
            {
                "path": one.path,
                "line": one.line,
                "rule": one.rule,
                "fingerprint": one.fingerprint,
                "moved_to": one.moved_to,
                "why": one.reason,
            }
            for one in found.held
        ],
        "blocked": [
            {
                "path": one.secret.path,
                "line": one.secret.line,
                "rule": one.secret.rule,
                "fingerprint": one.secret.fingerprint,
                "commit": one.secret.commit,
                "remotes": one.remotes,
                "why": f"in {'a file' if one.secret.path else 'the message'} of a commit that was not sent yet",
            }
            for one in found.blocked
        ],
    }


@secrets.command("allow")
@click.argument("fingerprints", nargs=-1, required=True, metavar="FINGERPRINT...")
@json_option
@opens_workspace
def secrets_allow(workspace: Workspace, fingerprints: tuple[str, ...], as_json: bool) -> None:
    """Let secrets be saved and sent from now on, on every machine: they are written to .memtreeallow by FINGERPRINT.

    Example: memtree secrets allow 0123456789abcdef
    """
    from memtree.engine.secrets.managing import allow

    done = allow(workspace, fingerprints)
    if as_json:
        screen().json(done)
        return
    if done.commit is None:
        say("Allowed already; nothing changed.")
    else:
        say(f"Allowed {counted(len(done.remarks), 'secret')} in .memtreeallow.")
    for path in done.released:
        say(f"saved     {path}", Look.GOOD)
    notes(done.notes)


@secrets.command("baseline")
@click.option("--dry-run", is_flag=True, help="Only say which.")
@json_option
@opens_workspace
def secrets_baseline(workspace: Workspace, dry_run: bool, as_json: bool) -> None:
    """Accept every secret that the history of this branch holds already, as when you adopt a repository of yours."""
    from memtree.engine.secrets.managing import baseline

    done = baseline(workspace, dry_run=dry_run)
    if as_json:
        screen().json(done)
        return
    _tell_baseline(done, dry_run=dry_run)
    notes(done.notes)


def _tell_baseline(done: Allowed, *, dry_run: bool) -> None:
    if not done.remarks:
        say("The history holds no secret that is not allowed already.")
        return
    verb = "Would accept" if dry_run else "Accepted"
    say(f"{verb} {counted(len(done.remarks), 'secret')} that the history holds:")
    for fingerprint, remark in list(done.remarks.items())[:_MOST]:
        say(f"  {fingerprint}  {remark}", Look.FAINT)
    if len(done.remarks) > _MOST:
        say(f"  ... and {len(done.remarks) - _MOST:,} more", Look.FAINT)
    if not dry_run:
        say("They stand in .memtreeallow now, as fingerprints; change the secrets themselves if others can read the remote.")
