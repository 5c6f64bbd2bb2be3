"""A text as the gate of facts reads it: a few sentences, each in one case, one width and one spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from memtree.tree.fact_gate_parts import Sentence
from memtree.tree.fact_script import simplified

_HEAD, _TAIL = 2_000, 500  # characters looked at, of a text that is longer than both
_LONGEST = 400  # of a sentence
_MOST = 24  # sentences
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")

_CODE = re.compile(r"`[^`\n]{1,200}`")
_APOSTROPHES = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "`": " ",
        "“": '"',
        "”": '"',
        "„": '"',
        "*": " ",
        "_": " ",
        "—": ", ",
        "–": "-",
        "\u200b": None,
        "\ufeff": None,
    }
)
_BESIDE_HAN = re.compile(r"(?<=[\u3400-\u9fff，。、？！；：]) +| +(?=[\u3400-\u9fff，。、？！；：])")
_ABBREVIATED = re.compile(r"\b(?:dr|mr|mrs|ms|st|no|vs|etc|e\.g|i\.e|approx|prof|jr|sr|a\.m|p\.m|ph\.d|u\.s)\.$")
_END = re.compile(r"[.!?;](?= )|[。！？；]")
_TRAILING = " .,;:!。！，；：、…~\"')]-|"
_LEADING = " -•·#>|\"'([,.;:!。！，；：、…~"

_CONTRACTED = (
    (re.compile(r"\b(?:i'm|im|i am gonna)\b"), "i am"),
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\b(?:gotta|got to)\b"), "have to"),
    (re.compile(r"\blet's\b|\blets\b"), "let us"),
    (re.compile(r"\blemme\b"), "let me"),
    (re.compile(r"\bdunno\b"), "do not know"),
    (re.compile(r"\b(?:can't|cant|cannot)\b"), "can not"),
    (re.compile(r"\b(?:won't|wont)\b"), "will not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|must|need)n'?t\b"), r"\1 not"),
    (re.compile(r"\b(i|we|you|they|he|she|it|that|there|this)'ll\b"), r"\1 will"),
    (re.compile(r"\b(i|we|you|they)'ve\b|\bive\b"), r"i have"),
    (re.compile(r"\b(we|you|they)'re\b"), r"\1 are"),
    (re.compile(r"\b(i|we|you|they|he|she)'d (?=like|love|rather|prefer)"), r"\1 would "),
    (re.compile(r"\b(he|she|it|that|there|what|where|who|how|here|when|why)'s\b|\b(what)s\b"), r"\1\2 is"),
)
# Words that only lead to a sentence, or colour it.
_LEAD = re.compile(
    r"(?:(?:ok(?:ay)?|so|well|hey|hi|hello|btw|by the way|also|and|but|oh|ah|um|uh|yeah|yes|yep|no(?=,)|right(?=,)"
    r"|sure|anyway|anyways|alright|all right|actually|honestly|basically|unfortunately"
    r"|thanks|thank you|sorry|lol|haha|ugh|fyi|then|hmm|cool|great|perfect|damn|oh no|good morning|morning"
    r"|quick update|update|note to self|just so you know|for now|you know|i mean|look|listen|man|guys"
    r"|today|tonight|tomorrow|yesterday|right now|at the moment|currently|now|this morning|this afternoon|this evening"
    r"|last night|earlier today|earlier|just now|later|later today|later tonight|this weekend|after (?:work|lunch"
    r"|dinner|school|class|that|this)"
    r"|before bed|on the way (?:home|to work)|for (?:breakfast|lunch|dinner)(?: today)?|at (?:lunch|noon|midnight"
    r"|lunchtime)|in the (?:morning|afternoon|evening)|first|next|as of now|as we speak|presently|from the looks of it"
    r"|i think|i guess|it seems|it seems that|apparently|maybe|perhaps"
    r"|in (?:\d+|ten|five|twenty|thirty|a few|an|half an|two) (?:minutes|min|hours?)|in a (?:bit|minute|moment|while)"
    r"|once (?:this|that) is done|status|status update|log)(?:,|:|-|\b(?!'))[ ,:-]*){1,4}"
)
_FILLERS = re.compile(
    r"\b(?:just|really|also|already|still|actually|currently|presently|probably|definitely|quickly|finally|simply"
    r"|honestly|basically|kinda|kind of|sort of|pretty|very|so|quite|a bit|a little|super|totally|absolutely|extremely"
    r"|somewhat|literally"
    r"|now|right now|soon|certainly|maybe|perhaps|slightly|incredibly|truly|both|personally|obviously|even|again"
    r"|once again|first|immediately|momentarily|temporarily|briefly|at the moment|as well|too)\b(?! (?:than|much of"
    r"|busy for)\b) ?"
)
# Of those, what says when: it is moved to the end.
_WHEN = re.compile(
    r"\b(?:right now|now|at the moment|currently|presently|tonight|today|tomorrow|yesterday|this (?:morning|afternoon"
    r"|evening|weekend)|last night|earlier today|just now"
    r"|later today|later tonight|later|after (?:work|lunch|dinner|school|class)|before bed|on the way (?:home|to work)"
    r"|as we speak)\b"
)
_THE_USER = re.compile(
    r"^(?:the |this |our )?user(?:'s)?(?=[ ,])|^(?:we|he/she|they)(?= (?:are|have|will|want|need|plan|had|just|went"
    r"|ate|ran|ordered|cooked|made|got|slept|drank|walked|played|bought|took|did|baked|drove|saw|stayed|watched|can"
    r"|should|might)\b)"
)
_BE = re.compile(r"^i (?:is|are|'s|'m)\b")
_HAS = re.compile(r"^i has\b")
_NO_SUBJECT = re.compile(
    r"^(?:(?:is|am|are|was|has)(?! (?:it|this|that|there|the|my|your|our|these|those|he|she|they|you|we)\b)|wants?"
    r"|needs?|plans?|planning|intends?|intending|hopes?|thinking|considering|feels?|feeling|asked|asks|asking|wonders?"
    r"|wondered|requests?|requested|would like|will|might|may|should|must|going to|about to|gonna|inquired|inquires"
    r"|enquired|looking|trying|tries|having|has to|needing|seeks?|seeking"
    r"|wanted|decided|craving|gotta|have to|had to|could use|curious|got|did not|could not|can not|do not|does not"
    r"|won't|will not|on|in|at|stuck|off to|barely|hardly)\b"
)


def sentences_in(text: str) -> Iterator[Sentence]:
    """The sentences of a text, of a long one the first and last ones."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]} {text[-_TAIL:]}"
    level = _level(text)
    yield from islice((sentence for part in _parts(level) if (sentence := _sentence(part)) is not None), _MOST)


def _level(text: str) -> str:
    text = unicodedata.normalize("NFKC", _CODE.sub(" xcodex ", text).translate(_APOSTROPHES))[: 2 * (_HEAD + _TAIL)]
    text = " ".join(text.casefold().translate(_APOSTROPHES).split())
    if HAN.search(text):
        text = _BESIDE_HAN.sub("", simplified(text))
    return text


def _parts(level: str) -> Iterator[str]:
    begin = 0
    for cut in _END.finditer(level):
        if _ABBREVIATED.search(level[max(begin, cut.end() - 8) : cut.end()]):
            continue
        yield level[begin : cut.end()]
        begin = cut.end()
    yield level[begin:]


def _sentence(part: str) -> Sentence | None:
    text = part.strip(_TRAILING + " ").lstrip(_LEADING)[:_LONGEST]
    asks = text.endswith(("?", "？"))
    text = text.rstrip(_TRAILING + "?？ ")
    if not any(char.isalnum() for char in text):
        return None
    if HAN.search(text):
        return Sentence(text, text, asks)
    for pattern, plain in _CONTRACTED:
        text = pattern.sub(plain, text)
    return Sentence(text, core_of(text), asks)


def core_of(text: str) -> str:
    """An English sentence without what only leads to it or colours it, `i` for the user as subject."""
    lead = _LEAD.match(text)
    core = text[lead.end() :] if lead is not None and len(text) > lead.end() else text
    possessive = re.match(r"(?:the )?user's ", core)
    if possessive is not None:
        core = "my " + core[possessive.end() :]
    core = _THE_USER.sub("i", core)
    told_when = _WHEN.findall(core) if lead is None else _WHEN.findall(lead[0]) + _WHEN.findall(core)
    core = _FILLERS.sub("", core).strip(" ,")
    core = _HAS.sub("i have", _BE.sub("i am", core))
    if _NO_SUBJECT.match(core):
        core = "i " + re.sub(r"^(?:is|am|are)\b", "am", re.sub(r"^has\b", "have", core))
        core = re.sub(
            r"^i (going|about|gonna|planning|thinking|considering|feeling|asking|looking|trying|having|seeking|craving"
            r"|intending|curious|on|in|at|stuck|off)\b",
            r"i am \1",
            core,
        )
    return " ".join([core or text, *(when for when in told_when if when not in core)])
