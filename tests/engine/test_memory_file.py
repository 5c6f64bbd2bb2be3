"""Remembering in MEMORY.md, whatever the file is like: one entry more, and every other byte stays; or a clear refusal."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memtree.engine.files import Durability
from memtree.engine.workspace import Options, Workspace
from memtree.engine.writers.memory_file import MEMORY, EntryReport, MemoryFull, MemoryIsNoFile, remember
from memtree.tree.errors import Error
from memtree.tree.memory_entry import MemoryFileOpen
from memtree.tree.paths import InvalidPath
from support.gitrepo import GitRepo

SECRET = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"
FOX = "The fox is red."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.init(str(tmp_path / "w"), options=Options(durability=Durability.FAST, lock_timeout=1.0))[0]


def on_disk(workspace: Workspace) -> bytes:
    return Path(workspace.root, MEMORY).read_bytes()


def line_of(report: EntryReport, data: bytes) -> bytes:
    return data.split(b"\n")[report.place.first - 1].strip(b"\r")


@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"- one",
        b"# M\r\n\r\n- one\r\n- two",
        b"## Notes\n\n- one\n\n## Other\n\ntext\n",
        b"> [!conflict] a\n> x\n",
        b"<<<<<<< a\n- one\n=======\n- two\n>>>>>>> b\n",
        b"- caf\xe9\n\x00\n",
        b"".join(b"- entry %d\n" % number for number in range(500)),
    ],
)
@pytest.mark.parametrize("saved", [True, False])
def test_every_other_byte_stays(workspace: Workspace, before: bytes, saved: bool) -> None:
    Path(workspace.root, MEMORY).write_bytes(before)
    if saved:
        workspace.save()
    report = remember(workspace, FOX)
    after = on_disk(workspace)
    assert (report.stored, report.on_disk) == (True, True)
    assert line_of(report, after) == f"- {FOX} ^{report.place.id}".encode()
    rest = iter(after)
    assert all(byte in rest for byte in before)  # in their order
    assert GitRepo(Path(workspace.root)).git("status", "--porcelain") == ""
    again = remember(workspace, "the fox is RED")
    assert (again.stored, again.place) == (False, report.place)
    assert on_disk(workspace) == after


def link(root: str) -> None:
    Path(root, "real.md").write_text("inside\n")
    os.symlink("real.md", os.path.join(root, MEMORY))


def folder(root: str) -> None:
    os.mkdir(os.path.join(root, MEMORY))
    Path(root, MEMORY, "x.md").write_text("x\n")


def other_case(root: str) -> None:
    Path(root, "memory.md").write_text("- one\n")


def unclosed(root: str) -> None:
    Path(root, MEMORY).write_text("```\nopen\n")


def full(root: str) -> None:
    Path(root, MEMORY).write_bytes((b"- " + b"one entry of many words " * 5_000 + b"\n") * 9)


@pytest.mark.parametrize(
    ("make", "refusal"),
    [(link, MemoryIsNoFile), (folder, MemoryIsNoFile), (other_case, InvalidPath), (unclosed, MemoryFileOpen), (full, MemoryFull)],
)
def test_what_takes_no_entry_is_told_and_left(workspace: Workspace, make: object, refusal: type[Error]) -> None:
    assert callable(make)
    make(workspace.root)
    workspace.save()
    before = workspace.repo.tip()
    with pytest.raises(refusal):
        remember(workspace, FOX)
    assert workspace.repo.tip() == before
    assert subprocess.run(("git", "-C", workspace.root, "status", "--porcelain"), capture_output=True, check=True).stdout == b""


def test_a_link_that_leads_out_is_not_written_through(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("outside\n")
    os.symlink(tmp_path / "outside.md", os.path.join(workspace.root, MEMORY))
    with pytest.raises(Error):
        remember(workspace, FOX)
    assert (tmp_path / "outside.md").read_text() == "outside\n"


def test_an_entry_of_a_file_that_is_held_back_comes_to_it_later(workspace: Workspace) -> None:
    path = Path(workspace.root, MEMORY)
    path.write_text("- one\n")
    workspace.save()
    path.write_text(f"- one\n- token: {SECRET}\n")
    report = remember(workspace, FOX)
    assert (report.stored, report.on_disk) == (True, False)
    committed = workspace.repo.blob(dict(workspace.repo.files(workspace.repo.tip()))[MEMORY].id)
    assert line_of(report, committed) == f"- {FOX} ^{report.place.id}".encode()
    assert SECRET in path.read_text()
    path.write_text("- one\n- two\n")
    workspace.save()
    assert FOX in path.read_text()
    assert "- two" in path.read_text()
