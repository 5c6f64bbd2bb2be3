"""A daemon whose disk is full, read only, away or emptied, and whose clock jumps: it says so, keeps calm, and goes on by itself."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtree.engine.workspace import Workspace
from support.daemons import Served, Zygote, options, served, until
from support.faultlab import quick_folder

_CALM = 8  # turns that a daemon may take while nothing happens and something is wrong


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    folder = quick_folder()
    with Zygote(folder) as zygote:
        yield zygote
    shutil.rmtree(folder)


@pytest.fixture
def folder(zygote: Zygote) -> Path:
    return Path(tempfile.mkdtemp(dir=zygote.folder))


@contextmanager
def stopped(one: Served) -> Iterator[None]:
    """The daemon's process stands still, so that what happens meanwhile happens at once for it."""
    assert one.pid is not None
    os.kill(one.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(one.pid, signal.SIGCONT)


def calm(turns: Path) -> None:
    """Nothing happens for a while, and the daemon does little meanwhile."""
    before = turns.stat().st_size
    time.sleep(1.5)
    assert turns.stat().st_size - before <= _CALM


def finish(one: Served) -> None:
    one.mended()
    one.flushed()
    one.assert_sound()


def test_a_full_disk_is_told_and_what_was_written_is_committed_when_there_is_room(zygote: Zygote, folder: Path) -> None:
    small = folder / "small"
    small.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root on Linux")
    mount = ("mount", "-t", "tmpfs", "-o", "size=24m", "memtree-small", str(small))
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small file system can be mounted here: {done.stderr.strip()}")
    turns = folder / "turns"
    try:
        with served(zygote, str(small / "work"), turns=str(turns)) as one:
            with stopped(one):
                for number in range(5):
                    one.repo.write(f"notes/full-{number}.md", f"written just before {number}\n" + os.urandom(3000).hex())
                with open(small / "ballast", "wb", buffering=0) as file:
                    for size in (1 << 16, 1 << 10):
                        try:
                            while file.write(b"x" * size):
                                pass
                        except OSError:
                            continue
            one.told("No space left on device")
            assert one.ask("hello") is not None
            calm(turns)
            (small / "ballast").unlink()
            for number in range(5):
                one.settled(f"written just before {number}")
            finish(one)
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_a_disk_that_became_read_only_is_told_and_work_goes_on_when_it_can_be_written_again(zygote: Zygote, folder: Path) -> None:
    """What writes fails as there: no disk can really be mounted so while a program has files of it open."""
    refuses, turns = folder / "refuses", folder / "turns"
    with served(zygote, str(folder / "work"), refuses=str(refuses), turns=str(turns)) as one:
        refuses.touch()
        one.repo.write("notes/mine.md", "written to a disk that cannot be written\n")
        one.told("Read-only file system")
        calm(turns)
        refuses.unlink()
        one.settled("written to a disk that cannot be written")
        finish(one)


def test_a_folder_that_goes_away_and_comes_back_is_served_again(zygote: Zygote, folder: Path) -> None:
    turns = folder / "turns"
    with served(zygote, str(folder / "work"), turns=str(turns)) as one:
        away = folder / "away"
        with stopped(one):
            one.repo.write("notes/before.md", "written just before\n")
            os.rename(one.root, away)
        turns.touch()  # the rounds may find the folder gone before a turn does
        for method in ("flush", "prepare", "sync"):
            one.ask(method, 2.0)
        calm(turns)
        assert not os.path.exists(one.root)  # nothing stands in the way of what comes back
        assert one.pid is not None
        assert zygote.wait(one.pid, 0) is None
        (away / "notes" / "away.md").write_text("written while it was away\n")
        os.rename(away, one.root)
        one.settled("written while it was away")
        one.repo.write("notes/after.md", "written afterwards\n")
        one.settled("written afterwards")
        assert one.has("written just before")
        finish(one)


def test_a_state_folder_that_is_removed_is_made_again(zygote: Zygote, folder: Path) -> None:
    with served(zygote, str(folder / "work")) as one:
        pid = one.pid
        for _ in range(50):
            with contextlib.suppress(OSError):  # the daemon writes into it while it goes
                shutil.rmtree(one.place.state)
                break
        one.repo.write("notes/mine.md", "written meanwhile\n")
        one.settled("written meanwhile")
        one.answers()
        assert one.pid == pid
        finish(one)
        one.assert_indexes(str(folder / "built"))


def test_a_clock_that_jumps_keeps_no_edit_waiting(zygote: Zygote, folder: Path) -> None:
    clock = folder / "clock"
    with served(zygote, str(folder / "work"), notes=30, clock=str(clock)) as one:
        for number, seconds in enumerate((-3600.0, 86_400.0, -86_400.0 * 365)):
            one.repo.write(f"notes/before-{number}.md", f"before jump {number}\n")
            one.repo.remove(f"notes/first-{number}.md")
            clock.write_text(str(seconds))
            one.repo.write(f"notes/after-{number}.md", f"after jump {number}\n")
            one.settled(f"after jump {number}")
            assert one.has(f"before jump {number}")
        finish(one)
        kept = one.repo.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
        assert [number for number in range(30) if f"notes/first-{number}.md" not in kept] == [0, 1, 2]


def test_very_many_deletions_halt_until_the_files_are_back(zygote: Zygote, folder: Path) -> None:
    turns = folder / "turns"
    with served(zygote, str(folder / "work"), notes=40, turns=str(turns)) as one:
        head = one.head()
        shutil.rmtree(os.path.join(one.root, "notes"))
        one.told("files are gone at once")
        calm(turns)
        assert one.head() == head
        one.repo.git("checkout", "--", ".")
        one.mended()
        assert one.head() == head
        one.repo.write("notes/next.md", "written afterwards\n")
        one.settled("written afterwards")
        finish(one)


def test_very_many_deletions_halt_until_a_person_means_them(zygote: Zygote, folder: Path) -> None:
    with served(zygote, str(folder / "work"), notes=40) as one:
        shutil.rmtree(os.path.join(one.root, "notes"))
        one.told("files are gone at once")
        one.repo.write("next.md", "written afterwards\n")
        with Workspace.open(one.root, options()) as workspace:
            workspace.save(allow_mass_delete=True)
        one.settled("written afterwards")
        assert "notes/" not in one.repo.git("ls-tree", "-r", "--name-only", "HEAD")
        finish(one)
        until(lambda: one.state().index.commit == one.head(), "the index to follow")
        one.assert_indexes(str(folder / "built"))
