"""service: having a workspace's daemon started when its user logs in."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from memtree.tools.commands.common import json_option, notes, say, say_lines, screen, workspace_place
from memtree.tools.render import fields

if TYPE_CHECKING:
    from memtree.hooks.connect.service_install import Done, Standing, Unit


def _force_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--force", is_flag=True, help="Also where somebody edited the file of the service.")(command)


@click.group()
def service() -> None:
    """Have the daemon of a workspace start by itself: a user service of systemd, or of launchd on a Mac."""


@service.command("install", short_help="Have the daemon start when you log in.")
@_force_option
@json_option
@click.pass_obj
def service_install(folder: str | None, force: bool, as_json: bool) -> None:
    """Have the daemon of this workspace start when you log in, and now. Each workspace has a service of its own.

    Nothing of the environment is written down: what git needs to reach a remote must be known to your session.
    """
    from memtree.hooks.connect.service_install import install

    done = install(_unit(folder), os.environ, force=force)
    if as_json:
        screen().json(_shown(done))
        return
    where = {"installed": "installed now", "installed already": "installed already", "updated": "brought up to date"}[done.outcome]
    say(f"The service {done.unit.name} is {where} ({done.unit.path}).")
    _tell_by_hand(done, "start it")
    if not done.by_hand and done.unit.manager == "systemd":
        say("It runs while you are logged in; loginctl enable-linger has it run always.")


@service.command("uninstall", short_help="Have it start by itself no more.")
@_force_option
@json_option
@click.pass_obj
def service_uninstall(folder: str | None, force: bool, as_json: bool) -> None:
    """End the service of this workspace and remove its file."""
    from memtree.hooks.connect.service_install import uninstall

    done = uninstall(_unit(folder), os.environ, force=force)
    if as_json:
        screen().json(_shown(done))
        return
    if done.outcome == "not installed":
        say("This workspace has no service; nothing was changed.")
        return
    say(f"The service {done.unit.name} is removed ({done.unit.path}).")
    _tell_by_hand(done, "have it forgotten")


@service.command("status", short_help="Tell whether there is a service, and how it stands.")
@json_option
@click.pass_obj
def service_status(folder: str | None, as_json: bool) -> None:
    """Tell whether this workspace has a service, whether its file is as memtree writes it, and whether it runs."""
    from memtree.hooks.connect.service_install import standing

    found = standing(_unit(folder), os.environ)
    if as_json:
        shown = {name: getattr(found, name) for name in ("installed", "edited", "current", "active")}
        screen().json({"service": found.unit.name, "manager": found.unit.manager, "file": found.unit.path, **shown})
        return
    say_lines(fields(list(_rows(found))))


def _rows(found: Standing) -> list[tuple[str, str]]:
    if not found.installed:
        return [("service", "not installed: memtree service install")]
    file = (
        "edited by somebody"
        if found.edited
        else "as it should be"
        if found.current
        else "of another version: memtree service install"
    )
    running = {True: "yes", False: "no", None: f"not known: no {found.unit.manager} answers here"}[found.active]
    return [("service", found.unit.name), ("file", f"{found.unit.path} ({file})"), ("running", running)]


def _unit(folder: str | None) -> Unit:
    from memtree.hooks.connect.service_install import unit_of

    program = (os.path.abspath(sys.executable), "-P", "-m", "memtree.tools")
    return unit_of(workspace_place(folder).root, program, os.environ, sys.platform, os.getuid())


def _tell_by_hand(done: Done, purpose: str) -> None:
    if not done.by_hand:
        return
    notes([f"no service manager did it ({done.said})"])
    say(f"To {purpose}:")
    for words in done.by_hand:
        say(f"  {words}")


def _shown(done: Done) -> dict[str, object]:
    return {
        "outcome": done.outcome,
        "service": done.unit.name,
        "manager": done.unit.manager,
        "file": done.unit.path,
        "by_hand": done.by_hand,
        "said": done.said,
    }
