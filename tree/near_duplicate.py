"""Whether two statements say the same: in other marks, another case, or words and an order that make no difference.

Precision comes first: a lesson that is lost because it looked like another one is worse than a lesson that stands twice. So there
is no measure of likeness here. A statement is brought into one form by a few sure rules (`word_forms`), and two are the same when
their forms are: every number, unit, negation, name and qualifier stays in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memtree.tree.word_forms import (
    ANSWERS,
    BINDERS,
    CHINESE,
    DROPPED,
    HAN,
    NAMES_IN_CAPITALS,
    OF_THE_USER,
    OPENERS,
    PHRASES,
    TIMES,
    spelled_out,
)

Statement = tuple[str, ...]

_MARK = re.compile(r"\A\s*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[.\][ \t]+)?")
_ID = re.compile(r"(?:\s|\A)\^[A-Za-z0-9-]+\s*\Z")
_LEAD_IN = re.compile(
    r"\A\s*(?:please\s+)?(?:(?:remember|note|keep in mind)(?:\s+that\b|\s*:)|remember to\b|fyi[,:]|请?(?:记住|注意|备注)[:,])\s*",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?!\*)")
_ESCAPED = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_QUOTES = re.compile('[「」『』“”"…]')
_HAN_GAP = re.compile(rf"(?<=[{HAN},。;:])\s+(?=[{HAN}])|(?<=[{HAN}])\s+(?=[,。;:])")
_HOLE = "\ue000"  # where a code span stood; of the private use area, so that no text is likely to have it
_TOKEN = re.compile(rf"[{HAN}、。{_HOLE}]|[^\s{HAN}、。{_HOLE}]+")
_AMOUNT = re.compile(r"([+-]?\d[\d.,:]*)([A-Za-zµ°]+)")
_BEFORE, _BEHIND = ",;:?'([", ".,;:!?')]。"
_EXACT = re.compile(r"-|.*[/\\_=@]|.*::", re.DOTALL)
_LONGEST = 4_000  # characters of a statement; a longer text is compared word by word
_UNIT = 3  # letters: behind a number they are taken for a unit, and Mb is no MB
# Full-width forms as the plain ones, and marks that are typed in more than one way. Not NFKC: that makes 102 of 10².
_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    0x3000: " ",
    ord("’"): "'",
    ord("‘"): "'",
    ord("−"): "-",
    ord("–"): "-",
    ord("\u00a0"): " ",
}


def near_duplicate(one: str, two: str) -> bool:
    """Whether two entries say the same. It is an equivalence: what says the same as a third says the same as each other."""
    return statement(one) == statement(two)


# The entries of a memory file are compared with each one that is added.
@lru_cache(maxsize=2_048)
def statement(text: str) -> Statement:
    """The form in which two entries that say the same are equal; empty for an empty text."""
    if len(text) > _LONGEST:
        return tuple(text.casefold().split())
    text = without_remarks(_MARK.sub("", _ID.sub("", text.strip())))
    plain = unicodedata.normalize("NFC", text).translate(_PLAIN)
    words = _unified([*_words(_LEAD_IN.sub("", plain))], capitals=plain.isupper())
    words = _in_order(words)
    kept = [word for at, word in enumerate(words) if word != "," or (at and words[at - 1] in ANSWERS)]
    while kept and kept[-1] in (",", "."):
        kept.pop()
    if kept and plain.rstrip("*_`\"')」』 ").endswith("?"):
        kept.append("?")
    return tuple(kept) or tuple(plain.casefold().split())


def without_remarks(text: str) -> str:
    """The text without its HTML comments; one that never ends is none."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts.append(text[at:start])
        at = end + 3
    return "".join((*parts, text[at:]))


class _Code(str):
    """A word of a code span: it stays as it is."""

    __slots__ = ()


def _words(text: str) -> Iterator[str]:
    """The words, each sign of Chinese one of them, with `,` and `.` for the marks between."""
    spans: list[str] = []

    def set_aside(span: re.Match[str]) -> str:
        spans.append(span[2])
        return _HOLE

    text = _CODE.sub(set_aside, text.replace(_HOLE, " "))
    text = _HAN_GAP.sub("", _QUOTES.sub(" ", _ESCAPED.sub("", _EMPHASIS.sub(r"\2", text))).strip())
    text = text.rstrip(_BEHIND)
    if not text.isascii():
        for pattern, with_what in CHINESE:
            text = pattern.sub(with_what, text)
    rest = iter(spans)
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token == _HOLE:
            yield from map(_Code, next(rest).split())
            continue
        word = token.lstrip(_BEFORE)
        bare = word.rstrip(_BEHIND)
        if bare:
            yield bare
        yield from _mark(word[len(bare) :] if bare else token)


def _mark(signs: str) -> Iterator[str]:
    if any(sign in ".;!?。" for sign in signs):
        yield "."
    elif "," in signs:
        yield ","


def _unified(words: list[str], *, capitals: bool) -> list[str]:
    """Each word in the form that all that mean the same share."""
    found: list[str] = []
    for number, word in enumerate(_amounts(words)):
        if not number and word.casefold() in OF_THE_USER:
            found.append("user")  # `Prefers tabs.` has a subject that is not said; `Use tabs.` has none
        if isinstance(word, _Code) or (not word.isalpha() and _EXACT.match(word)) or (word in NAMES_IN_CAPITALS and not capitals):
            found.append(word)
        elif found and found[-1][-1:].isdigit() and word.isalpha() and len(word) <= _UNIT:
            found.append(word.casefold() if word.casefold() in ("am", "pm") else word)
        elif number and word == "A":
            found.append(word)  # a name, not the article
        else:
            found += (one for one in spelled_out(word.casefold()) if one not in DROPPED)
    return _preferred(_phrased(found))


def _amounts(words: list[str]) -> Iterator[str]:
    for word in words:
        split = None if word.isalpha() or isinstance(word, _Code) else _AMOUNT.fullmatch(word)
        if split is not None:
            yield from split.groups()
        else:
            yield word


def _phrased(words: list[str]) -> list[str]:
    for phrase, meant in PHRASES:
        at = 0 if phrase[0] in words else len(words)
        while at <= len(words) - len(phrase):
            if tuple(words[at : at + len(phrase)]) == phrase:
                words[at : at + len(phrase)] = meant
            at += 1
    return words


def _preferred(words: list[str]) -> list[str]:
    """Who prefers one thing over another prefers it to that."""
    if "prefer" not in words or "to" in words:
        return words
    at = words.index("prefer")
    return words[:at] + ["to" if word == "over" else word for word in words[at:]]


def _in_order(words: list[str]) -> list[str]:
    """The sentence with what stands in front of it at its end, where that says the same."""
    if not words or words[0] not in OPENERS:
        return words
    if "," in words:
        end = words.index(",")
        front, rest = words[:end], words[end + 1 :]
    elif len(words) > 2 and words[0] in ("on", "at") and words[1] in TIMES:
        front, rest = words[:2], words[2:]
    else:
        return words
    rest = rest[1:] if rest[:1] == ["then"] else rest
    while rest and rest[-1] in (",", "."):
        rest = rest[:-1]
    if not rest or any(word in BINDERS or word in (",", ".") for word in (*rest, *front[1:])):
        return words
    return [*rest, *front]
