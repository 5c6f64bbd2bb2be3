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
