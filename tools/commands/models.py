"""models: which models are asked for what; usage: what that cost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Look, Span, table

if TYPE_CHECKING:
    from memtree.engine.llm.accounts import Account
    from memtree.engine.llm.roles import Models
    from memtree.engine.workspace import Workspace

_ROLES = ("local", "chat", "agentic", "summarization")


@click.group()
def models() -> None:
    """The models behind the writers: which are named in memtree.toml, whether they may be asked here, and whether they answer."""


@models.command("show")
@json_option
@opens_workspace
def models_show(workspace: Workspace, as_json: bool) -> None:
    """Show the model of each role, and what stands in the way of asking it. Nothing is asked."""
    from memtree.engine.llm.roles import Models

    found = Models.of(workspace)
    if as_json:
        screen().json([_as_json(found, role) for role in _ROLES])
        return
    if not any(found.named(role) for role in _ROLES):
        say("No model is configured: everything works without one, and better with one (README, Models).")
        return
    say_lines(table(("ROLE", "MODEL", "WHERE", "STATE"), [_row(found, role) for role in _ROLES]))
    reasons = sorted({found.why_not(role) for role in _ROLES if found.named(role)} - {""})
    say_lines((Span(reason, Look.WARNING),) for reason in reasons)


def _row(found: Models, role: str) -> tuple[str, str, str, str]:
    model = found.named(role)
    if model is None:
        return role, "-", "-", "not configured"
    if not found.allowed(model):
        return role, model.model, model.address, "not allowed here"
    return role, model.model, model.address, "can be asked" if found.configured(role) else "cannot be asked"


def _as_json(found: Models, role: str) -> dict[str, object]:
    model = found.named(role)
    if model is None:
        return {"role": role, "model": None, "configured": False, "why_not": found.why_not(role)}
    names = ("model", "provider", "address", "temperature", "request_limit", "timeout", "retries", "max_tokens", "context")
    shown = {name: getattr(model, name) for name in names}
    allowed = found.allowed(model)
    return {
        "role": role,
        **shown,
        "key": model.key_place,
        "allowed": allowed,
        "configured": found.configured(role),
        "why_not": found.why_not(role),
    }


@models.command("allow")
@click.argument("url")
@json_option
@opens_workspace
def models_allow(workspace: Workspace, url: str, as_json: bool) -> None:
    """Let this machine send texts to URL, an address that memtree.toml names; or to a provider by its name.

    The key that memtree.toml names for it goes along; when it names another key, you are asked again. Settings travel with the
    notes, so each machine agrees for itself. Models on this machine need no consent unless they want a key.
    """
    from memtree.engine.llm.roles import Models

    done = Models.of(workspace).allow(url)
    with_key = f", with the key in {' and '.join(done.keys)}" if done.keys else ""
    if as_json:
        screen().json({"allowed": done.where, "keys": done.keys, "changed": done.changed})
    elif done.changed:
        say(f"Allowed: from now on, texts may be sent from this machine to {done.where}{with_key}.")
    else:
        say("Allowed already; nothing changed.")


@models.command("test")
@click.argument("role", type=click.Choice(_ROLES))
@json_option
@opens_workspace
def models_test(workspace: Workspace, role: str, as_json: bool) -> None:
    """Ask the model of ROLE two small things: to keep to a form, and to use a tool. Nothing of memory is sent."""
    from memtree.engine.llm.asking import Asker
    from memtree.engine.llm.probing import probe

    asker = Asker(workspace, agent="test")
    model = asker.models.ready(role).model
    found = probe(asker, role)
    if as_json:
        screen().json({"role": role, "model": model.model, "form": found.form, "tools": found.tools, "usage": found.usage})
        return
    say(f"{model.model} answers ({found.usage.seconds:.1f} s, {_tokens(found.usage.input_tokens, found.usage.output_tokens)}).")
    if not found.form:
        say("It keeps to a form: recaps can be asked for.")
    if not found.tools:
        say("It uses tools: agents can run with it.")
    notes(text for text in (found.form, found.tools) if text)


def _tokens(asked: int, said: int) -> str:
    return f"{asked:,} tokens in, {said:,} out"


@click.command()
@click.option("--since", metavar="WHEN", help="Only from then on: 2026-03-31, 3d, 2w, yesterday.")
@click.option("--by", type=click.Choice(("day", "model", "role", "agent")), default="model", help="What to add up by.")
@json_option
@opens_workspace
def usage(workspace: Workspace, since: str | None, by: str, as_json: bool) -> None:
    """Show what models cost, in tokens: asked from this machine, and as the commits of all machines say.

    Example: memtree usage --by day --since 2w
    """
    from memtree.engine.llm.accounts import By, accounts
    from memtree.engine.when import parse_when

    now = int(time.time())
    found = accounts(workspace, By(by), parse_when(since, now) if since else None)
    if as_json:
        screen().json(found)
        return
    if not (found.here or found.commits):
        say("No model was asked.")
    _tell("From this machine", "CALLS", by, found.here)
    _tell("In commits, of every machine", "COMMITS", by, found.commits)


def _tell(title: str, counted: str, by: str, rows: tuple[Account, ...]) -> None:
    if not rows:
        return
    say(title, Look.STRONG)
    shown = [
        (one.name, f"{one.calls:,}", f"{one.failed:,}", f"{one.usage.input_tokens:,}", f"{one.usage.output_tokens:,}")
        for one in rows
    ]
    say_lines(table((by.upper(), counted, "FAILED", "TOKENS IN", "TOKENS OUT"), shown))
