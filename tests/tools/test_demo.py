"""The demo plays through the real command and holds its claims to what happened."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest

from memtree.tools.demo import Demo, DemoFailed, _lay_out_notes
from memtree.tools.demo_notes import NOTES
from memtree.tools.render import Screen
from support.cli import memtree, spawn

CLAIMS = {
    "adopting changed no file",
    "an edit is found by the next search, without a daemon",
    "B finds A's edit",
    "A finds B's edit, in Chinese",
    "both edits survive on both machines",
    "no conflict marker is anywhere",
    "both machines hold the same commit",
    "undo takes an edit back by a new commit",
    "B knows what its user said on A",
    "agents on B are told what was decided on A",
    "what was said on B takes the place of what A knew",
    "what was so before is kept",
    "git status and git fsck are clean on both",
}


SUMMARY = r"Proved in [\d.]+ s on {} notes: 13 claims hold, .*git agrees\."


# The same play as on one's own notes, below; twenty processes of its own.
@pytest.mark.deep
def test_the_demo_on_its_own_notes(tmp_path: Path) -> None:
    done = spawn("demo", env={"TMPDIR": str(tmp_path)})
    assert re.fullmatch(SUMMARY.format(7), done.lines[-1])
    assert done.out.count("    proved: ") == len(CLAIMS)
    assert os.listdir(tmp_path) == []


def test_the_demo_has_notes_of_its_own(tmp_path: Path) -> None:
    demo = Demo(str(tmp_path), Screen(io.StringIO(), {}))
    assert _lay_out_notes(demo, None) == len(NOTES) == 7
    assert {path: (tmp_path / "A" / path).read_text(encoding="utf-8") for path in NOTES} == NOTES


def test_the_demo_on_copies_of_one_s_own_notes_ends_with_its_summary_and_leaves_nothing(tmp_path: Path) -> None:
    notes = tmp_path / "my notes"
    (notes / "日记").mkdir(parents=True)
    (notes / ".obsidian").mkdir()
    (notes / "日记" / "一.md").write_text("今天\n")
    (notes / "b.txt").write_text("b\n")
    (notes / ".obsidian" / "skipped.md").write_text("hidden\n")
    (notes / "broken.md").symlink_to("nowhere.md")
    before = sorted((path, path.lstat().st_mtime_ns) for path in notes.rglob("*"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = spawn("demo", "--notes", "my notes", "--json", cwd=tmp_path, env={"TMPDIR": str(temporary)})
    assert done.json["notes"] == 2
    assert set(done.json["proved"]) == CLAIMS
    assert {"notes", "proved", "seconds", "total"} == set(done.json)
    assert re.fullmatch(SUMMARY.format(2), done.err.splitlines()[-1])
    assert done.err.count("    proved: ") == len(CLAIMS)
    assert os.listdir(temporary) == []
    assert sorted((path, path.lstat().st_mtime_ns) for path in notes.rglob("*")) == before


@pytest.mark.parametrize(("folder", "says"), [("nowhere", "is not a folder"), (".", "holds no markdown")])
def test_notes_that_cannot_be_used_are_told(tmp_path: Path, folder: str, says: str) -> None:
    assert says in memtree("demo", "--notes", folder, cwd=tmp_path, code=2).err


def test_a_claim_that_does_not_hold_fails_the_demo(tmp_path: Path) -> None:
    demo = Demo(str(tmp_path), Screen(io.StringIO(), {}))
    with pytest.raises(DemoFailed, match="could not show that water is dry"):
        demo.check("water is dry", holds=False)
    with pytest.raises(DemoFailed, match="ended with exit code 2"):
        demo.run(".", "status")
