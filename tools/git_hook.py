"""The process that git calls as a hook after it did something. Nothing here loads click or the engine: a person waits for it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memtree.hooks.githooks.serving import NOTICES, notice

_ANSWERED_ELSEWHERE = ("-h", "--help", "--json")


def serve_notice(words: Sequence[str]) -> bool:
    """Serve the words of a command line (`hook git NAME ...`) that tell what git did; whether they are such."""
    if tuple(words[:2]) != ("hook", "git") or words[2:3] == [] or words[2] not in NOTICES or set(words) & set(_ANSWERED_ELSEWHERE):
        return False
    try:
        folder = os.getcwd()
    except FileNotFoundError:
        return True
    notice(words[2], words[3:], os.environ, folder)
    return True
