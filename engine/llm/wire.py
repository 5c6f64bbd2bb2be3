"""The wire to a model: one address, bounded answers, a few tries. The only importer of the HTTP library below the model clients.

What the clients would add or follow by themselves is cut off here: no redirection, no proxy and no address of the environment, no
header but those that the protocol needs. The key is put on here, so that no client, log or error of theirs ever holds it.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from memtree.engine.llm.errors import BadReply, ModelAway, ModelBroken
from memtree.engine.llm.plain_chat import full_answer, plain_request
from memtree.tree.errors import Error

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_KEPT = frozenset({"accept", "content-type", "content-length", "host", "anthropic-version", "anthropic-beta"})
LONGEST_PAUSE = 60.0  # seconds; who asks for more is left alone, and asked again by a later run
_LOUD = 200  # characters of a server's own words that a message repeats
_WINDOW = 12  # characters that a server's words and the request have in common before they are kept back
_ERROR_LIMIT = 1 << 16
_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Line:
    """Where and how a model is asked. `timeout` is in seconds for one answer as a whole, `limit` in bytes; `pause` before the
    first repetition, which doubles; `headers` carry the key. `plain`: the server is one of open models.
    """

    address: str
    model: str
    timeout: float
    retries: int
    limit: int
    pause: float
    headers: Mapping[str, str]
    key: str
    plain: bool = False

    def __repr__(self) -> str:
        return f"Line({self.address!r}, {self.model!r})"

    @property
    def who(self) -> str:
        return f"the model {self.model} at {self.address}"


class Wire(httpx2.AsyncBaseTransport):
    """Sends what a client asks to send. `trouble` is why the last request had no answer, for whoever asked the client."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.trouble: Error | None = None
        self._origin = httpx2.URL(line.address)
        self._inner = httpx2.AsyncHTTPTransport(verify=self._origin.scheme == "https", retries=0)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, read as a whole; raise ModelAway, ModelBroken or BadReply."""
        self.trouble = None
        try:
            return await self._answered(request)
        except Error as error:
            self.trouble = error
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _answered(self, request: httpx2.Request) -> httpx2.Response:
        sent = self._bare(request, await request.aread())
        for attempt in range(self.line.retries + 1):
            try:
                return await self._once(sent)
            except ModelAway as trouble:
                wait = max(trouble.after, self.line.pause * 2.0**attempt * (1 + random.random() / 2))
                if attempt == self.line.retries or wait > LONGEST_PAUSE:
                    raise
                await asyncio.sleep(wait)
        raise AssertionError("unreachable")

    def _bare(self, request: httpx2.Request, body: bytes) -> httpx2.Request:
        """The request with nothing on it that the protocol does not need."""
        if (request.url.scheme, request.url.host, request.url.port) != (self._origin.scheme, self._origin.host, self._origin.port):
            raise ModelBroken(f"{self.line.who}: its client wanted to speak to another address, which is not done")
        headers = {name: value for name, value in request.headers.items() if name.lower() in _KEPT}
        if self.line.plain:
            body = json.dumps(plain_request(json.loads(body)), ensure_ascii=False).encode()
            headers["content-length"] = str(len(body))
        headers |= {"accept-encoding": "identity", "user-agent": "memtree", **self.line.headers}
        return httpx2.Request(request.method, request.url, headers=headers, content=body)

    async def _once(self, request: httpx2.Request) -> httpx2.Response:
        silent = f"{self.line.who} did not answer within {self.line.timeout:g} seconds"
        try:
            async with asyncio.timeout(self.line.timeout):
                response = await self._inner.handle_async_request(request)
                try:
                    body = await self._body(response)
                finally:
                    await response.aclose()
        except (TimeoutError, httpx2.TimeoutException):
            raise ModelAway(silent) from None
        except httpx2.TransportError as error:
            raise self._unreached(error) from None
        if response.status_code != 200:
            raise self._refusal(response, body, request)
        return self._checked(response, body, request)

    def _checked(self, response: httpx2.Response, body: bytes, request: httpx2.Request) -> httpx2.Response:
        """An answer that its client can read: a stream where one was asked for, else an object of JSON, whatever it is called."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == _STREAM and json.loads(request.content).get("stream") is True:
            return httpx2.Response(200, headers={"content-type": _STREAM}, content=body, request=request)
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            what = f"{self.line.who} answered something that no model says"
            raise ModelBroken(what, hint="check url and provider: does a model server answer there?")
        if self.line.plain:
            body = json.dumps(full_answer(found, self.line.model)).encode()
        return httpx2.Response(200, headers={"content-type": "application/json"}, content=body, request=request)

    async def _body(self, response: httpx2.Response) -> bytes:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ModelBroken(f"{self.line.who} answers in a form that was not asked for")
        limit = self.line.limit if response.status_code == 200 else _ERROR_LIMIT
        parts, size = [], 0
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        async for part in response.stream:
            parts.append(part)
            size += len(part)
            if size > limit:
                if response.status_code == 200:
                    raise BadReply(f"{self.line.who} answered more than {limit:,} bytes, far more than it was asked for")
                break
        return b"".join(parts)

    def _unreached(self, error: httpx2.TransportError) -> Error:
        said = str(error)
        if "CERTIFICATE" in said.upper():
            return ModelBroken(f"{self.line.who} has no valid certificate")
        if isinstance(error, httpx2.ConnectError):
            return ModelAway(f"{self.line.who} cannot be reached")
        return ModelAway(f"{self.line.who} broke off ({type(error).__name__})")

    def _refusal(self, response: httpx2.Response, body: bytes, request: httpx2.Request) -> Error:
        """What a status means, with the server's own words where they give nothing away."""
        status, said = response.status_code, _words(body, request.content, self.line)
        if status in _PASSING:
            return ModelAway(f"{self.line.who} answered {status}{said}", after=wait_of(response.headers, time.time))
        if status in (401, 403):
            what = "refused the key" if self.line.key else "wants a key"
            return ModelBroken(
                f"{self.line.who} {what} ({status}){said}", hint="key_env or key_ring of its table say where the key is"
            )
        if 300 <= status < 400:
            return ModelBroken(f"{self.line.who} answered {status}: it redirects elsewhere, which is not followed")
        if status == 404:
            return ModelBroken(f"{self.line.who} is not there (404){said}", hint="check url and model; a url mostly ends with /v1")
        return ModelBroken(f"{self.line.who} answered {status}{said}")


def wait_of(headers: httpx2.Headers, clock: Callable[[], float]) -> float:
    """How many seconds a server wants to be left alone: Retry-After is a number or a date."""
    text = headers.get("retry-after", "").strip()
    try:
        found = float(text)
    except ValueError:
        try:
            found = email.utils.parsedate_to_datetime(text).timestamp() - clock()
        except (ValueError, OverflowError):
            return 0.0
    return 0.0 if math.isnan(found) else min(max(found, 0.0), 86_400.0)


def _words(body: bytes, request: bytes, line: Line) -> str:
    """A server's reasons, without a key and only where they repeat nothing of what was asked."""
    try:
        found: Any = json.loads(body)
        while isinstance(found, dict):
            found = found.get("error") or found.get("message") or found.get("detail") or ""
        asked = json.dumps(json.loads(request), ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(found, str) or not found.strip():
        return ""
    text = " ".join(found.split())[:_LOUD]
    text = text.replace(line.key, "…") if line.key else text
    plain = text.replace(line.model, "")
    if any(plain[at : at + _WINDOW] in asked for at in range(max(1, len(plain) - _WINDOW + 1)) if len(plain) >= _WINDOW):
        return ""
    from memtree.tree.redaction import without_credentials

    return f": {without_credentials(text)}"
