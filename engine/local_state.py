"""Local state: small values and logs that are kept under .git/memtree, never synced; what is lost of them is found out again."""

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
            file.write(json.dumps(state))  # at once: to a file, json writes in Python, ten times as slowly
        os.replace(temp, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temp)


def add_line(path: str, line: str, limit: int) -> None:
    """Add a line to a log that only its owner reads; one of more than `limit` bytes begins anew, the old one beside it as `.1`.

    A link is not written through. A disk that takes nothing loses the line: no work fails for its log.
    """
    try:
        with contextlib.suppress(FileNotFoundError):
            if os.lstat(path).st_size > limit:
                os.replace(path, f"{path}.1")
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, line.encode("utf-8", "replace"))
        finally:
            os.close(fd)
    except OSError:
        return


def keep_private(path: str, value: Mapping[str, Any]) -> None:
    """Put a value in the place of what a file held, for its owner's eyes only, whole or not at all; raise OSError."""
    temp = f"{path}.{os.urandom(4).hex()}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(fd, "w", encoding="utf-8", errors="replace") as file:
            json.dump(value, file, ensure_ascii=False)
        os.replace(temp, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temp)
        raise
