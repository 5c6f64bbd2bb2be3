"""Choosing: judged candidates as hits, best first. Several files that hold the same words are one answer.

Order is by score, then the newest, then by path; the same question of the same memory has the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memtree.engine.memory_tree.finding import Candidate, admitted_leaf
from memtree.engine.memory_tree.hits import Narrowed, NodeKind, TreeHit
from memtree.engine.memory_tree.leaves import SHOWN, leaf, passage, standing, stretch
from memtree.engine.memory_tree.narrowing import source_of_node
from memtree.engine.memory_tree.present import Present
from memtree.engine.memory_tree.scoring import Scorer
from memtree.indexers.records import Record
from memtree.tree.document import Document
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Node

PER_FILE = 2  # chunks of one file in an answer
_TELLING = 20  # characters of a text that tell it from others


class Judged(NamedTuple):
    """A candidate, how much of the query it answers, and which of the query's entities it speaks of."""

    candidate: Candidate
    score: float
    entities: tuple[str, ...]

    @property
    def record(self) -> Record:
        return self.candidate.record

    @property
    def order(self) -> tuple[float, int, str, int]:
        """What hits are sorted by."""
        time = self.candidate.node.time_end if self.candidate.node is not None else self.record.time
        return -self.score, -(time if time is not None else -(2**62)), self.record.path, self.record.ordinal


def judged(candidates: Iterable[Candidate], scorer: Scorer) -> list[Judged]:
    """Every candidate with its score, best first."""
    found = []
    for candidate in candidates:
        text = passage(candidate.record)
        entities = scorer.entities_in(text)
        found.append(Judged(candidate, scorer.score(text, candidate.cosine, entities, candidate.in_context), entities))
    return sorted(found, key=lambda one: one.order)


def distinct(ranked: Iterable[Judged]) -> list[Judged]:
    """Without those that repeat a better one: a summary once, two chunks of a file, and no text twice.

    A conversation stands in `episodic/` and in `chat/`: a turn of it and the prose that holds the turn are one answer, the turn.
    """
    kept: list[Judged] = []
    texts: set[str] = set()
    of_file: dict[str, int] = {}
    ranked = list(ranked)
    turns = [said for one in ranked if one.record.kind is Kind.EPISODE and len(said := _said(one.record)) >= _TELLING]
    for one in ranked:
        said = _said(one.record)
        most = 1 if one.candidate.node is not None else PER_FILE
        if of_file.get(one.record.path, 0) >= most or said in texts:
            continue
        if one.record.kind is Kind.CHAT and any(turn in said for turn in turns):
            continue
        of_file[one.record.path] = of_file.get(one.record.path, 0) + 1
        texts.add(said)
        kept.append(one)
    return kept


def once(present: Present, ranked: Iterable[Judged], *, leaves_besides: bool) -> Iterator[Judged]:
    """Without summaries of what something better tells already; with `leaves_besides` what a summary tells may stand beside it."""
    told: set[RepoPath] = set()
    kept: set[RepoPath] = set()
    for one in ranked:
        node = one.candidate.node
        if node is None:
            if not leaves_besides and one.record.path in told:
                continue
        else:
            below = below_of(present, node)
            if not (told | kept).isdisjoint(below):
                continue
            told |= below
        kept.add(one.record.path)
        yield one


def below_of(present: Present, node: Node) -> set[RepoPath]:
    """Everything that a node tells of, itself, nodes and leaves; each once, however links lead."""
    found: set[RepoPath] = {node.path}
    waiting = list(node.children)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            child = present.wiki.by_path.get(path)
            waiting += child.children if child is not None else ()
    return found


def _said(record: Record) -> str:
    return " ".join(record.text.split())


def hits(present: Present, ranked: Sequence[Judged], limit: int, narrowed: Narrowed, scorer: Scorer) -> list[TreeHit]:
    """The first `limit` as they are shown now; what is not there any more makes room for the next."""
    found: list[TreeHit] = []
    for one in ranked:
        if len(found) == limit:
            break
        now = standing(present, one.record)
        if now is None or (one.candidate.node is None and now is not one.record and not admitted_leaf(present, now, narrowed)):
            continue
        made = leaf(present, now, scorer) if one.candidate.node is None else summary(present, one.candidate.node, now, scorer)
        score = one.score if now is one.record else scorer.score(passage(now), one.candidate.cosine, None, one.candidate.in_context)
        found.append(made._replace(score=score, entities=one.entities))
    return found


def summary(present: Present, node: Node, shown: Record | None = None, scorer: Scorer | None = None) -> TreeHit:
    """A summary as a hit without a score: the chunk of its file that is `shown`, else the beginning of its text."""
    if shown is None:
        data = present.repo.blob(node.blob)
        document = Document.parse(data)
        body = document.body_bytes()
        text, first = body.decode("utf-8", "replace"), data[: len(data) - len(body)].count(b"\n") + 1
        last = first + max(0, body.rstrip(b"\n").count(b"\n"))
    else:
        text, first, last = shown.text, shown.start_line, shown.end_line
    return TreeHit(
        node.node_id,
        NodeKind.SUMMARY,
        node.path,
        first,
        last,
        present.tip,
        Kind.WIKI,
        source_of_node(node),
        node.level,
        present.redactor.text(node.title),
        stretch(present.redactor.text(text), SHOWN, scorer),
        time_start=node.time_start,
        time_end=node.time_end,
        children=tuple(node.children),
    )
