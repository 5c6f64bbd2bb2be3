"""Reading a text for its times: what the grammars find, settled with what stands beside it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from memtree.tree.calendar_spans import DAY, stepped, together, week_of, weekend_of
from memtree.tree.spoken_forms import Found, Rule, Scene, all_found, first_and_longest, resolved
from memtree.tree.spoken_numbers import CHINESE, ENGLISH, chinese_number, english_number, plain_signs
from memtree.tree.spoken_tense import is_habit, tense_of

LONGEST = 8_000  # characters that are read
MOST = 64  # times of a text

# Of these words one stands in every English time that has no digit.
_ONE_OF = """
today tonight tomorrow tmrw yesterday morning afternoon evening night last past previous this current next coming
upcoming ago hence now weekend spring summer autumn fall winter quarter half january february march april may june
july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday
wednesday thursday friday saturday sunday mon tue tues wed weds thu thur thurs fri sat sun week weeks days months
years day month year hours minutes hour end fifties sixties seventies eighties nineties back
"""
_WORDS = frozenset(_ONE_OF.split())
_WORD = re.compile("[a-z]+")
_SIGNS = frozenset("年月日号天周期拜昨今明季初末晚早后前代")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_DIGITS = frozenset("0123456789")
# Nothing in code, addresses and names of files is a time that was told.
_HIDDEN = re.compile(
    r"`[^`\n]{1,400}`|(?:https?|ftp|file)://[^\s\u3000-\u9fff]{1,2000}|\bwww\.[^\s\u3000-\u9fff]{1,400}"
    r"|(?<![\w.])[\w.+-]{1,64}@[\w.-]{1,255}|(?<![\w/])[~.]{0,2}/(?:[\w.@-]{1,80}/){1,20}[\w.@-]{0,80}",
    re.ASCII,
)
_JOINS = re.compile(r"\s?(?:to|until|till|through|thru|up\s+to|and|到|至|直到|[-–—~]{1,2})\s?(?:the\s+)?", re.IGNORECASE)
_PUT_OFF = re.compile(
    r"\b(?:moved?|moves|moving|postponed?|pushed|rescheduled?|changed?|shifted|delayed|switched)\s+(?:\w{1,14}\s+){0,4}from\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_OPENS_RANGE = re.compile(r"(?:\bfrom|\bbetween|从|自)\s*(?:the\s+)?\Z", re.IGNORECASE)
_OFFSET = re.compile(
    rf"(?:the\s+|(?P<many>{ENGLISH})\s+)?(?P<unit>day|week|month|year)s?\s+(?P<way>before|after|prior\s+to|following)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_WEEK_OF = re.compile(
    r"\b(?:the\s+)?(?P<unit>week|weekend)\s+(?:of|beginning|starting|commencing)\s+(?:on\s+)?(?:the\s+)?\Z", re.IGNORECASE
)
_ZH_UNIT = "(?P<unit{}>天|日|周|星期|月|年)"
_OFFSET_AFTER = re.compile(
    f"的?(?:(?:之|以)?(?P<way>[前后])(?P<many>{CHINESE})个?{_ZH_UNIT.format('')}|(?P<next>第二天|次日|翌日|隔天)"
    f"|(?P<manyb>{CHINESE})个?{_ZH_UNIT.format('b')}(?:之|以)?(?P<wayb>[前后]))(?!的?[内里])"
)
_ZH_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "月": "month", "年": "year"}


def read(text: str, moment: dt.datetime | None) -> tuple[Scene, list[Found]]:
    """The text as it is read and the times in it, each with its span, told at a moment in the speaker's zone."""
    plain = plain_signs(text[:LONGEST])
    scene = Scene(plain, None, tense_of)
    numbered = not _DIGITS.isdisjoint(plain)
    han = (numbered or not _SIGNS.isdisjoint(plain)) and _HAN.search(plain) is not None
    latin = numbered or not _WORDS.isdisjoint(_WORD.findall(plain.lower()))
    if not (han or latin):
        return scene, []
    scene = Scene(_HIDDEN.sub(lambda match: "\u241f" * len(match[0]), plain), moment, tense_of)
    found = first_and_longest(all_found(_rules(han=han), scene))
    dated = [one for one in found if one.span is not None or one.date is not None]
    return scene, list(islice(_settled(dated, scene), MOST))


@lru_cache(maxsize=2)
def _rules(*, han: bool) -> tuple[Rule, ...]:
    from memtree.tree import spoken_english, spoken_english_dates

    rules = (*spoken_english.RULES, *spoken_english_dates.RULES)
    if han:
        from memtree.tree import spoken_chinese, spoken_chinese_dates

        rules = (*rules, *spoken_chinese.RULES, *spoken_chinese_dates.RULES)
    return rules


def _settled(found: Iterable[Found], scene: Scene) -> Iterator[Found]:
    """Every time with its span: ranges joined, counted from the dates beside, without those that a habit repeats."""
    held: Found | None = None
    for one in found:
        if held is not None and one.start < held.end:
            continue  # what another was counted by
        if one.joined and _PUT_OFF.search(scene.text, max(0, one.start - 80), one.start):
            continue  # from one day to another, not all the days between
        if one.loose and is_habit(scene.text, one.start, one.end):
            continue
        try:
            here = _offset(resolved(one, scene), scene)
        except (ValueError, OverflowError, LookupError):
            continue
        joined = None if held is None else _joined(held, here, scene)
        if joined is not None:
            held = joined
            continue
        if held is not None:
            yield held
        held = here
    if held is not None:
        yield held


def _offset(found: Found, scene: Scene) -> Found:
    """The day before a date, 某日的前一天: counted from the date. Raise ValueError where the two do not fit."""
    assert found.span is not None
    week = _WEEK_OF.search(scene.text, max(0, found.start - 48), found.start)
    if week is not None and found.span.granularity == DAY:
        span = (weekend_of if week["unit"].lower() == "weekend" else week_of)(found.span.start)
        return replace(found, start=week.start(), span=span)
    before = _OFFSET.search(scene.text, max(0, found.start - 48), found.start)
    after = _OFFSET_AFTER.match(scene.text, found.end)
    if before is not None and (before["many"] or before[0].lower().startswith("the")):
        steps = english_number(before["many"] or "one") or 0
        way = -1 if before["way"].lower().startswith(("before", "prior")) else 1
        span = stepped(found.span, before["unit"].lower(), way * steps)
        return replace(found, start=before.start(), span=span, in_text=True)
    if after is not None and found.span.start == found.span.end:
        if after["next"]:
            way, unit, steps = 1, "day", 1
        else:
            which = "" if after["way"] else "b"
            way, unit = (-1 if after[f"way{which}"] == "前" else 1), _ZH_UNITS[after[f"unit{which}"]]
            steps = chinese_number(after[f"many{which}"]) or 0
        return replace(found, end=after.end(), span=stepped(found.span, unit, way * steps), in_text=True)
    return found


def _joined(first: Found, last: Found, scene: Scene) -> Found | None:
    """One range of two times that from … to joins, None for two times."""
    between = _JOINS.fullmatch(scene.text, first.end, last.start)
    if between is None or first.span is None or last.span is None:
        return None
    if _PUT_OFF.search(scene.text, max(0, first.start - 80), first.start):
        return None
    opened = _OPENS_RANGE.search(scene.text[max(0, first.start - 12) : first.start]) is not None
    word = between[0].strip().lower()
    if not opened and (word.startswith(("to", "and", "until", "up")) or not word):
        return None
    try:
        span = together(first.span, last.span)
    except ValueError:
        return None
    return replace(first, end=last.end, span=span, relative=first.relative or last.relative, joined=True)
