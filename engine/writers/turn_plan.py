"""Planning a turn: which files it becomes in its session, by what the session holds already."""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import NamedTuple

from memtree.engine.importing.encoding import cleaned
from memtree.engine.writers.ledger import Ledger, Said, plain_id
from memtree.tree.agent_turn import ASSISTANT, LONGEST, PROMPT, USER, UUID, AgentTurn
from memtree.tree.document import Document
from memtree.tree.episode import Episode, session_folder
from memtree.tree.errors import UserError
from memtree.tree.forgotten import forgets_more
from memtree.tree.paths import RepoPath
from memtree.tree.redactor import Redactor
from memtree.tree.secrets import find_secrets, redacted


class TurnRefused(UserError):
    """A turn that cannot be stored as it is."""


class Outcome(enum.Enum):
    """STORED as new; GROWN: more of an answer that was stored before; KNOWN: nothing that was not here."""

    STORED = "stored"
    GROWN = "grown"
    KNOWN = "known"


class Planned(NamedTuple):
    outcome: Outcome
    files: dict[RepoPath, bytes]


def prepared(turn: AgentTurn, redactor: Redactor, now: int) -> AgentTurn:
    """The turn as it may be stored: redacted, with a time and plain ids; raise TurnRefused. `now` is in epoch milliseconds."""
    session_folder(turn.session)  # raises for a turn without a session
    for name, text in (("session id", turn.session), ("uuid", turn.uuid), ("uuid", turn.prompt_uuid)):
        if secrets := find_secrets(text):
            raise TurnRefused(f"the {name} holds a secret ({secrets[0].rule})", hint="give an id that may be known")
    for name, text in (("the user's text", turn.user), ("the answer", turn.assistant)):
        if len(text) > LONGEST:
            raise TurnRefused(f"{name} has {len(text):,} characters, more than {LONGEST:,}", hint="import it as a document")
    # Cleaned first: a key whose halves a control character keeps apart must not come together later.
    safe = replace(turn, user=cleaned(turn.user), assistant=cleaned(turn.assistant)).safe(redactor)
    if not safe.says_something:
        raise TurnRefused("a turn needs something that the user said or the agent answered", hint="give it a text")
    time = now if safe.timestamp is None else safe.timestamp
    return replace(safe, timestamp=time, uuid=plain_id(safe.uuid), prompt_uuid=plain_id(safe.prompt_uuid))


def is_known(turn: AgentTurn, ledger: Ledger) -> bool:
    """Whether a turn is here already as it is delivered, prepared or not."""
    return ledger.knows(plain_id(turn.uuid), plain_id(turn.asked), answered=turn.answered)


def plan_turn(turn: AgentTurn, ledger: Ledger) -> Planned:
    """The files of a prepared turn, and what becomes of them is noted in the ledger; raise TurnRefused."""
    if is_known(turn, ledger):
        return Planned(Outcome.KNOWN, {})
    earlier = ledger.latest.get(turn.asked)
    new = list(turn.episodes(ledger.highest + 1))
    if earlier is None and turn.asked not in ledger.prompts:
        return Planned(Outcome.STORED, _planned(turn, new, ledger))
    if not turn.answered:
        return Planned(Outcome.STORED, _planned(turn, new, ledger))  # the answer alone came first
    if earlier is None:
        return Planned(Outcome.GROWN, _planned(turn, [_answer(turn, ledger.highest + 1)], ledger))
    if earlier.seq not in ledger.present:
        return Planned(Outcome.KNOWN, {})  # a person took the answer away: it does not come back
    rest = _unforgotten(turn, ledger)
    if rest is None:
        return Planned(Outcome.KNOWN, {})
    # An answer that a person may have edited meanwhile stays as it is, and the longer one stands after all others.
    seq = earlier.seq if ledger.unedited(earlier) else ledger.highest + 1
    return Planned(Outcome.GROWN, _planned(rest, [_answer(rest, seq)], ledger))


def _answer(turn: AgentTurn, seq: int) -> Episode:
    (answer,) = replace(turn, user="", prompt_uuid=turn.asked).episodes(seq)
    return answer


def _unforgotten(turn: AgentTurn, ledger: Ledger) -> AgentTurn | None:
    """A grown answer without what was forgotten of it; None where that cannot be told, or nothing of it is new.

    Where a text was forgotten, only what follows upon the answer as it was written then is new.
    """
    for present, written in ledger.answers_to(turn.asked):
        if turn.assistant and _text(present).startswith(turn.assistant) and _text(present) != turn.assistant:
            return None  # an earlier version of it, delivered late
        if not forgets_more(turn.assistant.encode() if written is None else written, present):
            continue
        before = _text(written) if written is not None else ""
        rest = turn.assistant[len(before) :].strip("\n")
        if not before or not turn.assistant.startswith(before) or not rest.strip():
            return None
        turn = replace(turn, assistant=rest, tool_calls=())  # their inputs may say it again
    return turn


def _text(data: bytes) -> str:
    """What was said, of an answer's file."""
    return Document.parse(data).body_bytes().decode("utf-8", "replace").removesuffix("\n")


def _planned(turn: AgentTurn, episodes: list[Episode], ledger: Ledger) -> dict[RepoPath, bytes]:
    contents = [(episode, *_file(episode)) for episode in episodes]  # all of them, before the first is noted
    return {
        ledger.plan(episode.seq, data, _said(turn, episode) if as_it_is else None): data for episode, data, as_it_is in contents
    }


def _said(turn: AgentTurn, episode: Episode) -> Said:
    if episode.role == USER:
        return Said(turn.asked, USER)
    return Said(turn.uuid, ASSISTANT, turn.asked if turn.asked != turn.uuid else "")


def sealed(episode: Episode) -> bytes:
    """The file's bytes. What only looks like a secret once the parts stand together is taken out of the parts."""
    return _file(episode)[0]


def _file(episode: Episode) -> tuple[bytes, bool]:
    """The same, and whether the file is as the episode says."""
    data = episode.render()
    if not find_secrets(data):
        return data, True
    parts = replace(episode, text=redacted(episode.text), extra=redacted(episode.extra), speaker="", source="")
    data = parts.render()
    wanted = Document.parse(episode.render()).front_matter().values.keys() - {"speaker", "source"}
    front = Document.parse(data).front_matter()
    if front.problem or front.values.keys() != wanted or find_secrets(data):
        # It reached beyond one value: the header keeps only what it cannot do without.
        ids = "".join(line for line in episode.extra.splitlines(keepends=True) if line.startswith((f"{UUID}: ", f"{PROMPT}: ")))
        data = replace(parts, extra=ids).render()
        if secrets := find_secrets(data):
            raise TurnRefused(f"it makes a secret of its ids ({secrets[0].rule})", hint="give ids that may be known")
    return data, False
