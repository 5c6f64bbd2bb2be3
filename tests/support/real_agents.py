"""Real agents: the programs themselves, in a home and a project of their own, with a made-up model in a network of nothing else.

    box = RealAgent("claude-code", program, tmp_path)
    box.memtree("hooks", "install", "claude-code")
    ran = box.run("Which port?", [{"text": "8443."}])      # ran.answer, ran.session, ran.contexts
    box.run("And production?", [...], resume=ran.session)

Nothing that a program writes is kept: it all goes with the folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtree.engine.locks import WriteLock
from support import made_model
from support.hooked import Hooked
from support.made_model import MODEL, URL, Reply

PROGRAMS = {"claude-code": "MEMTREE_E2E_CLAUDE", "codex": "MEMTREE_E2E_CODEX"}
SETTINGS = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}
SERVERS = {"claude-code": ".claude.json", "codex": ".codex/config.toml"}
SHELL = {"claude-code": "Bash", "codex": "exec_command"}  # the tool that runs a command, as the model calls it
PATIENCE = 120.0  # seconds, for a machine that is busy with other things
_KEY = "made-up-and-worth-nothing"
# What a person has set before memtree comes, in nobody's usual form.
_BEFORE = {
    ".claude/settings.json": '{ "cleanupPeriodDays":30,\n\t"hooks": {} }',
    ".codex/hooks.json": '{"hooks":{ }}\n\n',
    ".codex/config.toml": f"""# mine
model = "{MODEL}"
model_provider = "made"
[model_providers.made]   # on this machine
name = "made"
base_url = "{URL}/v1"
wire_api = "responses"
env_key = "MADE_KEY"
""",
}


def network() -> tuple[str, ...]:
    """The words that run a program in a network of its own; () where the system does not let us."""
    for words in (("unshare", "-n"), ("unshare", "-rn")):
        with contextlib.suppress(OSError):
            if not subprocess.run((*words, "ip", "link", "set", "lo", "up"), capture_output=True, check=False).returncode:
                return words
    return ()


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and what it sent to the model: every text of each request of the conversation."""

    code: int
    answer: str
    session: str
    contexts: list[str]
    printed: str


class RealAgent:
    """A program with its home, a project that it works in, and a workspace of memtree beside them."""

    def __init__(self, agent: str, program: str, folder: Path, notes: dict[str, str]) -> None:
        self.agent = agent
        self.home = folder / "home"
        self.project = folder / "project"
        self.hooked = Hooked(folder / "memory", notes=notes)
        self._folder = folder
        self._program = program
        self._runs = 0
        self.project.mkdir()
        for path, text in _BEFORE.items():
            self.file(path).parent.mkdir(parents=True, exist_ok=True)
            self.file(path).write_text(text, encoding="utf-8")

    def file(self, path: str) -> Path:
        """A file below the home."""
        return self.home / path

    def memtree(self, *words: str) -> str:
        """Run memtree as the person whose home it is; what it prints."""
        command = (sys.executable, "-m", "memtree.tools", "-w", self.hooked.root, *words)
        done = subprocess.run(command, env=self._environment(), capture_output=True, check=True, timeout=PATIENCE)
        return done.stdout.decode()

    def run(self, prompt: str, replies: Sequence[Reply], *, resume: str = "", fork: bool = False, tools: Sequence[str] = ()) -> Ran:
        """Let the program take one turn: in a new session, in the one to `resume`, or in a new one that goes on from that (`fork`).

        `tools` are the names of more tools that it may use.
        """
        self._runs += 1
        script, record = (self._folder / f"{name}-{self._runs}.json" for name in ("script", "requests"))
        script.write_text(json.dumps(list(replies)), encoding="utf-8")
        record.touch()
        words = self._claude(prompt, resume, fork, tools) if self.agent == "claude-code" else self._codex(prompt, resume, fork)
        serve = (sys.executable, made_model.__file__, str(script), str(record))
        code, out, err = self._bounded((*network(), *serve, self._program, *words))
        told = _of_claude(out) if self.agent == "claude-code" else _of_codex(out)
        asked = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        contexts = ["\n".join(_texts(one["body"])) for one in asked if one["reply"] is not None]
        return Ran(code, told[1], told[0], contexts, f"{out}\n{err}")

    def settled(self) -> None:
        """Wait until the workers that the hooks started have recorded everything and let go."""
        outbox = self.hooked.outbox
        deadline = time.monotonic() + PATIENCE
        while outbox.names() or WriteLock(outbox.lock).holder():
            assert time.monotonic() < deadline, (outbox.names(), self.hooked.log)
            time.sleep(0.05)

    def _claude(self, prompt: str, resume: str, fork: bool, tools: Sequence[str]) -> list[str]:
        allowed = ",".join(("Bash", *tools))
        words = ["-p", "--model", MODEL, "--output-format", "json", "--allowedTools", allowed]
        return [*words, *(("--resume", resume) if resume else ()), *(("--fork-session",) if fork else ()), "--", prompt]

    def _codex(self, prompt: str, resume: str, fork: bool) -> list[str]:
        open_ = ("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "--json")
        return ["exec", *(("fork" if fork else "resume",) if resume else ()), *open_, *((resume,) if resume else ()), prompt]

    def _environment(self) -> dict[str, str]:
        node = shutil.which("node")
        path = [os.path.dirname(node)] if node else []
        return {"HOME": str(self.home), "PATH": ":".join((*path, "/usr/bin", "/bin", "/usr/sbin", "/sbin")), "LANG": "C.UTF-8"}

    def _bounded(self, words: Sequence[str]) -> tuple[int, str, str]:
        more = {
            "ANTHROPIC_BASE_URL": URL,
            "ANTHROPIC_API_KEY": _KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "MADE_KEY": _KEY,
        }
        started = subprocess.Popen(
            words,
            cwd=self.project,
            env=self._environment() | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        with started:
            try:
                out, err = started.communicate(timeout=PATIENCE)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(started.pid, signal.SIGKILL)  # a group of ours, that the detached worker has left
        return started.returncode, out.decode(), err.decode()


def _of_claude(out: str) -> tuple[str, str]:
    """The session and the answer as Claude Code prints them."""
    told = next((json.loads(line) for line in out.splitlines() if line.startswith("{")), {})
    return str(told.get("session_id", "")), str(told.get("result", ""))


def _of_codex(out: str) -> tuple[str, str]:
    """The session and the answer as Codex prints them."""
    told = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    session = next((one["thread_id"] for one in told if one["type"] == "thread.started"), "")
    items = [one["item"] for one in told if one["type"] == "item.completed"]
    return session, next((item["text"] for item in reversed(items) if item["type"] == "agent_message"), "")


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
