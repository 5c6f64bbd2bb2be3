"""Server: answers the requests of this user's own processes on a Unix socket, whatever else comes through it.

A thread a connection, a bounded number of them; who says nothing for a minute is sent away. What a method does is its own matter,
also on which thread: while it runs, whoever waits hears that it does.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memtree.hooks.daemon import wire
from memtree.hooks.daemon.address import (
    Address,
    clear_address,
    new_socket_path,
    remove_socket,
    socket_path_elsewhere,
    write_address,
)
from memtree.hooks.daemon.peers import is_own
from memtree.hooks.place import Place
from memtree.tree.errors import Error
from memtree.tree.version import VERSION

Progress = Callable[[int], None]
Method = Callable[[dict[str, Any], Progress], object]

MOST = 32  # connections
IDLE = 60.0  # seconds without a request
_BEAT = 0.5  # seconds between signs of life
_SLOW = 10.0  # seconds that a client may take to accept a part of an answer
_PIECE = 1 << 16


class Server:
    """Serves the methods of a workspace's daemon. Only for the holder of the daemon's lock: what an earlier one left is removed.

    `failed` is told what a method raised that nobody raised on purpose; the client only learns that it failed.
    """

    def __init__(
        self,
        place: Place,
        methods: Mapping[str, Method],
        *,
        failed: Callable[[str, BaseException], None] | None = None,
        idle: float = IDLE,
        most: int = MOST,
    ) -> None:
        self._place = place
        self._methods = {"hello": self._hello, **methods}
        self._failed = failed or (lambda _method, _error: None)
        self._idle = idle
        self._room = threading.BoundedSemaphore(most)
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        self._stopping = threading.Event()
        self._listening: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self.address: Address | None = None

    def start(self) -> None:
        """Listen, and tell where. Raise OSError."""
        clear_address(self._place)
        try:
            listening, path = _bound(new_socket_path(self._place))
        except OSError:
            listening, path = _bound(socket_path_elsewhere())
        try:
            listening.listen(MOST)
            self.address = Address(os.getpid(), path, wire.PROTOCOL, VERSION, int(time.time()))
            write_address(self._place, self.address)
        except BaseException:
            listening.close()
            remove_socket(path)
            raise
        self._listening = listening
        self._thread = threading.Thread(target=self._accept, name="memtree-server", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer nobody any more. Methods that run go on; their answers are lost."""
        self._stopping.set()
        if self._listening is None or self.address is None:
            return
        clear_address(self._place)
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for connections
        self._listening.close()
        with self._guard:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)
        self._listening = None

    @property
    def connections(self) -> int:
        """How many are open now."""
        with self._guard:
            return len(self._open)

    def _hello(self, _params: dict[str, Any], _progress: Progress) -> object:
        return {"protocol": wire.PROTOCOL, "version": VERSION, "pid": os.getpid()}

    # -- connections
    def _accept(self) -> None:
        assert self._listening is not None
        while not self._stopping.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:  # no descriptor is free, or the client is gone already
                self._stopping.wait(1)
                continue
            try:
                self._welcome(connection)
            except (OSError, RuntimeError):  # no thread can be started
                connection.close()

    def _welcome(self, connection: socket.socket) -> None:
        if self._stopping.is_set() or not is_own(connection):
            connection.close()
            return
        if not self._room.acquire(blocking=False):
            connection.setblocking(False)
            with contextlib.suppress(OSError):
                connection.send(wire.refusal(wire.Refused(wire.TOO_BUSY, "too many connections")))
            connection.close()
            return
        with self._guard:
            self._open.add(connection)
        try:
            threading.Thread(target=self._serve, args=(connection,), name="memtree-connection", daemon=True).start()
        except RuntimeError:
            self._leave(connection)
            raise

    def _leave(self, connection: socket.socket) -> None:
        with self._guard:
            self._open.discard(connection)
        connection.close()
        self._room.release()

    def _serve(self, connection: socket.socket) -> None:
        try:
            for line in self._lines(connection):
                if line.strip():
                    _Answering(connection, self._methods, self._failed).run(line)
        except (OSError, RuntimeError):
            return  # the client is gone or says nothing, or no thread can be started
        finally:
            self._leave(connection)

    def _lines(self, connection: socket.socket) -> Iterator[bytes]:
        """The lines that come, until the end, a silence, or one that is too long. What follows the last line end is none."""
        waiting = bytearray()
        deadline = time.monotonic() + self._idle
        while not self._stopping.is_set() and (left := deadline - time.monotonic()) > 0:
            connection.settimeout(left)
            piece = connection.recv(_PIECE)
            if not piece:
                return
            *ends, rest = piece.split(b"\n")
            for end in ends:
                line = bytes(waiting) + end
                waiting.clear()
                yield line
                deadline = time.monotonic() + self._idle
            waiting += rest
            if len(waiting) > wire.LONGEST:
                connection.sendall(wire.refusal(wire.Refused(wire.NO_JSON, "the line is too long")))
                return


def _bound(path: str) -> tuple[socket.socket, str]:
    """A socket that stands at a path, for this user alone. Raise OSError; nothing is left then."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(path)
        os.chmod(path, 0o600)
    except BaseException:
        made.close()
        remove_socket(path)
        raise
    return made, path


class _Answering:
    """One request: its method runs on a thread of its own, while this one tells that it does."""

    def __init__(
        self, connection: socket.socket, methods: Mapping[str, Method], failed: Callable[[str, BaseException], None]
    ) -> None:
        self._connection = connection
        self._methods = methods
        self._failed = failed
        self._done = 0
        self._answer = b""
        self._gone = False

    def run(self, line: bytes) -> None:
        try:
            request = wire.read_request(line, VERSION)
            method = self._methods.get(request.method)
            if method is None:
                raise wire.Refused(wire.NO_METHOD, "there is no such method", id=request.id)
        except wire.Refused as refused:
            self._send(wire.refusal(refused))
            return
        finished = threading.Event()

        def work() -> None:
            try:
                self._answer = self._outcome(request, method)
            finally:
                finished.set()

        threading.Thread(target=work, name=f"memtree-{request.method}", daemon=True).start()
        while not finished.wait(_BEAT):
            self._send(wire.progress(self._done))
        if request.id is not None:
            self._send(self._answer)

    def _outcome(self, request: wire.Request, method: Method) -> bytes:
        """The line that tells how it went."""
        id = request.id if request.id is not None else 0  # noqa: A001
        try:
            return wire.result(id, method(request.params, self._progress))
        except wire.Refused as refused:
            return wire.refusal(wire.Refused(refused.code, str(refused), refused.data, id))
        except Error as error:
            return wire.refusal(wire.as_refused(error, id))
        except BaseException as error:  # noqa: BLE001 - the daemon goes on; what the error says may be a note's text
            self._failed(request.method, error)
            return wire.refusal(wire.Refused(wire.INTERNAL, "it failed", id=id))

    def _progress(self, done: int) -> None:
        self._done = done

    def _send(self, line: bytes) -> None:
        """Send a line; a client that is gone, or does not listen, does not end what it asked for."""
        if self._gone:
            return
        try:
            self._connection.settimeout(_SLOW)
            self._connection.sendall(line)
        except OSError:
            self._gone = True
