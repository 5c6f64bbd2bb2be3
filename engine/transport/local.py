"""What libgit2 does with refs and settings for a transport: ours, and those of a remote that is a folder of this machine."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pygit2
from pygit2.enums import CheckoutStrategy

from memtree.engine.transport.link import ONE_AT_A_TIME, LinkFailed, Reason, fail, failures, synced
from memtree.tree.objects import CommitId

_HOOKS = ("pre-receive", "update", "reference-transaction", "proc-receive", "post-receive", "post-update")


def move_ref(git_folder: str, ref: str, commit: CommitId | None, *, durable: bool) -> None:
    """Set a ref, or with None remove it."""
    references = pygit2.Repository(git_folder).references
    with ExitStack() as open_settings:
        if durable:
            open_settings.enter_context(ONE_AT_A_TIME)
            open_settings.enter_context(synced())
        if commit is not None:
            references.create(ref, pygit2.Oid(hex=commit), force=True)
        elif references.get(ref) is not None:
            references.delete(ref)


def stand_on(git_folder: str, ref: str, tip: CommitId | None) -> None:
    """Put HEAD of a fresh clone on a branch, and the branch at a commit; nothing is checked out."""
    repo = pygit2.Repository(git_folder)
    if tip is not None:
        repo.references.create(ref, pygit2.Oid(hex=tip), force=True)
    repo.set_head(ref)


def fill(git_folder: str) -> None:
    """Check HEAD out into the empty folder of a fresh clone."""
    pygit2.Repository(git_folder).checkout("HEAD", strategy=CheckoutStrategy.FORCE)


def require_folder(folder: str) -> None:
    """Raise when a remote's folder is away, as on a disk that is not plugged in; '' is a remote elsewhere."""
    if folder and not os.path.isdir(folder):
        raise LinkFailed(Reason.UNREACHABLE, f"there is no folder {folder}")


class RemoteSettings:
    """The `remote.…` part of a repository's git settings."""

    def __init__(self, git_folder: str) -> None:
        self._git_folder = git_folder

    def _open(self) -> pygit2.Repository:
        return pygit2.Repository(self._git_folder)

    def with_key(self, key: str) -> set[str]:
        """The remotes that have a setting of this name."""
        start, end = "remote.", f".{key}"
        names = (entry.name for entry in self._open().config.snapshot())
        return {name[len(start) : -len(end)] for name in names if name.startswith(start) and name.endswith(end)}

    def create(self, name: str, url: str) -> None:
        self._open().remotes.create(name, url)

    def delete(self, name: str) -> None:
        """Remove a remote with its tracking refs."""
        self._open().remotes.delete(name)

    def addresses(self, name: str) -> tuple[str, str] | None:
        """Where a remote is fetched from and pushed to, the user's `insteadOf` applied; None when there is no such remote."""
        try:
            remote = self._open().remotes[name]
        except KeyError:
            return None
        return (remote.url or "", remote.push_url or remote.url or "")


class LocalRemote:
    """A repository in a folder of this machine, as a place to push to."""

    def __init__(self, folder: str) -> None:
        require_folder(folder)
        with failures():
            self._git = pygit2.Repository(folder)

    def tip(self, ref: str) -> CommitId | None:
        found = self._git.references.get(ref)
        return CommitId(str(found.resolve().target)) if found is not None else None

    def shows(self, ref: str) -> bool:
        """Whether the ref is checked out into files there."""
        return not self._git.is_bare and self._git.references["HEAD"].target == ref

    def hooks(self) -> list[str]:
        """The hooks that git would run for a push."""
        try:
            folder = os.path.expanduser(str(self._git.config.snapshot()["core.hookspath"]))
        except KeyError:
            folder = "hooks"
        folder = os.path.join(self._git.path, folder)
        return [name for name in _HOOKS if os.access(os.path.join(folder, name), os.X_OK)]

    def move(self, ref: str, old: CommitId | None, new: CommitId, *, durable: bool) -> bool:
        """Set the ref from `old` to `new`; False when it stands elsewhere by now or somebody holds its lock."""
        with ExitStack() as open_settings:
            if durable:
                open_settings.enter_context(ONE_AT_A_TIME)
                open_settings.enter_context(synced())
            try:
                with self._git.transaction() as transaction:
                    transaction.lock_ref(ref)
                    if self.tip(ref) != old:
                        return False
                    transaction.set_target(ref, new, message="push")
            except (pygit2.GitError, OSError) as error:
                if "lock" in str(error):
                    return False
                fail(error)
        return True

    def drop(self, ref: str) -> None:
        if self._git.references.get(ref) is not None:
            self._git.references.delete(ref)
