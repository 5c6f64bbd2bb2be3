"""Transport by libgit2, for machines without the git program. Where libgit2 takes too much on trust it is checked here."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence

from memtree.engine.files import Files
from memtree.engine.git import Git
from memtree.engine.repo import Repo
from memtree.engine.transport.addresses import local_path, ssh_host
from memtree.engine.transport.base import Limits, tracking
from memtree.engine.transport.credentials import TOKEN_KEY, Answers
from memtree.engine.transport.errors import (
    PushRaced,
    RemoteBranchGone,
    RemoteRefused,
    RemoteRewritten,
    RemoteUnreachable,
    UnknownRemote,
)
from memtree.engine.transport.git_program import KNOW_HOST, lost_race
from memtree.engine.transport.known_hosts import SYSTEM_FILE, read, relevant
from memtree.engine.transport.link import Direction, LinkFailed, Reason, RemoteLink
from memtree.engine.transport.local import LocalRemote, RemoteSettings, move_ref, require_folder
from memtree.tree.errors import Error
from memtree.tree.objects import CommitId
from memtree.tree.redaction import without_credentials

_LOG_IN = f"for ssh add a key to the ssh agent or to ~/.ssh, for https set {TOKEN_KEY}; or install git, whose helpers then answer"


class LibgitTransport:
    """`key_files` and `known_hosts` take the place of the user's own in ~/.ssh."""

    def __init__(
        self,
        repo: Repo,
        git: Git,
        files: Files,
        *,
        limits: Limits | None = None,
        key_files: Sequence[str] | None = None,
        known_hosts: Sequence[str] | None = None,
    ) -> None:
        self._repo = repo
        self._git = git
        self._files = files
        self._limits = limits or Limits()
        self._key_files = key_files
        self._known_hosts = known_hosts

    def fetch(self, remote: str, branch: str, *, accept_rewritten: bool = False) -> CommitId | None:
        ref, ours = f"refs/heads/{branch}", tracking(remote, branch)
        known = self._repo.tip(ours)
        try:
            with self._link(self._addresses(remote)[0], Direction.FETCH) as link:
                tip = link.tips().get(ref)
                if tip is not None and tip != known:
                    link.fetch([ref])
        except LinkFailed as error:
            raise translated(remote, error) from error
        if tip == known:
            return tip
        if tip is None:
            if not accept_rewritten:
                raise RemoteBranchGone(remote, branch)
        elif not accept_rewritten and not self._repo.contains(tip, known):
            raise RemoteRewritten(remote, branch)
        self._remember(ours, tip)
        return tip

    def push(self, remote: str, branch: str, commit: CommitId) -> None:
        address, ref = self._addresses(remote)[1], f"refs/heads/{branch}"
        try:
            if local_path(address):
                self._push_here(remote, address, ref, commit)
            else:
                self._push_there(remote, address, ref, commit)
        except LinkFailed as error:
            raise translated(remote, error) from error
        self._remember(tracking(remote, branch), commit)

    def _push_there(self, remote: str, address: str, ref: str, commit: CommitId) -> None:
        with self._link(address, Direction.PUSH) as link:
            known = link.tips().get(ref)
            if known == commit:
                return
            self._refuse_backwards(remote, known, commit)
            refusal = link.push(commit, ref)
        if refusal and lost_race(refusal):
            raise PushRaced(remote)
        if refusal:
            raise RemoteRefused(remote, without_credentials(refusal))
        with self._link(address, Direction.FETCH) as link:
            held = link.tips().get(ref)
        # A commit that is not known here is somebody's who pushed on top of ours just now.
        if held is None or (self._repo.has_commit(held) and not self._repo.contains(held, commit)):
            raise RemoteRefused(remote, "it took the push and does not have it")

    def _push_here(self, remote: str, address: str, ref: str, commit: CommitId) -> None:
        """To a folder. libgit2 runs no hook there and moves the branch wherever it stood, so it only carries the objects."""
        there = LocalRemote(local_path(address))
        known = there.tip(ref)
        if known == commit:
            return
        self._refuse_backwards(remote, known, commit)
        if there.hooks():
            raise RemoteRefused(
                remote,
                f"its hook {there.hooks()[0]} has to be run by the git program",
                hint="install git, or reach it by ssh or http",
            )
        if there.shows(ref):
            raise RemoteRefused(remote, "that branch is checked out there", hint="use a bare repository: git init --bare")
        arrival = f"refs/memtree/arriving-{secrets.token_hex(8)}"
        with self._link(address, Direction.PUSH) as link:
            link.push(commit, arrival)
        try:
            if not there.move(ref, known, commit, durable=self._files.durable):
                raise PushRaced(remote)
        finally:
            there.drop(arrival)

    def _refuse_backwards(self, remote: str, known: CommitId | None, commit: CommitId) -> None:
        if known is not None and not (self._repo.has_commit(known) and self._repo.contains(commit, known)):
            raise PushRaced(remote)

    def _addresses(self, remote: str) -> tuple[str, str]:
        """Where a remote is fetched from and pushed to."""
        found = RemoteSettings(self._repo.git_folder).addresses(remote)
        if found is None:
            raise UnknownRemote(remote)
        return found

    def _link(self, address: str, direction: Direction) -> RemoteLink:
        return open_link(
            self._repo.git_folder,
            address,
            direction,
            environment=self._environment(),
            git=self._git if self._git.present() else None,
            limits=self._limits,
            durable=self._files.durable,
            key_files=self._key_files,
            known_hosts=self._known_hosts,
        )

    def _environment(self) -> Mapping[str, str]:
        return os.environ if self._git.environment is None else self._git.environment

    def _remember(self, ref: str, commit: CommitId | None) -> None:
        move_ref(self._repo.git_folder, ref, commit, durable=self._files.durable)


def open_link(
    git_folder: str,
    address: str,
    direction: Direction,
    *,
    environment: Mapping[str, str],
    git: Git | None,
    limits: Limits,
    durable: bool,
    key_files: Sequence[str] | None = None,
    known_hosts: Sequence[str] | None = None,
) -> RemoteLink:
    """A connection to be opened by `with`: who we are and which ssh hosts we know is settled here."""
    require_folder(local_path(address))
    home = environment.get("HOME") or os.path.expanduser("~")
    host = ssh_host(address)
    if known_hosts is None:
        known_hosts = (os.path.join(home, ".ssh", "known_hosts"), SYSTEM_FILE)
    return RemoteLink(
        git_folder,
        address,
        direction,
        Answers(address, environment, git, key_files).next,
        limits=limits,
        durable=durable,
        known_hosts=None if host is None else relevant(read(known_hosts), host),
    )


def translated(remote: str, error: LinkFailed) -> Error:
    """What a link that failed means to whoever wanted to reach `remote`."""
    text = without_credentials(str(error))
    match error.reason:
        case Reason.UNREACHABLE:
            return RemoteUnreachable(remote, text)
        case Reason.REFUSED:
            return RemoteRefused(remote, text)
        case Reason.UNKNOWN_HOST:
            return RemoteRefused(remote, text, hint=KNOW_HOST)
        case Reason.NO_CREDENTIALS:
            return RemoteRefused(remote, text, hint=_LOG_IN)
