"""Questions in the background: results that any process can fetch, workers that are killed, ids that are none, what is swept."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine import forgetting
from memtree.engine.agents import agent_tasks
from memtree.engine.agents.agent_tasks import MOST, NoSuchTask, State, TooManyTasks, result, start, sweep, work
from memtree.engine.agents.answers import Status
from memtree.engine.agents.callers import Caller, NotInAgentTurn
from memtree.engine.agents.memory_agent import new_task_id, question
from memtree.engine.forgetting import Target, forget
from memtree.engine.locks import WriteLock
from memtree.engine.memory_tree.hits import BadRequest
from memtree.engine.workspace import Workspace
from support.cli import environment
from support.model_server import HANG, ModelServer, model_server, say
from support.questions import ask, memory

SECRET = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with model_server() as started:
        yield started


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with memory(tmp_path / "w") as opened:
        yield opened


def tasks(workspace: Workspace) -> Path:
    return Path(workspace.places.folder, "tasks")


def finished(task_id: str) -> None:
    """Wait for the thread that works on a task."""
    for thread in threading.enumerate():
        if thread.name == task_id:
            thread.join(300)


def done(workspace: Workspace, query: str = "when is the certificate renewal due?", **options: object) -> str:
    task_id = new_task_id()
    work(workspace, task_id, question(query), caller=Caller.person(), **options)
    return task_id


def test_an_answer_can_be_fetched_by_any_process_later(workspace: Workspace) -> None:
    task_id = start(workspace, f"when is the certificate renewal due? {SECRET}", caller=Caller.mcp())
    finished(task_id)
    with Workspace.open(workspace.root, workspace.options) as another:
        found = result(another, task_id)
    assert (found.state, found.task_id) == (State.DONE, task_id)
    assert found.query.startswith("when is the certificate renewal due? ")
    assert found.answer is not None
    assert (found.answer.text, found.answer.task_id) == ("The certificate renewal is due in May. [1]", task_id)
    assert found.answer == result(workspace, task_id).answer
    assert SECRET not in (tasks(workspace) / f"{task_id}.json").read_text()


def test_results_are_for_their_owner_alone(workspace: Workspace) -> None:
    task_id = done(workspace)
    assert stat.S_IMODE(os.lstat(tasks(workspace)).st_mode) == 0o700
    assert stat.S_IMODE(os.lstat(tasks(workspace) / f"{task_id}.json").st_mode) == 0o600


def test_it_runs_until_it_has_its_answer(tmp_path: Path, running: ModelServer) -> None:
    asked, may_end = threading.Event(), threading.Event()

    def reply(_: object) -> object:
        asked.set()
        may_end.wait(300)
        return say("In May [1].")

    running.script(reply)  # type: ignore[arg-type]
    with memory(tmp_path / "w", running.settings(retries=0, timeout=300.0)) as workspace:
        task_id = start(workspace, "when is the certificate renewal due?", caller=Caller.person())
        assert asked.wait(300)
        assert result(workspace, task_id).state is State.RUNNING
        may_end.set()
        finished(task_id)
        found = result(workspace, task_id).answer
        assert found is not None
        assert (found.status, found.text, found.iterations) == (Status.COMPLETED, "In May [1].", 1)


def test_a_worker_that_is_killed_is_told_as_lost(tmp_path: Path) -> None:
    with model_server() as server:
        server.script(HANG)
        with memory(tmp_path / "w", server.settings(retries=0, timeout=300.0)) as workspace:
            task_id = new_task_id()
            words = (sys.executable, "-P", "-m", "memtree.tools.ask_worker", workspace.root, task_id)
            child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(json.dumps(["when is the certificate renewal due?", "", None]).encode())
            child.stdin.close()
            assert child.stdout.readline().decode().strip() == task_id
            assert result(workspace, task_id).state is State.RUNNING
            child.send_signal(signal.SIGKILL)
            child.wait(60)
            child.stdout.close()
            found = result(workspace, task_id)
    assert (found.state, found.reason, found.hint) == (State.FAILED, "its worker ended before it had an answer", "ask again")


def test_what_goes_wrong_in_the_background_is_told(workspace: Workspace) -> None:
    file = Path(workspace.root, "agents/memory/agent.toml")
    file.parent.mkdir(parents=True)
    file.write_text("temperature = 9\n")
    found = result(workspace, done(workspace))
    assert found.state is State.FAILED
    assert "agents/memory/agent.toml: temperature must be a number from 0 to 2" in found.reason
    assert found.hint == "correct agents/memory/agent.toml, or remove the line"


def test_what_cannot_be_asked_is_refused_before_it_begins(workspace: Workspace) -> None:
    for query, options in (("", {}), ("why", {"max_turns": 99}), ("x" * 10_001, {})):
        with pytest.raises(BadRequest):
            start(workspace, query, caller=Caller.person(), **options)  # type: ignore[arg-type]
    with pytest.raises(NotInAgentTurn):
        start(workspace, "why", caller=Caller.background())
    assert not tasks(workspace).exists()


@pytest.mark.parametrize(
    "task_id",
    [
        "",
        "mem-",
        "mem-" + "0" * 32,
        "../journal",
        "mem-" + "a" * 31 + "/",
        "mem-../../../../etc/passwd",
        "MEM-" + "a" * 32,
        "mem-" + "g" * 32,
        "mem-" + "a" * 32 + "\n",
        "a\0b",
        "x" * 10**6,
    ],
)
def test_an_id_that_is_none_reads_nothing(workspace: Workspace, task_id: str) -> None:
    with pytest.raises(NoSuchTask) as caught:
        result(workspace, task_id)
    assert str(caught.value) == "there is no such task"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"answer": 1}',
        '{"answer": {}}',
        '{"answer": {"status": "done"}}',
        '{"started": "noon"}',
        '{"started": null}',
        '{"started": Infinity}',
        "\0" * 10,
        "[" * 100_000,
    ],
)
def test_a_damaged_result_is_told(workspace: Workspace, text: str) -> None:
    task_id = done(workspace)
    (tasks(workspace) / f"{task_id}.json").write_text(text)
    found = result(workspace, task_id)
    assert found.state is State.FAILED
    assert found.reason in ("its result cannot be read", "its worker ended before it had an answer")


def test_a_link_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    task_id = done(workspace)
    secret = tmp_path / "elsewhere.json"
    secret.write_text('{"reason": "what stands elsewhere"}')
    file = tasks(workspace) / f"{task_id}.json"
    file.unlink()
    file.symlink_to(secret)
    assert "elsewhere" not in result(workspace, task_id).reason


def test_old_results_and_too_many_are_swept(workspace: Workspace) -> None:
    kept = done(workspace)
    old = done(workspace)
    now = workspace.options.clock()
    os.utime(tasks(workspace) / f"{old}.json", (now - 8 * 86_400,) * 2)
    assert sweep(workspace) == 1
    assert result(workspace, kept).state is State.DONE
    with pytest.raises(NoSuchTask):
        result(workspace, old)
    text = (tasks(workspace) / f"{kept}.json").read_text()
    for number in range(MOST + 20):
        file = tasks(workspace) / f"mem-{number:032x}.json"
        file.write_text(text)
        os.utime(file, (now - 1000 - number,) * 2)
    assert sweep(workspace) == 21
    assert result(workspace, kept).state is State.DONE
    assert len(list(tasks(workspace).glob("*.json"))) == MOST


def test_so_many_at_once_and_no_more(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_tasks, "MOST_RUNNING", 1)
    task_id = done(workspace)
    with WriteLock(str(tasks(workspace) / f"{task_id}.lock")).held(), pytest.raises(TooManyTasks):
        start(workspace, "why", caller=Caller.person())
    finished(start(workspace, "why", caller=Caller.person()))


def test_what_is_forgotten_is_in_no_result(workspace: Workspace) -> None:
    task_id = done(workspace)
    assert "certificate renewal is due in May" in (tasks(workspace) / f"{task_id}.json").read_text()
    forget(workspace, Target(text="The certificate renewal is due in May."))
    assert not any("May" in file.read_text() for file in tasks(workspace).iterdir())
    with pytest.raises(NoSuchTask):
        result(workspace, task_id)
    assert "May" not in ask(workspace, "when is the certificate renewal due?").text


def test_what_is_forgotten_meanwhile_is_not_kept(workspace: Workspace) -> None:
    task_id = done(workspace, begun=lambda: agent_tasks.forget_results(workspace))
    with pytest.raises(NoSuchTask):
        result(workspace, task_id)


def test_what_is_forgotten_while_a_result_is_being_kept_is_not_kept(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    keep, kept = agent_tasks._keep, list[str]()

    def forgetting_first(where: Workspace, task_id: str, facts: dict[str, object]) -> None:
        if kept:  # the result, behind the look whether anything was forgotten
            agent_tasks.forget_results(where)
        kept.append(task_id)
        keep(where, task_id, facts)

    monkeypatch.setattr(agent_tasks, "_keep", forgetting_first)
    done(workspace)
    assert len(kept) == 2
    assert list(tasks(workspace).iterdir()) == []


def test_a_question_that_is_begun_while_something_is_forgotten_keeps_nothing_of_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_now, begun = forgetting._Job.forget_now, list[str]()

    def asked_before(job: forgetting._Job) -> object:
        begun.append(done(workspace))
        assert "May" in (tasks(workspace) / f"{begun[0]}.json").read_text()
        return forget_now(job)

    monkeypatch.setattr(forgetting._Job, "forget_now", asked_before)
    forget(workspace, Target(text="The certificate renewal is due in May."))
    with pytest.raises(NoSuchTask):
        result(workspace, begun[0])


def test_a_result_that_a_killed_worker_left_half_written_goes_too(workspace: Workspace) -> None:
    old, recent, finished_one = new_task_id(), new_task_id(), done(workspace)
    now = workspace.options.clock()
    for task_id in (old, recent):
        for ending in ("json.0a1b2c3d", "lock"):
            file = tasks(workspace) / f"{task_id}.{ending}"
            file.write_text("The certificate renewal is due in May.")
            os.utime(file, (now - 8 * 86_400 * (task_id == old),) * 2)
    half = tasks(workspace) / f"{finished_one}.json.4e5f6a7b"
    half.write_text("The certificate renewal is due in May.")
    sweep(workspace)
    assert not list(tasks(workspace).glob(f"{old}*"))
    assert len(list(tasks(workspace).glob(f"{recent}*"))) == 2
    assert result(workspace, finished_one).state is State.DONE
    agent_tasks.forget_results(workspace)
    assert list(tasks(workspace).iterdir()) == []
