"""`memtree ask` as a person and as a program see it: the answer, its sources, what is said beside it, work in the background."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from support.cli import git_agrees, memtree, spawn
from support.gitrepo import GitRepo
from support.model_server import ModelServer, call, calls, fail, model_server, say

NOTHING = "No relevant memory found for this query. Nothing in the user's memory tree, conversations, or documents matches it."
FOOTER = re.compile(r"(\d+) iterations?, \d+\.\d s(?:, [a-z ]+)?")
TASK = re.compile(r"mem-[0-9a-f]{32}")


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with model_server() as started:
        yield started


@pytest.fixture
def asked(notes: GitRepo, running: ModelServer) -> GitRepo:
    """The workspace with a model."""
    notes.write("memtree.toml", notes.read("memtree.toml") + running.settings(retries=0, timeout=60.0).encode())
    return notes


def test_the_answer_stands_above_its_sources(notes: GitRepo) -> None:
    told = memtree("ask", "when", "is", "the certificate renewal due?", cwd=notes.path)
    assert told.lines[:5] == [
        "The certificate renewal is due in May. [1]",
        "",
        "Sources:",
        "1. projects/heron.md:6 — The certificate renewal is due in May.",
        "",
    ]
    assert told.lines[5] == "---"
    assert FOOTER.fullmatch(told.lines[6])
    assert told.err.startswith("note: no model was asked: no model is configured for agentic; name one in memtree.toml")
    git_agrees(notes)


def test_an_edit_of_a_moment_ago_is_asked_too(notes: GitRepo) -> None:
    notes.write("projects/ferry.md", "# Ferry\n\nThe ferry leaves at 7:40.\n")
    found = memtree("ask", "when does the ferry leave", "--json", cwd=notes.path).json
    assert found["answer"]["sources"] == [
        {
            "number": 1,
            "path": "projects/ferry.md",
            "start_line": 3,
            "end_line": 3,
            "snippet": "The ferry leaves at 7:40.",
            "commit": notes.git("rev-parse", "HEAD"),
            "time": None,
        }
    ]
    assert set(found) == {"query", "answer", "text", "footer", "notes"}
    assert set(found["answer"]) == {
        "status",
        "text",
        "sources",
        "dropped",
        "found",
        "suggestions",
        "iterations",
        "seconds",
        "task_id",
        "usage",
        "notes",
    }
    assert (found["answer"]["status"], found["answer"]["found"]) == ("completed", True)


def test_where_memory_says_nothing_it_is_an_answer_too(notes: GitRepo) -> None:
    told = memtree("ask", "who is the king of France?", cwd=notes.path)
    assert told.lines[0] == NOTHING
    found = memtree("ask", "who is the king of France?", "--json", cwd=notes.path).json
    assert (found["answer"]["found"], found["answer"]["sources"], found["text"]) == (False, [], NOTHING)


def test_an_empty_memory(notes: GitRepo, tmp_path: object) -> None:
    memtree("init", f"{tmp_path}/empty")
    assert memtree("-w", f"{tmp_path}/empty", "ask", "anything?").lines[0] == NOTHING


def test_a_model_answers_within_the_given_requests(asked: GitRepo, running: ModelServer) -> None:
    running.script(calls(("memory_doctor", {})), say("In May [1], and in June [9]."))
    told = memtree("ask", "when is the certificate renewal due?", "--max-turns", "2", cwd=asked.path)
    assert told.lines[0] == "In May [1], and in June."
    assert told.lines[-1].startswith("2 iterations, ")
    assert told.err == "note: 1 citation was dropped: it names something that was not read\n"
    running.script(call("memory_doctor"))
    told = memtree("ask", "when is the certificate renewal due?", "--max-turns", "1", cwd=asked.path)
    assert told.lines[0] == "The certificate renewal is due in May. [1]"
    assert told.lines[-1].endswith(" s, incomplete")
    assert told.err.startswith("note: the model did not come to an end within one request: this is what was found so far")


def test_a_question_back_says_how_to_go_on(asked: GitRepo, running: ModelServer) -> None:
    running.script(call("ask_user_clarification", question="Which certificate?", suggestions=["the heron's", "the mill's"]))
    told = memtree("ask", "when is the certificate renewal due?", cwd=asked.path)
    assert told.lines[:6] == [
        "Which certificate?",
        "",
        "- the heron's",
        "- the mill's",
        "",
        'To go on, ask again and add: --context "your answer"',
    ]
    assert told.lines[-1].endswith(" s, awaiting user")
    assert told.err == ""
    running.script(say("In May [1]."))
    answered = memtree("ask", "when is the certificate renewal due?", "--context", "the heron's", cwd=asked.path)
    assert answered.lines[0] == "In May [1]."
    assert "the heron's" in running.prompts[0]


def test_a_model_that_is_away_is_no_failure(asked: GitRepo, running: ModelServer) -> None:
    running.script(fail(500))
    told = memtree("ask", "when is the certificate renewal due?", cwd=asked.path)
    assert told.lines[0] == "The certificate renewal is due in May. [1]"
    assert "note: the model gave no answer: " in told.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "there is no question"),
        ((" ",), "there is no question"),
        (("why", "--max-turns", "0"), "max_turns is 0"),
        (("why", "--max-turns", "21"), "max_turns is 21"),
        (("why", "--max-turns", "many"), "Invalid value for '--max-turns'"),
        (("x" * 10_001,), "the query has 10,001 characters, more than 10,000"),
        (("--result", "../journal"), "there is no such task"),
        (("--result", "mem-" + "0" * 32), "there is no such task"),
        (("why", "--result", "mem-" + "0" * 32), "--result takes a task's id and nothing else"),
        (("--context", "why", "--result", "mem-" + "0" * 32), "--result takes a task's id and nothing else"),
        (("--max-turns", "3", "--result", "mem-" + "0" * 32), "--result takes a task's id and nothing else"),
        (("--async",), "there is no question"),
    ],
)
def test_what_cannot_be_asked_is_refused(notes: GitRepo, words: tuple[str, ...], message: str) -> None:
    assert message in memtree("ask", *words, cwd=notes.path, code=2).err
    assert memtree("ask", *words, "--json", cwd=notes.path, code=2).json["error"]["family"] == "user"


def test_nothing_of_the_answer_commands_a_terminal(notes: GitRepo) -> None:
    notes.write("evil.md", "# Evil\n\nThe otter \x1b[2J eats \u202e fish.\n")
    told = memtree("ask", "what does the otter eat?", cwd=notes.path)
    assert "\x1b" not in told.out
    assert "\u202e" not in told.out
    assert "evil.md:3" in told.out


def test_a_question_in_the_background_outlives_its_command(notes: GitRepo) -> None:
    told = spawn("ask", "--async", "when is the certificate renewal due?", cwd=notes.path)
    (task,) = set(TASK.findall(told.out))
    assert told.out == f"{task} is being worked on. To see the answer: memtree ask --result {task}\n"
    for _ in range(300):  # the worker ends by itself, or is told as lost
        found = spawn("ask", "--result", task, "--json", cwd=notes.path).json
        if found["state"] != "running":
            break
    assert (found["state"], found["task_id"], found["query"]) == ("done", task, "when is the certificate renewal due?")
    assert found["answer"]["text"] == "The certificate renewal is due in May. [1]"
    shown = memtree("ask", "--result", task, cwd=notes.path)
    assert shown.lines[0] == "The certificate renewal is due in May. [1]"


def test_what_failed_in_the_background_is_shown(notes: GitRepo) -> None:
    notes.write("agents/memory/agent.toml", "temperature = 9\n")
    assert "temperature must be a number" in memtree("ask", "--async", "why", cwd=notes.path, code=2).err
