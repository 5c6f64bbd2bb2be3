"""Planning a turn: which files it becomes in its session, by what the session holds already."""

from __future__ import annotations

import enum
import hashlib
import re
from dataclasses import replace
from typing import NamedTuple

from memtree.engine.importing.encoding import cleaned
from memtree.engine.repo import Repo
from memtree.engine.writers.ledger import Ledger, Noted
from memtree.tree.agent_turn import ASSISTANT, UUID, AgentTurn
from memtree.tree.document import Document
from memtree.tree.episode import Episode, session_folder
from memtree.tree.errors import UserError
from memtree.tree.paths import RepoPath
from memtree.tree.redactor import Redactor
from memtree.tree.secrets import find_secrets, redacted

LONGEST = 4 * 1024 * 1024  # characters of what one side says; a longer text is a file, not a turn
_ID = re.compile(r"[\x21-\x7e]{1,200}")


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


def plain_id(text: str) -> str:
    """An id as it may stand anywhere; one of other characters, or a very long one, is known by its hash."""
    if not text or _ID.fullmatch(text):
        return text
    return f"sha256-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def plan_turn(turn: AgentTurn, ledger: Ledger) -> Planned:
    """The files of a prepared turn, and what becomes of them is noted in the ledger."""
    if turn.uuid and turn.uuid in ledger.by_uuid:
        return Planned(Outcome.KNOWN, {})
    prompt = ledger.by_uuid.get(turn.prompt_uuid) if turn.prompt_uuid else None
    if prompt is None:
        return Planned(Outcome.STORED, dict(_noted(one, ledger) for one in turn.episodes(ledger.highest + 1)))
    answer = [one for one in turn.episodes(prompt.seq) if one.role == ASSISTANT]
    earlier = ledger.by_seq.get(prompt.seq + 1)
    if not answer or (earlier is not None and earlier.seq not in ledger.present):
        return Planned(Outcome.KNOWN, {})  # a person took the answer away: it does not come back
    # An answer that a person may have edited meanwhile stays as it is, and the longer one stands after all others.
    in_place = earlier is None or ledger.unedited(earlier)
    seq = prompt.seq + 1 if in_place else ledger.highest + 1
    return Planned(Outcome.GROWN, dict([_noted(replace(answer[0], seq=seq), ledger)]))


def _noted(episode: Episode, ledger: Ledger) -> tuple[RepoPath, bytes]:
    data = _sealed(episode)
    uuid = Document.parse(data).front_matter().text(UUID)
    ledger.plan(Noted(episode.seq, Repo.hash_blob(data), uuid, ours=True))
    return ledger.path(episode.seq), data


def _sealed(episode: Episode) -> bytes:
    """The file's bytes. What only looks like a secret once the parts stand together is taken out of the parts."""
    data = episode.render()
    if not find_secrets(data):
        return data
    return replace(episode, text=redacted(episode.text), extra=redacted(episode.extra), speaker="", source="").render()
