"""Importing from agents' programs: every turn of their transcripts, once; their own notes as documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.importing.agents import AgentReport, import_agent
from memtree.engine.importing.report import NothingToImport
from memtree.engine.workspace import Workspace
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.document import Document
from memtree.tree.episode import Episode
from memtree.tree.errors import UserError
from support.agent_transcripts import CLAUDE_SESSION, ClaudeTranscript, CodexRollout, OpenClawSession, Tool
from support.machines import Machine, options

CONTENT = "memory_tree/content"
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    workspace, _ = Workspace.init(str(tmp_path / "memory"), options=options())
    with workspace:
        yield Machine(workspace)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def bring(machine: Machine, agent: str, place: Path, **choices: bool) -> AgentReport:
    return import_agent(machine.workspace, agent, [str(place)], **choices)


def turns(machine: Machine) -> list[tuple[str, str, str]]:
    """Session, role and text of every turn."""
    found = []
    repo = machine.workspace.repo
    for path, entry in repo.files(repo.tip(), f"{CONTENT}/episodic"):
        episode = Episode.parse(path, repo.blob(entry.id))
        assert episode is not None
        found.append((episode.session, episode.role, episode.text))
    return found


def talk() -> ClaudeTranscript:
    made = ClaudeTranscript().snapshot().prompt("Which port does staging use?")
    made.assistant("I look.", tools=[Tool("Bash", {"command": f"curl -H 'Authorization: Bearer {KEY}' x"}, "port=8443")])
    return made.assistant("Staging uses 8443.").noise().sidechain()


def test_claude_codes_conversations_and_notes_come_in_once(machine: Machine, home: Path) -> None:
    path = talk().write_below(home / ".claude")
    notes = path.parent / "memory"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("# Index\n- staging uses 8443\n")
    before = machine.tip
    report = bring(machine, "claude-code", home / ".claude")
    assert (report.turns.stored, report.transcripts) == (1, 1)
    assert turns(machine) == [
        (CLAUDE_SESSION, "user", "Which port does staging use?"),
        (CLAUDE_SESSION, "assistant", "I look.\n\nStaging uses 8443."),
    ]
    assert machine.found("8443") != []
    assert machine.git("rev-list", "--count", f"{before}..HEAD") == "2"
    assert not any(KEY.encode() in data for data in machine.notes().values())
    (document,) = (Document.parse(data) for name, data in machine.notes().items() if name.startswith(f"{CONTENT}/raw/claude-code/"))
    assert document.front_matter().text("source_id").endswith("/memory/MEMORY.md")
    tip = machine.tip
    again = bring(machine, "claude-code", home / ".claude" / "projects")
    assert (again.turns.stored, again.turns.known, again.changed) == (0, 1, False)
    assert machine.tip == tip
    machine.assert_sound()


def test_a_transcript_that_went_on_brings_what_is_new(machine: Machine, home: Path) -> None:
    first = talk()
    bring(machine, "claude-code", first.write_below(home))
    first.assistant("Port 8443, to be exact.").compact().prompt("And production?").assistant("443.")
    report = bring(machine, "claude-code", first.write_below(home))
    assert (report.turns.stored, report.turns.grown) == (1, 1)
    assert [text for _, role, text in turns(machine) if role == "assistant"] == [
        "I look.\n\nStaging uses 8443.\n\nPort 8443, to be exact.",
        "443.",
    ]


def test_what_the_hooks_recorded_is_known_to_the_import(machine: Machine, home: Path) -> None:
    from memtree.engine.transcripts.agents import read_transcript

    path = talk().write_below(home / ".claude")
    recorded: tuple[AgentTurn, ...] = read_transcript("claude-code", path).turns
    for one in recorded:
        machine.workspace.record_turn(one)
    tip = machine.tip
    assert bring(machine, "claude-code", home / ".claude").turns.known == len(recorded)
    assert machine.tip == tip


def test_codex_and_openclaw(machine: Machine, home: Path) -> None:
    CodexRollout().prompt("Which port?").assistant(
        "8443.", tools=[Tool("exec_command", {"cmd": "grep port"}, "x", failed=True)]
    ).write_below(home / ".codex")
    OpenClawSession().prompt("Which colour?").assistant("Green.").write_below(home / ".openclaw")
    workspace = home / ".openclaw" / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("- green\n")
    (workspace / "SOUL.md").write_text("be kind\n")
    (workspace / "memory" / "2026-01-05-colours.md").write_text("talked of colours\n")
    assert bring(machine, "codex", home / ".codex").turns.stored == 1
    report = bring(machine, "openclaw", home / ".openclaw")
    assert report.turns.stored == 1
    assert report.notes is not None
    assert report.notes.sources[0].imported == 2
    assert {(role, text) for _, role, text in turns(machine)} == {
        ("user", "Which port?"), ("assistant", "8443."), ("user", "Which colour?"), ("assistant", "Green."),
    }  # fmt: skip
    assert not any(b"be kind" in data for data in machine.notes().values())


def test_a_dry_run_and_what_is_not_there(machine: Machine, home: Path) -> None:
    path = talk().write_below(home / ".claude")
    tip = machine.tip
    assert bring(machine, "claude-code", home / ".claude", dry_run=True).turns.stored == 1
    assert machine.tip == tip
    with pytest.raises(UserError):
        bring(machine, "claude-code", home / "nowhere")
    (home / "empty").mkdir()
    with pytest.raises(NothingToImport, match="claude-code") as failed:
        bring(machine, "claude-code", home / "empty")
    assert failed.value.hint.endswith("such as ~/.claude")
    path.write_bytes(path.read_bytes()[:-20] + b"\xff\xfe{{{\n")
    assert bring(machine, "claude-code", home / ".claude").remarks != []


def test_two_machines_that_import_the_same_make_the_same_files(machine: Machine, home: Path, tmp_path: Path) -> None:
    talk().prompt("And production?").assistant("443.").write_below(home / ".claude")
    other, _ = Workspace.init(str(tmp_path / "other"), options=options())
    with other:
        import_agent(other, "claude-code", [str(home / ".claude")])
        bring(machine, "claude-code", home / ".claude")
        ours = dict(machine.workspace.repo.files(machine.workspace.repo.tip(), CONTENT))
        assert ours == dict(other.repo.files(other.repo.tip(), CONTENT))
