"""Local state: small values that the engine remembers under .git/memtree, never synced and always rebuilt when they are lost."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from typing import Any


def read_state(path: str) -> dict[str, Any]:
    """What a state file holds; {} when it is missing, unreadable or damaged."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def keep_state(path: str, state: Mapping[str, Any]) -> None:
    """Replace a state file, whole or not at all. A disk that is full or read-only keeps nothing: it is then found out again."""
    temp = f"{path}.{os.urandom(4).hex()}"
    try:
        with open(temp, "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.replace(temp, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temp)
