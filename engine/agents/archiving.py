"""Archiving: the archivist looks through a closed segment for lessons. What it keeps is written when it has ended.

It may only look and append, a few short entries at a time; nothing to keep is a fine result, and the usual one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.agents.conversation import by_the_user, handed, heard
from memtree.engine.agents.deeds import Written, done
from memtree.engine.agents.delegating import Delegation
from memtree.engine.agents.finding import ARCHIVIST
from memtree.engine.agents.memory_tools import MemoryTools
from memtree.engine.agents.recalling import Recall
from memtree.engine.agents.running import ready, runnable
from memtree.engine.llm.usage import Usage, trailers
from memtree.engine.writers.memory_md import FILES, LARGEST, MemoryFull, MemoryIsNoFile
from memtree.tree.entries import listed
from memtree.tree.episode import session_folder
from memtree.tree.errors import Error, StateError

if TYPE_CHECKING:
    from memtree.engine.llm.asking import Asker
    from memtree.engine.workspace import Workspace
    from memtree.tree.segments import Segment

_NOTHING_SPENT = Usage()
_REQUEST = """\
A part of a conversation has ended: messages {first} to {last}, in their order, the user's marked `user`. Look through it for
lessons that memory does not hold yet, and keep those that are worth it.

{text}"""


class LearningIsOff(StateError):
    """The archivist was asked to work where nobody turned it on."""

    def __init__(self) -> None:
        super().__init__(
            "the archivist is not turned on: lessons are not extracted here",
            hint="set enabled = true under [learning] in memtree.toml, or MEMTREE_LEARNING_ENABLED=true",
        )


@dataclass(frozen=True, slots=True)
class AgentReport:
    """What a run came to. `message` says it in a sentence or two, with no word of what was kept; `said` are the model's last words.

    `written` stands on the disk now; `refused` was asked for and not written. `incomplete`: the model did not come to an end.
    """

    agent: str
    message: str
    written: tuple[Written, ...] = ()
    refused: tuple[str, ...] = ()
    said: str = ""
    usage: Usage = _NOTHING_SPENT
    calls: tuple[str, ...] = ()
    incomplete: bool = False
    notes: tuple[str, ...] = ()


def archive(workspace: Workspace, segment: Segment, asker: Asker) -> AgentReport:
    """Let the archivist keep the lessons of a segment, as commits of `MEMORY.md`.

    Raises LearningIsOff, BadDefinition, MissingTools, MemoryIsNoFile and MemoryFull; what the asker raises (ModelAway and BadReply
    pass: try again); what a write raises that may pass. Nothing is written then, so all of it can be done again.
    """
    if not workspace.settings.learning.enabled:
        raise LearningIsOff
    found, _ = runnable(workspace, ARCHIVIST)
    agent = found.definition.id
    said = heard(segment, workspace.redactor)
    if not said:
        return AgentReport(agent, "Nobody said anything in this part of the conversation: there was nothing to learn.")
    notes = _captured(workspace)
    known = _known(workspace)
    able = ready(workspace, ARCHIVIST, asker)
    tools = MemoryTools(workspace, segment, by_the_user(said), known)
    request = _REQUEST.format(first=segment.first, last=segment.last, text=handed(said, able.room))
    run = able.run(workspace, asker, request, tools, Recall(workspace), Delegation(workspace, able.found.definition))
    own = f"Memtree-Session: {session_folder(segment.session)}\nMemtree-Segment: {segment.id}\n"
    written, refused = done(tools.deeds, own + trailers(run.usage), own)
    return AgentReport(
        agent,
        _message(written, incomplete=run.incomplete),
        written,
        (*run.refused, *refused),
        run.said,
        run.usage,
        run.calls,
        run.incomplete,
        (*notes, *run.notes, *workspace.said()),
    )


def _captured(workspace: Workspace) -> list[str]:
    """Commit what was edited in curated memory a moment ago; what a person should know where that cannot be done."""
    try:
        workspace.capture.take(automatic=True, only=FILES)
    except (Error, OSError) as error:
        return [f"recent edits of {FILES[0]} are not seen: {error}"]
    return []


def _known(workspace: Workspace) -> tuple[str, ...]:
    """The entries of curated memory as they are committed; raise MemoryIsNoFile and MemoryFull where nothing could be added."""
    tip = workspace.repo.tip(workspace.settings.ref)
    known: list[str] = []
    for path in FILES:
        found = workspace.repo.entry(tip, path)
        if found is None:
            continue
        if not found.is_file:
            raise MemoryIsNoFile(path)
        if (size := workspace.repo.size(found.id)) >= LARGEST:
            raise MemoryFull(path, size)
        known += [entry.text for entry in listed(workspace.repo.blob(found.id))]
    return tuple(known)


def _message(written: tuple[Written, ...], *, incomplete: bool) -> str:
    stopped = "The model did not come to an end. " if incomplete else ""
    if not written:
        return f"{stopped}Nothing was kept."
    return f"{stopped}{' '.join(one.told for one in written)}"
