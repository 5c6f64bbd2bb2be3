"""recall: which share of the turns that answer a question a search finds, on LoCoMo conversations.

Each conversation becomes a workspace of episodes, and each question a query through the public search: no side door. The figure is
the share of a question's evidence turns among the first k hits, averaged over the questions of categories 1 to 4, and the mean
reciprocal rank of the first evidence turn. The data (CC BY-NC) are not part of memtree: the file is named on the command line.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memtree.engine.search_settings import WORDLLAMA
from memtree.engine.workspace import Options, Workspace
from memtree.indexers.query import Mode, Query
from memtree.tools.bench.ground import Ground
from memtree.tools.bench.measure import Result, figure, peak_memory, percentile
from memtree.tree.episode import Episode, episode_path
from memtree.tree.errors import UserError
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath

_DEPTHS = (5, 10, 20)
_ADVERSARIAL = 5


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    evidence: tuple[str, ...]
    category: int


@dataclass(slots=True)
class Tally:
    """Sums over questions."""

    questions: int = 0
    found: dict[int, float] = field(default_factory=lambda: dict.fromkeys(_DEPTHS, 0.0))
    reciprocal: float = 0.0

    def add(self, ranks: list[int | None]) -> None:
        """One question's evidence turns by rank from 0, None for one that was not found."""
        self.questions += 1
        for depth in _DEPTHS:
            self.found[depth] += sum(1 for rank in ranks if rank is not None and rank < depth) / len(ranks)
        first = min((rank for rank in ranks if rank is not None), default=None)
        self.reciprocal += 1 / (first + 1) if first is not None else 0.0

    def figures(self) -> dict[str, float]:
        count = max(1, self.questions)
        shares = {f"recall_at_{depth}": round(100 * found / count, 1) for depth, found in self.found.items()}
        return {**shares, "mrr": round(self.reciprocal / count, 3)}


def recall(ground: Ground, locomo: str, *, model: str = WORDLLAMA, modes: tuple[Mode, ...] = tuple(Mode)) -> Result:
    """Measure every mode with an embedding model. Raise UserError when the file is not there or holds something else."""
    conversations = _load(locomo)
    tallies = {mode: Tally() for mode in modes}
    by_category: dict[int, Tally] = {}
    walls: list[float] = []
    turns, indexing = 0, 0.0
    for number, conversation in enumerate(conversations):
        episodes = dict(_episodes(conversation))
        turns += len(episodes)
        root = os.path.join(ground.folder, f"conversation-{number}")
        with _workspace(root, model) as workspace:
            names, took = _bring(workspace, episodes)
            indexing += took
            for question in _questions(conversation, episodes):
                for mode in modes:
                    started = time.perf_counter()
                    ranks = _ranks(workspace, question, names, mode)
                    if mode is Mode.HYBRID:
                        walls.append(1000 * (time.perf_counter() - started))
                        by_category.setdefault(question.category, Tally()).add(ranks)
                    tallies[mode].add(ranks)
    return {
        "model": model,
        "conversations": len(conversations),
        "turns": turns,
        "questions": max(tally.questions for tally in tallies.values()),
        **(tallies[Mode.HYBRID].figures() if Mode.HYBRID in tallies else {}),
        "by_mode": {mode.value: tally.figures() for mode, tally in tallies.items()},
        "by_category": {str(category): tally.figures() for category, tally in sorted(by_category.items())},
        "query_ms": figure(percentile(walls, 0.5)) if walls else 0,
        "query_p95_ms": figure(percentile(walls, 0.95)) if walls else 0,
        "turns_indexed_per_second": figure(turns / max(indexing, 1e-9)),
        "peak_mib": figure(peak_memory() / 2**20),
    }


def _load(path: str) -> list[dict[str, Any]]:
    try:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            data = json.load(file)
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path} cannot be read as LoCoMo data ({error})", hint="give the JSON file of LoCoMo, gzipped or not"
        ) from error
    if not isinstance(data, list) or not all(isinstance(one, dict) and "conversation" in one and "qa" in one for one in data):
        raise UserError(f"{path} is not LoCoMo data", hint="it is a list of conversations, each with its questions")
    return data


def _episodes(conversation: dict[str, Any]) -> Iterator[tuple[str, Episode]]:
    """The turns by their ids, a session of the conversation each a session."""
    said = conversation["conversation"]
    for name in sorted((key for key in said if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key.split("_")[1])):
        day = dt.datetime.strptime(said[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=dt.UTC)
        for seq, turn in enumerate(said[name]):
            stamp = int(day.timestamp()) * 1000 + seq
            yield (
                turn["dia_id"],
                Episode(name, seq, turn["text"], timestamp=stamp, role="user", speaker=turn["speaker"], source="locomo"),
            )


def _questions(conversation: dict[str, Any], episodes: dict[str, Episode]) -> Iterator[Question]:
    for raw in conversation["qa"]:
        evidence = tuple(name for name in raw.get("evidence", ()) if name in episodes)
        if raw["category"] != _ADVERSARIAL and evidence:
            yield Question(raw["question"], evidence, raw["category"])


def _workspace(root: str, model: str) -> Workspace:
    made, _ = Workspace.init(root, options=Options())
    made.close()
    with open(os.path.join(root, "memtree.toml"), "a", encoding="utf-8") as file:
        file.write(f'\n[embedding]\nmodel = "{model}"\n')
    return Workspace.open(root)


def _bring(workspace: Workspace, episodes: dict[str, Episode]) -> tuple[dict[RepoPath, str], float]:
    """Commit the turns as episodes and build the indexes; return the turn ids by path, and the seconds that indexing took."""
    paths = {episode_path(episode.session, episode.seq, workspace.settings.content): name for name, episode in episodes.items()}
    contents: dict[RepoPath, bytes | None] = {path: episodes[name].render() for path, name in paths.items()}
    workspace.write(contents, "LoCoMo conversation\n\nMemtree-Writer: import")
    started = time.perf_counter()
    workspace.refresh_index()
    workspace.searching.embed_rest()
    return paths, time.perf_counter() - started


def _ranks(workspace: Workspace, question: Question, names: dict[RepoPath, str], mode: Mode) -> list[int | None]:
    query = Query(question.text, limit=max(_DEPTHS), kinds=(Kind.EPISODE,), mode=mode)
    hits = [names[hit.path] for hit in workspace.search(query, capture=False).hits]
    return [hits.index(name) if name in hits else None for name in question.evidence]
