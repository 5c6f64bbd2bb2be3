"""Connecting a program to a workspace, and disconnecting it: the settings are read, changed as values, and written back."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memtree.hooks.connect.agent_hooks import AGENTS, HookEntries
from memtree.hooks.connect.command_line import Call, call_words
from memtree.hooks.connect.errors import Misread, Misshapen, UnusableSettings
from memtree.hooks.connect.json_settings import Json, JsonSettings
from memtree.hooks.connect.mcp_servers import CLIENTS, NAME, TAIL, ServerEntry
from memtree.hooks.connect.settings_file import Backup, Changed, Edit, SettingsFile
from memtree.hooks.connect.toml_settings import TomlSettings


class Format(Protocol):
    """How settings are written."""

    def parse(self, text: str) -> Json:
        """What a text means; raise Misread."""

    def edited(self, text: str, old: Json, new: Json) -> str:
        """The text that means `old`, changed to mean `new`; raise Misread."""

    def place(self, text: str, keys: Sequence[str]) -> tuple[int, int]:
        """The line and column of what a text has under these keys."""


class Entries(Protocol):
    """Our part of some settings, as functions from settings to settings."""

    def found(self, settings: Json) -> Call | None:
        """What is connected."""

    def connected(self, settings: Json, words: list[str]) -> Json:
        """The settings with our part; raise Misshapen."""

    def disconnected(self, settings: Json, before: Json) -> Json:
        """The settings without it."""

    def by_hand(self, words: list[str]) -> str:
        """What to write by hand."""

    def remarks(self, settings: Json) -> tuple[str, ...]:
        """What to know afterwards."""


@dataclass(frozen=True, slots=True)
class Target:
    """A program to connect: its name for people, its settings file, how that is written, our part of it, the end of our command."""

    title: str
    path: str
    format: Format
    entries: Entries
    tail: tuple[str, ...]


class Outcome(enum.Enum):
    """What became of a connection."""

    CONNECTED = "connected"
    MOVED = "moved"  # it was connected to another workspace
    UPDATED = "updated"  # to this one, in another way
    ALREADY = "already connected"
    DISCONNECTED = "disconnected"
    NOT_CONNECTED = "not connected"


@dataclass(frozen=True, slots=True)
class Connection:
    """What was done (or would be): `previous` is the workspace that was connected before, None for none; `backup` a file's path."""

    title: str
    path: str
    outcome: Outcome
    previous: str | None
    change: Changed
    notes: tuple[str, ...]


def hooks_target(agent: str, environment: Mapping[str, str]) -> Target:
    """The hooks of an agent, by its name in AGENTS; raise NoHome."""
    found = AGENTS[agent]
    return Target(found.title, found.path(environment), JsonSettings(), HookEntries(found), found.tail)


def server_target(client: str, environment: Mapping[str, str], platform: str) -> Target:
    """The MCP servers of a client, by its name in CLIENTS; `platform` is as in sys.platform; raise NoHome."""
    found = CLIENTS[client]
    form: Format = TomlSettings(found.key, NAME) if found.toml else JsonSettings()
    return Target(found.title, found.path(environment, platform), form, ServerEntry(found), TAIL)


def connect(target: Target, program: Sequence[str], root: str, *, dry_run: bool = False) -> Connection:
    """Let a program call memtree (`program` is how that is started) for the workspace at `root`.

    A connection to another workspace is replaced. Raise UnusableSettings, ReadOnlySettings, UnsteadySettings,
    UnspeakableFolder; the file is as it was then.
    """
    words = call_words(program, root, target.tail)
    file = SettingsFile(target.path)

    def plan(now: bytes | None, _saved: bytes | None) -> Edit:
        try:
            return connecting(target, words, now)
        except Misread as error:
            raise UnusableSettings(target.path, error, target.entries.by_hand(words)) from error

    change = file.preview(plan) if dry_run else file.change(plan)
    old, new = (target.format.parse(_text(data)) for data in (change.before, change.after))
    was = target.entries.found(old)
    if was is None:
        outcome = Outcome.CONNECTED
    elif was.root != root:
        outcome = Outcome.MOVED
    else:
        outcome = Outcome.ALREADY if change.before == change.after else Outcome.UPDATED
    return Connection(target.title, target.path, outcome, was.root if was else None, change, target.entries.remarks(new))


def disconnect(target: Target, *, dry_run: bool = False) -> Connection:
    """Take our part out of a program's settings; the file as it was before comes back where nobody else changed it.

    Raise UnusableSettings, ReadOnlySettings, UnsteadySettings; the file is as it was then.
    """
    file = SettingsFile(target.path)

    def plan(now: bytes | None, saved: bytes | None) -> Edit:
        try:
            return disconnecting(target, now, saved)
        except Misread as error:
            raise UnusableSettings(target.path, error, "repair it, or take what calls memtree out by hand") from error

    change = file.preview(plan) if dry_run else file.change(plan)
    was = target.entries.found(target.format.parse(_text(change.before)))
    outcome = Outcome.NOT_CONNECTED if was is None else Outcome.DISCONNECTED
    kept = (f"{change.backup} holds the settings from before memtree",) if change.backup is not None else ()
    return Connection(target.title, target.path, outcome, was.root if was else None, change, kept)


def connected_to(target: Target) -> str | None:
    """The workspace that a program is connected to, None for none; raise UnusableSettings."""
    try:
        found = target.entries.found(target.format.parse(_text(SettingsFile(target.path).read())))
    except Misread as error:
        raise UnusableSettings(target.path, error, "repair it") from error
    return found.root if found is not None else None


def connecting(target: Target, words: list[str], now: bytes | None) -> Edit:
    """The settings file with our part: its bytes from the present ones (None: no file); raise Misread."""
    text = _text(now)
    old = target.format.parse(text)
    try:
        new = target.entries.connected(old, words)
    except Misshapen as error:
        raise Misread(error.reason, *target.format.place(text, error.keys)) from error
    if old == new:
        return Edit(now)
    first = now is not None and target.entries.found(old) is None
    return Edit(_edited(target.format, text, old, new), Backup.WRITE if first else Backup.KEEP)


def disconnecting(target: Target, now: bytes | None, saved: bytes | None) -> Edit:
    """The settings file without our part: from the present bytes and those of the backup (None: no file); raise Misread."""
    text = _text(now)
    old = target.format.parse(text)
    if target.entries.found(old) is None:
        return Edit(now)
    before = _meaning(target.format, saved)
    new = target.entries.disconnected(old, before or {})
    if before is not None and before == new:
        return Edit(saved, Backup.REMOVE)
    changed = _edited(target.format, text, old, new)
    if saved is None:
        return Edit(None if changed.strip() in (b"", b"{}") else changed)
    # A file that lost everything is not taken for what the user wanted: the backup is worth more then.
    return Edit(changed, Backup.REMOVE if new else Backup.KEEP)


def _edited(form: Format, text: str, old: Json, new: Json) -> bytes:
    return form.edited(text, old, new).encode("utf-8")


def _meaning(form: Format, saved: bytes | None) -> Json | None:
    """What the backup means; None where there is none that can be read."""
    if saved is None:
        return None
    try:
        return form.parse(_text(saved))
    except Misread:
        return None


def _text(data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        read = error.object[: error.start]
        raise Misread("not UTF-8", read.count(b"\n") + 1, error.start - read.rfind(b"\n")) from error
