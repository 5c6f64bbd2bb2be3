"""Capitalised names: who and what is called by name, in scripts that have capital letters.

A name is a run of capitalised words, joined by `of`, `de`, `van` and their like: "Bank of England", "J. R. R. Tolkien", "GPU". A
lone word at a sentence's start counts only when the same word is a name elsewhere in the text. What is all capitals for a whole
line, a heading in title case, months, weekdays and words that any sentence begins with are no names. In German, where every noun
has a capital letter, only runs of two words and more are.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from memtree.tree.code_places import Place
from memtree.tree.common_words import (
    COMMON_WORDS,
    EMPTY_CAPITALS,
    FUNCTION_WORDS,
    HOLIDAYS,
    HONORIFICS,
    LEADING_WORDS,
    MONTHS,
    ROMAN,
    SHORTENED,
    WEEKDAYS,
    opens_sentences,
    word_set,
)

_MOST_WORDS = 7  # of a name
_SCRIPTS = ((0x41, 0x5B), (0xC0, 0x250), (0x370, 0x530), (0x531, 0x588), (0x1E00, 0x2000))
_UPPER = "".join(chr(code) for low, high in _SCRIPTS for code in range(low, high) if chr(code).isupper() or chr(code).istitle())
_LETTERS = (
    "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u0370-\u03ff\u0400-\u052f"
    "\u0531-\u0587\u1e00-\u1fff"
)
_WORD = re.compile(
    rf"(?<![{_LETTERS}0-9_\u2019'-])[{_UPPER}](?:\.(?![{_LETTERS}]{{2}})"
    rf"|[{_LETTERS}0-9]*+(?:[-'\u2019\u2010\u2011](?=[{_LETTERS}0-9])[{_LETTERS}0-9]++)*+)(?!_)"
)
_JOINERS = word_set(
    "af al av ben bin d da dal de del della den der des di do dos du e el ibn la las le los of ten ter the van von y zu"
)
_LOWER_BRAND = re.compile(r"(?<![A-Za-z])(?:i(?:Phone|Pad|Pod|Mac|Cloud|OS|Message|PadOS)|eBay|macOS|watchOS|tvOS)(?![A-Za-z])")
_CONTRACTION = re.compile(r"['\u2019](?:s|m|re|ve|ll|d)\Z", re.IGNORECASE)
_ACRONYM = re.compile(rf"[{_UPPER}]{{2,6}}[0-9]{{0,2}}(?:-[0-9]{{1,4}})?|[{_UPPER}]{{2,3}}[0-9][{_UPPER}]?")
_PLURAL = re.compile(rf"[{_UPPER}]{{2,5}}s")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+")
_HEADING_WORD = re.compile(rf"[{_LETTERS}]{{4,}}")

_SKIPPED = frozenset(" \t*_~\"'\u201c\u201d\u2018\u2019\u00ab([>#-+\u2022\u00a0")
_ENDS = frozenset("\n\r.!?\u2026:;|\0\u3002\uff01\uff1f\uff1a\uff1b\u3001\u300c")
_QUOTES = frozenset("\"'\u201c\u2018\u00ab")
_UNENDED = ("e.g", "i.e", " vs", "incl", "esp")
_SPEAKER = re.compile(r"\*{0,2}[ \t]*\([0-9]")
_GERMAN = re.compile(r"(?<![^\W_])(?:der|die|das|und|ist|nicht|ein|eine|mit|für|auf|ich|wir|sie|dem|den|zu|im|auch|wird)(?![^\W_])")
_LOOKED_BACK = 24


class _Word(NamedTuple):
    """A capitalised word: `text` without its possessive, `key` folded; whether a sentence starts with it.

    `ends`: it had a possessive, so no name goes on behind it; `by_the`: "the" joins it to the word before.
    """

    text: str
    key: str
    start: int
    end: int
    opens: bool
    ends: bool
    by_the: bool


class _Run(NamedTuple):
    words: list[_Word]
    line: _Line


class _Line(NamedTuple):
    start: int
    end: int
    shouted: bool
    titled: bool


def names(text: str) -> Iterator[Place]:
    """Yield where names stand, in order and apart; code and addresses must have been blanked."""
    runs = [run for run in _runs(text) if not run.line.shouted]
    known, labels = _known(runs), _labels(text, runs)
    lone_allowed = not _is_german(text, runs)
    places = [Place(found.start(), found.end()) for found in _LOWER_BRAND.finditer(text)] if "i" in text or "OS" in text else []
    for run in runs:
        words = run.words
        key = _key(words)
        if run.line.titled and key not in known.runs and not _fills_link(text, words):
            continue
        if len(words) > 1:
            accepted = len(words) <= _MOST_WORDS
        else:
            accepted = _is_lone_name(text, words[0], known.words | labels, allowed=lone_allowed)
        if accepted:
            places.append(Place(words[0].start, words[-1].end))
    return iter(sorted(places))


class _Known(NamedTuple):
    """What is a name beyond doubt in a text: whole runs, and their words."""

    runs: frozenset[str]
    words: frozenset[str]


def _known(runs: list[_Run]) -> _Known:
    sure = [run.words for run in runs if not run.line.titled and not run.words[0].opens]
    sure = [words for words in sure if len(words) > 1 or words[0].key not in COMMON_WORDS]
    several = [run.words for run in runs if not run.line.titled and len(run.words) > 1]
    words = {word.key for words in (*sure, *several) for word in words if not word.opens and word.key not in COMMON_WORDS}
    return _Known(frozenset(map(_key, (*sure, *several))), frozenset(words))


def _labels(text: str, runs: list[_Run]) -> frozenset[str]:
    """Words before a colon at the starts of several lines: who speaks."""
    count = Counter(
        run.words[0].key for run in runs if len(run.words) == 1 and run.words[0].opens and _is_label(text, run.words[0].end)
    )
    return frozenset(key for key, times in count.items() if times > 1)


def _is_label(text: str, end: int) -> bool:
    return text[end : end + 3].lstrip("*").startswith(":")


def _is_lone_name(text: str, word: _Word, known: frozenset[str], *, allowed: bool) -> bool:
    if _is_acronym(word.text):
        return True
    if word.key in COMMON_WORDS or word.key in HOLIDAYS or word.text.isupper():
        return False
    if word.opens:
        humps = not word.text[1:].islower() and word.text[-1].islower() and word.text.isalpha()
        return word.key in known or humps or _SPEAKER.match(text, word.end) is not None or _fills_link(text, [word])
    return allowed


def _fills_link(text: str, words: list[_Word]) -> bool:
    """Whether a name is all that a wikilink leads to, or shows."""
    start, end = words[0].start, words[-1].end
    return text[max(0, start - 2) : start] == "[[" and text[end : end + 1] in ("]", "|", "#", ".")


def _is_acronym(word: str) -> bool:
    return _ACRONYM.fullmatch(word) is not None and word not in EMPTY_CAPITALS and word.casefold() not in COMMON_WORDS


def _key(words: list[_Word]) -> str:
    return " ".join(word.key for word in words)


# -- runs


def _runs(text: str) -> Iterator[_Run]:
    line = _Line(0, -1, False, False)
    for words in _sequences(text):
        if words[0].start > line.end:
            line = _line(text, words[0].start)
        for part in _parts(words):
            if len(part) == 1 or any(word.key not in COMMON_WORDS for word in part):
                yield _Run(part, line)


def _sequences(text: str) -> Iterator[list[_Word]]:
    """Capitalised words with nothing between them but a blank and what joins names."""
    words: list[_Word] = []
    for found in _WORD.finditer(text):
        joined = bool(words) and _joins(words[-1], text, found.start())
        if not joined and words:
            yield words
            words = []
        if not words and found.end() - found.start() == 1:
            continue  # no name begins with a lone letter
        by_the = joined and text.endswith("the ", 0, found.start())
        words.append(_word(text, found.start(), found.end(), not joined and _opens(text, found.start()), by_the))
    if words:
        yield words


def _joins(word: _Word, text: str, start: int) -> bool:
    gap = start - word.end
    if word.ends or gap > 14:
        return False
    between = text[word.end : start]
    if between in (" ", "\u00a0"):
        return True
    if not between:
        return word.text[-1] == "."
    if between in (". ", ".\u00a0"):
        return word.key in SHORTENED
    return (
        between[0] == between[-1] == " "
        and 0 < len(parts := between.split()) < 3
        and _JOINERS.issuperset(parts)
        and "\n" not in between
    )


def _word(text: str, start: int, end: int, opens: bool, by_the: bool) -> _Word:
    surface = text[start:end]
    cut = _CONTRACTION.search(surface)
    ends = cut is not None
    if cut is not None:
        surface = surface[: cut.start()]
    elif _PLURAL.fullmatch(surface):
        surface = surface[:-1]
    folded = surface.casefold()
    if folded.endswith(("n't", "n\u2019t")):
        folded = "not"
    return _Word(surface, folded, start, start + len(surface), opens, ends, by_the)


def _parts(words: list[_Word]) -> Iterator[list[_Word]]:
    """A sequence without what is no part of a name, cut where such a word stood."""
    part: list[_Word] = []
    for at, word in enumerate(words):
        if _belongs(word, part, last=at + 1 == len(words)):
            part.append(word)
        else:
            yield from _trimmed(part)
            part = []
    yield from _trimmed(part)


def _belongs(word: _Word, part: list[_Word], *, last: bool) -> bool:
    key = word.key
    if key in LEADING_WORDS and not word.opens and (not last or (part and word.by_the)):
        return True  # Great Gatsby, Alexander the Great
    if key in FUNCTION_WORDS or key in WEEKDAYS or key == "not" or (key in HONORIFICS and not part):
        return False
    if key in MONTHS:
        return bool(part) and last and key in ("april", "august", "june", "may")
    if len(word.text) == 1 or word.text in EMPTY_CAPITALS:
        return bool(part) and part[-1].key not in COMMON_WORDS and (word.text in ROMAN or (len(word.text) == 1 and key not in "ai"))
    return not (word.opens and not last and opens_sentences(key))


def _trimmed(part: list[_Word]) -> Iterator[list[_Word]]:
    while part and (part[-1].text.endswith(".") or (part[-1].key in FUNCTION_WORDS and not part[-1].by_the)):
        part.pop()
    if part and sum(word.text.isupper() and len(word.text) > 3 for word in part) < 2:
        yield part


# -- where a word stands


def _opens(text: str, start: int) -> bool:
    """Whether a sentence, a line, a cell or what somebody says starts at a place."""
    at = start - 1
    low = max(-1, at - _LOOKED_BACK)
    while at > low and text[at] in _SKIPPED:
        at -= 1
    if at < 0 or at == low:
        return True
    last = text[at]
    if last in _ENDS:
        return last != "." or not text[max(0, at - 4) : at].casefold().endswith(_UNENDED)
    if last == ",":
        return text[start - 1] in _QUOTES
    if last == ")":
        return text[at - 1 : at].isdigit() and at > 1 and text[at - 2] in "\n \0123456789"
    if last == "]":
        return text[max(0, at - 2) : at] in ("[x", "[X", "[ ")
    return last > "\u2190" and unicodedata.category(last) in ("So", "Mn", "Sk")


def _line(text: str, at: int) -> _Line:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    line = text[start:end]
    shouted = line.isupper() and sum(1 for _ in zip(_SHOUTED.finditer(line), range(2), strict=False)) > 1
    return _Line(start, end, shouted, _is_titled(line))


_SHOUTED = re.compile(rf"[{_UPPER}]{{2,}}|\b[AI]\b")


def _is_titled(line: str) -> bool:
    """Whether a line is a heading in title case of three words and more, which says nothing of where a name in it begins."""
    heading = _HEADING.match(line)
    if heading is None:
        return False
    words = _HEADING_WORD.findall(line, heading.end())
    return len(line.split()) > 3 and len(words) > 1 and all(word[0].isupper() for word in words)


def _is_german(text: str, runs: list[_Run]) -> bool:
    lone = sum(1 for run in runs if len(run.words) == 1 and not run.words[0].opens)
    return lone > 1 and len(set(_GERMAN.findall(text[:20_000]))) > 3
