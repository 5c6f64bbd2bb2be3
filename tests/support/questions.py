"""A memory that questions are asked of: a few notes, conversations, and the settings that a test wants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memtree.engine.agents.memory_agent import Caller, MemoryAnswer, call_memory_agent
from memtree.engine.files import Durability
from memtree.engine.llm.asking import Asker
from memtree.engine.workspace import Options, Workspace
from memtree.tree.agent_turn import AgentTurn
from support.model_server import ModelServer

WORDS_ALONE = '[embedding]\nmodel = "none"\n'
PAUSE = 0.005  # seconds before a first repetition
NOTES = {
    "projects/heron.md": "---\ntitle: Heron\n---\n# Heron\n\nThe certificate renewal is due in May.\nAda Lovelace renews it.\n",
    "projects/garden.md": "# Garden\n\nTomatoes go out after the frost, 12 plants in the long bed.\n\n- Beans climb the fence.\n",
    "projects/ferry.md": "# Ferry\n\nThe ferry to the islands leaves from Stralsund at 7:40.\nGrace Hopper is its captain.\n",
    "journal/2026-03-09.md": "今天和图书馆的同事王小明开会，讨论了全文检索。会议在三楼的会议室。\n",
}


@contextmanager
def memory(folder: Path, settings: str = "", notes: Mapping[str, str] = NOTES, **options: Any) -> Iterator[Workspace]:
    """A workspace with these notes saved, searched by words alone."""
    chosen = Options(durability=Durability.FAST, **options)
    with Workspace.init(str(folder), options=chosen)[0]:
        pass
    toml = folder / "memtree.toml"
    toml.write_text(f"{toml.read_text(encoding='utf-8')}{WORDS_ALONE}{settings}", encoding="utf-8")
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    with Workspace.open(str(folder), chosen) as workspace:
        workspace.save()
        yield workspace


def said(workspace: Workspace, session: str, user: str, assistant: str, when: int = 1_772_000_000) -> None:
    """Record a turn of a conversation; `when` is in epoch seconds."""
    workspace.record_turn(AgentTurn(session, user, assistant, timestamp=when * 1000))
    workspace.refresh_index()


def ask(workspace: Workspace, query: str, **options: Any) -> MemoryAnswer:
    """Ask as a person does; a model that is away is not waited for."""
    asker = Asker(workspace, agent="agent_memory", pause=PAUSE)
    return call_memory_agent(workspace, query, **{"caller": Caller.person(), "asker": asker, **options})


def tree(workspace: Workspace) -> str:
    """What is committed: the same before and after what only looks."""
    tip = workspace.repo.tip("HEAD")
    return "" if tip is None else workspace.repo.tree(tip)


def tool_answers(server: ModelServer) -> list[str]:
    """What the tools answered, as the model's last request holds it."""
    return [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "tool"]
