"""Mail: one message, one record. Text is preferred to HTML; attachments are named, not stored.

Everything a sender controls is bounded: the length of each header, how deep and how many parts, how much text.
"""

from __future__ import annotations

import email.utils
import hashlib
import re
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from typing import Any

from memtree.engine.importing import pages
from memtree.engine.importing.encoding import cleaned, decode, decoded, iso, one_line
from memtree.engine.importing.record import Record, SourceKind, Value
from memtree.engine.importing.report import Unfit

_HEADER_LIMIT, _CONTENT_HEADER_LIMIT = 32_768, 2_048
_NESTED_LIMIT = 50
_PARTS_LIMIT = 1_000
_NAMES_LIMIT = 200
_MULTIPART = re.compile(rb"multipart/|message/rfc822", re.IGNORECASE)


class _Bounded(Compat32):
    """The standard library's parser takes a time that grows with the square of a hostile header."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        limit = _CONTENT_HEADER_LIMIT if name.lower().startswith("content-") else _HEADER_LIMIT
        return name[:100], value[:limit]


_PARSER = BytesParser(policy=_Bounded())


def read_mail(data: bytes) -> Record:
    """The record of a message as it came over the wire; raise Unfit."""
    if not data.strip():
        raise Unfit("empty")
    if sum(1 for _ in _MULTIPART.finditer(data)) > _NESTED_LIMIT:
        raise Unfit(f"a mail of more than {_NESTED_LIMIT} nested parts")
    try:
        message = _PARSER.parsebytes(data)
        headers = _headers(message)
        if not headers.keys() & {"from", "date", "subject", "message-id", "to"}:
            raise Unfit("not a mail: it has no headers")
        body, attachments = _content(message)
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError, IndexError) as error:
        raise Unfit(f"a mail that cannot be read ({type(error).__name__})") from error
    return _record(headers, body, attachments)


def _record(headers: dict[str, str], body: str, attachments: tuple[str, ...]) -> Record:
    subject, date = one_line(_words(headers.get("subject", ""))), _date(headers.get("date", ""))
    message_id = one_line(headers.get("message-id", ""))
    fields: list[tuple[str, Value]] = [
        ("from", ", ".join(_people(headers.get("from", "")))),
        ("to", _people(headers.get("to", ""))),
        ("cc", _people(headers.get("cc", ""))),
        ("date", date),
        ("message_id", message_id),
        ("in_reply_to", one_line(headers.get("in-reply-to", ""))),
        ("attachments", attachments),
    ]
    known = "\0".join((date, headers.get("from", ""), subject, body)).encode("utf-8", "replace")
    source_id = message_id or f"sha256:{hashlib.sha256(known).hexdigest()}"
    return Record(SourceKind.MAIL, source_id, subject or "(no subject)", body, tuple(fields))


# -- headers
def _headers(message: Message[Any, Any]) -> dict[str, str]:
    """The first of each header, unfolded, its bytes decoded; encoded words are left for later."""
    found: dict[str, str] = {}
    for name, value in message.raw_items():
        if name.lower() not in found:
            text, _ = _plain(str(value).encode("utf-8", "surrogateescape"))
            found[name.lower()] = " ".join(text.split())
    return found


def _plain(data: bytes) -> tuple[str, str]:
    try:
        return decode(data)
    except Unfit:
        return data.decode("latin-1"), ""


def _words(value: str) -> str:
    """A header with its encoded words read."""
    try:
        parts = decode_header(value)
    except (ValueError, LookupError, email.errors.HeaderParseError):
        return value
    texts = []
    for part, charset in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        text = decoded(part, charset or "utf-8")
        texts.append(text if text is not None else _plain(part)[0])
    return "".join(texts)


def _people(value: str) -> tuple[str, ...]:
    try:
        # Parsed before the words are read: a name may hold a comma only as an encoded word.
        pairs = email.utils.getaddresses([value])[:_NAMES_LIMIT] if value else []
    except (RecursionError, ValueError, IndexError, TypeError):
        pairs = []
    people = [one_line(f"{_words(name)} <{address}>" if name else address) for name, address in pairs if name or address]
    return tuple(people) or ((one_line(_words(value)),) if value.strip() else ())


def _date(value: str) -> str:
    try:
        return iso(email.utils.parsedate_to_datetime(value)) if value else ""
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


# -- content
def _content(message: Message[Any, Any]) -> tuple[str, tuple[str, ...]]:
    """The message's text and the names of its attachments."""
    plain: list[str] = []
    rich: list[str] = []
    attachments: list[str] = []
    waiting = [message]
    seen = 0
    while waiting and seen < _PARTS_LIMIT:
        part, seen = waiting.pop(), seen + 1
        name = _file_name(part)
        payload = part.get_payload()
        if name or part.get_content_disposition() == "attachment":
            attachments.append(name or part.get_content_type())
        elif isinstance(payload, list):
            waiting.extend(inner for inner in reversed(payload) if isinstance(inner, Message))
        elif part.get_content_type() == "text/plain":
            plain.append(_text(part))
        elif part.get_content_type() == "text/html":
            rich.append(_text(part))
        elif part.get_content_maintype() != "multipart":
            attachments.append(part.get_content_type())
    body = "\n\n".join(text.strip("\n") for text in plain if text.strip())
    if not body:
        body = "\n\n".join(filter(None, (pages.markdown(text) for text in rich)))
    return body, tuple(attachments[:_NAMES_LIMIT])


def _file_name(part: Message[Any, Any]) -> str:
    found = part.get_filename()
    return one_line(_words(str(found)), 200) if found else ""


def _text(part: Message[Any, Any]) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    text = decoded(data, str(part.get_content_charset() or ""))
    return cleaned(text if text is not None else _plain(data)[0])
