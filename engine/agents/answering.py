"""Answering: what memory has on a question, in a model's words where one may be asked, else in its own.

A first look without a model finds what there is; the model is handed it, and may look further with tools that only look.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.agents.answers import MemoryAnswer, Status
from memtree.engine.agents.citations import cited
from memtree.engine.agents.extractive_answer import Extract
from memtree.engine.agents.finding import MEMORY, Found
from memtree.engine.agents.first_look import answered, first_look
from memtree.engine.agents.memory_agent import Question, nothing
from memtree.engine.agents.memory_bench import STRIKES, MemoryBench
from memtree.engine.agents.passages import Passage, Reading
from memtree.engine.agents.running import NoRoom, Run, ready
from memtree.engine.llm.errors import BadReply, ModelAway, ModelBroken, ModelNotConfigured
from memtree.engine.llm.roles import Models
from memtree.engine.retrieval.checkup import check_up
from memtree.tree.context_fence import fenced, unmarked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtree.engine.llm.asking import Asker
    from memtree.engine.workspace import Workspace

_TRIES = 3  # requests where the first look found nothing: one search in other words, and no more
_HANDED = 8  # passages that a model is handed at once
_READING = 0.8  # of the room that is left for what a run reads
_NEGATIVE = "no relevant memory found"
_FOUND = """\
What a first search brought, best first. Where this answers the question, answer at once and search no more; else search in other
words, or where it leads."""
_NOT_FOUND = """\
A first search in the words of the question brought nothing. Memory is not empty: search once in other words (another language, a
name, the thing that is meant), and where that brings nothing either, say so."""
_UNASKED = (ModelNotConfigured, ModelBroken, ModelAway, BadReply, NoRoom)


def answer(workspace: Workspace, found: Found, asked: Question, notes: Sequence[str], asker: Asker | None) -> MemoryAnswer:
    """The answer to a question of a memory that holds something; raise MissingTools, and CorruptionError where it is unreadable."""
    reading = Reading(workspace)
    look = first_look(workspace, reading, asked.query, asked.context)
    why_not = Models.of(workspace).why_not(found.definition.hint.value)
    seen = _Seen(asked, look.passages, tuple(dict.fromkeys((*notes, *look.notes))))
    if why_not:
        return _without_model(workspace, seen, f"no model was asked: {why_not}")
    if not look.passages and check_up(workspace).degraded:
        return nothing(workspace, seen.notes)
    try:
        return _by_model(workspace, found, seen, reading, asker)
    except _UNASKED as error:
        return _without_model(workspace, seen, f"the model gave no answer: {error}")


@dataclass(frozen=True, slots=True)
class _Seen:
    """A question, and what the first look found on it."""

    asked: Question
    passages: tuple[Passage, ...]
    notes: tuple[str, ...]


def _without_model(workspace: Workspace, seen: _Seen, why: str) -> MemoryAnswer:
    """What was found as an answer without a model."""
    extract = answered(workspace, seen.asked.query, seen.passages)
    if not extract.sources:
        return nothing(workspace, (*seen.notes, why))
    return MemoryAnswer(Status.COMPLETED, extract.text, extract.sources, notes=(*seen.notes, why, *_weak(extract)))


def _by_model(workspace: Workspace, found: Found, seen: _Seen, reading: Reading, asker: Asker | None) -> MemoryAnswer:
    """What a model makes of it; raise what keeps it from answering."""
    from memtree.engine.llm.asking import Asker

    asker = asker or Asker(workspace, agent=found.definition.id)
    wanted = seen.asked.max_turns or found.definition.max_iterations
    most = asker.models.ready(found.definition.hint.value).model.request_limit
    notes = list(seen.notes)
    if wanted > most:
        notes.append(f"{wanted} requests are more than the model for {found.definition.hint} may get in one run: {most}")
    if not seen.passages:
        wanted = min(wanted, _TRIES)
    able = ready(workspace, MEMORY, asker, requests=min(wanted, most))
    bench = MemoryBench(workspace, reading, room=able.room * _READING, strikes=0 if seen.passages else STRIKES - 1)
    run = able.run(workspace, asker, _request(workspace, seen, bench), bench)
    return _ended(workspace, seen, bench, run, (*notes, *run.notes))


def _request(workspace: Workspace, seen: _Seen, bench: MemoryBench) -> str:
    redacted = workspace.redactor.text
    parts = [f"The question:\n\n{unmarked(redacted(seen.asked.query))}"]
    if seen.asked.context:
        parts.append(f"What whoever asks knows besides:\n\n{fenced(redacted(seen.asked.context))}")
    shown = bench.show(seen.passages[:_HANDED])
    parts.append(f"{_FOUND}\n\n{shown}" if shown else _NOT_FOUND)
    return "\n\n".join(parts)


def _ended(workspace: Workspace, seen: _Seen, bench: MemoryBench, run: Run, notes: tuple[str, ...]) -> MemoryAnswer:
    """What a run came to, as an answer."""
    if bench.question:
        return MemoryAnswer(
            Status.AWAITING_USER, bench.question, found=False, suggestions=bench.suggestions, usage=run.usage, notes=notes
        )
    if run.incomplete or not run.said:
        why = f"the model did not come to an end within {_requests(run)}" if run.incomplete else "the model said nothing"
        return _unfinished(workspace, seen, bench, run, (*notes, f"{why}: this is what was found so far"))
    answer = cited(run.said, bench.passages)
    # With sources it speaks of a part of the question alone: the others are answered.
    if not answer.sources and run.said.casefold().startswith(_NEGATIVE):
        return nothing(workspace, notes, run.usage)
    if not answer.sources:
        notes = (*notes, "the answer names nothing that was read: memory does not back it")
    return MemoryAnswer(Status.COMPLETED, answer.text, answer.sources, answer.dropped, usage=run.usage, notes=notes)


def _unfinished(workspace: Workspace, seen: _Seen, bench: MemoryBench, run: Run, notes: tuple[str, ...]) -> MemoryAnswer:
    """What was found up to then, without the model."""
    passages = tuple(dict.fromkeys((*seen.passages, *bench.passages)))
    extract = answered(workspace, seen.asked.query, passages)
    if not extract.sources:
        return replace(nothing(workspace, notes, run.usage), status=Status.INCOMPLETE)
    return MemoryAnswer(Status.INCOMPLETE, extract.text, extract.sources, usage=run.usage, notes=(*notes, *_weak(extract)))


def _weak(extract: Extract) -> tuple[str, ...]:
    if extract.unnamed:
        return (f"nothing of this speaks of {', '.join(extract.unnamed)}: it may not answer the question",)
    return ("what was found holds little of the question: it may not answer it",) if extract.little else ()


def _requests(run: Run) -> str:
    return "one request" if run.usage.requests == 1 else f"{run.usage.requests} requests"
