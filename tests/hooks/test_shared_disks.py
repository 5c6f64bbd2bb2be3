"""On a disk that others write to, no word of the system means nothing: everything is looked at for each search."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memtree.engine.asked import Asked
from memtree.hooks.daemon.searching import ask_daemon
from memtree.hooks.watching import watcher
from memtree.hooks.watching.shared_disks import kind_at, shared_disk
from support.served import SETTINGS, Served

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /mnt/c rw - 9p C:\\134 rw,aname=drvfs
31 22 0:31 / /mnt/c/linux rw master:2 - ext4 /dev/sdb rw
32 22 0:32 / /home/ada/my\\040notes rw - nfs4 host:/notes rw
33 22 0:33 / /over rw - ext4 /dev/sdc rw
34 33 0:34 / /over rw - fuse.sshfs host: rw
a line of something else
""".splitlines()


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/ada", "ext4"),
        ("/mnt/c/notes", "9p"),
        ("/mnt/c", "9p"),
        ("/mnt/cc", "ext4"),
        ("/mnt/c/linux/notes", "ext4"),
        ("/home/ada/my notes/a", "nfs4"),
        ("/over/notes", "fuse.sshfs"),
        ("/", "ext4"),
    ],
)
def test_the_innermost_and_latest_mount_counts(folder: str, kind: str) -> None:
    assert kind_at(folder, MOUNTS) == kind


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of its mounts there")
def test_the_present_system_says_of_its_own_what_lies_where() -> None:
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
        assert kind_at("/proc", mounts) == "proc"
    assert shared_disk("/proc") == ""


def test_what_others_wrote_is_found_though_the_system_did_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a second name outside, a file is written to as another machine would: no watch of its folder hears of that."""
    monkeypatch.setattr(watcher, "shared_disk", lambda _root: "9p")
    late = SETTINGS.replace("0.05", "60").replace("0.5", "600")
    with Served(tmp_path / "w", {"note.md": "a note\n"}, late) as served:
        os.link(os.path.join(served.root, "note.md"), tmp_path / "elsewhere")
        served.until_quiet()
        (tmp_path / "elsewhere").write_text("a zebra\n")
        found = ask_daemon(served.place, Asked(("zebra",)))
        assert found is not None
        assert [hit.path for hit in found.hits] == ["note.md"]
        assert "(9p)" in served.state().unwatched
