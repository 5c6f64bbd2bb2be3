"""Rounds: full scans, now and then and when there is a reason, and the look whether this still is the daemon of the workspace."""

from __future__ import annotations

import os
import threading
import time
from typing import Protocol

from memtree.engine.children import Children
from memtree.engine.daemon_lock import daemon_holder
from memtree.hooks.daemon.log import DaemonLog
from memtree.hooks.place import Place
from memtree.hooks.watching.hints import NEVER
from memtree.hooks.watching.scan import ScanResult, full_scan

_POLL = 5.0  # seconds between two scans while changes are not watched
_SHARE = 20.0  # times what a scan takes: it must not keep the machine busy
_REST = 4.0  # times the same until the next one, whatever calls for it
_GENTLY = 0.2  # seconds that git gets to end by itself
_LOOK = 15.0  # seconds between two looks whether those who ask still find us
_RETRY = 30.0  # seconds after a scan that failed


class Scanned(Protocol):
    """Who is told what a scan found."""

    def answers(self) -> bool: ...

    def unwatched(self) -> bool: ...

    def interval(self) -> float: ...

    def found(self, paths: tuple[str, ...]) -> None: ...


class Rounds:
    """Sleeps until a scan is due, on the thread that calls `go`; everything else may be called from any thread."""

    def __init__(self, log: DaemonLog) -> None:
        self._log = log
        self._turn = threading.Condition()
        self._due = 0.0
        self._rested = 0.0  # no scan begins before
        self._ended = False
        self._children = Children()

    def begin(self) -> None:
        with self._turn:
            self._ended = False
            self._due = self._rested = 0.0
            self._children = Children()

    def end(self) -> None:
        """Let `go` return, also while it scans."""
        with self._turn:
            self._ended = True
            self._turn.notify_all()
        self._children.end(_GENTLY)

    def soon(self, seconds: float) -> None:
        """Have a scan made in so many seconds, if none comes sooner; later where scans take long."""
        with self._turn:
            self._due = min(self._due, max(time.monotonic() + seconds, self._rested))
            self._turn.notify_all()

    def go(self, scanned: Scanned, place: Place) -> None:
        """Scan at once, and again whenever it is due, until `end`, or until this is not the daemon that others find any more."""
        while True:
            with self._turn:
                left = self._due - time.monotonic()
                if left > 0 and not self._ended:
                    self._turn.wait(min(left, _LOOK))
                if self._ended:
                    return
                due = self._due <= time.monotonic()
                self._due = NEVER if due else self._due
            if not scanned.answers():
                self._log.event("address-lost")
                return
            if due and not is_ours(place):
                self._log.event("lock-lost")
                return
            if due:
                self.soon(self._round(scanned, place.root))

    def _round(self, scanned: Scanned, root: str) -> float:
        """One scan; answers with the seconds until the next."""
        try:
            result = full_scan(root, children=self._children)
        except Exception as error:  # noqa: BLE001 - what was told of is committed all the same
            if self._ended:
                return _RETRY
            self._log.event("scan-failed", error=error)
            scanned.found(())
            return _RETRY
        self._rested = time.monotonic() + _REST * result.seconds
        scanned.found(result.paths)
        return _pause(scanned, result)


def _pause(scanned: Scanned, result: ScanResult) -> float:
    usual = _POLL if scanned.unwatched() else scanned.interval()
    return max(usual, _SHARE * result.seconds)


def is_ours(place: Place) -> bool:
    """Whether we hold the lock that another daemon would ask for: a person may have removed the folder that it lies in.

    Where all of the workspace is away, it may stand elsewhere now, with the lock: whoever serves it there must get that.
    """
    holder = daemon_holder(place.state)
    return holder is not None and holder.pid == os.getpid()
