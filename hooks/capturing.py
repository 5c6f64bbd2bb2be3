"""Capturing: whether what agents say is kept at all. A hook asks before it writes a word down."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memtree.hooks.place import SETTINGS

_KEY = b"episodic_capture_enabled"
_VARIABLE = "MEMTREE_LEARNING_EPISODIC_CAPTURE_ENABLED"


def captures(root: str, environment: Mapping[str, str]) -> bool:
    """Whether conversations are recorded in a workspace. What cannot be read is for the worker to tell: nothing is lost by it."""
    try:
        with open(os.path.join(root, SETTINGS), "rb") as file:
            data = file.read()
    except OSError:
        return True
    if _KEY not in data and not environment.get(_VARIABLE):
        return True
    from memtree.engine.learning_settings import with_environment
    from memtree.engine.settings import parse
    from memtree.tree.errors import Error

    try:
        return with_environment(parse(data).learning, environment).episodic_capture_enabled
    except Error:
        return True
