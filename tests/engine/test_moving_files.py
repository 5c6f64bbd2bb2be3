"""Files that another program cuts short, replaces and takes away just while they are looked at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memtree.engine import moving_files
from memtree.engine.moving_files import FilesKeepChanging, at_second_sight, steadily, while_git_packs
from memtree.engine.repo import Repo
from support.gitrepo import GitRepo

# As long as what is committed, so that it is read; then shorter, so that the read fails; now and then nothing at all.
_MOVER = """
import itertools, os
print("moving", flush=True)
for round in itertools.count():
    for number in range(20):
        with open("notes/.new", "w") as file:
            file.write(chr(97 + round % 20) * (2 - round % 2))
        os.rename("notes/.new", f"notes/{number}.md")
        if round % 11 == 0:
            os.unlink(f"notes/{number}.md")
"""


def test_files_that_move_while_they_are_looked_at_fail_no_look(tmp_path: Path) -> None:
    git = GitRepo(tmp_path / "work")
    paths = [f"notes/{number}.md" for number in range(20)]
    for path in paths:
        git.write(path, "x\n")
    git.commit()
    repo = Repo.open(git.path)
    mover = subprocess.Popen([sys.executable, "-c", _MOVER], cwd=git.path, stdout=subprocess.PIPE)
    try:
        assert mover.stdout is not None
        mover.stdout.readline()
        for _ in range(100):
            found = [*repo.touched(), *repo.touched(paths)]
            assert {path for path in found if not path.startswith("notes/.")} <= set(paths)
    finally:
        mover.kill()
        mover.communicate()


def test_a_look_is_made_again_while_only_a_moving_file_fails_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving_files, "_PAUSE", 0.0)
    failures: list[Exception] = [OSError("a.md: error reading file for hashing: "), LookupError("could not find 'a.md' to stat")]

    def look() -> str:
        if failures:
            raise failures.pop()
        return "found"

    assert steadily(look) == "found"

    def never() -> str:
        raise OSError("error reading file for hashing: ")

    with pytest.raises(FilesKeepChanging):
        steadily(never)


def test_any_other_failure_is_told_at_once() -> None:
    looks: list[int] = []

    def look() -> str:
        looks.append(1)
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        steadily(look)
    assert len(looks) == 1


def test_an_index_that_cannot_be_read_is_read_again_and_damage_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving_files, "_PAUSE", 0.0)
    looks: list[str] = []

    def look(fails: int, said: str = "invalid data in index - extension is truncated") -> str:
        looks.append(said)
        if len(looks) <= fails:
            raise ValueError(said)
        return "found"

    assert at_second_sight(lambda: look(2)) == "found"
    looks.clear()
    assert at_second_sight(lambda: look(2, "could not read (expected 40623 bytes, read 40548)")) == "found", "cut by a shorter one"
    looks.clear()
    with pytest.raises(ValueError, match="truncated"):
        at_second_sight(lambda: look(9))
    assert len(looks) == 3
    looks.clear()
    with pytest.raises(ValueError, match="object not found"):
        at_second_sight(lambda: look(9, "object not found"))
    assert len(looks) == 1


def test_an_object_is_written_again_where_git_took_its_folder_away() -> None:
    failures: list[Exception] = [OSError("failed to rename lockfile to 'objects/7f/8f01': No such file or directory")] * 2

    def write() -> str:
        if failures:
            raise failures.pop()
        return "written"

    assert while_git_packs(write) == "written"
    failures.append(OSError("no space left on device"))
    with pytest.raises(OSError, match="no space"):
        while_git_packs(write)
