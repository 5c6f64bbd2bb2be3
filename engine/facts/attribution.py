"""Attribution: whether a statement says of the right one what its turns say, and whether they say it or only ask.

Words alone do not tell `Ana lives in Linz` from `Ana lives in Graz and Bo lives in Linz`: each word was said, of another. Each
check names what speaks against a statement, '' for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from memtree.engine.facts.candidate import Said
from memtree.engine.facts.support import is_answer, roots, telling
from memtree.tree.evidence_words import levelled, names_in, numbers_in

# What a statement may call a relation or an environment, and what it may have been called by whoever spoke of it.
_SPOUSE = "spouse|partner|married|marry|wedding"
_CHILD = "kids?|child|children|baby|babies"
_ONE_OF = (
    ("sister", "sister|姐姐?|妹妹?", "sister|siblings?|sis|twins?|姐|妹"),
    ("brother", "brother|哥哥?|弟弟?", "brother|siblings?|bro|twins?|哥|弟|兄"),
    ("mother", "mother|妈妈?|母亲", "mother|mum|mom|mama|mommy|mummy|parents?|妈|母|娘"),
    ("father", "father|爸爸?|父亲", "father|dad|papa|daddy|parents?|爸|父|爹"),
    ("wife", "wife|妻子|老婆|太太", f"wife|missus|{_SPOUSE}|妻|老婆|太太|媳妇|爱人|内人|对象|伴侣|结婚"),
    ("husband", "husband|丈夫|老公", f"husband|hubby|{_SPOUSE}|夫|老公|先生|爱人|对象|伴侣|结婚"),
    ("son", "son|儿子", f"son|boys?|{_CHILD}|儿|孩|宝"),
    ("daughter", "daughter|女儿", f"daughter|girls?|{_CHILD}|女|闺|孩|宝"),
    ("uncle", "uncle", "uncle|叔|伯|舅|姑父|姨父"),
    ("aunt", "aunt", "aunt|auntie|aunty|姑|姨|婶|舅妈|伯母"),
    (
        "grandmother",
        "grandmother|奶奶|姥姥|外婆|祖母",
        "grandmother|grandma|granny|gran|nana?|oma|grandparents?|奶奶|姥姥|外婆|祖母|婆婆",
    ),
    ("grandfather", "grandfather|爷爷|姥爷|外公|祖父", "grandfather|grandpa|granddad|opa|grandparents?|爷爷|姥爷|外公|祖父"),
    ("cousin", "cousin", "cousin|表|堂"),
    ("production", "production|prod|生产环境", "production|prod|live|生产|线上|正式"),
    ("staging", "staging|预发", "staging|stage|pre-?prod|预发"),
)
_NAMED = {one: re.compile(rf"(?<![a-z])(?:{named})(?:'s|s)?(?![a-z-])") for one, named, _ in _ONE_OF}
_MEANT = {one: re.compile(rf"(?<![a-z])(?:{meant})(?:'s|s)?(?![a-z-])") for one, _, meant in _ONE_OF}


def kin_not_said(text: str, said: Sequence[Said], subject: str = "") -> str:
    """A relation or environment that a statement names and no turn, in whatever word: a brother where they speak of a sister."""
    plain = levelled(text)
    there = " ".join((*(levelled(one.text) for one in said), levelled(subject)))
    return next((kin for kin, named in _NAMED.items() if named.search(plain) and not _MEANT[kin].search(there)), "")


_OTHERS = (
    "sister|brother|mother|mum|mom|father|dad|wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|children|child|uncle|aunt"
    "|cousin|grandmother|grandma|grandfather|grandpa|friend|boss|colleague|roommate|flatmate|neighbou?r|dog|cat"
)
_OTHERS_CHINESE = (
    "姐姐|姐|妹妹|妹|哥哥|哥|弟弟|弟|妈妈|妈|母亲|爸爸|爸|父亲|妻子|老婆|太太|丈夫|老公|儿子|女儿|孩子|叔叔|舅舅|阿姨|表哥|表弟|奶奶"
    "|爷爷|姥姥|外婆|朋友|老板|同事|室友|邻居|狗|猫"
)
_OF_OTHER = re.compile(
    rf"^\s*(?:and |but |so |also )?(?:my|our)\s+(?:\w{{1,12}}\s+)?({_OTHERS})\b(?!\s+and\s+(?:i|me)\b)(?!')"
    rf"|^\s*(?:而|但|不过)?(?:我|我们|咱)(?:家|的|家的)?(?:大|小)?({_OTHERS_CHINESE})(?!和我|跟我|与我)"
)
_SELF = re.compile(r"(?<![a-z])(?:i|i'm|i've|me|we|us|our|myself)(?![a-z])|我")
_OF_USER = re.compile(r"^\s*(?:the\s+)?(?:user|i)\s+(?!and\b)|^\s*(?:用户|我)(?!的|家|们|和|与|跟)")
_PART = re.compile(r"[.!?;。！？；\n]+|,\s*|，|、(?=[^、]{4})|\s+(?:and|but|while|whereas|though)\s+|(?:但是|不过|而且|但)")


def of_another(text: str, said: Sequence[Said]) -> str:
    """Whom the turns say it of, where a statement says it of the user and every clause that says it is about `my son`."""
    plain = levelled(text)
    if not _OF_USER.match(plain):
        return ""
    best = 0
    nearest: list[str] = []
    words = telling(text)
    for one in said:
        for clause in _PART.split(levelled(one.text)):
            hits = len(words & roots(clause)) if clause else 0
            if hits and hits >= best:
                nearest = [*(nearest if hits == best else ()), clause]
                best = hits
    others = {_other(clause) for clause in nearest}
    if len(others) != 1 or not (other := others.pop()):
        return ""
    return "" if other in plain or re.search(r"family|relative|famil|家人|亲人", plain) else other


def _other(clause: str) -> str:
    found = _OF_OTHER.match(clause)
    if found is None or _SELF.search(clause, found.end()):
        return ""
    return found[1] or found[2] or ""


# -- what was said of one is said of another


class _Details(NamedTuple):
    names: frozenset[str]
    numbers: frozenset[str]
    kin: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.names | self.numbers | self.kin

    def kind(self, one: str) -> frozenset[str]:
        return self.names if one in self.names else self.numbers if one in self.numbers else self.kin


_CHINESE_NAME = re.compile("(?:小|老|阿)[\u4e00-\u9fff]|(?:住在|搬到|搬去|来自)([\u4e00-\u9fff]{2})")
_FIRST = re.compile(r"\s*([A-ZÀ-Þ][a-zà-ÿ]+)(?=\s+[a-z])")
_MOST = 400  # parts of turns that are compared


def swapped(text: str, said: Sequence[Said]) -> str:
    """Two details that a statement joins though its turns say each of them with another of its kind."""
    own = _details(text)
    if not own.all:
        return ""
    parts = [part for one in said for part in _PART.split(one.text) if part and part.strip()][:_MOST]
    if len(parts) < 2:
        return ""
    found = [_details(part) for part in parts]
    details = sorted(own.all)
    for at, one in enumerate(details):
        for other in details[at + 1 :]:
            if any({one, other} <= part.all for part in found):
                continue
            if _instead(one, other, own, found) and _instead(other, one, own, found):
                return f"{one}, {other}"
    return _number_of_another(text, own, parts, found)


def _instead(one: str, other: str, own: _Details, found: Sequence[_Details]) -> bool:
    """Whether every part that has one detail has another of the other one's kind in its place."""
    having = [part for part in found if one in part.all]
    kind = ("names", "numbers", "kin")[0 if other in own.names else 1 if other in own.numbers else 2]
    return bool(having) and all(getattr(part, kind) - own.all for part in having)


def _number_of_another(text: str, own: _Details, parts: Sequence[str], found: Sequence[_Details]) -> str:
    """A number whose part has fewer of a statement's words than a part with another number."""
    if not own.numbers:
        return ""
    words = telling(text) - own.numbers
    hits = [len(words & roots(part)) for part in parts]
    for number in sorted(own.numbers):
        here = [count for count, part in zip(hits, found, strict=True) if number in part.numbers]
        other = [count for count, part in zip(hits, found, strict=True) if part.numbers and not part.numbers & own.numbers]
        if here and other and max(other) > max(here) and max(here) < len(words):
            return number
    return ""


@lru_cache(maxsize=2_048)
def _details(text: str) -> _Details:
    plain = levelled(text)
    names = {levelled(name).removesuffix("'s") for name in names_in(text)}
    first = _FIRST.match(text)
    if first is not None and roots(first[1]) and first[1] != "User":
        names.add(levelled(first[1]))
    names |= {found[1] or found[0] for found in _CHINESE_NAME.finditer(plain)}
    numbers = numbers_in(plain)
    return _Details(
        frozenset(names - numbers), numbers, frozenset(kin for kin, pattern in _NAMED.items() if pattern.search(plain)) - names
    )


# -- asked or supposed, not said

_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_INVERTED = re.compile(
    r"^\W*(?:(?:so|and|ok|okay|hey|hi|hello|but|also)[, ]+)*(?:(?:what|which|how|when|where|who|why)\b[^?]{0,40}?)?"
    r"(?:do|does|did|am|should|shall|can|could|would|will|must|may|is|are)\s+(?:i|we|the|it|there)\b"
    r"|^\W*(?:what|which|how|when|where|who|why)\b"
)
_TOLD = re.compile(
    r"\b(?:my|our|mine|ours|i'm|i've|i am|i have|i live|i work|i use|i was|we're|we've|we are|we have|we use|that i|that we|because"
    r"|since|as i|given|remember|note)\b|我的|我们的|我有|我是|我在|我对|因为|由于|记住|我家"
)
_ASKS_CHINESE = re.compile("要不要|是不是|能不能|该不该|会不会|可不可以|怎么|怎样|如何|什么|哪|多少|应不应该|吗|是否")
_WONDERS = re.compile(
    r"\b(?:wonder(?:ing)?|not sure|unsure|thinking about|don't know|undecided)\s+(?:about\s+)?(?:whether|if)\b"
    r"|在想要不要|不知道该不该"
)
_SUPPOSES = re.compile(
    r"\bif\s+(?:i|we|he|she|they)\b[^.!?]{0,200}\b(?:would|'d|could|might)\b|(?:如果|要是|假如|假设|万一)[^。！？]{0,6}我"
)
_OPEN = re.compile(
    r"\b(?:if|whether|would|could|might|may|wonders?|considers?|considering|unsure|undecided|asks?|asked|wants?|thinking)\b"
    r"|如果|要是|假如|考虑|想|是否|犹豫|问|可能|万一"
)


def only_asked(text: str, said: Sequence[Said]) -> str:
    """The sentence nearest to a statement, where every one that is as near asks or supposes and none says it."""
    if _OPEN.search(levelled(text)) or any(is_answer(one.text) for one in said):
        return ""
    words = telling(text)
    best = 0
    nearest: list[str] = []
    for one in said:
        for sentence in _SENTENCE.findall(levelled(one.text)):
            hits = len(words & roots(sentence))
            if hits and hits >= best:
                nearest = [*(nearest if hits == best else ()), sentence]
                best = hits
    return nearest[0].strip() if nearest and all(map(_leaves_open, nearest)) else ""


def _leaves_open(sentence: str) -> bool:
    if _WONDERS.search(sentence) or _SUPPOSES.search(sentence):
        return True
    asks = sentence.rstrip().endswith(("?", "？")) or sentence.rstrip(" 。.").endswith(("吗", "呢"))
    if not asks:
        return False
    inverted = _INVERTED.match(sentence)
    rest = sentence[inverted.end() :] if inverted is not None else sentence
    return (inverted is not None or _ASKS_CHINESE.search(sentence) is not None) and _TOLD.search(rest) is None
