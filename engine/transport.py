"""Transport: how commits reach another machine. The git program does it, so a user's credential helpers, ssh settings and proxies
just work. Only fetch and push; never force, never a prompt, always a time limit.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from memtree.engine.files import Durability, Files
from memtree.engine.git import Git, GitFailed, GitTimeout
from memtree.engine.repo import Repo
from memtree.tree.errors import StateError, TransientError, UserError
from memtree.tree.objects import CommitId
from memtree.tree.redaction import without_credentials

_FLAG = "memtree"  # remote.<name>.memtree: this remote is synced; a user's other remotes are left alone


# What is exchanged is one branch, whatever the user's settings add to a plain fetch or push: a submodule or a tag that cannot be
# had would fail it all.
_FETCH = ("--no-progress", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules")
_PUSH = ("--quiet", "--porcelain", "--no-follow-tags", "--recurse-submodules=no")

# A first sync may take long. It is a remote that says nothing for a minute (http here, ssh below) that is given up soon.
_PATIENCE = ("-c", "http.lowSpeedLimit=100", "-c", "http.lowSpeedTime=60", "-c", "gc.auto=0")
# By default git leaves loose objects, which a small fetch consists of, and refs to the system: after a power loss the branch could
# name commits that are not there.
_DURABLE = ("-c", "core.fsync=committed,reference", "-c", "core.fsyncMethod=fsync")


class RemoteUnreachable(TransientError):
    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"remote {name} cannot be reached: {detail}", hint="your commits are safe here; sync again when it can")
        self.name = name


class RemoteRefused(StateError):
    """The remote answered and said no: credentials, permissions, a hook."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"remote {name} refused: {detail}", hint="your commits are safe here; check the access to that remote")
        self.name = name


class RemoteRewritten(StateError):
    def __init__(self, name: str, branch: str) -> None:
        super().__init__(
            f"the history of {branch} on remote {name} was replaced; nothing was changed here",
            hint="if that was meant, run: memtree sync --accept-rewritten (what you have here is kept and merged)",
        )
        self.name = name


class PushRaced(TransientError):
    """Somebody else pushed first."""


class UnknownRemote(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no remote {name!r} here", hint="memtree remote list shows them; memtree remote add NAME URL")


@dataclass(frozen=True, slots=True)
class Remote:
    name: str
    url: str


class Remotes:
    """The remotes that this workspace syncs with, kept in the repository's own git settings."""

    def __init__(self, repo: Repo, git: Git) -> None:
        self._repo = repo
        self._git = git

    def all(self) -> list[Remote]:
        """The synced remotes by name."""
        done = self._git.call("config", "--get-regexp", rf"^remote\..*\.{_FLAG}$", check=False)
        names = [
            line.split(" ", 1)[0].removeprefix("remote.").removesuffix(f".{_FLAG}") for line in done.stdout.decode().splitlines()
        ]
        return [Remote(name, without_credentials(self._repo.config(f"remote.{name}.url") or "")) for name in sorted(names)]

    def add(self, name: str, url: str | None) -> Remote:
        """Sync with a remote from now on; without a URL an existing git remote of that name is taken."""
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
                self._git.run("remote", "add", name, url)
        self._git.run("config", f"remote.{name}.{_FLAG}", "true")
        return Remote(name, without_credentials(self._repo.config(f"remote.{name}.url") or ""))

    def remove(self, name: str) -> None:
        """Stop syncing with a remote and forget it; what was fetched stays in the history."""
        if name not in {remote.name for remote in self.all()}:
            raise UnknownRemote(name)
        self._git.run("remote", "remove", name)

    def chosen(self, name: str | None) -> list[Remote]:
        """The named remote, or all; raise UnknownRemote."""
        remotes = self.all()
        if name is None:
            return remotes
        found = [remote for remote in remotes if remote.name == name]
        if not found:
            raise UnknownRemote(name)
        return found


class GitTransport:
    """Fetches and pushes one branch by the git program. The only refs it moves are remote-tracking ones."""

    def __init__(self, repo: Repo, git: Git, files: Files | None = None, *, timeout: float = 3600.0) -> None:
        self._repo = repo
        self._git = git
        self._files = files or Files(Durability.FAST)
        self._timeout = timeout

    def fetch(self, remote: str, branch: str, *, accept_rewritten: bool = False) -> CommitId | None:
        """Bring the remote's commits here; return its tip, or None when it has no such branch yet."""
        before = self._object_folders()
        force = "+" if accept_rewritten else ""
        refspec = f"{force}refs/heads/{branch}:{tracking(remote, branch)}"
        try:
            # Not --quiet: git would then keep silent about a refused update too.
            self._call("fetch", *_FETCH, remote, refspec)
        except GitFailed as error:
            if "find remote ref" in error.output:
                # A repository that was made anew knows nothing of what we sent to the old one.
                self._git.run("update-ref", "-d", tracking(remote, branch))
                return None
            if "non-fast-forward" in error.output or "[rejected]" in error.output:
                raise RemoteRewritten(remote, branch) from error
            raise translated(remote, error) from error
        for folder in self._object_folders().items() - before.items():
            self._files.sync_folder(folder[0])
        return self._repo.tip(tracking(remote, branch))

    def _object_folders(self) -> dict[str, int]:
        """The folders of the object store and when each last got a new name; nothing where that need not reach the disk."""
        if not self._files.durable:
            return {}
        top = os.path.join(self._repo.common_folder, "objects")
        inner = [entry.path for entry in os.scandir(top) if entry.is_dir()]
        return {folder: os.stat(folder).st_mtime_ns for folder in (*inner, top)}

    def push(self, remote: str, branch: str, commit: CommitId) -> None:
        """Move the remote's branch forward to `commit`; raise PushRaced when it is not a fast-forward any more."""
        try:
            self._call("push", *_PUSH, remote, f"{commit}:refs/heads/{branch}")
        except GitFailed as error:
            text = error.output
            if "[remote rejected]" in text and "cannot lock ref" not in text and "failed to update ref" not in text:
                raise RemoteRefused(remote, _said(text)) from error
            if any(mark in text for mark in ("non-fast-forward", "fetch first", "cannot lock ref", "failed to update ref")):
                raise PushRaced(f"somebody pushed to {remote} at the same moment", hint="try again") from error
            raise translated(remote, error) from error

    def _call(self, *arguments: str) -> None:
        options = [*_PATIENCE, *(_DURABLE if self._files.durable else ())]
        git = Git(self._git.folder, _environment(self._repo, self._git))
        done = git.call(*options, *arguments, timeout=self._timeout, check=False)
        if done.returncode:
            output = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
            raise GitFailed((arguments[0],), done.returncode, without_credentials(output))


def tracking(remote: str, branch: str) -> str:
    """The ref that says where the remote's branch stood when we last heard of it."""
    return f"refs/remotes/{remote}/{branch}"


def _environment(repo: Repo, git: Git) -> dict[str, str]:
    environment = dict(os.environ if git.environment is None else git.environment)
    if "GIT_SSH_COMMAND" not in environment and "GIT_SSH" not in environment and repo.config("core.sshcommand") is None:
        # A question on a terminal nobody looks at would hang a background sync for ever.
        environment["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=15"
    return environment


_REFUSALS = re.compile(
    r"authentication failed|permission denied|access denied|host key verification failed|could not read (username|password)"
    r"|returned error: 40[134]|repository\s+not found"
)


def translated(remote: str, error: GitFailed) -> RemoteUnreachable | RemoteRefused:
    """What a failed fetch, push or clone means: try again, or change something."""
    if isinstance(error, GitTimeout):
        return RemoteUnreachable(remote, "it did not answer in time")
    # Addresses stand in quotes; what they are made of says nothing about what happened.
    text = re.sub(r"'[^']*'", "", error.output.lower())
    stopped_by_us = "failed to push" in text and "fatal:" not in text  # the user's own pre-push hook
    if stopped_by_us or _REFUSALS.search(text):
        return RemoteRefused(remote, _said(error.output))
    return RemoteUnreachable(remote, _said(error.output))


_DULL = ("To ", "Done", "hint:", "!", "=", "*", "error: failed to push", "warning:")


def _said(output: str) -> str:
    """What of git's output tells a person most, in one line: its own reason, and the server's words."""
    lines = [line.strip() for line in output.splitlines() if any(c.isalpha() for c in line)]
    server = [line.removeprefix("remote: ").strip() for line in lines if line.startswith("remote: ")]
    telling = [line for line in lines if not line.startswith(("remote: ", *_DULL))]
    reasons = [line for line in telling if line.startswith(("fatal:", "ERROR", "error:"))] or telling
    said = [reasons[0].removeprefix("fatal: ").removeprefix("error: ")] if reasons else []
    said += [f"the server says: {server[0]}"] if said and server else server[:1]
    return " - ".join(said) or (lines or ["no reason given"])[-1].replace("\t", " ")


def refuse_secret(url: str) -> None:
    """Raise when a remote's URL carries a password or token, or is an option in disguise."""
    scheme, mark, rest = url.partition("://")
    user, at, host = rest.split("/", 1)[0].rpartition("@")
    named = bool(at) and (":" in user or ("ssh" not in scheme.lower() and user != "git"))
    cut = bool(re.search(r":[^\d\]]", re.sub(r"\[.*\]", "", host)))  # a password with a slash in it looks like a port
    if mark and (named or cut):
        raise UserError(
            "the remote URL holds credentials; memtree never stores them",
            hint="use the plain URL and let git's credential helper or an ssh key answer",
        )
    if url.startswith("-"):
        raise UserError(f"{url!r} is not a URL", hint="for example git@host:me/memory.git or /media/usb/memory.git")


def absolute(url: str) -> str:
    """A local path as an absolute one, so that it means the same from everywhere; other addresses as they are."""
    if "://" in url or re.match(r"[^/]+:", url):
        return url
    return os.path.abspath(os.path.expanduser(url))
