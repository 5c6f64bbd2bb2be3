"""The daemon's log: whatever it is told, a line is one short JSON object without a secret, and none is torn or lost."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtree.hooks.daemon.log import LIMIT, LONGEST, OLD, DaemonLog
from memtree.tree.errors import StateError
from memtree.tree.secrets import find_secrets
from support.secret_texts import FOUND

AT = 1_767_603_600.25
SECRETS = [text for texts in FOUND.values() for text in texts]


def log(folder: Path, **more: Any) -> DaemonLog:
    return DaemonLog(str(folder), clock=lambda: AT, **more)


def lines(folder: Path) -> list[bytes]:
    return (folder / "daemon.log").read_bytes().splitlines()


TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=60),
    st.sampled_from(SECRETS),
    st.lists(st.sampled_from([*SECRETS, "\n", '"', "\\", "\udc80", "x" * 5000, "token=", "a/b c.md"]), max_size=6).map(" ".join),
    st.binary(max_size=40).map(os.fsdecode),
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.floats(), st.binary(), TEXTS.map(StateError)),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(TEXTS, inner, max_size=20),
    max_leaves=12,
)


@given(kind=TEXTS, facts=st.dictionaries(TEXTS, VALUES, max_size=20))
@example(kind="x", facts={"password": "hunter" + "2x", "url": "https://ada:pass" + "word9@example.com/x"})
@settings(max_examples=60)
def test_a_line_is_one_short_object_without_a_secret(kind: str, facts: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log(Path(folder)).event(kind, **facts)
        data = (Path(folder) / "daemon.log").read_bytes()
        assert data.endswith(b"\n")
        assert data.count(b"\n") == 1
        assert len(data) <= LONGEST
        told = json.loads(data)
        assert told["at"] == "2026-01-05T09:00:00.250Z"
        assert list(find_secrets(data)) == []
        said = json.dumps(told, ensure_ascii=False)
        assert not any(secret in said for secret in SECRETS)


def test_facts_stand_as_they_are(tmp_path: Path) -> None:
    log(tmp_path).event("commit", files=3, commit="0a1b2c3d" * 5, quiet=0.5, automatic=True, remote=None, kinds=["a", "b"])
    assert log(tmp_path).read(5) == [
        {
            "at": "2026-01-05T09:00:00.250Z",
            "event": "commit",
            "files": 3,
            "commit": "0a1b2c3d" * 5,
            "quiet": 0.5,
            "automatic": True,
            "remote": None,
            "kinds": ["a", "b"],
        }
    ]


def test_no_path_of_a_note_and_no_message_of_an_exception_stands_there(tmp_path: Path) -> None:
    made = log(tmp_path)
    made.event("trouble", error=StateError("notes/Love letters.md is odd"), text="cannot read notes/2026/Love letters.md: gone")
    made.event("trouble", error=FileNotFoundError(2, "x", "notes/Love letters.md"), other="Love.MD, letters/x.md")
    try:
        raise KeyError("Love letters")
    except KeyError as error:
        made.event("trouble", error=error)
    told = b"".join(lines(tmp_path)).decode()
    assert "ove" not in told
    assert "etters" not in told
    first, second, third = made.read(3)
    assert (first["error"], first["text"]) == ("StateError", "cannot read (a note): gone")
    assert second["error"] == "FileNotFoundError: No such file or directory"
    assert third["error"].startswith("KeyError in test_daemon_log.py, line ")


def test_numbers_that_json_does_not_take_are_no_trouble(tmp_path: Path) -> None:
    log(tmp_path).event("odd", huge=10**5000, endless=float("inf"), none=float("nan"), third=1 / 3)
    log(tmp_path).event("many", **{f"fact{number}": "é" * 5000 for number in range(300)})
    odd, many = log(tmp_path).read(2)
    assert (odd["huge"], odd["endless"], odd["none"], odd["third"]) == ("huge", None, None, 0.333)
    assert many == {"at": "2026-01-05T09:00:00.250Z", "event": "many", "left_out": 300}


def test_an_event_keeps_its_time_and_kind(tmp_path: Path) -> None:
    log(tmp_path).event("start", at="never", event="other", pid=1)
    assert log(tmp_path).read(1) == [{"at": "2026-01-05T09:00:00.250Z", "event": "start", "pid": 1}]


def test_full_files_are_turned_over_and_the_oldest_goes(tmp_path: Path) -> None:
    made = log(tmp_path, limit=1000)
    for number in range(200):
        made.event("step", number=number)
    assert sorted(os.listdir(tmp_path)) == ["daemon.log", *(f"daemon.log.{age}" for age in range(1, OLD + 1)), "daemon.log.lock"]
    kept = [event["number"] for event in made.read(1000)]
    assert kept == list(range(200 - len(kept), 200))
    assert 40 < len(kept) < 100
    assert [event["number"] for event in made.read(3)] == [197, 198, 199]
    assert made.read(0) == []


WRITER = """
import sys
from memtree.hooks.daemon.log import DaemonLog
made = DaemonLog(sys.argv[1], limit=6000)
for number in range(60):
    made.event("step", writer=sys.argv[2], number=number)
"""


def test_writers_in_several_processes_and_threads_lose_and_tear_nothing(tmp_path: Path) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in "ab"]
    made = log(tmp_path, limit=6000)

    def write(name: str) -> None:
        for number in range(60):
            made.event("step", writer=name, number=number)

    threads = [threading.Thread(target=write, args=(name,)) for name in "cd"]
    for thread in threads:
        thread.start()
    for ending in (*threads, *processes):
        ending.join() if isinstance(ending, threading.Thread) else ending.wait(60)
    assert (tmp_path / "daemon.log.2").exists(), "it was turned over more than once"
    assert sum(path.read_bytes().count(b"\n") for path in tmp_path.glob("daemon.log*")) == 240
    told = made.read(1000)
    for name in "abcd":
        assert [event["number"] for event in told if event["writer"] == name] == list(range(60))


def test_what_is_damaged_is_left_out_and_takes_nothing_along(tmp_path: Path) -> None:
    made = log(tmp_path)
    made.event("one")
    with (tmp_path / "daemon.log").open("ab") as file:
        file.write(b'\xff\n[1]\n{"event": 3, "at": "x"}\n{"at": "2026", "ev')
    made.event("two")
    assert [event["event"] for event in made.read(9)] == ["one", "two"]


@pytest.mark.parametrize("what", ["link", "folder", "fifo", "closed", "no state"])
def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path, what: str) -> None:
    made = log(tmp_path if what != "no state" else tmp_path / "gone")
    path, elsewhere = tmp_path / "daemon.log", tmp_path / "elsewhere"
    elsewhere.write_bytes(b"mine\n")
    if what == "link":
        path.symlink_to(elsewhere)
    elif what == "folder":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    elif what == "closed":
        (tmp_path / "daemon.log.lock").symlink_to(elsewhere)
    made.event("one")
    assert elsewhere.read_bytes() == b"mine\n"
    assert [event["event"] for event in made.read(1)] == (["one"] if what == "closed" else [])


def test_a_log_is_followed_beyond_its_being_turned_over(tmp_path: Path) -> None:
    made = log(tmp_path, limit=300)
    made.event("step", number=0)
    events, following = made.follow(5)
    assert [event["number"] for event in events] == [0]
    assert following.new() == []
    told: list[int] = []
    for number in range(1, 40):
        made.event("step", number=number)
        if number % 3 == 0:
            told += [event["number"] for event in following.new()]
    assert told == list(range(1, 40))
    with (tmp_path / "daemon.log").open("ab") as file:
        file.write(b'{"at": "x", "event": ')
        file.flush()
        assert following.new() == []
        file.write(b'"late"}\n')
    assert [event["event"] for event in following.new()] == ["late"]
    following.close()


def test_a_log_that_begins_later_is_followed_too(tmp_path: Path) -> None:
    events, following = log(tmp_path).follow(5)
    assert (events, following.new()) == ([], [])
    log(tmp_path).event("one")
    assert [event["event"] for event in following.new()] == ["one"]
    following.close()


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    log(tmp_path).event("one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    log(tmp_path).event("two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_log_that_cannot_be_turned_over_stops_growing(tmp_path: Path) -> None:
    for age in range(1, OLD + 1):
        (tmp_path / f"daemon.log.{age}" / "kept").mkdir(parents=True)
    made = log(tmp_path, limit=200)
    for _ in range(100):
        made.event("step")
    assert 800 < (tmp_path / "daemon.log").stat().st_size < 1000
    assert LIMIT > 1000
