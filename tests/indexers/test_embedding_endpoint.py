"""EndpointEmbedder against a real server that misbehaves: one clear line each, never the key, nothing asked twice without need."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memtree.indexers.catch_up import catch_up
from memtree.indexers.embedder import EmbedderBroken, EmbedderUnavailable, normalised
from memtree.indexers.embedding_endpoint import Endpoint, EndpointEmbedder
from memtree.indexers.vectors import VectorIndex
from support.embedding_server import EmbeddingServer, embedding_server, vector_of
from support.memory_source import MemorySource

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def model(server: EmbeddingServer, pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> EndpointEmbedder:
    monkeypatch.setenv("MEMTREE_TEST_KEY", KEY)
    monkeypatch.setenv("no_proxy", "*")
    endpoint = Endpoint(server.url, "tiny", "MEMTREE_TEST_KEY", batch=3, timeout=5, attempts=3)
    return EndpointEmbedder(endpoint, sleep=pauses.append)


def expected(texts: list[str]) -> np.ndarray:
    return normalised(np.array([vector_of(text) for text in texts], np.float32))


def test_texts_are_asked_in_batches_and_come_back_normalised(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    texts = [f"text {number}" for number in range(7)]
    found = model.embed(texts)
    assert found == pytest.approx(expected(texts), abs=1e-6)
    assert (found.dtype, model.dimensions) == (np.float32, 4)
    assert [len(body["input"]) for body in server.requests] == [3, 3, 1]
    assert {body["model"] for body in server.requests} == {"tiny"}
    assert set(server.paths) == {"/v1/embeddings"}
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_long_texts_make_smaller_batches(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    model.endpoint = replace(model.endpoint, batch_characters=100)
    model.embed(["x" * 60, "y" * 60, "z", "book" * 100_000])
    assert [len(body["input"]) for body in server.requests] == [1, 2, 1]
    assert len(server.texts[-1]) == 20_000


def test_blank_texts_are_not_sent(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    found = model.embed(["", "one", " \n"])
    assert [bool(row.any()) for row in found] == [False, True, False]
    assert server.texts == ["one"]
    assert model.embed([""]).shape == (1, 4)
    assert len(model.embed([])) == 0


def test_dimensions_are_learned_by_asking(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    assert model.model_id == f"endpoint/{server.url}/tiny"
    assert server.requests == []
    assert model.dimensions == 4
    assert model.dimensions == 4
    assert len(server.requests) == 1


@pytest.mark.parametrize("manner", ["backwards", "no index"])
def test_order_is_by_index(model: EndpointEmbedder, server: EmbeddingServer, manner: str) -> None:
    server.plan = [manner]
    texts = ["one", "two words", "three"]
    assert model.embed(texts) == pytest.approx(expected(texts), abs=1e-6)


def test_any_text_can_be_sent(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    model.embed(["北京 \ud83d", "\x00"])
    assert server.texts == ["北京 ?", "\x00"]


# -- what passes
@pytest.mark.parametrize("trouble", ["429", "500", "502", "503", "504", "slam", "cut", "garbage"])
def test_what_passes_is_tried_again(model: EndpointEmbedder, server: EmbeddingServer, pauses: list[float], trouble: str) -> None:
    server.plan = [trouble, trouble, "well"]
    assert model.embed(["one"]) == pytest.approx(expected(["one"]), abs=1e-6)
    assert server.texts == ["one"] * 3
    assert len(pauses) == 2
    assert all(pause >= 3 for pause in pauses) if trouble == "429" else 0.5 <= pauses[0] < pauses[1] < 2


TROUBLES = {
    "429": "answered 429: no: Bearer … second line",
    "503": "answered 503: no: Bearer … second line",
    "slam": "broke off",
    "cut": "broke off in the middle of its answer",
    "garbage": "broke off",
    "hang": "did not answer within 0.2 seconds",
    "drip": "did not answer within 0.2 seconds",
}


@pytest.mark.parametrize("trouble", sorted(TROUBLES))
def test_what_does_not_pass_is_unavailable(
    model: EndpointEmbedder, server: EmbeddingServer, pauses: list[float], trouble: str
) -> None:
    server.plan = [trouble]
    if trouble in ("hang", "drip"):
        model.endpoint = replace(model.endpoint, timeout=0.2)
    with pytest.raises(EmbedderUnavailable) as caught:
        model.embed(["one"])
    told(caught.value, server, TROUBLES[trouble])
    assert (len(server.requests), len(pauses)) == (3, 2)


def test_a_server_that_is_not_there(model: EndpointEmbedder, pauses: list[float]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    absent = EndpointEmbedder(replace(model.endpoint, url=f"http://127.0.0.1:{port}"), sleep=pauses.append)
    with pytest.raises(EmbedderUnavailable, match="cannot be reached: Connection refused"):
        absent.embed(["one"])
    assert len(pauses) == 2


# -- what a person must put right
BROKEN = {
    "400": "answered 400: no: Bearer … second line",
    "401": "refused the key (401)",
    "403": "refused the key (403)",
    "404": "answered 404",
    "302": "redirects elsewhere",
    "307": "redirects elsewhere",
    "half": "answered 2 texts with 1 vectors",
    "double": "answered 2 texts with 4 vectors",
    "one index": "answered 2 texts with 2 vectors",
    "nan": "no numbers",
    "infinite": "no numbers",
    "huge": "no numbers",
    "narrow": "answered with 3 dimensions after 4",
    **dict.fromkeys(
        ("text", "null", "nested", "ragged", "no width", "list", "no data", "word", "no json", "no utf-8", "deep"),
        "no list of vectors",
    ),
}


@pytest.mark.parametrize("trouble", sorted(BROKEN))
def test_answers_that_make_no_sense_are_told_at_once(
    model: EndpointEmbedder, server: EmbeddingServer, pauses: list[float], trouble: str
) -> None:
    model.embed(["first"])
    server.plan = [trouble]
    with pytest.raises(EmbedderBroken) as caught:
        model.embed(["one", "two"])
    told(caught.value, server, "no numbers" if trouble == "null" else BROKEN[trouble])
    assert (len(server.requests), pauses) == (2, [])


def told(error: Exception, server: EmbeddingServer, expected: str) -> None:
    assert expected in str(error)
    assert f"the embedder at {server.url}/embeddings" in str(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 400
    assert KEY not in "".join(traceback.format_exception(error))
    assert error.__cause__ is None


def test_a_key_that_is_missing_or_no_key(model: EndpointEmbedder, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTREE_TEST_KEY", "")
    with pytest.raises(EmbedderBroken, match="MEMTREE_TEST_KEY is not set"):
        model.embed(["one"])
    monkeypatch.setenv("MEMTREE_TEST_KEY", "sk-secret\r\nX-Evil: 1")
    with pytest.raises(EmbedderBroken) as caught:
        model.embed(["one"])
    assert "sk-secret" not in "".join(traceback.format_exception(caught.value))
    assert server.requests == []


def test_no_key_is_sent_where_none_is_named(model: EndpointEmbedder, server: EmbeddingServer) -> None:
    open_one = EndpointEmbedder(replace(model.endpoint, key_variable=""), sleep=model.sleep)
    open_one.embed(["one"])
    assert "Authorization" not in server.headers[0]
    server.plan = ["401"]
    with pytest.raises(EmbedderBroken, match="wants a key"):
        open_one.embed(["one"])


@pytest.mark.parametrize(
    "url",
    ["", "localhost:1", "ftp://x/y", "http://", "http://[", "http://x:99999999", "http://a b", "http://ü.de", "file:///etc/passwd"],
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(EmbedderBroken, match="address"):
        EndpointEmbedder(Endpoint(url, "tiny"))


def test_a_secret_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(EmbedderBroken) as caught:
        EndpointEmbedder(Endpoint("https://me:hunter2@example.org/v1", "tiny"))
    assert "hunter2" not in str(caught.value)


# -- behind an index
def test_an_index_goes_on_where_the_server_went_away(model: EndpointEmbedder, server: EmbeddingServer, tmp_path: Path) -> None:
    model.endpoint = replace(model.endpoint, batch=64)
    source, index = MemorySource(), VectorIndex.open(tmp_path, "settings", model)
    assert index.position() is None
    commit = source.commit({f"{number}.md": f"text {number}".encode() for number in range(200)})
    server.plan = ["well", "well", "503"]
    with pytest.raises(EmbedderUnavailable):
        catch_up(index, source, commit)
    assert index.position() is None
    server.plan = ["well"]
    server.requests.clear()
    catch_up(index, source, commit)
    assert len(server.texts) == 200 - 128
    assert len(index.contents()) == 200
