"""The vector logs that lie in an index' folder: which one to go on with, which ones come along into a new folder, which ones go.

An index has one log. Beside it may lie what a run left that was killed, and the logs of models that were used before: whoever goes
back to one of these needs nothing embedded anew.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

import numpy as np

from memtree.indexers.base import IndexCorrupt, IndexUnwritable
from memtree.indexers.token_vectors import tokens_name
from memtree.indexers.vector_log import Record, VectorLog, log_name

_LOG_NAME = re.compile(r"vectors-([0-9a-f]{32})\.log")
_TOKENS_NAME = re.compile(r"tokens-([0-9a-f]{32})\.log")


def opened_log(folder: str, token: str, model: bytes) -> VectorLog | None:
    """The log with this token or, without one, what a first run of this model left before it committed anything; to write on."""
    if token:
        try:
            return VectorLog(os.path.join(folder, log_name(token)), writable=True)
        except FileNotFoundError as error:
            raise IndexCorrupt("the vector log is gone") from error
    return best_log(folder, model, writable=True)


def best_log(folder: str, model: bytes, *, writable: bool = False) -> VectorLog | None:
    """The log of this model with the most vectors in a folder, None when there is none that can be read."""
    best: VectorLog | None = None
    for log in _logs(folder, writable=writable):
        if log.model == model and (best is None or log.count > best.count):
            log, best = best, log  # type: ignore[assignment]
        if log is not None:
            log.close()
    return best


def salvage(old: str, new: str, model: bytes) -> tuple[VectorLog | None, list[Record]]:
    """Bring the vectors of this model from an old folder into a new one, by a link when all are whole."""
    log = best_log(old, model)
    if log is None:
        return None, []
    records = [*log.whole()]
    good = [record for record in records if record is not None]
    try:
        if len(good) == len(records):
            _link(log, new)
            return VectorLog(os.path.join(new, log_name(log.token))), good
        healthy = VectorLog.create(new, model, log.dimensions, log.token_width)
        healthy.copy(log, np.fromiter((record.row for record in good), np.int64, len(good)))
        healthy.sync()
        return healthy, [Record(row, record.hash) for row, record in enumerate(good)]
    except OSError as error:
        raise IndexUnwritable(f"the vectors cannot be written: {error.strerror}") from error
    finally:
        log.close()


def keep_others(old: str, new: str, model: bytes) -> None:
    """Link the logs of other models into a new folder, of each the one with the most vectors; one that cannot be is left."""
    for other in sorted({log.model for log in _logs(old, closing=True)} - {model}):
        log = best_log(old, other)
        if log is not None:
            with contextlib.suppress(OSError):
                _link(log, new)
            log.close()


def drop_logs(folder: str, kept: str, model: bytes, *, others: bool) -> None:
    """Drop this model's logs except the one with the token `kept`, what is no log, and with `others` those of other models too."""
    foreign = set() if others else {log.token for log in _logs(folder, closing=True) if log.model != model}
    for name in os.listdir(folder):
        found = _LOG_NAME.fullmatch(name) or _TOKENS_NAME.fullmatch(name)
        if found and found[1] != kept and found[1] not in foreign:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))


def _link(log: VectorLog, folder: str) -> None:
    if log.token_width:
        here = os.path.join(os.path.dirname(log.path), tokens_name(log.token))
        os.link(here, os.path.join(folder, tokens_name(log.token)))
    os.link(log.path, os.path.join(folder, log_name(log.token)))


def _logs(folder: str, *, writable: bool = False, closing: bool = False) -> Iterator[VectorLog]:
    """The logs that can be read, to be closed by who asks unless `closing`."""
    with contextlib.suppress(FileNotFoundError):
        for name in sorted(filter(_LOG_NAME.fullmatch, os.listdir(folder))):
            with contextlib.suppress(OSError, IndexCorrupt):
                log = VectorLog(os.path.join(folder, name), writable=writable)
                if closing:
                    log.close()
                yield log
