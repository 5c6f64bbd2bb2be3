"""Whether a clause tells what was, is or will be, and whether it tells a habit: by its words, in English and Chinese."""

from __future__ import annotations

import re

from memtree.tree.spoken_forms import AFTER, BEFORE, Tense

_REACH = 240  # characters to either side that a clause can have
_CUTS = re.compile(r"[,;!?。，；！？\n()（）]|\.(?=\s|\Z)|[:：](?![0-9])")
_PARTS = re.compile(rf"{BEFORE}(?:but|while|whereas|then){AFTER}|但是?|然后|不过", re.IGNORECASE)
_IRREGULAR = (
    "was were had did went met saw bought got took came left began ran gave made told said found lost won wrote ate drank slept"
    " broke fell felt flew kept paid sold sent spent spoke stood thought taught wore grew knew became built drove chose hurt"
    " caught brought heard held led rode sang sat swam threw understood woke forgot chatted dreamt learnt burnt stuck dealt fought"
    " shot shook stole tore hid lent bent lit rang rose sank hung dug bound wound bred fed fled laid meant born quit"
    " bit blew drew froze forgave overslept sped spun stung struck swore swept wept withdrew overcame undertook shone crept dreamed"
    " leapt mistook outgrew overheard rebuilt repaid resold retold rewrote slid slung spat split sprang stank strode strove swung"
    " trod underwent upheld wove"
)
_NO_PAST = "need feed speed seed breed indeed hundred shed bed embed exceed proceed succeed bleed kindred sacred naked united used"
_AUXILIARY = rf"(?:{BEFORE}(?:am|is|are|be|been|being|gets?|getting|isn't|aren't|ain't)|'s|'re|'m)"
_UNCHANGED = r"(?<!to )(?<!can )(?<!n't )(?<!not )(?<!may )(?:put|cut|hit|let|shut|spread|burst|cost|beat|read|set)"
_PAST = re.compile(
    rf"{BEFORE}(?:{'|'.join(_IRREGULAR.split())}|{_UNCHANGED}|wasn't|weren't|didn't|hadn't|couldn't"
    rf"|(?!(?:{'|'.join(_NO_PAST.split())}){AFTER})[a-z]{{2,18}}ed){AFTER}",
    re.IGNORECASE,
)
_PASSIVE = re.compile(rf"{_AUXILIARY}(?:\s+(?:not|now|currently|all|still|already|[a-z]{{2,14}}ly))?\s+\Z", re.IGNORECASE)
_PERFECT = re.compile(
    rf"{BEFORE}(?:have|has|'ve)\s+(?:\w{{1,14}}\s+)?(?:been|gone|done|seen|\w{{2,18}}ed|{{}}){AFTER}".replace(
        "{}", "bought|met|gotten|got|taken|come|left|begun|run|given|made|told|lost|won|written|quit|had|become|built|found"
    ),
    re.IGNORECASE,
)
_FUTURE = re.compile(
    rf"{BEFORE}(?:will|shall|gonna|won't|going\s+to|about\s+to|must|should"
    r"|(?:plan|plans|planning|wants?|hopes?|intends?|needs?|have|has|expects?|supposed|hoping|aims?|aiming|wish|wishes|remember|try|trying"
    r"|would\s+(?:like|love))\s+to|tomorrow|planning|looking\s+forward"
    rf"|plans\s+(?:a|the)|(?:planned|booked|scheduled|reserved|set)\s+for|let's){AFTER}|'ll{AFTER}",
    re.IGNORECASE,
)
# What was decided before the time is named is to come then; what stands after it was decided then.
_INTENDED = re.compile(
    rf"{BEFORE}(?:decided|promised|agreed|arranged|planned|wanted|expected|booked|set|hoped|intended|needed)\s+to{AFTER}[^\u241f]{{0,240}}\u241f",
    re.IGNORECASE,
)
_TO_COME = re.compile(rf"{BEFORE}(?:due|upcoming|deadline|scheduled|rescheduled|appointment){AFTER}", re.IGNORECASE)
_GOING = re.compile(rf"{BEFORE}(?:am|is|are|isn't|aren't|'m|'re|'s)\s+(?:\w{{1,12}}\s+)?[a-z]{{2,16}}ing{AFTER}", re.IGNORECASE)
_PRESENT = re.compile(
    rf"{BEFORE}(?:am|is|are|has|have|does|do|starts?|begins?|ends?|opens?|closes?|expires?|leaves?|arrives?|takes?|flies|moves?|meets?"
    rf"|'m|'re|goes|comes|gets|works?|needs?|wants?|turns?|graduates?|finish|finishes|returns?|launch|launches|runs?|plays?|can|visits?){AFTER}|(?<=[a-z])'(?:m|re|s)\s",
    re.IGNORECASE,
)
_HABIT = re.compile(
    rf"{BEFORE}(?:every|each|always|usually|often|annually|yearly|monthly|weekly|daily|biweekly|fortnightly|regularly|normally|typically"
    rf"|recurring|per\s+(?:week|month|year)|(?:once|twice)\s+a\s+(?:week|month|year)|a\s+(?:week|month|year)\s+on){AFTER}"
    r"|每(?!年底前)|年年|月月|逢|通常|往往|经常|总是|常常|一向|平时|隔周",
    re.IGNORECASE,
)
_RECURS = re.compile(
    rf"{BEFORE}(?:birthdays?|anniversar(?:y|ies)|name\s?day){AFTER}(?!\s+(?:part(?:y|ies)|dinner|lunch|trip|gift|present|cake))|生日(?![会聚派宴])|纪念日",
    re.IGNORECASE,
)
# Put off to a day: that is to come, whenever it was decided.
_PUT_OFF = re.compile(
    rf"{BEFORE}(?:postponed|moved|pushed|rescheduled|delayed|shifted|brought\s+forward|put\s+off|changed)\s+(?:\w{{1,14}}\s+){{0,3}}(?:to|until|till|for)\s+"
    r"(?:the\s+)?\u241f",
    re.IGNORECASE,
)
_MEANT_FOR = re.compile(r"\bfor\s+(?:the\s+)?\u241f")  # a table booked for Saturday
_REPORTED = re.compile(
    rf"{BEFORE}(?:said|says|told\s+\w{{1,20}}(?:\s+\w{{1,20}})?|mentioned|confirmed|announced|reminded\s+\w{{1,20}}|learned|heard|knew|thought|wrote)\s+(?:that\s+)?"
    r"(?=(?:he|she|it|they|we|I|you|the|my|his|her|our|their|there)\s)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(rf"{BEFORE}(?:I|we|you|they|he|she|it|user|who)\s+[a-z]", re.IGNORECASE)
_THIRD_PERSON = re.compile(
    rf"{BEFORE}(?!(?:this|his|us|its|as|plus|always|yes|thus|news|class|less|business|across|was){AFTER})[a-z]{{2,16}}s{AFTER}"
)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_ZH_FUTURE = re.compile(
    r"将(?!军)|(?<![社开晚年机聚议商工学协])会(?![议员计面展话场谈诊])|(?<![重主需不次])要(?![求点素是])|打算|准备|计划|希望|(?<![理幻])想(?![法象念起])"
    r"|预计|即将|安排|定于|截止|到期|约好|约了|预约|订了|定了|必须|需要|应该|得去|之前(?:完成|交)|出发去|提醒"
)
_ZH_SINCE = re.compile("(?:的[^,。;]{1,8})?(?:以来|至今)")
_ZH_PAST = re.compile(
    r"(?<![为除不])了(?!解)|(?<=[^\u241f\s]{2})的\s*\Z|(?<![通超经难])过(?![程敏年节来去期生分于度滤])|曾|已经|已(?!知)|刚(?!好)|当时|那时|以前|是[^,。]{1,30}的\s*\Z"
    r"|(?<=\u241f )(?:买|结|换|搬|拿|考|生|离|开|去|来|做|办|签|租|卖|装|学|养|进|辞|上|读|写|发|到|见|认识)的[^,。的]{1,6}\s*\Z"
    r"|决定|发现|收到|遇到|得知|确诊|发生|爆发|宕机|出现|时候?(?=我)|上次|出生|毕业于|去世|成立于|入职(?=于)"
)


def clause_at(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the clause begins and ends in which a stretch of a text lies."""
    first, last = max(0, start - _REACH), min(len(text), end + _REACH)
    for cut in _CUTS.finditer(text, first, start):
        if text[cut.start()] != "," or not _dated(text, cut.start()):
            first = cut.end()
    for part in _PARTS.finditer(text, first, start):
        first = part.end()
    cut_after = _CUTS.search(text, end, last)
    if cut_after is not None:
        last = cut_after.start()
    part_after = _PARTS.search(text, end, last)
    return first, part_after.start() if part_after is not None else last


def tense_of(text: str, start: int, end: int) -> Tense:
    """The tense of what is said beside a time; where its own clause has no verb, that of the whole sentence."""
    if _ZH_SINCE.match(text, end):
        return Tense.PAST
    first, last = clause_at(text, start, end)
    found = _tense(text[first:start] + " \u241f " + text[end:last])
    if found is not Tense.UNCLEAR:
        return found
    first, last = max(0, start - _REACH), min(len(text), end + _REACH)
    return _tense(text[first:start] + " \u241f " + text[end:last])


def is_habit(text: str, start: int, end: int) -> bool:
    """Whether the clause says that something comes again every week, month or year."""
    first, last = clause_at(text, start, end)
    clause = text[first:start] + " " + text[end:last]
    return _HABIT.search(clause) is not None or _RECURS.search(clause) is not None


def _dated(text: str, comma: int) -> bool:
    """A comma inside a date, or after words that only say when: In May, I moved."""
    return comma < 24 and text[:comma].count(" ") < 5 and not _HAN.search(text[:comma])


def _tense(clause: str) -> Tense:
    if _HAN.search(clause):
        if _ZH_FUTURE.search(clause):
            return Tense.FUTURE
        return Tense.PAST if _ZH_PAST.search(clause) else Tense.UNCLEAR
    reported = _REPORTED.search(clause)
    clause = clause[reported.end() :] if reported is not None else clause
    if _FUTURE.search(clause) or _INTENDED.search(clause) or _PUT_OFF.search(clause) or _MEANT_FOR.search(clause):
        return Tense.FUTURE
    if _PERFECT.search(clause):
        return Tense.PAST
    for verb in _PAST.finditer(clause):
        if _PASSIVE.search(clause[max(0, verb.start() - 30) : verb.start()]):
            continue
        return Tense.PAST
    if _GOING.search(clause) or _TO_COME.search(clause):
        return Tense.FUTURE
    is_present = _PRESENT.search(clause) or _SUBJECT.search(clause) or _THIRD_PERSON.search(clause)
    return Tense.PRESENT if is_present else Tense.UNCLEAR
