"""Better: a recap is written anew, by a model that was not there before, or by extraction where that had failed.

A person's text stays. What the file holds is looked at again under the lock, so that an edit which came meanwhile wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memtree.engine.closing.derived import sealed_recap
from memtree.engine.closing.recap_text import extractive_recap
from memtree.engine.closing.recap_view import read
from memtree.tree.episode import short_folder
from memtree.tree.errors import Error
from memtree.tree.recap import ReadRecap, Recap, Status, rewritten
from memtree.tree.secrets import find_secrets
from memtree.tree.segments import Segment

if TYPE_CHECKING:
    from memtree.engine.llm.usage import Usage
    from memtree.engine.store.report import CommitReport
    from memtree.engine.workspace import Workspace
    from memtree.tree.paths import RepoPath


def better_recap(workspace: Workspace, recap: ReadRecap, segment: Segment, now: Callable[[], Segment | None]) -> Usage:
    """Have a model write a segment's recap; what that cost. `now` tells the segment as it is when the model has answered.

    Raises what asking raises, and what the store does.
    """
    from memtree.engine.closing.model_recap import model_recap
    from memtree.engine.llm.asking import Asker
    from memtree.engine.llm.errors import BadReply
    from memtree.engine.llm.usage import trailers

    made = model_recap(segment, Asker(workspace, agent="recap"))
    prose = workspace.redactor.text(made.prose)

    def new(data: bytes) -> bytes | None:
        if now() != segment:
            return None  # a turn was edited or forgotten while the model thought: it is asked again
        data = rewritten(data, prose, made.usage.model or "model", importance=made.importance)
        if find_secrets(data):
            raise BadReply("the recap looks like a secret", made.usage)
        return data

    _replace(workspace, recap, new, trailers(made.usage))
    return made.usage


def redo_failed(workspace: Workspace, recap: ReadRecap | None, segment: Segment | None) -> bool:
    """Make the text of a recap that could not be made; whether there was one to make."""
    if recap is None or segment is None or recap.status != Status.FAILED or not recap.may_get_better:
        return False
    try:
        embedder = workspace.searching.embedder()
    except (Error, OSError):
        embedder = None
    data = sealed_recap(Recap.of(segment, Status.CLOSED, extractive_recap(segment, embedder), recap.events))
    return _replace(workspace, recap, lambda _: data, "").changed


def _replace(workspace: Workspace, recap: ReadRecap, make: Callable[[bytes], bytes | None], trailers: str) -> CommitReport:
    def contents() -> Mapping[RepoPath, bytes | None]:
        entry = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), recap.path)
        present = read(workspace, recap.path, entry)
        if entry is None or present is None or not present.may_get_better:
            return {}
        made = make(workspace.store.working_copy.contents(recap.path, entry))
        return {} if made is None else {recap.path: made}

    folder = recap.folder
    ids = f"Memtree-Writer: recap\nMemtree-Session: {folder}\nMemtree-Segment: {recap.segment or 'unknown'}\n"
    short = short_folder(folder)
    subject = f"recap of turns {recap.first}-{recap.last} of session {short} written anew"
    return workspace.store.write(contents, message=f"{subject}\n\n{ids}{trailers}")
