"""A real model server on the loopback interface: it says what it was told to, and misbehaves on request.

    with model_server() as server:
        server.script(call("goals_list"), say("Nothing to change."))
        ...                                   # [models.default] url = server.url, model = "made-1"
        assert server.prompts[0]              # what was asked

It speaks OpenAI's chat completions (`server.url`) and Anthropic's Messages as a stream (`server.anthropic_url`). Each request takes
the next reply of the script; the last one answers all that follow. A reply may be a function of the request's body.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "made-1"


@dataclass(frozen=True)
class Reply:
    """One answer. `raw` is a body sent as it is; `manner` is '' or what goes wrong on the way: hang, drip, cut, slam, garbage."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    finish: str = ""
    tokens: tuple[int, int] | None = (9, 4)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    kind: str = "application/json"
    manner: str = ""


Body = dict[str, Any]
Scripted = Reply | Callable[[Body], Reply]


def say(text: str, *, tokens: tuple[int, int] | None = (9, 4), finish: str = "") -> Reply:
    """A text. `tokens` are those of the request and the reply, None: the server does not count."""
    return Reply(text, tokens=tokens, finish=finish)


def typed(*, tokens: tuple[int, int] | None = (9, 4), **fields: Any) -> Reply:
    """A value of the wanted type, as JSON."""
    return Reply(json.dumps(fields, ensure_ascii=False), tokens=tokens)


def call(name: str, /, **arguments: Any) -> Reply:
    """The model wants a tool."""
    return Reply(calls=((name, arguments),))


def calls(*wanted: tuple[str, Any], text: str = "") -> Reply:
    """Several tools at once; arguments that are a text go out as they are, JSON or not."""
    return Reply(text, calls=wanted)


def fail(status: int, *, retry_after: str = "", said: str = "not now") -> Reply:
    """An HTTP status with a server's words."""
    body = json.dumps({"error": {"message": said, "type": "made"}}).encode()
    return Reply(status=status, raw=body, headers={"Retry-After": retry_after} if retry_after else {})


def raw(body: bytes, *, kind: str = "application/json", status: int = 200, **headers: str) -> Reply:
    """Any body at all."""
    return Reply(raw=body, kind=kind, status=status, headers={name.replace("_", "-"): value for name, value in headers.items()})


HANG = Reply(manner="hang")  # no answer until the server is closed
DRIP = Reply(manner="drip")  # a byte now and then
CUT = Reply(manner="cut")  # the connection ends in the middle
SLAM = Reply(manner="slam")  # the connection ends before an answer
GARBAGE = Reply(manner="garbage")  # no HTTP
NO_JSON = Reply(raw=b"<html>Log in first</html>", kind="text/html")
EMPTY = Reply("")  # a well-formed answer that says nothing
HUGE = Reply("long " * 250_000)  # over 1 MB


class ModelServer:
    """`requests` are the bodies that came in, with `paths` and `headers`. `simple`: it knows no form of answer, no forced tool, and
    one system message at the beginning.
    """

    def __init__(self) -> None:
        self.requests: list[Body] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.simple = False
        self.released = threading.Event()
        self._script: list[Scripted] = [say("Well.")]
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.anthropic_url}/v1"

    def settings(self, role: str = "default", **keys: Any) -> str:
        """The table of memtree.toml that asks this server."""
        lines = {"url": self.url, "model": MODEL, **keys}
        return f"[models.{role}]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items())

    def script(self, *replies: Scripted) -> None:
        """What the next requests meet; what was asked before is forgotten."""
        with self._lock:
            self._script = list(replies)
            for seen in (self.requests, self.paths, self.headers):
                seen.clear()

    @property
    def prompts(self) -> list[str]:
        """Every text of each request, system messages and all, joined."""
        return [_texts(body) for body in self.requests]

    def next(self, path: str, headers: dict[str, str], body: Body) -> tuple[int, Reply]:
        """Note a request; the reply to it, and its number."""
        with self._lock:
            self.paths.append(path)
            self.headers.append(headers)
            self.requests.append(body)
            scripted = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        trouble = _too_much(body) if self.simple and path.endswith("/completions") else ""
        if trouble:
            return next(self._numbers), fail(400, said=trouble)
        return next(self._numbers), scripted(body) if callable(scripted) else scripted

    def close(self) -> None:
        """Let go of whoever hangs, and end."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def model_server() -> Iterator[ModelServer]:
    server = ModelServer()
    try:
        yield server
    finally:
        server.close()


def _too_much(body: Body) -> str:
    """What a simple server makes of a request: '' or what it does not know."""
    if body.get("tool_choice", "auto") != "auto" or "response_format" in body or "max_completion_tokens" in body:
        return "unknown field"
    roles = [message["role"] for message in body["messages"]]
    return "system messages must come first, and once" if "system" in roles[1:] or "developer" in roles else ""


def _texts(body: Body) -> str:
    messages = [{"content": body.get("system", "")}, *body["messages"]]
    return "\n\n".join(text for message in messages for text in _parts(message.get("content")))


def _parts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        yield from _parts(part.get("text") or part.get("content"))


def _completion(number: int, reply: Reply, model: str) -> Body:
    message: Body = {"role": "assistant", "content": reply.text or (None if reply.calls else "")}
    if reply.calls:
        message["tool_calls"] = [
            {"id": f"call_{number}_{place}", "type": "function", "function": {"name": name, "arguments": _arguments(given)}}
            for place, (name, given) in enumerate(reply.calls)
        ]
    finish = reply.finish or ("tool_calls" if reply.calls else "stop")
    answer = {"id": f"chat-{number}", "object": "chat.completion", "created": 1_764_547_200, "model": model}
    answer["choices"] = [{"index": 0, "message": message, "finish_reason": finish}]
    if reply.tokens:
        asked, said = reply.tokens
        answer["usage"] = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    return answer


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def _anthropic(number: int, reply: Reply, model: str) -> Iterator[tuple[str, Body]]:
    asked, said = reply.tokens or (0, 0)
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None}
    message |= {"stop_sequence": None, "usage": {"input_tokens": asked, "output_tokens": 1}}
    yield "message_start", {"message": message}
    blocks: list[tuple[Body, Body]] = []
    if reply.text:
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": reply.text}))
    for place, (name, given) in enumerate(reply.calls):
        block = {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": {}}
        blocks.append((block, {"type": "input_json_delta", "partial_json": _arguments(given)}))
    for index, (block, delta) in enumerate(blocks):
        yield "content_block_start", {"index": index, "content_block": block}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    stop = reply.finish or ("tool_use" if reply.calls else "end_turn")
    yield "message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": said}}
    yield "message_stop", {}


def _message(number: int, reply: Reply, model: str) -> Body:
    """The same as one piece of JSON."""
    content: list[Body] = [{"type": "text", "text": reply.text}] if reply.text else []
    for place, (name, given) in enumerate(reply.calls):
        content.append({"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": given})
    asked, said = reply.tokens or (0, 0)
    answer: Body = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": content}
    answer |= {"stop_reason": reply.finish or ("tool_use" if reply.calls else "end_turn"), "stop_sequence": None}
    return answer | {"usage": {"input_tokens": asked, "output_tokens": said}}


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            number, reply = server.next(self.path, dict(self.headers), body)
            try:
                self.answer(number, reply, body)
            except OSError:
                self.close_connection = True  # whoever asked has gone

        def answer(self, number: int, reply: Reply, body: Body) -> None:
            if reply.manner:
                _MANNERS[reply.manner](self, server)
            elif reply.raw is not None:
                self.send(reply, reply.raw, reply.kind)
            elif self.path.partition("?")[0].endswith("/messages"):
                model = body.get("model", MODEL)
                if not body.get("stream"):
                    self.send(reply, json.dumps(_message(number, reply, model)).encode(), reply.kind)
                    return
                events = _anthropic(number, reply, model)
                lines = (f"event: {name}\ndata: {json.dumps({'type': name, **value})}\n\n" for name, value in events)
                self.send(reply, "".join(lines).encode(), "text/event-stream")
            else:
                self.send(reply, json.dumps(_completion(number, reply, body.get("model", MODEL))).encode(), reply.kind)

        def send(self, reply: Reply, data: bytes, kind: str) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", kind)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    return Handler


def _promise(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()


def _drip(handler: Any, server: ModelServer) -> None:
    _promise(handler)
    while not server.released.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def _cut(handler: Any, _: ModelServer) -> None:
    _promise(handler)
    handler.wfile.write(b'{"choices": [')


_MANNERS: dict[str, Callable[[Any, ModelServer], object]] = {
    "hang": lambda _, server: server.released.wait(),
    "drip": _drip,
    "cut": _cut,
    "slam": lambda handler, _: handler.connection.close(),
    "garbage": lambda handler, _: handler.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n"),
}
