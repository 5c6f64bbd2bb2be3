"""What lists in messages look like to the patterns that find injected ones. All are linear: nothing is looked at twice."""

from __future__ import annotations

BLANKS = r"(?:[ \t\r]*\n)*+"
ITEM = r"[ \t]*+(?:[-*+•‣·][ \t]+|\d{1,3}(?:[.)][ \t]+|、)|\[[^\[\]\n]{1,40}\][ \t]+|[（(]\d{1,2}[)）][ \t]*)[^\n]*"
# Items, what is indented below them, and empty lines between. The line end behind the last one stays.
ITEMS = rf"{ITEM}(?:\n{BLANKS}(?:{ITEM}|[ \t]+[^\s][^\n]*))*+"
# One line that tells what follows, as programs put it before their list.
REMARK = (
    r"(?:(?![ \t]*(?:[-*+•]|\d))(?=[^\n]{0,400}(?:[Mm]emor|记忆|[Uu]ntrusted|UNTRUSTED|[Hh]istorical))"
    rf"[^\n]{{1,400}}\n{BLANKS})?+"
)
