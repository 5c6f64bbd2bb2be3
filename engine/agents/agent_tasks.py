"""Questions that the memory agent works on in the background, and what became of each: kept for a while under .git/memtree/tasks.

A worker holds its task's lock for as long as it lives, so one that was killed is told as lost and never as running. Results hold
passages of memory without secrets, are for their owner's eyes only, and go after a week, or when more than a hundred are there.
"""

from __future__ import annotations

import contextlib
import enum
import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtree.engine.agents.answers import MemoryAnswer, as_json, from_json
from memtree.engine.agents.callers import Caller, require_allowed
from memtree.engine.agents.finding import MEMORY, find_agent
from memtree.engine.agents.memory_agent import Question, call_memory_agent, new_task_id, question
from memtree.engine.local_state import keep_private
from memtree.engine.locks import WriteLock
from memtree.tree.errors import Error, StateError, TransientError, UserError

if TYPE_CHECKING:
    from memtree.engine.llm.asking import Asker
    from memtree.engine.workspace import Workspace

FOLDER = "tasks"
MOST, MOST_RUNNING = 100, 8
_AGE = 7 * 86_400.0  # seconds
_STARTING = 30.0  # seconds that a worker may take to say that it works
_QUERY = 200  # characters of a question that are kept with its task
_LARGEST = 4 << 20  # bytes of a result
_ID = re.compile(r"mem-[0-9a-f]{32}")
_LOST = "its worker ended before it had an answer"


class NoSuchTask(UserError):
    def __init__(self) -> None:
        super().__init__(
            "there is no such task", hint="a task's id is mem- and 32 hex digits; results are kept for a week, then ask again"
        )


class TooManyTasks(TransientError):
    def __init__(self) -> None:
        super().__init__(f"{MOST_RUNNING} questions are being worked on already", hint="wait until one of them has its answer")


class NotStarted(StateError):
    """A worker that ended before it could begin."""

    def __init__(self) -> None:
        super().__init__("the question could not be worked on in the background", hint="ask it without --async to see why")


class State(enum.StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What became of a task: `answer` when it is done, `reason` and `hint` when it failed. `query` is how the question began.

    `started` is in epoch seconds.
    """

    task_id: str
    state: State
    query: str
    started: int
    answer: MemoryAnswer | None = None
    reason: str = ""
    hint: str = ""


def start(
    workspace: Workspace,
    query: str,
    *,
    caller: Caller,
    context: str = "",
    max_turns: int | None = None,
    pause: float = 0.5,
    prepare: Callable[[], object] = lambda: None,
) -> str:
    """Have a question worked on by a thread of this process; its task id. `pause` comes before a request is repeated, in seconds.

    `prepare` is what that thread does first, when the task can be found.
    Raises what `call_memory_agent` raises for what cannot be asked, TooManyTasks, and NotStarted where nothing can be kept.
    """
    asked = accepted(workspace, query, caller=caller, context=context, max_turns=max_turns)
    task_id, ready = new_task_id(), threading.Event()

    def asking() -> Asker:
        from memtree.engine.llm.asking import Asker

        prepare()
        return Asker(workspace, agent="agent_memory", pause=pause)

    def worked() -> None:
        try:
            with contextlib.suppress(Error, OSError):  # its task is told as lost
                work(workspace, task_id, asked, caller=caller, begun=ready.set, asking=asking)
        finally:
            ready.set()

    threading.Thread(target=worked, name=task_id, daemon=True).start()
    ready.wait(_STARTING)
    if not os.path.lexists(_path(workspace, task_id)):
        raise NotStarted
    return task_id


def accepted(workspace: Workspace, query: str, *, caller: Caller, context: str = "", max_turns: int | None = None) -> Question:
    """The question where it may be asked in the background; raise what `start` raises."""
    require_allowed(caller, find_agent(workspace.root, MEMORY).definition)
    asked = question(query, context, max_turns)
    sweep(workspace)
    if sum(1 for task_id in _ids(workspace) if _is_held(workspace, task_id)) >= MOST_RUNNING:
        raise TooManyTasks
    return asked


def work(
    workspace: Workspace,
    task_id: str,
    asked: Question,
    *,
    caller: Caller,
    begun: Callable[[], object] = lambda: None,
    asking: Callable[[], Asker | None] = lambda: None,
) -> None:
    """Answer a question and keep what came of it, also an error.

    `begun` is called when the task can be found, `asking` after that: it makes what asks a model, None for the agent's own.
    """
    with _lock(workspace, task_id).held():
        facts: dict[str, Any] = {"query": workspace.redactor.text(asked.query)[:_QUERY], "started": int(workspace.options.clock())}
        _keep(workspace, task_id, facts)
        begun()
        try:
            answer = call_memory_agent(
                workspace,
                asked.query,
                caller=caller,
                context=asked.context,
                max_turns=asked.max_turns,
                task_id=task_id,
                asker=asking(),
            )
        except (Error, OSError) as error:
            hint = error.hint if isinstance(error, Error) else ""
            ended: dict[str, Any] = {"reason": workspace.redactor.text(str(error)), "hint": hint}
        else:
            ended = {"answer": as_json(answer)}
        if os.path.lexists(_path(workspace, task_id)):  # else somebody had memory forget something meanwhile
            _keep(workspace, task_id, facts | ended)
            if not os.path.lexists(_path(workspace, task_id, "lock")):
                _remove(workspace, task_id)  # or just now: the lock goes first


def result(workspace: Workspace, task_id: str) -> TaskResult:
    """What became of a task so far; raise NoSuchTask."""
    if not _ID.fullmatch(task_id):
        raise NoSuchTask
    held = _is_held(workspace, task_id)  # before the file is read: what it then says is the worker's last word
    raw = _read(_path(workspace, task_id))
    if raw is None:
        raise NoSuchTask
    query, started = str(raw.get("query", "")), 0
    try:
        started = int(raw.get("started", 0))
        if "answer" in raw:
            return TaskResult(task_id, State.DONE, query, started, from_json(raw["answer"]))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return TaskResult(task_id, State.FAILED, query, started, reason="its result cannot be read", hint="ask again")
    if "reason" in raw:
        return TaskResult(task_id, State.FAILED, query, started, reason=str(raw["reason"]), hint=str(raw.get("hint", "")))
    if held:
        return TaskResult(task_id, State.RUNNING, query, started)
    return TaskResult(task_id, State.FAILED, query, started, reason=_LOST, hint="ask again")


def sweep(workspace: Workspace) -> int:
    """Remove results that are too old, or too many; how many."""
    times: list[tuple[float, str]] = []
    for task_id in _ids(workspace):
        with contextlib.suppress(OSError):
            times.append((os.lstat(_path(workspace, task_id)).st_mtime, task_id))
    oldest = workspace.options.clock() - _AGE
    gone = [
        task_id
        for rank, (time, task_id) in enumerate(sorted(times, reverse=True))
        if (time < oldest or rank >= MOST) and not _is_held(workspace, task_id)
    ]
    for task_id in gone:
        _remove(workspace, task_id)
    known = frozenset(_ids(workspace))
    for name, task_id in _files(workspace):
        path = os.path.join(workspace.places.folder, FOLDER, name)
        with contextlib.suppress(OSError):
            if task_id not in known and os.lstat(path).st_mtime < oldest:
                os.unlink(path)  # its worker was killed at its first step
    return len(gone)


def forget_results(workspace: Workspace) -> None:
    """Remove every result: each may hold what is to be forgotten. What is being worked on fails, and is asked again."""
    for task_id in {task_id for _, task_id in _files(workspace)}:
        _remove(workspace, task_id)


def _ids(workspace: Workspace) -> Iterator[str]:
    """The tasks that can be found."""
    return (task_id for name, task_id in _files(workspace) if name == f"{task_id}.json")


def _files(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """The names of all tasks' files, half-written ones too, each with its task."""
    with contextlib.suppress(OSError):
        for name in os.listdir(os.path.join(workspace.places.folder, FOLDER)):
            task_id = name.partition(".")[0]
            if _ID.fullmatch(task_id):
                yield name, task_id


def _path(workspace: Workspace, task_id: str, ending: str = "json") -> str:
    return os.path.join(workspace.places.folder, FOLDER, f"{task_id}.{ending}")


def _lock(workspace: Workspace, task_id: str) -> WriteLock:
    os.makedirs(os.path.join(workspace.places.folder, FOLDER), mode=0o700, exist_ok=True)
    return WriteLock(_path(workspace, task_id, "lock"), timeout=0.0)


def _is_held(workspace: Workspace, task_id: str) -> bool:
    return WriteLock(_path(workspace, task_id, "lock")).held_by() is not None


def _keep(workspace: Workspace, task_id: str, facts: dict[str, Any]) -> None:
    """Put a task's facts in the place of those that were there, whole or not at all; raise OSError."""
    keep_private(_path(workspace, task_id), facts)


def _read(path: str) -> dict[str, Any] | None:
    """A task's facts, {} where they cannot be read, None where there is no such file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        return {}
    with open(fd, encoding="utf-8", errors="replace") as file:
        try:
            found = json.loads(file.read(_LARGEST))
        except (ValueError, OSError, RecursionError):
            return {}
    return found if isinstance(found, dict) else {}


def _remove(workspace: Workspace, task_id: str) -> None:
    """Remove a task's files, its lock first: a worker that keeps its result in the same instant sees that it is gone."""
    names = sorted((name for name, owner in _files(workspace) if owner == task_id), key=lambda name: not name.endswith(".lock"))
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(workspace.places.folder, FOLDER, name))
