"""Servers on the loopback: a git remote over smart http, ports where nobody answers, and one that answers never.

Everything is bound to 127.0.0.1 and an ephemeral port, and is stopped when its `with` block ends.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from memtree.tools.bench.http_server import HttpRemote, git_over_http

__all__ = ["Cable", "HttpRemote", "cable_to", "closed_port", "git_over_http", "silent_server"]


def closed_port() -> int:
    """A port of the loopback where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def silent_server() -> Iterator[int]:
    """A port that accepts connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(8)
        yield int(listener.getsockname()[1])


@dataclass(slots=True)
class Cable:
    """A line to a server that can be cut: `bytes_left` is what still passes through it."""

    port: int
    bytes_left: int
    dead: threading.Event = field(default_factory=threading.Event)


@contextlib.contextmanager
def cable_to(port: int, *, cut_after: int, hangs_up: bool = True) -> Iterator[Cable]:
    """A port that passes everything on to another one, until so many bytes have passed.

    Then it hangs up on both ends, or keeps them waiting, and says so by `dead`.
    """
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(8)
        listener.settimeout(0.1)
        cable = Cable(int(listener.getsockname()[1]), cut_after)
        stopped = threading.Event()

        def pump(source: socket.socket, target: socket.socket) -> None:
            with contextlib.suppress(OSError):
                while not stopped.is_set() and cable.bytes_left > 0 and (data := source.recv(4096)):
                    cable.bytes_left -= len(data)
                    if cable.bytes_left > 0:
                        target.sendall(data)
                if cable.bytes_left <= 0:
                    cable.dead.set()
                    if not hangs_up:
                        stopped.wait()
            for end in (source, target):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

        def serve() -> None:
            with contextlib.ExitStack() as ends:
                while not stopped.is_set():
                    with contextlib.suppress(TimeoutError):
                        one, _ = listener.accept()
                        ends.callback(one.close)
                        two = ends.enter_context(socket.create_connection(("127.0.0.1", port)))
                        for pair in ((one, two), (two, one)):
                            pumps.append(threading.Thread(target=pump, args=pair, daemon=True))
                            pumps[-1].start()
                for thread in pumps:
                    thread.join(0.5)

        pumps: list[threading.Thread] = []
        server = threading.Thread(target=serve)
        server.start()
        try:
            yield cable
        finally:
            stopped.set()
            server.join()
