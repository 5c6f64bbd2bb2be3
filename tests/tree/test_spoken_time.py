"""Times spoken in facts: what they resolve to, what is none, and what a fact is told of them."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from memtree.tree.spoken_time import Anchor, anchor_of, projected, temporal_of, times_in, without_projection

TUNING = Path(__file__).parents[2] / "tools" / "bench" / "times_tuning.jsonl"


def _told(text: str, anchor: Anchor | None) -> list[tuple[str, str, str]]:
    return [(one.resolved_start, one.resolved_end, one.granularity) for one in times_in(text, anchor)]


@pytest.mark.parametrize("line", TUNING.read_text("utf-8").splitlines())
def test_what_the_bench_was_tuned_with(line: str) -> None:
    row = json.loads(line)
    anchor = Anchor(dt.datetime.fromisoformat(row["anchor"]), row["zone"])
    assert _told(row["text"], anchor) == [(want["start"], want["end"], want["granularity"]) for want in row["want"]]


def test_anchors() -> None:
    assert anchor_of(None, "UTC") is None
    assert anchor_of(0, "Nowhere/Atlantis") is None
    assert anchor_of(0, "../etc/passwd") is None
    assert anchor_of(10**18, "") is None
    night = anchor_of(1_777_678_200_000, "Asia/Shanghai")
    assert night is not None
    assert night.local.isoformat() == "2026-05-02T07:30:00+08:00"


def test_a_fact_is_told_its_time() -> None:
    anchor = anchor_of(1_773_219_600_000, "Europe/Berlin")  # Wednesday, 11 March 2026
    temporal, valid, invalid = temporal_of("I moved to Lisbon last month.", anchor)
    assert temporal is not None
    assert (temporal.kind, temporal.anchor_source, temporal.display, valid, invalid) == (
        "relative",
        "message",
        "2026-02",
        "2026-02",
        "",
    )
    shown = projected("I moved to Lisbon last month.", temporal)
    assert shown == "I moved to Lisbon last month. [time: 2026-02]"
    assert without_projection(shown) == "I moved to Lisbon last month."


WEDNESDAY = anchor_of(1_773_219_600_000, "Europe/Berlin")  # 11 March 2026
VALIDITY = {
    "I have lived in Lyon since 2016.": ("2016", ""),
    "Has worked nights since last month": ("2026-02", ""),
    "I've been vegan since 3 May 2021": ("2021-05-03", ""),
    "As of next Monday the office is in Ulm": ("2026-03-16", ""),
    "Starting in May 2026 the port is 8081": ("2026-05", ""),
    "From 2027 on the meetings are in French": ("2027", ""),
    "The contract is valid until May 2027": ("", "2027-06"),
    "I stay with Ana until 20 March": ("", "2026-03-21"),
    "I worked there until 2019": ("", "2020"),
    "I did not eat meat until 2019": ("", ""),
    "I'm at my sister's until Friday": ("", "2026-03-14"),
    "The road is closed until the end of the year": ("", "2027"),
    "The shop is closed until 31 December 2026": ("", "2027-01-01"),
    "本周五为止我在家办公": ("", ""),
    "我在杭州待到周五": ("", "2026-03-14"),
    "I worked there from 2015 to 2019": ("2015", "2020"),
    "I lived there from May to July 2023": ("2023-05", "2023-08"),
    "I lived there from 2015 until May 2019": ("2015", "2019"),
    "Lived there since 2015 and until 2019": ("2015", "2020"),
    "In 2019 I moved to Lisbon": ("2019", ""),
    "I moved to Lisbon in May 2019": ("2019-05", ""),
    "I moved to Lisbon on 8 May 2019": ("2019-05-08", ""),
    "I quit yesterday": ("2026-03-10", ""),
    "We met last week": ("2026-03", ""),
    "The wedding is on 8 May 2027": ("", ""),
    "We fly tomorrow": ("", ""),
    "The report is due by Friday": ("", ""),
    "I moved before 2019": ("", ""),
    "I quit in May 2022 and started on 1 February 2023": ("", ""),
    "Rehearses every Monday": ("", ""),
    "从2016年起住在昆明": ("2016", ""),
    "自从2016年以来住在昆明": ("2016", ""),
    "自2016年至今住在昆明": ("2016", ""),
    "2016年以来住在昆明": ("2016", ""),
    "从上个月开始吃素": ("2026-02", ""),
    "2019年5月8日搬到昆明": ("2019-05-08", ""),
    "去年结了婚": ("2025", ""),
    "前天装了支架": ("2026-03-09", ""),
    "合同有效期到2027年5月": ("", "2027-06"),
    "直到2019年都住在昆明": ("", "2020"),
    "从2015年到2019年在昆明上班": ("2015", "2020"),
    "明年结婚": ("", ""),
    "2019年之前住在昆明": ("", ""),
    "妈妈昨天做了手术，下周二出院": ("", ""),
    "On 5 January 2026 we decided to use SQLite": ("2026-01-05", ""),
    "From next Monday, all PRs need two reviews.": ("2026-03-16", ""),
    "The war ended in 1945": ("1945", ""),
    "I was born in '87": ("1987", ""),
    "I had an appointment on Monday": ("2026-03-09", ""),
    "The offer is valid through June 2026": ("", "2026-07"),
    "Our trial ended last weekend": ("2026-03", ""),
    "一月以来所有PR需要两个评审": ("2026-01", ""),
    "自3月3日的事故以来冻结部署": ("2026-03-03", ""),
    "到上周为止所有PR只需一个评审": ("", "2026-03-09"),
    "保修到2027年6月30日": ("", "2027-07-01"),
    "从下周一起，所有PR需要两个评审": ("2026-03-16", ""),
    "合同2027年5月到期": ("", ""),
    "1月5日我们决定用SQLite": ("2026-01-05", ""),
}


@pytest.mark.parametrize(("text", "means"), list(VALIDITY.items()))
def test_since_when_and_until_when(text: str, means: tuple[str, str]) -> None:
    assert temporal_of(text, WEDNESDAY)[1:] == means


def test_one_time_or_one_range_is_a_facts_time() -> None:
    ranged = temporal_of("I lived there from May to July 2023", WEDNESDAY)[0]
    assert ranged is not None
    assert (ranged.kind, ranged.resolved_start, ranged.resolved_end, ranged.display) == (
        "absolute",
        "2023-05-01",
        "2023-07-31",
        "2023-05~2023-07",
    )
    assert temporal_of("I quit in May 2022 and started in June 2023", WEDNESDAY)[0] is None
    again = temporal_of("I quit yesterday, that is on 10 March 2026", WEDNESDAY)[0]
    assert again is not None
    assert again.display == "2026-03-10"
    assert temporal_of("Nothing of that kind", WEDNESDAY) == (None, "", "")


def test_counted_from_a_date_in_the_text() -> None:
    (one,) = times_in("We got the keys the day after 3 May 2024.", None)
    assert (one.kind, one.anchor_source, one.display) == ("relative", "text", "2024-05-04")
    (one,) = times_in("3月1日的前一天搬了家", Anchor(dt.datetime(2024, 3, 20, tzinfo=dt.UTC)))
    assert (one.kind, one.anchor_source, one.display) == ("relative", "text", "2024-02-29")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I quit yesterday", "I quit yesterday [time: 2026-03-10]"),
        ("上周五搬了家", "上周五搬了家 [time: 2026-03-06]"),
        ("We met last week.", "We met last week. [time: 2026-03-02~2026-03-08]"),
        ("I moved on 8 May", "I moved on 8 May [time: 2025-05-08]"),
        ("I moved on 8 May 2023", "I moved on 8 May 2023"),
        ("I quit yesterday (2026-03-10)", "I quit yesterday (2026-03-10)"),
        ("We launch next quarter", "We launch next quarter [time: 2026-Q2]"),
        ("Nothing of that kind", "Nothing of that kind"),
    ],
)
def test_readers_are_shown_what_is_meant(text: str, shown: str) -> None:
    made = projected(text, temporal_of(text, WEDNESDAY)[0])
    assert made == shown
    assert without_projection(made) == text
    assert projected(text, None) == text


def test_where_a_time_stands() -> None:
    text = "用户说：下周五 we meet again on 8 May 2027, OK?"
    assert [text[one.start : one.end] for one in times_in(text, WEDNESDAY)] == ["下周五", "8 May 2027"]


def test_days_are_those_of_the_speakers_zone() -> None:
    late = 1_773_187_200_000  # 2026-03-11T00:00:00Z
    days = {zone: times_in("I quit today", anchor_of(late, zone))[0].display for zone in ("", "Asia/Tokyo", "America/New_York")}
    assert days == {"": "2026-03-11", "Asia/Tokyo": "2026-03-11", "America/New_York": "2026-03-10"}
