"""What keeps a workspace from being written to: no turn and no closing is lost, and all is done once it has passed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.closer import everything
from memtree.engine.closing.ending import close_or_wait
from memtree.engine.closing.later import Later
from memtree.engine.closing.queue import Queue
from memtree.engine.doctor import examine
from memtree.engine.workspace import Workspace
from memtree.tree.errors import Error
from support.agent_transcripts import ClaudeTranscript
from support.hooked import Hooked

Way = Callable[[Path, str], None]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root on Linux")
    mount = ("mount", "-t", "tmpfs", "-o", "size=12m", "memtree-small", str(folder))
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def git(root: str, *words: str) -> None:
    subprocess.run(("git", "-C", root, *words), check=True, capture_output=True)


def full(small: Path, _: str) -> None:
    with contextlib.suppress(OSError), open(small / "ballast", "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def room(small: Path, _: str) -> None:
    (small / "ballast").unlink()


def remount(how: str) -> Way:
    return lambda small, _: subprocess.run(["mount", "-o", f"remount,{how}", str(small)], check=True) and None


def switch(name: str) -> Way:
    return lambda _, root: git(root, "switch", "-q", *(("-c", name) if name == "elsewhere" else (name,)))


def merging(_: Path, root: str) -> None:
    head = subprocess.run(("git", "-C", root, "rev-parse", "HEAD"), check=True, capture_output=True, text=True).stdout
    Path(root, ".git", "MERGE_HEAD").write_text(head)


def merged(_: Path, root: str) -> None:
    Path(root, ".git", "MERGE_HEAD").unlink()


@pytest.mark.parametrize("recorded", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("comes", "passes"),
    [
        (full, room),
        (remount("ro"), remount("rw")),
        (switch("elsewhere"), switch("main")),
        (merging, merged),
    ],
    ids=["full", "read-only", "branch", "merge"],
)
def test_it_passes_and_everything_is_told(small: Path, comes: Way, passes: Way, recorded: bool) -> None:
    """It comes before the turns are recorded, or when they are and the session is to be closed."""
    hooked = Hooked(small / "w")
    talk = ClaudeTranscript("s-1")
    for number in range(3):
        talk.prompt(f"We decided to number the drafts of chapter {number} by hand.").assistant(f"Chapter {number} is numbered.")
    path = talk.write_below(Path(hooked.environment["HOME"]))
    hooked.tell("claude-code", talk.hook("Stop", path, stop_hook_active=False))
    if recorded:
        assert hooked.work().turns == 3
    hooked.tell("claude-code", talk.hook("SessionEnd", path, reason="exit"))
    comes(small, hooked.root)
    with contextlib.suppress(Error, OSError):
        hooked.work()
    with contextlib.suppress(Error, OSError), Workspace.open(hooked.root) as workspace:
        close_or_wait(workspace, ["s-1"], whole=everything)
        Later(workspace).run()
        if comes is not full:
            assert any(finding.check in ("outbox", "conversations") for finding in examine(workspace))
    assert hooked.outbox.names() or Queue(hooked.place.state).steps()
    passes(small, hooked.root)
    with contextlib.suppress(Error):
        hooked.work()
    with Workspace.open(hooked.root) as workspace:
        Later(workspace).again()
    hooked.work()
    assert hooked.outbox.names() == []
    assert [role for role, _ in hooked.turns()] == ["user", "assistant"] * 3
    with Workspace.open(hooked.root) as workspace:
        files = [path for path, _ in workspace.repo.files(workspace.repo.tip("HEAD"), "memory_tree/content/recap")]
        assert files == ["memory_tree/content/recap/s-1/000001-000006.md"]
        assert Queue(workspace.places.folder).steps() == []
        assert not [finding for finding in examine(workspace) if finding.check == "conversations"]
    git(hooked.root, "fsck", "--full", "--strict")
