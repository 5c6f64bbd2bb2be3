"""Errors as words and exit codes."""

from __future__ import annotations

import errno
import json
import subprocess
import sys

import click
import pytest

from memtree.tools.exits import FAMILIES, explain, report
from memtree.tree.errors import CorruptionError, Error, StateError, TransientError, UserError
from memtree.tree.redaction import without_credentials


class LockBusy(TransientError):
    hint = "try again"


@pytest.mark.parametrize(
    ("error", "code", "family"),
    [
        (UserError("m"), 2, "user"),
        (StateError("m"), 3, "state"),
        (CorruptionError("m"), 4, "corruption"),
        (LockBusy("m"), 75, "transient"),
        (click.UsageError("m"), 2, "user"),
        (click.FileError("f", "m"), 2, "user"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
        (OSError(errno.ENOSPC, "x"), 75, "transient"),
        (PermissionError(errno.EACCES, "x", "notes/a.md"), 3, "state"),
        (OSError(errno.EROFS, "x"), 3, "state"),
        (RuntimeError("m"), 1, "bug"),
        (FileNotFoundError(errno.ENOENT, "x"), 1, "bug"),
    ],
)
def test_every_error_has_its_family_and_code(error: BaseException, code: int, family: str) -> None:
    assert (explain(error).code, explain(error).family) == (code, family)


def test_every_family_has_a_code_of_its_own() -> None:
    assert set(FAMILIES) == set(Error.__subclasses__())
    assert len({code for _, code in FAMILIES.values()}) == len(FAMILIES)


def test_a_person_reads_one_line_and_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(LockBusy("pid 7 writes"), json=False) == 75
    assert capsys.readouterr() == ("", "memtree: pid 7 writes\n  try again\n")
    report(UserError("no such note"), json=False)
    assert capsys.readouterr().err == "memtree: no such note\n"


def test_a_missing_choice_is_told_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    agent = click.Argument(["agent"], type=click.Choice(["claude-code", "codex"]))
    command = click.Command("install", params=[agent])
    with pytest.raises(click.MissingParameter) as missing:
        command.main([], standalone_mode=False)
    report(missing.value, json=False)
    first = capsys.readouterr().err.splitlines()[0]
    assert first.endswith("Choose from: claude-code, codex")


def test_a_program_reads_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    report(LockBusy("pid 7 writes"), json=True)
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out) == {"error": {"kind": "LockBusy", "family": "transient", "message": "pid 7 writes", "hint": "try again"}}


@pytest.mark.parametrize("as_json", [False, True])
def test_a_bug_shows_its_traceback_without_credentials(capsys: pytest.CaptureFixture[str], as_json: bool) -> None:
    with pytest.raises(RuntimeError) as caught:
        raise RuntimeError("https://me:pw@host/x")
    assert report(caught.value, json=as_json) == 1
    out, err = capsys.readouterr()
    assert "Traceback" in err
    assert "pw" not in out + err
    assert bool(out) is as_json


def test_the_system_s_errors_come_with_advice(capsys: pytest.CaptureFixture[str]) -> None:
    report(PermissionError(errno.EACCES, "x", b"notes/a.md"), json=False)
    assert capsys.readouterr().err == ("memtree: notes/a.md: permission is denied\n  check who owns the file and its folder\n")


def test_messages_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    report(UserError("a\x1b[2Jb\nc"), json=False)
    assert capsys.readouterr().err == "memtree: a\\x1b[2Jb\\nc\n"


def test_usage_errors_point_to_the_help() -> None:
    with click.Context(click.Command("sync"), info_name="sync") as context:
        assert explain(click.UsageError("no such option", context)).hint == "sync --help shows how"
    assert explain(click.UsageError("an option requires an argument")).hint == "memtree --help shows how"


def test_leaving_on_purpose_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(click.exceptions.Exit(0), json=False) == 0
    assert capsys.readouterr() == ("", "")


def test_a_reader_that_went_away_is_no_news() -> None:
    program = (
        "import sys\nfrom memtree.tools.exits import report\ntry:\n"
        "    for n in range(100000): print(n)\n    sys.stdout.flush()\n"
        "except BaseException as e: sys.exit(report(e, json=False))"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("push to https://user:pw@host/r.git failed", "push to https://***@host/r.git failed"),
        ("https://ghp_token@github.com/a/b", "https://***@github.com/a/b"),
        ("https://u:p#s?s@host/", "https://***@host/"),
        ("https://u:p@ss@host/", "https://***@host/"),
        ("HTTP://u:p@host http://v:q@other", "HTTP://***@host http://***@other"),
        ("ssh://git@host/r", "ssh://git@host/r"),
        ("ssh://git:pw@host/r", "ssh://***@host/r"),
        ("https://host/a@b", "https://host/a@b"),
        ("git@host:r.git", "git@host:r.git"),
        ("https://h/x?token=abc&y=1#z", "https://h/x?token=***&y=1#z"),
    ],
)
def test_addresses_lose_their_credentials(text: str, shown: str) -> None:
    assert without_credentials(text) == shown
