"""Since when and until when what a sentence says is so, by the words beside its times.

What is so until Friday still is on Friday, and until May may be in May: it ends when that is over. Nothing ends too early.
"""

from __future__ import annotations

import re

from memtree.tree.spoken_forms import Found, Scene, Tense
from memtree.tree.spoken_tense import clause_at

_SEEN = 32  # characters beside a time
_EARLY = r"(?:\s+(?:early|mid|late))?[\s-]+(?:the\s+)?(?:(?:beginning|start|middle|end)\s+of\s+)?\Z"
_SINCE = re.compile(rf"\b(?:since|as\s+of|effective|(?:starting|beginning)(?:\s+(?:from|in|on))?){_EARLY}", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s+(?:the\s+)?\Z", re.IGNORECASE)
_FROM_OPENS = re.compile(r"(?:\A|[.;!?]\s)(?:as\s+)?from\s+(?:the\s+)?\Z", re.IGNORECASE)
_ONWARDS = re.compile(r"\s+(?:on(?:wards?)?|forward)\b", re.IGNORECASE)
_UNTIL = re.compile(rf"\b(?:until|till?|up\s+(?:to|until)|(?:valid|good)\s+(?:to|through)){_EARLY}", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|never|no)\b|n't\b|[不没]", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+\Z", re.IGNORECASE)
_NO_BEGINNING = re.compile(
    r"\b(?:by|until|till|before|after|prior\s+to|around|circa|for)\s+(?:the\s+)?(?:end\s+of\s+)?\Z", re.IGNORECASE
)
_ZH_EVER_SINCE = re.compile("(?:自从|打从)\\Z")
_ZH_FROM = re.compile("[从自]\\Z")
_ZH_ON = re.compile("就|之?后?一直|之?后")
_ZH_SINCE_AFTER = re.compile("的?(?:以来|至今|起(?![来床飞诉草])|开始)")
_ZH_UNTIL = re.compile("(?:直到|(?:保修|有效|住|待|干|做|工作|休|休假|开放|营业|用)到|截止到?|持续到|有效期[到至]|到期日[是为])\\Z")
_ZH_TO = re.compile("到\\Z")
_ZH_UNTIL_AFTER = re.compile("为止")
_ZH_NO_BEGINNING = re.compile("的?(?:之前|以前|前|之后|以后|后)")


def validity(scene: Scene, found: list[Found]) -> tuple[str, str]:
    """When what is told began and ceased to be so: ISO texts as exact as they are known, '' for unknown.

    It began at what stands after since, or where the sentence tells something past that took place then; it ceases behind what
    stands after until. Where more times than these stand in the text, neither is known.
    """
    sinces = [one for one in found if _is_since(scene.text, one)]
    untils = [one for one in found if one not in sinces and _is_until(scene.text, one)]
    rest = [one for one in found if one not in sinces and one not in untils]
    if len(sinces) > 1 or len(untils) > 1 or len({one.span for one in rest}) > 1:
        return "", ""
    if not sinces and not untils:
        return _happened(scene, rest[0]) if rest else ("", "")
    if rest:
        return "", ""
    since, until = (found[0].span if found else None for found in (sinces, untils))
    return since.exact if since is not None else "", until.exact_after if until is not None else ""


def _happened(scene: Scene, found: Found) -> tuple[str, str]:
    """What took place then, or from then to then."""
    before, after = scene.text[max(0, found.start - _SEEN) : found.start], scene.text[found.end : found.end + _SEEN]
    if found.span is None or _NO_BEGINNING.search(before) or _ZH_NO_BEGINNING.match(after):
        return "", ""
    if found.joined:
        return ("", "") if _BETWEEN.search(before) else (found.span.exact_start, found.span.exact_after)
    tense = scene.tense_at(found.start, found.end)
    if scene.moment is None:
        return (found.span.exact if tense is Tense.PAST else ""), ""
    today = scene.moment.date()
    over = found.span.end < today or (found.span.start <= today and tense is Tense.PAST)
    return (found.span.exact if over else ""), ""


def _is_since(text: str, found: Found) -> bool:
    before, after = text[max(0, found.start - _SEEN) : found.start], text[found.end : found.end + _SEEN]
    if found.joined:
        return False
    if _SINCE.search(before) or _FROM_OPENS.search(before) or (_FROM.search(before) and _ONWARDS.match(after)):
        return True
    return bool(_ZH_EVER_SINCE.search(before) or _ZH_SINCE_AFTER.match(after) or (_ZH_FROM.search(before) and _ZH_ON.match(after)))


def _is_until(text: str, found: Found) -> bool:
    """After until; what does not happen until then begins rather than ends."""
    if found.joined:
        return False
    before, after = text[max(0, found.start - _SEEN) : found.start], text[found.end : found.end + _SEEN]
    if _UNTIL.search(before):
        first, _ = clause_at(text, found.start, found.end)
        return _NEGATED.search(text[first : found.start]) is None
    return bool(_ZH_UNTIL.search(before) or (_ZH_TO.search(before) and _ZH_UNTIL_AFTER.match(after)))
