"""An agent that has the memory agent answer: only where its definition names it, within its turn, and not for ever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.agents.curating import enrich_goals
from memtree.engine.llm.asking import Asker
from memtree.engine.workspace import Workspace
from memtree.tree.context_fence import CLOSE, OPEN
from support.model_server import ModelServer, call, calls, model_server, say
from support.questions import memory, tool_answers


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as started:
        yield started


@pytest.fixture
def workspace(tmp_path: Path, server: ModelServer) -> Iterator[Workspace]:
    with memory(tmp_path / "w", server.settings(retries=0, timeout=60.0)) as opened:
        yield opened


def define(workspace: Workspace, text: str) -> None:
    file = Path(workspace.root, "agents/goals/agent.toml")
    file.parent.mkdir(parents=True)
    file.write_text(f'[tools]\nnamed = ["goals_list", "call_memory_agent"]\n{text}')


def test_its_answer_comes_back_as_data(workspace: Workspace, server: ModelServer) -> None:
    define(workspace, '[delegates]\nnamed = ["retrieve_memory"]\n')
    asks = call("call_memory_agent", query="when is the certificate renewal due?")
    server.script(asks, say("In May [1]."), say("Nothing has to change."))
    report = enrich_goals(workspace, asker=Asker(workspace, agent="goals_agent", pause=0.005))
    (told,) = tool_answers(server)
    assert (told.startswith(OPEN), told.endswith(CLOSE), told.count(CLOSE)) == (True, True, 1)
    assert "In May [1].\n\nSources:\n1. projects/heron.md:" in told
    assert (report.message, report.calls) == ("No goal was changed.", ("call_memory_agent",))


def test_who_is_not_named_is_refused(workspace: Workspace, server: ModelServer) -> None:
    define(workspace, "")
    server.script(call("call_memory_agent", query="when is the certificate renewal due?"), say("Nothing has to change."))
    enrich_goals(workspace, asker=Asker(workspace, agent="goals_agent", pause=0.005))
    (told,) = tool_answers(server)
    assert told.startswith("Error: goals_agent may not call retrieve_memory. its definition would have to allow it")
    assert len(server.requests) == 2


def test_it_is_asked_so_often_and_no_more(workspace: Workspace, server: ModelServer) -> None:
    define(workspace, '[delegates]\nnamed = ["retrieve_memory"]\n')
    asks = calls(*(("call_memory_agent", {"query": "when is the certificate renewal due?"}) for _ in range(4)))
    server.script(asks, say("In May [1]."), say("In May [1]."), say("In May [1]."), say("Nothing has to change."))
    enrich_goals(workspace, asker=Asker(workspace, agent="goals_agent", pause=0.005))
    assert tool_answers(server)[3].startswith("Error: 3 questions were asked already")
    assert len(server.requests) == 5
