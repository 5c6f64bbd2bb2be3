"""What can go wrong, as four families that a program can act on.

Error
├─ UserError        exit 2   the request or the user's file is wrong; repeating it will not help
├─ StateError       exit 3   a valid request at the wrong moment; a person decides
├─ CorruptionError  exit 4   stored data broke a promise
└─ TransientError   exit 75  try again; hooks retry these and only these

Leaves stand beside the code that raises them. Each carries facts as attributes; `str(error)` is one line without a full stop's
worth of advice, and `hint` is the advice: what to do about it. Only tools/exits.py knows the exit codes.
"""

from __future__ import annotations


class Error(Exception):
    """Root of everything memtree raises on purpose. Anything else that escapes is a bug."""

    hint: str = ""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        if hint:
            self.hint = hint


class UserError(Error):
    """The request or the user's file is wrong."""


class StateError(Error):
    """A valid request at the wrong moment; a person decides."""


class CorruptionError(Error):
    """Stored data broke a promise."""


class TransientError(Error):
    """Try again."""
