"""Asked: a search as a person typed it, and its answer: the same whether a command or the workspace's daemon gives it.

Whoever only asks imports this without the engine; `answer` needs an open workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memtree.indexers.query import Hit, Mode, Query
from memtree.tree.kinds import Kind

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

KINDS = tuple(kind.value for kind in Kind)
MODES = tuple(mode.value for mode in Mode)
MOST = 1000  # hits


class Asked(NamedTuple):
    """Words and limits. `folder` is a path as typed from `cwd`, or a glob; '' for none. `since` and `until` are epoch seconds.

    `mode` is the settings' own when it is None. Times are read where they were typed: another process may live in another zone.
    """

    words: tuple[str, ...]
    limit: int = 10
    kinds: tuple[Kind, ...] = ()
    folder: str = ""
    since: int | None = None
    until: int | None = None
    mode: Mode | None = None
    cwd: str | None = None

    @property
    def narrowed(self) -> bool:
        """Whether more would be found without the limits."""
        return bool(self.kinds or self.folder) or self.since is not None or self.until is not None


class Answered(NamedTuple):
    """The hits, best first, as of `commit`, and what a person should know about them."""

    text: str
    commit: str | None
    hits: tuple[Hit, ...]
    remarks: tuple[str, ...] = ()


def asked(
    words: tuple[str, ...],
    now: int,
    *,
    limit: int = 10,
    kinds: tuple[str, ...] = (),
    folder: str = "",
    since: str | None = None,
    until: str | None = None,
    mode: str | None = None,
    cwd: str | None = None,
) -> Asked:
    """What was typed as what is asked; `now` in epoch seconds. Raise UnknownTime."""
    return Asked(
        words,
        limit,
        tuple(Kind(kind) for kind in kinds),
        folder,
        _time(since, now),
        _time(until, now, ends=True),
        Mode(mode) if mode else None,
        cwd,
    )


def _time(typed: str | None, now: int, *, ends: bool = False) -> int | None:
    if not typed:
        return None
    from memtree.engine.when import Edge, parse_when  # most searches name no time

    return parse_when(typed, now, edge=Edge.END if ends else Edge.START)


def answer(
    workspace: Workspace,
    asked: Asked,
    *,
    capture: bool = True,
    remarks: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Answered:
    """Capture edits, bring the indexes to HEAD, and answer. Raise InvalidPath or OutsideWorkspace for the folder.

    `remarks` is what there is to know of a capture that was made before, without `capture`.
    """
    from memtree.engine.search_settings import NONE

    settings = workspace.settings
    query = Query(
        " ".join(asked.words),
        limit=asked.limit,
        kinds=asked.kinds,
        path=folder_in(workspace, asked.folder, asked.cwd),
        since=asked.since,
        until=asked.until,
        mode=asked.mode or settings.search.mode,
    )
    report = workspace.search(query, capture=capture, progress=progress)
    told = [*remarks, *report.notes]
    if query.mode is Mode.VECTOR and settings.embedding.model == NONE:
        told.append("nothing is found by meaning: embedding.model in memtree.toml is none")
    return Answered(query.text, report.commit, report.hits, tuple(told))


def folder_in(workspace: Workspace, typed: str, cwd: str | None = None) -> str:
    """A folder as the index takes it: one seen from the current folder counts from the root; a glob stays as it is."""
    if not typed or any(mark in typed for mark in "*?["):
        return typed
    from memtree.engine.typed_paths import readings, standing

    found = standing(workspace, readings(workspace, typed, cwd))
    return typed.strip("/") if found is None else found
