"""Several real workspaces and a remote under random hands: they agree in the end, and nothing that was saved is lost.

People edit files in any editor, programs write through the engine, machines are offline, killed, refused or overtaken, clocks jump,
and stock git merges in between. The oracle (support/oracle.py) follows every word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from memtree.engine.conflicts import OpenConflicts
from memtree.engine.resolve import resolve
from memtree.engine.sync import RemoteAhead
from memtree.engine.transport import RemoteRefused, RemoteUnreachable
from support.convergence import Fleet, forget_template, refuse
from support.device import Device, GitUser, quiet
from support.note_edits import EDITS, edited

WHO = st.integers(0, 3)
PATH = st.integers(0, 5)
KIND = st.sampled_from(EDITS)
PICKS = st.tuples(*[st.integers(0, 5)] * 3)
NEW_NAMES = ("notes/plan.md", "notes/new.md", "notes/deep/new.md", "notes/other/trip.md", "notes/new.txt", "notes/list.txt")
TROUBLE = (RemoteRefused, RemoteUnreachable)
Picks = tuple[int, ...]


class Convergence(RuleBasedStateMachine):
    @initialize(count=st.integers(2, 4))
    def begin(self, count: int) -> None:
        self.fleet = Fleet(count)
        self.refusing = False

    def device(self, who: int, among: Sequence[Device] = ()) -> Device:
        devices = among or self.fleet.devices
        return devices[who % len(devices)]

    def another(self, device: Device, pick: int) -> Device:
        return self.device(pick, [one for one in self.fleet.devices if one is not device])

    def chosen(self, who: int, path: int) -> tuple[Device, str]:
        """A device and one of its files, '' where there is none."""
        device = self.device(who)
        paths = device.paths()
        return device, paths[path % len(paths)] if paths else ""

    # -- hands on files
    @rule(who=WHO, path=PATH, kind=KIND, picks=PICKS, atomic=st.booleans(), then=st.sampled_from(["", "", "save", "sync"]))
    def edit(self, who: int, path: int, kind: str, picks: Picks, atomic: bool, then: str) -> None:
        device, name = self.chosen(who, path)
        if name:
            self.fleet.save_text(device, name, edited(name, device.read(name), kind, picks, self.fleet.words), atomic=atomic)
        if then == "save":
            self.save(who)
        elif then == "sync":
            self.exchange(device)

    @rule(path=PATH, kinds=st.tuples(KIND, KIND, KIND, KIND), picks=PICKS, apart=st.integers(0, 2), sync=st.booleans())
    def edit_at_once(self, path: int, kinds: tuple[str, ...], picks: Picks, apart: int, sync: bool) -> None:
        """Everybody edits one file, at one place or places apart, before anybody sees what the others do."""
        name = self.chosen(0, path)[1]
        for number, (device, kind) in enumerate(zip(self.fleet.devices, kinds, strict=False)):
            if os.path.isfile(device.full(name)):
                places = (picks[0] + number * apart, *picks[1:])
                after = edited(name, device.read(name), kind, places, self.fleet.words)
                self.fleet.save_text(device, name, after, atomic=True)
        if sync:
            self.sync_all()

    @rule(who=WHO, name=st.sampled_from(NEW_NAMES), picks=PICKS)
    def create(self, who: int, name: str, picks: Picks) -> None:
        device = self.device(who)
        if not os.path.lexists(device.full(name)):
            self.fleet.save_text(device, name, edited(name, b"", "rewrite", picks, self.fleet.words), atomic=False)

    @rule(who=WHO, path=PATH, name=st.sampled_from(NEW_NAMES))
    def rename(self, who: int, path: int, name: str) -> None:
        device, source = self.chosen(who, path)
        if source and source.rpartition(".")[2] == name.rpartition(".")[2] and not os.path.lexists(device.full(name)):
            self.fleet.rename(device, source, name)

    @rule(who=WHO, path=PATH)
    def delete(self, who: int, path: int) -> None:
        device, name = self.chosen(who, path)
        if name:
            self.fleet.remove(device, name)

    @rule(who=WHO, path=PATH)
    def open_buffer(self, who: int, path: int) -> None:
        device, name = self.chosen(who, path)
        if name:
            self.fleet.open_buffer(device, name)

    @rule(who=WHO, path=PATH, other=WHO, kinds=st.tuples(KIND, KIND), picks=PICKS, theirs=PICKS, syncs=st.booleans())
    def save_from_before_a_pull(
        self, who: int, path: int, other: int, kinds: tuple[str, str], picks: Picks, theirs: Picks, syncs: bool
    ) -> None:
        """A file is open in an editor while a pull brings an edit of it; then it is edited and saved."""
        device, name = self.chosen(who, path)
        if syncs:
            self.exchange(device)
        if not os.path.isfile(device.full(name)):
            return
        self.fleet.open_buffer(device, name)
        self.edit_beside(self.another(device, other), name, kinds[0], theirs)
        self.exchange(device)
        self.fleet.save_buffer(device, name, edited(name, device.buffers[name].data, kinds[1], picks, self.fleet.words))

    def edit_beside(self, other: Device, name: str, kind: str, picks: Picks) -> None:
        """On another machine the file is edited, too, and synced."""
        self.exchange(other)
        if os.path.isfile(other.full(name)):
            after = edited(name, other.read(name), kind, picks, self.fleet.words)
            self.fleet.save_text(other, name, after, atomic=True)
            self.exchange(other)

    @precondition(lambda self: any(device.buffers for device in self.fleet.devices))
    @rule(who=WHO, kind=KIND, picks=PICKS, keep=st.booleans())
    def save_buffer(self, who: int, kind: str, picks: Picks, keep: bool) -> None:
        """A buffer that was opened a while ago is edited and saved now."""
        device = self.device(who, [device for device in self.fleet.devices if device.buffers])
        name = min(device.buffers)
        self.fleet.save_buffer(device, name, edited(name, device.buffers[name].data, kind, picks, self.fleet.words))
        if keep:
            self.fleet.open_buffer(device, name)

    # -- programs that write through the engine
    @rule(who=WHO, path=PATH, kind=KIND, picks=PICKS)
    def write(self, who: int, path: int, kind: str, picks: Picks) -> None:
        device = self.device(who)
        name = self.fleet.committed_path(device, path)
        if name:
            self.fleet.read(device, name)
            self.fleet.write(device, name, kind, picks)
            self.fleet.check(device)

    @rule(who=WHO, path=PATH)
    def read(self, who: int, path: int) -> None:
        """A program reads a file, and thinks."""
        device = self.device(who)
        name = self.fleet.committed_path(device, path)
        if name:
            self.fleet.read(device, name)

    @precondition(lambda self: any(device.readings for device in self.fleet.devices))
    @rule(who=WHO, kind=KIND, picks=PICKS)
    def write_later(self, who: int, kind: str, picks: Picks) -> None:
        device = self.device(who, [device for device in self.fleet.devices if device.readings])
        for name in sorted(device.readings)[:1]:
            self.fleet.write(device, name, kind, picks)
            self.fleet.check(device)

    @rule(who=WHO, under=st.sampled_from(["Patterns", "Facts"]))
    def remember(self, who: int, under: str) -> None:
        """An entry with an id of its own goes to the end of a list of MEMORY.md."""
        device = self.device(who)
        if self.fleet.remember(device, under):
            self.fleet.check(device)

    @precondition(lambda self: self.fleet.with_conflicts())
    @rule(who=WHO, which=PATH, take=st.integers(1, 3))
    def resolve(self, who: int, which: int, take: int) -> None:
        device = self.device(who, self.fleet.with_conflicts())
        device.save()
        self.fleet.check(device, saved=True)
        found = OpenConflicts(device.workspace.repo, device.workspace.places.folder).all()
        if found:
            conflict = found[which % len(found)]
            chosen = 1 + take % len(conflict.versions)
            self.fleet.note_resolution(device, conflict, chosen)
            resolve(device.workspace, conflict, chosen)
            self.fleet.check(device, saved=True)

    # -- the engine's verbs
    @rule(who=WHO)
    def save(self, who: int) -> None:
        device = self.device(who)
        device.save()
        self.fleet.check(device, saved=True)

    @rule(who=WHO)
    def sync(self, who: int) -> None:
        self.exchange(self.device(who))

    @rule()
    def sync_all(self) -> None:
        for device in self.fleet.devices:
            self.exchange(device)

    @rule(who=WHO, push=st.booleans())
    def sync_one_way(self, who: int, push: bool) -> None:
        self.exchange(self.device(who), push=push, pull=not push)

    @rule(who=WHO, other=WHO)
    def overtaken_sync(self, who: int, other: int) -> None:
        """Another machine pushes just before this one does."""
        device = self.device(who)
        todo = [self.another(device, other)]

        def say(words: str) -> None:
            if words.startswith("sending") and todo:
                self.exchange(todo.pop())

        self.exchange(device, say)

    def exchange(self, device: Device, say: Callable[[str], None] = quiet, *, pull: bool = True, push: bool = True) -> None:
        try:
            device.exchange(say, pull=pull, push=push)
        except TROUBLE:
            assert self.refusing or not device.online
        except RemoteAhead:
            assert not pull
        self.fleet.check(device, saved=True)

    @rule(who=WHO, step=st.integers(1, 70), verb=st.sampled_from(["save", "sync", "sync", "write"]), path=PATH, picks=PICKS)
    def killed(self, who: int, step: int, verb: str, path: int, picks: Picks) -> None:
        """The process ends at some step of what it does."""
        device = self.device(who)
        name = self.fleet.committed_path(device, path)
        with device.dying(step) as observe:
            try:
                if verb == "save":
                    device.save()
                elif verb == "sync":
                    device.exchange(observe)
                elif name:
                    self.fleet.read(device, name)
                    self.fleet.write(device, name, "word", picks, lives=False)
            except TROUBLE:
                pass
        self.fleet.check(device)

    # -- the world around
    @rule(who=WHO)
    def network_changes(self, who: int) -> None:
        device = self.device(who)
        device.connect(not device.online)

    @rule()
    def remote_changes_its_mind(self) -> None:
        self.refusing = not self.refusing
        refuse(self.fleet.remote, self.refusing)

    @rule(who=WHO, seconds=st.sampled_from([3, 3, 600, 4000, 3 * 365 * 86400, -3, -4000, -2 * 365 * 86400]))
    def clock_jumps(self, who: int, seconds: int) -> None:
        self.device(who).time.tick(seconds)

    # -- a person with stock git
    @rule(who=WHO)
    def git_commit(self, who: int) -> None:
        device = self.device(who)
        GitUser(device).commit()
        self.fleet.check(device)

    @rule(who=WHO, other=WHO, hub=st.booleans(), path=PATH, picks=PICKS, driver=st.booleans(), commits=st.booleans())
    def git_pull(self, who: int, other: int, hub: bool, path: int, picks: Picks, driver: bool, commits: bool) -> None:
        """A plain `git pull` from the remote, or right from another machine, of an edit of what was edited here too.

        A conflict is committed with whatever git left there, or given up.
        """
        device, name = self.chosen(who, path)
        if name:
            self.edit_beside(self.another(device, other), name, "word", picks)
            self.fleet.save_text(device, name, edited(name, device.read(name), "word", picks, self.fleet.words), atomic=True)
        user = GitUser(device)
        user.commit()
        torn = user.pull("origin" if hub else self.another(device, other).path, driver=driver, commits=commits)
        self.fleet.note_markers(device, torn)
        self.fleet.check(device)

    @rule(who=WHO)
    def git_gc(self, who: int) -> None:
        GitUser(self.device(who)).gc()

    # -- the end
    def teardown(self) -> None:
        if not hasattr(self, "fleet"):
            return
        try:
            if sys.exc_info()[0] is None:
                self.fleet.settle()
                self.fleet.check_end()
        finally:
            self.fleet.close()


@pytest.fixture(autouse=True, scope="module")
def _template() -> Iterator[None]:
    yield
    forget_template()


class TestConvergence(Convergence.TestCase):
    settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


@pytest.mark.deep
class TestConvergenceDeep(Convergence.TestCase):
    settings = settings(max_examples=500, stateful_step_count=40, deadline=None, derandomize=False)
