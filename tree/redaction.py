"""Redaction: credentials taken out of what is about to be shown or stored."""

from __future__ import annotations

import re

# `ssh://git@host` names no secret; a name with a password, or any name before an http host (often a token), may be one.
_LOGIN = re.compile(r"(?i)\b((?:https?|ftps?)://)[^\s/]*@|\b([a-z][a-z0-9+.-]*://)[^\s/@:]*:[^\s/]*@")
_PARAMETER = re.compile(r"(?i)([?&](?:access_token|private_token|token|api_?key|key|password|secret)=)[^&#\s]+")


def without_credentials(text: str) -> str:
    """The text without the user names, passwords and tokens that addresses in it carry, and without secrets of other shapes.

    Addresses lose more here than in a note, where the table of secrets alone counts: a message needs no user name to be understood.
    """
    from memtree.tree.secrets import redacted  # the table is only compiled where there is something to tell

    text = _LOGIN.sub(lambda match: f"{match[1] or match[2]}***@", text)
    return redacted(_PARAMETER.sub(r"\1***", text))
