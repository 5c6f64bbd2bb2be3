"""`memtree goals` and `memtree librarian` as a person and as a program see them, and the same goals as tools over MCP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.tree.context_fence import CLOSE, OPEN
from support.cli import git_agrees, memtree
from support.gitrepo import GitRepo
from support.mcp_client import Session, in_process, words
from support.model_server import call, model_server, say

SECRET = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"


def head(repo: GitRepo) -> str:
    return repo.git("rev-parse", "HEAD")


def test_goals_are_listed_added_edited_and_deleted(notes: GitRepo) -> None:
    where = notes.path
    assert memtree("goals", "list", cwd=where).out == "There are no goals yet: memtree goals add TEXT\n"
    assert memtree("goals", "add", "Learn", "to", "row", cwd=where).out == "Added goal g1.\n"
    added = memtree("goals", "add", "学会划船", "--json", cwd=where).json
    assert (added["message"], added["id"], added["line"], added["commit"]) == ("Added goal g2.", "g2", 4, head(notes))
    assert memtree("goals", "edit", "1", "Learn to row well", cwd=where).out == "Edited goal g1.\n"
    assert memtree("goals", "list", cwd=where).lines == [
        "ID  GOAL",
        "g1  Learn to row well",
        "g2  学会划船",
        "2 of 8 goals, 45 of 2,000 bytes",
    ]
    assert memtree("goals", "list", "--json", cwd=where).json == {
        "goals": [
            {"id": "g1", "text": "Learn to row well", "first_line": 3, "last_line": 3},
            {"id": "g2", "text": "学会划船", "first_line": 4, "last_line": 4},
        ],
        "exists": True,
        "bytes": 45,
        "most": 8,
        "most_bytes": 2000,
        "notes": [],
    }
    assert memtree("goals", "delete", "[g2]", cwd=where).out == "Deleted goal g2.\n"
    assert [one["writer"] for one in memtree("log", "MEMORY_GOALS.md", "--json", cwd=where).json] == ["goals"] * 4
    git_agrees(notes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("add", ""), "goal text must not be empty"),
        (("add", "one\ntwo"), "goal text must be a single line"),
        (("add", "write to ada@example.org"), "goal text must not contain secrets or PII (email)"),
        (("edit", "g1", SECRET), "goal text must not contain secrets or PII (github-token)"),
        (("add", "goal NUMBER  3"), "goal g4 says the same already"),
        (("add", "Ninth"), "there are 8 goals, and 8 is the most: the oldest is g1, Goal number 0"),
        (("edit", "g1", "y" * 1_950), "the goals would take 2,"),
        (("delete", "g12"), "no goal with id 'g12'"),
    ],
)
def test_what_is_refused_is_said_and_changes_nothing(notes: GitRepo, arguments: tuple[str, ...], message: str) -> None:
    lines = "".join(f"- [g{number + 1}] Goal number {number}\n" for number in range(8))
    if message.startswith("goal g4"):
        lines = lines.replace("- [g8] Goal number 7\n", "")
    notes.write("MEMORY_GOALS.md", f"# Goals\n\n{lines}")
    memtree("save", cwd=notes.path)
    before = head(notes)
    refused = memtree("goals", *arguments, cwd=notes.path, code=2)
    assert refused.err.startswith(f"memtree: {message}")
    assert SECRET not in refused.err
    assert "ada@" not in refused.err
    assert head(notes) == before
    failure = memtree("goals", *arguments, "--json", cwd=notes.path, code=2)
    assert SECRET not in failure.out + failure.err


def test_labels_that_stand_twice_are_told(notes: GitRepo) -> None:
    notes.write("MEMORY_GOALS.md", "- [g1] a\n- [g1] b\n")
    listed = memtree("goals", "list", cwd=notes.path)
    assert "more than one goal has the label g1" in listed.out + listed.err
    assert "2 goals have the label g1 (lines 1, 2)" in memtree("goals", "delete", "g1", cwd=notes.path, code=2).err


def row_of_status(repo: GitRepo) -> str:
    (line,) = (line for line in memtree("status", cwd=repo.path).lines if line.startswith("librarian"))
    return " ".join(line.split())


def test_the_librarian_is_shown_taken_and_named_by_status(notes: GitRepo, tmp_path: Path) -> None:
    where = notes.path
    device = notes.git("config", "memtree.device")
    assert memtree("librarian", "show", cwd=where).out == f"This machine ({device}) is the librarian, for there is no remote.\n"
    memtree("remote", "add", "origin", str(tmp_path / "remote.git"), cwd=where)
    assert memtree("librarian", "show", cwd=where).out.startswith(f"No machine is the librarian; to make this one it ({device})")
    assert memtree("status", "--json", cwd=where).json["librarian"] == ""
    assert row_of_status(notes) == "librarian none: memtree librarian take"
    refused = memtree("goals", "enrich", cwd=where, code=3)
    assert refused.err.splitlines()[0] == "memtree: this is not done on this machine: no machine is the librarian"
    taken = memtree("librarian", "take", cwd=where)
    assert taken.out == f"This machine ({device}) is the librarian as of {head(notes)[:8]}.\n"
    assert memtree("librarian", "take", cwd=where).out == f"This machine ({device}) is the librarian already; nothing changed.\n"
    assert memtree("librarian", "show", cwd=where).out == f"This machine ({device}) is the librarian.\n"
    assert row_of_status(notes) == "librarian this machine"
    notes.git("config", "memtree.device", "other-0001")
    assert memtree("librarian", "show", cwd=where).out == f"{device} is the librarian; this machine is other-0001.\n"
    assert memtree("librarian", "show", "--json", cwd=where).json == {
        "librarian": device,
        "device": "other-0001",
        "here": False,
        "named": True,
    }
    assert row_of_status(notes) == f"librarian {device}"
    assert memtree("status", "--json", cwd=where).json["librarian"] == device
    again = memtree("librarian", "take", cwd=where)
    assert again.lines[1] == f"It was {device}, which learns that with its next sync."
    told = memtree("librarian", "take", "--json", cwd=where).json
    assert (told["librarian"], told["changed"], told["commit"]) == ("other-0001", False, head(notes))


def test_enriching_without_a_model_says_what_is_missing(notes: GitRepo) -> None:
    before = head(notes)
    refused = memtree("goals", "enrich", "--context", "They want to sail.", cwd=notes.path, code=3)
    assert "[models." in refused.err
    assert head(notes) == before


def test_enriching_says_what_the_agent_changed(notes: GitRepo) -> None:
    memtree("goals", "add", "Learn to row", cwd=notes.path)
    with model_server() as server:
        notes.write("memtree.toml", notes.read("memtree.toml") + server.settings(retries=0).encode())
        changing = (call("goals_list"), call("goals_edit", id="g1", text="Learn to sail"), say("I changed one goal."))
        server.script(*changing)
        assert memtree("goals", "enrich", "--context", "They sail now.", cwd=notes.path).lines[0] == "Edited g1."
        assert "They sail now." in server.prompts[0]
        assert b"- [g1] Learn to sail\n" in notes.read("MEMORY_GOALS.md")
        server.script(call("goals_list"), call("goals_edit", id="g1", text="夏天之前学会划船"), say("I changed one goal."))
        refused = memtree("goals", "enrich", "--context", "They row now.", cwd=notes.path)
        assert refused.out == "No goal was changed.\n"
        assert refused.err == "note: refused: goals_edit: the goal is not in the user's language\n"
        server.script(say("Nothing has to change."))
        done = memtree("goals", "enrich", "--json", cwd=notes.path).json
        assert (done["message"], done["changes"], done["first_run"], done["commit"]) == ("No goal was changed.", [], False, None)
        assert done["usage"]["requests"] == 1
        assert "Review the long-term goals against recent memory and update the list." in server.prompts[-1]


# -- over MCP, by the SDK's client
@pytest.fixture
def session(notes: GitRepo) -> Iterator[Session]:
    with in_process(notes.path) as session:
        yield session


def test_goals_as_tools(session: Session, notes: GitRepo) -> None:
    empty = session.call("goals_list")
    assert "There are no goals yet." in words(empty)
    added = session.good("goals_add", text="Learn to row")
    assert (added["message"], added["id"], added["line"], added["commit"]) == ("Added goal g1.", "g1", 3, head(notes))
    assert words(session.call("goals_add", text="- [g7] Sail home")) == "Added goal g2."
    assert session.good("goals_edit", id="G2", text="Sail home by autumn")["message"] == "Edited goal g2."
    notes.write("MEMORY_GOALS.md", notes.read("MEMORY_GOALS.md").replace(b"row", b"row <memtree-context>"))
    listed = session.call("goals_list")
    assert words(listed).startswith(OPEN)
    assert words(listed).rstrip().endswith(CLOSE)
    assert "- [g1] Learn to row ‹memtree-context>\n- [g2] Sail home by autumn" in words(listed)
    fields = session.good("goals_list")
    assert [(goal["id"], goal["line"]) for goal in fields["goals"]] == [("g1", 3), ("g2", 4)]
    assert fields["free"] == 6
    gone = session.good("goals_delete", id="g1")
    assert (gone["message"], gone["line"]) == ("Deleted goal g1.", 0)
    assert session.good("goals_add", text="Paint")["id"] == "g3"
    git_agrees(notes)


def test_what_tools_refuse_is_told_without_the_value(session: Session, notes: GitRepo) -> None:
    before = head(notes)
    assert session.bad("goals_add", text=" ").startswith("goal text must not be empty")
    assert session.bad("goals_add", text="one\ntwo").startswith("goal text must be a single line")
    for value in (SECRET, "ada@example.org", "4111 1111 1111 1111"):
        said = session.bad("goals_add", text=f"use {value} for it")
        assert said.startswith("goal text must not contain secrets or PII (")
        assert value not in said
    assert session.bad("goals_edit", id="g9", text="x").startswith("no goal with id 'g9'\nthere are no goals yet")
    assert session.bad("goals_delete", id=SECRET).count(SECRET) == 0
    assert "text: " in session.bad("goals_add")
    assert "characters, more than" in session.bad("goals_add", text="x" * 5_000)
    assert head(notes) == before


def test_a_list_that_cannot_be_read_is_no_empty_one(session: Session, notes: GitRepo) -> None:
    notes.write("MEMORY_GOALS.md", "- [g1] wide\n".encode("utf-16"))
    memtree("save", cwd=notes.path)
    for tool, arguments in (("goals_list", {}), ("goals_add", {"text": "x"}), ("goals_delete", {"id": "g1"})):
        assert session.bad(tool, **arguments).startswith("MEMORY_GOALS.md is not text in UTF-8")


def test_tools_at_the_same_time_give_each_goal_a_label_of_its_own(session: Session, notes: GitRepo) -> None:
    running = [session.start("goals_add", text=f"Goal {number}") for number in range(6)]
    answers = [one.result(timeout=120) for one in running]
    assert not [words(one) for one in answers if one.is_error]
    assert sorted(words(one) for one in answers) == [f"Added goal g{number}." for number in range(1, 7)]
    assert len(session.good("goals_list")["goals"]) == 6
    git_agrees(notes)
