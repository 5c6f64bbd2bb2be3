"""Jobs: work that one thread does for many, one piece after the other, so that what it works on needs no locks."""

from __future__ import annotations

import contextlib
import math
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """The thread ends; nothing more is done."""


class Busy(Exception):
    """The thread did not get to it in time; it is not done."""


class Jobs:
    """A queue for one thread that runs `run`, and whoever waits for what it does."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._waiting: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._stopping = False
        self._woken = False

    def call(self, work: Callable[[], T], patience: float | None = None) -> T:
        """Have the thread do it, and answer with its result; raises what it raises, and Stopped. Not for the thread itself.

        Raises Busy when the thread has not begun after so many seconds; what has begun is waited for, however long it takes.
        """
        future: Future[T] = Future()
        with self._turn:
            if self._stopping:
                raise Stopped
            self._waiting.append((work, future))
            self._turn.notify_all()
        if patience is not None and not wait((future,), patience).done and future.cancel():
            with self._turn, contextlib.suppress(ValueError):
                self._waiting.remove((work, future))
            raise Busy
        return future.result()

    @property
    def waiting(self) -> int:
        """How many pieces of work wait for the thread."""
        return len(self._waiting)

    def wake(self) -> None:
        """Let the thread look at its clock again."""
        with self._turn:
            self._woken = True
            self._turn.notify_all()

    def stop(self) -> None:
        """Let the thread end after what it does now; whoever waits for more gets Stopped."""
        with self._turn:
            self._stopping = True
            for _, future in self._waiting:
                if future.set_running_or_notify_cancel():
                    future.set_exception(Stopped())
            self._waiting.clear()
            self._turn.notify_all()

    def run(self, due: Callable[[], float], now: Callable[[], float], idle: Callable[[], None]) -> None:
        """Work until `stop`: jobs first, in their order; `idle` whenever what `due` says has come. Called on the thread."""
        while True:
            with self._turn:
                wait = due() - now()
                if not (self._waiting or self._woken or self._stopping) and wait > 0:
                    self._turn.wait(None if wait == math.inf else wait)
                if self._stopping:
                    return
                self._woken = False
                job = self._waiting.popleft() if self._waiting else None
            if job is not None:
                _do(*job)
            elif due() <= now():
                idle()


def _do(work: Callable[[], Any], future: Future[Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return  # whoever asked has gone elsewhere
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
        future.set_exception(error)
    else:
        future.set_result(result)
