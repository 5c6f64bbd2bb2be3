"""The whole way: an agent's session goes through the installed hooks into files, syncs, and is recalled on another machine."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtree.tree.context_fence import OPEN
from memtree.tree.episode import Episode
from memtree.tree.paths import RepoPath
from support.agent_transcripts import CLAUDE_SESSION, ClaudeTranscript, Tool
from support.cli import environment, spawn
from support.gitrepo import GitRepo
from support.mcp_client import as_process

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
EPISODIC = "memory_tree/content/episodic"


class Computer:
    """A person's machine: a home folder with the agent's settings, and a workspace."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.root = folder / "memory"
        self.environment = environment({"HOME": str(self.home), "MEMTREE_WORKSPACE": str(self.root)})

    def memtree(self, *words: str) -> str:
        return spawn(*words, cwd=self.home, env={"HOME": str(self.home), "MEMTREE_WORKSPACE": str(self.root)}).out

    def settings(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.home / ".claude" / "settings.json").read_text())
        return found

    def agent_tells(self, payload: Mapping[str, Any]) -> str:
        """Do what the agent's program does at an event, by the commands in its settings; the context that comes back."""
        outputs = []
        for entry in self.settings()["hooks"].get(payload["hook_event_name"], []):
            for hook in entry["hooks"]:
                # From a project of its own, without what only this test knows.
                program = {key: value for key, value in self.environment.items() if key != "MEMTREE_WORKSPACE"}
                done = subprocess.run(
                    ("/bin/sh", "-c", hook["command"]), input=json.dumps(payload).encode(), capture_output=True, cwd=self.home,
                    env=program, timeout=60, check=True,
                )  # fmt: skip
                outputs.append(done.stdout.decode())
        (output,) = outputs
        answer = json.loads(output) if output else {}
        context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        assert isinstance(context, str)
        return context

    def wait_for(self, count: int) -> list[Episode]:
        """The turns of the session, as soon as there are so many."""
        folder = self.root / EPISODIC / CLAUDE_SESSION
        deadline = time.monotonic() + 60
        while not (folder.is_dir() and len(os.listdir(folder)) >= count and self.settled()):
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)
        found = []
        for path in sorted(folder.iterdir()):
            episode = Episode.parse(RepoPath(path.relative_to(self.root).as_posix()), path.read_bytes())
            assert episode is not None
            found.append(episode)
        return found

    def settled(self) -> bool:
        from memtree.engine.locks import WriteLock
        from memtree.hooks.outbox import Outbox

        outbox = Outbox(str(self.root / ".git" / "memtree"))
        return not outbox.names() and not WriteLock(outbox.lock).holder()

    def log(self) -> str:
        path = self.root / ".git" / "memtree" / "hooks.log"
        return path.read_text() if path.exists() else "no log"


def test_a_session_is_remembered_on_every_machine(tmp_path: Path) -> None:
    laptop, desktop = Computer(tmp_path / "laptop"), Computer(tmp_path / "desktop")
    remote = str(tmp_path / "remote.git")
    subprocess.run(("git", "init", "--quiet", "--bare", "--initial-branch=main", remote), check=True, env=environment())
    laptop.memtree("init", str(laptop.root))
    with (laptop.root / "memtree.toml").open("a") as settings:
        settings.write('\n[embedding]\nmodel = "none"\n')  # what is asked has the words of the answer
    laptop.memtree("remote", "add", "origin", remote)
    before = b'{\n    "model": "opus"\n}\n'
    (laptop.home / ".claude").mkdir()
    (laptop.home / ".claude" / "settings.json").write_bytes(before)
    laptop.memtree("hooks", "install", "claude-code")
    assert laptop.settings()["model"] == "opus"

    talk = ClaudeTranscript()
    place = laptop.home / ".claude" / "projects" / "-w-demo" / f"{CLAUDE_SESSION}.jsonl"
    assert laptop.agent_tells(talk.hook("SessionStart", place, source="startup")) == ""  # nothing is remembered yet
    talk.attachment("what a hook had said").snapshot()
    prompt = f"Which port does the staging server of Heron use? My key is {KEY}."
    laptop.agent_tells(talk.hook("UserPromptSubmit", place, prompt=prompt))
    talk.prompt(prompt).assistant(
        "I look it up.", tools=[Tool("Bash", {"command": f"curl -H 'Authorization: Bearer {KEY}' x"}, "no", failed=True)]
    )
    talk.assistant("The staging server of Heron listens on port 8443.").sidechain().write(place)
    laptop.agent_tells(
        talk.hook("Stop", place, stop_hook_active=False, last_assistant_message="The staging server of Heron listens on port 8443.")
    )
    user, answer = laptop.wait_for(2)
    assert (user.role, user.text) == ("user", "Which port does the staging server of Heron use? My key is [secret: github-token].")
    assert (answer.role, answer.text) == ("assistant", "I look it up.\n\nThe staging server of Heron listens on port 8443.")
    assert "Tools that failed in this turn: Bash" in answer.extra
    talk.prompt("Thanks. And production?").assistant("Production of Heron listens on 443.").write(place)
    laptop.agent_tells(talk.hook("SessionEnd", place, reason="other"))  # the person was quicker than the last Stop
    assert len(laptop.wait_for(4)) == 4
    # The worker of the session's end has synced; a sync by hand finds nothing left.
    assert "sent" not in laptop.memtree("sync")
    kept = b"".join(path.read_bytes() for path in laptop.root.rglob("*") if path.is_file())
    assert KEY.encode() not in kept
    assert KEY not in GitRepo(laptop.root).git("log", "-p", "--all")

    desktop.memtree("clone", remote, str(desktop.root))
    desktop.memtree("hooks", "install", "claude-code")
    other = ClaudeTranscript("22222222-2222-4333-8444-555555555555")
    there = desktop.home / ".claude" / "projects" / "-w-demo" / "22222222-2222-4333-8444-555555555555.jsonl"
    assert "(2026-01-05) Thanks. And production?" in desktop.agent_tells(other.hook("SessionStart", there, source="startup"))
    told = desktop.agent_tells(other.hook("UserPromptSubmit", there, prompt="What port is the Heron staging server on?"))
    assert told.startswith(OPEN)
    assert "8443" in told
    assert f"{EPISODIC}/{CLAUDE_SESSION}/00000" in told
    with as_process(desktop.root) as session:
        hits = session.good("search", query="Heron staging port")["hits"]
        assert any("8443" in json.dumps(hit) for hit in hits)

    laptop.memtree("hooks", "uninstall", "claude-code")
    assert (laptop.home / ".claude" / "settings.json").read_bytes() == before
