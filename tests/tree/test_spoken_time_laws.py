"""What holds for spoken times whatever the text is, and how long reading takes."""

from __future__ import annotations

import datetime as dt
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.spoken_time import Anchor, anchor_of, projected, temporal_of, times_in, without_projection

_ENGLISH = """
last next this every on in since until from to ago before after the a two 3 10 2019 2024-05-08 8 May march Friday week weekend month
year day days weeks quarter summer yesterday tomorrow today Q3 1990s I moved will . , and of end th 1st half between
"""
_CHINESE = """
上 下 这 个 周 星期 五 天 日 月 年 前 后 昨天 明天 大后天 三 十 2019年 5月 8日 从 到 底 初 季度
夏天 半 的 了 要 每 农历 第 ， 。 （ ）
"""
_WORDS = [*_ENGLISH.split(), *_CHINESE.split()]
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(st.sampled_from(_WORDS), max_size=14).map(" ".join),
    st.lists(st.sampled_from(_WORDS), max_size=14).map("".join),
)
ZONES = st.sampled_from(
    ["", "UTC", "Europe/Berlin", "America/New_York", "Asia/Shanghai", "Pacific/Apia", "Asia/Kathmandu", "Nowhere/None"]
)


def _anchor(milliseconds: int, zone: str) -> Anchor:
    return Anchor(dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(milliseconds=milliseconds), zone)


_ANY = st.integers(-62_135_596_800_000, 253_402_300_799_999)  # milliseconds from the year 1 to 9999
_SENSIBLE = st.integers(0, 7_258_118_400_000)
ANCHORS = st.one_of(st.none(), st.builds(_anchor, _ANY, ZONES))
SENSIBLE = st.builds(_anchor, _SENSIBLE, ZONES)


@given(TEXTS, ANCHORS)
def test_every_time_lies_in_the_text_and_begins_before_it_ends(text: str, anchor: Anchor | None) -> None:
    before = 0
    for one in times_in(text, anchor):
        assert before <= one.start < one.end <= len(text)
        before = one.end
        assert dt.date.fromisoformat(one.resolved_start) <= dt.date.fromisoformat(one.resolved_end)
        assert one.display
        assert one.kind == "relative" or one.anchor_source == "text"
        assert anchor is not None or one.kind == "absolute" or one.anchor_source == "text"


@given(TEXTS, ANCHORS)
def test_reading_is_repeatable_and_what_is_shown_can_be_taken_off(text: str, anchor: Anchor | None) -> None:
    temporal = temporal_of(text, anchor)[0]
    assert temporal_of(text, anchor)[0] == temporal
    text = without_projection(text)
    shown = projected(text, temporal)
    assert shown.startswith(text)
    assert without_projection(shown) == text
    assert projected(shown, temporal) == shown or shown == text


@given(TEXTS, ANCHORS)
def test_a_sentence_without_a_time_changes_nothing(text: str, anchor: Anchor | None) -> None:
    told = [(one.resolved_start, one.granularity) for one in times_in(f"{text}\n", anchor)]
    more = [(one.resolved_start, one.granularity) for one in times_in(f"{text}\n\n\nHer cat is called Bo.", anchor)]
    assert [one for one in more if one not in told] == []


@given(
    SENSIBLE,
    st.sampled_from(
        ["last Friday", "next Tuesday", "this Sunday", "yesterday", "10 days ago", "last week", "上周五", "大后天", "下周末"]
    ),
)
def test_a_week_later_it_is_a_week_later(anchor: Anchor, words: str) -> None:
    local = anchor.local
    later = Anchor(dt.datetime.combine(local.date() + dt.timedelta(days=7), local.time(), local.tzinfo), anchor.zone)
    ((first,), (second,)) = (times_in(words, one) for one in (anchor, later))
    days = [dt.date.fromisoformat(one.resolved_start) for one in (first, second)]
    assert days[1] - days[0] == dt.timedelta(days=7)


@given(SENSIBLE, st.sampled_from(["Monday", "Wednesday", "Saturday", "Sunday"]))
def test_last_and_next_weekdays_are_strictly_before_and_after(anchor: Anchor, day: str) -> None:
    today = anchor.local.date()
    last, following = (dt.date.fromisoformat(times_in(f"{which} {day}", anchor)[0].resolved_start) for which in ("last", "next"))
    assert 1 <= (today - last).days <= 7
    assert 1 <= (following - today).days <= 7
    assert last.strftime("%A") == following.strftime("%A") == day


@given(SENSIBLE, st.integers(1, 400))
def test_months_never_overflow(anchor: Anchor, many: int) -> None:
    (one,) = times_in(f"{many} months ago", anchor)
    today, start = anchor.local.date(), dt.date.fromisoformat(one.resolved_start)
    assert (today.year - start.year) * 12 + today.month - start.month == many
    assert start.day == 1


@pytest.mark.parametrize(
    "text",
    [
        *(
            "a" * 10**6,
            "1" * 10**6,
            " " * 10**6,
            "in May, " * 10**5,
            "May 1 " * 10**5,
            "上上周" * 10**5,
            "十" * 10**6,
            "last the " * 10**5,
        ),
        *(
            "`" * 10**6,
            "/a" * 10**5,
            "a@" * 10**5,
            "1-" * 10**5,
            "2019年" * 10**5,
            "from May to " * 10**5,
            "last" + " " * 10**6 + "week",
        ),
        *(
            "周一、" * 10**5,
            "《" * 10**6,
            "two days before " * 10**5,
            "every " * 10**5 + "on Friday",
            "三" * 10**5 + "天前",
            "-" * 10**6,
        ),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_megabyte_of_anything_is_read_in_no_time(text: str) -> None:
    start = time.process_time()
    temporal_of(text, anchor_of(0, ""))
    assert time.process_time() - start < 20


def test_an_ordinary_sentence_costs_next_to_nothing() -> None:
    texts = [
        "The user prefers dark roast coffee and works as a nurse in a clinic near the harbour.",
        "用户喜欢喝咖啡，在一家小诊所做护士。",
    ]
    anchor = anchor_of(0, "")
    start = time.process_time()
    for text in texts * 500:
        assert times_in(text, anchor) == ()
    assert time.process_time() - start < 1  # a millisecond each; a fiftieth of that is usual
