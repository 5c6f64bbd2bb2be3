"""Background sync: machines that agree by themselves, remotes that are away, hang, refuse or alarm, and a person beside it.

No test sleeps: each waits for what it is about, by the log, the clock that it moves itself, or the end of a thread.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from memtree.engine.exchange import Wanted, exchange
from memtree.engine.watch_settings import WatchSettings
from memtree.hooks.daemon import syncing
from memtree.hooks.daemon.pace import Rhythm
from memtree.hooks.daemon.standing import RemoteState
from memtree.hooks.daemon.syncing import SyncThread
from memtree.hooks.place import find_place
from memtree.hooks.surroundings import Surroundings
from support.gitrepo import GitRepo
from support.machines import Clock, Machine, Machines, bare, committed
from support.servers import HttpRemote, closed_port, git_over_http, silent_server

_PATIENCE = 100.0  # seconds; what takes so long does not happen
# Commits follow at once; nothing else happens by itself for an hour.
CALM = Rhythm(delay=0.0, interval=3600.0, first_pause=3600.0, longest_pause=3600.0, rest=0.0)
BUSY = replace(CALM, interval=0.05, first_pause=0.05, longest_pause=0.1)  # looks again, also where it met a push half-way
STUBBORN = replace(CALM, first_pause=0.05, longest_pause=0.1)


@dataclass
class Heard:
    """A log that can be waited for."""

    lines: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    _turn: threading.Condition = field(default_factory=threading.Condition)

    def event(self, kind: str, /, **facts: object) -> None:
        with self._turn:
            self.lines.append((kind, facts))
            self._turn.notify_all()

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.lines]

    def expect(self, kind: str, count: int = 1) -> dict[str, object]:
        """Wait until a kind of line was written so often; the facts of the last."""
        with self._turn:
            assert self._turn.wait_for(lambda: self.kinds().count(kind) >= count, _PATIENCE), (kind, self.lines)
            return [facts for one, facts in self.lines if one == kind][-1]


class Background:
    """A machine's sync thread, and what it says."""

    def __init__(
        self, machine: Machine, rhythm: Rhythm, environment: Mapping[str, str] | None, clock: Callable[[], float] = time.time
    ) -> None:
        place = find_place(machine.path)
        assert place is not None
        self.machine = machine
        self.log = Heard()
        self.brought = threading.Event()
        options = replace(machine.workspace.options, environment=environment, clock=clock)
        around = Surroundings(options=options)
        self.thread = SyncThread(place, around, WatchSettings(), self.log, self.brought.set, rhythm=rhythm)
        self.thread.start()

    @property
    def state(self) -> RemoteState:
        return self.thread.state()[0]

    def save(self, path: str, text: str) -> None:
        """What the daemon does after an edit: a commit, and the thread is told."""
        self.machine.write(path, text)
        self.machine.save()
        self.thread.changed()

    def until(self, holds: Callable[[RemoteState], bool]) -> RemoteState:
        """Wait until a remote stands so."""
        end = time.monotonic() + _PATIENCE
        while True:
            states = self.thread.state()
            if states and holds(states[0]):
                return states[0]
            assert time.monotonic() < end, (states, self.log.lines)
            threading.Event().wait(0.005)

    def rounds(self, count: int) -> None:
        """Wait for so many syncs more that end well."""
        for _ in range(count):
            last = self.until(lambda state: not state.running).succeeded
            self.thread.now()
            self.until(lambda state, last=last: not state.running and state.succeeded != last)


class Backgrounds:
    def __init__(self) -> None:
        self.all: list[Background] = []

    def __call__(
        self,
        machine: Machine,
        rhythm: Rhythm = CALM,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Background:
        self.all.append(Background(machine, rhythm, environment, clock))
        return self.all[-1]

    def stop(self) -> None:
        for one in self.all:
            one.thread.stop()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def background(machines: Machines) -> Iterator[Backgrounds]:
    made = Backgrounds()
    yield made
    made.stop()


@pytest.fixture(params=["git", "libgit2"])
def environment(request: pytest.FixtureRequest) -> Mapping[str, str] | None:
    """Of the git program: this process's, or one in which there is none, so that the library carries the commits."""
    return {**os.environ, "PATH": "/nowhere"} if request.param == "libgit2" else None


@pytest.fixture(params=["file", "http"])
def remote(request: pytest.FixtureRequest, machines: Machines) -> Iterator[HttpRemote | None]:
    """Where the machines meet: None for a folder."""
    if request.param == "file":
        yield None
        return
    accepts_pushes(machines)
    with git_over_http(machines.folder) as server:
        machines.url = server.url()
        yield server


def stamps(folder: str) -> dict[str, tuple[int, int]]:
    """When every file and folder of a repository was last written, and its inode."""
    found = {}
    for here, _, names in os.walk(folder):
        for name in (".", *names):
            info = os.stat(os.path.join(here, name))
            found[os.path.join(here, name)] = (info.st_mtime_ns, info.st_ino)
    return found


# -- the ordinary course


def test_a_commit_reaches_the_other_machine_by_itself(
    machines: Machines, background: Backgrounds, remote: HttpRemote | None, environment: Mapping[str, str] | None
) -> None:
    a, b = machines.pair()
    one, two = background(a, environment=environment), background(b, BUSY, environment)
    one.save("notes/new.md", "new\n")
    assert two.brought.wait(_PATIENCE), (one.log.lines, one.thread.state(), two.log.lines, two.thread.state())
    assert b.read("notes/new.md") == b"new\n"
    assert two.log.expect("synced") == {"remote": "origin", "received": 1, "sent": 0, "conflicts": 0}
    assert one.log.expect("synced")["sent"] == 1
    assert not one.brought.is_set()
    b.assert_sound()


def test_a_commit_that_somebody_else_made_is_sent_too(machines: Machines, background: Backgrounds) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    one = background(a)
    one.rounds(1)
    one.thread.at(a.tip)
    due = one.state.next_try
    one.thread.at(a.tip)
    assert due is not None
    assert (one.state.next_try or 0) > due - 60  # nothing new
    a.write("notes/a.md", "by hand\n")
    a.commit("by hand")
    one.thread.at(a.tip)
    assert one.log.expect("synced")["sent"] == 1


def test_idle_syncs_write_nothing_anywhere(
    machines: Machines, background: Backgrounds, remote: HttpRemote | None, environment: Mapping[str, str] | None
) -> None:
    a, _ = machines.pair()
    tip, there = a.tip, stamps(machines.remote)
    asked = len(remote.requests) if remote is not None else 0
    one = background(a, environment=environment)
    one.rounds(3)
    assert (a.tip, stamps(machines.remote)) == (tip, there)
    assert one.log.lines == []
    if remote is not None:
        assert len(remote.requests) >= asked + 3
        assert not any("receive-pack" in request for request in remote.requests[asked:])


def test_two_machines_that_write_at_once_agree(machines: Machines, background: Backgrounds) -> None:
    a, b = machines.pair()
    one, two = background(a, BUSY), background(b, BUSY)
    for number in range(3):
        one.save(f"notes/a{number}.md", f"a {number}\n")
        two.save(f"notes/b{number}.md", f"b {number}\n")
    end = time.monotonic() + _PATIENCE
    while not (a.tip == b.tip and len(a.notes()) == 7):
        assert time.monotonic() < end, (one.log.lines, two.log.lines)
        threading.Event().wait(0.02)
    background.stop()
    machines.assert_agreed()
    assert "sync-alarm" not in (*one.log.kinds(), *two.log.kinds())


def test_without_a_remote_it_sleeps_until_there_is_one(machines: Machines, background: Backgrounds) -> None:
    a = machines.lonely({"notes/a.md": "one\n"})
    one = background(a)
    assert one.thread.state() == ()
    a.workspace.remotes.add("origin", machines.remote)
    one.save("notes/b.md", "two\n")
    assert one.log.expect("synced")["sent"] == a.commits()
    a.workspace.remotes.remove("origin")
    one.thread.now()
    end = time.monotonic() + _PATIENCE
    while one.thread.state():
        assert time.monotonic() < end
        threading.Event().wait(0.005)


def test_what_one_remote_brings_the_other_one_gets(machines: Machines, background: Backgrounds, tmp_path: Path) -> None:
    a, b = machines.pair()
    second = bare(tmp_path / "second.git")
    a.workspace.remotes.add("second", second)
    one = background(a)
    b.write("notes/b.md", "b\n")
    b.sync()
    one.thread.now()
    assert one.brought.wait(_PATIENCE)
    one.until(lambda state: not state.running)
    assert committed(second)["notes/b.md"] == b"b\n"
    assert [state.name for state in one.thread.state()] == ["origin", "second"]


def test_a_wall_clock_that_is_set_moves_nothing(machines: Machines, background: Backgrounds) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    wall = Clock()
    one = background(a, clock=wall)
    for jump in (5.0, 10**9, -2 * 10**9):
        wall.tick(jump)
        one.thread.now()
        one.until(lambda state: state.succeeded == wall.now and 3_000 < (state.next_try or 0) < 4_000)
    assert one.log.lines == []


# -- away


def test_away_is_told_once_and_over_as_soon_as_the_remote_is_back(machines: Machines, background: Backgrounds) -> None:
    with served(machines) as port:
        a, b = machines.pair()
    one = background(a, STUBBORN)
    one.save("notes/a.md", "written offline\n")
    state = one.until(lambda state: state.offline and not state.running)
    assert (state.alarm, state.next_try is not None, state.failing_since is not None) == (False, True, True)
    assert "cannot be reached" in state.error
    two = background(b, STUBBORN)
    two.until(lambda state: state.offline)
    with git_over_http(machines.folder, port=port):
        assert one.log.expect("sync-again")["was"] == "RemoteUnreachable"
        one.log.expect("synced")
        two.log.expect("sync-again")
        state = one.until(lambda state: not state.offline)
        assert (state.error, state.failing_since) == ("", None)
        two.thread.now()
        assert two.brought.wait(_PATIENCE)
        assert b.read("notes/a.md") == b"written offline\n"
        background.stop()
    assert one.log.kinds() == ["sync-offline", "sync-again", "synced"]


def test_one_remote_that_is_away_does_not_keep_the_other_waiting(machines: Machines, background: Backgrounds) -> None:
    a, b = machines.pair()
    a.workspace.remotes.add("away", f"http://127.0.0.1:{closed_port()}/remote.git")
    one, two = background(a), background(b, BUSY)
    one.save("notes/new.md", "new\n")
    assert two.brought.wait(_PATIENCE)
    away, origin = one.thread.state()
    assert (away.name, away.offline, origin.offline) == ("away", True, False)


def test_a_remote_that_never_answers_keeps_nobody_waiting(
    machines: Machines, background: Backgrounds, environment: Mapping[str, str] | None
) -> None:
    """Writers go on while a fetch hangs, and so does the end."""
    a = machines.first({"notes/a.md": "one\n"})
    with silent_server() as port:
        a.git("config", "remote.origin.url", f"http://127.0.0.1:{port}/remote.git")
        one = background(a, environment=environment)
        one.until(lambda state: state.running)
        one.save("notes/a.md", "two\n")
        assert a.workspace.store.lock_holder() == ""
        if environment is None:
            one.until(lambda _: bool(children_of(one)))
        hanging = children_of(one)
        one.thread.stop()
        if environment is None:  # by itself git would wait for a minute
            one.thread._thread.join(_PATIENCE)
            assert not one.thread._thread.is_alive()
        end = time.monotonic() + _PATIENCE
        while any(alive(pid) for pid in hanging):
            assert time.monotonic() < end
    assert one.log.lines == []
    assert a.workspace.sync_state.of("origin").error == ""
    assert not [name for _, _, names in os.walk(a.full(".git/refs")) for name in names if name.endswith(".lock")]


# -- alarms


def test_a_replaced_history_alarms_once_until_a_person_decides(machines: Machines, background: Backgrounds) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    a.write("notes/a.md", "two\n")
    a.sync()
    replace_last_commit(machines)
    one = background(a)
    state = one.until(lambda state: state.alarm and not state.running)
    assert "--accept-rewritten" in state.hint
    assert state.next_try is not None
    one.save("notes/c.md", "work goes on\n")
    assert one.state.next_try > 30  # the commit brings on no sync at once
    tip = a.tip
    one.thread.now()
    one.until(lambda state: not state.running and state.next_try is not None)
    assert (a.tip, one.log.kinds()) == (tip, ["sync-alarm"])
    a.reopen(clock=time.time).sync(rewritten=True)
    state = one.until(lambda state: not state.alarm)
    assert (state.error, state.offline) == ("", False)
    one.until(lambda state: not state.running and (state.next_try or 0) > 60)
    background.stop()
    assert one.log.kinds() == ["sync-alarm", "sync-again"]


def test_a_refusal_by_the_server_is_an_alarm_with_its_words(machines: Machines, background: Backgrounds) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    hook = Path(machines.remote, "hooks", "pre-receive")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no room for notes/b.md' >&2\necho >> \"$0.calls\"\nexit 1\n")
    hook.chmod(0o755)
    one = background(a)
    one.save("notes/b.md", "b\n")
    state = one.until(lambda state: state.alarm and not state.running)
    assert "no room" in state.error
    one.save("notes/c.md", "c\n")
    assert one.state.next_try > 30
    assert Path(f"{hook}.calls").read_bytes() == b"\n"
    assert one.log.lines == [("sync-alarm", {"remote": "origin", "error": "RemoteRefused"})]


def test_a_login_that_is_no_longer_taken_is_an_alarm_and_nobody_is_asked(
    machines: Machines, background: Backgrounds, environment: Mapping[str, str] | None
) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    with git_over_http(machines.folder, user="ada", password="new") as server:
        a.git("config", "remote.origin.url", server.url())
        one = background(a, environment=environment)
        state = one.until(lambda state: state.alarm)
    assert "refused" in state.error
    assert "your commits are safe here" in state.hint


def test_a_secret_in_a_commit_is_not_sent_and_not_told_to_the_log(machines: Machines, background: Backgrounds) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    a.write("notes/keys.md", f"token: {made_token()}\n")
    a.commit("by hand")
    before = stamps(machines.remote)
    one = background(a)
    state = one.until(lambda state: state.alarm)
    assert "secret" in state.error
    assert made_token() not in state.error + state.hint
    assert stamps(machines.remote) == before
    assert "keys.md" not in str(one.log.lines)


# -- beside a person


def test_a_persons_sync_and_ours_at_the_same_moment_both_work(machines: Machines, background: Backgrounds) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    one = background(a, BUSY)
    for number in range(6):
        one.save(f"notes/{number}.md", f"{number}\n")
        a.sync()
    one.until(lambda state: not state.running)
    background.stop()
    assert one.log.kinds().count("sync-alarm") == one.log.kinds().count("sync-failed") == 0
    assert a.sync().sent == 0
    a.assert_sound()


def test_it_gives_way_to_a_persons_sync(machines: Machines, background: Backgrounds) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    tried = threading.Event()
    release = threading.Event()

    def say(words: str) -> None:
        if words.startswith("fetching"):
            tried.set()
            assert release.wait(_PATIENCE)

    person = threading.Thread(target=lambda: exchange(a.workspace, Wanted(), say=say))
    person.start()
    assert tried.wait(_PATIENCE)
    one = background(a)
    state = one.until(lambda state: not state.running and state.next_try is not None and 1.0 < state.next_try < 3.0)
    assert (state.error, state.alarm) == ("", False)
    release.set()
    person.join()
    one.rounds(1)
    assert one.log.lines == []


def test_what_is_not_committed_is_left_to_whoever_serves(machines: Machines, background: Backgrounds) -> None:
    a, b = machines.pair()
    b.write("notes/b.md", "b\n")
    b.sync()
    one = background(a)
    a.write("notes/mine.md", "not committed\n")
    one.thread.now()
    assert one.brought.wait(_PATIENCE)
    assert a.read("notes/b.md") == b"b\n"
    a.assert_sound(uncommitted=("?? notes/mine.md",))


def test_what_nobody_expected_ends_nothing(machines: Machines, background: Backgrounds, monkeypatch: pytest.MonkeyPatch) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    monkeypatch.setattr(syncing, "_LOOK", 0.05)
    look = SyncThread._look
    monkeypatch.setattr(SyncThread, "_look", lambda _thread: {}["notes/a.md"])
    one = background(a)
    assert "notes" not in str(one.log.expect("bug"))
    monkeypatch.setattr(SyncThread, "_look", look)
    one.until(lambda state: not state.running and state.succeeded is not None)


def test_a_workspace_that_is_gone_ends_nothing(machines: Machines, background: Backgrounds) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    one = background(a)
    one.rounds(1)
    os.rename(a.path, a.path + ".away")
    one.thread.now()
    assert one.log.expect("sync-alarm")["remote"] == "origin"
    os.rename(a.path + ".away", a.path)
    one.thread.now()
    one.log.expect("sync-again")


# -- helpers


@contextlib.contextmanager
def served(machines: Machines) -> Iterator[int]:
    """Machines that are made inside meet by http; the port."""
    accepts_pushes(machines)
    with git_over_http(machines.folder) as server:
        machines.url = server.url()
        yield int(server.address.rpartition(":")[2])


def accepts_pushes(machines: Machines) -> None:
    GitRepo(machines.folder / "helper").git("--git-dir", machines.remote, "config", "http.receivepack", "true")


def replace_last_commit(machines: Machines) -> None:
    other = GitRepo(machines.folder / "rewriter")
    other.git("pull", "--quiet", machines.remote, "main")
    other.git("reset", "--quiet", "--hard", "HEAD~1")
    other.write("notes/b.md", "instead\n")
    other.commit("instead")
    other.git("push", "--quiet", "--force", machines.remote, "HEAD:main")


def made_token() -> str:
    return "ghp_" + "aB3dE6gH9jK2" * 3


def children_of(one: Background) -> list[int]:
    """The processes of the groups that the thread's git programs lead."""
    leaders = {process.pid for process in one.thread._children._running}
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            if int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[2]) in leaders:
                found.append(int(name))
    return found


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
