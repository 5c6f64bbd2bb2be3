"""Whom a statement is about, and the statement as that one would say it of themselves.

    The user lives in Rome.     ->  user     I live in Rome.
    My wife Ana is vegan.       ->  wife     I am vegan.
    Tom works at a bank.        ->  tom      I work at a bank.
    我妈妈住在上海               ->  mother   我住在上海

So one table of patterns reads them all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memtree.tree.facet_words import about
from memtree.tree.facets import normal_key
from memtree.tree.fact import USER
from memtree.tree.fact_people import (
    CHINESE_KIN,
    CHINESE_NAME,
    CHINESE_PREDICATE,
    KIN,
    LEAD_IN,
    MANY,
    NO_NAMES,
    SUBJECTLESS,
    VERBS,
)


class Spoken(NamedTuple):
    """`subject` is user, what somebody is to the user (wife), or a name in small letters; `text` is in the first person."""

    subject: str
    text: str


_USER = re.compile(r"(?:the |this )?user(?P<of>'s|s'(?= ))?(?![\w-])\s*", re.IGNORECASE)
_RELATIVE = re.compile(
    rf"(?:(?:my|our)\s+|I (?:have|'ve got|have got) (?:an?|one|two|\d+)\s+(?=(?:\w+ )?(?:{KIN})\s+(?:who|that)\b))"
    rf"(?P<kind>(?:(?:older|younger|best|little|big|new|late|ex|former|old|eldest|twin|only|current|dear|close|good)[\s-])*)"
    rf"(?P<kin>{KIN})(?![\w-])(?:,?\s+(?P<name>(?!I\b)[A-Z][\w'’-]*?))?(?P<of>'s)?,?(?:\s+(?:who|that)\b)?\s+(?P<rest>\S.*)",
)
_NAMED = re.compile(r"(?:'s )?(?:name(?:'s| is)\b|is (?:called|named)\b|(?:is|=)\s+(?-i:[A-Z])[\w'-]+\W*\Z)", re.IGNORECASE)
_NAME = re.compile(r"(?P<name>[A-Z][a-zà-ÿ'-]+(?: [A-Z][a-zà-ÿ-]+)?)(?P<of>'s)?\s+(?P<rest>\S.*)")
_PRONOUN = re.compile(r"(?P<name>he|she|they)(?:'s|\b)\s*(?P<rest>\S.*)", re.IGNORECASE)
_POSSESSED = re.compile(r"(?P<name>his|her|their)\s+(?P<rest>\S.*)", re.IGNORECASE)
_OF = {"his": "he", "her": "she", "their": "they"}
_FIRST_WORD = re.compile(r"[A-Za-z']+")
_WE = re.compile(r"we('re| are|'ve|'ll|'d)?(?= )", re.IGNORECASE)
_WE_FORMS = {"'re": "'m", " are": " am"}
_HAN_KIN = "|".join(sorted(CHINESE_KIN, key=len, reverse=True))
_HAN_RELATIVE = re.compile(rf"(?:我|用户|本人)(?:们)?(?:家)?(?:的)?(?P<kin>{_HAN_KIN})(?P<of>的)?(?P<rest>.+)", re.DOTALL)
_HAN_NAMED = re.compile(r"(?:名字)?(?:叫|名叫|名字是)|是(?=[小老阿]?[\u4e00-\u9fff]{1,2}[。.!！]?\Z)(?!.{0,2}[师员生人者士家])")
_HAN_HAS = re.compile(
    rf"(?:我|用户|本人)(?:们)?(?:家)?(?:还)?(?:有|养)(?:了|着)?[一两二三四五六七八九十几\d]{{0,2}}[个位名只条]?"
    rf"(?:在[^，,。]{{1,12}}的)?(?P<kin>{_HAN_KIN})[，,]\s*(?P<rest>(?!我|但|所以|因为|而且|我们)\S.+)",
    re.DOTALL,
)
_HAN_CLAUSE = re.compile(r"[，,；;]")
_HAN_USER = re.compile(r"(?:该|这位)?(?:用户(?!名|界面|体验|数|群|量|端|增长)|本人|俺)")
_HAN_OTHER = re.compile(r"(?P<name>[他她])(?:的)?(?P<rest>.+)", re.DOTALL)
_BASES = {
    "is": "am",
    "are": "am",
    "'s": "am",
    "has": "have",
    "does": "do",
    "doesn't": "don't",
    "isn't": "am not",
    "hasn't": "haven't",
}
_TELLING = frozenset((*_BASES, "were", "have", "do", "don't"))
_ADVERBS = frozenset(("also", "always", "never", "still", "usually", "currently", "now", "only", "really", "just", "often"))
_NO_S = ("ss", "us", "is", "was")


def spoken_by(text: str) -> Spoken:
    """Whom the text is about, and what they say; of who is not told apart it is the user."""
    text = " ".join(text.replace("’", "'").split())
    while (found := LEAD_IN.match(text)) is not None and 0 < found.end() < len(text):
        text = text[found.end() :]
    return _chinese(text) or _english(text)


def first_person(rest: str) -> str:
    """What follows a subject, as said by them: `lives in Rome` is `I live in Rome`."""
    word, _, more = rest.partition(" ")
    low = word.casefold()
    if low in _ADVERBS and more:
        return f"I {low}{first_person(more)[1:]}"
    if low == "no" and more.casefold().startswith("longer "):
        return f"I no longer{first_person(more[7:])[1:]}"
    if low in _BASES:
        return f"I {_BASES[low]} {more}"
    if low.endswith("s") and not low.endswith(_NO_S) and low.isalpha():
        low = _base(low)
    return f"I {low if word[:1].islower() or low != word.casefold() else word} {more}".rstrip()


def _base(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("ches", "shes", "sses", "xes", "zes", "oes")) else verb[:-1]


def _english(text: str) -> Spoken:
    user = _USER.match(text)
    if user is not None and user.end() < len(text):
        rest = text[user.end() :]
        text = f"my {rest}" if user["of"] else first_person(rest)
    relative = _RELATIVE.match(text[:1].lower() + text[1:] if text[:3] in ("My ", "Our") else text)
    if relative is not None:
        return _of_relative(relative, text)
    for form in (_PRONOUN, _POSSESSED):
        found = form.match(text)
        if found is not None:
            name = found["name"].casefold()
            return Spoken(_OF.get(name, name), f"my {found['rest']}" if name in _OF else first_person(found["rest"]))
    name = _NAME.match(text)
    if name is not None and _is_person(name["name"], name["rest"], of=bool(name["of"])):
        said = f"my {name['rest']}" if name["of"] else first_person(name["rest"])
        return Spoken(normal_key(name["name"]), said)
    we = _WE.match(text)
    if we is not None:
        return Spoken(USER, f"I{_WE_FORMS.get((we[1] or '').casefold(), we[1] or '')}{text[we.end() :]}")
    first = _FIRST_WORD.match(text)
    if first is not None and first[0].casefold() in SUBJECTLESS:
        low = text[:1].lower() + text[1:]
        return Spoken(USER, f"I am {low}" if SUBJECTLESS[first[0].casefold()] else first_person(low))
    return Spoken(USER, text)


def _of_relative(found: re.Match[str], text: str) -> Spoken:
    rest = found["rest"]
    kin = found["kin"].casefold()
    if rest.startswith("and I "):
        return Spoken(USER, rest.removeprefix("and "))
    if not found["of"] and not _tells(rest):
        return Spoken(USER, text)
    if not found["kind"] and _NAMED.match(rest) and kin not in MANY:
        return Spoken(USER, text)
    if _NAMED.match(rest) and (found["of"] or rest.startswith(("is called", "is named"))):
        return Spoken(USER, text)
    if "ex" in found["kind"].split("-") or "former" in found["kind"]:
        kin = f"ex_{kin}"
    subject = normal_key(found["name"]) if found["name"] and kin in MANY else normal_key(kin)
    return Spoken(subject, f"my {rest}" if found["of"] else first_person(rest))


def _tells(rest: str) -> bool:
    """Whether what follows a person begins with a verb: `my dentist appointment is …` is not about the dentist."""
    word = _FIRST_WORD.match(rest)
    low = "" if word is None else word[0].casefold()
    return (
        low in VERBS
        or f"{low}s" in VERBS
        or low.endswith(("ed", "s"))
        or low in _BASES
        or low in ("are", "were", "have", "do", "don't")
    )


def _is_person(name: str, rest: str, *, of: bool) -> bool:
    """Whether a name in capitals is somebody's: a verb follows, and it is no name of a day or a tool."""
    first = name.partition(" ")[0]
    if first.casefold() in NO_NAMES or first.endswith("ing") or about(name) is not None:
        return False
    word = _FIRST_WORD.match(rest)
    return of or (word is not None and word[0].casefold() in VERBS)


def _chinese(text: str) -> Spoken | None:
    relative = _HAN_RELATIVE.match(text)
    if relative is not None:
        rest = relative["rest"]
        if _HAN_NAMED.match(rest):
            return Spoken(USER, _HAN_CLAUSE.split(_HAN_USER.sub("我", text, count=1), maxsplit=1)[0])
        return Spoken(CHINESE_KIN[relative["kin"]], f"我的{rest}" if relative["of"] else f"我{rest}")
    has = _HAN_HAS.match(text)
    if has is not None:
        named = _HAN_NAMED.match(has["rest"]) is not None
        return Spoken(USER, text[: has.start("rest")]) if named else Spoken(CHINESE_KIN[has["kin"]], f"我{has['rest']}")
    other = _HAN_OTHER.match(text)
    if other is not None:
        return Spoken({"他": "he", "她": "she"}[other["name"]], f"我{other['rest']}")
    user = _HAN_USER.match(text)
    if user is not None:
        return Spoken(USER, f"我{text[user.end() :]}")
    name = CHINESE_NAME.match(text)
    if name is not None and CHINESE_PREDICATE.match(text, name.end()):
        return Spoken(name[0], f"我{text[name.end() :]}")
    return None
