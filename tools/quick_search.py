"""The search that the workspace's daemon answers, before click and the engine are loaded.

Only the plain forms of the command are read here. Whatever is unusual, and whenever there is no daemon, nothing is done and
nothing printed: the ordinary command then does it all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memtree.hooks.daemon.client import PREPARE, Client, Unreachable, connected
from memtree.hooks.place import find_place

_WORKSPACE = {"-w": "folder", "--workspace": "folder"}
_OPTIONS = {
    "-n": "limit",
    "--limit": "limit",
    "--kind": "kind",
    "--path": "path",
    "--since": "since",
    "--until": "until",
    "--mode": "mode",
}
_FLAGS = {"--explain": "explain", "--json": "json"}
_COMPLETION = "_MEMTREE_COMPLETE"


class Typed(NamedTuple):
    """A search as its command line says it; `folder` names the workspace. What was not said is None."""

    words: tuple[str, ...]
    folder: str | None = None
    limit: int | None = None
    kinds: tuple[str, ...] = ()
    path: str | None = None
    since: str | None = None
    until: str | None = None
    mode: str | None = None
    explain: bool = False
    json: bool = False


class _Unusual(Exception):
    """For click to read."""


def read_search(words: Sequence[str]) -> Typed | None:
    """What a command line says that is a search in one of its plain forms; None for all others."""
    try:
        return _read(list(words))
    except _Unusual:
        return None


def _read(words: list[str]) -> Typed:
    at = words.index("search") if "search" in words else 0
    group = list(_parts(words[:at], _WORKSPACE, {}))
    parts = list(_parts(words[at + 1 :], _OPTIONS, _FLAGS))
    said = dict(parts)
    terms = tuple(value for name, value in parts if name == "")
    if words[at : at + 1] != ["search"] or any(name == "" for name, _ in group) or not terms:
        raise _Unusual
    return Typed(
        terms,
        dict(group).get("folder"),
        _limit(said["limit"]) if "limit" in said else None,
        tuple(value for name, value in parts if name == "kind"),
        said.get("path"),
        said.get("since"),
        said.get("until"),
        said.get("mode"),
        "explain" in said,
        "json" in said,
    )


def _parts(words: list[str], options: Mapping[str, str], flags: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Options and flags by what they say, and words under ''. Raise _Unusual for all that is not one of these for sure."""
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        short = word[:2]
        if not word.startswith("-"):
            yield "", _plain(word)
        elif word in flags:
            yield flags[word], word
        elif word in options:
            yield options[word], _plain(next(left, ""))
        elif name in options and equals and name.startswith("--"):
            yield options[name], _plain(value)
        elif short in options:
            yield options[short], _plain(word[2:])
        else:
            raise _Unusual


def _plain(value: str) -> str:
    if not value or value.startswith(("-", "=")):
        raise _Unusual
    return value


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise _Unusual
    return int(text)


def fits(typed: Typed) -> bool:
    """Whether its values are ones that there are; click says of the others what is wrong."""
    from memtree.engine.asked import KINDS, MODES, MOST

    limits = typed.limit is None or 1 <= typed.limit <= MOST
    return limits and not set(typed.kinds) - {*KINDS} and typed.mode in (None, *MODES)


def quick_search(words: Sequence[str], environment: Mapping[str, str]) -> int | None:
    """Do what the command line says if it is a plain search and a daemon answers it: the exit code. None: nothing was done."""
    typed = read_search(words) if _COMPLETION not in environment else None
    if typed is None:
        return None
    try:
        cwd = os.getcwd()
    except FileNotFoundError:
        return None
    place = find_place(typed.folder or environment.get("MEMTREE_WORKSPACE") or cwd)
    client = connected(place) if place is not None else None
    if client is None:
        return None
    with client:
        try:
            return _answered(client, typed, cwd)
        except Unreachable:
            return None
        except BaseException as error:  # noqa: BLE001 - told as the ordinary command tells it
            if isinstance(error, KeyboardInterrupt):
                sys.stderr.write("\n")
            from memtree.tools import exits

            return exits.report(error, json=typed.json)


def _answered(client: Client, typed: Typed, cwd: str) -> int | None:
    # The daemon takes in what was saved last while what shows the answer is still being loaded here.
    client.notify(PREPARE, {})
    import time

    from memtree.engine.asked import Asked, asked
    from memtree.hooks.daemon.searching import ask
    from memtree.tools.answers import show_answer
    from memtree.tools.output import forgiving_streams, progress

    forgiving_streams()
    if not fits(typed):
        return None
    with progress("indexing") as step:
        question: Asked = asked(
            typed.words,
            int(time.time()),
            limit=typed.limit or 10,
            kinds=typed.kinds,
            folder=typed.path or "",
            since=typed.since,
            until=typed.until,
            mode=typed.mode,
            cwd=cwd,
        )
        found = ask(client, question, step)
    show_answer(found, narrowed=question.narrowed, explain=typed.explain, as_json=typed.json)
    sys.stdout.flush()
    return 0
