"""Telling of a fact: what it took the place of and what took its own, which commits touched it, and the turns that it rests on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.closing.open_turns import Sessions
from memtree.engine.facts.managing import found_fact
from memtree.engine.facts.view import FactView
from memtree.engine.history import LogItem, LogQuery, log
from memtree.engine.store.working_copy import FilterMissing
from memtree.tree.document import Document
from memtree.tree.episode import Episode, InvalidEpisode, session_folder
from memtree.tree.fact import Fact, FactSource, ReadFact, quote_hash
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_LONGEST_CHAIN = 100
_MOST_COMMITS = 100  # of one fact


@dataclass(frozen=True, slots=True)
class Link:
    """One fact of a chain and the commits that touched its file, newest first. `asked`: it is the one that was asked for."""

    found: ReadFact
    commits: tuple[LogItem, ...]
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Quoted:
    """A turn that a fact rests on, as the tree has it now. `path` and `lines` (from, to) say where its text stands.

    `state` is `same`, `changed` since the fact was made of it, or `gone`; the text and the place of what is gone are empty.
    """

    source: FactSource
    state: str
    role: str = ""
    text: str = ""
    path: str = ""
    lines: tuple[int, int] = (0, 0)


def fact_history(workspace: Workspace, fact: str) -> tuple[Link, ...]:
    """The chain of facts that one stands in, oldest first. Raise UnknownFact."""
    view = FactView.look(workspace)
    asked = found_fact(view, fact)
    before = _chain(view, asked, lambda one: one.supersedes)
    after = _chain(view, asked, lambda one: one.superseded_by)
    return tuple(Link(one, _commits(workspace, one), one is asked) for one in (*reversed(before), asked, *after))


def why(workspace: Workspace, fact: str) -> tuple[ReadFact, tuple[Quoted, ...]]:
    """A fact, and each turn that it rests on. Raise UnknownFact."""
    found = found_fact(FactView.look(workspace), fact)
    sessions = Sessions.of(workspace)
    return found, tuple(_quoted(workspace, sessions, source) for source in found.fact.sources)


def _chain(view: FactView, asked: ReadFact, link: Callable[[Fact], str]) -> list[ReadFact]:
    """What a fact took the place of, or what took its place, nearest first; `link` says which way."""
    found: list[ReadFact] = []
    seen, one = {asked.fact.id}, view.get(link(asked.fact))
    while one is not None and one.fact.id not in seen and len(found) < _LONGEST_CHAIN:
        found.append(one)
        seen.add(one.fact.id)
        one = view.get(link(one.fact))
    return found


def _commits(workspace: Workspace, one: ReadFact) -> tuple[LogItem, ...]:
    tip = workspace.repo.tip(workspace.settings.ref)
    return () if tip is None else tuple(log(workspace.repo, tip, LogQuery(path=one.path, limit=_MOST_COMMITS)))


def _quoted(workspace: Workspace, sessions: Sessions, source: FactSource) -> Quoted:
    try:
        folder = session_folder(source.session)
    except InvalidEpisode:
        return Quoted(source, "gone")
    files = sessions.files(folder, source.seq - 1, source.seq)
    read = [(path, *told) for path, entry in files if (told := _read(workspace, path, entry))]
    # Two machines can give one number: then the turn that still says it is the one.
    for path, episode, lines in sorted(read, key=lambda one: quote_hash(one[1].text) != source.quote_hash):
        same = quote_hash(episode.text) == source.quote_hash
        return Quoted(source, "same" if same else "changed", episode.role, episode.text, path, lines)
    return Quoted(source, "gone")


def _read(workspace: Workspace, path: RepoPath, entry: Entry) -> tuple[Episode, tuple[int, int]] | None:
    try:
        data = workspace.store.working_copy.contents(path, entry)
        episode = Episode.parse(path, data)
    except (FilterMissing, InvalidEpisode):
        return None
    if episode is None or not episode.text.strip() or episode.text.strip() == "[forgotten]":
        return None
    document = Document.parse(data)
    first = data[: document.body.start].count(b"\n") + 1
    return episode, (first, first + max(0, document.body_bytes().rstrip().count(b"\n")))
