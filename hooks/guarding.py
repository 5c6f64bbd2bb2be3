"""Guarding: an event without secrets and personal data, as it may be written to the outbox."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memtree.hooks.events import AgentEvent
from memtree.hooks.log import is_plain
from memtree.hooks.place import SETTINGS

if TYPE_CHECKING:
    from memtree.tree.redactor import Redactor

_TAIL = 256 * 1024  # bytes at the end of a transcript that are looked at
_SURE = (40, 160)  # characters that a message needs to be known by its end; that are compared


class SecretInId(ValueError):
    """An id that holds a secret names nothing that may be written down."""


def guarded(event: AgentEvent, root: str) -> AgentEvent:
    """The event as it may be written: redacted, and without where the agent works, which nobody needs. Raise SecretInId.

    What the transcript holds already is left out: it is read from there.
    """
    event = event._replace(cwd="", last_message="" if _holds(event.transcript, event.last_message) else event.last_message)
    if all(is_plain(text) for text in _texts(event)):
        return event
    redactor = redactor_of(root)
    if redactor.text(event.session) != event.session:
        raise SecretInId("the session id holds a secret")
    return event._replace(
        agent=redactor.text(event.agent),
        name=redactor.text(event.name),
        transcript="" if _secret(event.transcript) else event.transcript,
        prompt=redactor.text(event.prompt),
        last_message=redactor.text(event.last_message),
        turn_id=redactor.text(event.turn_id),
        turn=redactor.value(event.turn),
    )


def redactor_of(root: str) -> Redactor:
    """The redactor that the workspace's settings ask for; one that takes out everything when they cannot be read."""
    from memtree.tree.pii_rules import PiiClass
    from memtree.tree.redactor import Redactor

    try:
        with open(os.path.join(root, SETTINGS), "rb") as file:
            data = file.read()
        if b"redact" not in data:
            return Redactor()
        import tomllib

        from memtree.engine.redact_settings import redact_settings

        return Redactor(redact_settings(tomllib.loads(data.decode("utf-8-sig")).get("redact", {})).pii)
    except (OSError, ValueError):
        return Redactor(frozenset(PiiClass))


def _secret(path: str) -> bool:
    from memtree.tree.secrets import find_secrets

    return bool(find_secrets(path))


def _texts(event: AgentEvent) -> Iterator[str]:
    yield from (event.session, event.agent, event.name, event.transcript, event.turn_id, event.prompt, event.last_message)
    if event.turn is not None:
        yield "?" if event.turn else ""


def _holds(transcript: str, message: str) -> bool:
    """Whether a transcript surely holds a message, as its last lines say."""
    message = message.strip()
    if not transcript or len(message) < _SURE[0]:
        return False
    end: Any = json.dumps(message[-_SURE[1] :], ensure_ascii=False)[1:-1]
    try:
        # A pipe in the place of the file must not hold the agent up.
        with open(os.open(transcript, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                return False
            file.seek(max(0, found.st_size - _TAIL))
            return end.encode() in file.read(_TAIL)
    except (OSError, ValueError):
        return False
