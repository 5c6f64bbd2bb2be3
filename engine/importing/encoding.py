"""From bytes to text: which encoding a file is in, and the few characters that no note may hold."""

from __future__ import annotations

import codecs
import datetime as dt
import math
import re

from memtree.engine.importing.report import Unfit

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Charsets that mail and pages name although they mean a larger one.
_LARGER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "iso-8859-1": "cp1252",
    "ascii": "utf-8",
    "us-ascii": "utf-8",
}
_BINARY = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n"))
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?")


def decode(data: bytes, declared: str = "") -> tuple[str, str]:
    """The text of a file, and a remark when the encoding was only guessed; raise Unfit for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding), ""
            except UnicodeDecodeError as error:
                raise Unfit(f"not valid {encoding.upper()} although it begins like it") from error
    if b"\0" in data:
        raise Unfit("a binary file")
    for encoding in ("utf-8", declared):
        text = decoded(data, encoding)
        if text is not None:
            return text, ""
    if len(data) - len(data.translate(None, _BINARY)) > len(data) // 100:
        raise Unfit("a binary file")
    return data.decode("latin-1"), "not UTF-8; read as latin-1"


def decoded(data: bytes, encoding: str) -> str | None:
    """The text in a named encoding, or None when it is not in it or nobody knows its name."""
    if not encoding:
        return None
    try:
        return data.decode(_LARGER.get(encoding.lower(), encoding))
    except (LookupError, UnicodeError, ValueError):
        return None


def cleaned(text: str) -> str:
    """Text with line ends as LF, without the characters that YAML, git or a terminal cannot hold."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if _is_clean(text) else _UNFIT.sub("", text)


def _is_clean(text: str) -> bool:
    """Cheap: a look at the bytes answers for nearly all texts, in a tenth of the time of the expression."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return False
    return len(data.translate(None, _CONTROLS)) == len(data) and b"\xc2" not in data and b"\xef\xbf" not in data


def one_line(text: str, limit: int = 500) -> str:
    """A text as a title or a name: on one line, not endless."""
    return " ".join(cleaned(text[: limit * 4]).split())[:limit]


def moment(value: object) -> str:
    """A time as ISO in UTC, from an ISO text, or seconds, milliseconds or finer since 1970; '' for anything else."""
    if isinstance(value, bool):
        return ""
    try:
        if isinstance(value, (int, float)):
            return _from_number(float(value))
        if not isinstance(value, str) or len(value) > 60:
            return ""
        value = value.strip()
        if _NUMBER.fullmatch(value) and len(value) > 8:
            return _from_number(float(value))
        found = dt.datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError):
        return ""
    return iso(found)


def iso(found: dt.datetime) -> str:
    """A time in UTC to the second; without a zone it is taken for UTC."""
    try:
        utc = found.replace(tzinfo=dt.UTC) if found.tzinfo is None else found.astimezone(dt.UTC)
        return utc.strftime("%Y-%m-%dT%H:%M:%SZ") if utc.year >= 1000 else ""
    except (ValueError, OverflowError):
        return ""


def _from_number(number: float) -> str:
    if not math.isfinite(number):  # which JSON of Python's takes for a number
        return ""
    while abs(number) >= 1e11:  # milliseconds, microseconds, nanoseconds
        number /= 1000
    return iso(dt.datetime.fromtimestamp(int(number // 1), dt.UTC))
