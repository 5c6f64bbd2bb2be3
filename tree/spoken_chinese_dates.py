"""Dates as they are written in Chinese: 2024年5月8日, 5月8号, 二〇一九年, 2023年夏天, 第三季度, 九十年代."""

from __future__ import annotations

import re

from memtree.tree import calendar_spans as calendar
from memtree.tree.spoken_chinese import SEASON, season_month
from memtree.tree.spoken_forms import Found, Make, Rule, Scene, Tense, Written, date_at, found_at, in_month, nothing
from memtree.tree.spoken_numbers import chinese_number

_YEAR = "(?P<year{}>(?:1[5-9]|20|21)[0-9]{{2}}|[一二][〇零○一二三四五六七八九]{{3}}|两千[零〇]?[一二三四五六七八九十]{{1,3}}) ?年"
_MONTH = "(?P<month{}>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]) ?月份?"
_DAY = "(?P<day{}>[0-3]?[0-9]|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九]) ?[日号]"
YEAR, YEAR_2 = _YEAR.format(""), _YEAR.format("b")
MONTH, MONTH_2 = _MONTH.format(""), _MONTH.format("b")
DAY, DAY_2 = _DAY.format(""), _DAY.format("b")
# The day of the week beside a date is part of it.
_NAMED_BEFORE = "(?<![上下这本个])(?:周|星期|礼拜)[一二三四五六日天][ ,(]{0,2}"
_NAMED = "(?: ?[(]?(?:周|星期|礼拜)[一二三四五六日天][)]?)?"
_BARE_YEAR = "(?P<year>(?:19|20)[0-9]{2})"
_TO = " ?(?:到|至|直到|~|-|–|—)+ ?"
_FREE = "(?<![0-9A-Za-z一二三四五六七八九十百第个每])"
_PART = "(?:的?(?:上旬|中旬|下旬|初(?![一二三四五六七八九十])|底|末|中(?![国文心学间午介级旬])))?"
_YEAR_PART = "(?:的?(?:年初|年底|年末|年中|初|底|末|中(?![国文心学间午介级秋])|春节|以?内|度|间))?"
_CENTURY = "(?P<century>上个?世纪|20世纪|二十世纪|本世纪|21世纪|二十一世纪)?的?"
_ROUGH = re.compile("左右|前后|上下")
_ITS_WEEK = re.compile("的?(?:那一?个?|当)(?:周|星期|礼拜)")  # 4月6日那周
_HEAT = re.compile("华氏|温度|气温")
_MONTH_END = "(?![亮球饼薪龄期份天]|台票|桂|嫂|租)"
_AFTER_DAY = (
    "(?=[,。.;!?、)]|$|\\s|要|会|去|前|之前|后|以后|早|上午|下午|晚|中午|凌晨|傍晚|我|他|她|们|开始|出发|到|有|结束|交|面试|考|上线|发布|手术"
    "|搬|动|入|起|截|的|是|在|和|与|跟|回|飞)"
)


def _value(match: re.Match[str], name: str) -> int | None:
    found = match.groupdict().get(name)
    if not found:
        return None
    value = chinese_number(found.replace("○", "〇"))
    if value is None:
        raise ValueError(found)
    return value


def _date(match: re.Match[str], scene: Scene) -> Found:
    """A day, month or year, with its year or without."""
    if match.re.groupindex.keys() >= {"day"} and _ITS_WEEK.match(scene.text, match.end()):
        return Found(*match.span())
    year = _value(match, "year")
    short = match.groupdict().get("short")
    if short:
        now = scene.moment.year % 100 if scene.moment is not None else 49
        year = (2000 if int(short) <= now + 10 else 1900) + int(short)
    return date_at(match, Written(year, _value(match, "month"), _value(match, "day")))


def _year(match: re.Match[str], scene: Scene) -> Found:
    year = _value(match, "year") or 0
    if not 1800 <= year <= 2100 or _ROUGH.match(scene.text, match.end()):
        return Found(*match.span())
    if year % 100 == 0 and scene.text.startswith("前", match.end()):
        return Found(*match.span())  # two thousand years ago, or before 2000
    return date_at(match, Written(year))


def _range(match: re.Match[str], _scene: Scene) -> Found:
    """3月5日到7日, 2023年3月至5月, 2018年到2020年: year and month may stand once."""
    first = Written(_value(match, "year"), _value(match, "month"), _value(match, "day"))
    month = _value(match, "monthb")
    last = Written(_value(match, "yearb") or first.year, first.month if month is None else month, _value(match, "dayb"))
    return date_at(match, first, last)


def _short_range(match: re.Match[str], _scene: Scene) -> Found:
    """2018-2020年."""
    first, last = int(match["year"]), int(match["last"])
    return date_at(match, Written(first), Written(last)) if first < last else Found(*match.span())


def _day(match: re.Match[str], _scene: Scene) -> Found:
    return date_at(match, Written(day=_value(match, "day")))


def _quarter(match: re.Match[str], scene: Scene) -> Found:
    number, year = _value(match, "quarter") or 0, _value(match, "year")
    if year is not None:
        return found_at(match, calendar.quarter(year, number), relative=False)
    past = scene.tense_at(*match.span("t")) is Tense.PAST
    spans = [calendar.quarter(at, number) for at in range(scene.day.year - 1, scene.day.year + 2)]
    span = [one for one in spans if one.start <= scene.day][-1] if past else next(one for one in spans if one.end >= scene.day)
    return found_at(match, span, loose=True)


def _half(match: re.Match[str], _scene: Scene) -> Found:
    return found_at(match, calendar.half_year(_value(match, "year") or 0, 1 if match["half"] == "上" else 2), relative=False)


def _season(match: re.Match[str], _scene: Scene) -> Found:
    return found_at(match, calendar.season(_value(match, "year") or 0, season_month(match["season"])), relative=False)


def _decade(match: re.Match[str], scene: Scene) -> Found | None:
    """九十年代, 上世纪80年代, 1990年代."""
    word, century = match["decade"], match["century"] or ""
    tens = chinese_number(word)
    if tens is None or tens % 10:
        return None
    if tens >= 100:
        year = tens
    elif century.startswith(("本", "21", "二十一")):
        year = 2000 + tens
    elif century or tens >= 50:
        year = 1900 + tens
    else:
        return Found(*match.span())
    if _HEAT.search(scene.text[max(0, match.start() - 12) : match.start()]):
        return None
    return found_at(match, calendar.decade_of(calendar.written(year).start), relative=False)


def _edge_day(match: re.Match[str], _scene: Scene) -> Found:
    """2024年3月最后一天, 3月最后一天."""
    year, month = _value(match, "year"), _value(match, "month") or 0
    first = match["edge"] == "第"
    if year is not None:
        span = calendar.written(year, month)
        return found_at(match, calendar.day_of(span.start if first else span.end), relative=False)
    if month == 2 and not first:
        raise ValueError(month)
    return date_at(match, Written(None, month, 1 if first else calendar.written(2000, month).end.day))


def _nth_weekday(match: re.Match[str], scene: Scene) -> Found:
    """三月最后一个周五, 2025年5月的第一个周一."""
    nth = chinese_number(match["nth"]) or 0 if match["nth"] else -1
    weekday = "一二三四五六日".index(match["weekday"].replace("天", "日"))
    return in_month(match, scene, Written(_value(match, "year"), _value(match, "month")), weekday, nth)


_LUNAR_DAY = "(?:初[一二三四五六七八九十]|[十廿卅][一二三四五六七八九]?(?![日号月])|二十[一二三四五六七八九]?(?![日号月]))"
_TABLE: tuple[tuple[str, Make], ...] = (
    # The moon's months, and what only looks like a date.
    (
        f"(?:农历|阴历|旧历|古历)的?(?:{YEAR})?(?:闰?[正腊冬一二三四五六七八九十0-9]{{1,2}}月)?(?:{_LUNAR_DAY}|[0-9]{{1,2}}[日号]?)?",
        nothing,
    ),
    (f"(?:闰[一二三四五六七八九十]|[正腊])月(?:{_LUNAR_DAY})?|(?:十[一二]?|[一二三四五六七八九])月{_LUNAR_DAY}", nothing),
    ("五月天|三月三|八月桂花|十月怀胎|一月一次|[一二两三四五六七八九十]月一[次回遍]|七月流火|七月七", nothing),
    ("(?:十九|二十|九|八|七|[0-9]{2,4})[年月]?后(?=[,。的、]|生人)", nothing),
    # Several days or months at once.
    (f"{_FREE}(?:{YEAR})?{MONTH}(?:[0-3]?[0-9]|[一二三十]{{1,3}})[日号]?[、和,]{DAY_2}", nothing),
    (f"{_FREE}(?:[0-9]{{1,2}}|[一二三四五六七八九十]{{1,2}})[、,]{MONTH}(?!{DAY})", nothing),
    # Ranges.
    (f"{_FREE}(?:{YEAR})?的?{MONTH}(?:{DAY})?{_TO}(?:{YEAR_2})?(?:{MONTH_2})?{DAY_2}", _range),
    (f"{_FREE}(?:{YEAR})?的?{MONTH}{_TO}(?:{YEAR_2})?{MONTH_2}(?![0-3]?[0-9][日号])", _range),
    (
        f"{_FREE}(?:{YEAR})?的?(?P<month>1[0-2]|0?[1-9]|[一二三四五六七八九]|十[一二]?)(?:月份?)?{_TO}{MONTH_2}(?![0-3]?[0-9][日号])",
        _range,
    ),
    (f"{_FREE}{YEAR}{_TO}{YEAR_2}", _range),
    (f"{_FREE}{_BARE_YEAR}{_TO}(?P<last>(?:19|20)[0-9]{{2}})年", _short_range),
    (f"{_FREE}{DAY}{_TO}{DAY_2}", _range),
    # Days, months, years.
    (f"{_NAMED_BEFORE}{_FREE}{YEAR} ?的?{MONTH} ?{DAY}", _date),
    (f"{_FREE}{YEAR} ?的?{MONTH} ?(?:{DAY}{_NAMED}|{_PART})", _date),
    (f"{_FREE}(?P<short>[0-9]{{2}})年{MONTH}(?:{DAY}|{_PART})", _date),
    (f"{_NAMED_BEFORE}{_FREE}{MONTH} ?{DAY}", _date),
    (f"{_FREE}{MONTH} ?{DAY}{_NAMED}", _date),
    (f"{_FREE}{MONTH}{_MONTH_END}{_PART}", _date),
    (f"{_FREE}{YEAR}{_YEAR_PART}(?!级|[一二三四五六七八九十0-9])", _year),
    (f"(?:在|于|从|自|自从|到|直到|截至){_BARE_YEAR}(?=[,。;]|$)", _year),
    (f"{_FREE}(?<!月){DAY}".replace("[日号]", "号") + f"(?:{_NAMED[:-1]}|{_AFTER_DAY})", _day),
    (f"{_FREE}(?:{YEAR}的?)?{MONTH}的?(?P<edge>第|最后)一天", _edge_day),
    (
        f"{_FREE}(?:{YEAR}的?)?{MONTH}的?(?:第(?P<nth>[一二三四])个?|最后一?个?)(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])",
        _nth_weekday,
    ),
    # Quarters, halves, seasons, decades.
    (f"(?P<t>{_FREE}{YEAR}的?第?(?P<quarter>[一二三四1-4])季度)", _quarter),
    (f"(?P<t>{_FREE}{YEAR}的?Q(?P<quarter>[1-4]))", _quarter),
    ("(?<![0-9A-Za-z个每])(?P<t>(?:第(?P<quarter>[一二三四1-4])个?季度))", _quarter),
    ("(?<![0-9A-Za-z个每年第])(?P<t>(?P<quarter>[一二三四])季度)", _quarter),
    ("(?<![0-9A-Za-z个每年])(?P<t>Q(?P<quarter>[1-4]))(?=[\u4e00-\u9fff])", _quarter),
    (f"{_FREE}{YEAR}的?(?P<half>[上下])半年", _half),
    (f"{_FREE}{YEAR}的?{SEASON}", _season),
    (
        f"{_CENTURY}(?P<decade>[1-9]0|(?:1[5-9]|20)[0-9]0|[一二三四五六七八九]?十)年代(?:初期?|末期?|中期|后期|早期|中后期)?",
        _decade,
    ),
)
RULES = tuple(Rule(re.compile(pattern), make) for pattern, make in _TABLE)
