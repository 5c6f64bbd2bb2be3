"""Hooks and their worker as real processes: quick, detached, one at a time, killed at any step, and never in an agent's way."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

from memtree.engine.outbox_state import entry_names
from memtree.engine.workspace import Options, Workspace
from memtree.hooks.worker import Worker
from support.agent_transcripts import ClaudeTranscript
from support.cli import MEMTREE, environment, spawn
from support.hooked import Hooked

PATIENCE = 60.0  # seconds, for a machine that is busy with other things


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path / "w")


def turn(number: int, session: str = "s") -> dict[str, Any]:
    words = {"user": f"Question {number}?", "assistant": f"Answer {number}."}
    return {"event": "turn", "session_id": session, "turn": words}


def call(hooked: Hooked, agent: str, payload: Any, *options: str, **more: Any) -> subprocess.Popen[bytes]:
    """Start a hook as an agent does, with the payload on standard input, which stays open."""
    words = (*MEMTREE, "-w", hooked.root, *options, "hook", agent)
    started = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), **more
    )
    assert started.stdin is not None
    started.stdin.write(payload if isinstance(payload, bytes) else json.dumps(payload).encode())
    started.stdin.flush()
    return started


def ended(started: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    """How a hook ended, with its standard input open to the last."""
    code = started.wait(PATIENCE)
    assert started.stdout is not None
    assert started.stderr is not None
    assert started.stdin is not None
    out, err = started.stdout.read(), started.stderr.read()
    for stream in (started.stdin, started.stdout, started.stderr):
        stream.close()
    return code, out, err


def settled(hooked: Hooked) -> None:
    """Wait until the workers that hooks started have recorded everything and let go."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not any(entry_names(hooked.outbox.folder)) and not workers(hooked):
            return
        time.sleep(0.05)
    pytest.fail(f"still to record: {hooked.outbox.names()}; {hooked.log}")


def workers(hooked: Hooked) -> list[int]:
    """The processes that work for the workspace."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            words = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
            if b"flush" in words and hooked.root.encode() in words:
                found.append(int(name))
    return found


def test_from_the_hook_to_the_files_though_the_agent_dies(hooked: Hooked, tmp_path: Path) -> None:
    """The whole way: a hook in an agent's process group, which is hung up and killed as soon as the hook has answered."""
    talk = ClaudeTranscript().prompt("Question 0?").assistant("Answer 0.")
    payload = talk.hook("Stop", talk.write_below(tmp_path), last_assistant_message="Answer 0.")
    script = f"{' '.join(MEMTREE)} -w {hooked.root} hook claude-code --from-the-future 1; echo code $?; sleep 600"
    agent = subprocess.Popen(
        ("sh", "-c", script), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), start_new_session=True
    )
    with agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(json.dumps(payload).encode())
        agent.stdin.flush()
        assert agent.stdout.readline() == b"code 0\n"
        for end in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(agent.pid, end)
    settled(hooked)
    assert hooked.turns() == [("user", "Question 0?"), ("assistant", "Answer 0.")]


def test_a_worker_is_alone_in_its_session_with_nothing_of_the_agents_open(hooked: Hooked) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    try:
        assert ended(call(hooked, "generic", turn(0), close_fds=False))[:2] == (0, b"")
        os.close(writer)
        # The end comes although the worker may still be at it: it does not hold the pipe.
        started = time.monotonic()
        assert os.read(reader, 1) == b""
        found = workers(hooked)
        if found and time.monotonic() - started < 1:
            with contextlib.suppress(ProcessLookupError):
                assert os.getsid(found[0]) == found[0]
    finally:
        os.close(reader)
    settled(hooked)
    assert len(hooked.turns()) == 2


def test_many_hooks_at_once_leave_nothing_waiting(hooked: Hooked) -> None:
    """Eight hooks, two on each session: whoever's worker finds another at work goes away, and nothing is left behind by that."""
    hooks = [call(hooked, "generic", turn(number, f"s{number % 4}")) for number in range(8)]
    assert [ended(hook) for hook in hooks] == [(0, b"", b"")] * 8
    settled(hooked)
    questions = sorted(text for role, text in hooked.turns() if role == "user")
    assert questions == [f"Question {number}?" for number in range(8)]


@pytest.mark.parametrize(
    ("agent", "data"),
    [
        ("claude-code", b'{"hook_event_name": "SessionStart"'),  # and no more
        ("codex", b"\xff\x00[]"),
        ("generic", b'{"event": "unheard of"}'),
    ],
)
def test_bad_input_and_an_open_pipe_end_with_code_0_and_one_line(hooked: Hooked, agent: str, data: bytes) -> None:
    code, out, err = ended(call(hooked, agent, data, "--an-option-of-tomorrow"))
    assert (code, out) == (0, b"")
    assert err.count(b"\n") == 1
    assert err.startswith(b"memtree hook ")
    assert len(hooked.log.splitlines()) == 1


def test_a_hook_that_only_spools_loads_no_engine(hooked: Hooked, tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("Question 0?").assistant("Staging uses port 8443, as the configuration says.")
    last = "Staging uses port 8443, as the configuration says."
    payload = talk.hook("Stop", talk.write_below(tmp_path), last_assistant_message=last)
    code = (
        "import json, os, sys\n"
        "from memtree.tools import agent_hook\n"
        "agent_hook.start_worker = lambda root: None\n"
        "agent_hook.run_hook(agent_hook.hook_words(sys.argv[1:]))\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    words = (sys.executable, "-c", code, "-w", hooked.root, "hook", "claude-code")
    done = subprocess.run(words, input=json.dumps(payload), capture_output=True, text=True, check=True, env=environment())
    loaded = set(json.loads(done.stdout))
    assert len(hooked.outbox.names()) == 1
    assert not loaded & {"click", "pygit2", "yaml", "tantivy", "numpy", "portalocker", "dataclasses", "tomllib"}
    assert not any(name.startswith(("memtree.tree.", "memtree.indexers")) for name in loaded)


# -- killed


def kill_a_worker(hooked: Hooked, step: int) -> bool:
    """Put a worker to work in a process of its own and kill it at a step; whether it came to that step."""
    left = iter(range(step))

    def observe(*_: Any) -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    with warnings.catch_warnings():
        # Newer releases of Python warn of other threads: none of them holds a lock that the child needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(int(PATIENCE))
            Worker(hooked.place, hooked.around(Options(observe=observe))).run()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert not os.WIFSIGNALED(status) or os.WTERMSIG(status) == signal.SIGKILL
    return os.WIFSIGNALED(status)


def test_workers_killed_at_many_steps_lose_nothing_and_repeat_nothing(hooked: Hooked, tmp_path: Path) -> None:
    talk = ClaudeTranscript()
    expected: list[tuple[str, str]] = []
    for number, step in enumerate((0, 5, 14, 22, 31, 47, 64)):
        talk.prompt(f"Question {number}?").assistant(f"Answer {number}.")
        hooked.tell("claude-code", talk.hook("Stop", talk.write_below(tmp_path)))
        hooked.tell("generic", turn(number, "other"))
        expected += [("user", f"Question {number}?"), ("assistant", f"Answer {number}.")]
        assert kill_a_worker(hooked, step)
    assert hooked.work().waiting == 0
    assert hooked.turns() == expected * 2
    with Workspace.open(hooked.root) as workspace:
        assert workspace.save().changes == ()


def test_a_worker_killed_after_the_commit_and_before_the_entry_goes(hooked: Hooked) -> None:
    hooked.tell("generic", turn(0))
    (name,) = hooked.outbox.names()
    data = Path(hooked.outbox.folder, name).read_bytes()
    hooked.work()
    Path(hooked.outbox.folder, name).write_bytes(data)
    assert hooked.work().turns == 0
    assert len(hooked.turns()) == 2


def test_the_switch_reaches_a_real_hook(hooked: Hooked) -> None:
    words = (*MEMTREE, "-w", hooked.root, "hook", "generic")
    done = subprocess.run(
        words, input=json.dumps(turn(0)).encode(), capture_output=True, check=True, env=environment({"MEMTREE_HOOKS": "off"})
    )
    assert (done.stdout, done.stderr, hooked.outbox.names(), hooked.log) == (b"", b"", [], "")


def test_every_other_command_is_served_as_before(hooked: Hooked) -> None:
    assert "session_id" in spawn("-w", hooked.root, "hook", "generic", "--schema").out
    assert "Usage" in spawn("hook", "codex", "--help").out
