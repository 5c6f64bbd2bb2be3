"""Word forms: English and Chinese words and phrases that stand for one another in a statement, whatever else it says.

A table of few, sure cases. What only nearly means the same (should and must, never and do not, a noun and its plural) is left
out on purpose: two statements that differ in it are two.
"""

from __future__ import annotations

import re

_VERBS = ("prefer", "like", "use", "want", "need", "hate", "dislike", "love", "enjoy", "avoid", "live", "work", "speak")
# What a statement about the user may begin with, so that the subject is not said.
OF_THE_USER = frozenset({*(f"{verb}s" for verb in _VERBS), "does", "doesn't", "has"})

# One word for another. Names in their short form, spellings, the third person of the verbs above.
WORDS = {f"{verb}s": verb for verb in _VERBS} | {
    "are": "is",
    "am": "is",
    "does": "do",
    "has": "have",
    "i": "user",
    "me": "user",
    "my": "user's",
    "utilize": "use",
    "utilise": "use",
    "utilizes": "use",
    "utilises": "use",
    "repo": "repository",
    "repos": "repositories",
    "docs": "documentation",
    "config": "configuration",
    "db": "database",
    "app": "application",
    "apps": "applications",
    "prod": "production",
    "js": "javascript",
    "ts": "typescript",
    "k8s": "kubernetes",
    "postgres": "postgresql",
    "e-mail": "email",
    "favourite": "favorite",
    "colour": "color",
    "colours": "colors",
    "grey": "gray",
    "licence": "license",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}
PHRASES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("have", "to"), ("must",)),
    (("rather", "than"), ("instead", "of")),
    (("as", "well", "as"), ("and",)),
)
DROPPED = frozenset({"a", "an", "the", "please"})
# In capitals another word than in small letters.
NAMES_IN_CAPITALS = frozenset({"US", "IT", "WHO"})

_NOT = {"ca": "can", "wo": "will", "sha": "shall", "does": "do", "are": "is"}
_ENDS = {"'m": "is", "'re": "is", "'ve": "have", "'ll": "will"}
_IS = frozenset({"it's", "that's", "there's", "he's", "she's", "what's", "here's", "who's", "where's"})


def spelled_out(word: str) -> tuple[str, ...]:
    """A word in small letters as the words that it is short for, each in the form of the table."""
    if word == "cannot":
        return "can", "not"
    if "'" not in word:
        return (WORDS.get(word, word),)
    if word.endswith("n't"):
        stem = word[:-3]
        return _NOT.get(stem, stem), "not"
    if word in _IS:
        return word[:-2], "is"
    for end, full in _ENDS.items():
        if word.endswith(end):
            stem = word.removesuffix(end)
            return WORDS.get(stem, stem), full
    return (WORDS.get(word, word),)


_CLAUSES = frozenset({"before", "after", "until", "since", "if", "when", "whenever", "while", "unless", "because", "except"})
_PLACES = frozenset({"on", "at", "in", "for", "during", "with", "without", "by", "from", "under", "over", "through", "via", "to"})
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# What begins a phrase that may stand in front of a sentence or at its end.
OPENERS = _CLAUSES | _PLACES
# With one of these in the rest, what a phrase belongs to depends on where it stands.
BINDERS = _CLAUSES | {"and", "or", "but", "then", "that", "which", "who", "whose", "where", "so", "than"}
TIMES = frozenset({*_DAYS, *(f"{day}s" for day in _DAYS), "weekdays", "weekends"})
# A comma behind one of these makes another statement of it.
ANSWERS = frozenset({"no", "not", "yes", "never", "不", "否", "别", "没", "有", "是", "好", "对", "要"})

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_IF, _BINDS = "如果|因为|除非", "再|然后|并|或|但"
_TIME = "每?周[一二三四五六日]|每天|周末|工作日"
# In this order. `使用` is `用`, but `不使用` (does not use) is not `不用` (need not), nor does `使用户` have a `用` in it.
CHINESE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), with_what)
    for pattern, with_what in (
        (r"\A请(?![假求教客])", ""),
        (r"(?<![不别勿没未])[使采]用(?!户)", "用"),
        (r"(?:星期|礼拜)(?=[一二三四五六日天])", "周"),
        (r"周天", "周日"),
        (r"每日", "每天"),
        (r"务必", "必须"),
        (r"的时候", "时"),
        (r"而非", "而不是"),
        (r"偏好|偏爱", "更喜欢"),
        (r"喜爱", "喜欢"),
        (r"由于", "因为"),
        (r"(?:(?<=\A)|(?<=,))(?:若(?!干)|假如|倘若)", "如果"),
        (r"目前|当前", "现在"),
        (r"以及|与", "和"),
        (r"\A我(?!们)", "用户"),
        (r"\A用户(?=更喜欢|喜欢|不喜欢|讨厌|希望|住在)", ""),
        (rf"\A(我们|用户|团队|他们|她们|他|她)({_TIME})", r"\2\1"),
        (r"的", ""),
        (rf"\A((?:{_IF})[^,。;]+),(?:所以|那么|则)?(?![^,]*(?:{_BINDS}|{_IF}))([^,。;]+)\Z", r"\2,\1"),
    )
)
