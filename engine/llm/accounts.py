"""Accounts: what models cost, added up: from this machine's ledger, and from what the commits of all machines say.

Both are told beside each other and never added: a call that led to a commit here stands in both.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memtree.engine.commit_info import trailers_of
from memtree.engine.llm.ledger import Call, Ledger
from memtree.engine.llm.usage import MODEL_TRAILER, Usage, read_trailers

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

UNKNOWN = "-"
ANSWERED = "answered"
_ENTRY, _FIELD = "\x1e", "\x1f"


class By(enum.StrEnum):
    """What calls are added up by."""

    DAY = "day"
    MODEL = "model"
    ROLE = "role"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Account:
    """What goes under one name: how many calls (or commits), how many of them led to nothing, and what they cost."""

    name: str
    calls: int
    failed: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class Accounts:
    """`here`: calls from this machine; `commits`: what the commits of this branch say, from every machine."""

    here: tuple[Account, ...]
    commits: tuple[Account, ...]


def accounts(workspace: Workspace, by: By, since: int | None = None) -> Accounts:
    """Both accounts, from a moment (epoch seconds) on. Commits name no role: theirs go under `-`."""
    calls = [call for call in Ledger(workspace.places.folder).calls() if since is None or call.time >= since]
    return Accounts(_added(calls, by), _added(_from_commits(workspace, since), by))


def _from_commits(workspace: Workspace, since: int | None) -> list[Call]:
    if workspace.repo.tip("HEAD") is None:
        return []
    form = f"--format=%ct{_FIELD}%B{_ENTRY}"
    words = ["log", "--extended-regexp", f"--grep=^{MODEL_TRAILER}: ", form, *([f"--since=@{since}"] if since is not None else [])]
    found = workspace.git.run(*words, "HEAD", "--").decode("utf-8", "replace")
    calls = []
    for entry in found.split(_ENTRY):
        time, gap, message = entry.strip("\n").partition(_FIELD)
        usage = read_trailers(trailers_of(message)) if gap else None
        if usage is not None and time.isdecimal():  # a message may hold our separators
            calls.append(Call(int(time), UNKNOWN, trailers_of(message).get("writer", UNKNOWN), ANSWERED, usage))
    return calls


def _added(calls: Iterable[Call], by: By) -> tuple[Account, ...]:
    """The calls by name: days in their order, everything else the dearest first."""
    found: dict[str, Account] = {}
    for call in calls:
        name = _NAMES[by](call) or UNKNOWN
        before = found.get(name, Account(name, 0, 0, Usage()))
        failed = before.failed + (call.outcome not in (ANSWERED, "incomplete"))
        found[name] = Account(name, before.calls + 1, failed, before.usage + call.usage)
    if by is By.DAY:
        return tuple(sorted(found.values(), key=lambda one: one.name))
    return tuple(sorted(found.values(), key=lambda one: (-one.usage.input_tokens - one.usage.output_tokens, one.name)))


def _day(call: Call) -> str:
    try:
        return datetime.fromtimestamp(call.time, UTC).astimezone().date().isoformat()
    except (ValueError, OverflowError, OSError):
        return UNKNOWN


_NAMES: dict[By, Callable[[Call], str]] = {
    By.DAY: _day,
    By.MODEL: lambda call: call.usage.model,
    By.ROLE: lambda call: call.role,
    By.AGENT: lambda call: call.agent,
}
