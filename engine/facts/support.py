"""Support: which turns a statement can rest on, by the words that they have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from memtree.engine.facts.candidate import Candidate, Said
from memtree.tree.evidence_words import COMMON_SIGNS, evidence_tokens
from memtree.tree.fact import MOST_SOURCES

_SHORT = 60  # characters of an answer that may depend on what stood before it
_FEW = 6  # words of one
_ANSWERS = re.compile(
    r"\s*(?:yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|exactly|correct|true|both|neither|the (?:first|second|last|other)"
    r"|that one|it is|i do|i am|i did|i have|i don't|me too|on|at|in|since|from|until|next|last|because|about|around|maybe"
    r"|对|是|好|嗯|没错|不|可以|行|当然|没有|有|在|从|因为|大概|差不多|下|上|周|星期|明|后|今)",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\s*(?:from now on|from today|in (?:future|general)|at all times|on principle|以后|从今|从现在|今后|不要)", re.IGNORECASE
)
_END = re.compile(r"(?:ing|ies|ied|ions?|ed|es|er|ly|ic|al|s|e|y|d)\Z")
_SIGN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_DATED = re.compile("[0-9零一二三四五六七八九十]+(?:年|月|日|号|点|岁)")
# What is allowed or liked is looked at apart; the others only join what is said.
_FORBIDS = re.compile("不允许|不许|不得|不能|不要|禁止|千万别|千万|必须|应该|需要|务必|喜欢|讨厌")
_LITTLE_SIGNS = frozenset("已自起往于及其将间为并且做曾正各即该此请时后前当不没别勿")
_LATIN = re.compile(r"[a-zà-ÿ]{4,}")


def roots(text: str) -> frozenset[str]:
    """The words of a text by their roots, so that moved, moving and moves are one; pairs of Chinese characters stay."""
    return _roots(text) if len(text) <= 4_000 else _roots_of_long(text)


@lru_cache(maxsize=2_048)
def _roots(text: str) -> frozenset[str]:
    return _roots_of(text)


# Few texts are long, but each is asked for once for every candidate.
@lru_cache(maxsize=64)
def _roots_of_long(text: str) -> frozenset[str]:
    return _roots_of(text)


def _roots_of(text: str) -> frozenset[str]:
    return frozenset(map(_root, evidence_tokens(text.replace("用户", " "))))


def telling(text: str) -> frozenset[str]:
    """Of a statement's words those that it stands and falls with; all where there are no others."""
    words = roots(text)
    return frozenset(word for word in words if not _says_little(word)) or words


def _says_little(word: str) -> bool:
    """Whether a word is a denial, or a pair of Chinese characters of which one is like `the`."""
    if word in _DENIALS or word.endswith("n't"):
        return True
    return len(word) == 2 and not word.isascii() and not COMMON_SIGNS.isdisjoint(word)


def signs(text: str) -> frozenset[str]:
    """The Chinese characters of a text that tell something; those of dates do not."""
    plain = _FORBIDS.sub(" ", _DATED.sub(" ", text.replace("用户", " ")))
    return frozenset(_SIGN.findall(plain)) - COMMON_SIGNS - _LITTLE_SIGNS


def _root(word: str) -> str:
    return shorter if _LATIN.fullmatch(word) and len(shorter := _END.sub("", word)) >= 3 else word


# They are compared apart, or say next to nothing.
_DENIALS = frozenset(map(_root, ("cannot", "never", "without", "nor", "currently")))


def least(words: int) -> int:
    """How many of a statement's words a turn must have for it to rest on it."""
    return 1 if words <= 2 else 2 if words <= 7 else 3


def named(candidate: Candidate, said: Sequence[Said]) -> list[Said]:
    """The turns that whoever extracted a statement named and that are there; of two with one number, the nearer in words."""
    words = telling(candidate.text)
    found: dict[int, Said] = {}
    for one in said:
        if one.seq in candidate.seqs:
            known = found.get(one.seq)
            if known is None or len(words & roots(one.text)) > len(words & roots(known.text)):
                found[one.seq] = one
    return [*found.values()][:MOST_SOURCES]


def alike(text: str, said: Sequence[Said]) -> list[Said]:
    """The turns that share enough words with a statement, in their order: at least as many as its length asks for."""
    words = telling(text)
    hits = [len(words & roots(one.text)) for one in said]
    best = max(hits, default=0)
    wanted = max(least(len(words)), -(-best * 6 // 10))
    ranked = sorted((-count, place) for place, count in enumerate(hits) if count >= wanted and count)[:MOST_SOURCES]
    return [said[place] for place in sorted(place for _, place in ranked)]


def with_questions(chosen: Sequence[Said], said: Sequence[Said]) -> list[Said]:
    """The turns with the one before each short answer: what `yes, on Friday` says stands there."""
    places = {id(one): place for place, one in enumerate(said)}
    found: dict[int, Said] = {}
    for one in chosen:
        place = places.get(id(one), 0)
        if place and is_answer(one.text):
            found.setdefault(place - 1, said[place - 1])
        found[place] = one
    together = [found[place] for place in sorted(found)]
    return together if len(together) <= MOST_SOURCES else list(chosen)[:MOST_SOURCES]


def with_answers(text: str, chosen: Sequence[Said], said: Sequence[Said]) -> list[Said]:
    """The turns with the short answer behind each that says more of a statement than they do: `on Friday`."""
    words = telling(text)
    places = {id(one) for one in chosen}
    rest = words - frozenset[str]().union(*(roots(one.text) for one in chosen))
    answers = {
        id(after)
        for one, after in pairwise(said)
        if id(one) in places and rest and is_answer(after.text) and rest & roots(after.text)
    }
    together = [one for one in said if id(one) in places | answers]
    return together if len(together) <= MOST_SOURCES else list(chosen)


def is_answer(text: str) -> bool:
    """Whether a message is so short that it may only make sense with what stood before it."""
    return len(text) <= _SHORT and len(evidence_tokens(text)) <= _FEW and _ANSWERS.match(text) is not None and not _RULE.match(text)
