"""Hearing: what was said in a stretch of a session, as messages that facts may come from, with what they are counted from.

Of a long stretch the first turns are heard, and the number of the next one is named: nothing is left out because there is much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.facts.candidate import Said, Step
from memtree.engine.facts.diagnosis_records import LeftOut
from memtree.engine.facts.zone import zone_of
from memtree.tree.agent_turn import USER
from memtree.tree.episode import Episode, InvalidEpisode, session_folder, session_of
from memtree.tree.fact import quote_hash
from memtree.tree.injected import without_injected
from memtree.tree.prose import prose_of
from memtree.tree.segments import Message

if TYPE_CHECKING:
    from memtree.engine.closing.open_turns import Sessions
    from memtree.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard. `folder` is the session's, `said` may become facts, `around` only explains it; both are without secrets.

    `messages` counts all, `cleaned` those in which anything was said. `rest` is the turn to go on from, None for none.
    """

    folder: str
    session: str
    first: int
    last: int
    messages: int = 0
    cleaned: int = 0
    said: tuple[Said, ...] = ()
    around: tuple[Said, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    rest: int | None = None


def heard(workspace: Workspace, sessions: Sessions, folder: str, first: int, last: int, zone: str) -> Heard:
    """What was said from one number of a session to another; `zone` is the usual one."""
    from memtree.engine.facts.normalising import said_in

    settings, redact = workspace.settings.facts, workspace.redactor.text
    episodes = sessions.episodes(folder, first, last)
    session = _session(folder, episodes)
    chosen, rest = _first_of(episodes, settings.max_messages, settings.max_chars)
    messages = [Message(one.seq, one.role, redact(one.text), one.timestamp, redact(one.speaker)) for one in chosen]
    found = said_in(
        messages,
        session=session,
        hashes=[quote_hash(one.text) for one in chosen],
        zones=[zone_of(one, zone) for one in chosen],
        include_assistant=settings.include_assistant,
        max_messages=settings.max_messages,
        max_chars=settings.max_chars,
    )
    left_out: dict[tuple[Step, str], int] = {}
    for left in found.left_out:
        left_out[left.step, left.reason] = left_out.get((left.step, left.reason), 0) + 1
    emptied = sum(count for (step, _), count in left_out.items() if step is Step.CLEAN)
    return Heard(
        folder,
        session,
        first,
        last if rest is None else rest - 1,
        len(chosen),
        len(chosen) - emptied,
        tuple(found.said),
        tuple(_around(messages, found.said, session, chosen, zone)),
        tuple(LeftOut(step, reason, count) for (step, reason), count in left_out.items()),
        rest,
    )


def _around(messages: Sequence[Message], said: Sequence[Said], session: str, episodes: Sequence[Episode], zone: str) -> list[Said]:
    """The answers that stand between what counts."""
    counted = {(one.seq, one.role) for one in said}  # in lower case
    return [
        Said(session, one.seq, one.role, text, "", one.timestamp, zone_of(episode, zone), one.speaker)
        for one, episode in zip(messages, episodes, strict=True)
        if (role := one.role.strip().lower()) != USER
        and (one.seq, role) not in counted
        and (text := prose_of(without_injected(one.text)).strip())
    ]


def _first_of(episodes: Sequence[Episode], messages: int, chars: int) -> tuple[Sequence[Episode], int | None]:
    """As many turns as are heard at once, at least one, and the number of the next; turns of one number stay together."""
    size = 0
    for place, one in enumerate(episodes):
        size += len(one.text)
        if place and (place >= messages or size > chars) and one.seq != episodes[place - 1].seq:
            return episodes[:place], one.seq
    return episodes, None


def _session(folder: str, episodes: Sequence[Episode]) -> str:
    """The session's id: that of its folder, or where that is too long for a name, what its turns say."""
    return session_of(folder) or next((one.session for one in episodes if _is_of(folder, one.session)), folder)


def _is_of(folder: str, session: str) -> bool:
    try:
        return session_folder(session) == folder
    except InvalidEpisode:
        return False
