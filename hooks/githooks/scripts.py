"""The scripts that git calls: their text, and knowing it again.

A script runs what was there before it, then memtree. It is plain sh and holds a sum of itself, so that one which somebody edited is
told from one that another memtree wrote.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence

from memtree.hooks.githooks.serving import NOTICES, PRE_PUSH

NAMES = (*NOTICES, PRE_PUSH)
BEFORE = ".before-memtree"  # what the hook that was there before is called meanwhile
# What is added by hand where the hooks are kept in a folder that is not memtree's to write to: the same line for every hook.
BY_HAND = 'exec memtree hook git "${0##*/}" "$@"'

_SHELL = b"#!/bin/sh\n"
_MARK = b"# memtree git hook, sum "
_LARGEST = 64 * 1024  # bytes; nothing of ours is near that

_HEAD = """\
# Put here by `memtree hooks install git`; `memtree hooks uninstall git` takes it away and brings back what was here before, which
# stands beside it as {name}{before} and runs first.
before="${{0%/*}}/{name}{before}"
program={program}
"""

# No daemon, nothing to do: an index knows the commit that it reflects, and the next search brings it from there to HEAD.
# What memtree ends with changes nothing of what git did; what the other hook ends with is passed on.
_NOTICE = """\
ended=0
if [ -f "$before" ] && [ -x "$before" ]; then
    "$before" "$@"
    ended=$?
fi
if [ -z "${{MEMTREE_INTERNAL:-}}" ] && [ -e "${{GIT_DIR:-.git}}/memtree/daemon.json" ] && [ -x "$program" ]; then
    "$program"{words} hook git {name} "$@" </dev/null >/dev/null 2>&1
fi
exit "$ended"
"""

# Both read what git says about each ref. A memtree that is gone or cannot start must not keep anybody from pushing: it is said.
_PRE_PUSH = """\
refs=$(cat)
with_refs() {{
    if [ -z "$refs" ]; then
        "$@" </dev/null
    else
        "$@" <<end_of_refs
$refs
end_of_refs
    fi
}}
if [ -f "$before" ] && [ -x "$before" ]; then
    with_refs "$before" "$@" || exit
fi
[ -z "${{MEMTREE_INTERNAL:-}}" ] || exit 0
ended=127
if [ -x "$program" ]; then
    with_refs "$program"{words} hook git {name} "$@"
    ended=$?
fi
case $ended in
0) ;;
1 | 126 | 127) printf '%s\\n' "memtree: $program does not run; this push was not looked through for secrets" >&2 ;;
*) exit 1 ;;
esac
"""


def script(name: str, program: Sequence[str]) -> bytes:
    """The hook of this name, calling memtree by these words, the first of them the absolute path of a program."""
    first, *rest = (shlex.quote(word) for word in program)
    words = "".join(f" {word}" for word in rest)
    text = (_HEAD + (_PRE_PUSH if name == PRE_PUSH else _NOTICE)).format(name=name, before=BEFORE, program=first, words=words)
    body = text.encode("utf-8", "surrogateescape")
    return _SHELL + _MARK + _sum(body) + b"\n" + body


def is_marked(data: bytes) -> bool:
    """Whether a file is a script of ours, or was made from one."""
    return len(data) <= _LARGEST and _MARK in data


def is_unchanged(data: bytes) -> bool:
    """Whether a file is a script as some memtree wrote it."""
    if len(data) > _LARGEST or not data.startswith(_SHELL + _MARK):
        return False
    stated, _, body = data.removeprefix(_SHELL + _MARK).partition(b"\n")
    return stated == _sum(body)


def program_of(data: bytes) -> str:
    """The program that a script of ours calls, '' where it names none."""
    for line in data.decode("utf-8", "surrogateescape").splitlines():
        if line.startswith("program="):
            words = shlex.split(line.removeprefix("program="))
            return words[0] if len(words) == 1 else ""
    return ""


def _sum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()
