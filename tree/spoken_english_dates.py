"""Dates as they are written in English: 8 May 2023, May 8th, in 2019, Q3 2025, summer of 2020, the 1990s, 2024-05-08."""

from __future__ import annotations

import re

from memtree.tree import calendar_spans as calendar
from memtree.tree.spoken_english import LONG_WEEKDAY, SEASON, WEEKDAY, direction, season_month, weekday_number
from memtree.tree.spoken_forms import Found, Make, Scene, Tense, Written, date_at, found_at, in_month, nothing, rules
from memtree.tree.spoken_numbers import ENGLISH, english_number

_MONTH = (
    r"(?P<month{}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)(?:(?<=jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)\.|(?<=sept)\.)?"
)
MONTH, MONTH_2 = _MONTH.format(""), _MONTH.format("b")
_DAY = r"(?P<day{}>[0-3]?[0-9])(?:st|nd|rd|th)?"
DAY, DAY_2 = _DAY.format(""), _DAY.format("b")
_YEAR = r"(?P<year{}>(?:1[5-9]|20|21)[0-9]{{2}})"
YEAR, YEAR_2 = _YEAR.format(""), _YEAR.format("b")
_CALENDAR = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_TO = r"\s?(?:to|until|till|through|thru|[-–—~])\s?(?:the\s+)?"
_AND = r"\s+and\s+(?:the\s+)?"
_LIST = r"(?:,?\s?(?:and|or|/|&)\s?(?:the\s+)?)"
_OF_YEAR = r"(?:of\s+)?(?P<which>last|this|next)\s+year"
_DASH_END = r"(?!\s?[-–—]\s?[0-9])"
# Before a month alone, so that it is none of the words that are written alike.
_LEAD = (
    r"(?:in|since|until|till|by|from|through|during|before|after|around|of|early|mid|late|for|throughout|between|starting|beginning|ending|"
    r"(?:in|since|by|until)\s+(?:early|mid|late))"
)
_YEAR_LEAD = (
    r"(?:in|since|until|till|by|from|during|before|after|circa|year|between|through|throughout|starting|early|mid|late|as\s+of"
    r"|(?:end|beginning|start|middle|class|half|part|rest|most|year|cohort)\s+of)"
)
_FIRST, _LAST = 1800, 2100  # numbers beyond these are no years that people speak of without more
_PERSONS = re.compile(r"(?:April|May|June|August|Jan)\Z")
_WORDS_TOO = ("may", "march", "mar", "dec", "jan", "sep", "jun", "august")
_SURE = re.compile(r"(?:\b(?:on|by|since|until|till|from|before|after|of|for|in|the|is|was)|[,(:–-])\s*\Z", re.IGNORECASE)
# After a number that could be a year: then it counts things.
_COUNTS = re.compile(
    r"\s?(?:%|°|€|\$|£|¥|[kmgt]?b\b|(?:[a-z]+ly\s+)?(?!(?:was|is|has|does|as|this|his|hers|its|us|plans|always|perhaps|besides|sales|thus|yes|gives|makes|takes|onwards|afterwards)\b)"
    r"(?:[a-z]{3,20}s\b|people\b|men\b|women\b|children\b|feet\b|km\b|kg\b|mm?\b|cm\b|px\b|ms\b|kcal\b|rpm\b|mah\b|am\b|pm\b|hz\b|percent\b))"
)
_MONEY = re.compile(
    r"[$€£¥#@/.]\s?\Z|(?:usd|eur|port|version|office|windows|server|code|pin|room|model|id|no\.?|number)\s\Z", re.IGNORECASE
)
_HEAT = re.compile(
    r"temperature|degrees|weather|\bhot\b|\bcold\b|score|humid|heat|°|\bbeats\b|\bbpm\b|percentile|aged?\b", re.IGNORECASE
)
_STREET = re.compile(r"\s+(?:street|st\b|road|rd\b|avenue|ave\b|lane|drive|square)", re.IGNORECASE)  # 12 March Street
_NUMBERED = re.compile(
    r"(?:order|sprint|ticket|invoice|case|release|batch|build|part|model|id|no\.?|number|version|v|#|报告|编号|订单|版本)\s?\Z",
    re.IGNORECASE,
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4, "final": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_NAMED = rf"(?:,?\s*\((?:{WEEKDAY})\))?"  # the day of the week behind a date is part of it
_CLOCK = r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
_NO_MORE = r"(?![-/.][0-9A-Za-z])"
_IN_THE = r"(?:in|since|during|from|of|through|until)\s+the\s+(?:early[ -]|mid[ -]?|late[ -])?"
_UNITS_TH = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
    *("thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
)
_TENTHS = ("tenth", "twentieth", "thirtieth")
_ORDINAL = rf"(?:(?:twenty|thirty)[- ](?:{'|'.join(_UNITS_TH[:9])})|{'|'.join((*_UNITS_TH, *_TENTHS[1:]))})"
_ALONE_END = (
    r"(?=\s*(?:[.,;:!?)]|\Z)|\s+(?:at|in\s+the|i|we|he|she|they|it|you|and|but|because|when|with|for|to|from|after|before|so)\b)"
)
_STANDS_ALONE = re.compile(_ALONE_END, re.IGNORECASE)
_TENS = ("fifties", "sixties", "seventies", "eighties", "nineties")


def month_number(word: str) -> int:
    """January is 1."""
    return _CALENDAR.index(word[:3].lower()) + 1


def _number(match: re.Match[str], name: str) -> int | None:
    found = match.groupdict().get(name)
    return int(found) if found else None


def _month(match: re.Match[str], name: str = "month") -> int | None:
    found = match.groupdict().get(name)
    return month_number(found) if found else None


def _date(match: re.Match[str], scene: Scene) -> Found | None:
    """A day or month, with its year or without."""
    word, year = match["month"], _number(match, "year")
    if year is None and word.lower() in _WORDS_TOO and word.islower():
        before = scene.text[max(0, match.start() - 12) : match.start()]
        if not _SURE.search(before) and match.start() != 0:
            return None
    if _STREET.match(scene.text, match.end()):
        return Found(*match.span())
    return date_at(match, Written(year, _month(match), _number(match, "day")))


def _ordinal_date(match: re.Match[str], _scene: Scene) -> Found:
    """The twenty-first of May."""
    words = match["ordinal"].lower().replace("-", " ").split()
    day = _UNITS_TH.index(words[-1]) + 1 if words[-1] in _UNITS_TH else (10, 20, 30)[_TENTHS.index(words[-1])]
    day += {"twenty": 20, "thirty": 30}[words[0]] if len(words) > 1 else 0
    return date_at(match, Written(_number(match, "year"), _month(match), day))


def _month_alone(match: re.Match[str], scene: Scene) -> Found | None:
    word, lead = match["month"], match["lead"].lower().split()[-1]
    if lead in ("for", "of", "between") and _PERSONS.match(word):
        return None
    if word.lower() in _WORDS_TOO and word.islower() and lead in ("through", "for", "of", "around", "before", "after"):
        return None
    if word in ("march", "may") and not _STANDS_ALONE.match(scene.text, match.end()):
        return None
    if word.lower() in ("mar", "jan", "dec", "jun", "sep") and word.islower():
        return None
    found = date_at(match, Written(None, _month(match)))
    if lead == "since":
        return _in_the_past(found, scene)
    return found


def _in_the_past(found: Found, scene: Scene) -> Found:
    """Since May: the last May, whatever tense the verb has."""
    day, month = scene.day, (found.date or Written()).month or 1
    year = day.year if month <= day.month else day.year - 1
    return Found(found.start, found.end, calendar.written(year, month), loose=True)


def _which_month(match: re.Match[str], scene: Scene) -> Found | None:
    """Last May, this May, next May; a day of it too."""
    word, steps, day = match["month"], direction(match["which"]), scene.day
    if word.islower() and word.lower() in _WORDS_TOO:
        return None
    month, at = month_number(word), _number(match, "day")
    year = day.year
    if steps < 0 and month >= day.month:
        year -= 1
    elif steps > 0 and month <= day.month:
        year += 1
    return found_at(match, calendar.written(year, month, at))


def _of_year(match: re.Match[str], scene: Scene) -> Found:
    """In May last year, on 8 May this year."""
    year = scene.day.year + direction(match["which"])
    return found_at(match, calendar.written(year, month_number(match["month"]), _number(match, "day")))


def _years_ago(match: re.Match[str], scene: Scene) -> Found:
    """Two years ago in May."""
    years = english_number(match["many"] or match["manyb"]) or 0
    return found_at(match, calendar.written(scene.day.year - years, month_number(match["month"] or match["monthb"])))


def _of_month(match: re.Match[str], scene: Scene) -> Found:
    """The 15th of next month."""
    month = calendar.month_of(scene.day, direction(match["which"])).start
    return found_at(match, calendar.written(month.year, month.month, int(match["day"])))


def _day_alone(match: re.Match[str], _scene: Scene) -> Found:
    return date_at(match, Written(day=int(match["day"])))


def _days(match: re.Match[str], _scene: Scene) -> Found:
    """3 to 7 May 2024, May 3 to 7, May to July 2023, 2018 to 2020: the year or month may stand once."""
    year, month = _number(match, "year"), _month(match)
    year_2, month_2 = _number(match, "yearb"), _month(match, "monthb")
    first = Written(year, month or month_2, _number(match, "day"))
    last = Written(year_2 or year, month_2 or month, _number(match, "dayb"))
    if year is None and year_2 is not None:
        first = Written(year_2 - ((first.month or 0, first.day or 0) > (last.month or 0, last.day or 0)), first.month, first.day)
    return date_at(match, first, last)


def _years(match: re.Match[str], scene: Scene) -> Found | None:
    first, last = int(match["year"]), int(match["yearb"])
    if (
        not _FIRST <= first < last <= _LAST
        or first % 100 == last % 100 == 0
        or _MONEY.search(scene.text[max(0, match.start() - 9) : match.start()])
        or _COUNTS.match(scene.text, match.end())
    ):
        return Found(*match.span())
    return date_at(match, Written(first), Written(last))


def _year(match: re.Match[str], scene: Scene) -> Found:
    """A year, where a word before it makes it one and it does not count things."""
    start, year = match.start("t"), int(match["year"])
    lead = (match.groupdict().get("lead") or "").lower().split()[-1:]
    counts = lead != ["since"] and _COUNTS.match(scene.text, match.end())
    round_number = lead in (["by"], ["from"], ["through"]) and (year % 100 == 0 or year == 2048)
    if counts or round_number or not _FIRST <= year <= _LAST or _MONEY.search(scene.text[max(0, start - 9) : start]):
        return Found(*match.span())
    return date_at(match, Written(year))


def _hyphened(match: re.Match[str], scene: Scene) -> Found | None:
    if match["day"]:
        return _date(match, scene)
    return date_at(match, Written(_number(match, "yearb"), _month(match, "monthb")))


def _short_year(match: re.Match[str], scene: Scene) -> Found:
    """In '87."""
    short, now = int(match["short"]), scene.moment.year % 100 if scene.moment is not None else 40
    return date_at(match, Written((2000 if short <= now + 10 else 1900) + short, _month(match), _number(match, "day")))


def _numbers(match: re.Match[str], _scene: Scene) -> Found:
    """2024-05-08, or 25/12/2024 where no other reading is a date."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    dotted = match["mark"] == "." and len(match["first"]) == len(match["second"]) == 2
    if match.start("year") == match.start():
        return date_at(match, Written(year, first, second))
    if first > 12 or dotted or first == second:
        return date_at(match, Written(year, second, first))
    if second > 12:
        return date_at(match, Written(year, first, second))
    return Found(*match.span())


def _year_and_month(match: re.Match[str], scene: Scene) -> Found:
    if _NUMBERED.search(scene.text[max(0, match.start() - 10) : match.start()]):
        return Found(*match.span())
    return date_at(match, Written(int(match["year"]), int(match["month"])))


def _quarter(match: re.Match[str], scene: Scene) -> Found:
    groups = match.groupdict()
    word = (groups.get("quarter") or groups.get("nth") or "").lower()
    number = int(word) if word.isdigit() else _ORDINALS[word]
    year = _year_named(match, scene)
    relative = not groups.get("year")
    if year is None:
        past = scene.tense_at(*match.span("t")) is Tense.PAST
        spans = [calendar.quarter(at, number) for at in range(scene.day.year - 1, scene.day.year + 2)]
        span = [one for one in spans if one.start <= scene.day][-1] if past else next(one for one in spans if one.end >= scene.day)
        return found_at(match, span, loose=True)
    return found_at(match, calendar.quarter(year, number), relative=relative)


def _half(match: re.Match[str], scene: Scene) -> Found:
    word = match["nth"].lower()
    number = int(word) if word.isdigit() else 1 if word == "first" else 2
    return found_at(match, calendar.half_year(_year_named(match, scene) or scene.day.year, number), relative=not match["year"])


def _year_named(match: re.Match[str], scene: Scene) -> int | None:
    groups = match.groupdict()
    if groups.get("year"):
        return int(groups["year"])
    return scene.day.year + direction(groups["which"]) if groups.get("which") else None


def _season(match: re.Match[str], _scene: Scene) -> Found:
    return found_at(match, calendar.season(int(match["year"]), season_month(match["season"])), relative=False)


def _decade(match: re.Match[str], scene: Scene) -> Found | None:
    """The 1990s, the nineties; the 90s unless it is warm."""
    word = match["decade"].lower()
    if word.isdigit() and len(word) == 4:
        if word.endswith("00") and not word.startswith("20"):
            return Found(*match.span())
        year = int(word)
    else:
        if _HEAT.search(scene.text[max(0, match.start() - 80) : match.end() + 40]):
            return Found(*match.span())
        year = 1900 + (int(word) if word.isdigit() else 50 + 10 * _TENS.index(word))
    return found_at(match, calendar.decade_of(calendar.written(year).start), relative=False)


def _edge_day(match: re.Match[str], scene: Scene) -> Found:
    """The last day of March 2024, of this month, of next year."""
    groups = match.groupdict()
    if groups.get("month"):
        year, month = _year_named(match, scene), month_number(groups["month"])
        if year is None:
            if month == 2:
                return nothing(match, scene)
            last = calendar.written(2000, month).end.day
            return date_at(match, Written(None, month, 1 if match["edge"].lower() == "first" else last))
        span = calendar.written(year, month)
    else:
        steps = direction(groups.get("which") or "this")
        span = calendar.ago(scene.day, match["unit"].lower(), steps)
    day = span.start if match["edge"].lower() == "first" else span.end
    return found_at(match, calendar.day_of(day), relative=not groups.get("year"))


def _nth_weekday(match: re.Match[str], scene: Scene) -> Found:
    """The last Friday of March, the first Monday in May 2025."""
    word = match["nth"].lower()
    date = Written(_year_named(match, scene), month_number(match["month"]))
    return in_month(match, scene, date, weekday_number(match["day"]), -1 if word == "last" else _ORDINALS[word])


_WEEKDAY_TOO = rf"(?:{WEEKDAY}(?:\.?,?\s+(?:the\s+)?|\s*\((?:the\s+)?))?"
_EDGE = r"(?:(?:the\s+)?(?:early|mid|late|beginning|start|middle|end)(?:\s+of|\s+in)?[ -]+)?"
_TABLE: tuple[tuple[str, Make], ...] = (
    # Ranges that name month or year once.
    (rf"{_WEEKDAY_TOO}{MONTH}\s+{DAY}(?:,?\s+{YEAR})?{_TO}(?:{MONTH_2}\s+)?{DAY_2}(?:,?\s+{YEAR_2})?(?![:/.]?[0-9])", _days),
    (rf"{DAY}(?:\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?)?{_TO}{DAY_2}\s+(?:of\s+)?{MONTH_2}(?:,?\s+{YEAR_2})?", _days),
    (rf"{MONTH}(?:,?\s+{YEAR})?{_TO}{MONTH_2}(?:,?\s+{YEAR_2})(?![:/.]?[0-9])", _days),
    (rf"from\s+(?P<t>{MONTH}{_TO}{MONTH_2})(?!\s+[0-9])", _days),
    (rf"between\s+(?P<t>{MONTH}(?:,?\s+{YEAR})?{_AND}{MONTH_2}(?:,?\s+{YEAR_2})?)(?!\s+[0-9])", _days),
    (
        rf"between\s+(?:the\s+)?(?P<t>{MONTH}\s+{DAY}(?:,?\s+{YEAR})?{_AND}(?:{MONTH_2}\s+)?{DAY_2}(?:,?\s+{YEAR_2})?)(?![:/.]?[0-9])",
        _days,
    ),
    (
        rf"between\s+(?:the\s+)?(?P<t>{DAY}(?:\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?)?{_AND}{DAY_2}\s+(?:of\s+)?{MONTH_2}(?:,?\s+{YEAR_2})?)",
        _days,
    ),
    # Several days of one month: which they are is not told as one time.
    (rf"{DAY}(?:,\s?[0-3]?[0-9]){{0,6}}{_LIST}{DAY_2}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?", nothing),
    (
        rf"{MONTH}\s+{DAY}(?:,\s?[0-3]?[0-9]){{0,6}}{_LIST}{DAY_2}(?!\s+(?:of\s+)?{_MONTH.format('d')})(?![0-9:])(?:,?\s+{YEAR})?",
        nothing,
    ),
    (r"the\s+[0-3]?[0-9](?:st|nd|rd|th)\s+(?:and|or)\s+the\s+[0-3]?[0-9](?:st|nd|rd|th)", nothing),
    (rf"(?P<lead>in|of|since)\s+{MONTH_2}\s+(?:and|or)\s+(?P<t>{MONTH})(?!\s+[0-9])", _month_alone),
    (rf"(?P<lead>in|of|since)\s+{YEAR_2}\s+(?:and|or)\s+(?P<t>{YEAR})(?![-/.:,]?[0-9])", _year),
    (rf"{YEAR}\s?(?:to|until|till|through|[-–—~])\s?{YEAR_2}{_DASH_END}", _years),
    (rf"between\s+(?P<t>{YEAR}\s+and\s+{YEAR_2})", _years),
    # Days and months.
    (rf"{_WEEKDAY_TOO}(?:the\s+)?{DAY}\s?(?:of\s+)?{MONTH}(?:,?\s+(?:of\s+)?{YEAR})?{_NAMED}(?!-[0-9])", _date),
    (rf"{DAY}-{MONTH}-{YEAR}|{MONTH_2}-{YEAR_2}", _hyphened),
    (rf"{YEAR},?\s+{MONTH}(?:\s+{DAY})?(?![:/.-]?[0-9])", _date),
    (rf"(?:(?:the\s+)?{DAY}\s+(?:of\s+)?)?{MONTH}\s+['’](?P<short>[0-9]{{2}})", _short_year),
    (rf"{MONTH}\s+{DAY},?\s+['’](?P<short>[0-9]{{2}})", _short_year),
    (rf"{_WEEKDAY_TOO}{MONTH}\s+(?:the\s+)?{DAY}(?:,?\s+{YEAR}(?!:))?{_NAMED}(?![:/.][0-9])(?!-[0-9])(?!\s?%)", _date),
    (rf"{_EDGE}{MONTH},?\s+(?:of\s+)?{YEAR}(?!-[0-9])", _date),
    (rf"(?P<lead>{_LEAD})[ -]+(?:the\s+)?(?P<t>(?:(?:early|mid|late)[ -]+)?{MONTH})(?!\s+[0-9])", _month_alone),
    (rf"(?P<lead>end|beginning|start|middle)\s+of\s+(?P<t>{MONTH})(?!\s+[0-9])", _month_alone),
    (rf"(?:the\s+)?(?P<ordinal>{_ORDINAL})\s+of\s+{MONTH}(?:,?\s+(?:of\s+)?{YEAR})?", _ordinal_date),
    (rf"(?:on|by|since|until)\s+(?P<t>{MONTH}\s+(?:the\s+)?(?P<ordinal>{_ORDINAL})(?:,?\s+{YEAR})?)", _ordinal_date),
    (rf"(?P<which>this\s+past|last|past|next|this\s+coming|this|coming)\s+{MONTH}(?:\s+{DAY})?", _which_month),
    (rf"(?P<many>{ENGLISH})\s+years?\s+ago,?\s+in\s+{MONTH}|in\s+{MONTH_2},?\s+(?P<manyb>{ENGLISH})\s+years?\s+ago", _years_ago),
    (rf"(?:(?:the\s+)?{DAY}\s+(?:of\s+)?)?{MONTH}(?:\s+(?:of\s+)?|,\s+){_OF_YEAR}", _of_year),
    (rf"{MONTH}\s+{DAY},?\s+{_OF_YEAR}", _of_year),
    (rf"{_OF_YEAR},?\s+(?:in\s+|on\s+)?{MONTH}(?:\s+{DAY})?", _of_year),
    (rf"(?:the\s+)?{DAY}\s+(?:of\s+)?(?P<which>last|this|next)\s+month", _of_month),
    (rf"(?P<which>last|this|next)\s+month\s+on\s+the\s+{DAY}", _of_month),
    (
        rf"(?:on|by|since|until|till|from)\s+(?P<t>(?:{WEEKDAY}\s+)?the\s+(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)){_ALONE_END}",
        _day_alone,
    ),
    (rf"the\s+(?P<edge>first|last)\s+day\s+of\s+{MONTH}(?:,?\s+(?:of\s+)?(?:{YEAR}|{_OF_YEAR}))?", _edge_day),
    (
        rf"(?:the\s+)?(?P<nth>first|second|third|fourth|last)\s+(?P<day>{LONG_WEEKDAY})\s+(?:of|in)\s+{MONTH}(?:,?\s+(?:of\s+)?(?:{YEAR}|{_OF_YEAR}))?",
        _nth_weekday,
    ),
    (r"the\s+(?P<edge>first|last)\s+day\s+of\s+(?:the|(?P<which>this|last|next))\s+(?P<unit>week|month|quarter|year)", _edge_day),
    # Numbers alone.
    (
        rf"(?<![-./])(?<![!-~]:)(?P<year>(?:1[5-9]|20|21)[0-9]{{2}})(?P<mark>[-/.])(?P<first>[01]?[0-9])(?P=mark)(?P<second>[0-3]?[0-9]){_CLOCK}{_NO_MORE}{_NAMED}",
        _numbers,
    ),
    (
        r"(?<![-./0-9])(?<![!-~]:)(?P<first>[0-3]?[0-9])(?P<mark>[/.])(?P<second>[0-3]?[0-9])(?P=mark)(?P<year>(?:19|20)[0-9]{2})(?![-/][0-9A-Za-z]|\.[0-9A-Za-z])",
        _numbers,
    ),
    (
        r"(?<![-./+])(?<![!-~]:)(?P<t>(?P<year>(?:19|20)[0-9]{2})-(?P<month>0[1-9]|1[0-2]))(?![-./:][0-9A-Za-z])",
        _year_and_month,
    ),
    (rf"{YEAR}-?W[0-9]{{2}}(?:-[1-7])?", nothing),
    # Years, quarters, seasons, decades.
    (rf"(?P<lead>{_YEAR_LEAD})(?:\s+the\s+year)?[ -]+(?:(?:early|mid|late)[ -]+)?(?P<t>{YEAR})(?![-/.:,]?[0-9])(?!'?s\b)", _year),
    (rf"\((?P<t>{YEAR})\)", _year),
    (r"(?:in|since|until|of|by|from|early|late)\s+(?P<t>['’](?P<short>[0-9]{2}))", _short_year),
    (rf"(?:the\s+)?Q(?P<quarter>[1-4])(?:,?\s+|-)?(?:of\s+)?(?:{YEAR}|{_OF_YEAR})", _quarter),
    (r"(?P<year>(?:19|20)[0-9]{2})[- ]?Q(?P<quarter>[1-4])", _quarter),
    (rf"(?:the\s+)?(?P<nth>first|second|third|fourth|last|final|1st|2nd|3rd|4th)\s+quarter\s+of\s+(?:{YEAR}|{_OF_YEAR})", _quarter),
    (r"(?P<which>last|this|next)\s+year's\s+(?:Q(?P<quarter>[1-4])|(?P<nth>first|second|third|fourth|last)\s+quarter)", _quarter),
    (r"(?:in|by|since|until|before|after|end\s+of|early|late|during)\s+(?:the\s+)?(?P<t>Q(?P<quarter>[1-4]))(?![0-9])", _quarter),
    (rf"(?:the\s+)?(?P<nth>first|second)\s+half\s+of\s+(?:{YEAR}|{_OF_YEAR})", _half),
    (rf"H(?P<nth>[12])\s+(?:of\s+)?{YEAR}(?P<which>)", _half),
    (rf"(?:the\s+)?(?P<season>{SEASON})(?:\s+of|,)?\s+{YEAR}", _season),
    (r"(?:the\s+)?(?:early\s+|mid[ -]?|late\s+)?(?P<decade>(?:1[5-9]|20)[0-9]0)'?s", _decade),
    (rf"{_IN_THE}(?P<t>['’]?(?P<decade>[5-9]0)'?s)", _decade),
    (r"the\s+(?:early\s+|mid[ -]?|late\s+)?(?P<t>['’](?P<decade>[5-9]0)s)", _decade),
    (rf"{_IN_THE}(?P<t>(?P<decade>{'|'.join(_TENS)}))", _decade),
)
RULES = rules(_TABLE)
