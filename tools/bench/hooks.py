"""Hooks as an agent's program starts them, whole processes: one only leaves a note, one recalls; beside bare Python."""

from __future__ import annotations

import json
import os
import time
from random import Random

from memtree.tools.bench.conversations import turns, write_transcripts
from memtree.tools.bench.ground import Ground
from memtree.tools.bench.measure import Result, Series, figure
from memtree.tools.bench.vocabulary import vocabulary

_MOST = 15  # repetitions: each waits for a worker to end
_PATIENCE = 60.0  # seconds for a worker to end


def hook_figures(ground: Ground, files: int, repetitions: int) -> Result:
    """Time Stop and UserPromptSubmit of Claude Code among `files` notes; the index is at HEAD, as a worker leaves it."""
    root, home = ground.workspace(files), ground.new("claude")
    write_transcripts(home, 10, ground.seed)
    (folder,) = (entry.path for entry in os.scandir(os.path.join(home, "projects")))
    (name,) = os.listdir(folder)
    session = next(turns(1, ground.seed)).session
    ground.memtree(root, "search", "warm", "up")
    common: dict[str, object] = {
        "session_id": session,
        "transcript_path": os.path.join(folder, name),
        "cwd": home,
        "permission_mode": "default",
    }
    stop = {**common, "hook_event_name": "Stop", "stop_hook_active": False}
    spooling, recalling, python = Series(), Series(), Series()
    random, words = Random(ground.seed), vocabulary()
    answers = 0
    for _ in range(min(repetitions, _MOST)):
        _call(ground, root, stop, spooling)
        _wait(root)
        prompt = {**common, "hook_event_name": "UserPromptSubmit", "prompt": " ".join(random.choices(words[50:2000], k=8))}
        answers += bool(_call(ground, root, prompt, recalling))
        python.time(lambda: ground.python("-c", "pass", folder=root))
    return {
        "notes": files,
        "hook_spool_ms": figure(spooling.median),
        "hook_spool_p95_ms": figure(spooling.p95),
        "hook_recall_ms": figure(recalling.median),
        "hook_recall_p95_ms": figure(recalling.p95),
        "hook_recalls_answered": answers,
        "python_ms": figure(python.median),
    }


def _call(ground: Ground, root: str, payload: dict[str, object], series: Series) -> bytes:
    data = json.dumps(payload).encode()
    return series.time(lambda: ground.memtree(root, "hook", "claude-code", stdin=data))


def _wait(root: str) -> None:
    """Until the worker that a hook started is done: it would take the processor from the next one."""
    from memtree.engine.locks import WriteLock
    from memtree.hooks.outbox import Outbox

    outbox = Outbox(os.path.join(root, ".git", "memtree"))
    deadline = time.monotonic() + _PATIENCE
    while outbox.names() or WriteLock(outbox.lock).holder():
        if time.monotonic() > deadline:
            raise TimeoutError("the hooks' worker did not end")
        time.sleep(0.02)
