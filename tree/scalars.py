"""Scalars of front matter: what a plain word stands for, and how a value is written so that it is read as the same.

YAML's own rules surprise: `no` is false, `1.10` is 1.1, `12:30` is 750, an impossible date raises. Here a plain word is a number
only when the number is written back the same way; everything in doubt stays text. What other programs would read differently is
quoted when written, dates excepted: an editor knows a date only when it stands bare.
"""

from __future__ import annotations

import re

Scalar = None | bool | int | float | str

_INT = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)
_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?", re.ASCII)
_FLOAT_LIMIT = 30  # no float is written longer
_WORDS = {"null": None, "~": None, "": None, "true": True, "false": False}

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
# What some YAML reader takes for something else than text: 0x1F, 1_000, 12:30, 1.10, .inf, yes, =, <<.
_NUMBER_LIKE = re.compile(r"[-+]?\.?[0-9][0-9_.,:eE+-]*|[-+]?0[xob][0-9a-f_]+|[-+]?\.(?:inf|nan)", re.ASCII | re.IGNORECASE)
_WORD_LIKE = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<"])
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_BARE_KEY = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


def resolve(word: str) -> Scalar:
    """Return what a plain, unquoted word stands for."""
    if word in _WORDS:
        return _WORDS[word]
    if _INT.fullmatch(word):
        return int(word)
    if len(word) <= _FLOAT_LIMIT and _FLOAT.fullmatch(word) and repr(float(word)) == word:
        return float(word)
    return word


def written(value: Scalar, *, in_brackets: bool = False) -> str:
    """Return `value` as YAML on one line; raise ValueError for a number that would not be read as the same."""
    if isinstance(value, str):
        text = clean(value)
        return text if _may_stand_bare(text, in_brackets=in_brackets) else quoted(text)
    text = "null" if value is None else repr(value).lower() if isinstance(value, bool) else repr(value)
    if resolve(text) != value:
        raise ValueError(f"{value!r} cannot be written to front matter")
    return text


def written_key(key: str) -> str:
    """Return a key as it stands before its colon."""
    return key if _BARE_KEY.fullmatch(key) and key.lower() not in _WORD_LIKE else quoted(clean(key))


def quoted(text: str) -> str:
    """Return `text` in double quotes."""
    return f'"{"".join(map(_escaped, text))}"'


def clean(text: str) -> str:
    """Return `text` with `?` for half characters, which no file could hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char == " " or char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _may_stand_bare(text: str, *, in_brackets: bool) -> bool:
    if not text or text != text.strip() or not text.isprintable() or text[0] in _INDICATORS:
        return False
    if ": " in text or " #" in text or text.endswith(":") or (in_brackets and any(c in ",[]{}:" for c in text)):
        return False
    if _DATE.fullmatch(text):
        return True
    return isinstance(resolve(text), str) and text.lower() not in _WORD_LIKE and not _NUMBER_LIKE.fullmatch(text)
