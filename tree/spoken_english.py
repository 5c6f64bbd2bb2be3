"""Times in English that are counted from the speaker's day: yesterday, last Friday, next month, two weeks ago, this summer."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from memtree.tree import calendar_spans as calendar
from memtree.tree.calendar_spans import Span
from memtree.tree.spoken_forms import AFTER, BEFORE, Found, Make, Scene, Tense, found_at, nothing, rules
from memtree.tree.spoken_numbers import ENGLISH, english_number

WEEKDAY = r"(?:mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
LONG_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
SEASON = r"(?:spring|summer|autumn|fall|winter)"
_UNIT = r"(?:minute|min|hour|hr|day|week|wk|fortnight|month|year|yr)"
_LAST, _THIS, _NEXT = r"(?:this\s+past|last|past|previous)", r"(?:this|current)", r"(?:this\s+coming|next|coming|upcoming)"
_WHICH = rf"(?P<which>{_LAST}|{_NEXT}|{_THIS})"
_DAYPART = r"(?:\s+(?:early\s+|late\s+)?(?:morning|afternoon|evening|night|noon|lunchtime|midnight))"
_LEAD = "(?:on|by|since|until|till|from|before|after|for|starting|come|late|early)"
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SEASONS = {"sp": calendar.SPRING, "su": calendar.SUMMER, "au": calendar.AUTUMN, "fa": calendar.AUTUMN, "wi": calendar.WINTER}
_SHORT = {"min": "minute", "hr": "hour", "wk": "week", "yr": "year"}
_STEPS = {"day": calendar.day_of, "week": calendar.week_of, "weekend": calendar.weekend_of, "month": calendar.month_of}
_STEPS |= {"quarter": calendar.quarter_of, "year": calendar.year_of, "decade": calendar.decade_of}
# Before an amount: then it is not exact.
_ROUGH = re.compile(
    BEFORE
    + r"(?:about|around|almost|nearly|roughly|approximately|approx\.?|circa|over|than|under|least|most|some|maybe|perhaps|within"
    r"|or|to|and|every|each|next|last|past|first|other)\s*\Z|(?:[0-9][.,/–—-]|~|≈|[<>])\s*\Z",
    re.IGNORECASE,
)
_ABILITY = re.compile(
    rf"{BEFORE}(?:can|could|able|capable|times?|once|twice|thrice|first|best|worst|longest|finish(?:es)?|takes?(?!\s+place)"
    rf"|learn|record|done|reads?|one|two|three|four|five|[0-9]{{1,5}}){AFTER}[^.,;]{{0,30}}\Z",
    re.IGNORECASE,
)
_COMPOUND = re.compile(
    r"(?:black|good|cyber|casual|blue|super|taco|ash|easter|palm|freaky|ruby|holy|man|fat|bloody|maundy|whit|shrove|meatless|happy"
    r"|every|each|any|some|most|alternate|a|an|one|other|per|the|of|all|another|second|first|third|following)\s+\Z",
    re.IGNORECASE,
)
_BECOMES_NAME = re.compile(r"\s+(?:Night\s+Live|Times|Harbor|Night\s+Football|Addams|Review|Club|Mass|School)")


def weekday_number(word: str) -> int:
    """Monday is 0."""
    return _DAYS.index(word[:3].lower())


def season_month(word: str) -> int:
    """The month that a season begins in."""
    return _SEASONS[word[:2].lower()]


def direction(which: str) -> int:
    """-1 for what is over, 0 for what runs, 1 for what comes."""
    last = which.lower().split()[-1]
    return -1 if last in ("last", "past", "previous") else 1 if last in ("next", "coming", "upcoming") else 0


def _day_word(match: re.Match[str], scene: Scene) -> Found | None:
    word = " ".join(match["word"].lower().split())
    before = scene.text[max(0, match.start() - 24) : match.start()]
    if word in ("today", "tomorrow", "yesterday", "tonight", "tmrw"):
        titled = match["word"][0].isupper() and not match["word"].isupper()
        if titled and re.search(r"[0-9A-Za-z]\s\Z", before):
            return nothing(match, scene)  # a name: USA Today
        if re.search(r"[\"'“‘*_]\Z", before) and re.match(r"[\"'”’*_]", scene.text[match.end() : match.end() + 1]):
            return nothing(match, scene)  # a title
    steps = {"yesterday": -1, "last": -1, "tomorrow": 1, "tmrw": 1}.get(word.split()[0], 0)
    if word.startswith("day "):
        steps = -2 if "before" in word else 2
    return found_at(match, calendar.day_of(scene.day, steps))


def _period(match: re.Match[str], scene: Scene) -> Found:
    return found_at(match, _STEPS[match["unit"].lower()](scene.day, direction(match["which"])))


def _second(match: re.Match[str], scene: Scene) -> Found:
    """The week before last, the year after next."""
    unit, steps = match["unit"].lower(), -2 if match["way"].lower().startswith("before") else 2
    if unit in _STEPS:
        return found_at(match, _STEPS[unit](scene.day, steps))
    weekday = weekday_number(unit)
    once = calendar.weekday_before(scene.day, weekday) if steps < 0 else calendar.weekday_after(scene.day, weekday)
    return found_at(match, calendar.day_of(once.start, 7 * (steps // 2)))


def _running(match: re.Match[str], scene: Scene) -> Found:
    return found_at(match, _STEPS[match["unit"].lower()](scene.day))


def _weekday(match: re.Match[str], scene: Scene) -> Found | None:
    """Last, this, next Friday."""
    if _not_a_weekday(match["day"]):
        return None
    weekday, steps = weekday_number(match["day"]), direction(match["which"])
    if steps == 0:
        return found_at(match, calendar.weekday_of(scene.day, weekday))
    find = calendar.weekday_before if steps < 0 else calendar.weekday_after
    return found_at(match, find(scene.day, weekday))


def _weekday_in_week(match: re.Match[str], scene: Scene) -> Found:
    """Friday of next week, last week on Friday."""
    return found_at(match, calendar.weekday_of(scene.day, weekday_number(match["day"]), direction(match["which"])))


def _bare_weekday(match: re.Match[str], scene: Scene) -> Found | None:
    """On Friday: the last one in what is past, the next one in what is or will be."""
    groups = match.groupdict()
    if _not_a_weekday(match["day"]) or _BECOMES_NAME.match(scene.text, match.end()):
        return None
    start = match.start("t")
    if _COMPOUND.search(scene.text[max(0, start - 24) : start]):
        return Found(start, match.end())
    lead = (groups.get("lead") or "").lower().split()
    tense = scene.tense_at(start, match.end())
    if "since" in lead:
        tense = Tense.PAST
    elif lead and lead[-1] in ("until", "till", "by", "starting") and tense is not Tense.PAST:
        tense = Tense.FUTURE
    weekday = weekday_number(match["day"])
    if tense is Tense.UNCLEAR:
        return Found(start, match.end())
    find = calendar.weekday_before if tense is Tense.PAST else calendar.weekday_after
    return found_at(match, find(scene.day, weekday), loose=True)


def _weekdays(match: re.Match[str], scene: Scene) -> Found:
    """From Friday to Sunday, where that is no habit: in what is told of the past, or planned."""
    tense = scene.tense_at(*match.span()) if match["from"] else Tense.UNCLEAR
    first, last = weekday_number(match["day"]), weekday_number(match["last"])
    if (first, last) == (0, 4):
        return Found(*match.span())  # the days that people work
    if tense is Tense.PAST:
        end = calendar.weekday_before(scene.day, last)
        start = calendar.weekday_before(end.start, first)
    elif tense is Tense.FUTURE:
        start = calendar.weekday_after(scene.day, first)
        end = calendar.weekday_after(start.start, last)
    else:
        return Found(*match.span())
    return replace(found_at(match, calendar.together(start, end), loose=True), joined=True)


def _weekdays_from(match: re.Match[str], scene: Scene) -> Found | None:
    """Next Monday to Wednesday."""
    first = _weekday(match, scene)
    if first is None or first.span is None:
        return first
    last = calendar.weekday_after(first.span.start, weekday_number(match["last"]))
    return replace(first, span=calendar.together(first.span, last), joined=True)


def _weekday_ago(match: re.Match[str], scene: Scene) -> Found:
    """Two weeks ago on Monday."""
    return found_at(match, calendar.weekday_of(scene.day, weekday_number(match["day"]), -(english_number(match["many"]) or 0)))


def _not_a_weekday(word: str) -> bool:
    """Sat, sun, wed and mon in small letters are words of their own."""
    return word in ("mon", "wed", "weds", "sat", "sun")


def amount_of(match: re.Match[str]) -> tuple[int, str] | None:
    """How many of which unit, None for what is not exact."""
    many = english_number(match["many"])
    unit = match["unit"].lower()
    unit = _SHORT.get(unit, unit)
    if many is None:
        return None
    return (2 * many, "week") if unit == "fortnight" else (many, unit)


def _counted(match: re.Match[str], scene: Scene, way: int) -> Found | None:
    if _ROUGH.search(scene.text[max(0, match.start() - 16) : match.start()]):
        return Found(*match.span())
    amount = amount_of(match)
    return None if amount is None else found_at(match, counted(scene, amount[1], way * amount[0]))


def counted(scene: Scene, unit: str, steps: int) -> Span:
    """The stretch so many units from the speaker's moment: minutes and hours tell the day that they lead to."""
    if unit in ("minute", "hour"):
        if scene.moment is None:
            raise LookupError(unit)
        # Counted in UTC: an hour that the clocks skip is none.
        there = scene.moment.astimezone(dt.UTC) + dt.timedelta(**{f"{unit}s": steps})
        return calendar.day_of(there.astimezone(scene.moment.tzinfo).date())
    return calendar.ago(scene.day, unit, steps)


def _ago(match: re.Match[str], scene: Scene) -> Found | None:
    return _counted(match, scene, -1)


def _hence(match: re.Match[str], scene: Scene) -> Found | None:
    return _counted(match, scene, 1)


def _in_amount(match: re.Match[str], scene: Scene) -> Found | None:
    """In two weeks: where that is when, not how long."""
    tense = scene.tense_at(match.start(), match.end())
    before = scene.text[max(0, match.start() - 60) : match.start()]
    if tense is Tense.PAST or _ABILITY.search(before):
        return Found(*match.span())
    opens = not before or before.rstrip(" ")[-1:] in ".;!?\n"
    if match["many"].lower() in ("a", "an") and tense is not Tense.FUTURE and not match["time"] and not opens:
        return Found(*match.span())
    return _counted(match, scene, 1)


def _half_ago(match: re.Match[str], scene: Scene) -> Found:
    return _half(match, scene, -1)


def _half_hence(match: re.Match[str], scene: Scene) -> Found | None:
    if scene.tense_at(*match.span()) is Tense.PAST:
        return None
    return _half(match, scene, 1)


def _half(match: re.Match[str], scene: Scene, way: int) -> Found:
    if _ROUGH.search(scene.text[max(0, match.start() - 16) : match.start()]):
        return Found(*match.span())
    if match["unit"].lower() == "hour":
        return found_at(match, counted(scene, "minute", 30 * way))
    return found_at(match, calendar.month_of(scene.day, 6 * way))


def _from_day(match: re.Match[str], scene: Scene) -> Found | None:
    """A week from today, three days from tomorrow, two weeks from Friday, a year ago today."""
    amount = amount_of(match)
    if amount is None or amount[1] in ("minute", "hour"):
        return None
    word = match["base"].lower()
    if word in ("today", "tomorrow", "yesterday"):
        base = calendar.day_of(scene.day, {"today": 0, "tomorrow": 1, "yesterday": -1}[word])
    else:
        base = calendar.weekday_after(scene.day, weekday_number(word))
    way = -1 if match["way"].lower() == "ago" else 1
    return found_at(match, calendar.stepped(base, amount[1], way * amount[0]))


def _season(match: re.Match[str], scene: Scene) -> Found:
    """The last season of the name that has ended, the one that runs or comes, the next one to begin."""
    month, steps, day = season_month(match["season"]), direction(match["which"]), scene.day
    spans = [calendar.season(year, month) for year in range(day.year - 2, day.year + 3)]
    if steps < 0:
        return found_at(match, [span for span in spans if span.end < day][-1])
    if steps > 0:
        return found_at(match, next(span for span in spans if span.start > day))
    running = next((span for span in spans if day in span), None)
    if running is None and scene.tense_at(match.start(), match.end()) is Tense.PAST:
        running = next((span for span in spans if span.start.year == day.year and span.end < day), None)
    return found_at(match, running or next(span for span in spans if span.start > day))


def _season_of_year(match: re.Match[str], scene: Scene) -> Found:
    return found_at(match, calendar.season(scene.day.year + direction(match["which"]), season_month(match["season"])))


_COUNTED = rf"(?P<many>{ENGLISH})[ -](?P<unit>{_UNIT})s?"
_PERIOD = r"(?:week|weekend|month|quarter|year|decade)"
_RULES: tuple[tuple[str, Make], ...] = (
    # What only looks like a time: habits, stretches, the times of a story.
    (
        rf"{_WHICH}\s+(?P<day>{LONG_WEEKDAY})\s?(?:to|until|till|through|thru|[-–—])\s?(?P<last>{LONG_WEEKDAY})",
        _weekdays_from,
    ),
    (
        rf"(?P<from>from\s+)?(?P<t>(?P<day>{LONG_WEEKDAY})\s?(?:to|until|till|through|thru|[-–—])\s?(?P<last>{LONG_WEEKDAY}))",
        _weekdays,
    ),
    (r"(?:mon|tue|wed|thu)\s?(?:to|[-–—])\s?(?:wed|thu|fri|sat|sun)", nothing),
    (rf"(?:the|every|each|any|over|per|this)\s+past\s+(?!weekend){_PERIOD}", nothing),
    (rf"(?:the|every|each|any|over|per)\s+(?:very\s+)?(?:last|next|previous|following|past)\s+{_PERIOD}", nothing),
    (rf"(?:the|every|each)\s+(?:last|past|next|first|second|third|fourth|previous|following|other)\s+{WEEKDAY}s?", nothing),
    (
        rf"(?:first|second|third|fourth|last|next)\s+{WEEKDAY}s?\s+(?:of|in)\s+(?:the|every|each|a|any|[a-z]{{3,9}})(?:\s+{_PERIOD})?",
        nothing,
    ),
    (rf"(?:first|second|third|last|next|this)\s+{_PERIOD}\s+of", nothing),
    (rf"(?:every|each)\s+(?:other\s+)?(?:{WEEKDAY}|{SEASON})s?", nothing),
    (rf"(?:this|last|next)\s+(?:{_PERIOD}|{WEEKDAY}|{SEASON})\s+or\s+(?:next|last|so|two)", nothing),
    (r"today'?s\s+(?:world|society|youth|standards|age|market|culture|economy|technology|kids)", nothing),
    (rf"(?:(?:last|next|on)\s+)?{LONG_WEEKDAY}\s+week", nothing),
    (rf"{ENGLISH}\s+weeks?\s+ago\s+(?:last|next)\s+{LONG_WEEKDAY}", nothing),
    (r"yesterday\s+and\s+the\s+day\s+before(?!\s+yesterday)|today\s+and\s+tomorrow|tomorrow\s+and\s+the\s+day\s+after", nothing),
    (r"two\s+days\s+(?:before\s+yesterday|after\s+tomorrow)", nothing),
    (rf"the\s+(?:very\s+)?(?:last|next|first|second)\s+{SEASON}", nothing),
    # Days.
    (r"(?:the\s+)?(?P<word>day\s+before\s+yesterday|day\s+after\s+tomorrow)", _day_word),
    (rf"(?P<word>(?:yesterday|tomorrow|tmrw){_DAYPART}?|today|tonight|last\s+(?:night|evening))", _day_word),
    (r"(?:earlier\s+|later\s+)?(?P<word>this\s+(?:very\s+)?(?:morning|afternoon|evening))", _day_word),
    (rf"{_WHICH}\s+(?P<unit>{_PERIOD})(?:'s)?(?!-old)", _period),
    (rf"the\s+(?P<which>coming|upcoming|current)\s+(?P<unit>{_PERIOD})(?:'s)?", _period),
    (rf"(?:the\s+)?(?P<unit>{_PERIOD}|{LONG_WEEKDAY})\s+(?P<way>before\s+last|after\s+next)", _second),
    (r"(?:the\s+)?(?:end|start|beginning|middle)\s+of\s+(?:the|this)\s+(?P<unit>week|month|quarter|year)", _running),
    (r"(?:by|before|until|at)\s+(?P<t>(?P<unit>year|month|quarter|week)(?:'s)?[ -]end)", _running),
    # Weekdays.
    (rf"(?:the\s+)?{_WHICH}\s+(?P<day>{WEEKDAY}){_DAYPART}?(?:'s)?", _weekday),
    (rf"(?P<day>{LONG_WEEKDAY}){_DAYPART}?,?\s+(?:of\s+|in\s+)?(?P<which>last|this|next)\s+week", _weekday_in_week),
    (rf"(?P<which>last|this|next)\s+week(?:,?\s+on|,|'s)?\s+(?P<day>{LONG_WEEKDAY})", _weekday_in_week),
    (rf"(?P<lead>{_LEAD})\s+(?P<t>(?P<day>{WEEKDAY}){_DAYPART}?)(?!\s+(?:of\s|the\s+[0-9]))", _bare_weekday),
    (rf"(?P<t>(?P<day>{LONG_WEEKDAY}))(?={_DAYPART}{AFTER}|\s+at\s+[0-9]|\s*[.,;!?)]|\s*\Z)", _bare_weekday),
    (rf"{LONG_WEEKDAY},?\s+(?:and|or)\s+(?:on\s+)?(?P<t>(?P<day>{LONG_WEEKDAY})){AFTER}(?!s)", _bare_weekday),
    # Amounts.
    (rf"{_COUNTED}\s+(?:ago|back(?=\s*(?:[,.;!?]|\Z)))(?!\s+or\s)", _ago),
    (rf"{_COUNTED}\s+(?:from\s+now|hence)(?!\s+or\s)", _hence),
    (rf"in\s+(?:exactly\s+)?{_COUNTED}'?(?P<time>\s+time)?(?!\s+(?:or|and|to|of)\s)(?!\s*[-–])", _in_amount),
    (r"half\s+an?\s+(?P<unit>hour|year)\s+ago", _half_ago),
    (r"in\s+half\s+an?\s+(?P<unit>hour|year)(?:'s\s+time)?", _half_hence),
    (r"half\s+an?\s+(?P<unit>hour|year)\s+from\s+now", _half_hence),
    (rf"(?P<many>{ENGLISH})\s+weeks?\s+ago\s+(?:on\s+)?(?P<day>{LONG_WEEKDAY})", _weekday_ago),
    (rf"{_COUNTED}\s+(?P<way>from|ago|on)\s+(?P<base>today|tomorrow|yesterday|{LONG_WEEKDAY})", _from_day),
    # Seasons.
    (rf"{_WHICH}\s+(?P<season>{SEASON})", _season),
    (rf"(?:the\s+)?(?P<season>{SEASON})\s+(?:of\s+)?(?P<which>last|this|next)\s+year", _season_of_year),
    (rf"(?P<which>last|this|next)\s+year'?s?\s+(?P<season>{SEASON})", _season_of_year),
)
RULES = rules(_RULES)
