"""Times in Chinese that are counted from the speaker's day: 昨天, 上周五, 下个月, 三天前, 去年夏天, 明年3月."""

from __future__ import annotations

import re
from dataclasses import replace

from memtree.tree import calendar_spans as calendar
from memtree.tree.spoken_english import counted
from memtree.tree.spoken_forms import Found, Make, Rule, Scene, Tense, found_at, nothing
from memtree.tree.spoken_numbers import CHINESE, chinese_number

_DAYS = "一二三四五六日"
# A day's name before these belongs to another word: 下周一起, 这周天气, 上周三次, 本周日程.
_NOT_THIS_DAY = (
    "(?!一(?:起(?!开始|就|[,。])|直|些|样|定|般|共|个|次|下|同|边|路|点|半|周|天|切|年|月|再|并|方|时)"
    "|二(?:手|人|次|十|百)|[二三四五六](?:次|个(?!人)|天(?!气)|遍|小时|公里|斤|场|顿|节|趟|十|百|千|年|月)"
    "|[天日](?:气|天|空|程|常|记|报|志|均|语|本|期|元|子|益))"
)
_WEEKDAY = rf"{_NOT_THIS_DAY}(?P<day>[一二三四五六日天])(?![、,/]?[一二三四五六日](?![月日号点0-9]))"
_WEEK = "(?:周|星期|礼拜)"
_UP = "(?P<which>上上|下下|上|下|这一?|本)(?:一)?个?"
_NOT_UP = "(?<![晚早马网路楼车身手桌天地海山头脸街船线乡当一以之如北南陪午])"
_STEPS = {"上上": -2, "上": -1, "这": 0, "这一": 0, "本": 0, "下": 1, "下下": 2}
_DAY_WORDS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "上年": -1, "上一年": -1, "今年": 0, "本年": 0, "本年度": 0, "明年": 1, "下一年": 1}
_YEARS |= {"后年": 2, "大后年": 3, "去年度": -1}
YEAR_WORD = (
    "(?P<which>大前年|大后年|今年|(?<!叫[^我你他她它们人大])明年|本年度?|(?<![目以之从])前年(?![薪纪龄级])|(?<!过)去年(?!纪)|(?<![以早晚])上一?年(?![级纪会轻])"
    "|(?<![今以之此往])(?:下一|后)年(?!薪))"
)
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "季度": "quarter", "年": "year"}
_UNITS |= {"小时": "hour", "钟头": "hour", "分钟": "minute", "周末": "weekend"}
_PERIODS = {
    "周": calendar.week_of,
    "星期": calendar.week_of,
    "礼拜": calendar.week_of,
    "月": calendar.month_of,
    "季度": calendar.quarter_of,
}
_SEASONS = {"春": calendar.SPRING, "夏": calendar.SUMMER, "秋": calendar.AUTUMN, "冬": calendar.WINTER}
SEASON = "(?P<season>[春夏秋冬])(?:天|季)"
_VAGUE = "[几数多来余好些两三四五六七八九]"
_HABIT = re.compile("(?:每个?|各|逢|隔|[一二两三四五六七八九十0-9几数第半四多个])\\Z")
_EVENT = re.compile(
    "(?:结婚|毕业|出生|手术|出院|住院|入职|离职|离婚|退休|开业|搬家|怀孕|生产|成立|上线|发布|签约|抵达|到达|分手|认识|去世|发病|治疗|服药|饭|之|此|考试|上市"
    "|开学|结束|完成|以|回国|移民|复婚|订婚|断奶|术|婚|产)\\Z"
)
_LATER_TOLD = re.compile("了|过|曾|当时")
_AHEAD = re.compile("要|会|将|打算|准备|计划|预计|到期|截止|开始|出发|有|约")


def season_month(word: str) -> int:
    """The month that a season begins in."""
    return _SEASONS[word[0]]


def _day_word(match: re.Match[str], scene: Scene) -> Found:
    return found_at(match, calendar.day_of(scene.day, _DAY_WORDS[match["word"]]))


def _weekday(match: re.Match[str], scene: Scene) -> Found:
    """上周五, 下下周三, 这个星期天: of the week before, of this one …"""
    day = _DAYS.index(match["day"].replace("天", "日"))
    return found_at(match, calendar.weekday_of(scene.day, day, _STEPS[match["which"]]))


def _weekdays(match: re.Match[str], scene: Scene) -> Found:
    """下周一到周三; 周五到周日 where that is no habit."""
    steps = _STEPS[match["which"]] if match["which"] else 0
    first, last = (_DAYS.index(match[name].replace("天", "日")) for name in ("day", "last"))
    open_to_all = not match["which"] and ((first, last) == (0, 4) or scene.tense_at(*match.span()) is Tense.UNCLEAR)
    if last <= first or open_to_all:
        return Found(*match.span())
    span = calendar.together(calendar.weekday_of(scene.day, first, steps), calendar.weekday_of(scene.day, last, steps))
    return replace(found_at(match, span, loose=not match["which"]), joined=True)


def _bare_weekday(match: re.Match[str], scene: Scene) -> Found | None:
    """周五 is the one of this week, unless it is told as a habit."""
    if _HABIT.search(scene.text[max(0, match.start() - 2) : match.start()]):
        return Found(*match.span())
    day = _DAYS.index(match["day"].replace("天", "日"))
    until = scene.text[max(0, match.start() - 1) : match.start()] in ("到", "至")
    if until and scene.tense_at(match.start(), match.end()) is not Tense.PAST:
        return found_at(match, calendar.weekday_after(scene.day, day), loose=True)
    return found_at(match, calendar.weekday_of(scene.day, day), loose=True)


def _weekend(match: re.Match[str], scene: Scene) -> Found:
    return found_at(match, calendar.weekend_of(scene.day, _STEPS[match["which"]]))


def _period(match: re.Match[str], scene: Scene) -> Found:
    return found_at(match, _PERIODS[match["unit"]](scene.day, _STEPS[match["which"]]))


def _day_of_month(match: re.Match[str], scene: Scene) -> Found | None:
    """上个月8号, 本月底最后一天."""
    month = calendar.month_of(scene.day, _STEPS[match["which"]])
    day = chinese_number(match["day"])
    return None if day is None else found_at(match, calendar.written(month.start.year, month.start.month, day))


def _edge_day(match: re.Match[str], scene: Scene) -> Found:
    """这个月最后一天."""
    span = _PERIODS[match["unit"]](scene.day, _STEPS[match["which"]])
    return found_at(match, calendar.day_of(span.start if match["edge"] == "第" else span.end))


def _year(match: re.Match[str], scene: Scene) -> Found:
    """去年, 明年3月, 前年5月8日, 去年夏天, 今年第二季度, 明年下半年."""
    groups = match.groupdict()
    year = scene.day.year + _YEARS[match["which"]]
    if groups.get("season"):
        return found_at(match, calendar.season(year, season_month(match["season"])))
    nth = groups.get("quarter") or groups.get("quarterq")
    if nth:
        return found_at(match, calendar.quarter(year, chinese_number(nth) or 0))
    if groups.get("half"):
        return found_at(match, calendar.half_year(year, 1 if match["half"] == "上" else 2))
    month, day = (chinese_number(groups[name]) if groups.get(name) else None for name in ("month", "day"))
    return found_at(match, calendar.written(year, month, day))


def _this_day(match: re.Match[str], scene: Scene) -> Found:
    """去年的今天."""
    return found_at(match, calendar.stepped(calendar.day_of(scene.day), calendar.YEAR, _YEARS[match["which"]]))


def _season(match: re.Match[str], scene: Scene) -> Found | None:
    """上个夏天, 这个冬天, 下个春天."""
    steps, month, day = _STEPS[match["which"]], season_month(match["season"]), scene.day
    spans = [calendar.season(year, month) for year in range(day.year - 2, day.year + 3)]
    if steps < 0:
        return found_at(match, [span for span in spans if span.end < day][-1])
    return found_at(match, next(span for span in spans if (span.start > day or (steps == 0 and span.end >= day))))


def _ago(match: re.Match[str], scene: Scene) -> Found | None:
    return _counted(match, scene, -1)


def _same_day(match: re.Match[str], scene: Scene) -> Found | None:
    """三年前的今天."""
    many, way = chinese_number(match["many"]), -1 if match["way"] == "前" else 1
    return (
        None if many is None else found_at(match, calendar.stepped(calendar.day_of(scene.day), _UNITS[match["unit"]], way * many))
    )


def _later(match: re.Match[str], scene: Scene) -> Found | None:
    """三天后: from now on where it opens the clause and nothing is told; 手术三天后 is counted from the surgery."""
    before = scene.text[max(0, match.start() - 3) : match.start()]
    after = scene.text[match.end() : match.end() + 40].split("。")[0]
    told = _LATER_TOLD.search(after) is not None and _AHEAD.search(after) is None
    if told or _EVENT.search(before):
        return Found(*match.span())
    return _counted(match, scene, 1)


def _hence(match: re.Match[str], scene: Scene) -> Found | None:
    return _counted(match, scene, 1)


def _counted(match: re.Match[str], scene: Scene, way: int) -> Found | None:
    before = scene.text[max(0, match.start() - 3) : match.start()]
    if re.search("[0-9.~至到-]\\Z|大约|大概|差不多|快|近\\Z|将近|超过|约\\Z|前\\Z|第\\Z|每\\Z|[几数多好上]\\Z", before):
        return Found(*match.span())
    many = chinese_number(match["many"])
    if many is not None and many > 1000 and match["unit"] == "年":
        return None  # a year, not so many of them
    if many is None or scene.text.startswith("左右", match.end()):
        return Found(*match.span())
    return found_at(match, counted(scene, _UNITS[match["unit"]], way * many))


def _half(match: re.Match[str], scene: Scene) -> Found:
    way = -1 if match["way"] == "前" else 1
    if re.search(
        "[一二两三四五六七八九十个0-9大小多年]\\Z|大约|大概|约\\Z|近\\Z|差不多",
        scene.text[max(0, match.start() - 3) : match.start()],
    ):
        return Found(*match.span())
    if match["unit"] == "年":
        return found_at(match, calendar.month_of(scene.day, 6 * way))
    return found_at(match, counted(scene, "minute", 30 * way))


def _running(match: re.Match[str], scene: Scene) -> Found:
    """月底, 年初: of the month or year that runs."""
    if re.search("[每各0-9一二三四五六七八九十个]\\Z", scene.text[max(0, match.start() - 1) : match.start()]):
        return Found(*match.span())
    return found_at(match, calendar.month_of(scene.day) if match["unit"] == "月" else calendar.year_of(scene.day), loose=True)


def _half_year(match: re.Match[str], scene: Scene) -> Found:
    return found_at(match, calendar.half_year(scene.day.year, 1 if match["half"] == "上" else 2), loose=True)


_PART = "(?:的?(?:年初|年底|年末|年中|年终|初|底|末|中(?![国文心学间午介级秋])|之?内))?"
_MONTH_PART = "(?:的?(?:上旬|中旬|下旬|月初|月底|月末|初(?![一二三四五六七八九十中级])|底|末|中旬))?"
_DAYPART = "(?:早上|上午|中午|下午|傍晚|晚上|夜里|凌晨|清晨|一早|一大早)?"
_NUMBER = f"(?P<many>{CHINESE})"
_UNIT = "(?P<unit>天|日|周|星期|礼拜|年|小时|钟头|分钟)"
_TABLE: tuple[tuple[str, Make], ...] = (
    # What only looks like a time.
    ("(?<![a-zA-Z])[《<][^《》<>\n]{1,60}[》>]", nothing),
    (
        "[今以之此往然最午饭课婚产术背身雨事其随]后天(?:天|气|晴|空)?|后天(?:失|致|残|畸|免疫|补|努力|培养|形成|习得|养成|获得|因素|环境|条件|优势|学习|教育|勤奋|的努力|性|[天气晴空])",
        nothing,
    ),
    ("[目以之眼提从]前天[天气空]|[目以之眼]前[天年]|前天[气空台线]", nothing),
    (
        "[聪光文清黎透]明天|明天(?:系|[天气线空花](?!气预)|集团|科技|控股|会更好)|明日(?:方舟|之后|香|之星|复明日)|今日(?:头条|说法|美国)|昨日(?:重现|之歌|之事)|明日黄花",
        nothing,
    ),
    (f"(?:每个?|逢|隔)(?:{_WEEK}[一二三四五六日天]|{_WEEK}末|月底|月初|年底|年初)", nothing),
    (
        f"(?:{_NOT_UP}{_UP})?{_WEEK}(?P<day>[一二三四五六日天])(?:到|至|~|—|-)(?P=which)?{_WEEK}?(?P<last>[一二三四五六日天])",
        _weekdays,
    ),
    (f"{_WEEK}[一二三四五六日天](?:[、,/和]{_WEEK}?[一二三四五六日天])+(?![月号])", nothing),
    (f"{_WEEK}[一二三四五六日天](?:[早晚]上|下午)?(?:我们?|他们?|她们?|用户)?(?:都|总|往往|通常)", nothing),
    ("[去今明前后]年年[前后]", nothing),
    ("(?:[0-9]{1,2}|[一二三四五六七八九十]{1,2})月之?内", nothing),
    ("[初小高大]?[一二三四五六七八九]年后?级", nothing),
    ("[两二三四五六七八九](?:三|四|五|六|七|八|九)(?:天|周|个星期|个月|年|小时|分钟)(?:之|以)?[前后]", nothing),
    ("明后[天两]|[今昨]明?今?两天|先天[^,。;]{0,12}后天", nothing),
    ("[晚早](?:上月|上年)", nothing),
    # Days.
    ("(?P<word>大前|大后)(?:天|日)" + _DAYPART, _day_word),
    ("(?P<word>[昨今明])(?:天|日|儿个?|晚上?|早上?|晨|夜)(?![天气系])" + _DAYPART, _day_word),
    ("(?P<word>[昨今明])天(?=天气)", _day_word),
    (
        "(?<![大今以之此往然最午饭课婚产术背身雨事其随先目眼提年月周天日])(?P<word>[前后])(?:天|日晚?|晚|夜)(?![天气晴空])"
        + _DAYPART,
        _day_word,
    ),
    ("(?<=[天日])(?P<word>后)天(?=[下早晚上中][午上])", nothing),
    # Weeks and their days.
    (f"{_NOT_UP}{_UP}{_WEEK}的?{_WEEK}?{_WEEKDAY}{_DAYPART}", _weekday),
    (f"{_NOT_UP}{_UP}{_WEEK}末", _weekend),
    (f"{_NOT_UP}{_UP}(?P<unit>周(?!末|年|围|边|期(?![末中间待]))|星期|礼拜|季度)[内初中底末]?", _period),
    (
        f"(?P<t>周{_NOT_THIS_DAY}(?P<day>[一二三四五六日])(?![、,/]?[一二三四五六日](?![月日号点0-9])|[鸣丰围]))",
        _bare_weekday,
    ),
    (f"(?P<t>(?:星期|礼拜){_WEEKDAY})", _bare_weekday),
    # Months and quarters.
    (f"{_NOT_UP}{_UP}(?P<unit>月)(?![亮球光饼色份牌台票经])份?{_MONTH_PART}", _period),
    (f"{_NOT_UP}{_UP}月份?的?(?P<day>[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})[号日]", _day_of_month),
    (f"{_NOT_UP}{_UP}(?P<unit>月|周|季度)的?(?P<edge>第|最后)一天", _edge_day),
    # Years.
    (f"{YEAR_WORD}{_PART}", _year),
    (
        f"{YEAR_WORD}度?的?(?P<month>[0-9]{{1,2}}|[一二三四五六七八九十]{{1,2}})月份?(?:(?P<day>[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})[号日]|{_MONTH_PART})",
        _year,
    ),
    (f"{YEAR_WORD}的?(?:今[天日]|这一天)", _this_day),
    (f"{YEAR_WORD}的?{SEASON}", _year),
    (f"{YEAR_WORD}的?(?:第?(?P<quarter>[一二三四1-4])季度|Q(?P<quarterq>[1-4]))", _year),
    (f"{YEAR_WORD}的?(?P<half>[上下])半年", _year),
    (f"{_NOT_UP}{_UP}{SEASON}", _season),
    ("(?<![年个])(?P<half>[上下])半年(?!级)", _half_year),
    ("(?<![月年童少青中晚早老成多全新周历])(?P<unit>月|年)(?:底|末|初|中(?=[要会将前]))(?![一二三四五六七八九十])", _running),
    # Amounts.
    (f"{_NUMBER}个?{_UNIT}(?:之|以)?前(?!后|往|台|端|面|进|夕|年|线|任|列)", _ago),
    (f"{_NUMBER}个?(?P<unit>月|年|周|星期)(?:之|以)?(?P<way>前|后)的今天", _same_day),
    (f"{_NUMBER}个(?P<unit>月)(?:之|以)?前(?!后|往|面)", _ago),
    (f"(?:再过)?{_NUMBER}个?{_UNIT}(?:之|以)?后(?!悔|面|备|台|端|续|勤|果|代|遗)", _later),
    (f"(?:再过)?{_NUMBER}个(?P<unit>月)(?:之|以)?后(?!悔|面)", _later),
    (f"再过{_NUMBER}个?{_UNIT}(?![之以]?[前后内])", _hence),
    (f"再过{_NUMBER}个(?P<unit>月)(?![之以]?[前后内])", _hence),
    ("半(?P<unit>年|个?小时|个?钟头)(?:之|以)?(?P<way>前|后)(?!后|悔|面)", _half),
    (f"[几数好近](?:几)?[十百]?个?{_UNIT}(?:之|以)?[前后]", nothing),
    (f"{_NUMBER}[多来余几]个?{_UNIT}(?:之|以)?[前后]", nothing),
    (f"{CHINESE}个?(?:年|月|小时|星期|周)半(?:之|以)?[前后]|{CHINESE}个?半(?:年|月|小时)(?:之|以)?[前后]", nothing),
)
RULES = tuple(Rule(re.compile(pattern), make) for pattern, make in _TABLE)
