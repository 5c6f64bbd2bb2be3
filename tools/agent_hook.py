"""The process that an agent calls as its hook: the words of its command line, its streams, and an exit code that is always 0.

Nothing here loads click or the engine before it is needed: an agent waits for it in every turn.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from memtree.hooks.reading import read_object
from memtree.hooks.serving import AGENTS, Call, Served, serve
from memtree.hooks.spawn import spawn_detached

_WORKSPACE = ("-w", "--workspace")
_ANSWERED_ELSEWHERE = ("-h", "--help", "--schema")
_VETO = 2  # what agents take as a hook's veto, and keep a person's prompt for
_CALLED_BY_PEOPLE = ("turn", "flush")
WORKER = ("-P", "-m", "memtree.tools")  # -P: no file of the workspace is taken for a module


class HookWords(NamedTuple):
    """What a command line says that calls a hook. `folder` is None where it names no workspace."""

    agent: str
    folder: str | None
    rest: tuple[str, ...]


def hook_words(words: Sequence[str]) -> HookWords | None:
    """What the words say when they call an agent's hook, None for any other command.

    Options that we do not know are passed over: after an up- or downgrade an agent must go on as before.
    """
    folder, at = None, 0
    while at < len(words) and words[at].startswith("-"):
        name, equals, value = words[at].partition("=")
        if name in _WORKSPACE and not equals:
            at += 1
            folder = words[at] if at < len(words) else None
        elif name == "--workspace":
            folder = value
        elif words[at].startswith("-w"):
            folder = words[at][2:]
        elif name in _ANSWERED_ELSEWHERE:
            return None
        at += 1
    if len(words) < at + 2 or words[at] != "hook" or words[at + 1] not in AGENTS:
        return None
    rest = tuple(words[at + 2 :])
    return None if set(rest) & set(_ANSWERED_ELSEWHERE) else HookWords(words[at + 1], folder, rest)


def without_veto(code: int, words: Sequence[str]) -> int:
    """The exit code of a command; no veto from a hook that another version put into settings and this one does not know."""
    if code != _VETO or "hook" not in words:
        return code
    at = list(words).index("hook")
    options = all(word.startswith("-") or words[max(n - 1, 0)].startswith("-") for n, word in enumerate(words[:at]))
    return 1 if options and not set(words[at + 1 : at + 2]) & set(_CALLED_BY_PEOPLE) else code


def run_hook(words: HookWords, stdin: int = 0) -> None:
    """Serve the hook and write its answer. Nothing that goes wrong is raised."""
    try:
        call = Call(
            words.agent,
            words.rest,
            _folders(words.folder),
            os.environ,
            read=lambda: read_object(stdin),
            start=start_worker,
        )
        _write(serve(call))
    except BaseException as error:  # noqa: BLE001 - an exit code of ours could keep a person's prompt from the agent
        _write(Served("", f"memtree hook {words.agent}: {type(error).__name__}"))


def start_worker(root: str) -> int:
    """Start the worker of a workspace, which outlives this process and the agent; its process id."""
    command = [sys.executable, *WORKER, "-w", root, "hook", "flush", "--quiet"]
    return spawn_detached(command, cwd=root, environment=os.environ)


def _folders(named: str | None) -> list[str]:
    folder = named or os.environ.get("MEMTREE_WORKSPACE")
    if folder:
        return [folder]
    try:
        return [os.getcwd()]
    except FileNotFoundError:
        return []


def _write(served: Served) -> None:
    try:
        if served.output:
            # UTF-8 whatever the terminal speaks; half a character becomes the escape that JSON has for it.
            sys.stdout.flush()
            sys.stdout.buffer.write(f"{served.output}\n".encode("utf-8", "backslashreplace"))
            sys.stdout.buffer.flush()
        if served.complaint:
            sys.stderr.write(f"{served.complaint}\n")
            sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return  # nobody listens
