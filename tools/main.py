"""Where the `memtree` program begins. An agent's hook is served at once; every other command goes through click."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from memtree.tools.agent_hook import hook_words, run_hook


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with the code of its outcome; an agent's hook always exits with 0."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    hook = hook_words(words)
    if hook is not None:
        gc.disable()  # the process is over before looking for garbage pays: a tenth of an agent's waiting
        run_hook(hook)
        os._exit(0)
    from memtree.tools.cli import main as command

    command(words)
