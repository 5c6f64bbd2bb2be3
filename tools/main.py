"""Where the `memtree` program begins. Hooks, and searches that a daemon answers, are served before click is loaded."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

_FOLDER_AND_COMMAND = 3  # words at most: -w FOLDER search


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with the code of its outcome; an agent's hook always exits with 0."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    # The process is over before looking for garbage pays: a tenth of what an agent, or a person, waits for.
    if "hook" in words:
        _serve_hook(words)
    if "search" in words[:_FOLDER_AND_COMMAND]:
        _serve_search(words)
    from memtree.tools.cli import main as command

    command(words)


def _serve_hook(words: list[str]) -> None:
    if words[1:2] == ["git"]:
        from memtree.tools.git_hook import serve_notice

        if serve_notice(words):
            os._exit(0)
        return
    from memtree.tools.agent_hook import hook_words, run_hook

    hook = hook_words(words)
    if hook is not None:
        gc.disable()
        run_hook(hook)
        os._exit(0)


def _serve_search(words: list[str]) -> None:
    from memtree.tools.quick_search import quick_search

    gc.disable()
    code = quick_search(words, os.environ)
    if code is not None:
        from memtree.tools.output import end

        end(code)
    gc.enable()
