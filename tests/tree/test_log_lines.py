"""Lines of logs go, sentences with dates and levels stay."""

from __future__ import annotations

import time

import pytest

from memtree.tree.log_lines import without_log_lines

LOGS = [
    "2026-03-09 10:12:44 ERROR billing.worker Task failed: connection refused",
    "2026-03-09T10:12:44.123Z order.worker 任务失败：连接被拒绝",
    "[10:12:44] building",
    "ERROR: no such table",
    "WARN  com.example.Pool - pool is empty",
    "Mar  9 10:12:44 db2 sshd[12]: session opened",
    "Traceback (most recent call last):",
    '  File "app.py", line 3, in main',
    "    at com.example.Main.run(Main.java:12)",
    "sqlite3.OperationalError: no such table: charges",
    "tests/test_a.py::test_b FAILED",
]
WORDS = [
    "On 2026-03-09 we moved billing to db2.",
    "2026-03-09 is the day of my wedding.",
    "I wake up at 06:30 every day.",
    "Error handling must never swallow exceptions.",
    "INFO is the log level in production.",
    "At Siemens I work on trains.",
    "我的生日是1990年10月3日。",
    "",
]


@pytest.mark.parametrize("line", LOGS)
def test_a_line_of_a_log_goes(line: str) -> None:
    assert without_log_lines(f"I live in Rome.\n{line}\nI like tea.") == "I live in Rome.\nI like tea."


@pytest.mark.parametrize("line", WORDS)
def test_words_stay(line: str) -> None:
    assert without_log_lines(line) == line


@pytest.mark.parametrize("unit", ["2026-03-09 10:12:44 ERROR x\n", "a.", "at a.", "A::", "[", '  File "'])
def test_a_text_of_any_size_takes_no_time(unit: str) -> None:
    began = time.monotonic()
    without_log_lines(unit * (1_000_000 // len(unit)))
    assert time.monotonic() - began < 20
