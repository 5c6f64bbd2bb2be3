"""Machines: several workspaces of one person and the remote they share, all real repositories in a temporary folder.

`Machine` is a workspace together with the hands of its user: files are edited behind the engine's back, as any editor would, and
stock git is asked what it thinks of the result. Time is a clock that moves only when a test says so.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from memtree.engine.arrivals import Accept
from memtree.engine.files import Durability
from memtree.engine.sync import SyncReport
from memtree.engine.workspace import Options, SaveReport, Workspace
from memtree.indexers.query import Mode, Query
from memtree.tree.paths import RepoPath
from support.gitrepo import START, GitRepo, new_repository
from support.templates import asked_before, copy, kept, surroundings, template

Files = dict[str, bytes]

_HALF_DONE = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "index.lock")
_MARKERS = (b"<<<<<<<", b"=======\n", b">>>>>>>", b"|||||||")


class Clock:
    """Seconds since the epoch, standing still until a test moves it."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def tick(self, seconds: float = 1.0) -> None:
        self.now += seconds


def options(clock: Clock | None = None) -> Options:
    """Options that make tests quick: no fsync, and no long wait for anybody's lock."""
    return Options(durability=Durability.FAST, clock=clock or Clock(), lock_timeout=20.0, git_lock_timeout=5.0)


class Machine(GitRepo):
    """A workspace and its user."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        super().__init__(workspace.root)

    # -- the engine's verbs
    def save(self, message: str = "", **choices: bool) -> SaveReport:
        return self.workspace.save(message, **choices)

    def sync(self, **choices: bool) -> SyncReport:
        """Sync with the one remote; the keywords are those of Accept and of Workspace.sync."""
        accept = Accept(**{key: choices.pop(key) for key in ("rewritten", "unrelated", "mass_delete") if key in choices})
        reports, _ = self.workspace.sync(None, accept, **choices)
        return reports[0]

    def found(self, words: str, **choices: bool) -> list[str]:
        """The paths that a search answers with, sorted."""
        return sorted({str(hit.path) for hit in self.workspace.search(Query(words, limit=50, mode=Mode.TEXT), **choices).hits})

    def reopen(self, **changes: object) -> Machine:
        """Close the workspace and open it as the next process would."""
        self.workspace.close()
        self.workspace = Workspace.open(self.path, replace(self.workspace.options, **changes))  # type: ignore[arg-type]
        return self

    def path_of(self, text: str) -> RepoPath:
        return RepoPath.parse(text)

    # -- what stands on the disk and in git
    @property
    def tip(self) -> str:
        return self.git("rev-parse", "HEAD")

    def commits(self) -> int:
        return int(self.git("rev-list", "--count", "HEAD"))

    def subjects(self, *arguments: str) -> list[str]:
        return self.git("log", "--format=%s", *arguments).splitlines()

    def full(self, path: str) -> str:
        return os.path.join(self.path, path)

    def disk(self) -> Files:
        return disk(self.path)

    def committed(self, revision: str = "HEAD") -> Files:
        """Every file of a commit, byte for byte."""
        return committed(self.path, revision)

    def notes(self) -> Files:
        """What is on disk, without the engine's own settings file."""
        return {path: data for path, data in self.disk().items() if path != "memtree.toml"}

    def lines(self) -> set[bytes]:
        """Every line of every note, as a reader sees it: without the quote marks of a conflict callout."""
        return {line.lstrip(b"> ") for data in self.notes().values() for line in data.splitlines()}

    def status(self) -> list[str]:
        return self.git("status", "--porcelain", "--untracked-files=all").splitlines()

    # -- promises
    def assert_sound(self, *, uncommitted: tuple[str, ...] = ()) -> None:
        """What must hold after every operation: git tells the truth, and nothing is half-done.

        `uncommitted` are the lines that `git status` is expected to show.
        """
        assert sorted(self.status()) == sorted(uncommitted)
        if not uncommitted:
            # Not by git's cached stat data: every byte on disk is what the commit holds.
            self.git("diff-index", "--cached", "--quiet", "HEAD")
            committed = self.committed()  # of these git ignores none, whatever its rules say
            assert {path: data for path, data in self.disk().items() if path in committed or not self._ignored(path)} == committed
        self.assert_whole()

    def assert_whole(self) -> None:
        """HEAD on its branch, no leftover of a half-done operation, no conflict marker, every object in place."""
        branch, folder = self.git("rev-parse", "--symbolic-full-name", "HEAD", "--absolute-git-dir").splitlines()
        assert branch.startswith("refs/heads/")
        assert [name for name in _HALF_DONE if os.path.lexists(os.path.join(folder, name))] == []
        marked = [path for path, data in self.disk().items() for mark in _MARKERS if _line_starts(data, mark)]
        assert marked == []
        assert self.fsck() == ""

    def fsck(self) -> str:
        done = subprocess.run(
            ("git", "fsck", "--full", "--strict", "--no-dangling", "--no-progress"),
            cwd=self.path,
            capture_output=True,
            check=False,
            env=self._environment({}),
        )
        return (done.stdout + done.stderr).decode() if done.returncode else ""

    def _ignored(self, path: str) -> bool:
        done = subprocess.run(("git", "check-ignore", "-q", path), cwd=self.path, check=False, env=self._environment({}))
        return done.returncode == 0


class Machines:
    """A bare remote in `folder`, and machines around it by name."""

    def __init__(self, folder: Path, *, clock: Clock | None = None) -> None:
        self.folder = folder
        self.clock = clock or Clock()
        self.remote = bare(folder / "remote.git")
        self._bare = disk(self.remote)
        self.url = self.remote
        self.all: dict[str, Machine] = {}

    def first(self, files: Mapping[str, str | bytes] | None = None, *, name: str = "a") -> Machine:
        """A machine that starts the memory: made new, filled, and synced for the first time."""
        return self._begun(("first", name), files or {}, (name,), lambda made: made._first(files, name=name))[0]

    def _first(self, files: Mapping[str, str | bytes] | None, *, name: str) -> None:
        machine = self._lonely(files, name=name)
        machine.workspace.remotes.add("origin", self.url)
        machine.sync()

    def lonely(self, files: Mapping[str, str | bytes] | None = None, *, name: str = "a") -> Machine:
        """A machine without a remote."""
        return self._begun(("lonely", name), files or {}, (name,), lambda made: made._lonely(files, name=name))[0]

    def _lonely(self, files: Mapping[str, str | bytes] | None, *, name: str) -> Machine:
        machine = self._keep(name, Workspace.init(str(self.folder / name), options=options(self.clock))[0])
        for path, data in (files or {}).items():
            machine.write(path, data)
        if files:
            machine.save()
        if files and "memtree.toml" in files:
            machine.reopen()  # with these settings from here on, as those are that are copied from it
        return machine

    def clone(self, name: str = "b", *, url: str | None = None) -> Machine:
        return self._keep(name, Workspace.clone(url or self.url, str(self.folder / name), options(self.clock))[0])

    def pair(self, files: Mapping[str, str | bytes] | None = None) -> tuple[Machine, Machine]:
        """Two machines that hold the same."""
        files = files or {"notes/a.md": "one\n"}

        def make(made: Machines) -> None:
            made._first(files, name="a")
            made.clone()

        one, two = self._begun(("pair",), files, ("a", "b"), make)
        return one, two

    def _begun(
        self,
        kind: tuple[str, ...],
        files: Mapping[str, str | bytes],
        names: tuple[str, ...],
        make: Callable[[Machines], object],
    ) -> list[Machine]:
        """The machines that `make` makes; copies of what it made before, when nothing here makes a difference to it."""
        # Tests that index nothing put another method in the place of this one.
        key = (kind, tuple(files.items()), surroundings(), Workspace.refresh_index.__name__)
        if kept() and self._untouched(names) and asked_before(key):
            source = template(key, lambda folder: _make_machines(folder, make))
            for part in ("objects", "refs"):
                copy(source / "remote.git" / part, os.path.join(self.remote, part))
            for name in names:
                self._copy(source, name)
        else:
            make(self)
        return [self.all[name] for name in names]

    def _untouched(self, names: tuple[str, ...]) -> bool:
        """Whether a test has only begun: no machine, nothing in the remote nor done to it, and the clock as it was."""
        return (
            (self.url, self.clock.now, self.all) == (self.remote, START, {})
            and not any(os.path.lexists(self.folder / name) for name in names)
            and disk(self.remote) == self._bare
        )

    def _copy(self, source: Path, name: str) -> None:
        folder = self.folder / name
        copy(source / name, folder)
        config = folder / ".git" / "config"
        config.write_text(config.read_text().replace(str(source), str(self.folder)))
        machine = self._keep(name, Workspace.open(str(folder), options(self.clock)))
        machine.git("update-index", "-q", "--refresh")  # the copies are other files than the index knows

    def _keep(self, name: str, workspace: Workspace) -> Machine:
        self.all[name] = Machine(workspace)
        return self.all[name]

    def settle(self, *, rounds: int = 3) -> None:
        """Sync all machines in turn, as often as it takes news to reach everybody."""
        for _ in range(rounds):
            for machine in self.all.values():
                machine.sync()

    def assert_agreed(self) -> Files:
        """Every machine has the same commit, clean; more syncing makes no more commits. Return what they hold."""
        machines = list(self.all.values())
        tips = {machine.tip for machine in machines}
        assert len(tips) == 1, {name: machine.subjects() for name, machine in self.all.items()}
        self.settle()
        assert {machine.tip for machine in machines} == tips
        for machine in machines:
            machine.assert_sound()
        assert machines[0].disk() == machines[-1].disk()
        return machines[0].notes()

    def close(self) -> None:
        for machine in self.all.values():
            machine.workspace.close()


def bare(path: Path, *, branch: str = "main") -> str:
    """A new bare repository; its path."""
    path.mkdir(parents=True)
    new_repository(str(path), branch=branch, bare=True)
    with open(path / "config", "a", encoding="utf-8") as config:
        config.write("[receive]\n\tautogc = false\n")  # a process more for every push, and nothing to do for it
    return str(path)


def _make_machines(folder: Path, make: Callable[[Machines], object]) -> None:
    machines = Machines(folder)
    make(machines)
    machines.close()


def disk(folder: str | os.PathLike[str]) -> Files:
    """Every file below a folder except git's; a link's target is its content."""
    found: Files = {}
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", ".memtree-tmp")]
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]
        for name in (*names, *links):
            full = os.path.join(here, name)
            mode = os.lstat(full).st_mode
            if name == ".git" or not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
                continue
            path = os.path.relpath(full, folder)
            found[path] = os.fsencode(os.readlink(full)) if stat.S_ISLNK(mode) else Path(full).read_bytes()
    return found


def stamps(folder: str | os.PathLike[str]) -> dict[str, tuple[int, int, int, bytes]]:
    """What a person's files must keep when a folder is adopted: inode, mode, modification time and bytes."""
    kept = {}
    for path, data in disk(folder).items():
        info = os.lstat(os.path.join(folder, path))
        kept[path] = (info.st_ino, info.st_mode, info.st_mtime_ns, data)
    return kept


def committed(folder: str | os.PathLike[str], revision: str = "HEAD") -> Files:
    """Every file of a commit of the repository at `folder`, bare or not."""
    listing = subprocess.run(("git", "ls-tree", "-r", "-z", revision), cwd=folder, check=True, capture_output=True).stdout
    rows = [row.split(b"\t", 1) for row in listing.split(b"\0") if row]
    ids = [meta.split()[2] for meta, _ in rows if meta.split()[1] == b"blob"]
    paths = [os.fsdecode(path) for meta, path in rows if meta.split()[1] == b"blob"]
    output = subprocess.run(
        ("git", "cat-file", "--batch"), cwd=folder, check=True, capture_output=True, input=b"".join(id_ + b"\n" for id_ in ids)
    ).stdout
    found: Files = {}
    at = 0
    for path in paths:
        end = output.index(b"\n", at)
        size = int(output[at:end].split()[2])
        found[path] = output[end + 1 : end + 1 + size]
        at = end + 2 + size
    return found


def _line_starts(data: bytes, mark: bytes) -> bool:
    return data.startswith(mark) or b"\n" + mark in data
