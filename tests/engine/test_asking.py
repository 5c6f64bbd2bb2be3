"""Asking a model for a value, against a real server: what is sent, what is taken, what is said of everything else."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest
from pydantic import BaseModel

from memtree.engine.llm.asking import Answer, Asker, BadReply, ModelAway, ModelBroken
from memtree.engine.llm.usage import Usage
from memtree.engine.llm.wire import Line, Wire, wait_of
from memtree.tree.errors import Error
from support.asking import asker_of
from support.model_server import (
    CUT,
    DRIP,
    EMPTY,
    GARBAGE,
    HANG,
    HUGE,
    MODEL,
    NO_JSON,
    SLAM,
    ModelServer,
    Reply,
    call,
    fail,
    model_server,
    raw,
    say,
    typed,
)


class Recap(BaseModel):
    """What was talked about."""

    prose: str
    importance: str = "normal"


SECRET_TEXT = "the heron nests behind the old mill"
SECRET_WORDS = "a reply that must stay between us"


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server
    gc.collect()  # a connection that nobody closed is told now


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    assert [thread.name for thread in threading.enumerate() if thread.name == "memtree-model"] == []


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.simple = True
    running.script(say("Well."))
    return running


Ask = Callable[[], Answer[Recap]]


@pytest.fixture(scope="module")
def askers(tmp_path_factory: pytest.TempPathFactory, running: ModelServer) -> Iterator[tuple[Asker, Asker]]:
    """One with time, one in haste."""
    folders = tmp_path_factory.mktemp("asking"), tmp_path_factory.mktemp("hasty")
    with asker_of(folders[0], running) as asker, asker_of(folders[1], running, timeout=1.0, retries=1) as hasty:
        yield asker, hasty


@pytest.fixture
def ask(askers: tuple[Asker, Asker], server: ModelServer) -> Ask:
    assert server.requests == []
    return lambda: askers[0].ask_typed("summarization", "Recap this.", SECRET_TEXT, Recap)


@pytest.fixture
def hasty(askers: tuple[Asker, Asker], server: ModelServer) -> Ask:
    assert server.requests == []
    return lambda: askers[1].ask_typed("summarization", "Recap this.", SECRET_TEXT, Recap)


def test_a_value_comes_back_with_what_it_cost(ask: Ask, server: ModelServer) -> None:
    server.script(typed(prose="Of herons.", tokens=(812, 120)))
    answer = ask()
    assert answer.output == Recap(prose="Of herons.")
    assert (answer.usage.model, answer.usage.requests) == (MODEL, 1)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (812, 120)
    assert answer.usage.seconds > 0
    assert [message["role"] for message in server.requests[0]["messages"]] == ["system", "user"]
    assert "Recap this." in server.prompts[0]
    assert SECRET_TEXT in server.prompts[0]
    assert server.requests[0]["max_tokens"] == 2048
    assert "temperature" not in server.requests[0]


def test_nothing_but_the_question_is_told_to_the_server(ask: Ask, server: ModelServer) -> None:
    server.script(typed(prose="x"))
    ask()
    names = {name.lower() for name in server.headers[0]}
    assert names == {"host", "accept", "accept-encoding", "content-type", "content-length", "user-agent"}


@pytest.mark.parametrize(
    "text",
    [
        'Sure! Here it is:\n```json\n{"prose": "x"}\n```\nAnything else?',
        '<think>Let me see {"prose": 3}</think>\n{"prose": "x"}',
        '{"prose": "x", "more": 1}',
    ],
)
def test_json_is_found_in_what_models_say_around_it(ask: Ask, server: ModelServer, text: str) -> None:
    server.script(say(text))
    assert ask().output == Recap(prose="x")
    assert len(server.requests) == 1


@pytest.mark.parametrize("first", [say("Of herons."), say('{"prose": 3}'), say('{"prose"'), EMPTY, call("final_result", prose="x")])
def test_one_bad_reply_is_mended(ask: Ask, server: ModelServer, first: Reply) -> None:
    server.script(first, typed(prose="mended"))
    answer = ask()
    assert answer.output.prose == "mended"
    assert (answer.usage.requests, answer.usage.input_tokens) == (2, 18)


@pytest.mark.parametrize("reply", [say(SECRET_WORDS), EMPTY, say('{"prose": 3}')])
def test_a_second_one_is_not(ask: Ask, server: ModelServer, reply: Reply) -> None:
    server.script(reply)
    with pytest.raises(BadReply) as error:
        ask()
    assert len(server.requests) == 2
    assert error.value.usage.output_tokens == 8
    assert "nothing that can be used" in str(error.value)


def test_what_the_check_finds_is_told_once(tmp_path: Path, server: ModelServer) -> None:
    def check(value: Recap) -> str:
        return "the prose is empty" if not value.prose else ""

    with asker_of(tmp_path, server) as asker:
        server.script(typed(prose=""), typed(prose="better"))
        assert asker.ask_typed("chat", "i", "p", Recap, check).output.prose == "better"
        assert "the prose is empty" in server.prompts[1]
        server.script(typed(prose=""))
        with pytest.raises(BadReply, match="can be used: the prose is empty"):
            asker.ask_typed("chat", "i", "p", Recap, check)
        assert len(server.requests) == 2


def test_a_bug_in_the_check_is_raised_as_it_is(tmp_path: Path, server: ModelServer) -> None:
    def check(value: Recap) -> str:
        raise ZeroDivisionError(value.prose)

    server.script(typed(prose="x"))
    with asker_of(tmp_path, server) as asker, pytest.raises(ZeroDivisionError):
        asker.ask_typed("chat", "i", "p", Recap, check)


@pytest.mark.parametrize(
    "trouble",
    [fail(429), fail(429, retry_after="0.02"), fail(500), fail(503), fail(529), SLAM, CUT, GARBAGE],
    ids=["429", "429 later", "500", "503", "529", "slam", "cut", "garbage"],
)
def test_what_passes_is_tried_again(ask: Ask, server: ModelServer, trouble: Reply) -> None:
    server.script(trouble, trouble, typed(prose="x"))
    answer = ask()
    assert answer.output.prose == "x"
    assert len(server.requests) == 3
    assert answer.usage.requests == 1


@pytest.mark.parametrize(("trouble", "says"), [(fail(503), "answered 503"), (SLAM, "broke off"), (CUT, "broke off")])
def test_and_then_given_up(ask: Ask, server: ModelServer, trouble: Reply, says: str) -> None:
    server.script(trouble)
    with pytest.raises(ModelAway, match=says):
        ask()
    assert len(server.requests) == 3


def test_who_wants_to_be_left_alone_for_long_is(ask: Ask, server: ModelServer) -> None:
    server.script(fail(429, retry_after="3600"))
    with pytest.raises(ModelAway) as error:
        ask()
    assert len(server.requests) == 1
    assert error.value.after == 3600


@pytest.mark.parametrize("silence", [HANG, DRIP], ids=["hang", "drip"])
def test_silence_is_bounded(hasty: Ask, server: ModelServer, silence: Reply) -> None:
    server.script(silence)
    with pytest.raises(ModelAway, match=r"did not answer within 1(\.0)? seconds?"):
        hasty()
    assert len(server.requests) == 2


def test_a_person_may_stop_waiting(ask: Ask, server: ModelServer) -> None:
    waiting = threading.get_ident()

    def interrupted(_: dict[str, object]) -> Reply:
        signal.pthread_kill(waiting, signal.SIGINT)
        return HANG

    server.script(interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # where tests run in the background, it is ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            ask()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(server.requests) == 1


def test_where_nobody_listens(tmp_path: Path) -> None:
    with model_server() as gone:
        pass
    with asker_of(tmp_path, gone) as asker, pytest.raises(ModelAway, match="cannot be reached"):
        asker.ask_typed("chat", "i", "p", Recap)


@pytest.mark.parametrize(
    ("reply", "kind", "says"),
    [
        (fail(400, said="unknown parameter"), ModelBroken, "answered 400: unknown parameter"),
        (fail(401), ModelBroken, r"wants a key \(401\)"),
        (fail(404, said="no such model"), ModelBroken, r"is not there \(404\): no such model"),
        (raw(b"", status=302, Location="http://127.0.0.1:1/v1"), ModelBroken, "redirects elsewhere"),
        (raw(b"", status=307, Location="http://127.0.0.1:1/v1"), ModelBroken, "redirects elsewhere"),
        (NO_JSON, ModelBroken, "no model says"),
        (raw(b"[" * 100_000), ModelBroken, "no model says"),
        (raw(b"\xff\xfe{"), ModelBroken, "no model says"),
        (raw(b"[]"), ModelBroken, "no model says"),
        (raw(b"data: {}\n\n", kind="text/event-stream"), ModelBroken, "no model says"),
        (raw(b"{}", Content_Encoding="gzip"), ModelBroken, "in a form that was not asked for"),
        (raw(b'{"error": {"message": "overloaded"}}'), BadReply, "nothing that can be used"),
        (raw(b'{"choices": []}'), BadReply, "answered"),
        (raw(b'{"choices": null}'), BadReply, "answered"),
        (say('{"prose": "' + SECRET_WORDS, finish="length"), BadReply, r"cut off at max_tokens \(2,048\)"),
        (HUGE, BadReply, "far more than it was asked for"),
    ],
    ids=lambda value: "" if isinstance(value, Reply) else str(value),
)
def test_what_does_not_pass_is_said_at_once(ask: Ask, server: ModelServer, reply: Reply, kind: type[Error], says: str) -> None:
    server.script(reply)
    with pytest.raises(kind, match=says) as error:
        ask()
    assert len(server.requests) == 1
    assert error.value.hint


def test_json_under_another_name_and_without_what_nobody_reads(ask: Ask, server: ModelServer) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": '{"prose": "x"}'}, "finish_reason": "stop"}
    server.script(raw(json.dumps({"choices": [choice]}).encode(), kind="text/plain"))
    answer = ask()
    assert (answer.output.prose, answer.usage.input_tokens) == ("x", 0)


@pytest.mark.parametrize(
    "reply",
    [
        fail(400, said=f"cannot read {SECRET_TEXT!r}"),
        fail(500, said=f"failed at: {SECRET_TEXT[4:20]}"),
        say(SECRET_WORDS),
        say(f'{{"prose": {SECRET_WORDS}'),
        raw(SECRET_WORDS.encode()),
        raw(f'{{"choices": "{SECRET_WORDS}"}}'.encode()),
    ],
)
def test_no_error_repeats_what_was_asked_or_answered(ask: Ask, server: ModelServer, reply: Reply) -> None:
    server.script(reply)
    with pytest.raises(Error) as error:
        ask()
    told = f"{error.value} {error.value.hint} {error.value.__cause__}"
    assert not any(part in told for part in ("heron", "mill", "between us"))


def test_an_endless_answer_costs_little_memory(ask: Ask, server: ModelServer) -> None:
    server.script(typed(prose="x"))
    ask()  # what is imported is not counted
    server.script(raw(b" " * 60_000_000))
    tracemalloc.start()
    with pytest.raises(BadReply):
        ask()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * 60_000_000  # the server's own copies are among it


def test_questions_from_inside_a_running_loop_and_from_several_threads(tmp_path: Path, server: ModelServer) -> None:
    server.script(typed(prose="x"))
    with asker_of(tmp_path, server) as asker:

        async def inside() -> str:
            return asker.ask_typed("chat", "i", "p", Recap).output.prose

        assert asyncio.run(inside()) == "x"
        found: list[str] = []
        threads = [threading.Thread(target=lambda: found.append(_prose(asker))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == ["x"] * 4


def _prose(asker: Asker) -> str:
    return asker.ask_typed("chat", "i", "p", Recap).output.prose


def test_temperature_and_length_are_the_roles(tmp_path: Path, server: ModelServer) -> None:
    server.script(typed(prose="x"))
    with asker_of(tmp_path, server, temperature=0.3, max_tokens=77, context=1024) as asker:
        asker.ask_typed("chat", "i", "half a letter: \ud800", Recap)
        assert asker.room("chat") == 1024 - 77 - 256
    assert (server.requests[0]["temperature"], server.requests[0]["max_tokens"]) == (0.3, 77)


def test_anthropic(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_ANTHROPIC", "made-up-key")
    table = {"provider": "anthropic", "url": server.anthropic_url, "max_tokens": 500, "key_env": "TEST_ANTHROPIC"}
    with asker_of(tmp_path, server, **table) as asker:
        server.script(say("prose alone"), typed(prose="x", tokens=(50, 7)))
        answer = asker.ask_typed("chat", "Recap this.", SECRET_TEXT, Recap)
    assert answer.output.prose == "x"
    assert answer.usage == Usage(MODEL, 2, 59, 11, answer.usage.seconds)
    assert server.requests[0]["max_tokens"] == 500
    assert [path.partition("?")[0] for path in server.paths] == ["/v1/messages"] * 2
    headers = {name.lower(): value for name, value in server.headers[0].items()}
    assert headers["x-api-key"] == "made-up-key"
    assert "authorization" not in headers
    assert not any(name.startswith("x-stainless") for name in headers)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 60.0),
        ("Wed, 21 Oct 2026 07:00:00 GMT", 0.0),
        ("-3", 0.0),
        ("nan", 0.0),
        ("1e30", 86_400.0),
        ("soon", 0.0),
        ("", 0.0),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(text: str, seconds: float) -> None:
    now = datetime(2026, 10, 21, 7, 27, tzinfo=UTC).timestamp()
    assert wait_of(httpx2.Headers({"Retry-After": text}), lambda: now) == seconds


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions"])
def test_a_stream_is_read_as_a_whole_where_one_was_asked_for(server: ModelServer, path: str) -> None:
    line = Line(server.anthropic_url, MODEL, 5.0, 0, 100_000, 0.01, {}, "")
    wire = Wire(line)

    async def asked() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=wire) as client:
            body = {"stream": True, "messages": [{"role": "user", "content": "q"}]}
            return await client.post(f"{server.anthropic_url}{path}", json=body)

    answer = asyncio.run(asked())
    assert ("message_stop" in answer.text) is (path == "/v1/messages")
    assert "Well." in answer.text
    assert wire.trouble is None
