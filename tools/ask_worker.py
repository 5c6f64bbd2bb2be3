"""Works on a question in the background, as a process: `python -P -m memtree.tools.ask_worker FOLDER ID`, the question on input.

It prints the id when the task can be found, and outlives whoever started it.
"""

from __future__ import annotations

import contextlib
import json
import sys

from memtree.engine.agents.agent_tasks import work
from memtree.engine.agents.memory_agent import Caller, question
from memtree.engine.workspace import Workspace


def main(folder: str, task: str) -> None:
    """Work on a task."""
    query, context, max_turns = json.loads(sys.stdin.buffer.read())

    def begun() -> None:
        with contextlib.suppress(BrokenPipeError):  # whoever asked has gone
            sys.stdout.write(f"{task}\n")
            sys.stdout.flush()

    with Workspace.open(folder) as workspace:
        work(workspace, task, question(query, context, max_turns), caller=Caller.person(), begun=begun)


if __name__ == "__main__":
    main(*sys.argv[1:])
