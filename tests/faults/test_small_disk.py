"""A file system that is really full, where one can be mounted: an error, nothing lost, and work goes on when there is room."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.workspace import Options, Workspace
from memtree.tree.errors import Error
from support.faultcheck import disk_of, git, leftovers, tree_of
from support.faultscenarios import start, write


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root on Linux")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "memtree-small", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_an_error_and_work_goes_on_when_there_is_room(small: Path) -> None:
    repo = start(str(small))
    acknowledged: dict[str, str] = {}
    refusals: list[str] = []
    ballast = small / "ballast"
    ballast.write_bytes(b"x" * (1 << 20))
    for number in range(60):
        path, text = f"notes/big{number}.md", f"{number}: " + os.urandom(24_000).hex()
        try:
            with Workspace.open(repo.path, Options()) as workspace:
                write({path: text})(workspace)
            acknowledged[path] = text
        except (Error, OSError) as error:
            refusals.append(str(error))
            if len(refusals) == 3:
                break
    assert ["No space left on device" in said for said in refusals] == [True] * 3, refusals
    assert acknowledged
    ballast.unlink()
    with Workspace.open(repo.path, Options()) as workspace:
        workspace.store.recover()
        write({"notes/after.md": "there is room again\n"})(workspace)
        workspace.capture.take()
    for path, text in acknowledged.items():
        assert git(repo.path, "show", f"HEAD:{path}") == text
    assert tree_of(repo.path) == disk_of(repo.path)
    assert git(repo.path, "status", "--porcelain") == ""
    assert [line for line in git(repo.path, "fsck", "--strict").splitlines() if not line.startswith("dangling")] == []
    assert leftovers(repo.path) == []
