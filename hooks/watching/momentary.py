"""Momentary names: what editors and systems make beside a file for a moment; a change of one is nothing to look at."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memtree.engine.scope import TEMPORARY


def is_momentary(path: str) -> bool:
    """Whether git's ignore rules would pass over a path by the patterns of temporary names. Folders end in a slash."""
    return _MOMENTARY.search(path) is not None


def _expression(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for patterns made of names, stars and slashes: the library for all of git's rules costs 20 times as much."""
    return re.compile("|".join(f"(?:{_one(pattern)})" for pattern in patterns))


def _one(pattern: str) -> str:
    name = pattern.rstrip("/")
    words = "[^/]*".join(re.escape(part) for part in re.sub(r"\\(.)", r"\1", name).split("*"))
    begins = r"\A" if "/" in name else r"(?:\A|/)"
    return begins + words + ("/" if pattern.endswith("/") else r"(?:/|\Z)")


_MOMENTARY = _expression(TEMPORARY)
