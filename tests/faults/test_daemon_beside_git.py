"""A daemon beside a person who uses git: their locks are waited for, their branches and merges left alone, and nothing is lost."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.workspace import Workspace
from support.daemons import Served, Zygote, options, said, served, tokens, workspace_at, wrongs
from support.faultcheck import leftovers
from support.faultlab import quick_folder
from support.gitpause import Paused, paused_git
from support.machines import committed

_LONGEST = 400.0  # seconds for all that eight writers do

# It says that it was reached, waits, and writes the message.
_EDITOR = """#!/bin/sh
: > "$PAUSE_FOLDER/reached"
n=0
while [ ! -e "$PAUSE_FOLDER/go" ] && [ $n -lt 3000 ]; do sleep 0.02; n=$((n + 1)); done
echo "a person's commit" > "$1"
"""


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    folder = quick_folder()
    with Zygote(folder) as zygote:
        yield zygote
    shutil.rmtree(folder)


@pytest.fixture
def tmp_path(zygote: Zygote) -> Path:
    """In memory where there is room: processes are killed here, not the power."""
    return Path(tempfile.mkdtemp(dir=zygote.folder))


@pytest.fixture
def one(zygote: Zygote, tmp_path: Path) -> Iterator[Served]:
    with served(zygote, str(tmp_path / "work")) as one:
        yield one
        if one.pid is not None:
            one.flushed()
            one.assert_sound()


@contextlib.contextmanager
def _editor_open(one: Served, folder: Path) -> Iterator[Callable[[], object]]:
    """A person's `git commit -a`, with their editor open: git keeps the index locked."""
    script = folder / "editor"
    script.write_text(_EDITOR)
    script.chmod(0o755)
    words = ("-c", f"core.editor={script}", "-c", "user.name=P", "-c", "user.email=p@example.com", "commit", "-a", "--allow-empty")
    with paused_git(one.root, str(folder / "pause"), *words) as paused:

        def go(paused: Paused = paused) -> None:
            code, told = paused.go()
            assert code == 0, told

        yield go


@contextlib.contextmanager
def _made_by_hand(one: Served, _folder: Path) -> Iterator[Callable[[], object]]:
    """A lock of whatever program."""
    lock = os.path.join(one.root, ".git", "index.lock")
    with open(lock, "x", encoding="utf-8") as file:
        file.write("somebody's\n")
    yield lambda: os.unlink(lock)


@pytest.mark.parametrize("locked", [_editor_open, _made_by_hand])
def test_a_living_lock_is_waited_for_and_told_and_never_touched(
    one: Served, tmp_path: Path, locked: Callable[[Served, Path], contextlib.AbstractContextManager[Callable[[], object]]]
) -> None:
    lock = os.path.join(one.root, ".git", "index.lock")
    with locked(one, tmp_path) as release:
        before, head = os.lstat(lock), one.head()
        one.repo.write("notes/mine.md", "written while git is locked\n")
        one.told("index.lock is held by another program")
        assert one.ask("prepare") == one.troubles()  # who searches is told too
        assert (one.head(), os.lstat(lock).st_ino, os.lstat(lock).st_mtime_ns) == (head, before.st_ino, before.st_mtime_ns)
        assert [event["error"] for event in one.events("not-committed")] == ["GitLockBusy"]
        release()
    one.settled("written while git is locked")
    one.mended()
    assert len(one.events("commits-again")) == 1


def test_a_lock_that_a_killed_daemon_left_is_cleared_by_the_next_start(zygote: Zygote, tmp_path: Path) -> None:
    one = Served(zygote, workspace_at(str(tmp_path / "work")))
    left: list[str] = []
    for times in range(1, 7):
        one.repo.write(f"notes/{times}.md", f"edit {times}\n")
        one.start(place="index.lock", times=times)
        if not one.died(3.0):
            one.kill()
        left += leftovers(one.root)
    assert "index.lock" in left
    one.start()
    try:
        for times in range(1, 7):
            one.settled(f"edit {times}")
        one.flushed()
        one.assert_sound()
        one.repo.git("add", "--all")  # a person's git works
    finally:
        one.kill()


def test_a_foreign_lock_beside_what_a_killed_daemon_left_is_left_alone(zygote: Zygote, tmp_path: Path) -> None:
    """The daemon died with its journal written; a person removed the lock, as git advises, and another program has taken it."""
    one = Served(zygote, workspace_at(str(tmp_path / "work")))
    one.repo.write("notes/mine.md", "journalled\n")
    one.start(place="git index")
    assert one.died(20.0)
    assert {"journal", "index.lock"} <= set(leftovers(one.root))
    lock = os.path.join(one.root, ".git", "index.lock")
    os.unlink(lock)
    with open(lock, "x", encoding="utf-8") as file:
        file.write("somebody's\n")
    one.start()
    try:
        one.told("index.lock is held by another program")
        with open(lock, encoding="utf-8") as file:
            assert file.read() == "somebody's\n"
        assert "journal" in leftovers(one.root)
        os.unlink(lock)
        one.settled("journalled")
        one.flushed()
        one.assert_sound()
    finally:
        one.kill()


def _on_a_branch(one: Served) -> Callable[[], object]:
    one.repo.git("checkout", "--quiet", "-b", "aside")
    return lambda: one.repo.git("checkout", "--quiet", "main")


def _detached(one: Served) -> Callable[[], object]:
    one.repo.git("checkout", "--quiet", "--detach")
    return lambda: one.repo.git("checkout", "--quiet", "main")


def _rebasing(one: Served) -> Callable[[], object]:
    one.repo.git("rebase", "--quiet", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/edit/"})
    return lambda: one.repo.git("rebase", "--continue", env={"GIT_EDITOR": "true"})


def _merging(one: Served) -> Callable[[], object]:
    one.repo.git("branch", "side", "HEAD~1")
    tree = one.repo.git("rev-parse", "side^{tree}")
    one.repo.git("update-ref", "refs/heads/side", one.repo.git("commit-tree", "-p", "side", "-m", "side", tree))
    one.repo.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
    return lambda: one.repo.git("commit", "--quiet", "-m", "merged by hand")


@pytest.mark.parametrize(
    ("begin", "told"),
    [
        (_on_a_branch, "the work tree is on aside, not on main"),
        (_detached, "at a detached HEAD"),
        (_rebasing, "a rebase of yours is in progress"),
        (_merging, "a merge of yours is in progress"),
    ],
)
def test_what_a_person_does_with_git_is_waited_for(one: Served, begin: Callable[[Served], Callable[[], object]], told: str) -> None:
    end = begin(one)
    head = one.head()
    one.repo.write("notes/meanwhile.md", "written meanwhile\n")
    one.told(told)
    one.ask("flush")
    assert one.head() == head
    assert "?? notes/meanwhile.md" in one.status()
    end()
    one.settled("written meanwhile")
    one.mended()


class Person:
    """A careful person with git: they add, commit and stash their own file, amend, and look at a branch for a moment."""

    def __init__(self, one: Served, told: str) -> None:
        self._one, self._told, self._serial = one, told, 0
        self.did: dict[str, int] = {}

    def act(self) -> None:
        self._serial += 1
        for name, act in (("commit", self._commit), ("stash", self._stash), ("branch", self._branch), ("amend", self._amend)):
            if self._serial % 4 == ("commit", "stash", "branch", "amend").index(name):
                self.did[name] = self.did.get(name, 0) + act()

    def finish(self) -> None:
        """Commit what is still staged, as nobody else does it for them."""
        self._git("commit", "--quiet", "--allow-empty", "-m", "by hand, at last")

    def _git(self, *words: str) -> bool:
        """Whether git did it; it does not where one of us has the index locked, and the person tries again."""
        for _ in range(200):
            with contextlib.suppress(AssertionError):
                self._one.repo.git(*words)
                return True
            time.sleep(0.01)
        return False

    def _write(self) -> str:
        path, token = f"notes/person-{self._serial}.md", f"xpersonq0q{self._serial}x"
        with open(self._told, "a", encoding="utf-8") as file:
            file.write(f"try {token}\n")
            self._one.repo.write(path, f"by hand {token}\n")
            file.write(f"done {token}\n")
        return path

    def _commit(self) -> bool:
        path = self._write()
        return self._git("add", path) and self._git("commit", "--quiet", "--allow-empty", "-m", "by hand")

    def _stash(self) -> bool:
        """Git's stash is no transaction: where the index is locked meanwhile it stops half-way. Its user looks what it did."""
        path = self._write()
        full = os.path.join(self._one.root, path)
        if not self._git("add", path):
            return False
        for _ in range(20):
            with contextlib.suppress(AssertionError):
                self._one.repo.git("stash", "push", "--quiet", "--", path)
            if stashed := not os.path.exists(full):
                break
        for _ in range(200):
            if os.path.exists(full):
                break
            with contextlib.suppress(AssertionError):
                self._one.repo.git("stash", "pop", "--quiet")
        self._git("stash", "clear")
        return stashed

    def _branch(self) -> bool:
        return self._git("checkout", "--quiet", "-B", "aside") and self._git("checkout", "--quiet", "main")

    def _amend(self) -> bool:
        self._commit()
        return self._git("commit", "--quiet", "--amend", "--allow-empty", "-m", "amended by hand")


def _taken_by_stashes(one: Served) -> set[str]:
    """The entries that a stash of the person's deletes, as its own commit says.

    Git reads its index before it locks it. A commit of ours in between is missing in what it stashes, and popping that deletes the
    new file on the disk, which is then a person's deletion: it stands in the log, and undo takes it back.
    """
    git = one.repo.git
    taken: dict[str, bytes] = {}
    for line in git("fsck", "--lost-found", "--no-progress").splitlines():
        commit = line.split()[-1]
        if " commit " in line and git("log", "-1", "--format=%s", commit).startswith("WIP on "):
            for path in git(
                "diff-tree", "-r", "--name-only", "--no-renames", "--diff-filter=D", f"{commit}^1", commit
            ).splitlines():
                taken[f"{commit}:{path}"] = git("show", f"{commit}^1:{path}").encode()
    return set(tokens(taken))


def test_eight_writers_and_a_person_with_git_each_entry_once(one: Served, tmp_path: Path) -> None:
    each = 100
    folder = tmp_path / "said"
    folder.mkdir()
    shared = "notes/shared.md"
    kinds = ["agent", "agent", "agent", "agent", "appender", "appender", "appender", "editor"]
    person = Person(one, str(folder / "person"))
    running: dict[int, str] = {}
    for number, kind in enumerate(kinds):
        more = {"shared": shared} if kind in ("agent", "appender") and number % 2 else {}
        name = f"{kind}{number}"
        told = str(folder / name)
        pid = one.zygote.fork(kind, root=one.root, name=name, said=told, seed=number, count=each, **more)
        running[pid] = name
    try:
        deadline = time.monotonic() + _LONGEST
        while running:
            assert time.monotonic() < deadline, (running, person.did, one.troubles())
            person.act()
            ended = {pid: code for pid in running if (code := one.zygote.wait(pid, 0)) is not None}
            assert set(ended.values()) <= {0}, (ended, running, one.zygote.errors())
            running = {pid: name for pid, name in running.items() if pid not in ended}
    finally:
        for pid in running:
            one.zygote.kill(pid, signal.SIGKILL)
    person.finish()
    one.flushed()
    done, begun = said(str(folder))
    assert len([token for token in done if "person" not in token]) == 8 * each
    assert wrongs(committed(one.root), done - _taken_by_stashes(one), begun) == []
    assert sum(person.did.values()) > 0, person.did  # how much of it got its turn is chance
    with Workspace.open(one.root, options()) as workspace:
        assert workspace.save().commit.changed is False
    one.assert_indexes(str(tmp_path / "built"))
