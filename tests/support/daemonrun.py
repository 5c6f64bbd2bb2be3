"""The program behind the tests that kill daemons: it has imported everything, has no threads, and forks whoever is wanted.

A daemon, an editor, an agent or another machine then starts within milliseconds. One JSON request a line on standard input, one
JSON answer a line on standard output. What a child does to the files it tells in a file of its own, line by line and as it happens,
so that its death takes nothing of it away: `try TOKEN` before, `done TOKEN` once a program would believe that it is stored.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}

from memtree.engine.closing.closer import Closer, everything
from memtree.engine.closing.later import Later
from memtree.engine.closing.open_turns import Sessions
from memtree.engine.files import Durability
from memtree.engine.repo import Repo
from memtree.engine.source import RepoSource
from memtree.engine.store.report import WrongBranch
from memtree.engine.workspace import Options, Workspace
from memtree.engine.writers import memory_file
from memtree.hooks.daemon import serving
from memtree.hooks.daemon.client import Client, Unreachable
from memtree.hooks.daemon.following import FollowingThread
from memtree.hooks.daemon.log import DaemonLog
from memtree.hooks.daemon.service import Service
from memtree.hooks.place import find_place
from memtree.hooks.surroundings import Surroundings
from memtree.hooks.worker import Worker
from memtree.indexers import fulltext, vectors
from memtree.indexers.catch_up import catch_up
from memtree.indexers.wordllama_model import WordLlamaEmbedder
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.errors import Error, TransientError
from memtree.tree.paths import RepoPath

Say = Callable[[str], None]


def options(**more: Any) -> Options:
    return Options(durability=Durability.FAST, lock_timeout=60.0, git_lock_timeout=20.0, **more)


# -- a daemon, and the places where it dies


class Place:
    """Kills this process at the n-th time that it comes to a place of this name."""

    def __init__(self, name: str, times: int) -> None:
        self._name, self._left = name, times

    def reached(self, name: str) -> None:
        if name == self._name:
            self._left -= 1
            if self._left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def step(self, step: str, path: str) -> None:
        """A step of the store's on the disk."""
        if path.endswith("/.git/index.lock"):
            self.reached("index.lock")
        elif path.endswith("/memtree/journal"):
            self.reached("journal")
        elif path.endswith("/.git/index"):
            self.reached("git index")
        elif path.endswith(("/refs/heads/main", "/refs/heads/main.lock")):
            self.reached("branch")
        self.reached("step")

    def prepare(self) -> None:
        """Come by here while git runs, and while an index is brought up to date."""
        started = subprocess.Popen.__init__

        def start(process: Any, *arguments: Any, **more: Any) -> None:
            started(process, *arguments, **more)
            self.reached("git")

        subprocess.Popen.__init__ = start  # type: ignore[method-assign]
        for kind, name in ((fulltext.FullTextIndex, "words"), (vectors.VectorIndex, "vectors")):
            _slowed(kind, lambda name=name: self.reached(name))  # type: ignore[misc]


def _slowed(kind: Any, reached: Callable[[], None]) -> None:
    apply = kind.apply

    def wrapped(index: Any, changes: Iterable[Any], *rest: Any) -> Any:
        def passing() -> Iterator[Any]:
            for change in changes:
                yield change
                reached()

        done = apply(index, passing(), *rest)
        reached()
        return done

    kind.apply = wrapped


_WRITING = {"create", "write", "append", "link", "mkdir", "rename", "rename_new", "exchange", "unlink", "utime", "object"}


class Disk:
    """Refuses what writes while a file of this name is there, as a disk does that was mounted anew to be read only."""

    def __init__(self, refuses: str) -> None:
        self._refuses = refuses

    def step(self, step: str, path: str) -> None:
        if self._refuses and step in _WRITING and os.path.exists(self._refuses):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)


def _shifted(file: str) -> float:
    """The time on a clock that is as many seconds off as a file says."""
    try:
        return time.time() + float(Path(file).read_text())
    except (FileNotFoundError, ValueError):
        return time.time()


def _counted(file: str) -> None:
    """Write a byte for every turn that the daemon takes."""
    take = serving.take_turn

    def counting(*arguments: Any, **more: Any) -> Any:
        with open(file, "ab") as turns:
            turns.write(b".")
        return take(*arguments, **more)

    serving.take_turn = counting


def daemon(root: str, place: str = "", times: int = 1, refuses: str = "", clock: str = "", turns: str = "") -> None:
    """Serve the workspace until SIGTERM, or die at a place. `refuses`, `clock` and `turns` name files (see above)."""
    dying, disk = Place(place, times), Disk(refuses)
    if place:
        dying.prepare()
    if turns:
        _counted(turns)

    def observe(step: str, path: str) -> None:
        dying.step(step, path)
        disk.step(step, path)

    found = find_place(root)
    assert found is not None
    more = {"clock": lambda: _shifted(clock)} if clock else {}
    service = Service(found, Surroundings(options=options(observe=observe, **more)))
    signal.signal(signal.SIGTERM, lambda *_: service.stop())
    service.run()


# -- who writes


class Writer:
    """Writes entries with words of its own until a file named `stop` appears, or so many are written."""

    def __init__(
        self, root: str, name: str, said: str, seed: int, stop: str = "", count: int = 1_000_000, pause: float = 0.0
    ) -> None:
        self.root, self.name = root, name
        self._file = os.open(said, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._stop, self._count, self._pause = stop, count, pause
        self.random = random.Random(seed)
        self._seed = seed

    def say(self, words: str) -> None:
        os.write(self._file, words.encode() + b"\n")

    def tokens(self) -> Iterator[str]:
        for number in range(self._count):
            if self._stop and os.path.exists(self._stop):
                return
            yield f"x{self.name}q{self._seed}q{number}x"
            if self._pause:
                time.sleep(self.random.uniform(0, 2 * self._pause))

    @contextlib.contextmanager
    def telling(self, token: str) -> Iterator[None]:
        self.say(f"try {token}")
        yield
        self.say(f"done {token}")

    def path(self, relative: str) -> str:
        full = os.path.join(self.root, relative)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        return full


def editor(**who: Any) -> None:
    """An editor that writes a file anew and renames it into place."""
    writer = Writer(**who)
    for token in writer.tokens():
        path = writer.path(f"notes/{writer.name}-{writer.random.randrange(4)}.md")
        with writer.telling(token):
            present = Path(path).read_bytes() if os.path.exists(path) else b"# Notes\n\n"
            with open(path + ".tmp", "wb") as file:
                file.write(present + f"- edited {token}\n".encode())
            os.rename(path + ".tmp", path)


def appender(shared: str = "", **who: Any) -> None:
    """A program that appends lines in place, to a file of its own and to one that others write too."""
    writer = Writer(**who)
    paths = [f"notes/log-{writer.name}.md", *filter(None, [shared])]
    for number, token in enumerate(writer.tokens()):
        with writer.telling(token), open(writer.path(paths[number % len(paths)]), "ab", buffering=0) as file:
            file.write(f"- appended {token}\n".encode())


def patient(work: Callable[[], object], tries: int = 200) -> None:
    """Do it, and again as long as only time is wanted."""
    for left in reversed(range(tries)):
        try:
            work()
            return
        except (TransientError, WrongBranch):  # also while a person looks at another branch
            if not left:
                raise
            time.sleep(0.02)


def agent(shared: str = "", **who: Any) -> None:
    """An agent: notes, entries of MEMORY.md, a line in a file of many, turns. All of it acknowledged by the engine."""
    writer = Writer(**who)
    with Workspace.open(writer.root, options()) as workspace:

        def note(token: str) -> None:
            workspace.write({RepoPath(f"notes/agent/{token}.md"): f"# Note\n\nnoted {token}\n".encode()}, "note")

        def entry(token: str) -> None:
            memory_file.remember(workspace, f"remembered {token}", section="Facts")

        def line(token: str) -> None:
            path = RepoPath(shared)
            tip = workspace.repo.tip("HEAD")
            base = workspace.repo.entry(tip, path)
            present = workspace.repo.blob(base.id) if base is not None else b"# Shared\n\n"
            if token.encode() not in present:
                workspace.write({path: present + f"- shared {token}\n".encode()}, "line", bases={path: base})

        def turn(token: str) -> None:
            workspace.record_turn(AgentTurn(f"session-{writer.name}", user=f"asked {token}", assistant="an answer", uuid=token))

        acts = [note, entry, turn, *([line] if shared else [])]
        for number, token in enumerate(writer.tokens()):
            with writer.telling(token):
                patient(lambda number=number, token=token: acts[number % len(acts)](token))  # type: ignore[misc]


def asker(**who: Any) -> None:
    """Somebody who searches, and takes what comes, also that nobody answers."""
    writer = Writer(**who)
    place = find_place(writer.root)
    assert place is not None
    for _ in writer.tokens():
        client = Client.of(place)
        if client is not None:
            with client, contextlib.suppress(Unreachable, Error):
                client.call("prepare", {})


def peer(**who: Any) -> None:
    """Another machine: it writes as an agent and an editor do, and syncs."""
    writer = Writer(**who)
    with Workspace.open(writer.root, options()) as workspace:
        for token in writer.tokens():
            with writer.telling(token):
                kind = writer.random.randrange(3)
                if kind == 0:
                    patient(lambda token=token: memory_file.remember(workspace, f"remembered {token}", section="Facts"))  # type: ignore[misc]
                elif kind == 1:
                    path = RepoPath(f"notes/peer/{token}.md")
                    patient(lambda p=path, t=token: workspace.write({p: f"peer {t}\n".encode()}, "note"))  # type: ignore[misc]
                else:
                    with open(writer.path("notes/peer-log.md"), "ab", buffering=0) as file:
                        file.write(f"- peer {token}\n".encode())
            with contextlib.suppress(TransientError):
                workspace.sync()


def sync(root: str) -> None:
    """Sync once, however often others are in the way."""
    with Workspace.open(root, options()) as workspace:
        patient(workspace.sync)


# -- whether the indexes are what a build from nothing gives


def compare(root: str, folder: str, found: str) -> None:
    """Write what differs between the indexes of the workspace and ones built anew in `folder`, one JSON list."""
    with Workspace.open(root, options()) as workspace:
        tip = workspace.repo.tip("HEAD")
        assert tip is not None
        mark, content = workspace.scope().fingerprint, workspace.settings.content
        problems: list[str] = []
        words, meaning = workspace.index(), workspace.searching.meaning().vectors
        assert isinstance(words, fulltext.FullTextIndex)
        assert meaning is not None
        fresh = fulltext.FullTextIndex.open(Path(folder, "words"), mark, content_root=content)
        built = vectors.VectorIndex.open(Path(folder, "vectors"), mark, WordLlamaEmbedder(), content_root=content)
        source = RepoSource(Repo.open(root), workspace.scope())
        for new in (fresh, built):
            catch_up(new, source, tip)
        problems += [
            f"{name} at {at}, not {tip}" for name, at in (("words", words.position()), ("vectors", meaning.position())) if at != tip
        ]
        problems += [f"words: {differ}" for differ in _differing(words.records(), fresh.records())]
        problems += [f"vectors: {differ}" for differ in _differing(meaning.contents(), built.contents())]
        problems += [*words.verify(), *meaning.verify()]
        fresh.close()
        built.close()
    Path(found).write_text(json.dumps(problems))


def _differing(one: list[Any], other: list[Any]) -> list[str]:
    here, there = {repr(item) for item in one}, {repr(item) for item in other}
    differing = [f"only in the grown one: {item[:200]}" for item in sorted(here - there)[:3]]
    differing += [f"only in the new one: {item[:200]}" for item in sorted(there - here)[:3]]
    return differing + ([f"{len(one)} and {len(other)} in all"] if len(one) != len(other) else [])


# -- conversations


def _dying(root: str, times: int) -> Surroundings:
    """What a worker works in that dies at the store's step of that number; 0: it lives."""
    observe = {"observe": Place("step", times).step} if times else {}
    return Surroundings(options=options(**observe))


def recorder(root: str, times: int = 0) -> None:
    """Work off what hooks left: turns are recorded, sessions closed."""
    place = find_place(root)
    assert place is not None
    Worker(place, _dying(root, times), patience=60.0).run()


def closer(root: str, times: int = 0) -> None:
    """Close every session, after everything was recorded, as `memtree hook session-end --all` does; and what follows."""
    recorder(root, times)
    with Workspace.open(root, _dying(root, times).options) as workspace:
        Closer(workspace).close(Sessions.of(workspace).open_folders(), whole=everything)
        Later(workspace).run()
        workspace.refresh_index()


def follower(root: str, times: int = 0) -> None:
    """A look of the thread with which a daemon follows up."""
    place = find_place(root)
    assert place is not None
    thread = FollowingThread(place, _dying(root, times), DaemonLog(place.state))
    for _ in range(3):
        thread.look()


KINDS: dict[str, Callable[..., None]] = {
    "recorder": recorder,
    "closer": closer,
    "follower": follower,
    "daemon": daemon,
    "editor": editor,
    "appender": appender,
    "agent": agent,
    "asker": asker,
    "peer": peer,
    "sync": sync,
    "compare": compare,
}


# -- the program


def fork(kind: str, arguments: dict[str, Any], errors: str) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        null = os.open(os.devnull, os.O_RDWR)
        log = os.open(errors, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        for number, fd in ((0, null), (1, log), (2, log)):
            os.dup2(fd, number)
        sys.argv[0] = f"test-{kind}"
        KINDS[kind](**arguments)
        code = 0
    except BaseException:  # noqa: BLE001 - told in the file of errors, which the tests look at
        os.write(2, traceback.format_exc().encode())
    os._exit(code)


def ended(pid: int, patience: float) -> int | None:
    """How a child ended (a negative number is a signal); None when it still runs after so many seconds."""
    deadline = time.monotonic() + patience
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= deadline:
            return None
        time.sleep(0.002)


def main() -> None:
    WordLlamaEmbedder().embed(["what the children would each read"])
    children: set[int] = set()
    print("ready", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        answer: int | None = None
        if asked["do"] == "fork":
            answer = fork(asked["kind"], asked["arguments"], asked["errors"])
            children.add(answer)
        elif asked["pid"] in children:
            if asked.get("signal"):
                os.kill(asked["pid"], asked["signal"])
            answer = ended(asked["pid"], asked["patience"])
            if answer is not None:
                children.discard(asked["pid"])
        print(json.dumps(answer), flush=True)
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
