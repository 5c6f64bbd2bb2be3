"""Texts from memory made fit to be shown on one line: nothing that forges a line, hides words or commands a terminal."""

from __future__ import annotations

import re
import unicodedata

from memtree.tree.context_fence import unmarked
from memtree.tree.redactor import Redactor

_BREAKS = re.compile("[\\s\x1c-\x1f\x85\u2028\u2029]+")
# Controls, what turns the direction of writing, and characters that no eye sees; the joiners of emoji and of Persian stay.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_JOINER = "\u200d"
_WINDOW = 4_000  # characters looked at around what is shown: a secret that is cut in two at their ends is never shown
_SURE = 80  # characters that tell where in a text a stretch begins


def told(text: str, redactor: Redactor, most: int, *, stretch: str = "") -> str:
    """At most `most` characters of a text, on one line and without secrets, from where `stretch` stands in it.

    `…` stands where something is left out.
    """
    begun = False
    if len(text) > 2 * _WINDOW:
        start = max(0, text.find(stretch[: _SURE // 2]) - _WINDOW)
        text, begun = text[start : start + 2 * _WINDOW], start > 0
    line = _folded(redactor.text(_HIDDEN.sub("", text)))
    at = max(0, line.find(_folded(_HIDDEN.sub("", stretch))[:_SURE]))
    if len(line) <= most and not begun:
        return unmarked(line)
    return unmarked(shortened(f"…{line[at:]}" if at or begun else line, most))


def one_line(text: str, most: int) -> str:
    """A name or a title: at most `most` characters on one line."""
    return unmarked(shortened(_folded(_HIDDEN.sub("", text[: 4 * most + 100])), most))


def shortened(line: str, most: int) -> str:
    """The line, or its start up to the end of a word with `…` behind; '' where not even that has room."""
    if len(line) <= most:
        return line
    if most < 2:
        return ""
    end = most - 1
    space = line.rfind(" ", end // 2, end + 1)
    if space > 0:
        end = space
    else:
        while end > 0 and _joins(line[end], line[end - 1]):
            end -= 1
    start = line[:end].rstrip(" ,;:–-")
    return f"{start}…" if start else ""


def _joins(char: str, before: str) -> bool:
    """Whether a character makes one sign with the one before it."""
    skin = "\U0001f3fb" <= char <= "\U0001f3ff"
    return skin or _JOINER in (char, before) or unicodedata.category(char) in ("Mn", "Me")


def _folded(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()
