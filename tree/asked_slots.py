"""Which slot a question asks for, so that its fact is found whatever words told it.

    Where do I live?   ->  environment.home   (and the fact says: I moved to Hull)
    我在哪里上班        ->  work.employer

Only what holds one value at a time, and of the user alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Asked(NamedTuple):
    """A slot, and words by which facts under it may be found."""

    slot: str
    words: str


_LONGEST = 400  # characters of a question
_ME = r"(?:I|we|the user|user)"
_MY = r"(?:my|our|the user's|user's)"
_NOW = r"(?: now| currently| still| presently)?"
_FORMS = (
    (
        re.compile(
            rf"\b(?:where|(?:in )?(?:which|what) (?:city|town|country|place)) (?:do|does|did|am|is|are|was) {_ME}{_NOW} "
            rf"(?:liv(?:e|es|ing)|based|resid(?:e|es|ing)|stay(?:ing)?)\b|\bwhere (?:is|was) {_MY} (?:home|house|flat)\b"
            rf"|\bwhat(?:'s| is) {_MY} (?:current )?(?:home|city|home address|place of residence)\b"
            r"|(?:我|用户)(?:现在|目前|如今)?(?:是)?(?:住|家|住在|家在)(?:哪|什么地方|什么城市)",
            re.IGNORECASE,
        ),
        Asked("environment.home", "live lives lived living moved move home based relocated settled 住在 搬到 搬家 搬去"),
    ),
    (
        re.compile(
            rf"\b(?:where|(?:at |for )?(?:which|what) company|whom?) (?:do|does|did|am|is|are|was) {_ME}{_NOW} (?:works?"
            rf"|working|employed)\b|\b(?:who|what)(?:'s| is) {_MY} (?:current )?(?:employer|company|job|workplace)\b"
            r"|(?:我|用户)(?:现在|目前|如今)?在(?:哪|什么).{0,6}(?:上班|工作|任职)|(?:我|用户)的?(?:公司|雇主|单位)(?:是|叫)",
            re.IGNORECASE,
        ),
        Asked("work.employer", "work works working job employer company joined started hired engineer 工作 上班 公司 入职"),
    ),
    (
        re.compile(
            rf"\bwhat(?:'s| is) {_MY} (?:first |full )?name\b|\bwho am I\b|\bwhat am I called\b|我叫什么|我的名字(?:是|叫)",
            re.IGNORECASE,
        ),
        Asked("identity.name", "name named called 我叫 名字"),
    ),
)


def asked_slots(question: str) -> tuple[Asked, ...]:
    """The slots that a question asks for, none for most."""
    text = " ".join(question[:_LONGEST].replace("’", "'").split())
    return tuple(asked for form, asked in _FORMS if form.search(text))
