"""Personal data in a text: finding cards, accounts, numbers of persons, phones and mail addresses, and taking them out.

A number stays one when its digits are written wide, or in the digits of another script, or with characters between them that
nobody sees: the text is folded for the search, and what is replaced is the original. Of hits that overlap the earliest counts, of
those that begin alike the longest.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from memtree.tree.pii_rules import LONGEST, RULES, PiiClass, PiiRule

# Runs of digits that some rule can begin with. Most others, years, counts, times and pieces of hashes, are passed over here.
_AFTER_WORD = "|".join(f"(?<=(?<![A-Za-z0-9])[A-Za-z]{{{count}}}.)" for count in range(1, 7))
_GROUPS = "[0-9]{0,2}(?=[ .()/-]{1,2}[0-9])|[0-9]{3}(?=[ -][0-9]{3})|(?<=[+(].)[0-9]{0,4}(?=[ .()/-]{1,2}[0-9])"
_RUNS = re.compile(rf"[0-9](?:(?<![A-Za-z0-9].)(?<![0-9][.-].)(?:[0-9]{{5,}}|{_GROUPS})|(?:{_AFTER_WORD})[0-9]*)")
_UNSEEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]")
_ESCAPED_BREAK = re.compile(r"\\[nrt]")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzñÑ")

_WORD = "A-Za-z0-9\u00c0-\u024f\u0370-\u03ff\u0400-\u052f"  # letters of scripts that put spaces between words
_LOCAL = re.compile(rf"[{_WORD}_+](?:[{_WORD}_.+'-]{{0,62}}[{_WORD}])?")  # read backwards
_DOMAIN = re.compile(
    rf"@((?:[{_WORD}](?:[{_WORD}-]{{0,61}}[{_WORD}])?\.){{1,8}}(?:xn--[A-Za-z0-9-]{{2,40}}|[^\W\d_]{{2,24}}))(?![{_WORD}])"
)
_LONGEST_LOCAL = 64
_CHATS = ("c.us", "g.us", "s.whatsapp.net")
_IMAGE = re.compile(r"[0-9]x\.[a-z0-9]{2,4}", re.IGNORECASE)  # icon@2x.png


@dataclass(frozen=True, slots=True)
class Personal:
    """Where in a text personal data of a class stands, in characters."""

    kind: PiiClass
    start: int
    end: int


def find_pii(text: str, kinds: frozenset[PiiClass]) -> list[Personal]:
    """The personal data of some classes in a text, in order, none overlapping another."""
    folded = _Folded.of(text)
    starts = _starts(kinds - {PiiClass.EMAIL})
    found = list(_numbers(folded.text, starts)) if starts else []
    if PiiClass.EMAIL in kinds:
        found += _addresses(folded.text)
    found.sort(key=lambda one: (one.start, -one.end))
    return [Personal(one.kind, *folded.place(one.start, one.end)) for one in _apart(found)]


def without_pii(text: str, kinds: frozenset[PiiClass]) -> str:
    """The text with each hit replaced by the name of its class."""
    # Again, because a number can be seen as one only when what stood beside it is gone.
    while kinds and (found := find_pii(text, kinds)):
        parts, at = [], 0
        for one in found:
            parts += [text[at : one.start], stand_in(one.kind)]
            at = one.end
        text = "".join((*parts, text[at:]))
    return text


def stand_in(kind: PiiClass) -> str:
    """What is written where personal data stood."""
    return f"[personal: {kind.value}]"


class _Fold(dict[int, str]):
    """What each character counts as: digits of every script, wide letters, dashes and spaces as their plain ones."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        plain = char
        if code >= 0x80:
            digit = unicodedata.decimal(char, None)
            category = unicodedata.category(char)
            if digit is not None:
                plain = str(digit)
            elif 0xFF01 <= code <= 0xFF5E:
                plain = chr(code - 0xFEE0)
            elif category == "Zs" or category == "Pd" or code == 0x2212:
                plain = " " if category == "Zs" else "-"
        self[code] = plain
        return plain


_FOLD = _Fold()


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text as it is searched, and the places of what was left out of it, each less the number of those before it."""

    text: str
    left_out: tuple[int, ...] = ()

    @classmethod
    def of(cls, text: str) -> _Folded:
        left_out: tuple[int, ...] = ()
        folded = text
        if not text.isascii():
            left_out = tuple(found.start() - before for before, found in enumerate(_UNSEEN.finditer(text)))
            folded = (_UNSEEN.sub("", text) if left_out else text).translate(_FOLD)
        if "\\" in folded:
            # In the text of JSON a number at the start of a line stands behind a letter.
            folded = _ESCAPED_BREAK.sub("\n\n", folded)
        return cls(folded, left_out)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original that a stretch of the folded text stands for."""
        if not self.left_out:
            return start, end
        return start + bisect_right(self.left_out, start), end + bisect_right(self.left_out, end - 1)


_Starts = Mapping[str, tuple[tuple[PiiRule, ...], ...]]  # by what stands before, by how many digits the first run has


@cache
def _starts(kinds: frozenset[PiiClass]) -> _Starts:
    wanted = [rule for rule in RULES if rule.kind in kinds]
    if not wanted:
        return {}
    groups = {"A": "A", " ": " ", "+": "+ ", "(": "( "}
    return {
        before: tuple(
            tuple(rule for rule in wanted if rule.before in asked and count in rule.first) for count in range(LONGEST + 1)
        )
        for before, asked in groups.items()
    }


def _numbers(text: str, starts: _Starts) -> Iterator[Personal]:
    after_letter, after_other, after_plus, after_paren = (starts[before] for before in "A +(")
    for run in _RUNS.finditer(text):
        at = run.start()
        before = text[at - 1] if at else " "
        if before in _LETTERS:
            rules = after_letter
        elif before == "+":
            rules = after_plus
        elif before == "(":
            rules = after_paren
        else:
            rules = after_other
        for rule in rules[min(run.end() - at, LONGEST)]:
            match = rule.match(text, at)
            if match:
                yield Personal(rule.kind, *match.span())


def _addresses(text: str) -> Iterator[Personal]:
    at = text.find("@")
    while at >= 0:
        domain = _DOMAIN.match(text, at)
        if domain and not _IMAGE.fullmatch(domain[1]):
            # Read backwards, for it ends at the sign and begins where something else stands.
            local = _LOCAL.match(text[max(at - _LONGEST_LOCAL, 0) : at][::-1])
            if local and not _is_other(text, at - local.end(), at, domain.end()):
                yield Personal(PiiClass.EMAIL, at - local.end(), domain.end())
        at = text.find("@", at + 1)


def _is_other(text: str, start: int, at: int, end: int) -> bool:
    """Whether it says who logs in where (`ssh://ada@host`, `git@github.com:a/b`), or is the id of a chat (`1203630@g.us`)."""
    if text[max(start - 3, 0) : start] == "://" or (text[start:at] == "git" and text[end : end + 1] in (":", "/")):
        return True
    return text[at + 1 : end] in _CHATS and text[start:at].replace("-", "").isdecimal()


def _apart(found: Iterable[Personal]) -> Iterator[Personal]:
    """The hits, sorted, without those that begin inside another."""
    end = 0
    for one in found:
        if one.start >= end:
            yield one
            end = one.end
