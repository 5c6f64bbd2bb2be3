"""Transport by the git program, so a user's credential helpers, ssh settings and proxies just work."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Mapping

from memtree.engine.files import Durability, Files
from memtree.engine.git import Git, GitFailed, GitTimeout
from memtree.engine.repo import Repo
from memtree.engine.transport.base import tracking
from memtree.engine.transport.errors import PushRaced, RemoteBranchGone, RemoteRefused, RemoteRewritten, RemoteUnreachable
from memtree.tree.objects import CommitId
from memtree.tree.redaction import without_credentials

# What is exchanged is one branch, whatever the user's settings add to a plain fetch or push: a submodule or a tag that cannot be
# had would fail it all.
_FETCH = ("--no-progress", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules")
_PUSH = ("--quiet", "--porcelain", "--no-follow-tags", "--recurse-submodules=no")

# A first sync may take long. It is a remote that says nothing for a minute (http here, ssh below) that is given up soon.
_PATIENCE = ("-c", "http.lowSpeedLimit=100", "-c", "http.lowSpeedTime=60", "-c", "gc.auto=0")
# By default git leaves loose objects, which a small fetch consists of, and refs to the system: after a power loss the branch could
# name commits that are not there.
_DURABLE = ("-c", "core.fsync=committed,reference", "-c", "core.fsyncMethod=fsync")


class GitTransport:
    def __init__(self, repo: Repo, git: Git, files: Files | None = None, *, timeout: float = 3600.0) -> None:
        self._repo = repo
        self._git = git
        self._files = files or Files(Durability.FAST)
        self._timeout = timeout

    def fetch(self, remote: str, branch: str, *, accept_rewritten: bool = False) -> CommitId | None:
        before = self._object_folders()
        force = "+" if accept_rewritten else ""
        refspec = f"{force}refs/heads/{branch}:{tracking(remote, branch)}"
        try:
            self._fetch(remote, refspec)
        except GitFailed as error:
            if "find remote ref" in error.output:
                self._say_gone(remote, branch, accepted=accept_rewritten)
                return None
            if "non-fast-forward" in error.output or "[rejected]" in error.output:
                raise RemoteRewritten(remote, branch) from error
            raise translated(remote, error) from error
        for folder in self._object_folders().items() - before.items():
            self._files.sync_folder(folder[0])
        return self._repo.tip(tracking(remote, branch))

    def _fetch(self, remote: str, refspec: str) -> None:
        """Fetch; again when another fetch, such as an editor's, moved the ref at the same moment."""
        for pause in (0.05, 0.2, 0.8, 0.0):
            try:
                # Not --quiet: git would then keep silent about a refused update too.
                self._call("fetch", *_FETCH, remote, refspec)
                return
            except GitFailed as error:
                if not pause or "cannot lock ref" not in error.output:
                    raise
                time.sleep(pause * random.uniform(0.5, 1.5))

    def _say_gone(self, remote: str, branch: str, *, accepted: bool) -> None:
        """The remote has no such branch: nothing to say when it never had one, an alarm when it did."""
        if self._repo.tip(tracking(remote, branch)) is None:
            return
        if not accepted:
            raise RemoteBranchGone(remote, branch)
        self._git.run("update-ref", "-d", tracking(remote, branch))

    def _object_folders(self) -> dict[str, int]:
        """The folders of the object store and when each last got a new name; nothing where that need not reach the disk."""
        if not self._files.durable:
            return {}
        top = os.path.join(self._repo.common_folder, "objects")
        inner = [entry.path for entry in os.scandir(top) if entry.is_dir()]
        return {folder: os.stat(folder).st_mtime_ns for folder in (*inner, top)}

    def push(self, remote: str, branch: str, commit: CommitId) -> None:
        try:
            self._call("push", *_PUSH, remote, f"{commit}:refs/heads/{branch}")
        except GitFailed as error:
            text = error.output
            if "[remote rejected]" in text and not lost_race(text):
                raise RemoteRefused(remote, _said(text)) from error
            if lost_race(text):
                raise PushRaced(remote) from error
            raise translated(remote, error) from error

    def _call(self, *arguments: str) -> None:
        options = [*_PATIENCE, *(_DURABLE if self._files.durable else ())]
        git = Git(self._git.folder, unasking(self._git.environment, self._repo.config("core.sshcommand")), self._git.children)
        done = git.call(*options, *arguments, timeout=self._timeout, check=False)
        if done.returncode:
            output = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
            raise GitFailed((arguments[0],), done.returncode, without_credentials(output))


def unasking(environment: Mapping[str, str] | None, ssh_command: str | None) -> dict[str, str]:
    """The environment (None: this process's own) for a git that asks nobody. `ssh_command` is what git's settings say, if they do.

    A question on a terminal or in a window nobody looks at would hang a background sync for ever.
    """
    quiet = dict(os.environ if environment is None else environment)
    quiet.pop("SSH_ASKPASS", None)
    if "GIT_SSH_COMMAND" not in quiet and "GIT_SSH" not in quiet and ssh_command is None:
        quiet["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=15"
    return quiet


_RACES = ("non-fast-forward", "fetch first", "cannot lock ref", "failed to update ref", "failed to lock")


def lost_race(text: str) -> bool:
    """Whether a refused push says that somebody else moved the branch first."""
    return any(mark in text for mark in _RACES)


_REFUSALS = re.compile(
    r"authentication failed|permission denied|access denied|host key verification failed|could not read (username|password)"
    r"|returned error: 40[134]|repository\s+not found"
)
_UNKNOWN_HOST = "host key verification failed"
KNOW_HOST = "connect to that host once with ssh, or add its key: ssh-keyscan HOST >> ~/.ssh/known_hosts (compare the fingerprint)"


def translated(remote: str, error: GitFailed) -> RemoteUnreachable | RemoteRefused:
    """What a failed fetch, push or clone means: try again, or change something."""
    if isinstance(error, GitTimeout):
        return RemoteUnreachable(remote, "it did not answer in time")
    # Addresses stand in quotes; what they are made of says nothing about what happened.
    text = re.sub(r"'[^']*'", "", error.output.lower())
    stopped_by_us = "failed to push" in text and "fatal:" not in text  # the user's own pre-push hook
    if _UNKNOWN_HOST in text:
        return RemoteRefused(remote, "its ssh host key is not the one that is known, or none is known", hint=KNOW_HOST)
    if stopped_by_us or _REFUSALS.search(text):
        return RemoteRefused(remote, _said(error.output))
    return RemoteUnreachable(remote, _said(error.output))


_MILLISECONDS = re.compile(r" after \d+ ms")  # curl counts them: the same failure would read differently each time
_DULL = ("To ", "Done", "hint:", "!", "=", "*", "error: failed to push", "warning:")


def _said(output: str) -> str:
    """What of git's output tells a person most, in one line: its own reason, and the server's words."""
    output = _MILLISECONDS.sub("", output)
    lines = [line.strip() for line in output.splitlines() if any(c.isalpha() for c in line)]
    server = [line.removeprefix("remote: ").strip() for line in lines if line.startswith("remote: ")]
    telling = [line for line in lines if not line.startswith(("remote: ", *_DULL))]
    reasons = [line for line in telling if line.startswith(("fatal:", "ERROR", "error:"))] or telling
    said = [reasons[0].removeprefix("fatal: ").removeprefix("error: ")] if reasons else []
    said += [f"the server says: {server[0]}"] if said and server else server[:1]
    return " - ".join(said) or (lines or ["no reason given"])[-1].replace("\t", " ")
