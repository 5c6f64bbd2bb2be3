"""Daemons: processes that serve, write and sync workspaces, started within milliseconds and killed at will; what must hold then.

`Zygote` is the program that they are forked from (daemonrun.py). `Household` is a workspace with a remote and another machine.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memtree.engine.files import Durability
from memtree.engine.settings import FILE_NAME
from memtree.engine.workspace import Options, Workspace
from memtree.hooks.daemon.client import Client, Unreachable
from memtree.hooks.daemon.log import DaemonLog
from memtree.hooks.daemon.state import ServiceState, state_from
from memtree.tree.errors import Error
from support.daemon import place_of
from support.faultcheck import leftovers
from support.faultlab import quick_folder
from support.gitrepo import GitRepo
from support.machines import bare, committed, disk

PATIENCE = 120.0  # seconds for what takes one
_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "daemonrun.py")
_TOKEN = re.compile(rb"\bx[a-z]+[0-9]*q[0-9]+q[0-9]+x\b")
_MARKER = re.compile(rb"(?m)^(<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)")

QUICK = "\n[watch]\nquiet = 0.05\nmaximum = 0.3\nscan = 5.0\nsync_delay = 0.1\nsync_interval = 10.0\n"


def until(
    condition: Callable[[], bool],
    what: str,
    patience: float = PATIENCE,
    pause: float = 0.01,
    but: Callable[[], object] = lambda: "",
) -> None:
    """Wait for it; fail with what was waited for, and how it is instead."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}: {but()}"
        time.sleep(pause)


class Zygote:
    """Forks processes by kind, and ends them all. `errors` is what they said that went wrong."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._errors = os.path.join(folder, "errors")
        os.makedirs(self._errors)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "MEMTREE_"))}
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
        self._process = subprocess.Popen(
            [sys.executable, _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._serial = itertools.count(1)
        assert self._said() == "ready"

    def fork(self, kind: str, **arguments: Any) -> int:
        """Start one; answers with its process id."""
        errors = os.path.join(self._errors, f"{next(self._serial)}-{kind}")
        pid = self._ask(do="fork", kind=kind, arguments=arguments, errors=errors)
        assert pid is not None
        return pid

    def kill(self, pid: int, number: int = signal.SIGKILL, patience: float = PATIENCE) -> int | None:
        """Send a signal and wait for the end: how it ended, None when it goes on."""
        return self._ask(do="end", pid=pid, signal=number, patience=patience)

    def wait(self, pid: int, patience: float = PATIENCE) -> int | None:
        return self._ask(do="end", pid=pid, patience=patience)

    def run(self, kind: str, **arguments: Any) -> None:
        """Start one and wait until it has done well."""
        pid = self.fork(kind, **arguments)
        code = self.wait(pid)
        assert code == 0, (kind, code, self.errors())

    def errors(self) -> list[str]:
        return [f"{path.name}: {text}" for path in sorted(Path(self._errors).iterdir()) if (text := path.read_text())]

    def _ask(self, **asked: Any) -> int | None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: int | None = json.loads(self._said())
        return answer

    def _said(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line, f"the program ended with {self._process.poll()}"
        return line

    def close(self) -> None:
        """End everything that was forked, and the program."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def options(**more: Any) -> Options:
    return Options(durability=Durability.FAST, lock_timeout=30.0, git_lock_timeout=10.0, **more)


def workspace_at(folder: str, watch: str = QUICK, notes: int = 3) -> GitRepo:
    """A workspace with a few notes, whose daemon is quick."""
    with Workspace.init(folder, options=options())[0] as workspace:
        repo = GitRepo(folder)
        repo.git("config", "user.name", "Ada")
        repo.git("config", "user.email", "ada@example.com")
        with open(os.path.join(folder, FILE_NAME), "a", encoding="utf-8") as file:
            file.write(watch)
        for number in range(notes):
            repo.write(f"notes/first-{number}.md", f"# First {number}\n\nsomething to begin with\n")
        workspace.save()
    return repo


class Served:
    """A workspace and its daemon, which runs in a process forked from the zygote."""

    def __init__(self, zygote: Zygote, repo: GitRepo) -> None:
        self.zygote, self.repo, self.root = zygote, repo, repo.path
        self.place = place_of(repo.path)
        self.pid: int | None = None

    # -- the process
    def start(self, **how: Any) -> int:
        assert self.pid is None
        self.pid = self.zygote.fork("daemon", root=self.root, **how)
        return self.pid

    def kill(self, number: int = signal.SIGKILL) -> int | None:
        assert self.pid is not None
        pid, self.pid = self.pid, None
        return self.zygote.kill(pid, number)

    def died(self, patience: float) -> bool:
        """Whether it ended by itself within so many seconds."""
        assert self.pid is not None
        if self.zygote.wait(self.pid, patience) is None:
            return False
        self.pid = None
        return True

    # -- what it answers
    def ask(self, method: str, patience: float = PATIENCE, **params: object) -> Any:
        """What the daemon answers; None when nobody does."""
        client = Client.of(self.place)
        if client is None:
            return None
        with client, contextlib.suppress(Unreachable):
            return client.call(method, params, patience=patience)
        return None

    def state(self) -> ServiceState:
        found: list[ServiceState] = []

        def told() -> bool:
            answer = self.ask("state")
            found[:] = [state_from(answer)] if answer is not None else []
            return bool(found)

        until(told, "the daemon's answer")
        return found[0]

    def answers(self) -> None:
        until(lambda: (hello := self.ask("hello")) is not None and hello["pid"] == self.pid, "the daemon to answer")

    def told(self, words: str) -> None:
        """Wait until the daemon says this of what is wrong."""
        until(lambda: any(words in what for what in self.troubles()), f"the trouble {words!r}", but=self.troubles)

    def mended(self) -> None:
        """Wait until nothing is wrong any more."""
        until(lambda: self.troubles() == [], "the trouble to be over", but=self.troubles)

    def troubles(self) -> list[str]:
        return [trouble.what for trouble in self.state().troubles]

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        found = DaemonLog(self.place.state).read(100_000)
        return [one for one in found if kind in ("", one["event"])]

    # -- how it stands
    def status(self) -> str:
        done = subprocess.run(
            ("git", "--no-optional-locks", "status", "--porcelain", "-uall"),
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    def head(self) -> str:
        return self.repo.git("rev-parse", "HEAD")

    def flushed(self) -> None:
        """Let the daemon commit and index everything that is there."""
        self.answers()

        def clean() -> bool:
            with contextlib.suppress(Error):
                self.ask("flush")
            return self.status() == ""

        until(clean, "everything to be committed", pause=0.05, but=lambda: (self.status(), self.troubles()))

    def settled(self, words: str) -> None:
        """Wait until the daemon by itself has committed what holds these words, and all else."""
        until(
            lambda: self.has(words) and self.status() == "",
            f"{words} in HEAD",
            pause=0.03,
            but=lambda: (self.status(), self.troubles()),
        )

    def has(self, words: str) -> bool:
        done = subprocess.run(("git", "grep", "-qF", words, "HEAD"), cwd=self.root, capture_output=True, check=False)
        return done.returncode == 0

    def assert_sound(self) -> None:
        """Nothing half-done, nothing broken, nothing torn. Ask only when nobody writes."""
        assert self.status() == ""
        assert leftovers(self.root) == []
        assert fsck(self.root) == ""
        assert committed(self.root) == {path: data for path, data in disk(self.root).items() if not path.endswith(".tmp")}
        assert [path for path, data in disk(self.root).items() if _MARKER.search(data)] == []
        assert self.events("bug") == []
        assert self.zygote.errors() == []

    def assert_indexes(self, folder: str) -> None:
        """The indexes are what a build from nothing gives."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        found = Path(folder, "found.json")
        self.zygote.run("compare", root=self.root, folder=folder, found=str(found))
        assert json.loads(found.read_text()) == []


def fsck(root: str, *how: str) -> str:
    words = ("git", "fsck", "--no-dangling", "--no-progress", *(how or ("--full", "--strict")))
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("dangling")]
    return "\n".join(said) or ("" if done.returncode == 0 else f"exit {done.returncode}")


def said(folder: str) -> tuple[set[str], set[str]]:
    """What the writers who told in this folder had stored, and what they began to store at all."""
    lines = [line.split() for path in Path(folder).iterdir() for line in path.read_text().splitlines()]
    return {token for what, token in lines if what == "done"}, {token for what, token in lines if what == "try"}


def tokens(files: dict[str, bytes]) -> Counter[str]:
    """How often each word of a writer stands in the texts (a name of a file is none)."""
    return Counter(found.decode() for path, data in files.items() for found in _TOKEN.findall(_body(path, data)))


def _body(path: str, data: bytes) -> bytes:
    """A turn's file says in its header which message it is, by the same word."""
    return data.split(b"\n---\n", 1)[-1] if data.startswith(b"---\n") else data


def wrongs(files: dict[str, bytes], done: set[str], begun: set[str]) -> list[str]:
    """Entries that are lost, that stand twice, or that nobody wrote."""
    found = tokens(files)
    problems = [f"lost: {token}" for token in sorted(done) if not found[token]]
    problems += [f"{count} times: {token}" for token, count in sorted(found.items()) if count > 1]
    return problems + [f"nobody's: {token}" for token in sorted(found.keys() - begun)]


class Household:
    """Workspace `a`, served; its remote; and workspace `b`, another machine. All in memory where there is room for that."""

    def __init__(self) -> None:
        self.folder = quick_folder()
        self.zygote = Zygote(self.folder)
        try:
            self.remote = bare(Path(self.folder) / "remote.git")
            self.a = Served(self.zygote, workspace_at(os.path.join(self.folder, "a")))
            with Workspace.open(self.a.root, options()) as workspace:
                workspace.remotes.add("origin", self.remote)
                workspace.sync()
            self.b = os.path.join(self.folder, "b")
            Workspace.clone(self.remote, self.b, options())[0].close()
        except BaseException:
            self.close()
            raise
        self.said = os.path.join(self.folder, "said")
        os.makedirs(self.said)

    def close(self) -> None:
        self.zygote.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def converged(self) -> None:
        """Let both machines come to the same commit."""

        def same() -> bool:
            self.zygote.run("sync", root=self.b)
            before = [self.a.head(), GitRepo(self.b).git("rev-parse", "HEAD")]
            if before[0] == before[1]:
                return True
            self.a.ask("sync")
            time.sleep(0.1)
            return False

        until(same, "both machines to hold the same", pause=0.05)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


@contextlib.contextmanager
def served(zygote: Zygote, folder: str, notes: int = 3, **how: Any) -> Iterator[Served]:
    """A workspace of its own whose daemon runs; it ends with the test."""
    one = Served(zygote, workspace_at(folder, notes=notes))
    one.start(**how)
    try:
        one.answers()
        yield one
    finally:
        if one.pid is not None:
            one.kill()
