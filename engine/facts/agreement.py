"""Agreement: whether a statement says what its source says: the same numbers, names and days, the same yes or no, one language.

Each check names nothing but what speaks against a statement; whether enough speaks for it, others look.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memtree.engine.facts.candidate import Said
from memtree.engine.facts.support import roots, signs, telling
from memtree.tree.evidence_words import levelled, names_in, numbers_in, spelled_numbers_in

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_CALENDAR = frozenset({*_MONTHS, *_DAYS, *(f"{day}s" for day in _DAYS)})
_CHINESE_DAY = re.compile("(?:周|星期|礼拜)([一二三四五六日天])")
_CHINESE_DAYS = "一二三四五六日"
_MONTH_WORD = re.compile(r"(?<![a-z])(" + "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS) + r")(?![a-z])")
_DAY_WORD = re.compile(r"(?<![a-z])(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:day)?s?(?![a-z])")
_RELATIVE = (
    ("today", "今天|今日"),
    ("tomorrow", "(?<!后)明天|明日"),
    ("yesterday", "昨天|昨日"),
    ("tonight", "今晚"),
    ("last night", "昨晚"),
)
_SEASONS = (
    re.compile(
        r"(?<![a-z])(?:in|last|this|next|every|each|since|until|early|late) (?:the )?spring(?![a-z])|spring (?:of )?[0-9]{4}"
        r"|春[天季]"
    ),
    re.compile(r"(?<![a-z])summers?(?![a-z])|夏[天季]"),
    re.compile(
        r"(?<![a-z])(?:autumns?|(?:in|last|this|next|every|each|since) (?:the )?fall)(?![a-z])|fall (?:of )?[0-9]{4}|秋[天季]"
    ),
    re.compile(r"(?<![a-z])winters?(?![a-z])|冬[天季]"),
)
_THOUSANDS = re.compile(r"(?<![\w.])([0-9]+(?:\.[0-9]+)?)[ ]?(k|m|万|亿|千|million|thousand|billion)(?![a-z])")
_TIMES = {"k": 3, "thousand": 3, "千": 3, "万": 4, "m": 6, "million": 6, "亿": 8, "billion": 9}
_UNIT = re.compile(f"(?<![0-9.,:])([0-9]+)[ ]?([{_HAN}]|[a-z]{{2,12}})")
_AFTERNOON = re.compile(r"(?<![\d.])([0-9]{1,2})(?:[:.][0-9]{2})?[ ]?(?:pm|p\.m)|(?:下午|晚上|傍晚)([0-9]{1,2})(?=点|:)")
_FULL_HOUR = re.compile(r"(?<=[0-9]):00(?![0-9])")
_HOW_MANY = re.compile(
    r"(?<![a-z-])(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?=[ ][a-z]+s(?![a-z]))"
    r"|([二两三四五六七八九])(?=[个岁口名位只条匹次])"
)
_COUNTED = (
    ("both|twice|two|a couple|a pair|双|两|俩", "2"),
    ("once|single|a|an|单", "1"),
    ("dozen|一打", "12"),
    ("half|半", "0.5"),
)
_ORDINAL = re.compile(r"(?<![\w])(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?![a-z])")
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]


def said_numbers(said: Sequence[Said]) -> frozenset[str]:
    """The numbers that turns say, in digits or words, with those of the times that they speak of, resolved."""
    found: set[str] = set()
    for one in said:
        plain = levelled(one.text)
        found |= numbers_in(plain) | spelled_numbers_in(plain)
        for amount, unit in _THOUSANDS.findall(plain):
            whole = float(amount) * 10 ** _TIMES[unit]
            found.add(str(int(whole)) if whole.is_integer() else str(whole))
        found |= {str(int(one or two) % 12 + 12) for one, two in _AFTERNOON.findall(plain)}
        found |= {number for words, number in _COUNTED if re.search(rf"(?<![a-z])(?:{words})(?![a-z])", plain)}
        found |= {str(_ORDINALS.index(word) + 1) for word in _ORDINAL.findall(plain)}
        found |= {str(1 + [month[:3] for month in _MONTHS].index(word[:3])) for word in _MONTH_WORD.findall(plain)}
        for moment in resolved(one):
            found |= numbers_in(moment.replace("-", " ").replace("T", " ").replace(":", " "))
    return frozenset(found)


@lru_cache(maxsize=512)
def resolved(said: Said) -> tuple[str, ...]:
    """The dates that a turn's words for times stand for."""
    from memtree.tree.spoken_time import anchor_of, times_in

    times = times_in(said.text, anchor_of(said.timestamp, said.zone))
    return tuple(moment for one in times for moment in (one.resolved_start, one.resolved_end) if moment)


def number_not_said(text: str, said: Sequence[Said]) -> str:
    """A number, or a day such as Friday or tomorrow, that a statement has and no turn, '' for none."""
    plain = _FULL_HOUR.sub("", levelled(text))
    numbers = numbers_in(plain) | _counted(plain)
    if numbers:
        known = said_numbers(said)
        for number in sorted(numbers):
            if number not in known and number.rstrip("0").rstrip(".") not in known:
                return number
        if wrong := _other_number(plain, said):
            return wrong
    return _day_not_said(plain, said)


def _counted(plain: str) -> frozenset[str]:
    """How many a statement says there are, in words: three kids, 三个孩子."""
    return frozenset(number for word, sign in _HOW_MANY.findall(plain) for number in spelled_numbers_in(word or sign))


def _other_number(plain: str, said: Sequence[Said]) -> str:
    """A number before a thing of which the turns say other numbers only: 3楼 where they say 5楼."""
    told: dict[str, set[str]] = {}
    for one in said:
        for number, unit in _UNIT.findall(levelled(one.text)):
            told.setdefault(unit, set()).add(number)
    return next((number + unit for number, unit in _UNIT.findall(plain) if unit in told and number not in told[unit]), "")


def _day_not_said(plain: str, said: Sequence[Said]) -> str:
    if season := _season_not_said(plain, said):
        return season
    days, months = _days(plain), _months(plain)
    relative = [(word, other) for word, other in _RELATIVE if _says(word, other, plain)]
    if not (days or months or relative):
        return ""
    texts = [levelled(one.text) for one in said]
    for word, other in relative:
        if not any(_says(word, other, each) for each in texts):
            return word
    dates = [date for one in said for moment in resolved(one) if (date := _date(moment)) is not None] if days or months else []
    known_days = {day for each in texts for day in _days(each)} | {date.weekday() for date in dates}
    known_months = {month for each in texts for month in _months(each)} | {date.month for date in dates}
    wrong = [_DAYS[day] for day in sorted(days - known_days)] + [_MONTHS[month - 1] for month in sorted(months - known_months)]
    return wrong[0] if wrong else ""


def _season_not_said(plain: str, said: Sequence[Said]) -> str:
    """A season of which no turn speaks, nor a time in it."""
    for place, season in enumerate(_SEASONS):
        if season.search(plain) is None or any(season.search(levelled(one.text)) for one in said):
            continue
        months = {3 * place + 3, 3 * place + 4, (3 * place + 4) % 12 + 1}
        spoken = {month for one in said for month in _months(levelled(one.text))}
        dates = {date.month for one in said for moment in resolved(one) if (date := _date(moment)) is not None}
        if not months & (spoken | dates):
            return ("spring", "summer", "autumn", "winter")[place]
    return ""


def _says(word: str, other: str, plain: str) -> bool:
    return re.search(rf"(?<![a-z]){word}(?![a-z])|{other}", plain) is not None


def _days(plain: str) -> set[int]:
    short = [day[:3] for day in _DAYS]
    english = {short.index(day) for day in _DAY_WORD.findall(plain) if re.search(rf"(?<![a-z]){day}[a-z]*day", plain)}
    return english | {_CHINESE_DAYS.index("日" if day == "天" else day) for day in _CHINESE_DAY.findall(plain)}


def _months(plain: str) -> set[int]:
    """The months in a text; `may` and `march` alone are words."""
    full = {
        number
        for number, month in enumerate(_MONTHS, 1)
        if month not in ("may", "march") and re.search(rf"(?<![a-z]){month}", plain)
    }
    return full | {int(number) for number in re.findall(r"(?<!\d)(1[0-2]|0?[1-9])月(?!前|后)", plain)}


def _date(moment: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(moment[:10])
    except ValueError:
        return None


_CALLED = re.compile(
    f"(?:名叫|名字[叫是]|叫做|叫作|叫|改名为?|姓|小|老|阿)([{_HAN}]{{1,2}})|(?:住在|搬到|搬去|来自|去|到|在|飞往?)([{_HAN}]{{2}})"
)
_CALLED_TOO = re.compile(f"(?:叫|名为)([{_HAN}]{{2,3}})(?:和|与|跟|、)([{_HAN}]{{2}})")
_NO_NAME = frozenset("做是我你他她用户这那什么家公司学校一个了的老小阿姨板师婆公哥姐弟妹孩时候以前之后现里面上海外国")


def name_not_said(text: str, said: Sequence[Said], subject: str = "") -> str:
    """A name that a statement has and neither a turn nor who speaks there, '' for none."""
    there = " ".join((*(levelled(one.text) for one in said), *(levelled(one.speaker) for one in said), levelled(subject)))
    words = roots(there)
    for name in names_in(text):
        plain = levelled(name).removesuffix("'s")
        if plain not in there and plain not in _CALENDAR and not roots(name) <= words and not _parts_of(plain) <= _parts_of(there):
            return name
    for known, listed in _CALLED_TOO.findall(text):
        if known in there and listed not in there:
            return str(listed)
    for called, place in _CALLED.findall(text):
        new = [char for char in called + place if char not in there and char not in _NO_NAME]
        if len(new) >= (1 if called else 2):
            return str(called + place)
    return ""


def _parts_of(plain: str) -> set[str]:
    return set(re.split(r"[\s.'’,;:!?()\"/-]+", plain)) - {""}


_WHO = r"(?:i|i'm|we|my|she|he|they|it|it's)\s"
_CLAUSE = re.compile(
    r"[.!?;。！？\n]+|,?\s+(?:but|however|although|though|whereas|while|because|since|unless|until)\s+|,\s*(?:and|so|which|who)\s+"
    rf"|\s+and\s+(?={_WHO})|,\s*(?={_WHO}|now\s|(?:please\s+)?(?:do not|don'?t|never|not)\s)"
    rf"|,?(?:但是|但|不过|而且|因为|所以|虽然)|,(?=[{_HAN}])"
)
_NOT = re.compile(
    r"(?<![a-z])(?:not|cannot|never|without|nobody|none|nothing|neither|nor|hardly|no longer|no more|dislikes?|disliked|hates?"
    r"|hated|avoids?|avoiding|refuses?|stopped|stops|quit|quits|ceased|unable|except|used to|gave up|isnt|dont|doesnt|didnt"
    r"|wont|cant|arent|wasnt"
    r"|no(?!\s+(?:problem|doubt|matter|idea|worries)))(?![a-z])(?!\s+only)|n't(?![a-z])"
)
_ANSWERS_NO = re.compile(r"^\s*(?:no|nope|not really|不|不是|没有)\s*[,，.。!！]\s*")
_NOT_CHINESE = re.compile(
    "(?:不(?!错|过|仅|但|管|论|久|好意思|少|得不|断|同)|(?<!有)没(?!问题|错|关系)|未(?!来|必)|勿|别(?!人|的|墅|处)|从不|讨厌|戒|禁止|拒绝|避免|无法)"
)
_HARMLESS = re.compile("差不多|对不起|是不是|要不要|有没有|能不能|会不会|不得不|特别|区别|分别|个别|级别|性别|告别|无论|非常")


_LEFT = re.compile(
    r"(?<![a-z])(?:left|resigned|sold|cancell?ed|switched|replaced|instead of|rather than)(?![a-z])|离开|辞|换|卖|改用"
)


# What says how something is liked says yes or no of it, not what it is.
_TASTES = re.compile(
    r"(?<![a-z])(?:(?:dis)?lik(?:es?|ed|ing)|lov(?:es?|ed|ing)|hat(?:es?|ed|ing)|enjoy(?:s|ed|ing)?|prefer(?:s|red)?)(?![a-z])|喜欢|讨厌|爱"
)
_PAST = re.compile(r"(?<![a-z])(?:previously|formerly|former|in the past|used to)(?![a-z])|以前|曾|过去")
_ENDED = re.compile(r"(?<![a-z])(?:used to|no longer|no more|anymore|stopped|quit|gave up)(?![a-z])|不再|戒")


def denied(clause: str) -> bool:
    """Whether a clause says that something is not so, in whatever words: never, no longer, hates, 不, 没有, 讨厌."""
    plain = _ANSWERS_NO.sub("", clause)
    return _NOT.search(plain) is not None or _NOT_CHINESE.search(_HARMLESS.sub("", plain)) is not None


def negation_differs(text: str, said: Sequence[Said]) -> str:
    """A clause of a statement that says no where its source says yes, or the other way round; '' for none."""
    past = _PAST.search(levelled(text)) is not None
    clauses = [(clause, _says_no(clause, past), bool(_LEFT.search(clause))) for one in said for clause in _clauses(one.text)]
    for clause in _clauses(text):
        words = telling(_TASTES.sub(" ", clause)) or telling(clause)
        hits = [len(words & roots(other)) for other, _, _ in clauses]
        if not any(hits):
            own = signs(clause)
            hits = [len(own & signs(other)) for other, _, _ in clauses]
        best = max(hits, default=0)
        wanted = _says_no(clause, past)
        # Who left one thing for another has said yes and no.
        nearest = [bool(no & wanted) or both for count, (_, no, both) in zip(hits, clauses, strict=True) if count == best]
        if best and not any(nearest):
            return clause.strip()
    return ""


def _says_no(clause: str, past: bool) -> frozenset[bool]:
    """Whether a clause denies something; of what is spoken of as past both what was and what is no longer can be meant."""
    no = denied(clause)
    return frozenset((no, denied(_ENDED.sub(" ", clause)))) if past else frozenset((no,))


def _clauses(text: str) -> list[str]:
    plain = _ANSWERS_NO.sub("", levelled(text))
    return [clause for clause in _CLAUSE.split(plain) if clause and clause.strip()]


_LATIN_WORD = re.compile(r"(?<![\w`./@#-])[a-zß-öø-ÿ][a-zß-öø-ÿ'’]*(?![\w`/@])")
_SCRIPTS = (
    ("Japanese", re.compile("[\u3040-\u30ff]")),
    ("Korean", re.compile("[\uac00-\ud7af]")),
    ("Cyrillic", re.compile("[\u0400-\u04ff]")),
    ("Arabic", re.compile("[\u0600-\u06ff]")),
    ("Greek", re.compile("[\u0370-\u03ff]")),
    ("Hebrew", re.compile("[\u0590-\u05ff]")),
    ("Thai", re.compile("[\u0e00-\u0e7f]")),
    ("Devanagari", re.compile("[\u0900-\u097f]")),
)
_CHINESE = re.compile(f"[{_HAN}]")
_COMMONEST = {
    "English": "the is are my i have has was with and of user user's lives likes prefers works uses in to for not at on",
    "German": "ich ist nicht und der die das ein eine mein meine habe bin wir mit auf für von im wohne arbeite",
    "French": "je suis est et le les une mon ma mes dans pour pas avec nous ai du des habite",
    "Spanish": "yo soy es el los una mi mis en con para no estoy vivo tengo trabajo del",
    "Portuguese": "eu sou é os uma meu minha em com para não estou moro tenho trabalho do da",
    "Italian": "io sono è il gli una mio mia con per non ho abito lavoro del della di",
}
_OF = {name: frozenset(words.split()) for name, words in _COMMONEST.items()}


def other_language(text: str, said: Iterable[Said]) -> str:
    """The language that a statement is in and its source is not, '' where they agree or too little is said."""
    source = "\n".join(one.text for one in said)
    for name, letters in _SCRIPTS:
        here, there = letters.search(text) is not None, letters.search(source) is not None
        if here and not there:
            return name
    own, other = _mix(text), _mix(source)
    if own[0] >= 2 and own[0] >= own[1] and other[0] < 2:
        return "Chinese"
    if own[0] < 2 <= own[1] and other[0] >= 2 and other[1] * 3 < other[0]:
        return "English"  # or another one in these letters
    spoken, native = _spoken(text), _spoken(source)
    return spoken if spoken and native and spoken != native else ""


def _mix(text: str) -> tuple[int, int]:
    """How many Chinese characters, and how many plain words in small Latin letters: names and code are everybody's."""
    return len(_CHINESE.findall(text)), len(_LATIN_WORD.findall(text))


@lru_cache(maxsize=512)
def _spoken(text: str) -> str:
    words = re.findall(r"[^\W\d_]+(?:'s)?", text[:4_000].lower())
    counts = sorted(((sum(word in known for word in words), name) for name, known in _OF.items()), reverse=True)
    return counts[0][1] if counts[0][0] >= 2 and counts[0][0] >= 2 * counts[1][0] else ""
