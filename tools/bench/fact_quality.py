"""How well facts are told from what nobody needs tomorrow, and how well dates are read; beside peers that judge the same sentences.

The peers of the gate: keeping everything, and a bag of words, of which one is enough for a reason. The peer of dates is dateutil's
fuzzy parser, which reads one day out of a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from zoneinfo import ZoneInfo

from memtree.tools.bench.fact_sets import DROPPED, DURABLE, LANGUAGES, Sentence, Span, Timed
from memtree.tools.bench.measure import Result

Judge = Callable[[str], str]  # why a sentence is dropped, '' to keep it
Reader = Callable[[Timed], Sequence[Span]]

_BAG = {
    "query_intent": (
        r"\?|\b(?:how|what|which|why|please|can you|asks?|asked|asking|wants to know)\b",
        "？|怎么|什么|吗|请|帮我|想知道|询问|查一?下",
    ),
    "transient_status": (
        r"\b(?:now|currently|at the moment|today|this (?:morning|afternoon|evening)|tired|busy|hungry)\b",
        "现在|正在|今天|此刻|目前",
    ),
    "ephemeral_intent": (
        r"\b(?:will|going to|about to|plans? to|intends to|tonight|in a minute)\b",
        "打算|准备|马上|今晚|等会|一会",
    ),
    "activity_log": (
        r"\b(?:ate|had|slept|ran|walked|watched|drank|yesterday|last night|for (?:lunch|dinner))\b",
        "昨天|昨晚|吃了|喝了|睡了|中午",
    ),
    "operational_log": (
        r"\b(?:tests?|build|passed|failed|deploy|task|error|import|retrying|finished)\b",
        "测试|构建|部署|失败|任务|完成|返回",
    ),
}
_BAGS = tuple((reason, re.compile("|".join(words), re.IGNORECASE)) for reason, words in _BAG.items())


def bag_of_words(text: str) -> str:
    """The first reason of which a word is in the text."""
    return next((reason for reason, words in _BAGS if words.search(text)), "")


def keep_all(_: str) -> str:
    return ""


def gate_figures(rows: Sequence[Sentence], judge: Judge) -> Result:
    """What share of what lasts is kept, what share of the kept lasts, and what share of each reason is dropped, in percent."""
    said = [(row, judge(row.text)) for row in rows]
    return {
        **_kept(said),
        "languages": {one: _kept([pair for pair in said if pair[0].language == one]) for one in LANGUAGES},
        "reasons": {reason: _dropped([pair for pair in said if pair[0].label == reason]) for reason in DROPPED},
    }


def _kept(said: Sequence[tuple[Sentence, str]]) -> Result:
    kept = [row.label for row, reason in said if not reason]
    lasting = kept.count(DURABLE)
    return {
        "durable_kept_percent": _share(lasting, sum(row.label == DURABLE for row, _ in said)),
        "of_kept_durable_percent": _share(lasting, len(kept)),
    }


def _dropped(said: Sequence[tuple[Sentence, str]]) -> Result:
    found: Result = {"right_reason_percent": _share(sum(reason == row.label for row, reason in said), len(said))}
    for language in LANGUAGES:
        of_language = [reason for row, reason in said if row.language == language]
        found[f"dropped_{language}_percent"] = _share(sum(map(bool, of_language)), len(of_language))
    return found


def date_figures(rows: Sequence[Timed], reader: Reader) -> Result:
    """What share of the sentences are read exactly, every time in them and no other: its days and how exact it is; in percent."""
    right = [(row, tuple(reader(row)) == row.want) for row in rows]
    return {
        "exact_percent": _exact(right),
        **{f"exact_{one}_percent": _exact([pair for pair in right if pair[0].language == one]) for one in LANGUAGES},
        "exact_where_none_percent": _exact([pair for pair in right if not pair[0].want]),
    }


def _exact(right: Sequence[tuple[Timed, bool]]) -> float:
    return _share(sum(exact for _, exact in right), len(right))


def by_dateutil(row: Timed) -> Sequence[Span]:
    """The day that dateutil reads, none where it finds none; a text without a year is of the year in which it was said."""
    from dateutil.parser import ParserError, parse

    midnight = row.anchor.astimezone(ZoneInfo(row.zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        day = parse(row.text, fuzzy=True, default=midnight.replace(tzinfo=None)).date().isoformat()
    except (ParserError, OverflowError, ValueError):
        return ()
    return (Span(day, day, "day"),)


def _share(part: int, of: int) -> float:
    return round(100 * part / of, 1) if of else 0.0
