"""Ledger: each call of a model from this machine, a line each, in a file that stays small and never travels.

No line holds a word of what was asked or answered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memtree.engine.llm.usage import Usage
from memtree.engine.local_state import add_line

NAME = "usage.jsonl"
LIMIT = 1 << 20  # bytes; then the file becomes the old one, of which one is kept
_WORD = 120  # characters of a name


@dataclass(frozen=True, slots=True)
class Call:
    """One call: when (epoch seconds), for which role, by which agent, how it ended, and what it cost."""

    time: int
    role: str
    agent: str
    outcome: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Ledger:
    """The calls in a workspace's state folder."""

    state: str

    @property
    def path(self) -> str:
        return os.path.join(self.state, NAME)

    def note(self, call: Call) -> None:
        """Add a call. A disk that takes nothing loses it: no work fails for its bill."""
        usage = call.usage
        line = {"time": call.time, "role": call.role, "agent": call.agent, "outcome": call.outcome, "model": usage.model}
        line |= {"requests": usage.requests, "input": usage.input_tokens, "output": usage.output_tokens, "seconds": usage.seconds}
        add_line(self.path, json.dumps(line, ensure_ascii=False) + "\n", LIMIT)

    def calls(self) -> Iterator[Call]:
        """Every call that is still known, oldest first; lines that make no sense are passed over."""
        for path in (self.path + ".1", self.path):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    found = [_read(line) for line in file]
            except FileNotFoundError:
                continue
            yield from (call for call in found if call is not None)


def _read(line: str) -> Call | None:
    try:
        raw: dict[str, Any] = json.loads(line)
        usage = Usage(_word(raw["model"]), int(raw["requests"]), int(raw["input"]), int(raw["output"]), float(raw["seconds"]))
        return Call(int(raw["time"]), _word(raw["role"]), _word(raw["agent"]), _word(raw["outcome"]), usage)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _word(value: object) -> str:
    return str(value)[:_WORD]
