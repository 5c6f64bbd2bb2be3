"""Facts: files of facts as tests put them into a workspace.

put(machine, fact("I live in Lisbon.", valid_at="2025-03-01"))
"""

from __future__ import annotations

import hashlib
from typing import Any

from memtree.tree.fact import Fact, State, Temporal
from support.machines import Machine

WORDS = '[embedding]\nmodel = "none"\n'  # of memtree.toml: vectors do not matter


def fact(text: str, **keys: Any) -> Fact:
    """A fact with an id made of its text. `superseded` and `retracted` say that it is, and on which day."""
    for state in (State.SUPERSEDED, State.RETRACTED):
        if day := keys.pop(state.value, ""):
            keys |= {"state": state, "invalid_at": day, "expired_at": f"{day}T12:00:00Z"}
    keys.setdefault("created_at", "2025-01-10T09:00:00Z")
    return Fact(hashlib.sha256(text.encode()).hexdigest()[:32], text, **keys)


def month(display: str) -> Temporal:
    """A month that a text speaks of from a message's own day, such as `last month`."""
    return Temporal("relative", "message", "month", f"{display}-01", f"{display}-28", display)


def put(machine: Machine, *facts: Fact) -> None:
    """Write facts and commit them."""
    for one in facts:
        machine.write(one.path(), one.render())
    machine.save()
