"""What a remote that asks who we are is told by libgit2's side: each answer once, a few at most, and never by asking a person.

For ssh the agent, then the plain key files; for http a token of the environment, then what git's credential helpers know.
None of it is stored or shown.
"""

from __future__ import annotations

import base64
import binascii
import enum
import getpass
import ipaddress
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from memtree.engine.git import Git, GitFailed, GitMissing

TRIES = 3
TOKEN_KEY = "MEMTREE_GIT_TOKEN"  # noqa: S105  the name of a variable
_TOKEN_USER = "x-access-token"  # noqa: S105  what servers take beside a token; most look at the token only
_KEY_NAMES = ("id_ed25519", "id_ecdsa", "id_rsa")
_PATIENCE = 20.0  # seconds that a credential helper may think


class Asked(enum.Enum):
    """What a remote wants to know."""

    USER = "user"
    KEY = "key"
    PASSWORD = "password"  # noqa: S105


@dataclass(frozen=True, slots=True)
class User:
    name: str


@dataclass(frozen=True, slots=True)
class Password:
    user: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Key:
    """A private key in a file, or with '' whatever the ssh agent holds."""

    user: str
    path: str


Credential = User | Password | Key


class Answers:
    """The answers for one connection. `key_files` are private keys to try instead of those in the user's ~/.ssh."""

    def __init__(self, url: str, environment: Mapping[str, str], git: Git | None, key_files: Sequence[str] | None = None) -> None:
        self._url = url
        self._environment = environment
        self._git = git
        self._key_files = key_files
        self._user = ""
        self._tries = dict.fromkeys(Asked, TRIES + 1)  # the agent, and then the files
        self._keys = self._find_keys()
        self._passwords = self._find_passwords()

    def next(self, url: str, user: str | None, asked: Collection[Asked]) -> Credential | None:
        """What to say next to whoever asks from `url`, or None when there is nothing left to say."""
        for kind in (Asked.USER, Asked.KEY, Asked.PASSWORD):
            if kind not in asked:
                continue
            self._tries[kind] -= 1
            if self._tries[kind] < 0:
                return None
            self._user = user or self._user
            found = self._answer(kind, url)
            if found is not None:
                return found
        return None

    def _answer(self, kind: Asked, url: str) -> Credential | None:
        if kind is Asked.USER:
            return User(self._user or getpass.getuser())
        if kind is Asked.KEY:
            return next(self._keys, None)
        # Where a server sends us on to another host, that host learns nothing.
        return next(self._passwords, None) if urlsplit(url).netloc == urlsplit(self._url).netloc else None

    def _find_keys(self) -> Iterator[Key]:
        socket = self._environment.get("SSH_AUTH_SOCK")
        if socket and socket == os.environ.get("SSH_AUTH_SOCK"):  # libssh2 looks into this process's environment
            yield Key(self._user or getpass.getuser(), "")
        folder = os.path.join(self._environment.get("HOME") or os.path.expanduser("~"), ".ssh")
        files = [os.path.join(folder, name) for name in _KEY_NAMES] if self._key_files is None else self._key_files
        for path in files[:TRIES]:
            if _is_open(path):
                yield Key(self._user or getpass.getuser(), path)

    def _find_passwords(self) -> Iterator[Password]:
        where = urlsplit(self._url)
        if where.scheme not in ("http", "https"):
            return
        token = self._environment.get(TOKEN_KEY, "")
        if token and (where.scheme == "https" or _on_this_machine(where.hostname or "")):
            yield Password(where.username or _TOKEN_USER, token)
        filled = self._fill() if self._git is not None else None
        if filled is not None:
            yield filled

    def _fill(self) -> Password | None:
        """What git's credential helpers know about the remote."""
        assert self._git is not None
        where = urlsplit(self._url)
        question = {"protocol": where.scheme, "host": where.netloc.rpartition("@")[2], "path": where.path.lstrip("/")}
        if where.username:
            question["username"] = where.username
        text = "".join(f"{key}={value}\n" for key, value in question.items()) + "\n"
        try:
            done = self._git.call("credential", "fill", data=text.encode(), timeout=_PATIENCE, check=False)
        except (GitFailed, GitMissing):
            return None
        said = dict(line.split("=", 1) for line in done.stdout.decode("utf-8", "replace").splitlines() if "=" in line)
        if done.returncode or not said.get("password"):
            return None
        return Password(said.get("username", ""), said["password"])


def _on_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_open(path: str) -> bool:
    """Whether a file holds a private key that needs no passphrase; another one would end the connection."""
    try:
        with open(path, "rb") as file:
            return not needs_passphrase(file.read(1 << 16))
    except OSError:
        return False


def needs_passphrase(key: bytes) -> bool:
    """Whether a private key is encrypted, in OpenSSH's format or in PEM; True for what is no private key."""
    lines = key.strip().splitlines()
    if not lines or b"PRIVATE KEY" not in lines[0]:
        return True
    if b"OPENSSH" not in lines[0]:
        return any(b"ENCRYPTED" in line for line in lines[:3])
    try:
        content = base64.b64decode(b"".join(lines[1:-1]))
    except binascii.Error:
        return True
    magic = b"openssh-key-v1\0"
    length = int.from_bytes(content[len(magic) : len(magic) + 4], "big")
    return not content.startswith(magic) or content[len(magic) + 4 :][:length] != b"none"
