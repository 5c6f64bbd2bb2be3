"""RemoteLink: one connection to a remote through libgit2. Foreign exceptions are translated here, into LinkFailed.

libgit2 keeps its time limits and the home folder for the whole process, so one connection is open at a time.
"""

from __future__ import annotations

import enum
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, NoReturn, Self

import pygit2
from pygit2.enums import CredentialType, FetchPrune

from memtree.engine.transport.base import Limits
from memtree.engine.transport.credentials import Asked, Credential, Key, Password, User
from memtree.tree.objects import CommitId

Answer = Callable[[str, str | None, frozenset[Asked]], Credential | None]
ONE_AT_A_TIME = threading.RLock()
_ASKED = {
    CredentialType.USERNAME: Asked.USER,
    CredentialType.SSH_KEY: Asked.KEY,
    CredentialType.USERPASS_PLAINTEXT: Asked.PASSWORD,
}


class Direction(enum.Enum):
    FETCH = 0
    PUSH = 1


class Reason(enum.Enum):
    """What kind of no it was."""

    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    UNKNOWN_HOST = "unknown host"
    NO_CREDENTIALS = "no credentials"


class LinkFailed(Exception):
    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class RemoteLink:
    """One connection, open inside its `with` block. `answer` has the credentials, `known_hosts` an ssh host's keys."""

    def __init__(
        self,
        git_folder: str,
        address: str,
        direction: Direction,
        answer: Answer,
        *,
        limits: Limits,
        durable: bool,
        known_hosts: str | None,
    ) -> None:
        self._git_folder = git_folder
        self._address = address
        self._direction = direction
        self._answer = answer
        self._limits = limits
        self._durable = durable
        self._known_hosts = known_hosts

    def __enter__(self) -> Self:
        self._open = ExitStack()
        try:
            self._open.enter_context(ONE_AT_A_TIME)
            self._open.enter_context(_limited(self._limits))
            if self._durable:
                self._open.enter_context(synced())
            self._callbacks = _Callbacks(self._answer, time.monotonic() + self._limits.total)
            with failures():
                self._remote = pygit2.Repository(self._git_folder).remotes.create_anonymous(self._address)
                with _home_with(self._known_hosts):
                    self._remote.connect(self._callbacks, self._direction.value, proxy=True)
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        del self._remote  # libgit2 hangs up when it is freed
        self._open.close()

    def tips(self) -> dict[str, CommitId]:
        """Every ref of the remote and where it stands."""
        with failures():
            heads = self._remote.list_heads(connect=False)
        return {head.name: CommitId(str(head.oid)) for head in heads if head.name is not None}

    def head(self) -> str:
        """The ref that the remote's HEAD points to, or ''."""
        with failures():
            heads = self._remote.list_heads(connect=False)
        return next((head.symref_target or "" for head in heads if head.name == "HEAD"), "")

    def fetch(self, refs: Sequence[str]) -> None:
        """Bring the objects of these refs here; no ref is moved."""
        self._callbacks.sideband_progress = None  # type: ignore[assignment, method-assign]
        with failures():
            self._remote.fetch([*refs], callbacks=self._callbacks, prune=FetchPrune.NO_PRUNE, proxy=True)

    def push(self, commit: CommitId, ref: str) -> str:
        """Send a commit as `ref`; what the remote said when it refused, or ''."""
        with failures():
            self._remote.push([f"{commit}:{ref}"], callbacks=self._callbacks, proxy=True)
        refused, said = self._callbacks.refused, self._callbacks.said()
        if refused is None:
            return ""
        return f"{refused} - the server says: {said}" if said else refused


class _NothingToSay(Exception):
    pass


class _TooLong(Exception):
    pass


class _Callbacks(pygit2.RemoteCallbacks):
    def __init__(self, answer: Answer, deadline: float) -> None:
        super().__init__()
        self._answer = answer
        self._deadline = deadline
        self._words: list[str] = []
        self.refused: str | None = None

    # pygit2 puts its options here before it calls libgit2. A user's FETCH_HEAD is theirs.
    @property
    def fetch_options(self) -> Any:
        return self._options

    @fetch_options.setter
    def fetch_options(self, options: Any) -> None:
        options.update_fetchhead = 0
        self._options = options

    def credentials(self, url: str, username_from_url: str | None, allowed_types: CredentialType) -> Any:
        asked = frozenset(kind for bit, kind in _ASKED.items() if allowed_types & bit)
        match self._answer(url, username_from_url, asked):
            case User(name):
                return pygit2.Username(name)
            case Key(user, ""):
                return pygit2.KeypairFromAgent(user)
            case Key(user, path):
                return pygit2.Keypair(user, None, path, "")
            case Password(user, secret):
                return pygit2.UserPass(user, secret)
            case _:
                raise _NothingToSay

    def certificate_check(self, certificate: None, valid: bool, host: bytes) -> bool:  # noqa: ARG002
        # For https the verdict of TLS, for ssh that of libgit2's look at known_hosts. pygit2's default ignores the second.
        return valid

    def push_update_reference(self, refname: str, message: str | None) -> None:  # noqa: ARG002
        if message is not None:
            self.refused = message

    def sideband_progress(self, string: str) -> None:
        self._words.append(string)
        self._check_time()

    def transfer_progress(self, stats: object) -> None:  # noqa: ARG002
        self._check_time()

    def push_transfer_progress(self, objects_pushed: int, total_objects: int, bytes_pushed: int) -> None:  # noqa: ARG002
        self._check_time()

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise _TooLong

    def said(self) -> str:
        """The first line of the server's own words."""
        lines = (line.strip() for line in re.split(r"[\r\n]+", "".join(self._words)))
        return next((line for line in lines if line), "")


@contextmanager
def failures() -> Iterator[None]:
    try:
        yield
    except _NothingToSay as error:
        raise LinkFailed(Reason.NO_CREDENTIALS, "it asks for credentials, and none that are known here satisfy it") from error
    except _TooLong as error:
        raise LinkFailed(Reason.UNREACHABLE, "it did not finish in time") from error
    except UnicodeDecodeError as error:  # pygit2 gives up on words of the server that are not UTF-8
        raise LinkFailed(Reason.REFUSED, error.object.decode("utf-8", "replace").strip()) from error
    except (pygit2.GitError, KeyError, ValueError, OSError) as error:
        fail(error)


_REFUSALS = re.compile(
    r"status code: 40[134]|authentication replays|permission denied|access denied|repository\s+not found|unsupported url protocol"
    r"|not appear to be a git repository|failed to authenticate"
)


def fail(error: Exception) -> NoReturn:
    text = str(error).strip() or type(error).__name__
    if isinstance(error, pygit2.CertificateError):
        if "ssh" in text:
            raise LinkFailed(Reason.UNKNOWN_HOST, "its ssh host key is not the one that is known, or none is known") from error
        raise LinkFailed(Reason.REFUSED, f"its certificate is not valid: {text}") from error
    if isinstance(error, pygit2.AuthError):
        raise LinkFailed(Reason.REFUSED, text) from error
    if "timed out" in text.lower() or "timeout" in text.lower():
        raise LinkFailed(Reason.UNREACHABLE, f"it did not answer in time ({text})") from error
    plain = re.sub(r"'[^']*'", "", text.lower())  # what an address is made of says nothing about what happened
    raise LinkFailed(Reason.REFUSED if _REFUSALS.search(plain) else Reason.UNREACHABLE, text) from error


# -- what libgit2 keeps for the whole process


@contextmanager
def _limited(limits: Limits) -> Iterator[None]:
    settings = pygit2.settings
    before = settings.server_connect_timeout, settings.server_timeout
    settings.server_connect_timeout, settings.server_timeout = int(1000 * limits.connect), int(1000 * limits.silence)
    try:
        yield
    finally:
        settings.server_connect_timeout, settings.server_timeout = before


@contextmanager
def synced() -> Iterator[None]:
    """Packs and refs reach the disk, in that order."""
    pygit2.settings.enable_fsync_gitdir(True)
    try:
        yield
    finally:
        pygit2.settings.enable_fsync_gitdir(False)


@contextmanager
def _home_with(known_hosts: str | None) -> Iterator[None]:
    """Make libgit2 find these known ssh hosts and no others. Everything else in the home folder stays in sight."""
    if known_hosts is None:
        yield
        return
    before = pygit2.settings.homedir or ""
    with tempfile.TemporaryDirectory(prefix="memtree-") as folder:
        for name in os.listdir(before) if os.path.isdir(before) else ():
            if name != ".ssh":
                os.symlink(os.path.join(before, name), os.path.join(folder, name))
        os.mkdir(os.path.join(folder, ".ssh"), 0o700)
        with open(os.path.join(folder, ".ssh", "known_hosts"), "w", encoding="utf-8") as file:
            file.write(known_hosts)
        pygit2.settings.homedir = folder
        try:
            yield
        finally:
            pygit2.settings.homedir = before
