"""Which ssh hosts are known: OpenSSH's files, reduced to what libgit2 understands and what counts for one host.

libgit2 checks a host's key against a known_hosts file itself, names hashed or not, but knows neither patterns nor marked lines
nor the system's own file.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable

from memtree.engine.transport.addresses import SSH_PORT, SshHost

SYSTEM_FILE = "/etc/ssh/ssh_known_hosts"


def relevant(lines: Iterable[str], host: SshHost) -> str:
    """The lines that say which keys a host may show, under its plain name or a hashed one; revoked keys are left out."""
    name = host.name if host.port == SSH_PORT else f"[{host.name}]:{host.port}"
    kept: list[tuple[str, str]] = []
    revoked: set[str] = set()
    for line in lines:
        fields = line.split()
        if fields and fields[0] == "@revoked" and len(fields) >= 4:
            revoked.add(fields[3])
        if len(fields) < 3 or fields[0].startswith(("#", "@")):
            continue  # a certificate authority vouches for certificates, which libgit2 cannot read
        hosts, kind, key = fields[:3]
        if hosts.startswith("|1|"):
            kept.append((key, f"{hosts} {kind} {key}\n"))
        elif _names(hosts, name):
            kept.append((key, f"{name} {kind} {key}\n"))
    return "".join(line for key, line in kept if key not in revoked)


def _names(patterns: str, name: str) -> bool:
    """Whether a comma-separated list of patterns names a host; one that is negated rules it out."""
    found = False
    for pattern in patterns.lower().split(","):
        # Brackets are part of a name with a port, and no class of characters.
        if fnmatch.fnmatchcase(name, pattern.removeprefix("!").replace("[", "[[]")):
            if pattern.startswith("!"):
                return False
            found = True
    return found


def read(paths: Iterable[str]) -> list[str]:
    """The lines of those of the files that are there."""
    lines: list[str] = []
    for path in paths:
        try:
            with open(os.path.expanduser(path), encoding="utf-8", errors="replace") as file:
                lines += file
        except OSError:
            continue
    return lines
