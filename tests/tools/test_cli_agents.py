"""`memtree agents`: what is listed and shown, as text and as JSON, and what a workspace changes of it."""

from __future__ import annotations

from support.cli import memtree
from support.gitrepo import GitRepo

MODEL = b'[models.default]\nurl = "http://127.0.0.1:9/v1"\nmodel = "made-1"\n'


def test_the_agents_are_listed(notes: GitRepo) -> None:
    told = memtree("agents", "list", cwd=notes.path).lines
    assert told[0] == "archivist  archivist, archive_session (model local; in the background)"
    assert told[1].startswith("    When part of a conversation has ended:")
    assert told[2] == "    cannot run now: it is off: enabled = true under [learning] in memtree.toml turns it on"
    assert [line.split()[0] for line in told if not line.startswith(" ")] == ["archivist", "goals", "memory"]
    found = memtree("agents", "list", "--json", cwd=notes.path).json
    assert [(one["name"], one["runs"]) for one in found["agents"]] == [("archivist", False), ("goals", False), ("memory", False)]
    assert found["agents"][1]["why_not"].startswith("no model is configured for agentic; name one in memtree.toml")
    assert found["notes"] == []


def test_with_a_model_they_run(notes: GitRepo) -> None:
    notes.write("memtree.toml", notes.read("memtree.toml") + MODEL + b"[learning]\nenabled = true\n")
    found = memtree("agents", "list", "--json", cwd=notes.path).json["agents"]
    assert [(one["name"], one["runs"]) for one in found] == [("archivist", True), ("goals", True), ("memory", True)]
    assert found[2]["missing_tools"] == []
    assert "cannot run" not in memtree("agents", "show", "goals", cwd=notes.path).out
    memtree("remote", "add", "origin", f"{notes.path}.git", cwd=notes.path)
    assert memtree("agents", "show", "goals", "--json", cwd=notes.path).json["why_not"] == "this machine is not the librarian"


def test_an_agent_is_shown_with_its_prompt(notes: GitRepo) -> None:
    notes.write("MEMORY.md", "- The heron nests by the mill.\n")
    memtree("save", cwd=notes.path)
    plain = memtree("agents", "show", "archive_session", cwd=notes.path)
    found = memtree("agents", "show", "archivist", "--json", cwd=notes.path).json
    assert "max_iterations        3\n" in plain.out
    assert "tools.named           update_memory_md, record_turn, memory_store\n" in plain.out
    assert plain.out.endswith(f"\n\n{found['prompt']}")
    assert "- The heron nests by the mill." in found["prompt"]
    assert found["definition"]["model.hint"] == "local"
    assert "".join(part["text"] for part in found["parts"]).startswith("# Archivist")


def test_what_a_workspace_changes_is_named(notes: GitRepo) -> None:
    notes.write("agents/agent_memory/agent.toml", 'temperature = 0.5\nsandbox_mode = "none"\n')
    notes.write("agents/archivist/prompt.md", "# Mine\n")
    notes.write("agents/archivst/agent.toml", "")
    shown = memtree("agents", "show", "memory", cwd=notes.path)
    assert "temperature           0.5  (agents/agent_memory/agent.toml)\n" in shown.out
    assert "note: agents/agent_memory/agent.toml lets agent_memory write" in shown.err
    assert memtree("agents", "show", "archivist", cwd=notes.path).out.count("# Mine") == 1
    listed = memtree("agents", "list", cwd=notes.path)
    assert "changed by agents/archivist/prompt.md" in listed.out
    assert "agents/archivst changes no agent of memtree" in listed.err


def test_what_is_withheld_is_said(notes: GitRepo) -> None:
    notes.write("agents/memory/agent.toml", '[tools]\nnamed = ["memory_recall", "goals_delete"]\n')
    shown = memtree("agents", "show", "memory", cwd=notes.path)
    assert "agent_memory does not get goals_delete: they write, and its sandbox_mode is read_only" in shown.err
    found = memtree("agents", "show", "memory", "--json", cwd=notes.path).json
    assert found["tools"] == [
        {"name": "memory_recall", "permission": "read-only", "scope": "any", "concurrent": True, "writes": False}
    ]
    assert "tool                  memory_recall  read-only, any\n" in shown.out
    assert found["withheld_tools"] == ["goals_delete"]


def test_what_is_wrong_is_told_by_file_and_key(notes: GitRepo) -> None:
    notes.write("agents/goals/agent.toml", "temprature = 1\n")
    failed = memtree("agents", "list", cwd=notes.path, code=2)
    assert "agents/goals/agent.toml: 'temprature' is no key of an agent" in failed.err
    assert "the agents are archivist, goals, memory" in memtree("agents", "show", "nobody", cwd=notes.path, code=2).err
