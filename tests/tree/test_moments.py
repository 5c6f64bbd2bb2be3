"""Times as programs give them: seconds, milliseconds or finer, RFC 3339, none, or nonsense."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.moments import BadMoment, epoch_ms

NINE = 1_767_603_600_123


@pytest.mark.parametrize(
    "value",
    [
        1_767_603_600.123,
        "1767603600.123",
        NINE,
        str(NINE),
        NINE * 1_000,
        NINE * 1_000_000,
        "2026-01-05T09:00:00.123Z",
        "2026-01-05T10:00:00.123+01:00",
        " 2026-01-05 09:00:00.123456 ",
    ],
)
def test_one_moment_in_many_forms(value: Any) -> None:
    assert epoch_ms(value) == NINE


def test_other_forms() -> None:
    assert epoch_ms(None) is None
    assert epoch_ms("") is None
    assert epoch_ms(0) == 0
    assert epoch_ms("20260105") == epoch_ms("2026-01-05") == 1_767_571_200_000


@pytest.mark.parametrize(
    "value",
    [
        "x",
        "now",
        "0001-01-01T00:00:00Z",
        "2026-13-01",
        "9" * 400,
        -1,
        True,
        float("nan"),
        float("inf"),
        10**400,
        1e30,
        [],
        {},
        "٣٤٥٦٧٨٩٠١٢",
    ],
)
def test_nonsense_is_refused(value: Any) -> None:
    with pytest.raises(BadMoment, match="no time between 1970 and 9999"):
        epoch_ms(value)


@given(st.integers(10**11, 95_000_000_000_000))
def test_every_form_keeps_the_millisecond(milliseconds: int) -> None:
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(milliseconds=milliseconds)
    assert epoch_ms(milliseconds) == milliseconds
    assert epoch_ms(str(milliseconds)) == milliseconds
    assert epoch_ms(milliseconds / 1000) == milliseconds
    assert epoch_ms(moment.isoformat()) == milliseconds
    assert epoch_ms(milliseconds // 1000) == milliseconds // 1000 * 1000


@given(st.none() | st.text() | st.integers() | st.floats() | st.binary())
def test_anything_is_a_time_none_or_refused(value: object) -> None:
    try:
        found = epoch_ms(value)
    except BadMoment:
        return
    assert found is None or 0 <= found < 253_402_300_800_000
