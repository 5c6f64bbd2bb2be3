"""What a sentence takes back: the statement that holds no longer, as it was said when it did.

    I no longer live in Berlin.            ->  I live in Berlin
    I stopped using vim last year.         ->  I use vim
    Please forget that I like tea.         ->  I like tea
    That's not true: I'm not vegetarian.   ->  I'm vegetarian
    我已经不喝咖啡了                         ->  我喝咖啡

Only the user takes something back, and only by saying so: not by a question, a condition, a wish or what another one does.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memtree.tree.fact import LONGEST
from memtree.tree.fact_people import LEAD_IN
from memtree.tree.fact_subjects import first_person
from memtree.tree.retraction_chinese import taken_back
from memtree.tree.verb_forms import base_form

_ADVERBS = (
    r"(?:(?:now|currently|actually|really|also|just|officially|finally|recently|already|have|have now"
    r"|completely|totally) ){0,3}"
)
_UNSURE = re.compile(
    r"\b(?:if|unless|when|whenever|whether|would|wouldn't|might|may|could|maybe|perhaps|suppose|imagine"
    r"|wish|hope|want to|wants to|plan to|planning to|"
    r"going to|thinking of|thinking about|considering|should|try to|trying to|in case|before)\b|'d\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:do|does|did|am|is|are|have|has|had|can|could|should|would|will|why|what|when|where|who|how"
    r"|which)\b(?! not to)",
    re.IGNORECASE,
)
_USER = re.compile(r"(?:the )?user(?![\w'-])\s+", re.IGNORECASE)
_NO_LONGER = re.compile(
    rf"(?:(?P<own>I|we)(?P<am>'m|'re| am| are)?\s+|(?P<of>my|our)\s+(?P<what>[\w -]{{1,60}}?)\s+(?P<is>is"
    rf"|are)\s+){_ADVERBS}no longer\s+(?P<rest>\S.*)",
    re.IGNORECASE,
)
_NO_MORE = re.compile(
    r"(?P<who>I|we)\s*(?P<not>don't|do not|dont|'m not|am not|'re not|are not|aren't|can't|cannot"
    r"|haven't|have not)\s+(?P<rest>\S.*?)\s+(?:any ?more|any longer|these days|nowadays)\b.*",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    rf"(?P<who>I|we)(?:'ve| have)?\s+{_ADVERBS}(?:stopped|quit|gave up|given up|ceased|dropped|am done"
    rf"|are done with|got out of the habit of)\s+(?:with\s+)?(?P<doing>[a-z]{{2,20}}ing)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_GAVE_UP = re.compile(
    rf"I(?:'ve| have)?\s+{_ADVERBS}(?:gave up|given up|quit|stopped"
    rf"|cut out)\s+(?P<what>[a-z]+)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_CONSUMED = {
    **dict.fromkeys(("coffee", "tea", "alcohol", "beer", "wine", "soda", "caffeine", "milk"), "drink"),
    **dict.fromkeys(("meat", "sugar", "dairy", "gluten", "fish", "carbs", "chocolate", "bread", "pork", "beef"), "eat"),
    **dict.fromkeys(("cigarettes", "tobacco", "weed"), "smoke"),
}
_LEFT_JOB = re.compile(
    rf"I(?:'ve| have)?\s+{_ADVERBS}(?:quit|left|resigned from|lost) my (?:old )?(?:job|position|role"
    rf"|post) (?:at|with|as) (?P<rest>\S.*)",
    re.IGNORECASE,
)
_LEFT = re.compile(
    rf"I(?:'ve| have)?\s+{_ADVERBS}(?:left|quit"
    rf"|resigned from) (?P<rest>(?-i:[A-Z])[\w&-]*(?: (?-i:[A-Z])[\w&-]*)?)(?!'s|[\w-]| (?:in|on|at|with"
    rf"|behind|a|the|my)"
    r" (?!(?:Jan|Feb|Mar|Apr|May|June|July|Aug|Sep|Oct|Nov|Dec|19\d\d|20\d\d)))",
    re.IGNORECASE,
)
_LET_GO = re.compile(
    rf"I(?:'ve| have)?\s+(?:was|got|am|been|were)\s+{_ADVERBS}(?:laid off|let go|fired|dismissed|made redundant) (?:from|by|at)"
    r" (?P<rest>(?-i:[A-Z])[\w&-]*(?: (?-i:[A-Z])[\w&-]*)?)(?![\w-])",
    re.IGNORECASE,
)
_AT = re.compile(r"(?:at|with) (?=(?-i:[A-Z]))", re.IGNORECASE)
_MOVED_AWAY = re.compile(rf"I(?:'ve| have)?\s+{_ADVERBS}(?:moved|am moved) (?:away from|out of) (?P<rest>\S.*)", re.IGNORECASE)
_SOLD = re.compile(rf"I(?:'ve| have)?\s+{_ADVERBS}(?:sold|got rid of|gave away|given away) my (?P<rest>\S.*)", re.IGNORECASE)
_FORGET = re.compile(
    r"(?:please |pls |can you |could you |you can |you may |you should )*(?:forget|disregard|ignore"
    r"|delete|erase|remove|stop remembering|don't remember|do not remember|no need to remember"
    r"|unlearn)\s+"
    r"(?:(?:about )?the (?:fact|memory|note|part)(?: that| where| about)?|that|what I (?:said"
    r"|told you)(?: about| that)?:?|(?:about )?my telling you that|your memory that)\s+(?P<rest>\S.*)",
    re.IGNORECASE,
)
_FORGET_MINE = re.compile(r"(?:please |pls |you can )*(?:forget|delete|erase|unlearn)\s+(?P<rest>my \S.*)", re.IGNORECASE)
_NOT_TRUE = re.compile(
    r"(?:no[,.!]? )?(?:that(?:'s| is| was)|this is|it(?:'s| is)) (?:not (?:true|right|correct|so)|wrong"
    r"|false|incorrect|no longer (?:true|the case|so|correct)|not (?:true|the case) any ?more)"
    r"(?P<how>[:,.;!—-]+\s*|\s+that\s+)(?P<rest>\S.*)",
    re.IGNORECASE,
)
_NEVER_SAID = re.compile(r"I never (?:said|told you)(?: that)? (?P<rest>I\b.*)", re.IGNORECASE)
_DENIED = re.compile(
    r"(?P<who>I|we)\s*(?:(?P<am>'m|am|'re|are) not|(?P<do>don't|do not|never)|(?P<have>haven't|have not)"
    r"|(?P<can>can't|cannot))\s+(?P<rest>\S.*)",
    re.IGNORECASE,
)
_DENIED_MINE = re.compile(r"(?P<what>my [\w' -]{1,60}?) (?P<is>is|are)(?: not|n't) (?P<rest>\S.*)", re.IGNORECASE)
_USED_TO_BUT = re.compile(
    r"I used to (?P<rest>.{1,200}?),? but (?:not any ?more|no longer|I (?:stopped|quit|don't any ?more"
    r"|do not any ?more|gave (?:it|that) up))\b.*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:[,;.!]\s.*|\s+(?:because|since|but|so|and (?:now|I)|as of|for (?:health|good)|instead|in (?:19"
    r"|20)\d\d|last (?:week|month|year|\w+day|spring|summer|autumn|winter)"
    r"|yesterday|today|recently|now|this (?:week|month|year|morning)|(?:a|an|\w{1,6}) (?:days?|weeks?"
    r"|months?|years?) ago|after|when|either|at all|please|anymore|any more)(?![\w-]).*)\Z",
    re.IGNORECASE,
)
# What is to be forgotten may be followed by why, and by what holds instead.
_AFTER = re.compile(
    r"\s*[,;:.!—–-]+\s+(?=(?:it|that|this|I|I'm|I've|my|we|he|she|they|because|since|as|sorry|please|thanks|thank)\b)|\s+because\s",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_ENDS = " \t.,;:!。，；：！~～\"'”“"


# A new statement is asked with each old one that it is compared with.
@lru_cache(maxsize=1_024)
def retraction(text: str) -> str | None:
    """The statement that a sentence takes back, in the first person; None for a sentence that takes nothing back."""
    text = " ".join(text[:LONGEST].replace("’", "'").split())
    if text.rstrip(" \"'”").endswith(("?", "？")):
        return None
    while (lead := _LEAD.match(text)) is not None and 0 < lead.end() < len(text):
        text = text[lead.end() :]
    user = _USER.match(text)
    if user is not None and user.end() < len(text):
        text = first_person(text[user.end() :]).replace("I am no longer", "I'm no longer")
    found = taken_back(text) if _HAN.search(text) else _english(text)
    return found.strip(_ENDS) or None if found else None


_LEAD = re.compile(LEAD_IN.pattern.replace("|don't forget", "").replace("|no|", "|"), re.IGNORECASE)


def _english(text: str) -> str | None:
    for form in (_FORGET, _FORGET_MINE):
        found = form.match(text)
        if found is not None:
            return _own(_AFTER.split(found["rest"], maxsplit=1)[0].rstrip(_ENDS))
    found = _NOT_TRUE.match(text)
    if found is not None:
        return _own(found["rest"]) if "that" in found["how"] else _affirmed(found["rest"])
    if _ASKS.match(text):
        return None
    return _given_up(text)


def _given_up(text: str) -> str | None:
    """What a statement of the user's says that is no longer so."""
    head = _CLAUSES.split(text, maxsplit=1)[0]
    found = _USED_TO_BUT.match(text)
    if found is not None:
        return f"I {found['rest']}"
    found = _NEVER_SAID.match(text)
    if found is not None:
        return _own(_cut(found["rest"]))
    if _UNSURE.search(head):
        return None
    for form, made in _FORMS:
        found = form.match(text)
        if found is not None:
            return made(found)
    return None


_CLAUSES = re.compile(r"[,;.!]\s|\s(?:because|since|but|so|and|after|when)\s", re.IGNORECASE)


def _no_longer(found: re.Match[str]) -> str | None:
    rest = _cut(found["rest"])
    if found["what"] is not None:
        return f"{found['of'].lower()} {found['what']} {found['is']} {rest}"
    if found["am"] and _AT.match(rest):
        return f"{found['own']} work {rest}"
    return f"{found['own']}{found['am'] or ''} {rest}"


def _no_more(found: re.Match[str]) -> str | None:
    word = found["not"].casefold().replace("n't", "").replace(" not", "").strip(" '")
    verb = {
        "do": "",
        "dont": "",
        "ca": "can ",
        "can": "can ",
        "cannot": "can ",
        "have": "have ",
        "are": "are ",
        "re": "are ",
        "m": "am ",
        "am": "am ",
    }
    return f"{found['who']} {verb.get(word, '')}{_cut(found['rest'])}"


def _stopped(found: re.Match[str]) -> str | None:
    return f"{found['who']} {base_form(found['doing'].lower())}{_cut(found['rest'])}"


def _gave_up(found: re.Match[str]) -> str | None:
    verb = _CONSUMED.get(found["what"].casefold())
    return f"I {verb} {found['what'].lower()}" if verb else None


def _affirmed(rest: str) -> str | None:
    """What a denial denies."""
    found = _DENIED.match(rest)
    if found is None:
        mine = _DENIED_MINE.match(rest)
        return None if mine is None else f"{mine['what']} {mine['is']} {_cut(mine['rest'])}"
    verb = (
        "'m "
        if found["am"] and found["who"].upper() == "I"
        else " are "
        if found["am"]
        else " have "
        if found["have"]
        else " can "
        if found["can"]
        else " "
    )
    return f"{found['who']}{verb}{_cut(found['rest'])}"


def _own(rest: str) -> str | None:
    """A statement about the user, None for what is somebody else's."""
    user = re.match(r"(?:the )?user(?:'s)?\s+", rest, re.IGNORECASE)
    if user is not None:
        return f"my {rest[user.end() :]}" if "'s" in user[0] else first_person(rest[user.end() :])
    return rest if re.match(r"(?:I|my|we|our)\b", rest, re.IGNORECASE) else None


def _cut(rest: str) -> str:
    return _TAIL.sub("", rest).rstrip(_ENDS)


_FORMS = (
    (_NO_LONGER, _no_longer),
    (_NO_MORE, _no_more),
    (_STOPPED, _stopped),
    (_LEFT_JOB, lambda found: f"I work at {_cut(found['rest'])}"),
    (_LET_GO, lambda found: f"I work at {found['rest']}"),
    (_LEFT, lambda found: f"I work at {found['rest']}"),
    (_MOVED_AWAY, lambda found: f"I live in {_cut(found['rest'])}"),
    (_GAVE_UP, _gave_up),
    (_SOLD, lambda found: f"I have a {_cut(found['rest'])}"),
)
