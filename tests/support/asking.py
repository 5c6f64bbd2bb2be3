"""A workspace whose models are a server on the loopback interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memtree.engine.llm.asking import Asker
from memtree.engine.llm.roles import Models
from memtree.engine.workspace import Options, Workspace
from support.model_server import ModelServer

PAUSE = 0.005  # seconds before a first repetition


@contextmanager
def workspace_with(folder: Path, settings: str, **options: Any) -> Iterator[Workspace]:
    """A workspace with these tables in its memtree.toml."""
    made, _ = Workspace.init(str(folder))
    made.close()
    toml = folder / "memtree.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + settings, encoding="utf-8")
    with Workspace.open(str(folder), Options(**options)) as workspace:
        yield workspace


@contextmanager
def asker_of(folder: Path, server: ModelServer, *, agent: str = "", **keys: Any) -> Iterator[Asker]:
    """Who asks that server; `keys` go into [models.default]."""
    with workspace_with(folder, server.settings(**{"timeout": 60.0, **keys})) as workspace:
        if keys.keys() & {"key_env", "key_ring"}:
            Models.of(workspace).allow(keys.get("url", server.url))
        yield Asker(workspace, agent=agent, pause=PAUSE)
