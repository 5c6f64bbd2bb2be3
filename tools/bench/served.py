"""Served: a workspace's daemon as a process of its own, as `memtree daemon run` starts it, watched from outside."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memtree.engine.asked import Answered, Asked
from memtree.hooks.daemon.client import Client, connected
from memtree.hooks.daemon.searching import ask
from memtree.hooks.daemon.state import ServiceState, state_from
from memtree.hooks.place import Place, find_place
from memtree.tools.bench.corpus import environment
from memtree.tools.bench.process import Usage, usage

_PATIENCE = 3_600.0  # seconds: the first index of very many notes takes minutes
_ENDING = 60.0  # seconds
_LOOK = 0.01  # seconds between two looks
_SETTLED = 0.3  # seconds in which nothing goes on any more
_RESTING = 0.1  # seconds of processor time in a second


class Ended(Exception):
    """The daemon ended by itself, or does not get ready."""


class Served:
    """A daemon that runs. `ready_seconds` is how long it took from the start of the process until it answered."""

    def __init__(self, place: Place, process: subprocess.Popen[bytes]) -> None:
        self.place = place
        self.ready_seconds = 0.0
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def usage(self) -> Usage:
        return usage(self.pid)

    def state(self) -> ServiceState:
        with self.connected() as client:
            return state_from(client.call("state", {}))

    def search(self, words: str) -> Answered:
        """What the daemon answers to somebody who connects for this one question."""
        with self.connected() as client:
            return ask(client, Asked((words,)))

    def connected(self) -> Client:
        client = connected(self.place)
        if client is None:
            raise Ended(f"the daemon cannot be reached (exit code {self._process.poll()})")
        return client

    def is_current(self) -> bool:
        """Whether both indexes are at HEAD and nothing goes on."""
        state = self.state()
        indexes = [index for index in (state.index, state.vectors) if index is not None]
        at_rest = state.head is not None and not state.doing and not state.waiting
        return at_rest and all(index.commit == state.head for index in indexes)

    def settle(self) -> None:
        """Wait until the daemon has nothing to do any more."""
        self.wait(self.is_current)
        time.sleep(_SETTLED)
        self.wait(self.is_current)

    def rest(self) -> None:
        """Wait until the daemon does nothing beside either, such as making the graph of many vectors."""
        self.settle()
        before = -1.0
        while (used := self.usage().used) - before > _RESTING:
            before = used
            time.sleep(1.0)

    def wait(self, condition: Callable[[], bool], patience: float = _PATIENCE) -> float:
        """Wait until something holds; the seconds that took."""
        began = time.perf_counter()
        while not condition():
            if self._process.poll() is not None or time.perf_counter() - began > patience:
                raise Ended(f"waited in vain (exit code {self._process.poll()})")
            time.sleep(_LOOK)
        return time.perf_counter() - began

    def answers(self) -> bool:
        """Whether the daemon says hello."""
        client = connected(self.place)
        if client is None:
            return False
        with client:
            said = client.call("hello", {})
        return isinstance(said, dict) and said.get("pid") == self.pid


@contextmanager
def served(root: str) -> Iterator[Served]:
    """The daemon of a workspace, once it answers; it has ended afterwards."""
    place = find_place(root)
    assert place is not None
    command = (sys.executable, "-P", "-m", "memtree.tools", "-w", root, "daemon", "run")
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command, cwd=root, env=environment(), stdin=subprocess.DEVNULL, stdout=complaints, stderr=complaints
        )
        try:
            daemon = Served(place, process)
            began = time.perf_counter()
            try:
                daemon.wait(daemon.answers)
            except Ended as error:
                complaints.seek(0)
                raise Ended(f"{error}: {complaints.read().decode(errors='replace')}") from None
            daemon.ready_seconds = time.perf_counter() - began
            yield daemon
        finally:
            process.terminate()
            try:
                process.wait(_ENDING)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
