"""Plan: everything one change needs to be finished, and the journal that holds it.

All that a plan names exists before its journal does: blobs, trees and commits (that no ref names yet) and the staged contents.
From then on the plan only rolls forward, in the normal run and in recovery by the same code.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from memtree.tree.errors import CorruptionError, StateError
from memtree.tree.objects import GITLINK, CommitId, Entry
from memtree.tree.paths import RepoPath

FORMAT = 1


class PlanKind(enum.Enum):
    WRITE = "write"  # a writer's contents go to the files
    CAPTURE = "capture"  # the files are the contents; nothing is written to them
    CHECK_OUT = "check-out"  # a merge's contents go to the files


@dataclass(frozen=True, slots=True)
class PlannedPath:
    """One path of a plan. `base` -> `wanted` is the change as its maker meant it; `result` is what the commit holds."""

    path: RepoPath
    base: Entry | None
    wanted: Entry | None
    disk: Entry | None  # what is on disk now, as the plan knows it
    result: Entry | None
    staged: Entry | None  # what the git index held when the plan was made
    temp: str
    derived: bool = False  # brought forth by the merge, not asked for
    left: bool = False  # the file holds an edit that must not be committed: it stays as it is, only the commit moves on


def is_submodule(entry: Entry | None) -> bool:
    return entry is not None and entry.mode == GITLINK


def writes_file(planned: PlannedPath) -> bool:
    """Whether a file comes, changes or goes. A submodule's commit is only recorded: its folder belongs to another repository."""
    if planned.left or is_submodule(planned.disk):
        return False
    return planned.disk is not None if is_submodule(planned.result) else planned.disk != planned.result


@dataclass(frozen=True, slots=True)
class Layer:
    """Outside edits that the plan found in its way: they become a commit of their own below the plan's."""

    subject: str
    entries: tuple[tuple[RepoPath, Entry | None], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    transaction: str
    kind: PlanKind
    ref: str
    old: CommitId | None
    new: CommitId
    theirs: CommitId | None
    message: str
    time: int
    layers: tuple[Layer, ...]
    paths: tuple[PlannedPath, ...]
    maker: str = ""  # process and start time, for messages only


class JournalDamaged(CorruptionError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"the journal {path} does not match its checksum",
            hint="memtree doctor --repair sets it aside; the files and commits are untouched",
        )
        self.path = path


class JournalOfAnotherVersion(StateError):
    def __init__(self, path: str, found: object) -> None:
        super().__init__(
            f"the journal {path} was written by another version of memtree (format {found}, not {FORMAT})",
            hint="let that version finish it (memtree status), or update memtree",
        )


def encode(plan: Plan) -> bytes:
    """The journal's bytes: one line of JSON and its SHA-256."""
    # Field by field: dataclasses.asdict copies every value deeply, which takes longer than all the rest for thousands of paths.
    raw = _fields(plan) | {"kind": plan.kind.value, "layers": [_fields(one) for one in plan.layers]}
    raw["paths"] = [_fields(one) for one in plan.paths]
    body = json.dumps({"format": FORMAT, **raw}, ensure_ascii=True).encode()
    return body + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n"


def _fields(value: Plan | Layer | PlannedPath) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def decode(data: bytes, path: str) -> Plan:
    """Read a journal; raise JournalDamaged or JournalOfAnotherVersion."""
    body, _, rest = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != rest.strip():
        raise JournalDamaged(path)
    try:
        raw = json.loads(body)
        if raw["format"] != FORMAT:
            raise JournalOfAnotherVersion(path, raw["format"])
        return _plan(raw)
    except (ValueError, KeyError, TypeError) as error:
        raise JournalDamaged(path) from error


def _plan(raw: Mapping[str, Any]) -> Plan:
    return Plan(
        transaction=raw["transaction"],
        kind=PlanKind(raw["kind"]),
        ref=raw["ref"],
        old=raw["old"],
        new=raw["new"],
        theirs=raw["theirs"],
        message=raw["message"],
        time=raw["time"],
        layers=tuple(
            Layer(layer["subject"], tuple((RepoPath(path), _entry(entry)) for path, entry in layer["entries"]))
            for layer in raw["layers"]
        ),
        paths=tuple(
            PlannedPath(
                RepoPath(item["path"]),
                _entry(item["base"]),
                _entry(item["wanted"]),
                _entry(item["disk"]),
                _entry(item["result"]),
                _entry(item["staged"]),
                item["temp"],
                item["derived"],
                item["left"],
            )
            for item in raw["paths"]
        ),
        maker=raw["maker"],
    )


def _entry(raw: list[Any] | None) -> Entry | None:
    return Entry(int(raw[0]), str(raw[1])) if raw is not None else None
