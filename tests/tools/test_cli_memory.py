"""`memtree memory` as a person and as a program sees it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from support.cli import Outcome, git_agrees, memtree
from support.gitrepo import GitRepo

SECRET = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"


def run(repo: GitRepo, *words: str, code: int = 0) -> Outcome:
    return memtree("memory", *words, cwd=repo.path, code=code)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What stands on standard input."""
    given = io.StringIO()
    monkeypatch.setattr(sys, "stdin", given)
    return given


def test_nothing_is_noted_at_first(notes: GitRepo) -> None:
    assert run(notes, "list").out == "There is no entry yet.\n"
    assert run(notes, "list", "--file", "SKILL.md").out == "There is no entry in SKILL.md yet.\n"
    assert run(notes, "list", "--json").json == []


def test_a_lesson_is_added_once_listed_and_said_exactly(notes: GitRepo) -> None:
    told = run(notes, "append", "Prefers", "tabs", "to", "spaces.", "--category", "preference", "--json").json
    entry = told["entries"][0]
    assert notes.read("MEMORY.md").decode() == f"## Preferences\n\n- Prefers tabs to spaces. ^{entry['id']}\n"
    assert told["bytes"] == len(notes.read("MEMORY.md"))
    assert (told["stored"], told["made"], told["section"], told["lines"], told["on_disk"]) == (
        True,
        "entries",
        "Preferences",
        3,
        True,
    )
    assert told["commit"] == notes.git("rev-parse", "HEAD")
    assert "Memtree-Writer: cli" in notes.git("log", "-1", "--format=%B")
    again = run(notes, "append", "The user prefers tabs over spaces")
    assert again.out.startswith(f"MEMORY.md:3 (^{entry['id']}) says the same already: Prefers tabs to spaces. Nothing was stored.")
    run(notes, "append", "Run make", "--file", "SKILL.md", "--section", "## Build")
    listed = run(notes, "list").lines
    assert [line.split() for line in listed[1:]] == [
        ["MEMORY.md:3", "Preferences", "Prefers", "tabs", "to", "spaces."],
        ["SKILL.md:3", "Build", "Run", "make"],
    ]
    only = run(notes, "list", "--section", "build", "--json").json
    assert [(one["file"], one["text"], one["first_line"]) for one in only] == [("SKILL.md", "Run make", 3)]
    assert run(notes, "list", "--file", "SKILL.md", "--section", "x").out == "There is no such entry.\n"
    git_agrees(notes)


def test_a_section_is_replaced_from_standard_input_and_cleared(notes: GitRepo, typed: io.StringIO) -> None:
    notes.write("MEMORY.md", "# Memory\n\n## Facts\n\n- one ^m-1\n- two\n\n## Other\n\nwords  \n")
    typed.write("## Facts\n\n- One!\n- three\n")
    typed.seek(0)
    told = run(notes, "replace-section", "facts", "-", "--json").json
    ids = [one["id"] for one in told["entries"]]
    assert ids[0] == "m-1"
    expected = f"# Memory\n\n## Facts\n\n- One! ^m-1\n- three ^{ids[1]}\n\n## Other\n\nwords  \n"
    assert notes.read("MEMORY.md").decode() == expected
    assert (told["first_line"], told["last_line"]) == (3, 6)
    said = run(notes, "replace-section", "Facts", "--clear").out
    assert said.startswith("Section 'Facts' is empty now, MEMORY.md:3 in commit ")
    assert notes.read("MEMORY.md").decode() == "# Memory\n\n## Facts\n\n## Other\n\nwords  \n"
    git_agrees(notes)


def test_what_cannot_be_done_is_said_and_nothing_changes(notes: GitRepo, typed: io.StringIO) -> None:
    before = notes.git("rev-parse", "HEAD")
    assert "pattern, mistake, preference, fact" in run(notes, "append", "x", "--category", "joke", code=2).err
    assert "'MEMORY.md', 'SKILL.md'" in run(notes, "append", "x", "--file", "README.md", code=2).err
    assert "either a text or --clear" in run(notes, "replace-section", "A", code=2).err
    assert "either a text or --clear" in run(notes, "replace-section", "A", "x", "--clear", code=2).err
    assert "the text is empty" in run(notes, "replace-section", "A", "-", code=2).err
    assert "nothing to remember" in run(notes, "append", "-", code=2).err
    assert "no section is named" in run(notes, "replace-section", "##", "x", code=2).err
    assert "never closes" in run(notes, "append", "```\nopen", code=2).err
    assert notes.git("rev-parse", "HEAD") == before


def test_odd_files_are_told(notes: GitRepo) -> None:
    notes.write("MEMORY.md", "## A\n\nx\n\n## A\n\ny\n")
    assert "on lines 1, 5" in run(notes, "replace-section", "A", "z", code=2).err
    Path(notes.path, "real.md").write_text("x\n")
    Path(notes.path, "SKILL.md").symlink_to("real.md")
    assert "symbolic link" in run(notes, "append", "x", "--file", "SKILL.md", code=2).err
    assert "symbolic link" in run(notes, "list", code=2).err
    Path(notes.path, "SKILL.md").unlink()
    notes.write("MEMORY.md", f"- token: {SECRET}\n- by hand\n")
    listed = run(notes, "list")
    assert SECRET not in listed.out
    assert "by hand" in listed.out
    told = run(notes, "append", "Likes tea.")
    assert "not in the file on the disk yet" in told.out
    assert "held back" in told.err
