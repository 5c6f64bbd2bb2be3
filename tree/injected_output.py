"""Output: what memtree's own commands print of memory, pasted into a message. Whole lines go, with what is indented below them."""

from __future__ import annotations

import re

from memtree.tree.injected_items import BLANKS

_M = re.MULTILINE
_MEMORY = r"(?:MEMORY|SKILL|MEMORY_GOALS)\.md:\d{1,9}[ ]{2,}[^\n]*"
_BELOW = r"(?:\n(?:[ ]{4}|\t)[^\n]*[^\s][^\n]*)"
# A fact by the digits of its id, with what is told of it: `ff781729  I moved.  (home)`.
_FACT = (
    r"[ ]{0,8}(?:(?=[0-9]{0,11}[a-f])[0-9a-f]{8,12}"
    r"|[0-9]{8,12}(?=[^\n]{0,2000}[ ]{2}\([a-z][a-z0-9_.-]{0,80}\)[ \t\r]*$))[ ]{2}[^\s][^\n]*"
)
_FACTS = re.compile(rf"^{_FACT}{_BELOW}*+(?:\n{BLANKS}{_FACT}{_BELOW}*+)*+", _M)
_FIELD = r"[a-z][a-z ]{1,14}[ ]{2,}[^\s][^\n]*"
_SHOWN = re.compile(rf"^(?:(?!id[ ])(?=[^\S\n]*+\S)[^\n]*+\n){{0,8}}?id[ ]{{2,}}[0-9a-f]{{32}}[ \t\r]*(?:\n{_FIELD})+", _M)
_ENTRIES = re.compile(rf"^(?:WHERE[ ]+SECTION[ ]+ENTRY[ \t\r]*\n)?{_MEMORY}(?:\n{_MEMORY})*+", _M)
_PLACE = re.compile(
    rf"^(?:(?:[^\s:]{{1,400}}/)?(?:facts|recap|episodic|profile|chat|raw|wiki|entities)/[^\s:]{{1,400}}\.(?:md|txt):\d{{1,9}}-\d{{1,9}}"
    rf"(?:[ ]{{2}}[^\n]*)?{_BELOW}*+|[^\s:]{{1,400}}\.(?:md|txt):\d{{1,9}}-\d{{1,9}}(?:[ ]{{2}}[^\n]*)?{_BELOW}++)",
    _M,
)
_PROFILE = re.compile(r"^[a-z_]{3,30}[ ]{2,}[^\s]{0,400}profile/[a-z_]{3,30}\.md[^\n]*(?:\n[ ]{2}[^\n]*[^\s][^\n]*)*+", _M)
# Whether it is worth to look: all begin with characters that a search skips to.
_PLACED = re.compile(r"\.(?:md|txt):[0-9]")
_LONG_SPACE = re.compile(r"  (?<=[0-9a-f]{8}  )")
_ID = re.compile(r"id  [ ]*+[0-9a-f]{32}")


def without_output(text: str) -> str:
    """The text without lines of facts, entries of memory files and profiles, and hits of a search, as the commands print them."""
    if "  " not in text:
        return text
    if _ID.search(text):
        text = _SHOWN.sub("", text)
    if "profile/" in text:
        text = _PROFILE.sub("", text)
    if _LONG_SPACE.search(text):
        text = _FACTS.sub("", text)
    return _PLACE.sub("", _ENTRIES.sub("", text)) if _PLACED.search(text) else text
