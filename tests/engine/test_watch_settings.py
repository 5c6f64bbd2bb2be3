"""The `[watch]` table: its defaults, its bounds, and what is said of a wrong one."""

from __future__ import annotations

import pytest

from memtree.engine.settings import InvalidSettings, parse
from memtree.engine.watch_settings import WatchSettings


def test_everything_may_be_left_out() -> None:
    assert parse(b"").watch == WatchSettings()


def test_what_is_set_is_taken() -> None:
    found = parse(b"[watch]\nquiet = 1\nmaximum = 9.5\nscan = 60\nsync = false\nsync_interval = 10\nsync_delay = 0\n")
    assert found.watch == WatchSettings(1.0, 9.5, 60.0, False, 10.0, 0.0)
    assert found.unknown == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("watch = 3", "must be a table"),
        ("[watch]\nquite = 1", "unknown key 'quite'"),
        ("[watch]\nquiet = true", "watch.quiet must be a number of seconds from 0.05 to 60"),
        ("[watch]\nquiet = 0", "watch.quiet must be a number"),
        ("[watch]\nscan = 'often'", "watch.scan must be a number"),
        ("[watch]\nquiet = nan", "watch.quiet must be a number"),
        ("[watch]\nsync = 1", "watch.sync must be true or false"),
        ("[watch]\nquiet = 6", "watch.maximum (5) must not be below watch.quiet (6)"),
    ],
)
def test_a_wrong_table_is_refused_with_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(InvalidSettings) as error:
        parse(text.encode())
    assert says in str(error.value)


def test_a_key_of_a_newer_version_is_still_told() -> None:
    assert parse(b"unknown = 1\nlater = 2\n").unknown == ("later", "unknown")
