"""The tense that times in English are resolved by: what was, is and will be, said on a Wednesday."""

from __future__ import annotations

import datetime as dt

import pytest

from memtree.tree.spoken_time import Anchor, times_in

WEDNESDAY = Anchor(dt.datetime.fromisoformat("2026-03-11T10:00:00+01:00"), "Europe/Berlin")
SENTENCES = {
    "The vet put the cat down on Friday.": "2026-03-06",
    "The wedding is held on Saturday.": "2026-03-14",
    "The concert is held on 9 September.": "2026-09-09",
    "The tenants get told on Monday.": "2026-03-16",
    "I put the house on the market on Monday.": "2026-03-09",
    "I need to put the bins out on Monday.": "2026-03-16",
    "We set off on Friday.": "2026-03-06",
    "The hearing is set for Friday.": "2026-03-13",
    "The rent cost more in January.": "2026-01",
    "The lake froze in January.": "2026-01",
    "My grandmother passed away on 2 February.": "2026-02-02",
    "My appeal was heard on June 2nd.": "2025-06-02",
    "Rehearsal is on Tuesday evening.": "2026-03-17",
    "Rehearsal was on Tuesday evening.": "2026-03-10",
    "Rehearsal on Tuesday evening went well.": "2026-03-10",
    "The team won on Sunday.": "2026-03-08",
    "The team plays on Sunday.": "2026-03-15",
    "Our son turns six on Thursday.": "2026-03-12",
    "Our son turned six on Thursday.": "2026-03-05",
    "Lena flew to Oslo on Sunday.": "2026-03-08",
    "Lena flies to Oslo on Sunday.": "2026-03-15",
    "Lena is flying to Oslo on Sunday.": "2026-03-15",
    "Lena isn't coming on Sunday.": "2026-03-15",
    "Lena didn't come on Sunday.": "2026-03-08",
    "Lena doesn't work on Sunday.": "2026-03-15",
    "Lena would like to visit us on Sunday.": "2026-03-15",
    "Lena might visit us on Sunday.": "2026-03-15",
    "Lena may visit us on Sunday.": "2026-03-15",
    "Lena could visit us on Sunday.": "2026-03-15",
    "Lena has visited us on Sunday.": "2026-03-08",
    "Lena had to leave on Sunday.": "2026-03-08",
    "Lena has to leave on Sunday.": "2026-03-15",
    "When I got home on Sunday the door was open.": "2026-03-08",
    "It closes on Sunday, which annoyed me.": "2026-03-15",
}


@pytest.mark.parametrize(("text", "day"), list(SENTENCES.items()))
def test_days_and_months_follow_the_tense(text: str, day: str) -> None:
    assert [one.display for one in times_in(text, WEDNESDAY)] == [day]
