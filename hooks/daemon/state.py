"""ServiceState: how a daemon stands, as values that a view shows and that travel as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memtree.hooks.daemon.standing import RemoteState


@dataclass(frozen=True, slots=True)
class CommitLine:
    """A commit in a line: `time` in epoch seconds, `files` how many it changed."""

    id: str
    time: int
    writer: str
    device: str
    subject: str
    files: int


@dataclass(frozen=True, slots=True)
class IndexLine:
    """The commit that an index reflects, and how many commits it is `behind` (None where that is not known)."""

    commit: str | None
    behind: int | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class HeldLine:
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that a person should know of, with what to do; `since` in epoch seconds."""

    what: str
    since: int


@dataclass(frozen=True, slots=True)
class ServiceState:
    """`doing` is what goes on now, '' for nothing; `unwatched` why changes are not watched, '' when they are.

    `revision` grows with every change of what stands here.
    """

    root: str
    pid: int
    version: str
    started: int
    revision: int
    doing: str = ""
    unwatched: str = ""
    folders: int = 0
    waiting: int = 0  # paths that are looked at soon
    head: str | None = None
    commits: tuple[CommitLine, ...] = ()  # newest first
    index: IndexLine = field(default_factory=lambda: IndexLine(None, None))
    vectors: IndexLine | None = None
    remotes: tuple[RemoteState, ...] = ()
    conflicts: int = 0
    held: tuple[HeldLine, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    memory: int = 0  # bytes, resident


def state_from(value: Any) -> ServiceState:
    """The state that was sent as JSON; raise KeyError, TypeError or ValueError for anything else. Unknown fields are left out."""
    raw = {name: value[name] for name in ServiceState.__dataclass_fields__ if name in value}
    for name, kind in (("commits", CommitLine), ("remotes", RemoteState), ("held", HeldLine), ("troubles", Trouble)):
        raw[name] = tuple(kind(**item) for item in raw.get(name, ()))
    raw["index"] = IndexLine(**raw["index"])
    raw["vectors"] = IndexLine(**raw["vectors"]) if raw.get("vectors") is not None else None
    return ServiceState(**raw)
