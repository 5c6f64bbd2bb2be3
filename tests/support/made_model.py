"""A model that says what it was told to, for the real programs of agents, in a network that holds nothing else.

    python made_model.py SCRIPT REQUESTS PROGRAM [ARGUMENT ...]      (inside `unshare -n`)

brings the loopback up, serves Anthropic's Messages and OpenAI's Responses at URL, runs the program and exits with its code.

SCRIPT is a JSON list of replies: {"text": TEXT} or {"tool": NAME, "input": {...}} (and "namespace" where Codex has one).
Each request of the conversation gets the next reply, the last one again and again; what is asked beside it (a title) gets a word.
REQUESTS gets every request, one JSON object a line: {"path": PATH, "body": {...}, "reply": NUMBER}, null for what is asked beside.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PORT = 8765  # the network is new: every port is free
URL = f"http://127.0.0.1:{PORT}"
MODEL = "made-model-1"

Reply = Mapping[str, Any]
Event = tuple[str, dict[str, Any]]
_USAGE = {"input_tokens": 9, "output_tokens": 4}


class Model:
    """The replies in their order, and a file of what was asked."""

    def __init__(self, replies: Sequence[Reply], record: str) -> None:
        self._replies = replies
        self._record = record
        self._lock = threading.Lock()
        self._count = 0

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, Reply]:
        """What to say to a request, and a number that no other one has."""
        with self._lock:
            self._count += 1
            beside = not body.get("tools") or not self._replies
            number = None if beside else min(self._asked(), len(self._replies) - 1)
            with open(self._record, "a", encoding="utf-8") as file:
                file.write(json.dumps({"path": path, "body": body, "reply": number}) + "\n")
            return self._count, {"text": "Ports"} if number is None else self._replies[number]

    def _asked(self) -> int:
        with open(self._record, "a+", encoding="utf-8") as file:
            file.seek(0)
            return sum(json.loads(line)["reply"] is not None for line in file)


def anthropic_events(number: int, reply: Reply, model: str) -> Iterator[Event]:
    """A reply as a stream of Anthropic's Messages."""
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": []}
    yield "message_start", {"message": {**message, "stop_reason": None, "stop_sequence": None, "usage": _USAGE}}
    if "tool" in reply:
        block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{number}", "name": reply["tool"], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply["input"])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply["text"]}
    yield "content_block_start", {"index": 0, "content_block": block}
    yield "content_block_delta", {"index": 0, "delta": delta}
    yield "content_block_stop", {"index": 0}
    stop = "tool_use" if "tool" in reply else "end_turn"
    yield "message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 4}}
    yield "message_stop", {}


def responses_events(number: int, reply: Reply, model: str) -> Iterator[Event]:
    """A reply as a stream of OpenAI's Responses."""
    response = {"id": f"resp_{number}", "object": "response", "model": model, "output": []}
    if "tool" in reply:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed"}
        item |= {"name": reply["tool"], "arguments": json.dumps(reply["input"])}
        item |= {"namespace": reply["namespace"]} if "namespace" in reply else {}
    else:
        content: Any = [{"type": "output_text", "text": reply["text"], "annotations": []}]
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"} | {"content": content}
    yield "response.created", {"response": {**response, "status": "in_progress"}}
    yield "response.output_item.added", {"output_index": 0, "item": item}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    usage = {**_USAGE, "total_tokens": 13, "input_tokens_details": {"cached_tokens": 0}}
    usage["output_tokens_details"] = {"reasoning_tokens": 0}
    yield "response.completed", {"response": {**response, "status": "completed", "output": [item], "usage": usage}}


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._json({})

        def do_GET(self) -> None:
            self._json({"object": "list", "data": [], "models": []})

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                self._json({"input_tokens": 9})
            elif path.endswith(("/messages", "/responses")):
                body = json.loads(data)
                number, reply = model.reply(path, body)
                events = anthropic_events if path.endswith("/messages") else responses_events
                self._stream(events(number, reply, body.get("model", MODEL)))
            else:
                self._json({})

        def _stream(self, events: Iterator[Event]) -> None:
            lines = (f"event: {name}\ndata: {json.dumps({'type': name, **value})}\n\n" for name, value in events)
            self._send("text/event-stream", "".join(lines).encode())

        def _json(self, value: Any) -> None:
            self._send("application/json", json.dumps(value).encode())

        def _send(self, kind: str, data: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    return Handler


def main(script: str, record: str, *command: str) -> int:
    """Serve while a program runs; its exit code."""
    subprocess.run(("ip", "link", "set", "lo", "up"), check=True, timeout=10)
    with open(script, encoding="utf-8") as file:
        model = Model(json.load(file), record)
    server = ThreadingHTTPServer(("127.0.0.1", PORT), _handler(model))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        return subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode
    finally:
        server.shutdown()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
