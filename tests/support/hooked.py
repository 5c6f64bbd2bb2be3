"""Hooked: a workspace that agents' hooks serve, with everything in this process: events go in, the worker is put to work by hand.

hooked.tell("claude-code", talk.hook("Stop", path))     # what the hook answered; hooked.started counts workers
hooked.work()                                           # what a worker did
hooked.turns()                                          # (role, text) of every turn on the branch, in order
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtree.engine.workspace import Options, Workspace
from memtree.hooks.outbox import Outbox
from memtree.hooks.place import Place, find_place
from memtree.hooks.serving import Call, Served, serve
from memtree.hooks.surroundings import Surroundings
from memtree.hooks.worker import Done, Worker
from memtree.tree.episode import Episode

SETTINGS = 'durability = "fast"\n[embedding]\nmodel = "none"\n'


@functools.cache
def _saved(base: Path, texts: tuple[tuple[str, str], ...]) -> str:
    """A workspace with these files, saved: made once below a folder, for copies of it."""
    folder = tempfile.mkdtemp(prefix="saved-", dir=base)
    for name, text in texts:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with Workspace.init(folder)[0] as workspace:
        workspace.save("start")
    return folder


class Hooked:
    """A workspace below `folder`, with one note. Time goes on by a second with each event."""

    def __init__(self, folder: Path, settings: str = SETTINGS, notes: Mapping[str, str] | None = None) -> None:
        self.root = str(folder)
        self.environment = {"HOME": str(folder.parent / "home"), "CODEX_HOME": str(folder.parent / "home" / ".codex")}
        self.started: list[str] = []
        self.time = 1_767_700_000_000_000_000
        self.slept = 0.0
        texts = {"memtree.toml": settings, **(notes or {"note.md": "Staging uses port 8443.\n"})}
        shutil.copytree(_saved(folder.parents[1], tuple(texts.items())), folder)
        # The copies are other files than git's index knows.
        subprocess.run(("git", "-C", self.root, "update-index", "-q", "--refresh"), check=True)

    @property
    def place(self) -> Place:
        found = find_place(self.root)
        assert found is not None
        return found

    @property
    def outbox(self) -> Outbox:
        return Outbox(self.place.state)

    @property
    def log(self) -> str:
        path = os.path.join(self.place.state, "hooks.log")
        return Path(path).read_text(encoding="utf-8") if os.path.exists(path) else ""

    def tell(self, agent: str, payload: Any, *, words: tuple[str, ...] = (), folder: str | None = None) -> Served:
        """Let an agent call its hook."""
        self.time += 1_000_000_000
        return serve(
            Call(
                agent,
                words,
                [folder or self.root],
                self.environment,
                read=lambda: payload,
                start=self.started.append,
                clock=lambda: self.time,
            )
        )

    def around(self, options: Options | None = None) -> Surroundings:
        return Surroundings(self.environment, options, clock=lambda: self.slept, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.slept += seconds

    def work(self, options: Options | None = None, *, again: bool = False) -> Done:
        """Put a worker to work; it sleeps in no time."""
        return Worker(self.place, self.around(options)).run(again=again)

    def episodes(self) -> Iterator[Episode]:
        """Every turn on the branch; each file is a whole episode."""
        with Workspace.open(self.root) as workspace:
            repo = workspace.repo
            for path, entry in repo.files(repo.tip(), "memory_tree/content/episodic"):
                episode = Episode.parse(path, repo.blob(entry.id))
                assert episode is not None, path
                yield episode

    def turns(self) -> list[tuple[str, str]]:
        return [(one.role, one.text) for one in self.episodes()]

    def everything(self) -> bytes:
        """Every byte that stands in the work tree, in memtree's state and in any object of the repository."""
        found = [
            path.read_bytes()
            for folder in (self.root, self.place.state)
            for path in Path(folder).rglob("*")
            if path.is_file() and (folder != self.root or ".git" not in path.parts)
        ]
        objects = subprocess.run(
            ("git", "-C", self.root, "cat-file", "--batch", "--batch-all-objects"), capture_output=True, check=True
        )
        names = subprocess.run(("git", "-C", self.root, "log", "--all", "--format=%B"), capture_output=True, check=True)
        return b"\n".join((*found, objects.stdout, names.stdout))
