"""A real embeddings server on the loopback interface, which misbehaves on request."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSIONS = 4


class EmbeddingServer:
    """`plan` names what the next requests meet, the last one for all that follow; `requests` are the bodies that came in."""

    def __init__(self) -> None:
        self.plan: list[str] = ["well"]
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def texts(self) -> list[str]:
        """Every text that was asked, in order."""
        return [text for body in self.requests for text in body["input"]]

    def next(self) -> str:
        return self.plan.pop(0) if len(self.plan) > 1 else self.plan[0]

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer()
    try:
        yield server
    finally:
        server.close()


def vector_of(text: str) -> list[float]:
    """What a well-behaved server answers, not of length 1."""
    return [float(len(text)), float(sum(text.encode()) % 97), 1.0, 2.0]


def _handler(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.paths.append(self.path)
            server.headers.append(dict(self.headers))
            server.requests.append(body)
            manner = server.next()
            if manner.isdigit():
                self.refuse(int(manner))
            elif manner in _SPECIAL:
                _SPECIAL[manner](self, server)
            else:
                self.answer(json.dumps(_ANSWERS[manner](body["input"])).encode())

        def answer(self, data: bytes, *, promised: int | None = None) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data) if promised is None else promised))
            self.end_headers()
            self.wfile.write(data)

        def refuse(self, status: int) -> None:
            said = f"no: {self.headers.get('Authorization', '')}\nsecond line"
            data = json.dumps({"error": {"message": said}}).encode()
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "3")
            if status in (302, 307):
                self.send_header("Location", f"{server.url}/elsewhere")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    return Handler


def _well(texts: list[str]) -> dict[str, Any]:
    return {"data": [{"index": index, "embedding": vector_of(text)} for index, text in enumerate(texts)]}


def _with(change: Callable[[list[Any]], Any]) -> Callable[[list[str]], dict[str, Any]]:
    return lambda texts: {"data": change(_well(texts)["data"])}


def _filled(value: object) -> Callable[[list[str]], dict[str, Any]]:
    return _with(lambda rows: [{**rows[0], "embedding": [value] * DIMENSIONS}, *rows[1:]])


_ANSWERS: dict[str, Callable[[list[str]], Any]] = {
    "well": _well,
    "backwards": _with(lambda rows: rows[::-1]),
    "no index": _with(lambda rows: [{"embedding": row["embedding"]} for row in rows]),
    "half": _with(lambda rows: rows[: len(rows) // 2]),
    "double": _with(lambda rows: [*rows, *rows]),
    "one index": _with(lambda rows: [{**row, "index": 0} for row in rows]),
    "nan": _filled(math.nan),
    "infinite": _filled(math.inf),
    "huge": _filled(1e300),
    "text": _filled("x"),
    "null": _filled(None),
    "nested": _filled([1.0]),
    "narrow": _with(lambda rows: [{**row, "embedding": row["embedding"][:3]} for row in rows]),
    "ragged": _with(lambda rows: [{**rows[0], "embedding": [1.0]}, *rows[1:]]),
    "no width": _with(lambda rows: [{**row, "embedding": []} for row in rows]),
    "list": lambda texts: [],
    "no data": lambda texts: {"error": "none"},
    "word": lambda texts: "vectors",
}


def _drip(handler: Any, server: EmbeddingServer) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not server.released.wait(0.02):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            return


_SPECIAL: dict[str, Callable[[Any, EmbeddingServer], object]] = {
    "no json": lambda handler, _: handler.answer(b"<html>Log in first</html>"),
    "no utf-8": lambda handler, _: handler.answer(b"\xff\xfe\x00{"),
    "deep": lambda handler, _: handler.answer(b"[" * 100_000),
    "cut": lambda handler, _: handler.answer(b'{"data": [', promised=1000),
    "hang": lambda handler, server: server.released.wait(),
    "drip": _drip,
    "slam": lambda handler, _: handler.connection.close(),
    "garbage": lambda handler, _: handler.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n"),
}
