"""hooks, mcp: connecting agents' programs by the command, in a home folder of the test's own."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from support.cli import ELSEWHERE, memtree

SETTINGS = '{\n  "env": {"GITHUB_TOKEN": "ghp_' + "a1B2" * 9 + '"},\n  "hooks": {}\n}\n'


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace; nothing here changes it."""
    folder = tmp_path_factory.mktemp("workspaces") / "notes"
    memtree("init", str(folder))
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, and a memtree on PATH behind a link."""
    found = tmp_path / "home"
    (found / ".claude").mkdir(parents=True)
    (found / "bin").mkdir()
    program = found / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (found / "bin" / "memtree").symlink_to(program)
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.setenv("PATH", str(found / "bin"), prepend=":")
    for name in ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    return found


def test_an_agent_is_connected_moved_and_disconnected(
    notes: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text(SETTINGS)
    said = memtree("hooks", "install", "claude-code", cwd=notes).lines
    assert said[0] == f"Claude Code is connected to {notes} by hooks now ({settings})."
    commands = {
        handler["command"]: event
        for event, groups in json.loads(settings.read_text())["hooks"].items()
        for group in groups
        for handler in group["hooks"]
    }
    (command,) = commands
    assert shlex.split(command) == [str(home / "bin" / "memtree"), "-w", str(notes), "hook", "claude-code"]
    assert "nothing was changed" in memtree("hooks", "install", "claude-code", cwd=notes).out

    other = tmp_path / "other notes"
    memtree("init", str(other))
    assert f"Before, it was connected to {notes}." in memtree("hooks", "install", "claude-code", cwd=other).out
    found = memtree("hooks", "status", "--json").json["connections"]
    assert [(one["agent"], one["workspace"]) for one in found] == [("claude-code", str(other)), ("codex", "")]
    assert str(other) in memtree("hooks", "status").out
    assert memtree("hooks", "status").err == ""

    other.rename(tmp_path / "moved")
    (found, _) = memtree("hooks", "status", "--json").json["connections"]
    assert (found["workspace"], found["error"].split(";")[0]) == (str(other), "no workspace is there")
    assert f"{other} (no workspace is there; " in memtree("hooks", "status").out
    monkeypatch.setenv("MEMTREE_HOOKS", "off")
    assert "MEMTREE_HOOKS=off" in memtree("hooks", "status").err

    done = memtree("hooks", "uninstall", "claude-code", "--json", cwd=home).json
    assert (done["outcome"], done["previous"], done["backup"]) == ("disconnected", str(other), None)
    assert settings.read_text() == SETTINGS
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]
    assert "not connected" in memtree("hooks", "uninstall", "claude-code", cwd=home).out


@pytest.mark.parametrize("client", ["claude-code", "claude-desktop", "cursor", "codex"])
def test_a_client_is_connected_and_disconnected(notes: Path, home: Path, client: str) -> None:
    done = memtree("mcp", "install", client, "--json", cwd=notes).json
    file = Path(done["file"])
    assert home in file.parents
    for word in (str(home / "bin" / "memtree"), str(notes), "mcp"):
        assert json.dumps(word) in file.read_text()
    found = memtree("mcp", "status", "--json").json["connections"]
    assert [one["agent"] for one in found if one["workspace"] == str(notes)] == [client]
    assert memtree("mcp", "install", client, "--json", cwd=notes).json["outcome"] == "already connected"
    memtree("mcp", "uninstall", client, cwd=home)
    assert not file.exists()


def test_codex_asks_for_an_approval(notes: Path, home: Path) -> None:
    assert "/hooks" in memtree("hooks", "install", "codex", cwd=notes).out
    found = json.loads((home / ".codex" / "hooks.json").read_text())["hooks"]
    assert found["SessionEnd"][0]["hooks"][0]["timeout"] == 3


def test_hooks_that_are_switched_off_are_told(notes: Path, home: Path) -> None:
    (home / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    assert "disableAllHooks" in memtree("hooks", "install", "claude-code", cwd=notes).out


def test_a_dry_run_shows_the_change_without_secrets(notes: Path, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    made = memtree("hooks", "install", "claude-code", "--dry-run", "--json", cwd=notes).json["diff"]
    assert made[2].startswith("@@ -0,0 +1,")
    assert {line[:1] for line in made[3:]} == {"+"}
    settings.write_text(SETTINGS)
    said = memtree("hooks", "install", "claude-code", "--dry-run", cwd=notes)
    assert "+++ " in said.out
    assert "+          " in said.out
    assert "ghp_" not in said.out
    assert said.lines[-1] == "Nothing was written: this was a dry run."
    assert settings.read_text() == SETTINGS
    assert memtree("hooks", "install", "claude-code", "--dry-run", "--json", cwd=notes).json["diff"]
    assert "Nothing would change" in memtree("hooks", "uninstall", "claude-code", "--dry-run").out


def test_settings_that_cannot_be_edited_are_told_with_their_place(notes: Path, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text('{\n  "a": 1,\n}\n')
    failed = memtree("hooks", "install", "claude-code", cwd=notes, code=2)
    assert f"{settings}:3:1: not JSON that can be edited safely" in failed.err
    assert "add by hand" in failed.err
    assert "cannot be read" in memtree("hooks", "status").out
    settings.chmod(0o444)
    settings.write_text("{}")
    assert "read-only" in memtree("hooks", "install", "claude-code", cwd=notes, code=3).err


def test_connecting_needs_a_workspace_and_a_home(notes: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not inside a memtree workspace" in memtree("mcp", "install", "cursor", cwd=home, code=2).err
    monkeypatch.setenv("HOME", str(home / "gone"))
    assert "home folder" in memtree("hooks", "install", "claude-code", cwd=notes, code=2).err
    assert "did you mean: memtree hooks install" in memtree("connect", code=2).err
