"""`memtree grep` and `memtree doctor --memory`, as a person and a script see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.workspace import Workspace
from support.cli import memtree, spawn
from support.gitrepo import GitRepo

NOTES = {
    "notes/a.md": "---\ndate: 2026-03-01\n---\n# A\n\nThe heron stands.\nquiet\nA Heron flies.\n",
    "notes/b.md": "---\ndate: 2026-03-02\n---\nheron b\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "w")
    repo.write("memtree.toml", 'durability = "fast"\ncapture = ["**"]\n[embedding]\nmodel = "none"\n')
    for path, text in NOTES.items():
        repo.write(path, text)
    Workspace.init(repo.path)[0].close()
    return repo


def test_lines_come_with_their_place_newest_file_first(repo: GitRepo) -> None:
    assert memtree("grep", "heron", cwd=repo.path).lines == [
        "notes/b.md:4: heron b",
        "notes/a.md:6: The heron stands.",
        "notes/a.md:8: A Heron flies.",
    ]
    assert memtree("grep", "heron", "--match-case", "--path", "a*", cwd=repo.path).lines == ["notes/a.md:6: The heron stands."]
    assert memtree("grep", "Heron", "--ignore-case", "-n", "1", cwd=repo.path).lines == [
        "notes/b.md:4: heron b",
        "1 of 3 lines in 2 files, newest files first; -n shows more.",
    ]


def test_each_line_is_shown_once_with_those_around(repo: GitRepo) -> None:
    assert memtree("grep", "heron", "-C", "1", "--until", "2026-03-01", cwd=repo.path).lines == [
        "notes/a.md-5- ",
        "notes/a.md:6: The heron stands.",
        "notes/a.md-7- quiet",
        "notes/a.md:8: A Heron flies.",
    ]
    assert "--" in memtree("grep", "heron", "-C", "1", cwd=repo.path).lines


def test_an_expression_and_a_folder_as_typed(repo: GitRepo) -> None:
    assert memtree("grep", "^a heron", "--regex", cwd=repo.path).lines == ["notes/a.md:8: A Heron flies."]
    assert memtree("grep", "heron b", "--path", ".", cwd=f"{repo.path}/notes").lines == ["notes/b.md:4: heron b"]
    assert memtree("grep", "duck", "--kind", "note", cwd=repo.path).lines == ["Nothing found in 2 files."]
    assert memtree("grep", "duck", "--path", "nowhere", cwd=repo.path).err.startswith("note: no text file")


def test_json_has_all_of_it(repo: GitRepo) -> None:
    found = memtree("grep", "heron", "--json", "-n", "2", "-C", "1", cwd=repo.path).json
    assert (found["total"], found["matched"], found["files"], found["truncated"]) == (3, 2, 2, True)
    assert found["commit"] == repo.git("rev-parse", "HEAD")
    first = found["hits"][0]
    assert (first["path"], first["line"], first["text"], first["kind"]) == ("notes/b.md", 4, "heron b", "note")
    assert first["before"] == ["---"]
    assert first["time"] is not None


def test_edits_are_saved_before(repo: GitRepo) -> None:
    repo.write("notes/c.md", "kingfisher\n")
    assert memtree("grep", "kingfisher", cwd=repo.path).lines == ["notes/c.md:1: kingfisher"]


@pytest.mark.parametrize("pattern", ["a(b", "*", "[z-a]", "(?=x)", "\\pL{100}"])
def test_a_bad_expression_is_a_users_error(repo: GitRepo, pattern: str) -> None:
    told = memtree("grep", "--regex", "--", pattern, cwd=repo.path, code=2)
    assert "the expression" in told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    "words", [("grep", ""), ("grep", "x", "-n", "0"), ("grep", "x", "-n", "1000000000"), ("grep", "x", "-C", "9"), ("grep", "x\ny")]
)
def test_what_cannot_be_used_is_refused(repo: GitRepo, words: tuple[str, ...]) -> None:
    assert memtree(*words, cwd=repo.path, code=2).err


def test_it_needs_no_git_program(repo: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    found = spawn("grep", "heron", "--json", cwd=repo.path, env={"PATH": str(tmp_path / "bin")}).json
    assert found["total"] == 3


def test_who_types_another_tools_name_is_told(repo: GitRepo) -> None:
    assert "memtree grep" in memtree("rg", "heron", cwd=repo.path, code=2).err


def test_doctor_tells_how_memory_stands(repo: GitRepo) -> None:
    memtree("save", cwd=repo.path)
    found = memtree("doctor", "--memory", cwd=repo.path)
    assert found.lines[0].startswith("storage")
    assert found.lines[-1] == "Memory is whole."
    told = memtree("doctor", "--memory", "--json", cwd=repo.path).json
    assert told["healthy"] is True
    assert told["counters"]["files"] == 2
    assert told["counters"]["vectors"] is None
    assert {one["stage"] for one in told["stages"]} >= {"storage", "capture", "text_index", "embeddings", "queue", "sync"}


def test_doctor_says_until_when_answers_may_lack_something(repo: GitRepo) -> None:
    repo.git("switch", "-q", "-c", "try")
    found = memtree("doctor", "--memory", cwd=repo.path, code=4)
    assert "BAD" in found.out
    assert found.lines[-1].startswith("Memory is degraded: the work tree is not on main")
    assert memtree("doctor", "--memory", "--json", cwd=repo.path, code=4).json["first_blocking_cause"] == "off_branch"
    assert "only looks" in memtree("doctor", "--memory", "--repair", cwd=repo.path, code=2).err
