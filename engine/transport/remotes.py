"""The remotes that a workspace syncs with, kept in the repository's own git settings."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from memtree.engine.repo import Repo
from memtree.engine.transport.addresses import absolute, refuse_secret
from memtree.engine.transport.errors import UnknownRemote
from memtree.engine.transport.local import RemoteSettings
from memtree.tree.errors import UserError
from memtree.tree.redaction import without_credentials

_FLAG = "memtree"  # remote.<name>.memtree = true | pull | push: it is synced; a user's other remotes are left alone


class Direction(enum.Enum):
    """What a sync does with a remote."""

    BOTH = "both"
    PULL = "pull"  # take only, such as what somebody else publishes
    PUSH = "push"  # give only, such as a backup


@dataclass(frozen=True, slots=True)
class Remote:
    name: str
    url: str
    direction: Direction = Direction.BOTH


class Remotes:
    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._settings = RemoteSettings(repo.git_folder)

    def all(self) -> list[Remote]:
        """The synced remotes by name."""
        return [self._named(name) for name in sorted(self._settings.with_key(_FLAG))]

    def _named(self, name: str) -> Remote:
        said = self._repo.config(f"remote.{name}.{_FLAG}")
        direction = next((one for one in Direction if one.value == said), Direction.BOTH)
        return Remote(name, without_credentials(self._repo.config(f"remote.{name}.url") or ""), direction)

    def add(self, name: str, url: str | None, direction: Direction = Direction.BOTH) -> Remote:
        """Sync with a remote from now on; without a URL an existing git remote of that name is taken.

        One that is synced already gets the new direction.
        """
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
            raise UserError(f"{name!r} is not a name for a remote", hint="use letters, digits, dots and dashes, for example origin")
        present = self._repo.config(f"remote.{name}.url")
        if url is None:
            if present is None:
                raise UserError(f"there is no git remote {name!r} yet", hint=f"memtree remote add {name} URL")
        else:
            refuse_secret(url)
            url = absolute(url)
            if present is not None and present != url:
                raise UserError(
                    f"remote {name} already stands for {without_credentials(present)}", hint=f"memtree remote remove {name} first"
                )
            if present is None:
                self._settings.create(name, url)
        self._repo.set_config(f"remote.{name}.{_FLAG}", "true" if direction is Direction.BOTH else direction.value)
        return self._named(name)

    def remove(self, name: str) -> None:
        """Stop syncing with a remote and forget it; what was fetched stays in the history."""
        if name not in {remote.name for remote in self.all()}:
            raise UnknownRemote(name)
        self._settings.delete(name)

    def chosen(self, name: str | None) -> list[Remote]:
        """The named remote, or all; raise UnknownRemote."""
        remotes = self.all()
        if name is None:
            return remotes
        found = [remote for remote in remotes if remote.name == name]
        if not found:
            raise UnknownRemote(name)
        return found
