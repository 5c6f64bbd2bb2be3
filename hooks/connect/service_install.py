"""Installing a workspace's daemon as a service of its user: the unit's file, and telling the service manager, where one answers."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtree.engine.files import Durability, Files
from memtree.engine.git_environment import of_this_repository
from memtree.hooks.connect.command_line import call_words
from memtree.hooks.connect.places import launch_agents, systemd_units
from memtree.hooks.connect.service_unit import is_as_written, launchd_plist, systemd_unit, unit_name
from memtree.hooks.connect.settings_file import Edit, SettingsFile
from memtree.tree.errors import StateError
from memtree.tree.redaction import without_credentials

_TAIL = ("daemon", "run", "--wait")
_PATIENCE = 60.0  # seconds for a service manager; ending a daemon takes a while
_SAID = 300  # characters
Commands = Sequence[Sequence[str]]


class EditedUnit(StateError):
    """The unit was written or changed by somebody else."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is not as memtree wrote it: somebody edited it", hint="--force does it all the same")
        self.path = path


@dataclass(frozen=True, slots=True)
class Unit:
    """A service: its name, its file and what shall stand there; the commands that start it, start it anew, end it, forget it,
    and ask whether it runs.
    """

    manager: str
    name: str
    path: str
    text: str
    starts: Commands
    restarts: Commands
    ends: Commands
    forgets: Commands
    asks: Sequence[str]
    link: str = ""  # by which the manager knows that it shall start

    @property
    def file(self) -> SettingsFile:
        return SettingsFile(self.path)


@dataclass(frozen=True, slots=True)
class Done:
    """What was done to a unit: `outcome` in words. `by_hand` is what the manager still has to be told, `said` why it was not."""

    outcome: str
    unit: Unit
    by_hand: tuple[str, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a unit stands: whether its file is there, whether it was `edited` or is of another version, and whether it runs.

    `active` is None where no manager answers.
    """

    unit: Unit
    installed: bool
    edited: bool
    current: bool
    active: bool | None


def unit_of(root: str, program: Sequence[str], environment: Mapping[str, str], platform: str, user: int) -> Unit:
    """The service of the workspace at `root`; `platform` is as in sys.platform. Raise UnspeakableFolder, NoHome."""
    words = call_words(program, root, _TAIL)
    name = unit_name(root)
    if platform == "darwin":
        path = os.path.join(launch_agents(environment), f"{name}.plist")
        domain = f"gui/{user}"
        start, end = ["launchctl", "bootstrap", domain, path], ["launchctl", "bootout", f"{domain}/{name}"]
        asks = ["launchctl", "print", f"{domain}/{name}"]
        return Unit("launchd", name, path, launchd_plist(name, words), [start], [end, start], [end], [], asks)
    service = f"{name}.service"
    ways = (["daemon-reload"], ["enable", "--now", service], ["restart", service], ["disable", "--now", service], ["stop", service])
    reload, enable, restart, disable, stop = (["systemctl", "--user", *way] for way in ways)
    folder = systemd_units(environment)
    path, link = os.path.join(folder, service), os.path.join(folder, "default.target.wants", service)
    asks = ["systemctl", "--user", "is-active", service]
    starts, restarts, forgets = [reload, enable], [reload, enable, restart], [stop, reload]
    return Unit("systemd", name, path, systemd_unit(root, words), starts, restarts, [disable], forgets, asks, link)


def install(unit: Unit, environment: Mapping[str, str], *, force: bool = False) -> Done:
    """Write the unit and start it; one that is there already, as it should be, is only started. Raise EditedUnit."""

    def plan(before: bytes | None, _backup: bytes | None) -> Edit:
        _check(unit, before, force=force)
        return Edit(unit.text.encode())

    changed = unit.file.change(plan)
    outcome = "installed" if changed.before is None else "installed already" if changed.before == changed.after else "updated"
    commands = unit.restarts if outcome == "updated" else unit.starts
    said = _run(commands, environment)
    return Done(outcome, unit, _by_hand(commands) if said else (), said)


def uninstall(unit: Unit, environment: Mapping[str, str], *, force: bool = False) -> Done:
    """End the service and remove its file. Raise EditedUnit."""
    before = unit.file.read()
    if before is None:
        return Done("not installed", unit)
    _check(unit, before, force=force)
    said = _run(unit.ends, environment)

    def plan(present: bytes | None, _backup: bytes | None) -> Edit:
        _check(unit, present, force=force)
        return Edit(None)

    unit.file.change(plan)
    if os.path.islink(unit.link):
        Files(Durability.FULL).unlink(unit.link)
    said = said or _run(unit.forgets, environment)
    return Done("uninstalled", unit, _by_hand(unit.forgets or unit.ends) if said else (), said)


def standing(unit: Unit, environment: Mapping[str, str]) -> Standing:
    """How the service stands."""
    before = unit.file.read()
    asked = _call(unit.asks, environment)
    answers = asked is not None and (asked.returncode == 0 or bool(asked.stdout.strip()) or unit.manager == "launchd")
    return Standing(
        unit=unit,
        installed=before is not None,
        edited=before is not None and not _is_ours(unit, before),
        current=before == unit.text.encode(),
        active=asked.returncode == 0 if asked is not None and answers else None,
    )


def _check(unit: Unit, before: bytes | None, *, force: bool) -> None:
    if before is not None and not force and not _is_ours(unit, before):
        raise EditedUnit(unit.path)


def _is_ours(unit: Unit, before: bytes) -> bool:
    return before == unit.text.encode() or is_as_written(before.decode("utf-8", "surrogateescape"))


def _run(commands: Commands, environment: Mapping[str, str]) -> str:
    """Run commands until one fails: why it did, '' for none."""
    for words in commands:
        done = _call(words, environment)
        if done is None:
            return f"{words[0]} is not here"
        if done.returncode and not {"bootout", "stop"} & set(words):  # what does not run need not be ended
            lines = (done.stderr or done.stdout).decode("utf-8", "replace").split("\n")
            said = without_credentials(lines[0].strip())[:_SAID]
            return f"{words[0]}: {said or f'exit code {done.returncode}'}"
    return ""


def _call(words: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes] | None:
    program = shutil.which(words[0], path=environment.get("PATH"))
    if program is None:
        return None
    env = of_this_repository(environment)
    try:
        return subprocess.run(
            (program, *words[1:]), env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(words, 1, b"", str(error).encode("utf-8", "replace"))


def _by_hand(commands: Commands) -> tuple[str, ...]:
    return tuple(shlex.join(words) for words in commands)
