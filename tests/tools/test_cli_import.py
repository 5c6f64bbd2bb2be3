"""`memtree import` as people and programs see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.agent_transcripts import ClaudeTranscript
from support.cli import ELSEWHERE, memtree
from support.gitrepo import GitRepo

MAIL = (
    b"From: Ada <ada@example.com>\nSubject: Certificates\nMessage-ID: <1@x>\nDate: Mon, 9 Mar 2026 10:00:00 +0800\n\nThey expire.\n"
)


def test_an_import_tells_what_it_took_and_what_it_did_not(notes: GitRepo, tmp_path: Path) -> None:
    source = tmp_path / "Old Notes"
    source.mkdir()
    (source / "pelican.md").write_text("# Pelican\n\nA large bird with a pouch.\n")
    (source / "mail.eml").write_bytes(MAIL)
    for number in range(7):
        (source / f"{number}.png").write_bytes(b"\x89PNG")
    done = memtree("import", str(source), cwd=notes.path)
    assert done.lines[0] == "old-notes: 2 imported, 0 updated, 0 unchanged, 7 skipped"
    assert done.lines[1].startswith("Imported as ")
    assert done.lines[1].endswith(", into memory_tree/content: raw/old-notes.")
    assert done.err.splitlines() == ["note: skipped: 0.png and 6 more (of a kind that is not read (.png))"]
    assert memtree("search", "pouch", "--json", cwd=notes.path).json["hits"][0]["title"] == "Pelican"
    assert memtree("search", "expire", cwd=notes.path).out.count("Certificates") == 1
    assert notes.git("log", "-1", "--format=%(trailers:key=Memtree-Writer,valueonly)").strip() == "import"
    assert memtree("log", "--writer", "import", cwd=notes.path).out.count("import 2 documents from old-notes") == 1
    assert notes.git("status", "--porcelain") == ""
    head = notes.git("rev-parse", "HEAD")
    assert memtree("import", str(source), cwd=notes.path).lines == [
        "old-notes: 0 imported, 0 updated, 2 unchanged, 7 skipped",
        "Nothing new.",
    ]
    assert notes.git("rev-parse", "HEAD") == head


def test_json_lists_everything(notes: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_bytes("Müller".encode("latin-1"))
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    shown = memtree("import", str(tmp_path / "note.txt"), str(tmp_path / "photo.jpg"), "--json", cwd=notes.path).json
    assert shown["commit"] == notes.git("rev-parse", "HEAD")
    assert [(one["name"], one["imported"]) for one in shown["sources"]] == [("note", 1), ("photo", 0)]
    assert shown["sources"][0]["remarks"] == [{"place": "note.txt", "reason": "not UTF-8; read as latin-1"}]
    assert shown["sources"][1]["skipped"] == [{"place": "photo.jpg", "reason": "of a kind that is not read (.jpg)"}]


def test_a_dry_run_writes_nothing(notes: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    head, objects = notes.git("rev-parse", "HEAD"), notes.git("count-objects", "-v")
    done = memtree("import", str(tmp_path / "a.txt"), "--dry-run", cwd=notes.path)
    assert done.lines == ["a: 1 imported, 0 updated, 0 unchanged, 0 skipped", "Nothing was written: this was a dry run."]
    assert (notes.git("rev-parse", "HEAD"), notes.git("count-objects", "-v")) == (head, objects)
    assert notes.git("status", "--porcelain") == ""


def test_nothing_to_import_says_which_kinds_are_read(notes: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(b"\x89PNG")
    done = memtree("import", str(tmp_path / "pictures"), cwd=notes.path, code=2)
    assert "a.png" in done.err
    assert ".mbox" in done.err
    assert memtree("import", "missing", cwd=notes.path, code=2).err.startswith("memtree: there is no missing")
    failed = memtree("import", str(tmp_path / "pictures"), "--json", cwd=notes.path, code=2).json["error"]
    assert (failed["kind"], failed["family"]) == ("NothingToImport", "user")


def test_what_is_in_the_workspace_already_is_not_imported_again(notes: GitRepo) -> None:
    for place in (".", "memory_tree", "memory_tree/content/raw"):
        (Path(notes.path) / "memory_tree/content/raw").mkdir(parents=True, exist_ok=True)
        assert "belongs to this workspace" in memtree("import", place, cwd=notes.path, code=2).err
    assert memtree("import", "projects", cwd=notes.path).code == 0  # a folder beside it may be


def test_where_both_changed_says_how_to_settle_it(notes: GitRepo, tmp_path: Path) -> None:
    source = tmp_path / "bees.txt"
    source.write_text("bees\n")
    memtree("import", str(source), cwd=notes.path)
    (copy,) = Path(notes.path, "memory_tree/content/raw/bees").rglob("*.md")
    copy.write_text(copy.read_text() + "mine\n")
    source.write_text("more bees\n")
    done = memtree("import", str(source), cwd=notes.path)
    assert "both sides changed it; both versions are kept: see " in done.lines[2]
    assert done.lines[3] == "To settle it: memtree conflicts shows the versions, memtree resolve keeps one; or edit, and save."


def test_what_an_agent_kept_is_imported_by_its_name(notes: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    ClaudeTranscript().prompt("Which port?").assistant("8443.").write_below(home / ".claude")
    monkeypatch.setenv("HOME", str(home))
    for name in ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    tried = memtree("import", "claude-code", "--dry-run", cwd=notes.path)
    assert tried.lines[0].startswith("claude-code: 1 turn recorded, 0 grown, 0 known, of 1 session in 1 transcript")
    assert tried.lines[-1] == "Nothing was written: this was a dry run."
    done = memtree("import", "claude-code", "--json", cwd=notes.path).json
    assert (done["agent"], done["turns"]["stored"], done["transcripts"]) == ("claude-code", 1, 1)
    assert done["commit"] == notes.git("rev-parse", "HEAD^")
    assert [(one["first"], one["last"], one["status"]) for one in done["closed"]] == [(1, 2, "closed")]
    again = memtree("import", "claude-code", str(home / ".claude"), cwd=notes.path)
    assert "1 known" in again.lines[0]
    assert again.lines[-1] == "Nothing new."


def test_an_agent_that_is_none_or_keeps_nothing_is_told(notes: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "codex" in memtree("import", "codex", str(tmp_path / "empty"), cwd=notes.path, code=2).err
    assert "memtree import claude-code" in memtree("import", "claude", cwd=notes.path, code=2).err
    assert "--source" in memtree("import", "codex", str(tmp_path), "--source", "x", cwd=notes.path, code=2).err
    # A folder of an agent's name is a folder like any other when it is there.
    (tmp_path / "codex").mkdir()
    (tmp_path / "codex" / "a.md").write_text("apple\n")
    assert memtree("import", str(tmp_path / "codex"), cwd=notes.path).lines[0].startswith("codex: 1 imported")
