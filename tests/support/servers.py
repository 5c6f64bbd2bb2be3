"""Servers on the loopback: a git remote over smart http, ports where nobody answers, and one that answers never.

Everything is bound to 127.0.0.1 and an ephemeral port, and is stopped when its `with` block ends.
"""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class HttpRemote:
    """A running server. `url(name)` is the address of the bare repository `name` below its folder."""

    address: str
    requests: list[str] = field(default_factory=list)  # the status lines it answered with

    def url(self, name: str = "remote.git") -> str:
        return f"{self.address}/{name}"


@contextlib.contextmanager
def git_over_http(folder: str | os.PathLike[str], *, user: str = "", password: str = "") -> Iterator[HttpRemote]:
    """Serve the bare repositories in `folder` by git's own `http-backend`; with a user, basic authentication is asked for."""
    wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode() if user else ""
    remote = HttpRemote("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self._body())

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _answer(self, body: bytes) -> None:
            if wanted and self.headers.get("Authorization") != wanted:
                self._send(401, [("WWW-Authenticate", 'Basic realm="memory"')], b"who are you?\n")
                return
            path, _, query = self.path.partition("?")
            environment = {
                **os.environ,
                "GIT_PROJECT_ROOT": os.fspath(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_ADDR": self.client_address[0],
                "REMOTE_USER": user or "anybody",
            }
            done = subprocess.run(("git", "http-backend"), input=body, capture_output=True, check=False, env=environment)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if ": " in line]
            status = next((int(value.split()[0]) for key, value in headers if key == "Status"), 200)
            self._send(status, [(key, value) for key, value in headers if key != "Status"], content)

        def _send(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
            remote.requests.append(f"{self.command} {self.path} {status}")
            self.send_response(status)
            for key, value in headers:
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    remote.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield remote
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


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
