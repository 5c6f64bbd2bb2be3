"""`memtree models` and `memtree usage`, and what doctor says of models."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.llm.ledger import LIMIT, Call, Ledger
from memtree.engine.llm.usage import Usage, read_trailers, trailers
from memtree.engine.workspace import Workspace
from support.asking import workspace_with
from support.cli import memtree
from support.model_server import MODEL, ModelServer, call, fail, model_server, say, typed


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, running: ModelServer) -> Path:
    """A workspace of this test alone: what one test allows, no other one may find allowed."""
    folder = tmp_path / "models"
    folder.mkdir()
    tables = running.settings(retries=0, timeout=60.0) + '[models.chat]\nmodel = "far"\nurl = "http://models.example.org/v1"\n'
    with workspace_with(folder, tables) as workspace:
        workspace.save("settings")
    return folder


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.script(say("Well."))
    return running


def test_show_tells_each_role_and_what_stands_in_the_way(folder: Path, server: ModelServer) -> None:
    shown = memtree("models", "show", cwd=folder)
    lines = [line.split() for line in shown.lines[:5]]
    assert lines[1] == ["local", MODEL, server.url, "can", "be", "asked"]
    assert lines[2] == ["chat", "far", "http://models.example.org/v1", "not", "allowed", "here"]
    assert "memtree models allow http://models.example.org/v1" in shown.out
    found = {one["role"]: one for one in memtree("models", "show", "--json", cwd=folder).json}
    assert found["local"]["configured"]
    assert found["local"]["why_not"] == ""
    assert (found["chat"]["configured"], found["chat"]["allowed"]) == (False, False)
    assert server.requests == []


def test_show_without_a_model(tmp_path: Path) -> None:
    memtree("init", cwd=tmp_path)
    assert "No model is configured" in memtree("models", "show", cwd=tmp_path).out
    assert memtree("models", "show", "--json", cwd=tmp_path).json[0]["model"] is None
    refused = memtree("models", "test", "chat", cwd=tmp_path, code=3)
    assert "no model is configured for chat" in refused.err
    assert "No model was asked." in memtree("usage", cwd=tmp_path).out
    assert models_findings(tmp_path) == [("fine", "none is configured; everything works without one")]


def models_findings(folder: Path) -> list[tuple[str, str]]:
    found = memtree("doctor", "--json", cwd=folder, code=None).json["findings"]
    return [(one["level"], one["message"]) for one in found if one["check"] == "models"]


def test_allow_is_for_what_the_settings_name(folder: Path) -> None:
    wrong = memtree("models", "allow", "http://elsewhere.example.org/v1", cwd=folder, code=2)
    assert "http://models.example.org/v1" in wrong.err
    (level, message), *others = models_findings(folder)
    assert (level, others) == ("note", [])
    assert "chat: " in message
    assert "was not allowed on this machine" in message
    assert "Allowed: from now on" in memtree("models", "allow", "http://models.example.org/v1/", cwd=folder).out
    again = memtree("models", "allow", "http://models.example.org/v1", "--json", cwd=folder).json
    assert again == {"allowed": "http://models.example.org/v1", "keys": [], "changed": False}
    assert models_findings(folder)[0][0] == "fine"


def test_test_asks_for_a_form_and_a_tool(folder: Path, server: ModelServer) -> None:
    server.script(typed(word="heron"), call("say_word", word="heron"), say("Said."))
    good = memtree("models", "test", "local", cwd=folder).out
    assert f"{MODEL} answers" in good
    assert "keeps to a form" in good
    assert "uses tools" in good
    server.script(say("I am a poet."))
    poor = memtree("models", "test", "local", "--json", cwd=folder).json
    assert "nothing that can be used" in poor["form"]
    assert "without calling the tool" in poor["tools"]
    server.script(fail(401))
    assert "wants a key" in memtree("models", "test", "local", cwd=folder, code=3).err
    server.script(fail(503))
    assert "answered 503" in memtree("models", "test", "local", cwd=folder, code=75).err
    memtree("models", "test", "poet", cwd=folder, code=2)


@pytest.mark.parametrize("package", ["pydantic_ai", "openai"])
def test_without_the_extra_every_way_says_what_to_install(
    folder: Path, server: ModelServer, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name == package or name.startswith((f"{package}.", "memtree.engine.llm.talk"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)  # as where it is not installed
    told = memtree("models", "test", "local", cwd=folder, code=3).err
    assert package in told
    assert "pip install 'memtree-sync[llm]'" in told
    assert "pip install 'memtree-sync[llm]'" in memtree("models", "show", cwd=folder).out
    assert server.requests == []


def test_usage_adds_up_the_ledger_and_the_commits(tmp_path: Path) -> None:
    with workspace_with(tmp_path, "") as workspace:
        ledger = Ledger(workspace.places.folder)
        ledger.note(Call(1_764_500_000, "chat", "recap", "answered", Usage("small", 1, 100, 10, 1.5)))
        ledger.note(Call(1_764_600_000, "chat", "recap", "ModelAway", Usage("small", 0, 0, 0, 2.0)))
        ledger.note(Call(1_764_600_000, "agentic", "archivist", "answered", Usage("large", 3, 900, 80, 9.0)))
        committed(workspace, "a.md", trailers(Usage("large", 3, 812, 120, 9.0)))
        committed(workspace, "b.md", "")
        committed(workspace, "c.md", "\x1enoon\x1fx\n\nMemtree-Model: made up\n")  # a text that looks like our own marks
    found = memtree("usage", "--json", cwd=tmp_path).json
    assert [(one["name"], one["calls"], one["failed"], one["usage"]["input_tokens"]) for one in found["here"]] == [
        ("large", 1, 0, 900),
        ("small", 2, 1, 100),
    ]
    assert [(one["name"], one["calls"], one["usage"]["output_tokens"]) for one in found["commits"]] == [("large", 1, 120)]
    by_agent = memtree("usage", "--by", "agent", "--json", cwd=tmp_path).json
    assert [one["name"] for one in by_agent["commits"]] == ["archivist"]
    assert [one["name"] for one in memtree("usage", "--by", "role", "--json", cwd=tmp_path).json["commits"]] == ["-"]
    days = memtree("usage", "--by", "day", "--json", cwd=tmp_path).json["here"]
    assert [one["name"] for one in days] == sorted(one["name"] for one in days)
    assert len(days) == 2
    later = memtree("usage", "--since", "2025-12-01T06:00+00:00", "--json", cwd=tmp_path).json
    assert sum(one["calls"] for one in later["here"]) == 2
    shown = memtree("usage", cwd=tmp_path).out
    assert "From this machine" in shown
    assert "In commits, of every machine" in shown
    memtree("usage", "--since", "whenever", cwd=tmp_path, code=2)


def committed(workspace: Workspace, name: str, cost: str) -> None:
    path = workspace.path(name, cwd=workspace.root)
    workspace.write({path: b"text\n"}, f"a note\n\nMemtree-Writer: archivist\n{cost}")


def test_trailers_are_read_back() -> None:
    usage = Usage("  odd\nname ", 2, 812, 120, 3.0)
    assert trailers(usage) == "Memtree-Model: odd name\nMemtree-Tokens: input 812, output 120\n"
    assert trailers(None) == trailers(Usage()) == ""
    assert read_trailers({"model": "odd name", "tokens": "input 812, output 120"}) == Usage("odd name", 1, 812, 120)
    assert read_trailers({"model": "x", "tokens": "many"}) == Usage("x", 1)
    assert read_trailers({"tokens": "input 1, output 1"}) is None


def test_the_ledger_stays_small_and_passes_over_nonsense(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path))
    assert list(ledger.calls()) == []
    path = tmp_path / "usage.jsonl"
    path.write_text('{"time": 1}\nnonsense\n[]\n' + "x" * LIMIT, encoding="utf-8")
    kept = Call(5, "chat", "recap", "answered", Usage("m", 1, 2, 3, 0.5))
    ledger.note(kept)
    assert list(ledger.calls()) == [kept]
    assert path.stat().st_size < 500
    assert json.loads(path.read_text(encoding="utf-8"))["model"] == "m"
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    ledger.note(kept)
    assert not (tmp_path / "elsewhere").exists()
