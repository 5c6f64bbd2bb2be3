"""Chinese names: persons, places and organisations in Chinese text, by a dictionary that knows the parts of speech, and by form.

By form are found: `《titles》`, brands, a surname before a title (`王老师`), `小` or `老` before a surname. Of what the dictionary
calls a name, that is kept which has a surname or is spelled as foreign names are, and is no everyday word; its other kinds (`nz`)
name mostly things and are not used. Where two overlap the earlier one counts, of those that begin alike the longer.

The dictionary is loaded when the first Chinese text comes (0.2 s), once for all threads. Japanese and Korean lines are left alone:
their Chinese characters mean nothing to it. It reads at most 1,000 characters at once, so any text costs what its length costs.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from memtree.indexers.chinese_words import (
    BRANDS,
    COMPOUND_SURNAMES,
    HEADS,
    LEADING,
    NO_ORGANISATIONS,
    NO_PERSONS,
    NO_PLACES,
    ORGANISATION_ENDS,
    PLAIN_SURNAMES,
    SOUNDS,
    SURNAMES,
    TITLED_SURNAMES,
    TITLES,
    TRAILING,
)
from memtree.tree.entity import EntityKind, Mention, entity

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_DOTS = "\u00b7\u2022\u2027\u30fb"
_ANY_HAN = re.compile(f"[{_HAN}]")
_RUN = re.compile(f"[{_HAN}][{_HAN}{_DOTS}]{{1,999}}")
_OTHERS = re.compile("[\u3041-\u3096\u30a1-\u30fa\uac00-\ud7af]")

_BOOK = re.compile("《([^《》\n]{1,40})》")
_BRAND = re.compile("|".join(sorted(BRANDS, key=len, reverse=True)))
_TITLED = re.compile(f"[{TITLED_SURNAMES}](?:{TITLES.removesuffix('|总')}|总(?=[说今明昨后在和跟要让给，。,.！!？?、：:\\s]|\\Z))")
_FAMILIAR = re.compile(f"[小老][{PLAIN_SURNAMES}](?![子女国后朝])")

_PERSON = frozenset({"nr", "nrt", "nrfg"})
_SAYING = frozenset("说问道想")

_Span = tuple[int, int]
_PLACE_ENDS = frozenset("省市县区镇乡村路街道河湖山江岛州湾港")
_LOADING = threading.Lock()


class _Dictionary(NamedTuple):
    """`tag` cuts a text into words with their parts of speech, `knows` tells whether a word was not only guessed."""

    tag: Callable[[str], list[tuple[str, str]]]
    knows: Callable[[str], bool]


def chinese_mentions(text: str) -> list[Mention]:
    """The names in a text's Chinese lines, by their start and apart. Loads nothing for a text without Chinese characters."""
    if text.isascii() or _ANY_HAN.search(text) is None:
        return []
    dictionary = _dictionary()
    spans: list[_Span] = []
    at = 0
    for line in text.split("\n"):
        if not line.isascii() and not _OTHERS.search(line):
            spans += ((at + start, at + end) for start, end in _in_line(line, dictionary))
        at += len(line) + 1
    return list(_mentions(text, spans))


def _mentions(text: str, spans: list[_Span]) -> Iterator[Mention]:
    for start, end in spans:
        found = entity(EntityKind.NAME, text[start:end])
        if found is not None:
            yield Mention(found, text[start:end], start, end)


def _in_line(line: str, dictionary: _Dictionary) -> list[_Span]:
    spans = [found.span(1) for found in _BOOK.finditer(line) if _ANY_HAN.search(found[1])]
    for form in (_BRAND, _TITLED, _FAMILIAR):
        spans += (found.span() for found in form.finditer(line))
    for run in _RUN.finditer(line):
        spans += ((run.start() + start, run.start() + end) for start, end in _tagged(dictionary.tag(run[0]), dictionary.knows))
    chosen: list[_Span] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not chosen or start >= chosen[-1][1]:
            chosen.append((start, end))
    return chosen


def _tagged(words: list[tuple[str, str]], knows: Callable[[str], bool]) -> Iterator[_Span]:
    """Yield where names stand among tagged words."""
    at = number = 0
    while number < len(words):
        word, kind = words[number]
        following = words[number + 1 : number + 3]
        used = 1
        if len(following) == 2 and following[0][0] in _DOTS:
            start = _foreign_start(word)
            length = len(word)
            while number + used + 1 < len(words) and words[number + used][0] in _DOTS:
                length += len(words[number + used][0]) + len(words[number + used + 1][0])
                used += 2
            yield at + start, at + length
        elif following and _is_one_name(word, kind, *following[0]):
            used = 2
            yield at, at + len(word) + len(following[0][0])
        elif len(word) == 1 and kind in _PERSON and word in SURNAMES and following and _is_saying(following[0][0]):
            yield at, at + 2
        else:
            yield from ((at + start, at + end) for start, end in _name(word, kind, knows))
        at += sum(len(one) for one, _ in words[number : number + used])
        number += used


def _is_one_name(word: str, kind: str, following: str, its_kind: str) -> bool:
    """Whether two words are one name: a surname of two signs and what is given, a place and what stands there."""
    if word in COMPOUND_SURNAMES:
        return len(following) < 3 and its_kind[0] == "n"
    return kind == "ns" and following in HEADS


def _is_saying(word: str) -> bool:
    return len(word) == 2 and word[1] in _SAYING


def _foreign_start(word: str) -> int:
    return 1 if len(word) > 2 and word[0] in LEADING else 0


def _name(word: str, kind: str, knows: Callable[[str], bool]) -> Iterator[_Span]:
    """Yield what of a word is a name, if anything."""
    if kind in _PERSON:
        start, end = 0, len(word)
        if end > 2 and word[0] in LEADING and (word[1] in SURNAMES or SOUNDS.issuperset(word[1:])):
            start = 1
        if end - start == 3 and word[start] in SURNAMES and word[end - 1] in TRAILING:
            end -= 1
        if _is_person(word[start:end], kind):
            yield start, end
    elif _is_place(word, kind, knows) or (
        kind == "nt" and len(word) > 2 and word[-1] in ORGANISATION_ENDS and word not in NO_ORGANISATIONS
    ):
        yield 0, len(word)


def _is_place(word: str, kind: str, knows: Callable[[str], bool]) -> bool:
    return kind == "ns" and len(word) > 1 and word not in NO_PLACES and (word[-1] in _PLACE_ENDS or knows(word))


def _is_person(word: str, kind: str) -> bool:
    if not 1 < len(word) < 9 or word in NO_PERSONS:
        return False
    if word[:2] in COMPOUND_SURNAMES:
        return 2 < len(word) < 5
    if word[0] in SURNAMES and len(word) < 4:
        return True
    if word[0] in "小老阿" and len(word) < 4:
        return True
    return (kind == "nrt" or len(word) > 2) and SOUNDS.issuperset(word)


def _dictionary() -> _Dictionary:
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> _Dictionary:
    import rjieba

    rjieba.tag("名字")  # the dictionary is read at the first word
    return _Dictionary(rjieba.tag, rjieba.has_word)
