"""One thread works for many: in order, in time, and nobody waits for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from memtree.hooks.daemon.jobs import Busy, Jobs, Stopped
from memtree.hooks.watching.hints import NEVER


class Desk:
    """A thread at work, what is due for it, and how often it came to that."""

    def __init__(self) -> None:
        self.jobs = Jobs()
        self.due = NEVER
        self.idled = threading.Event()
        self.thread = threading.Thread(target=self.jobs.run, args=(lambda: self.due, time.monotonic, self._idle), daemon=True)
        self.thread.start()

    def _idle(self) -> None:
        self.due = NEVER
        self.idled.set()

    def close(self) -> None:
        self.jobs.stop()
        self.thread.join(10)
        assert not self.thread.is_alive()


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.close()


def test_it_answers_from_one_thread_only(desk: Desk) -> None:
    threads = {desk.jobs.call(threading.get_ident) for _ in range(5)}
    assert threads == {desk.thread.ident}


def test_what_a_job_raises_is_raised_where_it_is_waited_for(desk: Desk) -> None:
    with pytest.raises(ZeroDivisionError):
        desk.jobs.call(lambda: 1 // 0)
    assert desk.jobs.call(lambda: 7) == 7


def test_what_is_due_is_done_when_it_is_told_of(desk: Desk) -> None:
    desk.due = 0.0
    desk.jobs.wake()
    assert desk.idled.wait(100)


def test_what_becomes_due_later_is_done_without_being_told_again(desk: Desk) -> None:
    desk.due = time.monotonic() + 0.05
    desk.jobs.wake()
    assert desk.idled.wait(100)


def test_who_waits_at_the_end_is_told(desk: Desk) -> None:
    busy, go = threading.Event(), threading.Event()
    outcome: list[object] = []

    def first() -> None:
        busy.set()
        go.wait(100)

    def ask() -> None:
        try:
            outcome.append(desk.jobs.call(lambda: "done"))
        except Stopped:
            outcome.append("stopped")

    holder = threading.Thread(target=lambda: desk.jobs.call(first))
    holder.start()
    assert busy.wait(100)
    waiting = threading.Thread(target=ask)
    waiting.start()
    while not desk.jobs.waiting:
        time.sleep(0.001)
    desk.jobs.stop()
    go.set()
    waiting.join(10)
    holder.join(10)
    assert outcome == ["stopped"]
    with pytest.raises(Stopped):
        desk.jobs.call(lambda: "too late")


def test_who_does_not_want_to_wait_goes_elsewhere_and_nothing_is_done_for_them(desk: Desk) -> None:
    busy, go = threading.Event(), threading.Event()
    done: list[str] = []

    def long() -> str:
        busy.set()
        go.wait(100)
        return "long"

    outcome: list[str] = []
    holder = threading.Thread(target=lambda: outcome.append(desk.jobs.call(long, 0.05)))
    holder.start()
    assert busy.wait(100)
    with pytest.raises(Busy):
        desk.jobs.call(lambda: done.append("never"), 0.05)
    assert desk.jobs.waiting == 0
    go.set()
    holder.join(10)
    assert outcome == ["long"], "what has begun is waited for"
    assert desk.jobs.call(lambda: "next", 10) == "next"
    assert done == []


def test_what_a_job_raises_for_being_late_is_its_own(desk: Desk) -> None:
    def late() -> None:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        desk.jobs.call(late, 10)
