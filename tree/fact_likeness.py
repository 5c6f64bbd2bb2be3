"""How a new statement stands to an old one: the same, more of it, against it, or another.

    I have lived here for 5 years  /  I have lived here for 6 years    contradicts
    I like tea                     /  I don't like tea                 contradicts
    I live in Berlin               /  I live in Berlin with my sister  refines
    I live in Berlin               /  I moved to Paris                 contradicts (one home at a time)
    I like tea                     /  I like coffee                    different

Precision comes first. Statements are the same only where their keys are (`fact_key`), or where both put the same value into one
slot; a number, a date, a negation or a limit that differs is never the same. They are against one another only where they say one
thing with one part of it turned round, or where their slot holds one value at a time.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

from memtree.tree.fact_key import MARK, USER, fact_key, key_words, statement_words
from memtree.tree.fact_key_words import (
    AFTER_NAMES,
    ASIDE,
    CIRCUMSTANCES,
    CONNECTORS,
    DATES,
    DISLIKES,
    HABITS,
    HAN_CIRCUMSTANCES,
    HAPPENED,
    LIKES,
    LIMITS,
    MEASURED,
    NEGATIONS,
    NUMBER,
    NUMBERED,
    OPPOSITES,
    RESTRICTIVE,
    UNSURE,
    WEAK_NOTS,
    WHICH,
)
from memtree.tree.fact_people import LEAD_IN
from memtree.tree.fact_slot_vocabulary import COUNTRIES
from memtree.tree.fact_slots import Located, is_single, located
from memtree.tree.near_duplicate import near_duplicate
from memtree.tree.retraction import retraction
from memtree.tree.word_forms import HAN

__all__ = ["Likeness", "fact_key", "likeness", "retraction"]

Words = tuple[str, ...]
_HAN = re.compile(f"[{HAN}]")
# Whoever works at the office has it for the place of work.
_AT_WORK = re.compile(r"(?<!work )(?<!works )(?<!working )(?<!study )\b(?:at|for) (work|home|school|office)\b")
_MONTH = re.compile(r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}")


class Likeness(enum.StrEnum):
    """What a new statement is to an old one. An old one that says more than the new one is DIFFERENT: ask the other way round."""

    SAME = "same"
    REFINES = "refines"
    CONTRADICTS = "contradicts"
    DIFFERENT = "different"


def likeness(old: str, new: str) -> Likeness:
    """How `new` stands to `old`. SAME is symmetric."""
    one, two = key_words(old), key_words(new)
    if one == two or near_duplicate(old, new):
        return Likeness.SAME
    here, there = located(old), located(new)
    if here.place.subject != there.place.subject or ("?" in one) != ("?" in two):
        return Likeness.DIFFERENT
    taken_back = retraction(new)
    if taken_back is not None:
        return Likeness.CONTRADICTS if _takes_back(taken_back, old) else Likeness.DIFFERENT
    if _of_two(one, two) or _otherwise_set(old, new, one, two):
        return Likeness.DIFFERENT
    return _turned(one, two) or _denied(old, new) or _more(old, new) or _in_one_slot(here, there, one, two)


def _takes_back(statement: str, old: str) -> bool:
    """Whether what is taken back is what the old statement says, or what it begins with."""
    gone, held = key_words(statement), key_words(old)
    if gone == held or _grows(gone, held) or _grows(held, gone):
        return True
    here, there = located(statement), located(old)
    return here.place == there.place and bool(here.value) and _within(key_words(here.value), key_words(there.value))


# -- two things, or two circumstances


def _of_two(one: Words, two: Words) -> bool:
    """Whether statements name two things of one kind: my older son, my younger son."""
    here, there = ({word for at, word in enumerate(words[:5]) if word in WHICH and at + 1 < len(words)} for words in (one, two))
    return bool(here) and bool(there) and here != there


def _otherwise_set(old: str, new: str, one: Words, two: Words) -> bool:
    """Whether both tell when or where they are so, and another time or place each: in summer, in winter; at work, at home."""
    here, there = _circumstances(old, one), _circumstances(new, two)
    return bool(here) and bool(there) and here != there


def _circumstances(text: str, words: Words) -> frozenset[str]:
    found = {word.removesuffix("s") for word in words if word in CIRCUMSTANCES}
    placed = " ".join(words[:60])
    return frozenset(found | {*_AT_WORK.findall(placed)} | {*HAN_CIRCUMSTANCES.findall(text[:400])})


# -- one statement with a part turned round


def _turned(one: Words, two: Words) -> Likeness | None:
    """Of two statements that are one but for negations, numbers, dates, limits or a pair of opposites; None for others."""
    if _bare(one) == _bare(two):
        if _denials(one) != _denials(two):
            return Likeness.CONTRADICTS
        return Likeness.REFINES if "never" in two and "never" not in one else Likeness.DIFFERENT
    tasted = _tasted(one, two)
    if tasted is not None:
        return tasted
    if len(one) != len(two):
        return None
    differing = [(x, y) for x, y in zip(one, two, strict=True) if x != y]
    if len(differing) == 1 and frozenset(differing[0]) in OPPOSITES:
        return Likeness.CONTRADICTS
    kinds = {
        _kind_at(one, at) if _kind_at(one, at) == _kind_at(two, at) else ""
        for at, (x, y) in enumerate(zip(one, two, strict=True))
        if x != y
    }
    if "" in kinds:
        return None
    if any(x != y and _names(one, at) for at, (x, y) in enumerate(zip(one, two, strict=True))):
        return None
    return Likeness.DIFFERENT if kinds == {"date"} and (HAPPENED | HABITS) & {*one} else Likeness.CONTRADICTS


def _denied(old: str, new: str) -> Likeness | None:
    """Of a new statement whose first clause denies that of the old one, whatever either goes on to say; None for others."""
    one, two = _first_clause(old), _first_clause(new)
    if len(_bare(one)) > 2 and _bare(one) == _bare(two) and _denials(one) != _denials(two):
        return Likeness.CONTRADICTS
    return None


def _first_clause(text: str) -> Words:
    lead = LEAD_IN.match(text)
    words = statement_words(text if lead is None else text[lead.end() :])
    return words[: words.index(MARK)] if MARK in words else words


def _names(words: Words, at: int) -> bool:
    """Whether the number there names a thing, as in `house 12`, and does not say how much: two houses are two facts."""
    if _kind(words[at]) != "number":
        return False
    if at == 1 and words[0] != USER and words[0].isalpha() and words[0] not in MEASURED:
        return True  # option 1, server 2
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else MARK
    if before in NUMBERED or (after == "号" and before != "月"):
        return True
    if before in MEASURED or _kind(before):
        return False
    return after in CONNECTORS or after in AFTER_NAMES or bool(_kind(after))


def _bare(words: Words) -> Words:
    return tuple(word for word in words if word not in NEGATIONS and word not in WEAK_NOTS)


def _denials(words: Words) -> int:
    return sum(word in NEGATIONS for word in words) % 2


def _kind(word: str) -> str:
    """What sort of detail a word is, '' for none."""
    if DATES.fullmatch(word):
        return "date"
    if NUMBER.fullmatch(word):
        return "number"
    return "limit" if word in LIMITS else ""


def _kind_at(words: Words, at: int) -> str:
    """The same in its place: a number beside a month is a part of a date."""
    kind = _kind(words[at])
    beside = (*words[max(0, at - 1) : at], *words[at + 1 : at + 2])
    return "date" if kind == "number" and any(word in ("月", "日", "号") or _MONTH.fullmatch(word) for word in beside) else kind


def _tasted(one: Words, two: Words) -> Likeness | None:
    """Of two statements that differ in nothing but how something is liked; None for others."""
    likings = [sum(1 if word in LIKES else -1 if word in DISLIKES else 0 for word in words) for words in (one, two)]
    if not all(likings):
        return None
    rest = [tuple("~" if word in LIKES or word in DISLIKES else word for word in _bare(words)) for words in (one, two)]
    if rest[0] != rest[1]:
        return None
    signs = [(1 if liking > 0 else -1) * (-1 if _denials(words) else 1) for liking, words in zip(likings, (one, two), strict=True)]
    return Likeness.REFINES if signs[0] == signs[1] else Likeness.CONTRADICTS


# -- the old statement and more


def _more(old: str, new: str) -> Likeness | None:
    """Of a new statement that begins with the old one, or is the old one within limits; None for others."""
    one, two = statement_words(old), statement_words(new)
    if _grows(one, two):
        return _grown(two[len(one) :])
    within = tuple(word for word in two if word not in RESTRICTIVE)
    if len(within) < len(two) and (within == one or _grows(one, within)):
        return Likeness.CONTRADICTS
    return None


def _grows(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether a statement begins with another one, and then goes on with something of its own."""
    size = len(one)
    return 0 < size < len(two) and tuple(two[:size]) == tuple(one) and (two[size] in CONNECTORS or bool(_kind(two[size])))


def _grown(rest: Words) -> Likeness:
    first = rest[1] if rest[0] == MARK and len(rest) > 1 else rest[0]
    if first in RESTRICTIVE:
        return Likeness.CONTRADICTS
    aside = rest[0] == MARK or rest[0] in ("but", "and", "because", "so", "但", "但是", "因为", "所以", "并", "而且")
    if not aside and (NEGATIONS | UNSURE) & {*rest}:
        return Likeness.DIFFERENT
    return Likeness.REFINES


# -- two values of one slot


def _in_one_slot(here: Located, there: Located, one: Words, two: Words) -> Likeness:
    """Of two statements in one slot that holds a single value: by their values."""
    if here.place != there.place or not is_single(here.place.slot):
        return Likeness.DIFFERENT
    was, now = key_words(here.value), key_words(there.value)
    if not was or not now:
        return Likeness.DIFFERENT
    if was == now:
        return Likeness.SAME if _details(one) == _details(two) else Likeness.DIFFERENT
    if {*was} <= {*now}:
        extra = {*now} - {*was}
        return Likeness.DIFFERENT if extra & (NEGATIONS | UNSURE) else Likeness.REFINES
    if _head(was) and _head(was) == _head(now):
        return Likeness.DIFFERENT  # in Berlin with my sister, in Berlin near the harbour
    if {*now} <= {*was} or (_may_be_one(here.place.slot, was, now) and not _CHANGES & {*two}):
        return Likeness.DIFFERENT
    return Likeness.CONTRADICTS


def _head(value: Words) -> Words:
    """A value up to what it goes on with, () for one that does not."""
    at = next((at for at, word in enumerate(value) if word in ASIDE), 0)
    return value[:at]


# Words that say that something is not what it was.
_CHANGES = frozenset(
    ("moved", "relocated", "move", "settled", "switched", "changed", "joined", "started", "became", "搬", "改", "换", "入", "跳")
)


def _may_be_one(slot: str, was: Words, now: Words) -> bool:
    """Whether two values may be one, told in another language or less exactly."""
    if slot == "environment.home" and _in_land(was) != _in_land(now):
        return True
    return _in_han(was) is not None and _in_han(now) is not None and _in_han(was) != _in_han(now)


def _in_han(words: Words) -> bool | None:
    """Whether a value is in Chinese, None for one without a letter."""
    text = "".join(words)
    return True if _HAN.search(text) else False if any(char.isalpha() for char in text) else None


def _in_land(words: Words) -> bool:
    """Whether a home is told as a country only: a town may lie in it."""
    return " ".join(words) in COUNTRIES or "".join(words) in COUNTRIES


def _details(words: Words) -> tuple[str, ...]:
    return tuple(word for word in words if word in NEGATIONS or _kind(word))


def _within(one: Words, two: Words) -> bool:
    """Whether the words stand in another statement, in their order."""
    rest = iter(word for word in two if word != USER)
    return all(word in rest for word in one if word != USER)
