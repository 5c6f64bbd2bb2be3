"""MEMORY.md and SKILL.md: statements are added to a section as entries, or a section is replaced; every other byte stays.

What a person writes into the file meanwhile is committed first and merged with. The report tells of the file as it is afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.importing.encoding import cleaned, one_line
from memtree.engine.incoming import refuse_unportable
from memtree.engine.store.report import CommitReport
from memtree.engine.writers.memory_change import Ids, Kept, Made, Outcome, appended, replaced
from memtree.engine.writers.on_disk import settled
from memtree.tree.context_fence import without_fenced
from memtree.tree.errors import UserError
from memtree.tree.memory_items import Item, items_of
from memtree.tree.memory_sections import UnfitTitle, body_of, section_of, sections, title_of
from memtree.tree.near_duplicate import statement
from memtree.tree.paths import RepoPath
from memtree.tree.scalars import clean

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

MEMORY, SKILL = RepoPath("MEMORY.md"), RepoPath("SKILL.md")
FILES = (MEMORY, SKILL)
APPEND, REPLACE = "append", "replace_section"
ACTIONS = (APPEND, REPLACE)
CATEGORIES = {"pattern": "Patterns", "mistake": "Mistakes", "preference": "Preferences", "fact": "Facts"}
LARGEST = 100 << 10  # bytes that a file may become
_READ = 4 << 20  # bytes of a file that is still looked at: it may become smaller
_TITLE = 100  # characters
_TOLD = 20  # entries in a message


class NotPermitted(UserError):
    """A file, an action or a category that there is not; says which there are."""

    def __init__(self, what: str, given: str, permitted: tuple[str, ...]) -> None:
        super().__init__(
            f"{what} {one_line(given, 40)!r} is not permitted: it must be one of {', '.join(permitted)}",
            hint=f"name one of {', '.join(permitted)}",
        )


class TwoPlaces(UserError):
    def __init__(self, category: str, title: str) -> None:
        super().__init__(
            f"category {category} goes to section {CATEGORIES[category]!r}, and section {title!r} is named too",
            hint="name one of the two",
        )


class MemoryFull(UserError):
    def __init__(self, path: RepoPath, size: int) -> None:
        super().__init__(
            f"{path} would have {size:,} bytes, more than {LARGEST:,}: nothing was written",
            hint="replace a section of it with less, move some of it to notes, or store this as a note",
        )


class MemoryIsNoFile(UserError):
    def __init__(self, path: RepoPath) -> None:
        super().__init__(
            f"{path} is a symbolic link or a folder: nothing was written", hint="put a file in its place, or store this as a note"
        )


class MemoryIsNoText(UserError):
    def __init__(self, path: RepoPath) -> None:
        super().__init__(f"{path} is not text in UTF-8: nothing was written", hint="save it as UTF-8 in an editor, or move it away")


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """An entry and the lines that it has, counted from 1; `stored` is False for one that says the same and was there."""

    text: str
    id: str
    first: int
    last: int
    stored: bool = True


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """What became of it, as the file is now: on the disk, or where that is held back (`on_disk` False) in the commit.

    `first` to `last` are the lines of what was written, a replaced section's heading included; 0 when nothing was. `size` (bytes)
    and `lines` are the whole file's. `message` says all of it in a sentence or two.
    """

    file: RepoPath
    made: Made
    section: str
    entries: tuple[MemoryLine, ...]
    first: int
    last: int
    size: int
    lines: int
    commit: CommitReport
    on_disk: bool
    notes: tuple[str, ...]
    message: str

    @property
    def stored(self) -> bool:
        return self.made is not Made.NOTHING


@dataclass(frozen=True, slots=True)
class Written:
    """A change that is committed; the file's bytes in that commit and on the disk, which differ where the file is held back."""

    commit: CommitReport
    committed: bytes
    disk: bytes


def update_memory_md(
    workspace: Workspace,
    file: str,
    action: str,
    content: str,
    *,
    section_title: str = "",
    category: str = "",
    trailers: str = "",
    writer: str = "archivist",
    noise: Callable[[int], bytes] = os.urandom,
) -> MemoryReport:
    """Add a text to a section of MEMORY.md or SKILL.md, or replace a section by it, redacted; in one commit.

    Statements (list items, paragraphs) become entries, each once. `trailers` are whole lines for the commit's message. Raise
    NotPermitted, TwoPlaces, UnfitTitle, UnfitEntry, UnfitContent, OpenConflict, TwoSections, MemoryFull, MemoryIsNoFile,
    MemoryFileOpen, and InvalidPath where there is a `memory.md`; nothing is stored then.
    """
    path = RepoPath(_one_of("file", file, FILES))
    _one_of("action", action, ACTIONS)
    title = title_of(workspace.redactor.text(_section(section_title, category)))
    if action == REPLACE and not title:
        raise UnfitTitle
    if len(content) > LARGEST:
        raise MemoryFull(path, len(content.encode("utf-8", "replace")))
    said = cleaned(clean(without_fenced(content)))
    text = workspace.redactor.text(said)
    ids = Ids(int(workspace.options.clock() * 1000), noise)
    make = appended if action == APPEND else replaced
    outcome = Outcome(b"", Made.NOTHING, title)

    def change(data: bytes) -> bytes:
        nonlocal outcome
        ids.again()
        outcome = make(data, text, title, ids)
        return outcome.data

    subject = f"{'add to' if action == APPEND else 'replace a section of'} {path}"
    written = write_memory(workspace, path, change, f"{subject}\n\nMemtree-Writer: {writer}\n{trailers}", adds=action == APPEND)
    if text != said:
        outcome.notes.append("a secret or personal data was taken out of the text")
    return _report(path, written, outcome)


def write_memory(
    workspace: Workspace, path: RepoPath, change: Callable[[bytes], bytes], message: str, *, adds: bool = True
) -> Written:
    """Commit what `change` makes of a memory file; it is asked under the lock. `adds`: it never takes anything away.

    Raise MemoryFull, MemoryIsNoFile, MemoryIsNoText, InvalidPath.
    """
    workspace.capture.take(automatic=True, only=(path,))

    def contents() -> dict[RepoPath, bytes | None]:
        refuse_unportable(workspace.repo, workspace.repo.tip(workspace.settings.ref), path)
        data = _at_tip(workspace, path)  # under the lock: what another process adds meanwhile is seen
        if adds and len(data) > LARGEST:
            raise MemoryFull(path, len(data))  # before a long look at it
        made = change(data)
        if made != data and len(made) > LARGEST and len(made) >= len(data):
            raise MemoryFull(path, len(made))
        return {} if made == data else {path: made}

    commit = workspace.store.write(contents, message=message)
    found = Written(commit, b"", b"")

    def same() -> bool:
        nonlocal found
        found = Written(commit, _at_tip(workspace, path), workspace.store.working_copy.content(path) or b"")
        return found.disk == found.committed

    settled(workspace, same)
    return found


def memory_entries(data: bytes) -> Iterator[tuple[str, MemoryLine]]:
    """Every entry of a memory file, after the title of its section."""
    titles = sections(data)
    for item in items_of(data):
        title = next((one.title for one in reversed(titles) if one.line < item.first), "")
        if item.text.strip():
            yield title, MemoryLine(item.text, item.id, item.first, item.last)


def _at_tip(workspace: Workspace, path: RepoPath) -> bytes:
    found = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), path)
    if found is None:
        return b""
    if not found.is_file:
        raise MemoryIsNoFile(path)
    if (size := workspace.repo.size(found.id)) > _READ:
        raise MemoryFull(path, size)
    data = workspace.repo.blob(found.id)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data.count(0) > len(data) // 4:
        raise MemoryIsNoText(path)  # UTF-16, most likely: what is added in UTF-8 could not be read there
    return data


def _one_of(what: str, given: str, permitted: tuple[str, ...]) -> str:
    if given not in permitted:
        raise NotPermitted(what, given, permitted)
    return given


def _section(section_title: str, category: str) -> str:
    title = title_of(one_line(clean(section_title), _TITLE))
    if not category:
        return title
    meant = CATEGORIES[_one_of("category", category, tuple(CATEGORIES))]
    if title and title.casefold() != meant.casefold():
        raise TwoPlaces(category, title)
    return meant


def _report(path: RepoPath, written: Written, outcome: Outcome) -> MemoryReport:
    on_disk = written.disk == written.committed or _stands_in(written.disk, outcome)
    data = written.disk if on_disk else written.committed
    items = list(items_of(data))
    notes = list(outcome.notes)
    if outcome.entries:
        entries = tuple(_found(outcome.entries, items))
        places = [one for one in entries if one.stored and one.first]
        first, last = (places[0].first, places[-1].last) if places else (0, 0)
    else:
        first, last = _span(data, outcome)
        entries = tuple(MemoryLine(one.text, one.id, one.first, one.last) for one in items if first <= one.first <= last)
        if outcome.made is not Made.NOTHING and not _stands_in(data, outcome):
            notes.append("an edit that was made meanwhile is merged with it: read the section again")
    if not on_disk:
        notes.append(f"{path} is held back (memtree status): lines are those of the commit, the file gets them with its next one")
    size, lines = len(data), len(data.splitlines())
    made = MemoryReport(
        path, outcome.made, outcome.section, entries, first, last, size, lines, written.commit, on_disk, tuple(notes), ""
    )
    return replace(made, message=_message(made))


def _stands_in(data: bytes, outcome: Outcome) -> bool:
    """Whether a file holds what was written, and where nothing was, what was there already."""
    if outcome.entries:
        return all(line.first for line in _found(outcome.entries, list(items_of(data))))
    if outcome.made is Made.TEXT or outcome.there:
        return outcome.there > 0 or outcome.body in data.replace(b"\r\n", b"\n")
    section = section_of(data, outcome.section, first=True)
    return section is not None and body_of(data, section) == outcome.body.strip(b"\n").rstrip()


def _found(entries: Sequence[Kept], items: Sequence[Item]) -> Iterator[MemoryLine]:
    """Each entry where it is now: by its id, or one that has none by what it says."""
    by_id = {one.id: one for one in reversed(items)}
    nameless = any(not kept.id for kept in entries)
    by_form = {statement(one.text): one for one in reversed(items)} if nameless else {}
    for kept in entries:
        here = by_id.get(kept.id) if kept.id else by_form.get(statement(kept.text))
        yield MemoryLine(kept.text, kept.id, here.first if here else 0, here.last if here else 0, kept.stored)


def _span(data: bytes, outcome: Outcome) -> tuple[int, int]:
    """The lines of what was written, or was there: a section with its heading, or a text in one."""
    more = outcome.body.count(b"\n")
    if outcome.there:
        return outcome.there, outcome.there + more
    section = section_of(data, outcome.section, first=True)
    if section is None:
        return 0, 0
    plain = data.replace(b"\r\n", b"\n")
    if outcome.made is Made.TEXT and (at := plain.rfind(outcome.body)) >= 0:
        first = plain.count(b"\n", 0, at) + 1
        return first, first + more
    return section.line, section.line + len(data[section.start : section.end].rstrip().splitlines()) - 1


def _sentence(text: str) -> str:
    line = one_line(text, 120)
    return line if line.endswith((".", "!", "?", "…", "。", "！", "？")) else f"{line}."


def _message(report: MemoryReport) -> str:
    now = f"{report.file} has {report.size:,} bytes in {report.lines:,} lines."
    if not report.on_disk:
        now = f"It is committed and not in the file on the disk yet; the committed {now}"
    known = [one for one in report.entries if not one.stored]
    said = [f"{_where(report, one)} says the same already: {_sentence(one.text)}" for one in known[:_TOLD]]
    said += [f"So do {len(known) - _TOLD:,} more."] * (len(known) > _TOLD)
    where = f"{report.file}:{report.first}" + (f"-{report.last}" if report.last > report.first else "")
    commit = f" in commit {(report.commit.after or '')[:12]}"
    match report.made:
        case Made.NOTHING:
            what = "" if known else f"{where} says so already. "
            return " ".join((*said, f"{what}Nothing was stored. {now}"))
        case Made.ENTRIES:
            new = [one for one in report.entries if one.stored]
            places = ", ".join([_where(report, one) for one in new[:_TOLD]] + ["…"] * (len(new) > _TOLD))
            what = f"Stored {'1 entry' if len(new) == 1 else f'{len(new)} entries'} as {places}{commit}."
            return " ".join((what, *said, now))
        case Made.TEXT:
            return f"Added to section {report.section!r} as {where}{commit}. {now}"
        case Made.CLEARED:
            return f"Section {report.section!r} is empty now, {where}{commit}. {now}"
        case Made.SECTION:
            return f"Made section {report.section!r}, {where}{commit}. {now}"
        case Made.REPLACED:
            return f"Replaced section {report.section!r}, now {where}{commit}. {now}"


def _where(report: MemoryReport, line: MemoryLine) -> str:
    return f"{report.file}:{line.first}" + (f" (^{line.id})" if line.id else "")
