"""Searching by way of the daemon: what is asked and what is answered, there and back without losing anything.

The daemon's half needs an open workspace; the half of whoever asks loads no engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memtree.engine.asked import MOST, Answered, Asked, answer
from memtree.hooks.daemon.client import SEARCH, Client, Unreachable, connected
from memtree.hooks.daemon.wire import BadParams
from memtree.hooks.place import Place
from memtree.indexers.query import Hit, Mode, Standing
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.tree.objects import CommitId


def ask_daemon(place: Place, asked: Asked, progress: Callable[[int], None] | None = None) -> Answered | None:
    """What the workspace's daemon answers; None where none of this version can be reached. Raises what the search raises."""
    client = connected(place)
    if client is None:
        return None
    with client:
        try:
            return ask(client, asked, progress)
        except Unreachable:
            return None


def ask(client: Client, asked: Asked, progress: Callable[[int], None] | None = None) -> Answered:
    """What the daemon answers; raise Unreachable, or what the search raises."""
    found = client.call(SEARCH, asked_to_wire(asked), progress=progress)
    try:
        return answered_from_wire(found)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreachable("the daemon answers something else") from error


def serve_search(
    workspace: Workspace,
    params: Mapping[str, Any],
    progress: Callable[[int], None],
    *,
    capture: bool = True,
    remarks: Sequence[str] = (),
) -> dict[str, Any]:
    """The daemon's answer. Whoever captured edits before says with `remarks` what came of it, and need not do so again."""
    asked = asked_from_wire(params)
    return answered_to_wire(answer(workspace, asked, capture=capture, remarks=remarks, progress=progress))


# -- there


def asked_to_wire(asked: Asked) -> dict[str, Any]:
    return {
        "words": asked.words,
        "limit": asked.limit,
        "kinds": [kind.value for kind in asked.kinds],
        "folder": asked.folder,
        "since": asked.since,
        "until": asked.until,
        "mode": asked.mode.value if asked.mode is not None else None,
        "cwd": asked.cwd,
    }


def asked_from_wire(params: Mapping[str, Any]) -> Asked:
    """What is asked; raise BadParams."""
    try:
        words, kinds, mode = params["words"], params["kinds"], params["mode"]
        found = Asked(
            tuple(_is(str, word) for word in _is(list, words)),
            _is(int, params["limit"]),
            tuple(Kind(kind) for kind in _is(list, kinds)),
            _is(str, params["folder"]),
            _is(int, params["since"], none=True),
            _is(int, params["until"], none=True),
            Mode(mode) if mode is not None else None,
            _is(str, params["cwd"], none=True),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadParams("not a search") from error
    if not 1 <= found.limit <= MOST:
        raise BadParams("not so many hits")
    return found


def _is(kind: type, value: Any, *, none: bool = False) -> Any:
    if type(value) is kind or (none and value is None):
        return value
    raise TypeError(kind.__name__)


# -- and back


def answered_to_wire(answered: Answered) -> dict[str, Any]:
    return {
        "text": answered.text,
        "commit": answered.commit,
        "hits": [_hit_to_wire(hit) for hit in answered.hits],
        "remarks": answered.remarks,
    }


def answered_from_wire(value: Any) -> Answered:
    """What was answered; raise KeyError, TypeError or ValueError for anything else."""
    hits = tuple(_hit_from_wire(hit) for hit in value["hits"])
    remarks = tuple(_is(str, remark) for remark in _is(list, value["remarks"]))
    return Answered(_is(str, value["text"]), _is(str, value["commit"], none=True), hits, remarks)


def _hit_to_wire(hit: Hit) -> list[Any]:
    return [
        hit.path,
        hit.kind.value,
        hit.title,
        hit.heading,
        hit.start_line,
        hit.end_line,
        hit.snippet,
        hit.highlights,
        hit.score,
        hit.time,
        hit.commit,
        hit.parts,
        hit.fact,
    ]


def _hit_from_wire(value: Any) -> Hit:
    path, kind, title, heading, start, end, snippet, highlights, score, time, commit, parts, fact = _is(list, value)
    at: CommitId = _is(str, commit)
    marks = tuple((_is(int, first), _is(int, last)) for first, last in highlights)
    sums = tuple((_is(str, name), part) for name, part in parts)
    stands = Standing(*(_is(str, word) for word in _is(list, fact))) if fact is not None else None
    return Hit(RepoPath(path), Kind(kind), title, heading, start, end, snippet, marks, score, time, at, sums, stands)
