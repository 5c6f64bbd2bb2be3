"""A git remote over smart http on the loopback, by git's own `http-backend`, with or without a login."""

from __future__ import annotations

import base64
import contextlib
import os
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
def git_over_http(folder: str | os.PathLike[str], *, user: str = "", password: str = "", port: int = 0) -> Iterator[HttpRemote]:
    """Serve the bare repositories in `folder` by git's own `http-backend`; with a user, basic authentication is asked for.

    On a port of its own choice, or on the one of a server that has ended.
    """
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

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
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
