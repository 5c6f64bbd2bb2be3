"""Exit codes and the one place where an error becomes words on a screen.

A program tells the families apart by exit code, a person reads one line and a hint. Credentials in addresses never get through.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from dataclasses import dataclass

import click

from memtree.tools.render import harmless, json_text
from memtree.tree.errors import CorruptionError, Error, StateError, TransientError, UserError
from memtree.tree.redaction import without_credentials

BUG = 1
USAGE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
FAMILIES: dict[type[Error], tuple[str, int]] = {
    UserError: ("user", 2),
    StateError: ("state", 3),
    CorruptionError: ("corruption", 4),
    TransientError: ("transient", 75),
}
_SYSTEM: dict[int, tuple[type[Error], str]] = {
    errno.ENOSPC: (TransientError, "the disk is full: free some space and run the same command again"),
    errno.EDQUOT: (TransientError, "your disk quota is used up: free some space and run the same command again"),
    errno.EROFS: (StateError, "the file system is mounted read-only: remount it for writing, or work in another folder"),
    errno.EACCES: (StateError, "permission is denied: check who owns the file and its folder"),
    errno.EPERM: (StateError, "the operation is not permitted: check who owns the file and its folder"),
    errno.EIO: (CorruptionError, "the disk reports an error: copy what matters elsewhere, then check the disk"),
    errno.EMFILE: (TransientError, "too many files are open: close other programs, or raise the limit (ulimit -n)"),
    errno.ENAMETOOLONG: (UserError, "the name is too long: give a shorter one"),
    errno.ENOTDIR: (UserError, "a part of the path is a file, not a folder: check the path"),
}
# A group called without a command: the help is the answer. Older releases of click print it by themselves.
_NO_COMMAND: tuple[type[click.UsageError], ...] = tuple(
    found for found in (getattr(click.exceptions, "NoArgsIsHelpError", None),) if found is not None
)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as it is told: `kind` is its own name, `family` what a program can act on."""

    kind: str
    family: str
    message: str
    hint: str
    code: int


def report(error: BaseException, *, json: bool) -> int:
    """Tell an error, a line on standard error (with `json` an object on standard output), and return the exit code.

    What nobody raised on purpose is a bug: it is shown with its traceback.
    """
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, _NO_COMMAND):
        print(error.format_message())
        return 0
    if isinstance(error, BrokenPipeError):
        _close_output()
        return BROKEN_PIPE
    failure = explain(error)
    if failure.code == BUG:
        print(without_credentials("".join(traceback.format_exception(error))), file=sys.stderr, end="")
    if json:
        shown = {"kind": failure.kind, "family": failure.family, "message": failure.message, "hint": failure.hint}
        print(json_text({"error": shown}))
    elif failure.code != BUG:
        print(_words(failure), file=sys.stderr)
    return failure.code


def explain(error: BaseException) -> Failure:
    """What an error means, without printing anything; credentials are taken out."""
    kind = type(error).__name__
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return Failure(kind, "interrupted", "interrupted", "", INTERRUPTED)
    if isinstance(error, click.ClickException):
        message = error.format_message().replace("\n\t", " ")  # choices stand on a line each there
        return Failure(kind, "user", without_credentials(message), _usage_hint(error), USAGE)
    if isinstance(error, Error):
        family, code = _family(type(error))
        return Failure(kind, family, without_credentials(str(error)), without_credentials(error.hint), code)
    if isinstance(error, OSError) and error.errno in _SYSTEM:
        cause, advice = _SYSTEM[error.errno]
        family, code = FAMILIES[cause]
        message, _, hint = advice.partition(": ")
        where = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else ""
        return Failure(kind, family, without_credentials(f"{where}: {message}" if where else message), hint, code)
    return Failure(kind, "bug", without_credentials(f"{kind}: {error}"), "this is a bug in memtree: please report it", BUG)


def _family(kind: type[Error]) -> tuple[str, int]:
    return next((found for base, found in FAMILIES.items() if issubclass(kind, base)), ("error", BUG))


def _usage_hint(error: click.ClickException) -> str:
    if not isinstance(error, click.UsageError):
        return ""
    return f"{error.ctx.command_path if error.ctx is not None else 'memtree'} --help shows how"


def _words(failure: Failure) -> str:
    hint = f"\n  {harmless(failure.hint)}" if failure.hint else ""
    return f"memtree: {harmless(failure.message)}{hint}"


def _close_output() -> None:
    """Send what is still buffered nowhere: the reader is gone, and Python would complain about that at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return
