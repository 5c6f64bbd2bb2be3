"""Addresses of remotes as people type them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import unquote

from memtree.tree.errors import UserError

SSH_PORT = 22


def refuse_secret(url: str) -> None:
    """Raise when a remote's URL carries a password or token, or is an option in disguise."""
    scheme, mark, rest = url.partition("://")
    user, at, host = rest.split("/", 1)[0].rpartition("@")
    named = bool(at) and (":" in user or ("ssh" not in scheme.lower() and user != "git"))
    cut = bool(re.search(r":[^\d\]]", re.sub(r"\[.*\]", "", host)))  # a password with a slash in it looks like a port
    if mark and (named or cut):
        raise UserError(
            "the remote URL holds credentials; memtree never stores them",
            hint="use the plain URL and let git's credential helper or an ssh key answer",
        )
    if url.startswith("-"):
        raise UserError(f"{url!r} is not a URL", hint="for example git@host:me/memory.git or /media/usb/memory.git")


def absolute(url: str) -> str:
    """A local path as an absolute one, so that it means the same from everywhere; other addresses as they are."""
    if "://" in url or re.match(r"[^/]+:", url):
        return url
    return os.path.abspath(os.path.expanduser(url))


def local_path(url: str) -> str:
    """The folder that an address on this machine names, or '' for one elsewhere."""
    scheme, mark, rest = url.partition("://")
    if mark:
        return unquote(rest[rest.find("/") :]) if scheme.lower() == "file" and "/" in rest else ""
    return "" if re.match(r"[^/]+:", url) else url


@dataclass(frozen=True, slots=True)
class SshHost:
    name: str
    port: int = SSH_PORT


def ssh_host(url: str) -> SshHost | None:
    """The host that an ssh address (`ssh://user@host:port/path` or `user@host:path`) leads to, or None for any other address."""
    scheme, mark, rest = url.partition("://")
    if mark:
        if scheme.lower() not in ("ssh", "ssh+git", "git+ssh"):
            return None
        found = re.fullmatch(r"(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?", rest.split("/", 1)[0].rpartition("@")[2])
        return SshHost((found[1] or found[2]).lower(), int(found[3] or SSH_PORT)) if found else None
    short = re.match(r"(?:[^/@]*@)?(?:\[([^\]]+)\]|([^/:]+)):", url)
    return SshHost((short[1] or short[2]).lower()) if short else None
