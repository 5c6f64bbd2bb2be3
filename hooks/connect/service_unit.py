"""Service units: what has a service manager start a workspace's daemon when its user logs in, for systemd and for launchd.

Pure texts. Each carries a seal, by which a file that a person edited since is told from one that is as we wrote it.
"""

from __future__ import annotations

import hashlib
import os
import plistlib
import re
from collections.abc import Sequence

_SEAL = re.compile(r"^(?:# |<!-- )memtree-seal: ([0-9a-f]{64})(?: -->)?\n", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./-]+")
_READABLE = 40  # characters of a name
_WORDS = "Written by memtree service install; memtree service uninstall removes it. One that was edited is left alone."


def unit_name(root: str) -> str:
    """What the service of a workspace is called: readable, and another one for each workspace."""
    readable = re.sub(r"[^a-z0-9]+", "-", os.path.basename(root).lower()).strip("-")[:_READABLE].strip("-")
    digest = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:8]
    return f"memtree-{readable}-{digest}" if readable else f"memtree-{digest}"


# -- systemd


def systemd_unit(root: str, words: Sequence[str]) -> str:
    """A unit of a user's systemd that runs these words, the first of which is a program's absolute path."""
    text = f"""# {_WORDS}
[Unit]
Description={_description(root)}

[Service]
Type=exec
ExecStart={exec_line(words)}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2 3 4
TimeoutStopSec=40
Nice=5

[Install]
WantedBy=default.target
"""
    return sealed(text)


def exec_line(words: Sequence[str]) -> str:
    """The words as systemd reads them back: quoted, with its own specifiers and variables undone."""
    # The program's own path is looked at before variables are: where it holds a dollar, they are turned off for the whole line.
    literal = "$" in words[0]
    line = " ".join(_quoted(word, literal=literal) for word in words)
    return f":{line}" if literal else line


def _quoted(word: str, *, literal: bool) -> str:
    text = word.replace("%", "%%")
    if not literal:
        text = text.replace("$", "$$")
    if _PLAIN.fullmatch(text):
        return text
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _description(root: str) -> str:
    text = f"memtree for {root}".replace("%", "%%")
    return text + "/" if text.endswith("\\") else text  # a backslash at the end would go on with the next line


# -- launchd


def launchd_plist(name: str, words: Sequence[str]) -> str:
    """A property list of a user's launchd that runs these words."""
    content = {
        "Label": name,
        "ProgramArguments": list(words),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": 40,
        "ProcessType": "Background",
        "Nice": 5,
    }
    first, rest = plistlib.dumps(content, sort_keys=False).decode().split("\n", 1)
    return sealed(f"{first}\n<!-- {_WORDS} -->\n{rest}", after=2)


# -- seals


def sealed(text: str, after: int = 1) -> str:
    """The text with its seal below so many lines."""
    lines = text.splitlines(keepends=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    line = f"<!-- memtree-seal: {digest} -->\n" if text.startswith("<?xml") else f"# memtree-seal: {digest}\n"
    return "".join([*lines[:after], line, *lines[after:]])


def is_as_written(text: str) -> bool:
    """Whether nobody edited what we wrote, this version of memtree or another."""
    found = _SEAL.search(text)
    if found is None:
        return False
    rest = text[: found.start()] + text[found.end() :]
    return hashlib.sha256(rest.encode("utf-8", "surrogateescape")).hexdigest() == found[1]
