"""The tools of the memory agent. They only look; what they show is data, under the numbers that the answer cites it by.

Two searches in a row that bring nothing new end the searching, memory is examined once, and a question back ends the run. However
often a model calls, what it is told stays within the room that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from memtree.engine.agents.deeds import ToolRefused
from memtree.engine.agents.passages import SHOWN, Passage, Place, Reading, shown
from memtree.engine.agents.recalling import moment_asked
from memtree.engine.llm.asking import RunOver
from memtree.engine.memory_tree.hits import Answer, Entities, Envelope, SourceList
from memtree.engine.memory_tree.modes import run_mode
from memtree.engine.retrieval.checkup import check_up
from memtree.engine.retrieval.file_search import FileQuery, search_files
from memtree.engine.retrieval.flavour import memory_flavour
from memtree.engine.retrieval.layout import day
from memtree.engine.retrieval.memories import recall_memories
from memtree.engine.retrieval.plain import one_line
from memtree.tree.context_fence import fenced
from memtree.tree.paths import InvalidPath, RepoPath
from memtree.tree.token_count import count_tokens

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

STRIKES = 2  # searches in a row without anything new
MOST = 8  # passages that a search shows
_QUERY = 500  # characters
_LINES = 120  # of a file, read at once
_BESIDE = 2  # lines before and behind a line that was looked for
_QUESTION, _SUGGESTION, _SUGGESTIONS = 300, 120, 5
_NAMES, _NAME = 30, 200  # sources or entities that are listed; characters of each
_NOTHING = "Memory holds nothing on this."
_OVER = "The search is over: {count} searches in a row brought nothing new. Answer with what you have."


class MemoryBench:
    """The tools of one run. `room` is in tokens; `strikes` is how many searches brought nothing before it began."""

    def __init__(self, workspace: Workspace, reading: Reading, *, room: float, strikes: int = 0) -> None:
        self._workspace = workspace
        self._reading = reading
        self._room = room
        self._strikes = strikes
        self._shown: dict[int, Passage] = {}
        self._examined = False
        self.question = ""
        self.suggestions: tuple[str, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What the model was shown, in that order."""
        return tuple(self._shown.values())

    def show(self, passages: Iterable[Passage]) -> str:
        """Passages as the model reads them, as many as there is room for; '' for none."""
        return self._told(list(passages))

    # -- searching
    def memory_recall(self, query: str, limit: int = 5, as_of: str = "") -> str:
        self._refuse_after_strikes()
        _refuse_blank(query)
        then = moment_asked(self._workspace, as_of)
        found = recall_memories(self._workspace, query[:_QUERY], limit=max(1, min(limit, MOST)), as_of=then)
        return self._found(_places(found))

    def memory_tree(
        self,
        mode: str,
        query: str = "",
        limit: int | None = None,
        entity_id: str = "",
        source_id: str = "",
        source_kind: str = "",
        node_id: str = "",
        chunk_ids: list[str] | None = None,
        sources: list[str] | None = None,
        kinds: list[str] | None = None,
        since: str = "",
        until: str = "",
        max_depth: int | None = None,
    ) -> str:
        self._refuse_after_strikes()
        given = {name: value for name, value in locals().items() if name not in ("self", "mode") and value not in ("", None, [])}
        answer = run_mode(self._workspace, mode, given, may_write=False, capture=False)
        return self._found(_places(answer)) if isinstance(answer, Envelope) else self._names(answer)

    def query_memory(self, pattern: str, regex: bool = False, path: str = "", limit: int = 8) -> str:
        self._refuse_after_strikes()
        _refuse_blank(pattern)
        asked = FileQuery(pattern[:_QUERY], regex, path=path, limit=max(1, min(limit, MOST)))
        hits = search_files(self._workspace, asked).hits
        return self._found(Place(hit.path, hit.line - _BESIDE, hit.line + _BESIDE, "", hit.time, hit.text) for hit in hits)

    def _found(self, places: Iterable[Place]) -> str:
        """The passages at these places; those that were shown before by their numbers alone."""
        passages = [one for place in places if (one := self._reading.take(place)[0]) is not None]
        passages = list({one.number: one for one in passages}.values())[:MOST]
        new = [one for one in passages if one.number not in self._shown]
        known = [f"[{one.number}]" for one in passages if one.number in self._shown]
        if new and not (text := self._told(new)):
            raise ToolRefused("there is no room for more", hint="answer with what you have")
        self._strikes = 0 if new else self._strikes + 1
        again = f"Shown already: {', '.join(known)}." if known else ""
        over = _OVER.format(count=self._strikes) if self._strikes >= STRIKES else ""
        nothing = "" if passages else _NOTHING
        return "\n\n".join(part for part in (text if new else "", nothing, again, over) if part)

    def _told(self, passages: list[Passage]) -> str:
        """As many of them as there is room for, the first ones first."""
        for count in range(len(passages), 0, -1):
            text = shown(passages[:count])
            cost = count_tokens(text.encode("utf-8", "replace"))
            if cost <= self._room:
                self._room -= cost
                self._shown.update({one.number: one for one in passages[:count]})
                return text
        return ""

    def _names(self, answer: Answer) -> str:
        """Entities or sources: what to look for next, and nothing to cite."""
        lines = [one_line(self._workspace.redactor.text(line), _NAME) for line in _named(answer)][:_NAMES]
        self._strikes = 0 if lines else self._strikes + 1
        text = fenced("\n".join(lines)) if lines else _NOTHING
        self._room -= count_tokens(text.encode("utf-8", "replace"))
        return text

    def _refuse_after_strikes(self) -> None:
        if self._strikes >= STRIKES:
            raise ToolRefused(
                f"the search is over: {self._strikes} searches in a row brought nothing new", hint="answer with what you have"
            )
        if self._room <= 0:
            raise ToolRefused("there is no room for more", hint="answer with what you have")

    # -- looking
    def read_content(self, path: str, start_line: int = 1, end_line: int | None = None) -> str:
        try:
            where = RepoPath.parse(path)
        except InvalidPath as error:
            raise ToolRefused(str(error), hint="give a path as a passage shows it") from error
        if not self._workspace.scope().holds(where):
            raise ToolRefused("no such file is in memory", hint="give a path as a passage shows it")
        last = start_line + _LINES - 1
        passage, _ = self._reading.take(Place(where, start_line, min(end_line or last, last)), most=2 * SHOWN)
        if passage is None:
            raise ToolRefused("there is no text on these lines", hint="give a path and lines as a passage shows them")
        text = self._told([passage])
        if not text:
            raise ToolRefused("there is no room for more", hint="answer with what you have")
        return text

    def memory_flavour(self, flavour: str) -> str:
        found = memory_flavour(self._workspace, flavour)
        if not found.entries:
            return found.markdown
        start, end = min(one.start_line for one in found.entries), max(one.end_line for one in found.entries)
        passage, _ = self._reading.take(Place(found.path, start, end, found.facet), most=2 * SHOWN)
        return (self._told([passage]) if passage is not None else "") or fenced(found.markdown[:SHOWN])

    def memory_doctor(self) -> str:
        if self._examined:
            raise ToolRefused("memory was examined already", hint="answer with what you have, and say what is wrong with memory")
        self._examined = True
        found = check_up(self._workspace)
        lines = [f"{stage.stage}: {stage.note or 'works'}" for stage in found.stages if not stage.ok]
        health = f"Memory is degraded: {found.reason}. Results may be incomplete until {found.remedy}." if found.degraded else ""
        chunks = "" if found.counters.chunks is None else f" It holds {found.counters.chunks:,} passages."
        return fenced("\n".join((health or f"Memory is whole and current.{chunks}", *lines)))

    # -- asking back
    def ask_user_clarification(self, question: str, suggestions: list[str] | None = None) -> str:
        if not question.strip():
            raise ToolRefused("there is no question", hint="say in one sentence what has to be known")
        redacted = self._workspace.redactor.text
        self.question = one_line(redacted(question), _QUESTION)
        told = (one_line(redacted(one), _SUGGESTION) for one in (suggestions or [])[:_SUGGESTIONS])
        self.suggestions = tuple(one for one in told if one)
        raise RunOver


def _refuse_blank(query: str) -> None:
    if not query.strip():
        raise ToolRefused("there is nothing to search for", hint="give a few telling words")


def _places(answer: Envelope) -> Iterator[Place]:
    for hit in answer.hits:
        yield Place(hit.path, hit.start_line, hit.end_line, hit.title, hit.time_start, hit.text.lstrip("…"))


def _named(answer: Answer) -> Iterator[str]:
    """Entities and sources, one a line."""
    if isinstance(answer, Entities):
        for entity in answer.entities:
            also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
            yield f"{entity.canonical_id}: {entity.surface}{also} (mentions: {entity.mention_count:,})"
    if isinstance(answer, SourceList):
        for source in answer.sources:
            first, last = day(source.first) or "?", day(source.last) or "?"
            yield f"{source.name}: {source.kind}, {source.files:,} files, from {first} to {last}"
