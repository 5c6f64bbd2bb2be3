"""Waiting: what hooks left to be recorded, without what is forgotten, which a worker would bring back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from memtree.engine.files import Files
from memtree.engine.outbox_state import FAILED, OUTBOX, entry_names
from memtree.tree.forgetting import Forgetting
from memtree.tree.paths import RepoPath

_TEXT = RepoPath("waiting.md")  # as which the texts of an event are looked at
_SAID, _IDS = ("prompt", "last_message", "turn"), ("uuid", "timestamp")


def waiting_with(state: str, forgetting: Forgetting) -> int:
    """How many events that wait, or were given up, hold it."""
    return sum(1 for _ in _holding(state, forgetting))


def forget_waiting(state: str, files: Files, forgetting: Forgetting) -> int:
    """Take it out of them; how many held it."""
    count = 0
    for path, without in _holding(state, forgetting):
        folder, name = os.path.split(path)
        temp = os.path.join(folder, f".{name}.{os.urandom(4).hex()}")
        files.write_new(temp, json.dumps(without).encode(), mode=0o600)
        files.rename(temp, path)
        count += 1
    return count


def _holding(state: str, forgetting: Forgetting) -> Iterator[tuple[str, Any]]:
    """The path of each event that holds it, and the event without it."""
    if forgetting.whole or not forgetting.reaches(_TEXT):
        return  # a file is meant
    waiting = os.path.join(state, OUTBOX)
    for folder in (waiting, os.path.join(waiting, FAILED)):
        for name in sorted(entry_names(folder)):
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as file:
                    event = json.load(file)
                said = {key: _without(event[key], forgetting) for key in _SAID if key in event}
            except (OSError, ValueError, TypeError, RecursionError):
                continue  # recorded by now, or no event
            if any(event[key] != without for key, without in said.items()):
                yield path, event | said


def _without(value: Any, forgetting: Forgetting) -> Any:
    if isinstance(value, str):
        return forgetting.applied(_TEXT, value.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    if isinstance(value, list):
        return [_without(one, forgetting) for one in value]
    if isinstance(value, dict):
        return {key: one if key in _IDS else _without(one, forgetting) for key, one in value.items()}
    return value
