"""The cycle of a sync: several remotes, directions, the plan, pauses, clocks, and alarms whose advice works."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memtree.engine.arrivals import Accept, Arrivals, RefusedPaths, UncommittedOutside, UnrelatedHistory
from memtree.engine.exchange import Exchanged, Wanted, exchange, plan
from memtree.engine.mass_deletion import MassDeletion
from memtree.engine.secrets.scan import PushBlocked
from memtree.engine.status import status
from memtree.engine.sync import Outcome, RemoteAhead, Syncer, Target
from memtree.engine.transport import (
    Direction,
    GitTransport,
    PushRaced,
    RemoteBranchGone,
    RemoteRewritten,
    RemoteUnreachable,
    Transport,
)
from memtree.engine.workspace import NoRemote, Workspace
from memtree.tree.errors import Error, UserError
from memtree.tree.objects import CommitId
from support.cli import memtree
from support.gitrepo import GitRepo
from support.machines import Clock, Machine, Machines, bare, committed, stamps

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture(autouse=True)
def _without_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is searched is no part of a sync, and takes most of its time."""
    monkeypatch.setattr(Workspace, "refresh_index", lambda self, progress=None: [])


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def run(machine: Machine, remote: str | None = None, **choices: bool) -> Exchanged:
    """A sync as a person asks for it; failures are in the answer."""
    accept = Accept(**{key: choices.pop(key) for key in ("rewritten", "unrelated", "mass_delete") if key in choices})
    return exchange(machine.workspace, Wanted(remote, accept, **choices))


def second_remote(machines: Machines, name: str, *members: Machine, direction: Direction = Direction.BOTH) -> str:
    url = bare(machines.folder / f"{name}.git")
    for machine in members:
        machine.workspace.remotes.add(name, url, direction)
    return url


def refs(folder: str) -> str:
    """Every ref of a bare repository."""
    listed = subprocess.run(
        ("git", "for-each-ref", "--format=%(refname) %(objectname)"), cwd=folder, check=True, capture_output=True
    )
    return listed.stdout.decode()


# -- several remotes


def test_what_one_remote_brings_is_sent_to_the_other_in_the_same_sync(machines: Machines) -> None:
    a, b = machines.pair()
    backup = second_remote(machines, "backup", b)
    a.write("from-a.md", "a\n")
    a.sync()
    done = run(b)
    assert done.failures == ()
    assert {report.remote: (report.received, report.sent) for report in done.reports} == {
        "backup": (0, b.commits()),
        "origin": (1, 0),
    }
    assert committed(backup) == committed(machines.remote) == b.committed()
    assert [(r.received, r.sent) for r in run(b).reports] == [(0, 0), (0, 0)]


def test_news_of_two_remotes_is_merged_alike_by_whoever_brings_it_together(machines: Machines) -> None:
    """Whatever the remotes are called on each machine: the order is that of the commits."""
    a = machines.first({"a.md": "0\n", "b.md": "0\n"})
    for name in "bcd":
        machines.clone(name)
    b, c, d = (machines.all[name] for name in "bcd")
    url = second_remote(machines, "zweit", b)
    run(b, "zweit")
    for machine, text in ((a, "from a\n"), (b, "from b\n")):
        machine.write("a.md", text)
        machine.save()
        machines.clock.tick(60)
    run(a)
    run(b, "zweit")
    c.write("own.md", "same\n")
    c.save()
    d.git("fetch", "--quiet", c.path, "main")
    d.git("merge", "--quiet", "--ff-only", "FETCH_HEAD")
    c.workspace.remotes.add("zweit", url)
    d.workspace.remotes.add("alpha", url)
    for machine in (c, d):
        assert run(machine, push=False).failures == ()
    assert c.tip == d.tip
    assert c.notes() == d.notes()
    assert {b"from a", b"from b"} <= c.lines()


@pytest.mark.parametrize("seed", range(3))
def test_machines_in_a_ring_of_remotes_agree(machines: Machines, seed: int) -> None:
    """a-b, b-c, c-a: nobody shares a remote with all."""
    a = machines.first({"a.md": "one\n\ntwo\n\nthree\n\nfour\n"})
    b, c = machines.clone("b"), machines.clone("c")
    second_remote(machines, "bc", b, c)
    second_remote(machines, "ca", c, a)
    c.workspace.remotes.remove("origin")
    machines.settle(rounds=2)
    everyone = [a, b, c]
    for number in range(3):
        for machine, old in zip(everyone, ("one", "two", "three"), strict=True):
            name = os.path.basename(machine.path)
            machine.write("a.md", machine.read("a.md").replace(old.encode(), f"{old} {name}{number}".encode(), 1))
            machine.write(f"{name}{number}.md", "own\n")
            machine.save()
            machines.clock.tick(60)
        for machine in everyone[seed:] + everyone[:seed]:
            assert run(machine).failures == ()
    machines.settle(rounds=4)
    held = machines.assert_agreed()
    assert b"[!conflict]" not in held["a.md"]
    for number in range(3):
        for name in "abc":
            assert f"{name}{number}".encode() in held["a.md"]
            assert held[f"{name}{number}.md"] == b"own\n"


@pytest.mark.parametrize("away", ["aaa", "zzz"], ids=["first", "last"])
def test_a_remote_that_is_away_keeps_no_other_waiting(machines: Machines, away: str) -> None:
    a, b = machines.pair()
    url = second_remote(machines, away, b)
    run(b)
    shutil.move(url, url + ".unplugged")
    a.write("from-a.md", "a\n")
    a.sync()
    b.write("from-b.md", "b\n")
    done = run(b)
    assert [(report.remote, report.received, report.sent) for report in done.reports] == [("origin", 1, 2)]
    ((name, error),) = done.failures
    assert (name, type(error)) == (away, RemoteUnreachable)
    assert "safe here" in error.hint
    assert committed(machines.remote) == b.committed()
    stands = {one.name: one for one in status(b.workspace).remotes}
    assert away in stands[away].error
    assert stands["origin"].error == ""
    shutil.move(url + ".unplugged", url)
    assert run(b).failures == ()
    assert committed(url) == b.committed()
    assert {one.error for one in status(b.workspace).remotes} == {""}


def test_an_alarm_of_one_remote_leaves_the_others_be(machines: Machines) -> None:
    a, b = machines.pair()
    strange = machines.folder / "strange"
    other = GitRepo(strange)
    other.write("strange.md", "another history\n")
    other.commit("another history")
    b.workspace.remotes.add("strange", str(strange))
    a.write("from-a.md", "a\n")
    a.sync()
    b.write("from-b.md", "b\n")
    done = run(b)
    assert [(report.remote, report.received, report.sent) for report in done.reports] == [("origin", 1, 2)]
    ((name, error),) = done.failures
    assert (name, type(error)) == ("strange", UnrelatedHistory)
    assert "strange.md" not in b.disk()
    assert other.git("log", "--format=%s") == "another history"


def test_the_worst_of_several_failures_is_raised(machines: Machines) -> None:
    a = machines.first({"a.md": "a\n"})
    a.workspace.remotes.add("away", str(machines.folder / "nowhere.git"))
    other = GitRepo(machines.folder / "strange")
    other.commit("another history")
    a.workspace.remotes.add("strange", other.path)
    with pytest.raises(UnrelatedHistory):
        a.workspace.sync()


# -- directions


def test_a_remote_that_is_only_pulled_from_is_never_pushed_to(machines: Machines) -> None:
    a, b = machines.pair()
    b.workspace.remotes.add("origin", None, Direction.PULL)
    b.write("from-b.md", "b\n")
    a.write("from-a.md", "a\n")
    a.sync()
    before = refs(machines.remote)
    (report,) = run(b).reports
    assert (report.received, report.sent) == (1, 0)
    assert refs(machines.remote) == before
    assert {"from-a.md", "from-b.md"} <= b.notes().keys()
    with pytest.raises(UserError, match="other direction") as raised:
        run(b, "origin", pull=False)
    assert "memtree remote add origin" in raised.value.hint
    assert refs(machines.remote) == before
    memtree("remote", "add", "origin", cwd=b.path)
    run(b)
    assert committed(machines.remote) == b.committed()


def test_a_remote_that_is_only_pushed_to_is_never_merged(machines: Machines) -> None:
    a, b = machines.pair()
    b.workspace.remotes.add("origin", None, Direction.PUSH)
    b.write("from-b.md", "b\n")
    (report,) = run(b).reports
    assert (report.received, report.sent, report.changes) == (0, 1, ())
    assert committed(machines.remote) == b.committed()
    a.write("from-a.md", "a\n")
    a.sync()
    b.write("more-b.md", "b\n")
    done = run(b)
    ((name, error),) = done.failures
    assert (name, type(error), done.reports) == ("origin", RemoteAhead, ())
    assert "from-a.md" not in b.disk()
    assert "more-b.md" not in committed(machines.remote)
    assert b.committed()["more-b.md"] == b"b\n"
    memtree("remote", "add", "origin", cwd=b.path)
    run(b)
    machines.settle()
    assert {"from-a.md", "from-b.md", "more-b.md"} <= machines.assert_agreed().keys()


def test_a_backup_that_was_lost_is_told_and_filled_again_also_when_nothing_is_new(machines: Machines) -> None:
    """Nothing of it is ever merged, but it is asked how it stands."""
    a = machines.first({"a.md": "a\n"})
    url = second_remote(machines, "backup", a, direction=Direction.PUSH)
    run(a)
    shutil.rmtree(url)
    ((name, error),) = run(a).failures
    assert (name, type(error)) == ("backup", RemoteUnreachable)
    bare(Path(url))
    assert refs(url) == ""
    ((name, error),) = run(a).failures
    assert (name, type(error), refs(url)) == ("backup", RemoteBranchGone, "")
    memtree("sync", "backup", "--accept-rewritten", cwd=a.path)
    assert committed(url) == a.committed()
    assert run(a).failures == ()


def test_pull_and_push_keep_to_the_direction_of_each_remote(machines: Machines) -> None:
    a, b = machines.pair()
    backup = second_remote(machines, "backup", b, direction=Direction.PUSH)
    b.workspace.remotes.add("origin", None, Direction.PULL)
    a.write("from-a.md", "a\n")
    a.sync()
    b.write("from-b.md", "b\n")
    tip = refs(machines.remote)
    done = run(b)
    assert done.failures == ()
    assert committed(backup) == b.committed()
    assert {"from-a.md", "from-b.md"} <= b.notes().keys()
    assert refs(machines.remote) == tip


# -- the plan


@dataclass
class Before:
    """Everything that a plan must leave alone."""

    machine: Machine
    remotes: tuple[str, ...]
    held: tuple[object, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.held = self.look()

    def look(self) -> tuple[object, ...]:
        machine = self.machine
        branches = machine.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/memtree", "refs/tags")
        index = Path(machine.full(".git/index")).read_bytes()
        last = [(one.name, one.last_sync, one.error) for one in status(machine.workspace).remotes]
        return stamps(machine.path), branches, machine.status(), index, last, *(refs(remote) for remote in self.remotes)


def test_a_plan_says_what_a_sync_does_and_changes_nothing(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "one\n", "b.md": "two\n", "c.md": "three\n"})
    a.write("a.md", "from a\n")
    a.write("new.md", "new\n")
    a.remove("c.md")
    a.save()
    a.sync()
    b.write("a.md", "from b\n")
    b.write("b.md", "two, edited\n")
    b.save()
    b.write("unsaved.md", "not saved\n")
    before = Before(b, (machines.remote,))
    for _ in range(2):
        (planned,) = plan(b.workspace, Wanted())
        assert (planned.remote, planned.receives, planned.sends, planned.alarm, planned.blocked) == ("origin", 1, 2, "", "")
        assert {str(change.path) for change in planned.changes} == {"a.md", "new.md", "c.md"}
        assert [conflict.path for conflict in planned.conflicts] == ["a.md"]
        assert before.look() == before.held
    shown = memtree("sync", "--dry-run", "--json", cwd=b.path).json
    assert shown["unsaved"] == ["unsaved.md"]
    assert before.look() == before.held
    b.save()
    (report,) = run(b).reports
    assert (report.received, report.sent) == (planned.receives, planned.sends + 1)
    assert {change.path for change in report.changes} == {change.path for change in planned.changes}
    assert report.conflicts == planned.conflicts
    a.sync()
    machines.assert_agreed()


@pytest.mark.parametrize(("pull", "push", "says"), [(True, False, (1, 0)), (False, True, (0, 1)), (True, True, (1, 2))])
def test_a_plan_keeps_to_what_was_asked(machines: Machines, pull: bool, push: bool, says: tuple[int, int]) -> None:
    a, b = machines.pair()
    a.write("from-a.md", "a\n")
    a.sync()
    b.write("from-b.md", "b\n")
    b.save()
    before = Before(b, (machines.remote,))
    (planned,) = plan(b.workspace, Wanted(pull=pull, push=push))
    assert (planned.receives, planned.sends) == says
    assert before.look() == before.held


def test_a_plan_of_nothing_says_nothing(machines: Machines) -> None:
    _, b = machines.pair()
    (planned,) = plan(b.workspace, Wanted())
    assert (planned.receives, planned.sends, planned.changes, planned.conflicts, planned.alarm, planned.blocked) == (
        0,
        0,
        (),
        (),
        "",
        "",
    )


def test_a_plan_of_a_fast_forward_merges_nothing(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("from-a.md", "a\n")
    a.sync()
    (planned,) = plan(b.workspace, Wanted())
    assert (planned.receives, planned.sends) == (1, 0)


def test_a_plan_tells_an_alarm_and_what_blocks_a_push(machines: Machines) -> None:
    a, b = machines.pair({f"many/{number}.md": f"{number}\n" for number in range(40)})
    shutil.rmtree(a.full("many"))
    a.save(allow_mass_delete=True)
    a.sync()
    b.write("token.md", TOKEN)
    b.commit("by hand")
    before = Before(b, (machines.remote,))
    (planned,) = plan(b.workspace, Wanted())
    assert "remote origin deleted 40 of 42 files" in planned.alarm
    assert "--allow-mass-delete" in planned.alarm
    assert (planned.receives, planned.sends) == (1, 0)
    (planned,) = plan(b.workspace, Wanted(accept=Accept(mass_delete=True)))
    assert planned.alarm == ""
    assert "token.md" in planned.blocked
    assert TOKEN not in planned.blocked
    assert planned.sends == 0
    assert before.look() == before.held


def test_a_plan_that_accepts_a_replaced_history_accepts_it_for_nobody_else(machines: Machines, tmp_path: Path) -> None:
    a = machines.first({"a.md": "one\n"})
    a.write("a.md", "two\n")
    a.sync()
    rewrite(machines, tmp_path)
    before = Before(a, (machines.remote,))
    (planned,) = plan(a.workspace, Wanted())
    assert "--accept-rewritten" in planned.alarm
    (planned,) = plan(a.workspace, Wanted(accept=Accept(rewritten=True)))
    assert (planned.alarm, planned.receives) == ("", 1)
    assert before.look() == before.held
    ((_, error),) = run(a).failures
    assert isinstance(error, RemoteRewritten)
    shutil.rmtree(machines.remote)
    bare(Path(machines.remote))
    (planned,) = plan(a.workspace, Wanted(accept=Accept(rewritten=True)))
    assert (planned.alarm, planned.receives, planned.sends) == ("", 0, a.commits())
    ((_, error),) = run(a).failures
    assert isinstance(error, RemoteBranchGone)


def test_a_plan_of_several_remotes_tells_each_of_them(machines: Machines) -> None:
    a, b = machines.pair()
    second_remote(machines, "backup", b)
    b.workspace.remotes.add("away", str(machines.folder / "nowhere.git"))
    a.write("from-a.md", "a\n")
    a.sync()
    planned = {one.remote: one for one in plan(b.workspace, Wanted())}
    assert (planned["origin"].receives, planned["origin"].sends) == (1, 0)
    assert "cannot be reached" in planned["away"].alarm
    reports = {report.remote: report for report in run(b).reports}
    assert reports["backup"].sent == planned["backup"].sends == b.commits()


# -- pauses


class Contested:
    """A transport on which somebody else is always a moment faster, the first `times` times."""

    def __init__(self, inner: Transport, times: int, before_push: Callable[[], None] = lambda: None) -> None:
        self.inner, self.times, self.before_push = inner, times, before_push
        self.fetched = self.pushed = 0

    def fetch(self, remote: str, branch: str, *, accept_rewritten: bool = False) -> CommitId | None:
        self.fetched += 1
        return self.inner.fetch(remote, branch, accept_rewritten=accept_rewritten)

    def push(self, remote: str, branch: str, commit: CommitId) -> None:
        self.pushed += 1
        if self.pushed <= self.times:
            self.before_push()
            raise PushRaced(remote)
        self.inner.push(remote, branch, commit)


def contest(
    machine: Machine,
    times: int,
    *,
    jitter: float = 0.5,
    target: Target | None = None,
    before_push: Callable[[], None] = lambda: None,
) -> tuple[Outcome, list[float], Contested]:
    workspace, pauses = machine.workspace, list[float]()
    transport = Contested(GitTransport(workspace.repo, workspace.git, workspace.files), times, before_push)
    syncer = Syncer(
        workspace.repo,
        workspace.store,
        transport,
        workspace.settings.branch,
        Arrivals(workspace.repo, workspace.store, workspace.scope),
        lambda tip, known: None,
        sleep=pauses.append,
        jitter=lambda: jitter,
    )
    return syncer.sync([target or Target("origin")], Accept()), pauses, transport


@pytest.mark.parametrize("jitter", [0.0, 0.5, 0.999])
def test_pauses_grow_and_are_bounded_and_so_are_the_tries(machines: Machines, jitter: float) -> None:
    a, _ = machines.pair()
    a.write("a.md", "a\n")
    a.save()
    outcome, pauses, transport = contest(a, 1000, jitter=jitter)
    ((name, error),) = outcome.failures
    assert (name, type(error)) == ("origin", PushRaced)
    assert "try again" in error.hint
    assert transport.pushed == transport.fetched == len(pauses) + 1 == 8
    assert pauses == sorted(set(pauses))
    assert 0 < pauses[0] < 0.1
    assert sum(pauses) < 30
    assert a.read("a.md") == b"a\n"
    a.assert_sound()
    a.sync()
    assert committed(machines.remote) == a.committed()


def test_machines_pause_differently(machines: Machines) -> None:
    a, _ = machines.pair()
    a.write("a.md", "a\n")
    a.save()
    one, other = (contest(a, 1000, jitter=jitter)[1] for jitter in (0.1, 0.9))
    assert all(left != right for left, right in zip(one, other, strict=True))


@pytest.mark.parametrize("times", [1, 3, 7])
def test_whoever_was_overtaken_merges_what_came_and_gets_in(machines: Machines, times: int) -> None:
    a, b = machines.pair({"a.md": "one\n\ntwo\n"})

    def overtake() -> None:
        b.write(f"b{len(b.notes())}.md", "b\n")
        b.write("a.md", b.read("a.md").replace(b"two", b"two b"))
        b.sync()

    a.write("a.md", "one a\n\ntwo\n")
    a.save()
    outcome, pauses, _ = contest(a, times, before_push=overtake)
    assert outcome.failures == ()
    (report,) = outcome.reports
    assert report.rounds == times + 1 == len(pauses) + 1
    assert report.received >= times
    b.sync()
    held = machines.assert_agreed()
    assert held["a.md"].startswith(b"one a\n\ntwo b")
    assert len(held) == times + 1


def test_a_push_without_a_pull_is_not_tried_again_and_again(machines: Machines) -> None:
    a, b = machines.pair()
    b.write("b.md", "b\n")
    b.sync()
    a.write("a.md", "a\n")
    a.save()
    outcome, pauses, transport = contest(a, 0, target=Target("origin", pull=False))
    ((_, error),) = outcome.failures
    assert isinstance(error, RemoteAhead)
    assert (pauses, transport.fetched, transport.pushed) == ([], 1, 1)
    assert "memtree sync" in error.hint
    memtree("sync", cwd=a.path)
    machines.settle()
    machines.assert_agreed()


def test_a_race_that_is_lost_for_good_is_remembered_for_status(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    a, _ = machines.pair()

    def overtaken(self: GitTransport, remote: str, branch: str, commit: CommitId) -> None:
        raise PushRaced(remote)

    monkeypatch.setattr("time.sleep", lambda _: None)
    with monkeypatch.context() as patch:
        patch.setattr(GitTransport, "push", overtaken)
        patch.setattr("memtree.engine.sync._FIRST_PAUSE", 0.0)
        a.write("a.md", "a\n")
        with pytest.raises(PushRaced):
            a.sync()
    (one,) = status(a.workspace).remotes
    assert (one.ahead, "same moment" in one.error) == (1, True)
    a.sync()
    (one,) = status(a.workspace).remotes
    assert (one.ahead, one.behind, one.error) == (0, 0, "")


def test_commits_are_counted_as_received_whenever_they_are_merged(machines: Machines) -> None:
    """Also when an earlier sync, or a plan, fetched them and went no further."""
    a, b = machines.pair()
    a.write("from-a.md", "a\n")
    a.sync()
    plan(b.workspace, Wanted())
    (report,) = run(b).reports
    assert (report.received, [str(change.path) for change in report.changes]) == (1, ["from-a.md"])


# -- clocks

_1980, _2100 = 315_532_800, 4_102_444_800


@pytest.mark.parametrize("now", [_1980, _2100, 0], ids=["1980", "2100", "1970"])
def test_a_clock_that_is_far_off_harms_nothing(tmp_path: Path, now: float) -> None:
    """B36: the machine with the wrong clock edits first, last, and at the same time; what is later by cause stays."""
    machines = Machines(tmp_path)
    a, b = machines.pair({"a.md": "one\n\ntwo\n\nthree\n", "gone.md": "gone\n"})
    b.reopen(clock=Clock(now))
    b.write("a.md", "one\n\ntwo by b\n\nthree\n")
    b.remove("gone.md")
    b.save()
    a.write("a.md", "one by a\n\ntwo\n\nthree\n")
    a.sync()
    b.sync()
    ours, theirs = b.git("log", "-1", "--format=%ct", "HEAD^1"), b.git("log", "-1", "--format=%ct", "HEAD^2")
    assert b.git("log", "-1", "--format=%ct %at") == " ".join([str(max(int(ours), int(theirs)))] * 2)
    a.sync()
    a.write("a.md", a.read("a.md").replace(b"two by b", b"two by b, and a was later"))
    a.sync()
    b.sync()
    b.write("a.md", b.read("a.md").replace(b"one by a", b"one by a, and b was later"))
    b.sync()
    machines.settle()
    assert machines.assert_agreed() == {"a.md": b"one by a, and b was later\n\ntwo by b, and a was later\n\nthree\n"}
    machines.close()


def test_a_clock_that_jumps_between_syncs_harms_nothing(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "0\n"})
    for number, jump in enumerate((_2100, -_2100, 3600, -86_400, 86_400 * 400, -86_400 * 800)):
        machines.clock.tick(jump)
        for machine in (a, b):
            machine.write(f"{os.path.basename(machine.path)}{number}.md", f"{number}\n")
            machine.sync()
        a.sync()
        a.assert_sound()
    a.remove("a.md")
    a.sync()
    machines.clock.tick(-3600)
    a.sync()
    machines.clock.tick(7200)
    machines.settle()
    assert set(machines.assert_agreed()) == {f"{name}{number}.md" for name in "ab" for number in range(6)}


# -- alarms and their advice


def rewrite(machines: Machines, tmp_path: Path) -> None:
    other = GitRepo(tmp_path / "rewriter")
    other.git("pull", "--quiet", machines.remote, "main")
    other.git("reset", "--quiet", "--hard", "HEAD~1")
    other.write("instead.md", "instead\n")
    other.commit("instead")
    other.git("push", "--quiet", "--force", machines.remote, "HEAD:main")


def a_replaced_history(machines: Machines) -> Machine:
    a = machines.first({"a.md": "one\n"})
    a.write("a.md", "two\n")
    a.sync()
    rewrite(machines, machines.folder)
    return a


def a_branch_that_is_gone(machines: Machines) -> Machine:
    a = machines.first({"a.md": "one\n"})
    shutil.rmtree(machines.remote)
    bare(Path(machines.remote))
    return a


def another_history(machines: Machines) -> Machine:
    machines.first({"a.md": "one\n"})
    b = machines.lonely({"b.md": "two\n"}, name="b")
    b.workspace.remotes.add("origin", machines.remote)
    return b


def many_deletions_there(machines: Machines) -> Machine:
    a, b = machines.pair({f"many/{number}.md": f"{number}\n" for number in range(40)})
    shutil.rmtree(a.full("many"))
    a.save(allow_mass_delete=True)
    a.sync()
    return b


def many_deletions_here(machines: Machines) -> Machine:
    _, b = machines.pair({f"many/{number}.md": f"{number}\n" for number in range(40)})
    shutil.rmtree(b.full("many"))
    return b


def a_secret_on_its_way(machines: Machines) -> Machine:
    a, _ = machines.pair()
    a.write("token.md", TOKEN)
    a.commit("by hand")
    return a


def commits_that_are_not_here(machines: Machines) -> Machine:
    a, b = machines.pair()
    a.write("a.md", "a\n")
    a.sync()
    b.write("b.md", "b\n")
    b.save()
    return b


# What raises it, what it is, the command that its hint names, and what a sync was asked to do.
ADVICE: dict[str, tuple[Callable[[Machines], Machine], type[Error], str, dict[str, bool]]] = {
    "a replaced history": (a_replaced_history, RemoteRewritten, "memtree sync --accept-rewritten", {}),
    "a branch that is gone": (a_branch_that_is_gone, RemoteBranchGone, "memtree sync --accept-rewritten", {}),
    "another history": (another_history, UnrelatedHistory, "memtree sync --accept-unrelated", {}),
    "many deletions there": (many_deletions_there, MassDeletion, "memtree sync --allow-mass-delete", {}),
    "many deletions here": (many_deletions_here, MassDeletion, "memtree save --allow-mass-delete", {}),
    "a secret on its way": (a_secret_on_its_way, PushBlocked, "memtree secrets allow", {}),
    "commits that are not here": (commits_that_are_not_here, RemoteAhead, "memtree sync", {"pull": False}),
}


@pytest.mark.parametrize("alarm", ADVICE)
def test_an_alarm_keeps_everything_as_it_was_and_its_advice_works(machines: Machines, alarm: str) -> None:
    make, kind, command, choices = ADVICE[alarm]
    machine = make(machines)
    before, tip, there = stamps(machine.path), machine.tip, refs(machines.remote)
    for _ in range(2):
        with pytest.raises(kind) as raised:
            machine.sync(**choices)
        assert (stamps(machine.path), machine.tip, refs(machines.remote)) == (before, tip, there)
        machine.assert_whole()
    hint = raised.value.hint
    assert command in hint
    words = shlex.split(command)
    if kind is PushBlocked:
        found = re.search(r"memtree secrets allow (\S+)", hint)
        assert found is not None
        words = shlex.split(found[0].rstrip(",;."))
    memtree(*words[1:], cwd=machine.path)
    if "sync" not in words:
        memtree("sync", cwd=machine.path)
    machine.assert_sound()
    assert committed(machines.remote) == machine.committed()


def test_a_sync_that_allows_a_mass_deletion_commits_and_sends_it_at_once(machines: Machines) -> None:
    b = many_deletions_here(machines)
    memtree("sync", "--allow-mass-delete", cwd=b.path)
    b.assert_sound()
    assert set(committed(machines.remote)) == {"memtree.toml"}


def test_the_advice_where_no_remote_is_works(machines: Machines) -> None:
    a = machines.lonely({"a.md": "a\n"})
    with pytest.raises(NoRemote) as raised:
        run(a)
    words = shlex.split(raised.value.hint.replace("URL", machines.remote))
    memtree(*words[1:], cwd=a.path)
    a.sync()
    assert committed(machines.remote) == a.committed()


def test_refused_paths_come_in_once_they_were_renamed_where_they_were_made(machines: Machines) -> None:
    a, b = machines.pair()
    os.symlink("/etc/passwd", a.full("evil"))
    a.git("add", "evil")
    a.git("commit", "--quiet", "-m", "a link that leaves")
    a.git("push", "--quiet", machines.remote, "HEAD:main")
    before = Before(b, (machines.remote,))
    ((_, error),) = run(b).failures
    assert isinstance(error, RefusedPaths)
    assert "remove it on the machine that made it" in error.hint
    assert before.look()[0] == before.held[0]
    a.git("rm", "--quiet", "evil")
    a.git("commit", "--quiet", "-m", "and goes")
    a.write("after.md", "after\n")
    a.save()
    a.sync()
    assert run(b).failures == ()
    assert b.notes()["after.md"] == b"after\n"


def test_an_uncommitted_file_outside_comes_along_once_it_was_moved(machines: Machines) -> None:
    a, b = machines.pair()
    b.write(".memtreeignore", "private.md\n")
    b.save()
    b.write("private.md", "mine\n")
    a.write("private.md", "from a\n")
    a.sync()
    ((_, error),) = run(b).failures
    assert isinstance(error, UncommittedOutside)
    assert "move it away" in error.hint
    b.move("private.md", "elsewhere.tmp")
    assert run(b).failures == ()
    assert b.read("private.md") == b"from a\n"
    assert b.read("elsewhere.tmp") == b"mine\n"
