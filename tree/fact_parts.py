"""The ideas of a statement, one statement each.

    I live in Berlin and work at Siemens.     ->  I live in Berlin. / I work at Siemens.
    I'm 34 and allergic to nuts               ->  I'm 34 / I'm allergic to nuts
    我住在上海，在腾讯工作                       ->  我住在上海 / 我在腾讯工作
    I like tea and coffee                     ->  I like tea and coffee

It is cut only where what stands on both sides has a slot that is known, and not the same one. A part whose subject is not said has
the subject of the one before it. What is wished, denied or past may be so of everything that follows, and stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtree.tree.fact import LONGEST
from memtree.tree.fact_people import CHINESE_KIN, KIN
from memtree.tree.fact_slots import Place, is_present, place_of

_MOST = 12  # parts; what has more is no statement
_CUT = re.compile(r"(?:[,;.]?\s+(?:and|but|while)(?:\s+(?:also|now))?\s+|[,;]\s+|\.\s+(?=\S))", re.IGNORECASE)
_HAN_CUT = re.compile(r"[，；。,;]\s*(?:并且|而且|同时|并)?")
_HAN = re.compile(r"[\u3400-\u9fff]")
_ENDS = " \t,;，；"
_MARKS = ".!。！"
_SUBJECT = re.compile(
    rf"(?P<who>(?:my|our) (?:{KIN}) and I|(?:my|our|(?:the )?user's) (?:[\w-]+ )?(?:{KIN})(?: (?-i:[A-Z])[\w-]+)?|(?:the )?user|I"
    rf"|we|he|she|they|(?-i:[A-Z])[\w-]+)"
    r"(?P<be>'m| am|'s| is|'re| are)?(?P<have> have| has|'ve)?(?![\w'])",
    re.IGNORECASE,
)
_HAN_KIN = "|".join(sorted(CHINESE_KIN, key=len, reverse=True))
_HAN_SUBJECT = re.compile(
    rf"我(?:和|跟)我?(?:{_HAN_KIN})|(?:我|用户|本人)(?:们)?(?:家)?(?:的)?(?:{_HAN_KIN})|我们?|用户|本人|[他她]"
)
_HAN_BARE = re.compile(rf"(?:{_HAN_KIN})(?=也?(?:对|住|在|有|是|叫|不|喜|讨|今年))")  # 女儿对牛奶过敏: the user's
# What follows is of whom or what is had, not of the one who has it: 我养了一只猫，叫豆豆
_HAN_HAS = re.compile(r"(?:有|养)(?:了|着)?(?:[一两二三四五六七八九十几\d]{1,2}[个位名只条]?|[个位名只条])")
_HAN_OF_IT = re.compile(r"(?:名字)?叫|名叫|名字|品种|它|他|她")
_OWN = re.compile(r"(?:I|I'm|I've|my|we|our|(?:the )?user(?:'s)?)\b", re.IGNORECASE)
_POINTS = re.compile(r"(?:he|she|they|it|his|her|hers|their|its|him|them)\b|[他她它]", re.IGNORECASE)  # to somebody told before
_BINDS = re.compile(
    r"(?:because|so|if|when|which|who|that|than|or|unless|until|since|as|to|of)\b|因为|所以|如果|但|不过|虽然|而|或|就",
    re.IGNORECASE,
)
_UNSURE = re.compile(r"\b(?:if|unless|whether|either|neither|both)\b|如果|要是|假如|[?？]", re.IGNORECASE)


def parts_of(text: str) -> tuple[str, ...]:
    """The statements that a text makes, in their order; the text alone where it makes one, or it is not sure that it makes more."""
    whole = " ".join(text.split())
    if len(whole) > LONGEST or _UNSURE.search(whole):
        return (text,)
    han = _HAN.search(whole) is not None
    mark = whole[-1:] if whole[-1:] in _MARKS else ""
    pieces = list(_pieces(whole.rstrip(_MARKS), _HAN_CUT if han else _CUT))
    if not 1 < len(pieces) <= _MOST:
        return (text,)
    made = [(pieces[0][1], _known(place_of(pieces[0][1])))]
    for between, piece in pieces[1:]:
        before, place = made[-1]
        part = None if place is None else _part(made[0][0], before, piece, place, han=han)
        if part is None:
            whole_part = f"{before}{between}{piece}"
            made[-1] = (whole_part, _known(place_of(whole_part)))
        else:
            made.append(part)
    return (text,) if len(made) == 1 else tuple(f"{part}{mark}" for part, _ in made)


def _pieces(text: str, cut: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """What stands between the cuts, each with the cut before it."""
    at, between = 0, ""
    for found in cut.finditer(text):
        yield between, text[at : found.start()]
        at, between = found.end(), found[0]
    yield between, text[at:]


def _part(first: str, before: str, piece: str, place: Place, *, han: bool) -> tuple[str, Place] | None:
    """A piece as a statement of its own with its place, None for one that belongs to what stands before it."""
    piece = piece.strip(_ENDS)
    if not piece or _BINDS.match(piece) or _POINTS.match(piece):
        return None
    if han and _HAN_BARE.match(piece):
        piece = f"我{piece}"
    own = (_HAN_SUBJECT if han else _OWN).match(piece) is not None
    if not own and (not is_present(place.slot) or (han and _of_what_is_had(before, piece))):
        return None
    for statement in (piece,) if own else _with_subject(before, first, piece, han=han):
        found = _known(place_of(statement))
        if found is not None and found[:2] != place[:2] and (own or found.subject == place.subject or _of_kin(place, found)):
            return statement, found
    return None


def _of_kin(place: Place, found: Place) -> bool:
    """Whether what named one of the family is followed by more of that one."""
    return place.slot.startswith("family.") and found.subject != place.subject


def _of_what_is_had(before: str, piece: str) -> bool:
    """Whether a piece without a subject tells of somebody or something that the part before it brought in."""
    return _HAN_OF_IT.match(piece) is not None or _HAN_HAS.search(before) is not None


def _with_subject(before: str, first: str, piece: str, *, han: bool) -> Iterator[str]:
    """The piece behind the subject of a part before it, in the ways in which it can go on."""
    for text in dict.fromkeys((before, first)):
        found = (_HAN_SUBJECT if han else _SUBJECT).match(text)
        if found is None:
            continue
        if han:
            yield f"{found[0]}{piece}"
            continue
        yield f"{found['who']} {piece}"
        if found["be"]:
            yield f"{found['who']}{found['be']} {piece}"
        if found["have"] or re.match(r" (?:have|has)\b", text[len(found["who"]) :]):
            yield f"{found['who']} {'have' if found['who'].casefold() in ('i', 'we', 'they') else 'has'} {piece}"


_VAGUE = ("said.", "goal.", "habit.", "decision.")


def _known(place: Place) -> Place | None:
    return None if place.slot.startswith(_VAGUE) else place
