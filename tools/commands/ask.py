"""ask: a question that memory answers, with sources; at once, or in the background."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import json_option, notes, open_workspace, say, say_lines, screen
from memtree.tools.render import Line, Look, Span
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.agents.agent_tasks import TaskResult
    from memtree.engine.agents.answers import MemoryAnswer
    from memtree.engine.workspace import Workspace

_WORKER = "memtree.tools.ask_worker"


class WrongWords(UserError):
    """Options that do not go together."""


@click.command()
@click.argument("query", nargs=-1)
@click.option("--context", default="", metavar="TEXT", help="What you know besides, such as the answer to a question back.")
@click.option("--max-turns", type=int, metavar="N", help="At most this many requests to the model (1 to 20).")
@click.option("--async", "later", is_flag=True, help="Answer in the background: print the task's id at once.")
@click.option("--result", "task", default="", metavar="ID", help="Print what became of a task.")
@json_option
@click.pass_obj
def ask(
    folder: str | None,
    query: tuple[str, ...],
    context: str,
    max_turns: int | None,
    later: bool,
    task: str,
    as_json: bool,
) -> None:
    """Answer a question from memory, with sources: by a model where one is configured, else with the sentences that answer best.

    Example: memtree ask when is the renewal due
    """
    if task and (query or later or context or max_turns is not None):
        raise WrongWords("--result takes a task's id and nothing else", hint="memtree ask --result ID")
    with open_workspace(folder) as workspace:
        if task:
            _show_result(workspace, task, as_json=as_json)
        elif later:
            _start(workspace, " ".join(query), context, max_turns, as_json=as_json)
        else:
            _ask(workspace, " ".join(query), context, max_turns, as_json=as_json)


def _ask(workspace: Workspace, query: str, context: str, max_turns: int | None, *, as_json: bool) -> None:
    from memtree.engine.agents.memory_agent import Caller, call_memory_agent, question

    question(query, context, max_turns)
    remarks = workspace.capture_quietly()
    answer = call_memory_agent(workspace, query, caller=Caller.person(), context=context, max_turns=max_turns)
    _show(query, answer, remarks, as_json=as_json)


def _show(query: str, answer: MemoryAnswer, remarks: list[str], *, as_json: bool) -> None:
    remarks = [*remarks, *answer.warnings[answer.status != "completed" :], *answer.notes]
    if as_json:
        screen().json({"query": query, "answer": answer, "text": answer.body, "footer": answer.footer, "notes": remarks})
        return
    say_lines((Span(line),) for line in answer.body.split("\n"))
    if answer.status == "awaiting_user":
        say("")
        say('To go on, ask again and add: --context "your answer"', Look.FAINT)
    say_lines(_footer(answer))
    notes(remarks)


def _footer(answer: MemoryAnswer) -> list[Line]:
    ended = "" if answer.status == "completed" else f", {answer.status.replace('_', ' ')}"
    return [(Span(""),), (Span("---", Look.FAINT),), (Span(f"{answer.footer}{ended}", Look.FAINT),)]


def _start(workspace: Workspace, query: str, context: str, max_turns: int | None, *, as_json: bool) -> None:
    """Hand the question to a process that outlives this one; wait until its task can be found."""
    from memtree.engine.agents.agent_tasks import NotStarted, accepted
    from memtree.engine.agents.memory_agent import Caller, new_task_id
    from memtree.engine.git_environment import of_this_repository

    asked = accepted(workspace, query, caller=Caller.person(), context=context, max_turns=max_turns)
    remarks = workspace.capture_quietly()
    task = new_task_id()
    child = subprocess.Popen(
        (sys.executable, "-P", "-m", _WORKER, workspace.root, task),
        cwd=workspace.root,
        env=of_this_repository(os.environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    # Not as words of a command line, which every user of the machine can read.
    with contextlib.suppress(BrokenPipeError), child.stdin as pipe:
        pipe.write(json.dumps([asked.query, asked.context, asked.max_turns]).encode())
    with child.stdout as pipe:
        began = pipe.readline().strip() == task.encode()
    child.returncode = 0  # nobody here waits for it
    if not began:
        raise NotStarted
    if as_json:
        screen().json({"task_id": task, "state": "running", "notes": remarks})
        return
    say(f"{task} is being worked on. To see the answer: memtree ask --result {task}")
    notes(remarks)


def _show_result(workspace: Workspace, task: str, *, as_json: bool) -> None:
    from memtree.engine.agents.agent_tasks import State, result

    found = result(workspace, task)
    if as_json:
        screen().json(_as_json(found))
    elif found.answer is not None:
        _show(found.query, found.answer, [], as_json=False)
    elif found.state is State.RUNNING:
        say(f"{task} is still being worked on.")
    else:
        say(f"{task} failed: {found.reason}", Look.BAD)
        if found.hint:
            say(f"  {found.hint}", Look.FAINT)


def _as_json(found: TaskResult) -> dict[str, object]:
    answer = found.answer
    told = {"text": answer.body, "footer": answer.footer, "notes": [*answer.warnings, *answer.notes]} if answer is not None else {}
    return {
        "task_id": found.task_id,
        "state": found.state,
        "query": found.query,
        "started": found.started,
        "answer": answer,
        "reason": found.reason,
        "hint": found.hint,
        **told,
    }
