"""Wire: what a daemon and those who ask it say to each other: JSON-RPC 2.0, one object a line, each naming the protocol.

Nothing here touches a socket. Only what is light is imported: git hooks and searches wait for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from memtree.tree.errors import CorruptionError, Error, StateError, TransientError, UserError

PROTOCOL = 1
LONGEST = 4 * 1024 * 1024  # bytes of a request
LONGEST_ANSWER = 64 * 1024 * 1024  # bytes

NO_JSON, NO_REQUEST, NO_METHOD, BAD_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
FAILED, OTHER_PROTOCOL, TOO_BUSY = -32000, -32001, -32002  # ours
PROGRESS = "progress"

_FAMILIES: dict[str, type[Error]] = {
    "user": UserError,
    "state": StateError,
    "corruption": CorruptionError,
    "transient": TransientError,
}
_ENVELOPE = frozenset({"jsonrpc", "id", "method", "params", "protocol"})


class Refused(Exception):
    """A request that is not served. `code` is JSON-RPC's or one of ours; `id` is the request's, as far as it could be read."""

    def __init__(self, code: int, message: str, data: Mapping[str, object] | None = None, id: int | str | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.code = code
        self.data = data
        self.id = id


class BadParams(Refused):
    """What a method raises when its parameters are not what it takes."""

    def __init__(self, message: str) -> None:
        super().__init__(BAD_PARAMS, message)


class Request(NamedTuple):
    """A request; `id` is None for one that wants no answer."""

    method: str
    params: dict[str, Any]
    id: int | str | None = None


class Reply(NamedTuple):
    """A line from a daemon: a result, an error, or news of how far it is (`progress`, which is None otherwise)."""

    id: int | str | None = None
    result: object = None
    error: Mapping[str, Any] | None = None
    progress: int | None = None


def written(message: Mapping[str, object]) -> bytes:
    """A message as its line. Raise ValueError or TypeError for what has no JSON form."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def request(method: str, params: Mapping[str, object], id: int | None = None) -> bytes:  # noqa: A002 - JSON-RPC's own word
    """The line that asks for a method; without an id no answer comes."""
    named = {"id": id} if id is not None else {}
    return written({"jsonrpc": "2.0", **named, "method": method, "params": {"protocol": PROTOCOL, **params}})


def result(id: int | str, value: object) -> bytes:  # noqa: A002
    return written({"jsonrpc": "2.0", "id": id, "result": value})


def refusal(refused: Refused) -> bytes:
    error: dict[str, object] = {"code": refused.code, "message": str(refused)}
    if refused.data is not None:
        error["data"] = dict(refused.data)
    return written({"jsonrpc": "2.0", "id": refused.id, "error": error})


def progress(done: int) -> bytes:
    return written({"jsonrpc": "2.0", "method": PROGRESS, "params": {"done": done}})


def read_request(line: bytes, version: str) -> Request:
    """The request on a line; raise Refused. `version` is memtree's, told to those who speak another protocol."""
    message = _read(line)
    if not isinstance(message, dict):
        raise Refused(NO_REQUEST, "a request is one object")
    id = message.get("id")  # noqa: A001
    if "id" in message and (isinstance(id, bool) or not isinstance(id, (int, str))):
        raise Refused(NO_REQUEST, "an id is a number or a string")
    method, params = message.get("method"), message.get("params", {})
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str) or message.keys() - _ENVELOPE:
        raise Refused(NO_REQUEST, "not a request of JSON-RPC 2.0", id=id)
    if not isinstance(params, dict):
        raise Refused(BAD_PARAMS, "parameters have names", id=id)
    spoken = params.pop("protocol", message.get("protocol"))
    if isinstance(spoken, bool) or spoken != PROTOCOL:
        known = {"protocol": PROTOCOL, "version": version}
        raise Refused(OTHER_PROTOCOL, f"this daemon speaks protocol {PROTOCOL}", known, id)
    return Request(method, params, id)


def _read(line: bytes) -> object:
    try:
        return json.loads(line.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Refused(NO_JSON, "not a line of JSON in UTF-8") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")  # two readers could take it two ways
    return found


def _no_number(text: str) -> object:
    raise ValueError(text)


def read_reply(line: bytes) -> Reply | None:
    """What a daemon's line says, None for one that is nothing that we know."""
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict):
        return None
    if message.get("method") == PROGRESS:
        params = message.get("params")
        done = params.get("done") if isinstance(params, dict) else None
        return Reply(progress=done if isinstance(done, int) else 0)
    id, error = message.get("id"), message.get("error")  # noqa: A001
    if "error" in message:
        return Reply(id, error=error if isinstance(error, dict) else {})
    return Reply(id, message["result"]) if "result" in message else None


# -- errors on their way


def as_refused(error: Error, id: int | str | None) -> Refused:  # noqa: A002
    """An error of ours as it travels: its name, family, message and hint."""
    family = next((name for name, base in _FAMILIES.items() if isinstance(error, base)), "")
    facts = {"kind": type(error).__name__, "family": family, "message": str(error), "hint": error.hint}
    return Refused(FAILED, str(error), facts, id)


def as_error(error: Mapping[str, Any]) -> Error | None:
    """The error of ours that a daemon met: the same family, name, message and hint; None for an error of the exchange itself."""
    data = error.get("data")
    if error.get("code") != FAILED or not isinstance(data, dict):
        return None
    kind, family, message, hint = (data.get(name) for name in ("kind", "family", "message", "hint"))
    if not (isinstance(kind, str) and isinstance(family, str) and isinstance(message, str) and isinstance(hint, str)):
        return None
    base = _FAMILIES.get(family, Error)
    named: type[Error] = type(kind if kind.isidentifier() else base.__name__, (base,), {})
    return named(message, hint=hint)
