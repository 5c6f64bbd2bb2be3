"""What kind of event a sentence tells, by its words alone, and which part of it.

A sentence is looked at clause by clause: a pattern counts where a clause begins, where nothing before it makes it a question, a
condition or another's words, and where something is said after it. Better no event than a wrong one.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from types import ModuleType
from typing import NamedTuple

from memtree.tree.directives import directive

_LONGEST = 1_200  # characters of a sentence that are looked at
_CLAUSES = 40
_SHORTEST = 3  # characters

_CODE = re.compile(r"`[^`]{1,400}`")
_QUOTED = re.compile(
    r"“[^“”]{1,400}”|「[^「」]{1,400}」|『[^『』]{1,400}』|\"[^\"]{1,400}\"|(?<!\w)'(?!\s)(?:[^']|(?<=\w)'(?=\w)){2,300}'(?!\w)"
)
_QUOTES = re.compile(r"[“\"「『]|(?<!\w)'")
_HIDDEN = re.compile(r"\[(?:secret|personal|redacted|forgotten)\b[^\[\]]{0,100}\]", re.IGNORECASE)
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "´": "'", "ʼ": "'"})
_TRAILING = " .。!！~～…"
_NAMED = re.compile(r"(?:call|address|refer to) me ")
_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile("[a-z]")
# Ways to write one thing, so that the patterns need to know one of them.
_PLAIN = {
    "im": "i'm",
    "i've": "i have",
    "ive": "i have",
    "we've": "we have",
    "weve": "we have",
    "i am": "i'm",
    "i am not": "i'm not",
    "we are": "we're",
    "i will": "i'll",
    "we will": "we'll",
    "i will not": "i won't",
    "we will not": "we won't",
    "wont": "won't",
    "ill": "i'll",
    "i would": "i'd",
    "id": "i'd",
    "lets": "let's",
    "let us": "let's",
    "dont": "don't",
    "do not": "don't",
    "cant": "can't",
    "cannot": "can't",
    "can not": "can't",
    "doesnt": "doesn't",
    "does not": "doesn't",
    "isnt": "isn't",
    "is not": "isn't",
}
_SPELLINGS = re.compile(
    r"(?<![a-z0-9_'-])(?:im|i'?ve|we'?ve|i am|we are|i will not|we will not|i will|we will|wont|i would|lets|let us|dont|do not"
    r"|cant|cannot|can not|doesnt|does not|isnt|is not|ill(?= (?:do|be|use|go|take|write|fix|make|send|check|add|finish|try|move"
    r"|switch|start|never|always|have|get)(?![a-z]))|id(?= (?:prefer|rather|like|love)))(?![a-z0-9_'])"
)
_SPLIT = re.compile(r"[,，;；—–]+|\s-+\s|\.{2,}|…+")


class EventClass(enum.StrEnum):
    """What an event is, the weightiest first: a sentence that could be two is the first of them."""

    DECISION = "decision"
    COMMITMENT = "commitment"
    PREFERENCE = "preference"
    FACT = "fact"


class Told(NamedTuple):
    """What a sentence tells: the kind, and the part that says it, as it was written.

    `bare`: a wish for how the agent talks, which is meant for good only where nothing else is asked for.
    """

    kind: EventClass
    text: str
    bare: bool = False


@dataclass(frozen=True, slots=True)
class _Rule:
    """One kind's patterns in one language; `first`: they count only where the sentence begins."""

    kind: EventClass
    pattern: re.Pattern[str]
    first: bool = False


@dataclass(frozen=True, slots=True)
class _Language:
    """The patterns of a language and what stands against them."""

    letters: re.Pattern[str]
    rules: tuple[_Rule, ...]
    lead: re.Pattern[str]  # what may stand before the first word of a pattern
    says: Callable[[str], bool]  # whether a rest of a sentence has content
    later_for: tuple[EventClass, ...]
    of: ModuleType


class _Place(NamedTuple):
    """Where a pattern may begin; `first`: in the first words of the sentence."""

    language: _Language
    at: int
    first: bool


def told(sentence: str) -> Told | None:
    """The event that a sentence tells, None when it tells none."""
    statement = sentence[:_LONGEST]
    level = levelled(statement)
    places, rule = _places(level), directive(level)
    if not places and rule is None and _NAMED.search(level) is None:
        return None
    if _asks(level) and not (rule is not None and rule.polite):
        statement = _before_question(statement)
        level = levelled(statement)
        places, rule = _places(level), directive(level)
    kind = _kind(level, places) if len(level) >= _SHORTEST else None
    if rule is not None and kind not in (EventClass.DECISION, EventClass.COMMITMENT):
        return Told(EventClass.PREFERENCE, statement, rule.bare)
    if kind is None and _english().of.CALL_ME.match(statement):
        kind = EventClass.FACT
    return Told(kind, statement) if kind is not None else None


def well_put(event: Told) -> str:
    """An event's text without the words that only lead to it, such as `ok, so`, and without a request at its end."""
    text = event.text.strip()
    for language in (_english(), _chinese()):
        found = language.of.LEADING.match(text)
        if found is not None:
            text = _if_same(text[found.end() :], text, event.kind)
    for split in islice(_SPLIT.finditer(text), _CLAUSES):
        after = levelled(text[split.end() :])
        if _english().of.REQUEST.match(after) or _chinese().of.REQUEST.match(after):
            text = _if_same(text[: split.start()], text, event.kind)
            break
    text = text.rstrip(" ,;:，；：、-–—")
    return text[0].upper() + text[1:] if _english().of.BEGINS.match(text) else text


def _if_same(part: str, text: str, kind: EventClass) -> str:
    """The part where it tells the same as the whole text, else the text."""
    event = told(part)
    return part if event is not None and event.kind is kind and len(event.text) == len(part) else text


def hands_over(sentence: str) -> bool:
    """Whether a sentence hands over a text to be translated, mended or the like: what stands in the text is said by nobody."""
    level = levelled(sentence[-_LONGEST:])
    for language in (_english(), _chinese()):
        if language.letters.search(level) is None:
            continue
        if language.of.HANDS_OVER.match(level) or (level.endswith(":") and language.of.ANNOUNCES.search(level)):
            return True
    return False


def levelled(sentence: str) -> str:
    """A sentence as the patterns see it: lower case, one spelling, what is quoted or code or taken out as one word or none."""
    text = sentence
    if "`" in text:
        text = _CODE.sub("xcodex", text)
    if "[" in text:
        text = _HIDDEN.sub(" ", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES))
    text = " ".join(text.casefold().split())
    if _QUOTES.search(text) is not None:
        text = " ".join(_QUOTED.sub(" xquotex ", text).split())
    return _SPELLINGS.sub(lambda found: _PLAIN[found[0]], text.rstrip(_TRAILING))


def _before_question(sentence: str) -> str:
    """What a sentence that asks says before its question, '' when it is all a question."""
    english, chinese = _english().of, _chinese().of
    for split in [*_SPLIT.finditer(sentence)][-_CLAUSES:][::-1]:
        head, tail = sentence[: split.start()].rstrip(), levelled(sentence[split.end() :]).rstrip("?")
        if english.TAG_QUESTION.match(tail) or chinese.TAG_QUESTION.match(tail):
            return ""
        asked = chinese.ASKED.match(tail) if _CJK.search(tail) else english.ASKS.match(tail)
        if asked and not _asks(levelled(head)):
            return head
    return ""


def _asks(level: str) -> bool:
    if level.endswith("?"):
        return True
    return bool(_chinese().of.ASKS.search(level) if _CJK.search(level) else _english().of.ASKS_FIRST.match(level))


def _kind(level: str, places: list[_Place]) -> EventClass | None:
    """The weightiest kind that the text tells at one of the places."""
    for kind in EventClass:
        for place in places:
            for rule in place.language.rules:
                if rule.kind is not kind or (rule.first and not place.first):
                    continue
                found = rule.pattern.match(level, place.at)
                if found is not None and _holds(level, found, rule, place.language):
                    return kind
    return None


def _places(level: str) -> list[_Place]:
    """Where a pattern may begin: at the beginning of a clause, or after what only leads to it."""
    return [
        place
        for language in (_english(), _chinese())
        if language.letters.search(level) is not None
        for place in _places_in(level, language)
    ]


def _places_in(level: str, language: _Language) -> Iterator[_Place]:
    opens = language.of.OPENS
    clauses = islice(language.of.CLAUSE.finditer(level), _CLAUSES)
    for start in (0, *(found.end() for found in clauses)):
        if opens.match(level, start):
            yield _Place(language, start, start == 0)
        lead = language.lead.match(level, start)
        if lead is not None and lead.end() > start and opens.match(level, lead.end()):
            yield _Place(language, lead.end(), start == 0)


def _holds(level: str, found: re.Match[str], rule: _Rule, language: _Language) -> bool:
    """Whether nothing around a match speaks against it."""
    before, rest = level[: found.start()], level[found.end() :]
    own = language.of
    if not language.says(rest) or (before and any(pattern.search(before) for pattern in _anothers())):
        return False
    if before and (own.WISH if rule.kind is EventClass.PREFERENCE else own.CONDITION).search(before):
        return False
    if rule.kind in language.later_for and own.LATER_CONDITION.search(rest):
        return False
    if rule.first and own.HERE_AND_NOW.search(level):
        return False
    return rule.kind is not EventClass.FACT or own.TROUBLE.search(rest) is None


# The patterns are compiled when the first sentence is judged: few programs come to it, and it takes a while.
@lru_cache(maxsize=1)
def _english() -> _Language:
    from memtree.tree import event_english as english
    from memtree.tree import event_english_guards as guards

    def says(rest: str) -> bool:
        return guards.REPORTED_AFTER.search(rest) is None and any(word not in guards.EMPTY for word in _words(rest))

    rules = (
        *_rules(EventClass.DECISION, english.DECISION, english.DECISION_FIRST),
        *_rules(EventClass.COMMITMENT, english.COMMITMENT),
        *_rules(EventClass.PREFERENCE, english.PREFERENCE, english.PREFERENCE_FIRST),
        *_rules(EventClass.FACT, english.FACT, english.REMEMBER),
    )
    return _Language(_LATIN, rules, re.compile(guards.FILLER + guards.PHRASE), says, (EventClass.DECISION,), guards)


@lru_cache(maxsize=1)
def _chinese() -> _Language:
    from memtree.tree import event_chinese as chinese

    def says(rest: str) -> bool:
        return bool(chinese.EMPTY.sub("", rest))

    rules = (
        *_rules(EventClass.DECISION, chinese.DECISION),
        *_rules(EventClass.COMMITMENT, chinese.COMMITMENT),
        *_rules(EventClass.PREFERENCE, chinese.PREFERENCE, chinese.PREFERENCE_FIRST),
        *_rules(EventClass.FACT, chinese.FACT, chinese.REMEMBER),
    )
    later_for = (EventClass.DECISION, EventClass.COMMITMENT)
    return _Language(_CJK, rules, re.compile(chinese.FILLER), says, later_for, chinese)


@lru_cache(maxsize=1)
def _anothers() -> tuple[re.Pattern[str], ...]:
    """Words before a pattern that make it somebody else's: of both languages, because people mix them."""
    english, chinese = _english().of, _chinese().of
    return english.REPORTED, english.MATERIAL, chinese.REPORTED, chinese.MATERIAL


def _rules(kind: EventClass, patterns: Sequence[str], first: Sequence[str] = ()) -> Iterator[_Rule]:
    yield _Rule(kind, _compiled(patterns))
    if first:
        yield _Rule(kind, _compiled(first), first=True)


def _compiled(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def _words(text: str) -> Iterator[str]:
    return (word for part in text.split() if (word := part.strip(".,;:!?()[]'\"-")))
