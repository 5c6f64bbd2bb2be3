"""Recalling: the passages that have to do with what was asked, from everything that is indexed.

The indexes say where to look; what is shown is read from the present commit, so that a text that was changed or forgotten since
they were built is never shown as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from memtree.engine.meaning import at_hand
from memtree.engine.retrieval.conversations import WIDTH
from memtree.engine.retrieval.layout import Item, dated
from memtree.engine.retrieval.plain import one_line, told
from memtree.engine.retrieval.shelf import Shelf, readable_lines
from memtree.indexers.query import Hit, Mode, Query
from memtree.indexers.relevance import Judge, sentences
from memtree.tree.agent_turn import ASSISTANT, USER
from memtree.tree.document import Document
from memtree.tree.episode import Turn, episode_path, is_turn_file, session_folder, turn_of
from memtree.tree.errors import Error
from memtree.tree.fact import read_fact
from memtree.tree.kinds import Kind, is_markdown
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.facts.recalling import Facts
    from memtree.engine.workspace import Workspace
    from memtree.indexers.embedder import Embedder

MOST = 3
_CONVERSATIONS = (Kind.EPISODE, Kind.RECAP, Kind.CHAT)
_POOL = 4 * MOST  # hits asked for: some are the current session's, some have nothing to do with the question
_QUERY = 2_000  # characters of a prompt that are searched for; what is pasted below them is rarely the question
_LONGEST = 20_000  # characters of a passage that are looked at
_SURE = 40  # characters of a hit's snippet that tell where in a long line it stands
_BELOW = 12  # lines below a heading that are looked at
_TITLE, _PATH = 50, 100  # characters of a title; of a path that is still shown


@dataclass(frozen=True, slots=True)
class _Passage:
    """What a hit brings: its own lines, or where those are a question in a conversation, the lines of the answer to it."""

    hit: Hit
    path: RepoPath
    text: str
    start_line: int
    end_line: int
    question: str = ""

    @property
    def key(self) -> str:
        return " ".join(self.text.split()).casefold()


def recalled(workspace: Workspace, shelf: Shelf, query: str, known: Collection[RepoPath]) -> list[Item]:
    """At most three passages, best first; none of them from the current session or from the `known` files.

    What could not be done is added to the shelf's notes.
    """
    asked = Query(query[:_QUERY], limit=_POOL, mode=_mode(workspace), past=False)
    if not _judge(workspace, asked.text, None).asks:
        return []
    report = workspace.searching.peek(asked)
    shelf.notes.extend(report.notes)
    conversations = workspace.settings.learning.stm_recall_enabled
    hits = [hit for hit in report.hits if hit.path not in known and (conversations or hit.kind not in _CONVERSATIONS)]
    passages = [passage for hit in hits for passage in _passages(shelf, hit)]
    passages = list(_distinct(passages, query))
    relevant = _relevant(workspace, shelf, asked, passages)
    facts = workspace.searching.facts(shelf.tip)
    return [_item(shelf, passage, facts) for passage in islice(_distinct((_answer(shelf, one) for one in relevant), query), MOST)]


def _mode(workspace: Workspace) -> Mode:
    """By words and meaning where the model is at hand: an address that must be asked may keep an agent waiting."""
    settings = workspace.settings
    return Mode.HYBRID if at_hand(settings.embedding) and settings.search.mode is not Mode.TEXT else Mode.TEXT


def _passages(shelf: Shelf, hit: Hit) -> Iterator[_Passage]:
    """What the hit's lines hold now; nothing where the file is gone or belongs to the current session."""
    if shelf.session and _in_folder_of_session(shelf, hit.path):
        return
    data = shelf.read(hit.path)
    if data is None or b"\0" in data or (shelf.session and _session(hit, data) == shelf.session):
        return
    lines = readable_lines(data)
    start, end = hit.start_line, min(hit.end_line, len(lines))
    while start <= end and not lines[start - 1].strip():
        start += 1
    if is_markdown(hit.path) and all(line.startswith("#") or not line.strip() for line in lines[start - 1 : end]):
        end = _first_words_below(lines, end)
    text = "\n".join(lines[start - 1 : end])
    if len(text) > _LONGEST:  # a line of a megabyte is many chunks, and this one of them was found
        at = max(0, text.find(hit.snippet[:_SURE]) - _LONGEST // 2)
        text = text[at : at + _LONGEST]
    if text.strip():
        yield _Passage(hit, hit.path, text, start, end)


def _answer(shelf: Shelf, passage: _Passage) -> _Passage:
    """The answer in place of the question: what was asked before helps nobody who asks it again. Else the passage itself."""
    path, asked = passage.path, _turn(shelf, passage.path)
    if passage.hit.kind is not Kind.EPISODE or asked is None or asked.role != USER:
        return passage
    follows = episode_path(asked.session, asked.seq + 1)
    path = RepoPath(f"{path.folder}/{follows.name}")
    answer, data = _turn(shelf, path), shelf.read(path)
    if answer is None or answer.role != ASSISTANT or data is None:
        return passage
    body = Document.parse(data).body_bytes()
    lines = readable_lines(body)
    if not any(line.strip() for line in lines):
        return passage
    first = data[: len(data) - len(body)].count(b"\n") + 1
    return _Passage(passage.hit, path, "\n".join(lines), first, first + len(lines) - 1, passage.text)


def _turn(shelf: Shelf, path: RepoPath) -> Turn | None:
    data = shelf.read(path) if is_turn_file(path) else None
    return turn_of(path, Document.parse(data).front_matter()) if data is not None else None


def _first_words_below(lines: list[str], end: int) -> int:
    """Where the first paragraph below a heading ends: a heading alone tells nobody anything."""
    for number in range(end, min(len(lines), end + _BELOW)):
        if lines[number].strip() and not lines[number].startswith("#"):
            return number + 1
    return end


def _in_folder_of_session(shelf: Shelf, path: RepoPath) -> bool:
    return any(path.within(shelf.path(folder, shelf.session)) for folder in ("episodic", "recap"))


def _session(hit: Hit, data: bytes) -> str:
    """The folder of the session that a file outside of `episodic/` says it comes from."""
    if not is_markdown(hit.path):
        return ""
    if hit.kind is Kind.FACT and (fact := read_fact(hit.path, data)) is not None:
        told_by = {one.session for one in fact.fact.sources}
        return session_folder(told_by.pop()) if len(told_by) == 1 else ""
    front = Document.parse(data).front_matter()
    turn = turn_of(hit.path, front)
    session = turn.session if turn is not None else front.text("session_id") or front.text("session")
    return session_folder(session) if session.strip() else ""


def _distinct(passages: Iterable[_Passage], query: str) -> Iterator[_Passage]:
    """Each file once, each text once, and never the user's own words back."""
    files: set[RepoPath] = set()
    texts: set[str] = {" ".join(query.split()).casefold()}
    for passage in passages:
        if passage.path not in files and passage.key not in texts:
            files.add(passage.path)
            texts.add(passage.key)
            yield passage


def _relevant(workspace: Workspace, shelf: Shelf, asked: Query, passages: list[_Passage]) -> list[_Passage]:
    """Those that have to do with the whole prompt or with a sentence of it, in their order."""
    texts = [f"{passage.hit.title}\n{passage.hit.heading}\n{passage.text}" for passage in passages]
    embedder = None
    try:
        embedder = workspace.searching.meaning().embedder if asked.mode is not Mode.TEXT else None
        verdicts = _verdicts(workspace, asked.text, texts, embedder)
    except (Error, OSError) as error:
        shelf.notes.append(f"judged by words only: {error}")
        verdicts = _verdicts(workspace, asked.text, texts, None)
    return [passage for passage, verdict in zip(passages, verdicts, strict=True) if verdict]


def _verdicts(workspace: Workspace, query: str, texts: list[str], embedder: Embedder | None) -> list[bool]:
    verdicts = _judge(workspace, query, embedder).relevant(texts)
    for sentence in sentences(query):
        left = [number for number, verdict in enumerate(verdicts) if not verdict]
        judge = _judge(workspace, sentence, embedder)
        if left and judge.asks_alone:
            for number, verdict in zip(left, judge.relevant([texts[number] for number in left]), strict=True):
                verdicts[number] = verdict
    return verdicts


def _judge(workspace: Workspace, query: str, embedder: Embedder | None) -> Judge:
    index = workspace.searching.index()
    return Judge(query, index.stem, index.frequency, index.size(), embedder)


def _item(shelf: Shelf, passage: _Passage, facts: Facts) -> Item:
    hit, path = passage.hit, passage.path
    fact = facts.told(path) if hit.kind is Kind.FACT else None
    more = one_line(fact.projection, _TITLE) if fact is not None and fact.projection else ""
    text = told(passage.text, shelf.redactor, WIDTH - len(more), stretch="" if passage.question else hit.snippet)
    text = f"{text} {more}" if more else text
    lines = f"{passage.start_line}" if passage.start_line == passage.end_line else f"{passage.start_line}-{passage.end_line}"
    tail = f" — {one_line(path, _PATH)}:{lines}" if len(path) <= _PATH else ""
    title = passage.question or ("" if hit.kind is Kind.MEMORY else hit.title)
    lead = dated(hit.time, one_line(shelf.redactor.text(title), _TITLE))
    return Item(text, path, passage.start_line, passage.end_line, lead, tail, hit.score, hit.time)
