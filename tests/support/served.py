"""Served: a workspace with its daemon in this process, and ways to wait for what it does. Every wait ends, and says what was seen.

served.write("a.md", "text")         # as an editor saves
served.until_committed("a.md")       # what HEAD holds of it is what the disk holds
served.ask("search", {...})          # over the socket
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from memtree.engine.workspace import Workspace
from memtree.hooks.daemon.client import Client, Unreachable
from memtree.hooks.daemon.service import Service
from memtree.hooks.daemon.state import ServiceState
from memtree.hooks.place import Place, find_place
from memtree.hooks.surroundings import Surroundings

SETTINGS = 'durability = "fast"\n[embedding]\nmodel = "none"\n[watch]\nquiet = 0.05\nmaximum = 0.5\n'
_PATIENCE = 100.0  # seconds: longer only on a machine that stands still


class Served:
    """The daemon of a new workspace below `folder`; used in a with statement."""

    def __init__(
        self, folder: Path, notes: Mapping[str, str] | None = None, settings: str = SETTINGS, around: Surroundings | None = None
    ) -> None:
        self.root = str(folder)
        for name, text in {"memtree.toml": settings, **(notes or {"note.md": "a note\n"})}.items():
            self.write(name, text)
        with Workspace.init(self.root)[0] as workspace:
            workspace.save("start")
        self.around = around
        self.begin()

    def begin(self) -> None:
        self.service = Service(self.place, self.around)
        self.failure: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, name="service", daemon=True)

    def _run(self) -> None:
        try:
            self.service.run()
        except BaseException as error:  # noqa: BLE001 - told by the test that waits
            self.failure.append(error)

    def __enter__(self) -> Self:
        self._thread.start()
        self.until(self.service.ready.is_set, "ready")
        return self

    def __exit__(self, *_: object) -> None:
        self.service.stop()
        self._thread.join(_PATIENCE)
        assert not self._thread.is_alive()

    @property
    def place(self) -> Place:
        found = find_place(self.root)
        assert found is not None
        return found

    # -- what others do
    def write(self, path: str, text: str) -> None:
        """As an editor saves: beside, then renamed."""
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full + "~new~", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(full + "~new~", full)

    def remove(self, path: str) -> None:
        full = os.path.join(self.root, path)
        shutil.rmtree(full) if os.path.isdir(full) else os.unlink(full)

    def git(self, *words: str, check: bool = True) -> str:
        who = ("-c", "user.name=somebody", "-c", "user.email=somebody@localhost")
        done = subprocess.run(("git", "-C", self.root, *who, *words), capture_output=True, check=False, text=True)
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    # -- what the daemon did
    def ask(self, method: str, params: Mapping[str, object] | None = None) -> Any:
        deadline = time.monotonic() + _PATIENCE
        while True:
            client = Client.of(self.place)
            assert client is not None
            try:
                with client:
                    return client.call(method, params or {}, patience=_PATIENCE)
            except Unreachable as error:  # busy for long, on a slow machine: a command would do the work itself
                if "busy" not in str(error) or time.monotonic() > deadline:
                    raise

    def state(self) -> ServiceState:
        return self.service.state()

    def troubles(self) -> str:
        return "\n".join(trouble.what for trouble in self.state().troubles)

    def until(self, reached: Callable[[], object], what: str) -> None:
        """Wait for something; fails with what the daemon says of itself."""
        deadline = time.monotonic() + _PATIENCE
        while not reached():
            assert not self.failure, self.failure
            assert time.monotonic() < deadline, f"not {what}: {self.state()}\n{self.events()}"
            time.sleep(0.01)

    def committed(self, path: str) -> str | None:
        """What HEAD holds under a path."""
        done = subprocess.run(("git", "-C", self.root, "show", f"HEAD:{path}"), capture_output=True, check=False, text=True)
        return done.stdout if done.returncode == 0 else None

    def until_committed(self, path: str, text: str | None) -> None:
        self.until(lambda: self.committed(path) == text, f"committed: {path}")

    def commits(self) -> int:
        return int(self.git("rev-list", "--count", "HEAD"))

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        """The log's events."""
        return [event for event in self.service.log.read(1000) if not kind or event["event"] == kind]

    def until_quiet(self) -> None:
        """Until all that was saved before is committed and indexed."""
        self.ask("flush")
