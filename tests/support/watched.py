"""Watched: a real repository under a real watcher, and the one property of watching: what is told covers what is true."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Self

from memtree.engine.repo import Repo
from memtree.hooks.watching.momentary import is_momentary
from memtree.hooks.watching.watcher import Watcher
from support.gitrepo import GitRepo

Snapshot = Mapping[str, object]


class Watched:
    """A workspace at `folder`/work and a place beside it. `during` does something and checks that it was told of."""

    def __init__(self, folder: str | os.PathLike[str], *, most_folders: int | None = None, files: Mapping[str, str] = {}) -> None:
        self.outside = os.path.join(folder, "outside")
        os.makedirs(self.outside)
        self.repo = GitRepo(os.path.join(folder, "work"))
        self.root = self.repo.path
        for path, text in ({"x.md": "one\n", "notes/a.md": "two\n", "notes/deep/b.md": "three\n"} | dict(files)).items():
            self.repo.write(path, text)
        self.repo.write(".git/info/exclude", "*~\n*.swp\n4913\n")
        self.repo.commit("first")
        self.git = Repo.open(self.root)
        self.hints: set[str] = set()
        self.lost: list[str] = []
        self.moves = 0
        state = os.path.join(self.git.git_folder, "memtree")
        self.watcher = Watcher(
            self.root,
            state,
            self._watches,
            self._hint,
            self.lost.append,
            0.005,
            moved=self._moved,
            most_folders=most_folders,
            pause=0.05,
        )

    def _watches(self, folder: str) -> bool:
        return not self.git.is_ignored(folder + "/")

    def _hint(self, paths: Iterable[str]) -> None:
        self.hints.update(paths)

    def _moved(self) -> None:
        self.moves += 1

    def __enter__(self) -> Self:
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.watcher.stop()

    def path(self, path: str) -> str:
        return os.path.join(self.root, path)

    def during(self, happens: Callable[[Watched], object], *, may_lose: bool = False) -> set[str]:
        """Let something happen; every path that then differs must have been told. Return what was told."""
        self.forget()
        before = self.snapshot()
        happens(self)
        self.check(before, may_lose=may_lose)
        return self.hints

    def forget(self) -> None:
        """What happened so far is over."""
        self.watcher.barrier(100)
        self.hints.clear()
        self.lost.clear()

    def check(self, before: Snapshot, *, may_lose: bool = False) -> None:
        answered = self.watcher.barrier(100) or (may_lose and self._answers_later())
        after = self.snapshot()
        assert answered, (self.watcher.trouble, self.lost)
        assert may_lose or not self.lost, self.lost
        differing = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        wanted = {path for path in differing if not is_momentary(path) and not self.git.is_ignored(path)}
        untold = sorted(path for path in wanted if not self.tells(path))
        assert self.lost or not untold, (untold, sorted(self.hints))

    def _answers_later(self) -> bool:
        end = time.monotonic() + 100
        while not self.watcher.barrier(1):
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
        return True

    def tells(self, path: str) -> bool:
        """Whether a path, or a folder around it that is to be looked at whole, was told."""
        return path in self.hints or any(hint.endswith("/") and path.startswith(hint) for hint in self.hints)

    def snapshot(self) -> Snapshot:
        """Every file and link of the workspace, with what it holds; no repository inside it, and no name that is not UTF-8."""
        return dict(self._below(""))

    def _below(self, folder: str) -> Iterator[tuple[str, object]]:
        full = os.path.join(self.root, folder)
        if folder and os.path.lexists(os.path.join(full, ".git")):
            return
        try:
            names = sorted(os.listdir(full))
        except PermissionError:
            return
        for name in names:
            path = f"{folder}/{name}" if folder else name
            if name == ".git" or not _is_text(name):
                continue
            mode = os.lstat(self.path(path)).st_mode
            if stat.S_ISDIR(mode):
                yield from self._below(path)
            elif stat.S_ISLNK(mode):
                yield path, os.readlink(self.path(path))
            else:
                yield path, (mode & 0o100, self.repo.read(path))

    # -- what programs do
    def save(self, path: str, text: str) -> None:
        """Truncate and write, as most programs do."""
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text)

    def make(self, path: str) -> None:
        os.makedirs(self.path(path), exist_ok=True)

    def move(self, old: str, new: str) -> None:
        os.rename(self.path(old), self.path(new))

    def run(self, *words: str, cwd: str = "") -> None:
        subprocess.run(words, cwd=cwd or self.root, check=True, capture_output=True)


def everywhere(work: Watched) -> None:
    """Write each file once more, but no rules for git."""
    for path in list(work.snapshot()):
        if not os.path.islink(work.path(path)) and not path.endswith(".gitignore"):
            work.save(path, "once more\n")


def _is_text(name: str) -> bool:
    with contextlib.suppress(UnicodeEncodeError):
        return bool(name.encode())
    return False
