"""The archivist's tools: lessons for MEMORY.md, notes, turns. Each call is checked at once, and written when the run has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from memtree.engine.agents.deeds import Deed, ToolRefused, Written
from memtree.engine.agents.lesson import lesson, refuse_secrets
from memtree.engine.writers.memory_md import APPEND, CATEGORIES, FILES, update_memory_md
from memtree.engine.writers.notes import store_note
from memtree.tree.near_duplicate import near_duplicate
from memtree.tree.segments import Segment

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

MOST_LESSONS = 5
LONGEST_NOTE = 6_000  # characters

File = Literal["MEMORY.md", "SKILL.md"]
Action = Literal["append", "replace_section"]
Category = Literal["pattern", "mistake", "preference", "fact"]


class _Lesson(NamedTuple):
    file: str
    category: str
    text: str


class _Note(NamedTuple):
    title: str
    text: str


class MemoryTools:
    """What one run keeps of a segment. `said` is what was said in it, and tells the language; `known` are the entries there are."""

    def __init__(self, workspace: Workspace, segment: Segment, said: str, known: tuple[str, ...]) -> None:
        self._workspace = workspace
        self._segment = segment
        self._said = said
        self._known = known
        self._lessons: list[_Lesson] = []
        self._note: _Note | None = None

    def update_memory_md(self, file: File, action: Action, content: str, category: Category, section_title: str = "") -> str:
        if action != APPEND or section_title.strip().casefold() not in ("", CATEGORIES[category].casefold()):
            raise ToolRefused(
                "an agent that works by itself appends to the section of the category, and replaces nothing",
                hint=f'call again with action "{APPEND}" and without section_title, or leave it',
            )
        line = lesson(content, self._said, self._workspace.redactor)
        if any(near_duplicate(one, line) for one in (*self._known, *(kept.text for kept in self._lessons))):
            raise ToolRefused("memory says this already", hint="nothing needs to be written")
        if len(self._lessons) >= MOST_LESSONS:
            raise ToolRefused(f"{MOST_LESSONS} lessons were kept already", hint="that is enough for one conversation")
        self._lessons.append(_Lesson(file, category, line))
        return f"It will be appended to {file} under {CATEGORIES[category]} when you have finished."

    def memory_store(self, content: str, title: str) -> str:
        if not content.strip() or not title.strip():
            raise ToolRefused("a note needs a title and a text", hint="give both, or keep nothing")
        if len(content) > LONGEST_NOTE:
            raise ToolRefused(f"the text has {len(content):,} characters, more than {LONGEST_NOTE:,}", hint="keep what matters")
        refuse_secrets(f"{title}\n{content}", self._workspace.redactor)
        if self._note is not None:
            raise ToolRefused("a note was kept already", hint="one is enough for one conversation")
        self._note = _Note(title, content)
        return "It will be stored as a note when you have finished."

    def record_turn(self, user: str, assistant: str, session_id: str = "") -> str:
        if session_id not in ("", self._segment.session):
            raise ToolRefused("only turns of this conversation can be recorded", hint="leave session_id out")
        said = {_plain(message.text) for message in self._segment.messages}
        if any(text.strip() and _plain(text) not in said for text in (user, assistant)):
            # Else a model's own words would come back as the next part of the conversation that it looks through.
            raise ToolRefused("this was not said in the conversation you were given", hint="what was said is recorded already")
        return f"Recorded already: messages {self._segment.first} to {self._segment.last}. Nothing was stored."

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """What is to be written: one commit for each file."""
        by_file = {file: [kept for kept in self._lessons if kept.file == file] for file in FILES}
        lessons = (self._appending(file, kept) for file, kept in by_file.items() if kept)
        return (*lessons, *([self._storing(self._note)] if self._note else []))

    def _appending(self, file: str, lessons: list[_Lesson]) -> Deed:
        def write(trailers: str) -> Written:
            report = update_memory_md(self._workspace, file, APPEND, _under_headings(lessons), trailers=trailers)
            if not report.stored:
                raise ToolRefused(f"{file} says this already")
            count = sum(entry.stored for entry in report.entries) or len(lessons)
            told = f"Kept {'1 lesson' if count == 1 else f'{count} lessons'} in {file}."
            return Written("update_memory_md", told, report.message, file, report.commit.after)

        return Deed("update_memory_md", write)

    def _storing(self, note: _Note) -> Deed:
        def write(trailers: str) -> Written:
            report = store_note(self._workspace, note.text, title=note.title, source="archivist", trailers=trailers)
            return Written("memory_store", "Stored a note.", f"Stored as {report.path}.", report.path, report.commit.after)

        return Deed("memory_store", write)


def _under_headings(lessons: list[_Lesson]) -> str:
    """The lessons as a text whose headings say where each goes."""
    parts: list[str] = []
    for category, title in CATEGORIES.items():
        items = [f"- {kept.text}" for kept in lessons if kept.category == category]
        parts += ["\n".join((f"## {title}", "", *items))] if items else []
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    return " ".join(text.split())
