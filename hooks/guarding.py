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
    settings = _settings(root)
    if all(_is_fine(text, settings) for text in _texts(event)):
        return event
    if _secret(event.session):
        raise SecretInId("the session id holds a secret")
    redactor = _redactor(settings)
    turn = redactor.value(event.turn)
    if event.turn is not None and "uuid" in event.turn:
        turn["uuid"] = redactor.id(event.turn["uuid"])
    return event._replace(
        agent=redactor.text(event.agent),
        session=redactor.id(event.session),
        name=redactor.text(event.name),
        transcript="" if _secret(event.transcript) else event.transcript,
        prompt=redactor.text(event.prompt),
        last_message=redactor.text(event.last_message),
        turn_id=redactor.id(event.turn_id),
        turn=turn,
    )


def loggable(name: str, session: str, root: str) -> tuple[str, str]:
    """What an event is called and its session, as they may stand in the log."""
    settings = _settings(root)
    if _is_fine(name, settings) and _is_fine(session, settings):
        return name, session
    redactor = _redactor(settings)
    return redactor.text(name), redactor.id(session)


def _settings(root: str) -> bytes | None:
    """What says which personal data to take out: b'' for none, None where it cannot be read."""
    try:
        with open(os.path.join(root, SETTINGS), "rb") as file:
            data = file.read()
    except OSError:
        return None
    return data if b"redact" in data else b""


def _redactor(settings: bytes | None) -> Redactor:
    """The redactor that the settings ask for; one that takes out everything when they cannot be read."""
    from memtree.tree.redactor import Redactor

    if settings == b"":
        return Redactor()
    import tomllib

    from memtree.engine.redact_settings import redact_settings
    from memtree.tree.pii_rules import PiiClass

    try:
        table = tomllib.loads(settings.decode("utf-8-sig")).get("redact", {}) if settings is not None else None
        return Redactor(redact_settings(table).pii)
    except ValueError:
        return Redactor(frozenset(PiiClass))


def _is_fine(text: str, settings: bytes | None) -> bool:
    """Whether a text surely holds nothing to take out. A phone number is as plain as any number."""
    return not text or (settings == b"" and is_plain(text))


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
