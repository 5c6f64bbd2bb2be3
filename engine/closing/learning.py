"""Learning: what the events of closed segments tell of the user, as changes of the profile's files."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memtree.engine.closing.recap_view import at_tip
from memtree.engine.writers.profile import ProfileEdits, profile_at_tip, profile_edits, profile_path
from memtree.tree.episode import iso_time
from memtree.tree.errors import Error
from memtree.tree.events import Event, read_event_line
from memtree.tree.facets import FACETS, observations_of
from memtree.tree.forgotten import is_stub
from memtree.tree.paths import RepoPath
from memtree.tree.profile_entries import ProfileFile
from memtree.tree.recap import ReadRecap, span_of

if TYPE_CHECKING:
    from memtree.engine.store.report import CommitReport
    from memtree.engine.workspace import Workspace


def learned(workspace: Workspace, events: Sequence[Event], seen: Mapping[str, str]) -> ProfileEdits:
    """The files of the profile, as they are committed now, with what the events tell. `seen` has the day of each event's id."""

    observations = observations_of(events, lambda event: seen.get(event.id, ""))
    return profile_edits(lambda path: profile_at_tip(workspace, path), workspace.settings.content, observations)


def learn_again(workspace: Workspace, recap: ReadRecap) -> tuple[CommitReport, tuple[str, ...]]:
    """Commit what the events of a recap tell of the user; what still keeps a file from it."""
    events = [event for line in recap.events if (event := read_event_line(line)) is not None]
    day = "" if recap.ended is None else iso_time(recap.ended)[:10]
    notes: list[str] = []

    def contents() -> Mapping[RepoPath, bytes | None]:
        edits = learned(workspace, events, {event.id: day for event in events})
        notes[:] = edits.notes
        return dict(edits.files)

    folder = recap.folder
    message = f"profile of turns {recap.first}-{recap.last}\n\nMemtree-Writer: recap\nMemtree-Session: {folder}\n"
    return workspace.store.write(contents, message=message), tuple(notes)


def still_known(workspace: Workspace, changed: Iterable[RepoPath]) -> list[str]:
    """What profiles keep, in other words, of events that were forgotten in these files; each with how it goes too."""
    root = f"{workspace.settings.content}/recap" if workspace.settings.content else "recap"
    recaps = at_tip(workspace, [path for path in changed if path.within(root) and span_of(path.name) is not None])
    events = [event for recap in recaps for line in recap.events if (event := read_event_line(line)) is not None]
    forgotten = {event.id for event in events if is_stub(event.text.encode())}
    notes: list[str] = []
    for facet in FACETS if forgotten else ():
        path = profile_path(workspace.settings.content, facet)
        try:
            data = profile_at_tip(workspace, path)
        except Error:
            continue
        keys = [
            entry.key
            for entry in (ProfileFile(data).entries if data is not None else ())
            if entry.key and not is_stub(entry.value.encode()) and forgotten & {seen.event for seen in entry.seen}
        ]
        notes += [f"{path} still says what was learned from it: memtree profile forget {facet} {shlex.quote(key)}" for key in keys]
    return notes
