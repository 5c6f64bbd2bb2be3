"""What a value looks like: whether it may be a secret, or is prose, a placeholder, a name, a hash of git's.

Values are bytes as they stand in a text. Nothing here is random or statistical: the same value is always judged alike.
"""

from __future__ import annotations

import base64
import binascii
import json
import re

_FEW = 3  # distinct characters; a value of so few stands for one

_STAND_IN = re.compile(
    rb"(?i)x{4,}|\*{3,}|\.{3,}|\xe2\x80\xa6|\xe2\x80\xa2|example|change[_-]?me|placeholder|redacted|dummy|goes[_-]?here"
    rb"|[<>]|\{\{|\$[{(]|%[({]|\[secret:|^[$%@&*{(\[]|^(?:your|insert|enter|replace|some|the)[_-]?[a-z]|your[_-]"
    rb"|^(?:test|abc|abcd|abcdef|foo|bar|foobar|key|value|string|user|admin|root|guest|postgres|none|null|nil|true|false|undefined)[\d_-]*$"
)
_TOKEN_STAND_IN = re.compile(rb"(?i)x{4,}|\*{3,}|\.{3,}|example|placeholder|redacted|your[_-]")
_WORD_FOR_IT = re.compile(
    rb"(?i)(?:my|the|a|user|db)?[_-]?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|api[_-]?key|credentials?)s?"
)

_UUID = re.compile(rb"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_EMAIL = re.compile(rb"[^@\s]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,10}")
_REFERENCE = re.compile(rb"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+|[A-Z][A-Z_]{3,}\d{0,3}(?:[:/][A-Z][A-Z_]{3,}\d{0,3})*")
_PATH = re.compile(rb"(?:[A-Za-z]:)?[\w.-]*(?:[/\\][\w.-]+)+/?")
# Names of formats and algorithms mix letters and digits as keys do.
_TECHNICAL = re.compile(
    rb"(?i)(?<![A-Za-z0-9])(?:base(?:32|58|64)|sha-?(?:1|2|3|224|256|384|512)|utf-?(?:8|16|32)|md[45]|u?int\d{1,3}|float\d{2}|x86|amd64"
    rb"|arm64|win(?:32|64)|ipv[46]|aes-?\d{3}|rsa-?\d{4}|[hrep]s(?:256|384|512)|argon2(?:id|i|d)?|pbkdf2|oauth[12]?|http[123]?|rfc\d{1,5}"
    rb"|ed25519|x25519|x509|secp256k1|bcrypt|scrypt|[kps]8s|i18n|l10n|v\d+)"
)
_UNIT = re.compile(rb"\d{1,2}[A-Za-z][a-z]+|\d{1,4}(?:st|nd|rd|th|ms|s|kb|mb|gb)", re.IGNORECASE)
_NUMBERED = re.compile(rb"[A-Z]?[a-z]+\d{1,4}|\d{1,4}[A-Z]?[a-z]+")
_RUN = re.compile(rb"[A-Za-z0-9]+")
_STRONG = re.compile(rb"[A-Za-z0-9][!@#$%^&*+?~]+[A-Za-z0-9]")
_RISES = re.compile(rb"[a-z](?=[A-Z])|[A-Z]{2}(?=[a-z])")
_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]{40,}")
_ESCAPED_BREAK = re.compile(rb"\\+[nrt]")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=]")


def is_token(value: bytes) -> bool:
    """Whether a value of a known shape is one, not a stand-in in a manual."""
    return not _TOKEN_STAND_IN.search(value) and len(set(value)) > _FEW


def is_numbered_token(value: bytes) -> bool:
    """The same where words joined by dashes could have the shape: it must hold a digit."""
    return is_token(value) and any(48 <= one <= 57 for one in value)


def is_mixed_token(value: bytes) -> bool:
    """The same where the shape alone could be a word: it must hold letters and digits."""
    return is_token(value) and any(_is_mixed(run, letters=2, digits=1) for run in _RUN.findall(value) if len(run) >= 8)


def is_password(value: bytes) -> bool:
    """Whether what is assigned to a password is one, in a form that prose does not have."""
    if _is_ordinary(value) or _PATH.fullmatch(value) or _REFERENCE.fullmatch(value):
        return False
    rest = _TECHNICAL.sub(b"", value)
    runs = [run for run in _RUN.findall(rest) if len(run) >= 4 and not _UNIT.fullmatch(run)]
    return any(_is_mixed(run, letters=2, digits=1) for run in runs) or (len(value) >= 8 and bool(_STRONG.search(rest)))


def is_address_password(value: bytes) -> bool:
    """Whether the password in an address is a real one. Its place says already that it is no prose."""
    return not _is_stand_in(value) and not value.isdigit()


def is_secret(value: bytes) -> bool:
    """Whether what is assigned to a `secret` looks random."""
    return _is_random(value, shortest=8, run=6)


def is_key(value: bytes) -> bool:
    """Whether what is assigned to a token or key looks random. Words that name one have many more meanings: it must be longer."""
    return _is_random(value, shortest=12, run=8)


def is_login(value: bytes) -> bool:
    """Whether the word after `Basic` is a name and a password in base64."""
    try:
        name, colon, password = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True).partition(b":")
    except (binascii.Error, ValueError):
        return False
    return bool(colon) and name.isascii() and is_address_password(password)


def is_web_token(value: bytes) -> bool:
    """Whether three parts joined by dots begin with a header in JSON, as a JWT does."""
    head = value.split(b".", 1)[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + b"=" * (-len(head) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and ("alg" in header or "typ" in header)


def is_private_key(block: bytes) -> bool:
    """Whether a block marked as a private key holds one, not dots."""
    lines = _BASE64_LINE.findall(_ESCAPED_BREAK.sub(b"\n", block))
    return any(is_token(line) for line in lines)


def key_material(block: bytes) -> bytes:
    """What a private key is, however its lines are broken, quoted or indented."""
    body = b"".join(_ESCAPED_BREAK.sub(b"\n", block).split(b"-----")[2:3] or [block])
    return _NOT_BASE64.sub(b"", body)


def _is_random(value: bytes, *, shortest: int, run: int) -> bool:
    if len(value) < shortest or _is_ordinary(value) or value[:1] in b"/.~":
        return False
    runs = [one for one in _RUN.findall(_TECHNICAL.sub(b"", value)) if len(one) >= run and not _NUMBERED.fullmatch(one)]
    return any(_is_mixed(one, letters=2, digits=2) or _is_jumbled(one) for one in runs)


def _is_ordinary(value: bytes) -> bool:
    """Whether a value is what people write all the time: a stand-in, an address, an id, a date or number."""
    return _is_stand_in(value) or b"://" in value or any(kind.fullmatch(value) for kind in (_UUID, _EMAIL))


def _is_stand_in(value: bytes) -> bool:
    return bool(_STAND_IN.search(value)) or bool(_WORD_FOR_IT.fullmatch(value)) or len(set(value)) <= _FEW


def _is_mixed(run: bytes, *, letters: int, digits: int) -> bool:
    count = sum(48 <= one <= 57 for one in run)
    return count >= digits and len(run) - count >= letters


def _is_jumbled(run: bytes) -> bool:
    """Whether upper and lower case alternate more than in words that were joined."""
    rises = len(_RISES.findall(run))
    return rises >= 4 and rises * 6 >= len(run)
