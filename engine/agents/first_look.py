"""The first look: what memory has on a question, found without a model, in the order in which it answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.agents.asked_names import Name, asked_names
from memtree.engine.agents.extractive_answer import Extract, Words, extractive_answer
from memtree.engine.agents.passages import Passage, Place, Reading
from memtree.engine.agents.question import without_asking
from memtree.engine.memory_tree.hits import Envelope, TreeHit
from memtree.engine.memory_tree.modes import run_mode
from memtree.engine.retrieval.memories import recall_memories
from memtree.indexers.query import Mode
from memtree.indexers.relevance import Judge, sentences
from memtree.indexers.tokens import fold
from memtree.tree.agent_turn import ASSISTANT, USER
from memtree.tree.asked_slots import asked_slots
from memtree.tree.document import Document
from memtree.tree.episode import Turn, episode_path, is_turn_file, turn_of
from memtree.tree.errors import Error
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.indexers.embedder import Embedder

_HITS = 12
_TRUSTED = 5  # of the best hits, where any of all has to do with the question
_QUERY = 2_000  # characters that are searched for
_WHOLE = 1_000  # lines of a turn that are looked at
_ASKED = 500  # characters of a question that its answer is shown with


class FirstLook(NamedTuple):
    """Passages that have to do with a question, best first; `notes` are what a person should know of the search."""

    passages: tuple[Passage, ...]
    notes: tuple[str, ...]


def first_look(workspace: Workspace, reading: Reading, query: str, context: str = "") -> FirstLook:
    """Search for a question, in what is saved; where `context` tells what is meant, for both together too."""
    asked = [query[:_QUERY], *([f"{query}\n{context}"[:_QUERY]] if context else [])]
    found: list[Passage] = []
    notes: list[str] = []
    for text in asked:
        hits = [hit for envelope in _envelopes(workspace, text, notes) for hit in envelope.hits]
        found += (one for hit in hits for place in _places(reading, hit) if (one := reading.take(place)[0]) is not None)
    found = list(dict.fromkeys(found))
    relevant = [one for text in asked for one in _relevant(workspace, text, found, notes)]
    # Where anything has to do with the question, so have the best: a turn may answer by what was said before it.
    called = _called_otherwise(asked_names(workspace, asked[0]), found)
    kept = [one for rank, one in enumerate(found) if one in relevant or rank < _TRUSTED] if relevant else []
    called = list(dict.fromkeys((*_stated(asked[0], found), *called)))
    kept = [*called, *(one for one in kept if one not in called)]
    return FirstLook(tuple(kept), tuple(dict.fromkeys((*notes, *reading.notes))))


def _called_otherwise(names: Sequence[Name], found: Sequence[Passage]) -> list[Passage]:
    """The passages that speak of all whom a question names, but of one of them only by another name: its words miss them."""
    if not names:
        return []
    plain = [Name(one.surface, frozenset((fold(one.surface),))) for one in names]
    texts = [(one, f"{one.title}\n{one.text}") for one in found]
    return [
        one for one, text in texts if all(name.said_in(text) for name in names) and not all(name.said_in(text) for name in plain)
    ]


def _envelopes(workspace: Workspace, text: str, notes: list[str]) -> Iterator[Envelope]:
    """What a search ranks first, which knows how conversations go; then what entities and their connections lead to."""
    asked = {"query": text, "limit": _HITS}
    for found in (
        recall_memories(workspace, text, limit=_HITS),
        run_mode(workspace, "walk", asked, may_write=False, capture=False),
    ):
        if isinstance(found, Envelope):
            notes += found.notes
            yield found


def answered(workspace: Workspace, query: str, passages: Sequence[Passage]) -> Extract:
    """The sentences of passages that answer a question; where a fact says what is asked for, it alone."""
    stated = _stated(query, passages)
    passages = stated or passages
    searching = workspace.searching
    names = asked_names(workspace, query)
    with searching.turn:
        index = searching.index()
        words = Words(query, index.stem, index.frequency, index.size())
        try:
            found = extractive_answer(query, passages, words, _embedder(workspace), names)
        except (Error, OSError):
            found = extractive_answer(query, passages, words, names=names)  # words alone; the search has told why
    return replace(found, little=False) if stated else found


def _stated(query: str, passages: Sequence[Passage]) -> list[Passage]:
    """The facts that say of the user what a question asks for: turns that said so before may say what is so no more."""
    asked = {slot for slot, _ in asked_slots(query)}
    if not asked:
        return []
    from memtree.tree.fact_slots import place_of  # its patterns are many

    return [
        one for one in passages if one.kind is Kind.FACT and (place := place_of(one.text)).slot in asked and place.subject == USER
    ]


def _places(reading: Reading, hit: TreeHit) -> Iterator[Place]:
    """Where a hit stands. A question in a conversation comes with its answer before it, an answer under what it answers."""
    said, title = hit.text.lstrip("…"), hit.title
    turn = _turn(reading, hit.path) if hit.kind is Kind.EPISODE and is_turn_file(hit.path) else None
    if turn is not None and turn.role == USER:
        path = _beside(hit.path, turn, 1)
        answer = _turn(reading, path)
        if answer is not None and answer.role == ASSISTANT:
            start = _body_line(reading, path)
            yield Place(path, start, start + _WHOLE, f"in answer to: {said}", hit.time_start)
    elif turn is not None and turn.role == ASSISTANT:
        path = _beside(hit.path, turn, -1)
        asked = _turn(reading, path)
        if asked is not None and asked.role == USER:
            title = f"in answer to: {' '.join(reading.lines(path)[_body_line(reading, path) - 1 :])[:_ASKED]}"
    yield Place(hit.path, hit.start_line, hit.end_line, title, hit.time_start, said)


def _turn(reading: Reading, path: RepoPath) -> Turn | None:
    """Which turn of a conversation a file holds, None for none."""
    return turn_of(path, _document(reading, path).front_matter()) if reading.lines(path) else None


def _beside(path: RepoPath, turn: Turn, step: int) -> RepoPath:
    """The file of the turn that many places further on."""
    return RepoPath(f"{path.folder}/{episode_path(turn.session, max(0, turn.seq + step)).name}")


def _body_line(reading: Reading, path: RepoPath) -> int:
    """The line where what was said begins, from 1."""
    document = _document(reading, path)
    return document.data[: document.body.start].count(b"\n") + 1


def _document(reading: Reading, path: RepoPath) -> Document:
    return Document.parse("\n".join(reading.lines(path)).encode("utf-8", "replace"))


def _relevant(workspace: Workspace, query: str, passages: Sequence[Passage], notes: list[str]) -> list[Passage]:
    """Those that have to do with the whole question or with a sentence of it."""
    texts = [f"{one.title}\n{one.text}" for one in passages]
    with workspace.searching.turn:
        try:
            verdicts = _verdicts(workspace, query, texts, _embedder(workspace))
        except (Error, OSError) as error:
            notes.append(f"judged by words only: {error}")
            verdicts = _verdicts(workspace, query, texts, None)
    return [one for one, verdict in zip(passages, verdicts, strict=True) if verdict]


def _embedder(workspace: Workspace) -> Embedder | None:
    return workspace.searching.meaning().embedder if workspace.settings.search.mode is not Mode.TEXT else None


def _verdicts(workspace: Workspace, query: str, texts: list[str], embedder: Embedder | None) -> list[bool]:
    index = workspace.searching.index()
    verdicts = [False] * len(texts)
    # Only the whole is a question: `Thanks for that.` before it is none. Words that only ask are looked for in no text.
    parts = [(query, True, embedder), (without_asking(query), True, None), *((one, False, embedder) for one in sentences(query))]
    for part, whole, near in parts:
        judge = Judge(part, index.stem, index.frequency, index.size(), near, question=whole)
        left = [number for number, verdict in enumerate(verdicts) if not verdict]
        if left and (whole or judge.asks_alone):
            for number, verdict in zip(left, judge.relevant([texts[number] for number in left]), strict=True):
                verdicts[number] = verdict
    return verdicts
