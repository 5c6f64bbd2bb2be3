"""Forms of English verbs."""

from __future__ import annotations

import re

# With an e that the form in -ing has lost, and no rule that tells.
_WITH_E = frozenset(
    (
        "bake",
        "bike",
        "care",
        "code",
        "come",
        "commute",
        "exercise",
        "hate",
        "hike",
        "make",
        "practise",
        "ride",
        "share",
        "skate",
        "smoke",
        "store",
        "take",
        "use",
        "vape",
        "waste",
        "write",
    )
)
_IRREGULAR = {"seeing": "see", "lying": "lie", "dying": "die", "tying": "tie", "being": "be"}
_LOST_E = re.compile(r"(?:[vuzc]|[aeiou]g|rs|ns|[^aeiou]l)\Z")


def base_form(doing: str) -> str:
    """The verb of a form in -ing, in small letters; a guess for one that no rule knows."""
    stem = doing.removesuffix("ing")
    if doing in _IRREGULAR or f"{stem}e" in _WITH_E:
        return _IRREGULAR.get(doing, f"{stem}e")
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lszf":
        return stem[:-1]
    return f"{stem}e" if _LOST_E.search(stem) else stem
