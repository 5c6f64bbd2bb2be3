"""What was said in other conversations, found without a search: important recaps, and the latest thing a user said in each.

The newest sessions are told from the newest commits, whose trailers name them; only their last files are read.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memtree.engine.retrieval.layout import Item, dated
from memtree.engine.retrieval.plain import one_line, told
from memtree.engine.retrieval.shelf import Shelf, readable_lines
from memtree.indexers.relevance import says_something
from memtree.tree.agent_turn import USER
from memtree.tree.blocks import BlockKind, scan
from memtree.tree.chunks import split_lines
from memtree.tree.document import Document
from memtree.tree.entries import listed
from memtree.tree.episode import Episode
from memtree.tree.events import read_event_line
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

MOST_RECAPS, MOST_TURNS = 3, 3
WIDTH = 240  # characters of what is shown of a turn, a recap or a hit
_COMMITS = 300  # looked at to find the newest sessions
_SESSIONS = 30  # whose recaps are looked at
_FEW = 50  # sessions with recaps that are looked at all, in no commit of late or not
_RECAPS, _TURNS = 4, 8  # files of a session that are read, the last ones first
_PATH = 100  # characters of a path that is still shown
_NAME = re.compile(r"[0-9]{6,15}(?:-[0-9]{6,15})?\.md")
_WEIGHTY = re.compile(r"[\W_]*(?:decision|commitment|decided|committed)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Recap:
    item: Item
    time: int


def other_sessions(shelf: Shelf) -> list[str]:
    """The folders of the sessions that the newest commits speak of, newest first, without the one that asks."""
    found: dict[str, None] = {}
    for message in _messages(shelf):
        folder = message.get("session", "")
        if folder and "/" not in folder and folder not in (".", "..", shelf.session):
            found[folder] = None
    return list(found)


def _messages(shelf: Shelf) -> Iterator[dict[str, str]]:
    """The trailers of the newest commits, by time: the repository's own walk reads all of history before it gives the first."""
    first = shelf.repo.commit(shelf.tip)
    waiting = [(-first.time, first.id)]
    seen: set[CommitId] = {first.id}
    for _ in range(_COMMITS):
        if not waiting:
            return
        info = shelf.repo.commit(heapq.heappop(waiting)[1])
        yield info.trailers
        for parent in info.parents:
            if parent not in seen and shelf.repo.has_commit(parent):  # a shallow clone ends somewhere
                seen.add(parent)
                heapq.heappush(waiting, (-shelf.repo.commit(parent).time, parent))


def latest_turns(shelf: Shelf, sessions: list[str]) -> list[Item]:
    """The last thing that the user said in each of the newest sessions, each text once; `yes` and `thanks` say nothing."""
    found: list[Item] = []
    for session in sessions:
        folder = shelf.path("episodic", session)
        item = next((item for name in _last(shelf, folder, _TURNS) for item in _said(shelf, RepoPath(f"{folder}/{name}"))), None)
        if item is not None and all(item.text != other.text for other in found):
            found.append(item)
        if len(found) == MOST_TURNS:
            break
    return found


def _said(shelf: Shelf, path: RepoPath) -> Iterator[Item]:
    data = shelf.read(path)
    episode = Episode.parse(path, data) if data else None
    if data is None or episode is None or episode.role != USER:
        return
    lines = readable_lines(data)
    first = len(lines) - len(_body(data)) + 1
    text = told("\n".join(lines[first - 1 :]), shelf.redactor, WIDTH)
    if text and says_something(text):
        time = None if episode.timestamp is None else episode.timestamp // 1000
        yield Item(text, path, first, len(lines), dated(time), timestamp=time)


def _body(data: bytes) -> list[str]:
    body = Document.parse(data).body_bytes()
    return split_lines(body) if body else []


def _last(shelf: Shelf, folder: RepoPath, most: int) -> list[str]:
    return [name for name in reversed(shelf.names(folder)) if _NAME.fullmatch(name)][:most]


def important_recaps(shelf: Shelf, sessions: list[str], now: float) -> list[Item]:
    """The newest recaps that matter, newest first: marked so, or holding a decision or a commitment.

    One that says it is from the future (a clock was wrong) counts as of `now`, in epoch seconds.
    """
    root = shelf.path("recap")
    there = [name for name in shelf.folders(root) if name != shelf.session]
    known = set(there)
    wanted = [session for session in sessions if session in known][:_SESSIONS]
    if len(there) <= _FEW:
        wanted = list(dict.fromkeys((*wanted, *there)))
    found: list[_Recap] = []
    for session in wanted:
        folder = RepoPath(f"{root}/{session}")
        found += (recap for name in _last(shelf, folder, _RECAPS) for recap in _recap(shelf, RepoPath(f"{folder}/{name}")))
    # Equal times keep the order of their sessions. What was said in several of them is told once.
    texts: dict[str, Item] = {}
    for recap in sorted(found, key=lambda recap: -min(recap.time, now)):
        texts.setdefault(recap.item.text, recap.item)
    return list(texts.values())[:MOST_RECAPS]


def _recap(shelf: Shelf, path: RepoPath) -> Iterator[_Recap]:
    data = shelf.read(path)
    if not data:
        return
    front = Document.parse(data).front_matter()
    if front.text("importance").lower() != "high" and not _holds_weight(data):
        return
    line = _decided(data) if front.text("refresh").lower() == "true" else None
    line = line or _prose_line(data)
    text = told(line[1], shelf.redactor, WIDTH) if line is not None else ""
    if line is not None and text:
        noted = dated(front.time).replace("(", "(noted ", 1)
        where = f" — {one_line(path, _PATH)}" if len(path) <= _PATH else ""
        yield _Recap(Item(text, path, *line[0], noted, where, timestamp=front.time), front.time or 0)


def _decided(data: bytes) -> tuple[tuple[int, int], str] | None:
    """The decisions and commitments of a recap on one line, with the numbers of the first and the last one's line.

    Where no model told what was said, they say more of it than its first sentence does.
    """
    lines = readable_lines(data)
    items = (entry for entry in listed(data) if _WEIGHTY.match(entry.text))
    found = [(entry.first_line, event) for entry in items if (event := read_event_line(lines[entry.first_line - 1])) is not None]
    words = " ".join(f"{event.kind}: {event.text}" for _, event in found)
    return ((found[0][0], found[-1][0]), words) if found else None


def _holds_weight(data: bytes) -> bool:
    events = (entry for entry in listed(data) if entry.heading.strip().lower() == "events")
    return any(_WEIGHTY.match(entry.text) for entry in events)


def _prose_line(data: bytes) -> tuple[tuple[int, int], str] | None:
    """The first line of prose with its number, twice; where there is none, of anything that is no heading."""
    level = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    blocks = [block for block in scan(level) if level[block.start : block.content_end].strip()]
    plain = [block for block in blocks if block.kind is BlockKind.PARAGRAPH]
    listed_ = [block for block in blocks if block.kind is BlockKind.LIST]
    for block in (*plain[:1], *listed_[:1]):
        text = level[block.start : block.content_end].decode("utf-8", "replace").partition("\n")[0]
        number = level.count(b"\n", 0, block.start) + 1
        return (number, number), text
    return None
