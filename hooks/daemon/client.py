"""Client: asks the daemon of a workspace. That there is none is never an error: whoever asks then does the work itself.

Only what is light is imported: git hooks and searches wait for it.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from memtree.hooks.daemon import wire
from memtree.hooks.daemon.address import Address, read_address
from memtree.hooks.daemon.peers import is_own
from memtree.hooks.place import Place
from memtree.tree.version import VERSION

SEARCH, PREPARE = "search", "prepare"  # methods; to prepare is to take in what was saved last
PATIENCE = 2.0  # seconds without a line
_CONNECTING = 0.5  # seconds
_PIECE = 1 << 18


class Unreachable(Exception):
    """The daemon is gone, silent, too busy, failed or speaks otherwise: do the work without it."""


class Client:
    """A connection to a daemon, for one request after the other. `version` is the daemon's own."""

    def __init__(self, connection: socket.socket, address: Address) -> None:
        self._connection = connection
        self._waiting = bytearray()
        self._asked = 0
        self.address = address
        self.version = address.version

    @classmethod
    def of(cls, place: Place) -> Client | None:
        """Connect to the workspace's daemon; None where there is none to talk to."""
        address = read_address(place)
        if address is None or address.protocol != wire.PROTOCOL:
            return None
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(_CONNECTING)
            connection.connect(address.socket)
            if is_own(connection):
                return cls(connection, address)
        except (OSError, ValueError):  # such as nobody who listens, or a path with a NUL
            pass
        connection.close()
        return None

    def call(
        self,
        method: str,
        params: Mapping[str, object],
        *,
        patience: float = PATIENCE,
        progress: Callable[[int], None] | None = None,
    ) -> object:
        """What the method answers; raise Unreachable, or the error of ours that the daemon met.

        `patience` is how long the daemon may say nothing, in seconds; `progress` is told what it has done meanwhile.
        """
        self._asked += 1
        self._send(wire.request(method, params, self._asked), patience)
        while True:
            reply = wire.read_reply(self._line(patience))
            if reply is None:
                raise self._ended("the daemon says something else")
            if reply.progress is not None:
                if progress is not None:
                    progress(reply.progress)
            elif reply.id not in (self._asked, None):
                continue  # of a request that was given up
            elif reply.error is not None:
                error = wire.as_error(reply.error)
                raise error if error is not None else self._ended(f"the daemon refuses: {reply.error.get('message')}")
            else:
                return reply.result

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Tell the daemon something; no answer comes, and nothing that goes wrong is raised."""
        try:
            self._send(wire.request(method, params), _CONNECTING)
        except Unreachable:
            return

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None) -> None:
        self.close()

    def _send(self, line: bytes, patience: float) -> None:
        try:
            self._connection.settimeout(patience)
            self._connection.sendall(line)
        except OSError as error:
            raise self._ended("the daemon is gone") from error

    def _line(self, patience: float) -> bytes:
        from time import monotonic

        deadline = monotonic() + patience
        looked = 0
        while (end := self._waiting.find(b"\n", looked)) < 0:
            looked = len(self._waiting)
            left = deadline - monotonic()
            if left <= 0 or looked > wire.LONGEST_ANSWER:
                raise self._ended("the daemon says nothing")
            try:
                self._connection.settimeout(left)
                piece = self._connection.recv(_PIECE)
            except OSError as error:
                raise self._ended("the daemon says nothing") from error
            if not piece:
                raise self._ended("the daemon is gone")
            self._waiting += piece
        line = bytes(self._waiting[:end])
        del self._waiting[: end + 1]
        return line

    def _ended(self, reason: str) -> Unreachable:
        """The error, after which the connection is of no more use: an answer that comes late would be taken for another one."""
        self._connection.close()
        return Unreachable(reason)


def connected(place: Place) -> Client | None:
    """A connection to the workspace's daemon, if one of this very version runs."""
    client = Client.of(place)
    if client is not None and client.version != VERSION:
        client.close()
        return None
    return client


def other_version(place: Place) -> list[str]:
    """What a person should know of a daemon that is not asked because another version runs."""
    client = Client.of(place)
    if client is None:
        return []
    client.close()
    return ["the daemon runs another version: memtree daemon restart"] if client.version != VERSION else []


def tell(place: Place, method: str, params: Mapping[str, object]) -> bool:
    """Tell the workspace's daemon something, if there is one: whether there is. Never raises."""
    client = Client.of(place)
    if client is None:
        return False
    with client:
        client.notify(method, params)
    return True
