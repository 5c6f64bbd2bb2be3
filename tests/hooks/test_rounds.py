"""The rounds: scans when they are due, never back to back where they take long, and an end at any moment."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from memtree.engine.daemon_lock import daemon_lock
from memtree.engine.workspace import Workspace
from memtree.hooks.daemon import rounds as rounds_module
from memtree.hooks.daemon.log import DaemonLog
from memtree.hooks.daemon.rounds import Rounds
from memtree.hooks.place import Place, find_place
from memtree.hooks.watching.scan import ScanResult


class Told:
    """Who is told what a scan found."""

    def __init__(self) -> None:
        self.looks: list[tuple[str, ...]] = []
        self.looked = threading.Event()

    def answers(self) -> bool:
        return True

    def unwatched(self) -> bool:
        return False

    def interval(self) -> float:
        return 1000.0

    def found(self, paths: tuple[str, ...]) -> None:
        self.looks.append(paths)
        self.looked.set()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    Workspace.init(str(tmp_path / "w"))[0].close()
    (tmp_path / "w" / "new.md").write_text("new\n")
    found = find_place(str(tmp_path / "w"))
    assert found is not None
    return found


def test_it_scans_at_once_and_when_there_is_a_reason(place: Place) -> None:
    rounds, told = Rounds(DaemonLog(place.state)), Told()
    with daemon_lock(place.state).held():
        thread = threading.Thread(target=rounds.go, args=(told, place))
        thread.start()
        assert told.looked.wait(20)
        told.looked.clear()
        rounds.soon(0)
        assert told.looked.wait(20)
        rounds.end()
        thread.join(20)
        assert not thread.is_alive()
    assert told.looks == [("new.md",), ("new.md",)]


def test_scans_that_take_long_leave_the_machine_in_peace(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds_module, "full_scan", lambda _root, children: ScanResult((), (), 100.0))
    rounds, told = Rounds(DaemonLog(place.state)), Told()
    with daemon_lock(place.state).held():
        thread = threading.Thread(target=rounds.go, args=(told, place))
        thread.start()
        assert told.looked.wait(20)
        for _ in range(50):
            rounds.soon(0)  # such as for events that get lost all the time
        rounds.end()
        thread.join(20)
    assert len(told.looks) == 1


def test_a_scan_that_hangs_keeps_nobody_from_ending(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = tmp_path / "started"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n: > '{started}'\nexec sleep 600\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    rounds, told = Rounds(DaemonLog(place.state)), Told()
    with daemon_lock(place.state).held():
        thread = threading.Thread(target=rounds.go, args=(told, place))
        thread.start()
        deadline = time.monotonic() + 100
        while not started.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        rounds.end()
        thread.join(20)
        assert not thread.is_alive()
    assert told.looks == []


def test_who_lost_the_lock_ends(place: Place) -> None:
    rounds, told = Rounds(DaemonLog(place.state)), Told()
    rounds.go(told, place)
    assert told.looks == []
