"""Question: what kind of thing is asked for, and whether a sentence holds one; in English and Chinese, by a few plain signs."""

from __future__ import annotations

import enum
import re

from memtree.indexers.mentions import mentions_of
from memtree.tree.entity import EntityKind


class Wants(enum.Enum):
    """What an answer is made of."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    MANY = "how many"
    LIST = "list"
    WHY = "why"
    PERSON = "who somebody is"
    ANYTHING = "anything"


# The first that matches decides: `how many people` asks for a number, `where did we meet when …` for a place.
_ASKS = (
    (
        Wants.WHY,
        re.compile(
            r"\bwhy\b|\bhow come\b|\b(?:what|which) (?:is|was|are|were) the reasons?\b|为什么|为何|为啥|什么原因", re.IGNORECASE
        ),
    ),
    (
        Wants.MANY,
        re.compile(
            r"\bhow (?:many|much|often|old|far|big|large|tall|high|heavy|fast|long(?! ago))\b"
            r"|\bwhat (?:number|price|percentage|share|age)\b"
            r"|多少|几(?!时|点|号|月|乎|天前)|多久|多大|多长|多远|多高",
            re.IGNORECASE,
        ),
    ),
    (
        Wants.WHEN,
        re.compile(
            r"(?:^|[,;:]|\b(?:and|know|remember|say|tell me|since|until|by))\s*when\b(?!ever)|\bhow long ago\b"
            r"|\b(?:what|which) (?:day|date|time|year|month|week|weekday)\b|\bdeadline\b"
            r"|什么时候|何时|哪[一]?[天年月日周]|几[点号月时]|几天前|啥时候",
            re.IGNORECASE,
        ),
    ),
    (
        Wants.WHERE,
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:city|town|country|place|folder|file|address|room|street|server|host|path)\b"
            r"|哪里|哪儿|在哪|何处|什么地方|地址",
            re.IGNORECASE,
        ),
    ),
    (
        Wants.WHO,
        re.compile(r"\bwho(?:m|se|'s)?\b|\b(?:which|what) (?:person|colleague|friend)\b|谁|哪位|什么人|何人", re.IGNORECASE),
    ),
    (
        Wants.LIST,
        re.compile(
            r"^\W*(?:list|name|enumerate)\b|\bwhat (?:are|were) (?:all |the |my |our |his |her |their )"
            r"|\b(?:which|what) [a-z]{2,}s\b"
            r"|\ball (?:of )?(?:the|my|our)\b|哪些|列出|列举|都有|有什么",
            re.IGNORECASE,
        ),
    ),
)
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    "|dec(?:ember)?"
)
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_HAN_NUMBER = "[0-9０-９零〇一二两三四五六七八九十百千万]"
_HOLDS = {
    Wants.WHEN: re.compile(
        rf"\b(?:19|20)\d\d\b|\b(?:{_MONTHS})\b|\b{_DAYS}\b|\b\d{{1,2}}:\d\d\b|\b\d{{1,2}} ?[ap]\.?m\b"
        r"|\b(?:yesterday|today|tomorrow|tonight|noon|midnight|spring|summer|autumn|winter)\b"
        r"|\b(?:last|next|this|every) (?:week|month|year|night|weekend|morning|evening)\b"
        r"|\b\d+ (?:days?|weeks?|months?|years?|hours?)\b"
        rf"|{_HAN_NUMBER}[年月日号点周]|星期|周[一二三四五六日末]|昨天|今天|明天|后天|前天|上周|下周|去年|今年|明年|上个?月|下个?月",
        re.IGNORECASE,
    ),
    Wants.WHERE: re.compile(
        r"\b(?:in|at|near|from|to|under|behind|inside|on|into|via) (?:the |a |our |my )?[^\W\d_]{2,}|https?://|\S/\S"
        r"|[在到去从往]|位于|[省市县区路街楼室]"
    ),
    Wants.MANY: re.compile(
        rf"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|half|twice|once|none|no)\b"
        rf"|{_HAN_NUMBER}[个次人天年元块岁公米倍只条件份分小]",
        re.IGNORECASE,
    ),
    Wants.WHY: re.compile(
        r"\b(?:because|due to|owing to|thanks to|so that|in order to|as a result|therefore|reasons?|that's why|since (?!\d))"
        r"|因为|由于|因此|所以|为了|以便|原因|理由",
        re.IGNORECASE,
    ),
}
# `Who is Ada Lovelace` asks what she is; `who is on the team` does not.
_WHO_IS = re.compile(r"\W*who(?:'s| is| was)\s+([^\W\d_]+(?:[ -][^\W\d_]+){0,2})\W*\Z", re.IGNORECASE)
_IS_WHO = re.compile(r"\W*([^\W\d_的]{2,8})是(?:谁|什么人|何人)\W*\Z")
_NO_NAME = re.compile(
    r"\b(?:the|an?|my|our|your|his|her|its|their|this|that|in|on|at|of|with|to|from|for|by|it|there|here|responsible|\w+ing)\b",
    re.IGNORECASE,
)
# What asks, and says nothing of what is asked about.
_ASKING = re.compile(
    r"什么时候|什么地方|什么人|什么|时候|为什么|怎么样?|如何|何时|何处|哪里|哪儿|哪些|哪位|哪[一]?[天年月日周个]|多少|多久|多大|多长|几[个次点号月时]"
    r"|是不是|有没有|请问|告诉我|谁|吗|呢|的|了|是|在|我们?|你们?"
)
_PEOPLE = frozenset({EntityKind.NAME, EntityKind.HANDLE, EntityKind.EMAIL})
_BEFORE_PLACE = re.compile(r"\b(?:in|at|on|from|to|near|via|into|of)\s+(?:the\s+)?\Z|[在到去从往]\Z", re.IGNORECASE)
_SOMEBODY = re.compile(
    r"\A(?:I|we|he|she|they)\b|\bmy (?:mother|father|sister|brother|wife|husband|boss|friend)\b|先生|女士|老师|医生|\A[我他她]们?"
)
_IS_QUESTION = re.compile(r"[?？][\"'”’」』）)\]*_~\s]*\Z|吗[。.]?\s*\Z")


def wanted(query: str) -> Wants:
    """What a question asks for."""
    if whom(query):
        return Wants.PERSON
    return next((wants for wants, sign in _ASKS if sign.search(query)), Wants.ANYTHING)


def holds(wants: Wants, text: str, query: str = "") -> bool:
    """Whether a text holds something of the kind that is asked for, other than what the query names; False where any would do."""
    if wants is Wants.WHO:
        return _names_somebody(text, query.casefold())
    if wants is Wants.PERSON:
        return _describes(text, whom(query))
    sign = _HOLDS.get(wants)
    return sign is not None and sign.search(text) is not None


def _names_somebody(text: str, query: str) -> bool:
    names = [one for one in mentions_of(text) if one.entity.kind in _PEOPLE and one.surface.casefold() not in query]
    # Who stands behind such a word is a place more often than a person.
    return any(not _BEFORE_PLACE.search(text[: one.start]) for one in names) or _SOMEBODY.search(text) is not None


def whom(query: str) -> str:
    """The name of whom a question asks what they are; '' where it asks something else."""
    found = _WHO_IS.match(query)
    if found is not None and not _NO_NAME.search(found[1]):
        return found[1]
    found = _IS_WHO.match(query)
    return found[1] if found is not None else ""


def _describes(text: str, name: str) -> bool:
    """Whether a sentence begins with a name, or its first part, and goes on to tell something of it: a list of names does not."""
    text, name = text.casefold(), name.casefold()
    begin = next((one for one in (name, name.split()[0]) if name and text.startswith(one)), "")
    return bool(begin) and re.match(r"\s*(?:是|\w)", text[len(begin) :]) is not None


def without_asking(query: str) -> str:
    """The query without the Chinese words that only ask: those of other languages are stop words everywhere."""
    return _ASKING.sub(" ", query)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: it answers nothing."""
    return _IS_QUESTION.search(sentence) is not None
