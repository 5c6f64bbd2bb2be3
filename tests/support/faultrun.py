"""The subprocess driver of the fault suite: runs one scenario again and again, and lets something go wrong each time.

Started as a program, it is single-threaded and forks a driver for who connects to its door, and that one a child per run: the child
opens the workspace with an observer that kills its process, races an outside edit or raises an error at a chosen step; another
child reopens the workspace and looks. One JSON request a line, one JSON answer a line. Parts of the store can be switched off here,
and only here, to show that the checks notice.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

import pygit2

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memtree.engine.files import Durability, Files
from memtree.engine.store.displaced import Displaced
from memtree.engine.store.git_index import GitIndex
from memtree.engine.store.refs import RefMover
from memtree.engine.store.store import Store
from memtree.engine.store.working_copy import PathBlocked, WorkingCopy
from memtree.engine.workspace import Options, Workspace
from memtree.tree.errors import Error
from support.faultcheck import Reopened, examine, judge, tree_of
from support.faultscenarios import SCENARIOS, Scenario

WRITING = {
    "create", "write", "append", "symlink", "link", "mkdir", "rename", "rename_new", "exchange", "unlink", "rmdir", "utime",
    "fsync", "fsync_folder", "object",
}  # fmt: skip
GROWING = WRITING - {"unlink", "rmdir", "utime", "rename", "rename_new", "exchange"}  # what a full disk refuses


@dataclass(frozen=True)
class Job:
    """One run. Steps count from 1 in each process; `kills` are for the first process, the second that recovers, and so on."""

    kills: tuple[int, ...] = ()
    races: tuple[tuple[int, str, str], ...] = ()  # step, kind of edit, path
    after: tuple[tuple[str, str], ...] = ()  # edits between the kill and the reopening
    error: tuple[int, str, bool] | None = None  # step, name of the errno, whether it stays
    retry: bool = False  # the same process tries again after the error is gone
    straight: bool = False  # the next process saves at once, without looking first


@dataclass
class Outcome:
    problems: list[str] = field(default_factory=list)
    killed: bool = False
    failed: str = ""
    raced: int = 0
    steps: int = 0


# -- what a child does


class Faults:
    """The observer: counts steps and does at each what the job says."""

    def __init__(self, root: str, job: Job, kill: int, say: Callable[[str], None]) -> None:
        self._root = root
        self._job = job
        self._kill = kill
        self._say = say
        self.step = 0
        self.trace: list[tuple[str, str]] = []
        self.armed = True

    def __call__(self, step: str, path: str) -> None:
        if not self.armed:
            return
        self.step += 1
        self.trace.append((step, path))
        for at, kind, target in self._job.races:
            if at == self.step:
                race(self._root, kind, target, self.step, self._say)
        if self.step == self._kill:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._job.error is not None:
            at, name, stays = self._job.error
            refused = WRITING if name == "EROFS" else GROWING
            if self.step == at or (stays and self.step > at and step in refused):
                code = getattr(errno, name)
                raise OSError(code, os.strerror(code), path)


def race(root: str, kind: str, path: str, step: int, say: Callable[[str], None]) -> None:
    """An outside program's edit. It says which text it added, and which earlier outside texts it took away itself."""
    full, text = os.path.join(root, path), token(step)
    if path and os.path.isdir(full):
        return
    before = ""
    if os.path.isfile(full):
        with open(full, encoding="utf-8") as file:
            before = file.read()
    if kind in ("commit", "commit-same"):
        if commit_beside(root, path if kind == "commit-same" else f"beside/{step}.md", text.encode()):
            say(f"raced {text}")
        return
    if kind in ("git-commit", "git-reset"):
        if by_git(root, kind, path, text):
            say(f"raced {text if kind == 'git-commit' else ''}")
        return
    if kind in ("delete", "stale", "folder"):
        for line in before.splitlines():
            say(f"undone {line}")
    if kind in ("delete", "folder") and before:
        os.unlink(full)
    if kind == "delete":
        say("raced ")
        return
    os.makedirs(full if kind == "folder" else os.path.dirname(full), exist_ok=True)
    if kind == "append":
        with open(full, "a", encoding="utf-8") as file:
            file.write(text)
    else:
        full = os.path.join(full, "inside.md") if kind == "folder" else full
        with open(full + ".swp", "w", encoding="utf-8") as file:
            file.write(before + text if kind == "replace" else text)
        os.rename(full + ".swp", full)
    say(f"raced {text}")


def by_git(root: str, kind: str, path: str, text: str) -> bool:
    """A person who finds git locked after a crash, removes the locks, and goes on with git."""
    for lock in ("index.lock", "refs/heads/main.lock"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(root, ".git", lock))
    if kind == "git-reset":
        return _git(root, "reset", "--quiet", "--hard")
    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
    with open(os.path.join(root, path), "a", encoding="utf-8") as file:
        file.write(text)
    identity = ("-c", "user.name=Person", "-c", "user.email=person@example.com")
    return _git(root, "add", path) and _git(root, *identity, "commit", "--quiet", "-m", "a person's")


def _git(root: str, *arguments: str) -> bool:
    return subprocess.run(("git", *arguments), cwd=root, capture_output=True, check=False).returncode == 0


def token(step: int) -> str:
    return f"raced-{step}.\n"


def commit_beside(root: str, path: str, text: bytes) -> bool:
    """Another program's commit that moves the branch, made by plumbing: no index and no file is touched."""
    repo = pygit2.Repository(root)
    ref = repo.references.get("refs/heads/main")
    tip = repo[ref.target].peel(pygit2.Commit) if ref is not None else None
    index = pygit2.Index()
    if tip is not None:
        index.read_tree(tip.tree)
    index.add(pygit2.IndexEntry(path, repo.create_blob(text), pygit2.enums.FileMode.BLOB))
    who = pygit2.Signature("Git", "git@example.com")
    parents = [tip.id] if tip is not None else []
    made = repo.create_commit(None, who, who, "beside", index.write_tree(repo), parents)
    return _git(root, "update-ref", "refs/heads/main", str(made), str(tip.id) if tip is not None else "0" * 40)


def options(observe: Faults, durability: str) -> Options:
    return Options(durability=Durability(durability), observe=observe, lock_timeout=5.0, git_lock_timeout=0.3)


def run_scenario(root: str, scenario: Scenario, job: Job, durability: str, say: Callable[[str], None]) -> None:
    """The first process: all operations in order, each acknowledged."""
    faults = Faults(root, job, job.kills[0] if job.kills else 0, say)
    try:
        with Workspace.open(root, options(faults, durability)) as workspace:
            for operation in scenario.operations:
                try:
                    operation(workspace)
                except (Error, OSError) as error:
                    if not (job.error or job.races):
                        raise
                    say(f"failed {type(error).__name__}: {error}")
                    if not job.retry:
                        return
                    faults.armed = False
                    operation(workspace)
                say("ack")
    finally:
        say(f"steps {faults.step}")
        say("trace " + json.dumps(faults.trace) if not job.kills else "trace []")


def reopen(root: str, job: Job, attempt: int, durability: str, say: Callable[[str], None]) -> None:
    """A later process: recover and look, then save what is left as a person would, and look again."""
    faults = Faults(root, Job(), job.kills[attempt] if attempt < len(job.kills) else 0, say)
    with Workspace.open(root, options(faults, durability)) as workspace:
        try:
            if not job.straight:
                workspace.store.recover()
        except PathBlocked as error:
            os.rename(os.path.join(root, error.path), os.path.join(root, f"{error.path}-aside"))  # as its hint says
            workspace.store.recover()
        first = examine(root) if not job.straight else None
        workspace.capture.take(message="saved\n\nMemtree-Writer: editor\n")
    last = examine(root, thorough=True)
    say("seen " + json.dumps([asdict(first or last), asdict(last)]))


# -- the driver

DOOR = "door"  # the socket in the program's folder


def child(work: Callable[[Callable[[str], None]], None]) -> tuple[list[str], int]:
    """Run `work` in a forked process; return what it said and how it ended (a negative number is a signal).

    What the child had to import is imported here too, so that the children after it need not.
    """
    known = set(sys.modules)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        code = 0
        try:
            work(lambda text: os.write(writing, text.encode() + b"\n") and None)
            for name in sys.modules.keys() - known:
                os.write(writing, f"imported {name}\n".encode())
        except BaseException:  # noqa: BLE001 - a crash of the child is told, not raised
            os.write(writing, b"crash " + json.dumps(traceback.format_exc()).encode() + b"\n")
            code = 1
        os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode().splitlines()
    _, status = os.waitpid(pid, 0)
    for name in sorted(line[9:] for line in said if line.startswith("imported ")):
        with contextlib.suppress(ImportError):  # some libraries make up modules of their own
            importlib.import_module(name)
    return [line for line in said if not line.startswith("imported ")], os.waitstatus_to_exitcode(status)


class Driver:
    def __init__(self, folder: str, scenario: Scenario, durability: str) -> None:
        self._folder = folder
        self._scenario = scenario
        self._durability = durability
        self._template = os.path.join(folder, "template")
        self._serial = 0
        os.makedirs(self._template)
        self._child(lambda _say: scenario.build(self._template))
        self._trees = [tree_of(os.path.join(self._template, "ws"))]
        self.trace: list[tuple[str, str]] = []
        self._reference()

    def _child(self, work: Callable[[Callable[[str], None]], None]) -> list[str]:
        said, code = child(work)
        if code:
            raise RuntimeError("\n".join(said))
        return said

    def _reference(self) -> None:
        """A run in which nothing goes wrong: its steps, and the tree after each operation."""
        with self._copy() as root:

            def work(say: Callable[[str], None]) -> None:
                def noted(text: str) -> None:
                    if text == "ack":
                        say("tree " + json.dumps(tree_of(root)))
                    say(text)

                run_scenario(root, self._scenario, Job(), self._durability, noted)

            said = self._child(work)
            Workspace.open(root).close()  # what that compiles, once in a process, no child has to
            self._trees += [json.loads(line[5:]) for line in said if line.startswith("tree ")]
            (found,) = [json.loads(line[6:]) for line in said if line.startswith("trace ")]
            self.trace = [(step, path.replace(root, "")) for step, path in found]

    @contextlib.contextmanager
    def _copy(self) -> Iterator[str]:
        self._serial += 1
        folder = os.path.join(self._folder, f"run{self._serial}")
        shutil.copytree(self._template, folder, symlinks=True)
        try:
            yield os.path.join(folder, "ws")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def work(self, lab: TextIO, folder: str) -> None:
        """Tell the steps, then do the jobs that are asked for, in copies in another folder."""
        self._folder = folder
        _say(lab, {"trace": self.trace})
        for line in lab:
            raw = json.loads(line)
            error = raw.pop("error")
            job = Job(**{key: _tuples(value) for key, value in raw.items()}, error=tuple(error) if error else None)
            _say(lab, asdict(self.run(job)))

    def run(self, job: Job) -> Outcome:
        outcome = Outcome()
        with self._copy() as root:
            said, code = child(lambda say: run_scenario(root, self._scenario, job, self._durability, say))
            outcome.killed = code == -signal.SIGKILL
            outcome.problems += [json.loads(line[6:]) for line in said if line.startswith("crash ")]
            outcome.failed = next((line[7:] for line in said if line.startswith("failed ")), "")
            outcome.steps = next((int(line[6:]) for line in said if line.startswith("steps ")), 0)
            for number, (kind, path) in enumerate(job.after, 9001):
                race(root, kind, path, number, said.append)
            outcome.raced = sum(line.startswith("raced ") for line in said)
            undone = {line[7:] for line in said if line.startswith("undone ")}
            tokens = [line.split()[1] for line in said if line.startswith("raced raced")]
            tokens = [text for text in tokens if text not in undone]
            seen = self._reopened(root, job, outcome)
            if seen is not None:
                outcome.problems += judge(
                    self._scenario, self._trees, said.count("ack"), seen, job.races, job.after, tokens, undone
                )
        return outcome

    def _reopened(self, root: str, job: Job, outcome: Outcome) -> tuple[Reopened, Reopened] | None:
        for attempt in range(1, len(job.kills) + 2):
            said, code = child(lambda say, n=attempt: reopen(root, job, n, self._durability, say))  # type: ignore[misc]
            if code == -signal.SIGKILL:
                continue
            outcome.problems += [json.loads(line[6:]) for line in said if line.startswith("crash ")]
            for line in said:
                if line.startswith("seen "):
                    one, two = json.loads(line[5:])
                    return Reopened(**one), Reopened(**two)
            return None
        outcome.problems.append("never reopened")
        return None


# -- switching parts off: only to show that the checks notice


def switch_off(part: str) -> None:
    if part == "replay":

        def forget(store: Store) -> None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(store.places.journal)

        Store._read_journal = forget  # type: ignore[method-assign,assignment]
    elif part == "compare-and-swap":
        RefMover._compare = lambda *_: None  # type: ignore[method-assign,assignment]
    elif part in ("displaced-hash", "first displaced-hash"):
        WorkingCopy._check_displaced = lambda *_: None  # type: ignore[method-assign,assignment,return-value]
        if part == "displaced-hash":
            # The look for late writes hashes them once more: with it alone an edit is brought back by the next command.
            Displaced.late_writes = lambda *_: []  # type: ignore[method-assign,assignment]
    elif part == "index-lock":
        GitIndex.take_lock = lambda *_: None  # type: ignore[method-assign,assignment]
    elif part == "exchange":
        plain = Files.__init__

        def without(self: Files, *args: Any, **_: Any) -> None:
            plain(self, *args, exchange_supported=False)

        Files.__init__ = without  # type: ignore[method-assign,assignment]
    elif part:
        raise ValueError(part)


class Drivers:
    """Makes a driver when its scenario is first asked for; every lab works in a fork of this program with a folder of its own.

    So what a lab does or switches off touches no other one, and only the first of a scenario waits until it is built.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._made: dict[tuple[str, str], Driver] = {}

    def serve(self, listener: socket.socket) -> None:
        """Answer who connects, until standard input ends."""
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            connection, _ = listener.accept()
            with connection, connection.makefile("rw") as lab:
                self._answer(lab, json.loads(lab.readline()))

    def _answer(self, lab: TextIO, asked: dict[str, str]) -> None:
        key = asked["scenario"], asked["durability"]
        if key not in self._made:
            self._made[key] = Driver(os.path.join(self._folder, "-".join(key)), SCENARIOS[key[0]], key[1])
        if os.fork():
            return
        code = 1
        try:
            # The template and the reference were made by the whole store.
            switch_off(asked["without"])
            self._made[key].work(lab, asked["folder"])
            code = 0
        except BaseException:  # noqa: BLE001 - nothing may go on as the program that was forked
            traceback.print_exc()
        os._exit(code)


def main(arguments: Sequence[str]) -> None:
    (folder,) = arguments
    os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C.UTF-8", GIT_OPTIONAL_LOCKS="0")
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.join(folder, DOOR))
            listener.listen()
            print("ready", flush=True)
            Drivers(folder).serve(listener)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _say(lab: TextIO, answer: object) -> None:
    lab.write(json.dumps(answer) + "\n")
    lab.flush()


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


if __name__ == "__main__":
    main(sys.argv[1:])
