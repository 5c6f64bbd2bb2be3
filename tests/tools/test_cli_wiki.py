"""`memtree wiki` as a person and as a program see it."""

from __future__ import annotations

from pathlib import Path

from memtree.tree.paths import RepoPath
from memtree.tree.summary import read_summary
from support.cli import git_agrees, memtree
from support.gitrepo import GitRepo
from support.wikis import note

SUMMARIES = "memory_tree/content/wiki/summaries"


def test_summaries_are_built_shown_and_left_alone_when_nothing_is_due(notes: GitRepo) -> None:
    where = notes.path
    for number in range(3):
        notes.write(f"walks/{number}.md", note(number))
    built = memtree("wiki", "build", "--flush", cwd=where)
    assert built.lines[0].startswith("Made ")
    assert built.lines[0].endswith(f"in {SUMMARIES}.")
    assert memtree("wiki", "build", cwd=where).out == "Nothing is due.\n"
    shown = memtree("wiki", "status", cwd=where)
    assert shown.lines[0].split() == ["TREE", "SUMMARIES", "LEAVES", "COVERED", "LEAVES", "WAITING"]
    assert "source-notes  L1: 1" in shown.out
    assert "Nothing is due." in shown.out
    assert "could be told better by a model (no model is configured)" in shown.out
    found = memtree("search", "heron", "--kind", "wiki", "--json", cwd=where).json
    assert found["hits"][0]["path"].startswith(SUMMARIES)
    git_agrees(notes)


def test_programs_are_told_the_same(notes: GitRepo) -> None:
    where = notes.path
    notes.write("walks/1.md", note(1))
    notes.write("walks/broken.md", b"Some words that are not UTF-8, as \xff shows.")
    first = memtree("wiki", "status", "--json", cwd=where).json
    assert (first["nodes"], first["here"], first["enabled"], first["edited"]) == (0, True, True, [])
    built = memtree("wiki", "build", "--flush", "--json", cwd=where).json
    assert built["made"] == 2  # of the source, and of the day
    assert built["commit"] == notes.git("rev-parse", "HEAD")
    assert built["left_out"] == [{"path": "walks/broken.md", "reason": "it is not UTF-8"}]
    then = memtree("wiki", "status", "--json", cwd=where).json
    tree = next(one for one in then["trees"] if one["namespace"] == "source-notes")
    assert tree["levels"] == {"1": 1}
    assert tree["sealed_leaves"] >= 1
    assert (tree["unsealed_leaves"], tree["unsealed_tokens"]) == (0, 0)
    assert (then["nodes"], then["due"], then["stale"], then["for_a_model"], then["model"]) == (2, 0, 0, 2, False)


def test_a_limit(notes: GitRepo) -> None:
    for number in range(3):
        notes.write(f"walks/{number}.md", note(number))
    built = memtree("wiki", "build", "--flush", "--limit", "1", cwd=notes.path)
    assert built.out.startswith("Made 1 summary, as ")
    assert "More are due: the same command goes on." in built.out
    memtree("wiki", "build", "--limit", "0", cwd=notes.path, code=2)


def test_a_summary_of_a_person_is_named(notes: GitRepo) -> None:
    notes.write("walks/1.md", note(1))
    memtree("wiki", "build", "--flush", cwd=notes.path)
    paths = [path for path in notes.git("ls-files", SUMMARIES).splitlines() if "/day/" in path]
    data = notes.git("show", f"HEAD:{paths[0]}").encode()
    notes.write(paths[0], data + b"\nMy words.\n")
    memtree("save", cwd=notes.path)
    notes.write("walks/1.md", note(1, "It was seen again, and the children were glad of it for days."))
    shown = memtree("wiki", "build", cwd=notes.path)
    assert f"Yours, and no longer what lies below: {paths[0]}" in shown.out
    assert f"Yours, and no longer what lies below: {paths[0]}" in memtree("wiki", "status", cwd=notes.path).out
    read = read_summary(RepoPath(paths[0]), notes.git("show", f"HEAD:{paths[0]}").encode())
    assert read is not None
    assert "My words." in read.body


def test_another_machine_is_told_who_builds(notes: GitRepo) -> None:
    settings = Path(notes.path, "memtree.toml").read_text(encoding="utf-8")
    notes.write("memtree.toml", f'librarian = "desktop"\n{settings}'.encode())
    refused = memtree("wiki", "build", cwd=notes.path, code=3)
    assert "desktop is the librarian" in refused.err
    assert "memtree librarian take" in refused.err
    assert "Summaries are made on desktop." in memtree("wiki", "status", cwd=notes.path).out


def test_switched_off(notes: GitRepo) -> None:
    settings = Path(notes.path, "memtree.toml").read_text(encoding="utf-8")
    notes.write("memtree.toml", f"{settings}\n[wiki]\nenabled = false\n".encode())
    refused = memtree("wiki", "build", cwd=notes.path, code=3)
    assert "enabled = true" in refused.err
    assert "switched off" in memtree("wiki", "status", cwd=notes.path).out
