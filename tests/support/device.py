"""A device: a workspace with its user, its clock, the buffers of its editor, and an end that may come at any step."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from memtree.engine.exchange import Wanted, exchange
from memtree.engine.store.report import GitBusy
from memtree.engine.workspace import Workspace
from support.machines import Clock, Machine
from support.note_edits import words_in


class Killed(BaseException):
    """The process is gone; no code of the engine's may catch it."""


class Unindexed(Workspace):
    """A workspace whose indexes stay where they are: they are no part of what must converge, and cost most of the time."""

    def refresh_index(self, progress: Callable[[int], None] | None = None) -> list[str]:
        return []


@dataclass(frozen=True, slots=True)
class Buffer:
    """A text as somebody read it: after how many acts, at which commit of its device, and when by its clock.

    `by_hand` counts what had been done there with stock git.
    """

    data: bytes
    since: int
    view: str
    time: float
    by_hand: int


def quiet(_words: str) -> None:
    """Somebody who does not listen."""


class Device(Machine):
    """A machine with a name, a clock of its own, buffers of its editor, and an end that may come at any step."""

    def __init__(self, name: str, workspace: Workspace, clock: Clock) -> None:
        super().__init__(workspace)
        self.name = name
        self.time = clock
        self.seen: set[bytes] = set()  # words that were in its commits
        self.url = self.git("config", "remote.origin.url")
        self.online = True
        self.by_hand = 0  # what its user did with stock git
        self.buffers: dict[str, Buffer] = {}  # of an editor, by path
        self.readings: dict[str, Buffer] = {}  # of a program, by path

    def paths(self) -> list[str]:
        return sorted(self.notes())

    def tip_now(self) -> str:
        return str(self.workspace.repo.tip("HEAD") or "")

    def held(self) -> set[bytes]:
        """The words of the commit that the branch is at."""
        repo = self.workspace.repo
        found: set[bytes] = set()
        for _, entry in repo.files(repo.tip("HEAD")):
            found |= words_in(repo.blob(entry.id))
        return found

    def shown(self) -> set[bytes]:
        """The words that stand on the disk."""
        return {word for data in self.notes().values() for word in words_in(data)}

    def elsewhere(self, path: str) -> set[bytes]:
        return {word for name, data in self.notes().items() if name != path for word in words_in(data)}

    def brought_back(self) -> set[bytes]:
        """The words that merges of saves from before a pull put back."""
        text = self.git("log", "-p", "-U0", "--format=", "--grep=^merge a save of .* from before the pull$")
        return {word for line in text.splitlines() if line.startswith("+") for word in words_in(line.encode())}

    def exchange(self, say: Callable[[str], None], *, pull: bool = True, push: bool = True) -> None:
        """Sync; raise what went wrong."""
        done = exchange(self.workspace, Wanted(pull=pull, push=push), say=say)
        for _, error in done.failures:
            raise error

    def connect(self, online: bool) -> None:
        self.online = online
        self.git("config", "remote.origin.url", self.url if online else self.url + "-away")

    def revive(self) -> None:
        """The next process opens the workspace."""
        self.workspace.close()
        options = self.workspace.options
        self.workspace = Unindexed.open(self.path, options)

    @contextlib.contextmanager
    def dying(self, step: int) -> Iterator[Callable[[str], None]]:
        """The process is killed at its n-th step on disk (or word to the user), if it gets so far; then the next one starts."""
        left = step

        def observe(_step: str, _path: str = "") -> None:
            nonlocal left
            left -= 1
            if left <= 0:  # from then on nothing happens any more, whatever wants to tidy up
                raise Killed

        self.workspace = Unindexed.open(self.path, replace(self.workspace.options, observe=observe))
        try:
            yield observe
        except Killed:
            pass
        finally:
            self.workspace.options = replace(self.workspace.options, observe=lambda _step, _path: None)
            self.revive()


class GitUser:
    """A person who uses stock git in a workspace."""

    def __init__(self, device: Device) -> None:
        self._device = device
        device.by_hand += 1

    def _try(self, *arguments: str) -> bool:
        try:
            self._device.git(*arguments)
        except AssertionError:
            return False
        return True

    def commit(self) -> None:
        # A killed run can have left git locked until the next command of ours.
        if self._try("add", "--all"):
            self._try("commit", "--quiet", "-m", "by hand")

    def pull(self, source: str, *, driver: bool, commits: bool) -> dict[str, bytes]:
        """Pull from a remote or a folder; commit a conflict as git left it, or give up. Answers with the files that got markers."""
        device = self._device
        locked = os.path.lexists(os.path.join(device.path, ".git", "index.lock"))  # by a killed run, until our next command
        if not driver:
            self._try("config", "--unset", "merge.memtree.driver")
        if self._try("pull", "--quiet", "--no-rebase", "--no-edit", source, "main"):
            return {}
        if not os.path.exists(os.path.join(device.path, ".git", "MERGE_HEAD")):
            return {}  # offline, or edits in the way: git did nothing
        if locked:
            # Git could not write what it merged, and would take a commit now for the end of the merge.
            with contextlib.suppress(GitBusy):
                device.workspace.store.recover()
        if locked or not commits:
            device.git("merge", "--abort")
            return {}
        torn = {path: data for path, data in device.notes().items() if b"\n>>>>>>> " in data}
        device.git("add", "--all")
        device.git("commit", "--quiet", "--no-edit")
        return torn

    def gc(self) -> None:
        self._try("gc", "--quiet")
