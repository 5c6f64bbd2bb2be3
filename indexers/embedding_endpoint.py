"""EndpointEmbedder: a model behind an OpenAI-compatible `/embeddings` address, asked in batches.

What passes by itself (no connection, silence, 429, 5xx) is tried again with growing pauses and then is EmbedderUnavailable; what a
person must put right (address, model, key, answers that make no sense) is EmbedderBroken at once. No message holds the key, and the
key is sent to the configured address only: redirections are refused.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from memtree.indexers.embedder import EmbedderBroken, EmbedderUnavailable, Vectors

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_ANSWER_LIMIT = 256 * 1024 * 1024
_PAUSE_LIMIT = 30.0
_TEXT_LIMIT = 20_000  # characters; chunks are shorter
_NUMBER_LIMIT = 1e100  # squares of larger ones are infinite
_LOUD = 200  # characters of a server's own words that a message repeats


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked. `url` is the address above `/embeddings`; `key_variable` names an environment variable.

    `timeout` is in seconds, for each answer as a whole; `batch` is the number of texts in a request, `batch_characters` what they
    hold together; `attempts` counts the first one.
    """

    url: str
    model: str
    key_variable: str = ""
    batch: int = 64
    batch_characters: int = 200_000
    timeout: float = 60.0
    attempts: int = 4
    pause: float = 0.5

    @property
    def address(self) -> str:
        return f"{self.url.rstrip('/')}/embeddings"


@dataclass(slots=True)
class EndpointEmbedder:
    """An `Embedder`. Nothing is sent before the first text; the dimensions are learned from the first answer."""

    endpoint: Endpoint
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _dimensions: int = 0
    _opener: urllib.request.OpenerDirector = field(init=False)

    def __post_init__(self) -> None:
        _check_address(self.endpoint.url)
        self._opener = urllib.request.build_opener(_NoRedirection)

    @property
    def model_id(self) -> str:
        return f"endpoint/{self.endpoint.url.rstrip('/')}/{self.endpoint.model}"

    @property
    def dimensions(self) -> int:
        """The length of a vector; the first time, the model is asked."""
        if not self._dimensions:
            self.embed(["dimensions"])
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row a text; a blank text is not sent and has a row of zeros."""
        sent = [number for number, text in enumerate(texts) if text.strip()]
        parts = [self._asked([_clean(texts[number]) for number in batch]) for batch in self._batches(texts, sent)]
        if not parts:
            return np.zeros((len(texts), self.dimensions if texts else self._dimensions), np.float32)
        found = np.zeros((len(texts), self._dimensions), np.float32)
        found[sent] = np.concatenate(parts)
        return found

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    def _batches(self, texts: Sequence[str], sent: list[int]) -> Iterator[list[int]]:
        batch: list[int] = []
        size = 0
        for number in sent:
            length = min(len(texts[number]), _TEXT_LIMIT)
            if batch and (len(batch) >= self.endpoint.batch or size + length > self.endpoint.batch_characters):
                yield batch
                batch, size = [], 0
            batch.append(number)
            size += length
        if batch:
            yield batch

    def _asked(self, texts: list[str]) -> Vectors:
        """One batch, tried until it is answered."""
        body = json.dumps({"model": self.endpoint.model, "input": texts, "encoding_format": "float"}).encode()
        for attempt in range(1, self.endpoint.attempts + 1):
            try:
                vectors = _vectors(self._answer(body), len(texts), self._dimensions)
            except _Passing as trouble:
                if attempt == self.endpoint.attempts:
                    raise EmbedderUnavailable(f"the embedder at {self.endpoint.address} {trouble.what}") from None
                self.sleep(self._pause(attempt, trouble.wait))
            except _Refused as trouble:
                raise EmbedderBroken(f"the embedder at {self.endpoint.address} {trouble.what}") from None
            else:
                self._dimensions = vectors.shape[1]
                return vectors
        raise AssertionError("unreachable")

    def _pause(self, attempt: int, wanted: float | None) -> float:
        # Spread, so that machines that were refused together do not come back together.
        own = self.endpoint.pause * 2.0 ** (attempt - 1) * (1 + random.random() / 2)
        return min(_PAUSE_LIMIT, max(own, wanted or 0))

    def _answer(self, body: bytes) -> bytes:
        """Send a request and return the answer's body; raise _Passing or _Refused."""
        key = self._key()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "memtree"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.endpoint.address, body, headers, method="POST")  # noqa: S310 - checked when made
        deadline = self.clock() + self.endpoint.timeout
        try:
            with self._opener.open(request, timeout=self.endpoint.timeout) as answer:
                return self._read(answer, deadline)
        except urllib.error.HTTPError as error:
            with error:
                raise _status(error, key) from None
        except TimeoutError:
            raise _Passing(f"did not answer within {self.endpoint.timeout:g} seconds") from None
        except urllib.error.URLError as error:
            raise self._unreached(error.reason) from None
        except (OSError, http.client.HTTPException) as error:
            raise _Passing(f"broke off ({type(error).__name__})") from None

    def _unreached(self, reason: object) -> _Passing | _Refused:
        if isinstance(reason, TimeoutError):
            return _Passing(f"did not answer within {self.endpoint.timeout:g} seconds")
        said = (reason.strerror if isinstance(reason, OSError) else str(reason)) or type(reason).__name__
        if "CERTIFICATE" in str(reason).upper():
            return _Refused(f"has no valid certificate: {said}")
        return _Passing(f"cannot be reached: {said}")

    def _read(self, answer: http.client.HTTPResponse, deadline: float) -> bytes:
        # A server that sends a byte now and then never runs into the socket's own timeout.
        parts = []
        size = 0
        while data := answer.read1(1 << 16):
            parts.append(data)
            size += len(data)
            if self.clock() > deadline:
                raise TimeoutError
            if size > _ANSWER_LIMIT:
                raise _Refused("answers without an end")
        if answer.length:
            raise _Passing("broke off in the middle of its answer")
        return b"".join(parts)

    def _key(self) -> str:
        name = self.endpoint.key_variable
        if not name:
            return ""
        key = os.environ.get(name, "").strip()
        if not key:
            raise EmbedderBroken(f"the embedder's key is missing: the environment variable {name} is not set")
        # A line end in it would end up in an error of the HTTP library, key and all.
        if not (key.isascii() and key.isprintable()):
            raise EmbedderBroken(f"the embedder's key in {name} has characters that no key has")
        return key


class _Trouble(Exception):
    """What an endpoint did, to follow its address in a sentence."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.wait = wait


class _Passing(_Trouble):
    """May work the next time."""


class _Refused(_Trouble):
    """Will not work until somebody changes something."""


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Following one would turn the request into another and hand the key to whoever is named there."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _check_address(url: str) -> None:
    try:
        parts = urllib.parse.urlsplit(url)
        _ = parts.port
    except ValueError:
        raise EmbedderBroken("the embedder's address is no address") from None
    if parts.username or parts.password:
        raise EmbedderBroken("the embedder's address must hold no name or password; name the key's environment variable instead")
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii() or not url.isprintable() or " " in url:
        raise EmbedderBroken(f"the embedder's address {url!r} is not one of http:// or https://")


def _status(error: urllib.error.HTTPError, key: str) -> _Trouble:
    """What a refusal means, with the server's own words where it has some."""
    said = _words(error, key)
    if error.code in _PASSING:
        return _Passing(f"answered {error.code}{said}", _wait(error.headers.get("Retry-After", "")))
    if error.code in (401, 403):
        return _Refused(f"refused the key ({error.code}){said}" if key else f"wants a key ({error.code}){said}")
    if 300 <= error.code < 400:
        return _Refused(f"answered {error.code}: it redirects elsewhere, which is not followed")
    return _Refused(f"answered {error.code}{said}")


def _words(error: urllib.error.HTTPError, key: str) -> str:
    try:
        found: Any = json.loads(error.read(1 << 16))
        while isinstance(found, dict):
            found = found.get("error") or found.get("message") or found.get("detail") or ""
    except (OSError, ValueError, http.client.HTTPException, RecursionError):
        return ""
    if not isinstance(found, str) or not found.strip():
        return ""
    text = " ".join(found.split())
    # Servers like to repeat the key that they did not like.
    text = text.replace(key, "…") if key else text
    return f": {text[:_LOUD]}"


def _wait(text: str) -> float | None:
    try:
        return max(0.0, float(text))
    except ValueError:
        return None


def _vectors(data: bytes, count: int, dimensions: int) -> Vectors:
    """Take an answer apart: one normalised row a text, in the order of `index`."""
    try:
        rows = json.loads(data)["data"]
        indexes = [int(row.get("index", place)) for place, row in enumerate(rows)]
        found = np.array([row["embedding"] for row in rows], np.float64)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError):
        raise _Refused("answered something that is no list of vectors") from None
    if sorted(indexes) != list(range(count)):
        raise _Refused(f"answered {count:,} texts with {len(rows):,} vectors")
    if found.ndim != 2 or not found.shape[1]:
        raise _Refused("answered something that is no list of vectors")
    if dimensions and found.shape[1] != dimensions:
        raise _Refused(f"answered with {found.shape[1]:,} dimensions after {dimensions:,}")
    if not (np.abs(found) < _NUMBER_LIMIT).all():
        raise _Refused("answered with vectors that are no numbers")
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return (found / np.where(lengths > 0, lengths, 1))[np.argsort(indexes)].astype(np.float32)


def _clean(text: str) -> str:
    return text[:_TEXT_LIMIT].encode("utf-8", "replace").decode("utf-8")
