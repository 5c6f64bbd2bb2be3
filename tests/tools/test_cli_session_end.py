"""`memtree hook session-end` as a person and as a script sees it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from support.cli import memtree
from support.gitrepo import GitRepo
from support.model_server import model_server, typed

RECAP = "memory_tree/content/recap/s1/000001-000004.md"
TALK = (("We decided to use tantivy for search.", "I set it up."), ("I prefer tabs to spaces.", "Noted."))


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.fixture
def talk(notes: GitRepo) -> GitRepo:
    """A workspace in which a conversation of two turns was recorded, and is open."""
    for user, assistant in TALK:
        memtree("hook", "turn", "--session", "s1", "--user", user, "--assistant", assistant, cwd=notes.path)
    return notes


def test_closing_says_what_it_came_to_and_closing_again_that_nothing_is_left(
    talk: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = memtree("hook", "session-end", "--session", "s1", "--wait", cwd=talk.path)
    assert done.lines == [
        f"Closed {RECAP} (2 turns, 2 events).",
        "The profile learned something: coding_style (memtree profile list).",
        "2 facts of turns 1-4 of session s1",
    ]
    assert b"- decision: We decided to use tantivy for search. (turn 1; confidence 0.6)" in talk.read(RECAP)
    stdin(monkeypatch, json.dumps({"session_id": "s1"}).encode())
    again = memtree("hook", "session-end", cwd=talk.path)
    assert again.out == "Nothing to close: every turn is in a recap.\n"
    told = memtree("hook", "session-end", "--all", "--json", cwd=talk.path).json
    assert (told["closed"], told["commits"], told["profiles"], told["waiting"]) == ([], [], [], None)


def test_what_it_is_not_told_is_asked_for(talk: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = memtree("hook", "session-end", "--session", "s2", cwd=talk.path, code=1)
    assert refused.err.startswith("memtree: no turn of a session 's2' is recorded here\n")
    for given in (b"", b"[]", b'{"session": "s1"}'):
        stdin(monkeypatch, given)
        assert "no JSON object with a session_id" in memtree("hook", "session-end", cwd=talk.path, code=1).err
    assert not Path(talk.path, RECAP).exists()


def test_with_a_model_it_waits_for_a_better_recap_when_told_to(talk: GitRepo) -> None:
    with model_server() as server:
        talk.write("memtree.toml", talk.read("memtree.toml") + server.settings(retries=0).encode())
        server.script(typed(recap="他们决定用 tantivy 做搜索，并且用户更喜欢用制表符来缩进代码。", importance="high"))
        worse = memtree("hook", "session-end", "--session", "s1", "--wait", cwd=talk.path)
        assert worse.lines[0] == f"Closed {RECAP} (2 turns, 2 events)."
        assert "note: a better recap must wait: the model made-1 at" in worse.err
        assert "The recap is written in Chinese characters, which the conversation is not." in worse.err
        server.script(typed(recap="They settled on tantivy for search, and the user likes tabs.", importance="high"))
        better = memtree("hook", "session-end", "--again", "--wait", cwd=talk.path)
        assert better.lines[-1] == "recap of turns 1-4 of session s1 by made-1"
    assert b"They settled on tantivy for search" in talk.read(RECAP)
    log = memtree("log", "-n", "1", cwd=talk.path).out
    assert "recap of turns 1-4 of session s1 written anew" in log
