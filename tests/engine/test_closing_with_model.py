"""A closed conversation and a model on loopback: better recaps, lessons, goals; and nothing lost whatever the model does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.later import Later, LaterReport
from memtree.engine.closing.queue import Queue
from memtree.tree.generated import Author
from memtree.tree.recap import Status
from support import model_server as made
from support.conversations import PLAIN, TALK, close, lonely, pair, recaps, record, said, toml
from support.machines import Machine, Machines
from support.model_server import Body, ModelServer, Reply, call, fail, model_server, say, typed

PROSE = "The user chose tantivy for the search and prefers tabs; the index writer gets a heap of 50 MB."
LESSON = "Meetings are planned after nine in the morning, Berlin time."
ONLY_RECAPS = b"[learning]\ngoals_enrichment_enabled = false\n"
GOAL = "Ship the search on tantivy"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as started:
        yield started


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made_ = Machines(tmp_path)
    yield made_
    made_.close()


@pytest.fixture
def machine(machines: Machines, server: ModelServer) -> Machine:
    return lonely(machines, settings(server))


def settings(server: ModelServer, more: bytes = b"[learning]\nenabled = true\n", patience: float = 60.0) -> bytes:
    return PLAIN + more + server.settings("default", retries=0, timeout=patience).encode()


def willing(body: Body) -> Reply:
    """A model that does what each of our agents is for: one thing, then its last word."""
    system = str(body["messages"])
    names = {tool["function"]["name"] for tool in body.get("tools", ())}
    answered = sum(message["role"] == "tool" for message in body["messages"])
    if "update_memory_md" in names:
        wanted = call("update_memory_md", file="MEMORY.md", action="append", content=LESSON, category="preference")
        return say("Kept one lesson.") if answered else wanted
    if "goals_add" in names:
        return (call("goals_list"), call("goals_add", text=GOAL), say("Added one."))[answered]
    assert "recap" in system
    return typed(recap=PROSE, importance="high", tokens=(812, 120))


def later(machine: Machine) -> LaterReport:
    return Later(machine.workspace).run()


def test_a_session_becomes_a_better_recap_lessons_and_goals(machine: Machine, server: ModelServer) -> None:
    server.script(willing)
    record(machine, said("s-1", TALK))
    close(machine)
    before = recaps(machine)[0]
    report = later(machine)
    assert (report.notes, report.waiting) == ([], 0)
    (recap,) = recaps(machine)
    assert (recap.prose, recap.author, recap.refresh, recap.events) == (PROSE, Author.MODEL, False, before.events)
    files = machine.committed()
    assert b"importance: high" in files[recap.path]
    assert LESSON.encode() in files["MEMORY.md"]
    assert f"- [g1] {GOAL}".encode() in files["MEMORY_GOALS.md"]
    log = machine.git("log", "--format=%B")
    assert "Memtree-Model: " in log
    assert "Memtree-Tokens: input 812, output 120" in log
    assert {f"Memtree-Writer: {writer}" in log for writer in ("archivist", "recap", "goals")} == {True}
    machine.assert_sound()


def test_all_is_done_once(machine: Machine, server: ModelServer) -> None:
    server.script(willing)
    record(machine, said("s-1", TALK))
    close(machine)
    later(machine)
    tip, asked = machine.tip, len(server.requests)
    assert later(machine).done == []
    assert (machine.tip, len(server.requests)) == (tip, asked)


@pytest.mark.parametrize(
    ("reply", "away"),
    [
        (made.HANG, True),
        (fail(429), True),
        (fail(500), True),
        (made.SLAM, True),
        (made.CUT, True),
        (made.GARBAGE, True),
        (made.EMPTY, False),
        (made.HUGE, False),
        (made.NO_JSON, None),
        (say("I think that was a lovely chat about search engines."), False),
        (typed(recap="我们今天讨论了搜索引擎和缩进，用户决定使用这个方案。", importance="normal"), False),
        (typed(recap="", importance="normal"), False),
        (typed(recap=PROSE, importance="tremendous"), False),
        (fail(401), None),
    ],
    ids=["hang", "429", "500", "slam", "cut", "garbage", "empty", "huge", "html", "prose", "language", "nothing", "schema", "key"],
)
def test_whatever_a_model_does_the_extracted_recap_stays_and_it_is_asked_again(
    machines: Machines, server: ModelServer, reply: Reply, away: bool | None
) -> None:
    machine = lonely(machines, settings(server, ONLY_RECAPS, 2.0 if reply is made.HANG else 60.0))
    record(machine, said("s-1", TALK))
    close(machine)
    (before,) = recaps(machine)
    server.script(reply)
    report = later(machine)
    assert recaps(machine) == [before]
    assert report.notes
    (step,) = Queue(machine.workspace.places.folder).steps()
    assert (step.kind, step.tries) == ("better", 1)
    assert not any(word in report.notes[0] for word in ("tantivy", "lovely", "讨论"))
    asked = len(server.requests)
    assert later(machine).waiting == 1
    assert len(server.requests) == asked or away is None  # not before its time
    machines.clock.tick(86_400)
    server.script(willing)
    later(machine)
    assert recaps(machine)[0].prose == PROSE
    assert Queue(machine.workspace.places.folder).steps() == []


def test_a_model_that_is_away_is_left_alone_for_a_while_by_all_steps(machines: Machines, server: ModelServer) -> None:
    machine = lonely(machines, settings(server) + b"")
    for number in range(3):
        record(machine, said(f"s-{number}", TALK))
        close(machine, f"s-{number}")
    server.script(fail(503))
    later(machine)
    assert len(server.requests) == 1
    later(machine)
    assert len(server.requests) == 1


def test_a_secret_that_a_model_makes_up_reaches_no_file(machines: Machines, server: ModelServer) -> None:
    machine = lonely(machines, settings(server, b""))
    record(machine, said("s-1", TALK))
    close(machine)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    server.script(typed(recap=f"{PROSE} The key is {secret}.", importance="normal"))
    later(machine)
    assert not any(secret.encode() in data for data in machine.committed().values())
    assert recaps(machine)[0].status == Status.CLOSED


def test_a_persons_text_is_not_written_over_even_when_it_comes_while_the_model_thinks(
    machines: Machines, server: ModelServer
) -> None:
    machine = lonely(machines, settings(server, b""))
    record(machine, said("s-1", TALK))
    close(machine)
    (recap,) = recaps(machine)

    def slow(body: Body) -> Reply:
        machine.write(recap.path, machine.committed()[recap.path] + b"\nMine, and it stays.\n")
        return willing(body)

    server.script(slow)
    later(machine)
    machine.save()
    assert b"Mine, and it stays." in machine.committed()[recap.path]
    server.script(willing)
    later(machine)
    assert b"Mine, and it stays." in machine.committed()[recap.path]
    machine.assert_sound()


def test_only_the_librarian_reviews_the_goals_of_all(machines: Machines, server: ModelServer) -> None:
    one, two = pair(machines)
    two.git("config", "memtree.device", "study")
    two.reopen()
    librarian = f'librarian = "{two.workspace.device}"\n'.encode()
    two.write("memtree.toml", toml(librarian + settings(server, b"")))
    two.save()
    two.reopen()
    two.sync()
    one.sync()
    one.reopen()
    server.script(willing)
    record(one, said("s-1", TALK))
    close(one)
    one.sync()
    later(one)
    assert "MEMORY_GOALS.md" not in one.committed()
    assert recaps(one)[0].prose == PROSE  # its own session it tells itself
    two.sync()
    later(two)
    assert "MEMORY_GOALS.md" in two.committed()


def test_without_a_model_nothing_is_asked_and_nothing_complained_of(machines: Machines) -> None:
    machine = lonely(machines, PLAIN)
    record(machine, said("s-1", TALK))
    close(machine)
    report = later(machine)
    assert (report.notes, report.done, report.waiting) == ([], [], 0)


def test_the_goals_are_left_alone_where_the_settings_say_so(machines: Machines, server: ModelServer) -> None:
    machine = lonely(machines, settings(server, b"[learning]\ngoals_enrichment_enabled = false\n"))
    server.script(willing)
    record(machine, said("s-1", TALK))
    close(machine)
    later(machine)
    assert "MEMORY_GOALS.md" not in machine.committed()
    assert "MEMORY.md" not in machine.committed()  # nor is the archivist asked: learning is off
