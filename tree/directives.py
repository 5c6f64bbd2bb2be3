"""Directives: what a user tells an agent as a rule for good, such as `Never push to main` and `以后都用中文回答`.

What is asked for once is none. A wish for how the agent talks (`please be brief`) counts without a word such as `always`, but not
in a message that asks for an answer or a text: there it is said of that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

_CLAUSES = 20
_FEWEST = 2  # letters or digits that follow the first words of a rule
_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile("[a-z]")


class Found(NamedTuple):
    """Where a directive begins in a levelled sentence. `bare`: only that it is about talking says that it is meant for good.

    `polite`: it is put as a question.
    """

    at: int
    bare: bool
    polite: bool = False


class _Language(NamedTuple):
    letters: re.Pattern[str]
    may: re.Pattern[str]
    standing: re.Pattern[str]
    talk: re.Pattern[str]
    lead: re.Pattern[str]
    clause: re.Pattern[str]
    for_good: re.Pattern[str]
    once: re.Pattern[str]
    once_before: re.Pattern[str]
    anothers: re.Pattern[str]
    asks_for: re.Pattern[str]
    request: re.Pattern[str] | None = None  # what stands before an `and`


def directive(level: str) -> Found | None:
    """The directive in a sentence as `levelled` makes it, None where there is none."""
    polite = _polite(level)
    if level.endswith("?") and not polite:
        return None
    level = level.rstrip("? ")
    for language in _languages():
        if language.letters.search(level) and language.may.search(level):
            found = _found(level, language)
            if found is not None:
                return Found(found.at, found.bare and not polite, polite)
    return None


def asks_for_text(level: str) -> bool:
    """Whether a sentence asks for an answer or a text, or for work to be done."""
    return any(language.letters.search(level) and language.asks_for.match(level) for language in _languages())


def _found(level: str, language: _Language) -> Found | None:
    for at in _starts(level, language):
        for pattern, bare in ((language.standing, False), (language.talk, True)):
            found = pattern.match(level, at)
            if found is None:
                continue
            if language.once.search(level, at) or (at and (language.once_before.match(level) or _by_others(level[:at]))):
                return None
            if bare and at and asks_for_text(level[:at]):
                return None
            if bare or sum(char.isalnum() for char in level[at:]) > _FEWEST:
                return Found(at, bare and language.for_good.search(level) is None)
    return None


def _by_others(before: str) -> bool:
    return any(language.anothers.search(before) for language in _languages())


def _starts(level: str, language: _Language) -> Iterator[int]:
    """Where a clause begins, and where it does after words that only lead to it."""
    begin = 0
    for start, joined in ((0, False), *((cut.end(), cut[0] == " ") for cut in islice(language.clause.finditer(level), _CLAUSES))):
        if joined and language.request is not None and language.request.match(level, begin) is None:
            continue
        yield start
        begin = start
        lead = language.lead.match(level, start)
        if lead is not None and lead.end() > start:
            begin = lead.end()
            yield begin


def _polite(level: str) -> bool:
    if "you " not in level:
        return False
    from memtree.tree import directive_words as words

    return words.POLITE.match(level) is not None and words.POLITE_ENDS.search(level) is not None


# The patterns are compiled when the first sentence is judged: few programs come to it, and it takes a while.
@lru_cache(maxsize=1)
def _languages() -> tuple[_Language, _Language]:
    from memtree.tree import directive_words as words

    english = _Language(
        _LATIN,
        words.MAY,
        _compiled(words.STANDING),
        _compiled(words.TALK),
        words.LEAD,
        words.CLAUSE,
        words.FOR_GOOD,
        words.ONCE,
        words.ONCE_BEFORE,
        words.ANOTHERS,
        words.ASKS_FOR,
        words.REQUEST,
    )
    chinese = _Language(
        _CJK,
        words.MAY_ZH,
        _compiled(words.STANDING_ZH),
        _compiled(words.TALK_ZH),
        words.LEAD_ZH,
        words.CLAUSE_ZH,
        words.FOR_GOOD_ZH,
        words.ONCE_ZH,
        words.ONCE_BEFORE_ZH,
        words.ANOTHERS_ZH,
        words.ASKS_FOR_ZH,
    )
    return english, chinese


def _compiled(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
