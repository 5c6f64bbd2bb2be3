"""Words of a question that say how it asks, not what it is about, and whether it asks for several things.

How it asks is no reason to take one turn before another, but such words are rare in what people tell each other, so rarity
alone would count them most: in "What kind of instruments has Ada mentioned?" `kind` and `mentioned` would weigh as much as
`instruments`.
"""

from __future__ import annotations

import re

_FRAME = (
    "kind kinds sort sorts type types some various different particular specific certain main additional possible "
    "name names named mention mentions mentioned mentioning describe describes described discuss discussed talk talked talking "
    "say said says tell told share shared happen happens happened consider considered considering decide decided "
    "get got go went gone have having did does might could would likely probably ever still currently recently usually "
    "many much often long number time times way ways thing things person people"
)
_PAIRS = "什么 哪些 哪里 哪个 哪儿 多少 怎么 怎样 如何 为什 么时 时候 何时 几个 几次 是否 有没"
_ASKING = frozenset(f"{_FRAME} {_PAIRS}".split())

# A verb ends the noun that is asked for: in "What does Ada do on Sundays?" nothing is asked for in the plural.
_ENDING = "do does did has have had is was can could will would should might must may"
_VERBS = frozenset(_ENDING.split())
_SEVERAL_VERBS = frozenset(("are", "were"))
_NO_PLURAL = "is was has does this its his yes news series class address business process progress success focus"
_SINGULAR_S = frozenset(_NO_PLURAL.split())
_SEVERAL = re.compile(
    r"\b(?:both|all the|all of|(?:kind|type|sort)s? of|what all|what else|in what ways|in which ways|list|lists)\b"
    r"|^\W*how many (?!(?:second|minute|hour|day|week|month|year)s\b)"
    r"|^\W*(?:what|who|where) (?:has|have)\b"
    r"|哪些|哪几|都有|有什么|多少[个次种本只家]|几[个次种本只家]"
)
_FIRST = re.compile(r"^\W*(?:what|which)\b")
_LETTERS = re.compile(r"[^\W\d_]+")
_NOUN = 4  # words within which the noun that is asked for stands


def only_asks(word: str) -> bool:
    """Whether a folded word, or pair of Chinese characters, says how a question asks."""
    return word in _ASKING


def asks_for_several(question: str) -> bool:
    """Whether a folded question asks for a list or a count: several turns answer it, each in words of its own."""
    if _SEVERAL.search(question):
        return True
    first = _FIRST.match(question)
    for word in _LETTERS.findall(question[first.end() :])[:_NOUN] if first else ():
        if word in _VERBS or word in _SEVERAL_VERBS:
            return word in _SEVERAL_VERBS
        if word.endswith("s") and not word.endswith("ss") and len(word) > 2 and word not in _SINGULAR_S:
            return True
    return False
