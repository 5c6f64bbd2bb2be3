"""Small words that every command uses."""

from __future__ import annotations

import io
import sys
import time

import pytest

from memtree.tools.commands.common import amount, counted, notes, progress, some


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("number", "words"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1234, "1,234 files")])
def test_one_is_singular(number: int, words: str) -> None:
    assert counted(number, "file") == words


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1536, "1.5 KB"), (5 << 20, "5.0 MB"), (2 << 30, "2,048.0 MB")],
)
def test_sizes_are_readable(size: int, words: str) -> None:
    assert amount(size) == words


def test_a_long_list_is_cut_and_says_how_much_is_left() -> None:
    assert some(["a", "b"], 2, "look there") == ["a", "b"]
    assert some(["a", "b", "c", "d"], 2, "look there") == ["a", "b", "2 more (look there)"]


@pytest.mark.parametrize(("stream", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_progress_is_for_people_who_wait_at_a_terminal(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, shown: bool) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("indexing") as step:
        step(10)
        assert stream.getvalue() == ""
        now[0] = 1.0
        step(1000)
    assert stream.getvalue() == ("\r\033[Kindexing: 1,000 files\r\033[K" if shown else "")


def test_progress_tells_how_many_are_done_a_few_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now, stream = [0.0], Terminal()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("indexing") as step:
        for done in [*range(1, 2001), *range(1, 2001)]:  # one index, then the other
            now[0] += 0.001
            step(done)
    told = [part.strip("\r") for part in stream.getvalue().split("\033[K") if "files" in part]
    assert 20 < len(told) <= 34
    assert max(int(line.split()[1].replace(",", "")) for line in told) <= 2000


def test_a_remark_never_shows_a_credential(capsys: pytest.CaptureFixture[str]) -> None:
    notes(["the vector index is behind: texts go to http://ada:sesame@example.com/v1"])
    assert capsys.readouterr().err == "note: the vector index is behind: texts go to http://***@example.com/v1\n"
