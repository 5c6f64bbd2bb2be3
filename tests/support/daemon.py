"""A daemon's server for a workspace, in this process: its methods take their turns by a lock."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memtree.engine.workspace import Workspace
from memtree.hooks.daemon.searching import serve_search
from memtree.hooks.daemon.server import Method, Progress, Server
from memtree.hooks.place import Place, find_place
from memtree.hooks.recall import serve_recall


@contextlib.contextmanager
def listening(place: Place, methods: Mapping[str, Method], **more: Any) -> Iterator[Server]:
    """A server with these methods, which has ended afterwards."""
    server = Server(place, methods, **more)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def bare_place(folder: Path) -> Place:
    """A place without a workspace: what a server and its clients need."""
    state = folder / ".git" / "memtree"
    state.mkdir(parents=True)
    return Place(str(folder), str(state))


def place_of(root: str | os.PathLike[str]) -> Place:
    found = find_place(os.fspath(root))
    assert found is not None
    return found


class Serving:
    """What a workspace's daemon serves. `asked` names each method that was called, `bugs` is what one raised by mistake."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.asked: list[str] = []
        self.bugs: list[BaseException] = []
        self._turn = threading.Lock()

    def methods(self) -> dict[str, Method]:
        return {"search": self._search, "prepare": self._prepare, "recall": self._recall}

    def _search(self, params: dict[str, Any], progress: Progress) -> object:
        self.asked.append("search")
        with self._turn:
            return serve_search(self.workspace, params, progress)

    def _prepare(self, params: dict[str, Any], progress: Progress) -> object:
        self.asked.append("prepare")
        with self._turn:
            self.workspace.capture_quietly()
            return self.workspace.refresh_index(progress)

    def _recall(self, params: dict[str, Any], progress: Progress) -> object:
        self.asked.append("recall")
        with self._turn:
            return serve_recall(self.workspace, params)


@contextlib.contextmanager
def daemon(root: str | os.PathLike[str]) -> Iterator[Serving]:
    """The workspace at `root`, served."""
    with Workspace.open(os.fspath(root)) as workspace:
        serving = Serving(workspace)
        with listening(place_of(root), serving.methods(), failed=lambda _, error: serving.bugs.append(error)):
            yield serving
    assert serving.bugs == []
