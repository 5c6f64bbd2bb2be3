"""Zone: in which time zone "yesterday" was meant: the turn's own, else the settings', else that of this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtree.tree.front_matter import FrontMatter

if TYPE_CHECKING:
    from memtree.tree.episode import Episode

KEY = "timezone"  # of a turn's header
LOCALTIME = "/etc/localtime"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,40}(?:/[A-Za-z0-9_+-]{1,40}){0,3}", re.ASCII)


def zone_here(environment: Mapping[str, str] | None = None, localtime: str = LOCALTIME) -> str:
    """The IANA name of this machine's zone, by TZ or by where `localtime` leads; UTC where neither names one.

    `environment` None is this process's own.
    """
    named = (os.environ if environment is None else environment).get("TZ", "").strip().removeprefix(":")
    if named.startswith("/"):
        localtime, named = named, ""
    if named and _NAME.fullmatch(named) and ("/" in named or named.isalpha()):
        return named
    _, known, name = os.path.realpath(localtime).partition("/zoneinfo/")
    name = name.removeprefix("posix/").removeprefix("right/")
    return name if known and _NAME.fullmatch(name) else "UTC"


def zone_of(episode: Episode, usual: str) -> str:
    """The zone that a turn's own header names, else the usual one."""
    if KEY not in episode.extra:
        return usual
    named = FrontMatter.parse(episode.extra.encode("utf-8", "replace")).text(KEY).strip()
    return named if _NAME.fullmatch(named) else usual
