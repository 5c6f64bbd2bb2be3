"""Slots: what a statement tells, and of whom. Two statements in one slot speak of one thing, in whatever words.

    I live in Berlin. / I moved to Paris. / 我住在上海。   ->  user    environment.home
    I used to live in Oslo.                              ->  user    environment.home.past
    My wife is allergic to nuts.                         ->  wife    health.allergy
    The billing service uses PostgreSQL.                 ->  user    project.billing.database

No model is asked. What was so, what is wished, planned or denied has a slot of its own behind the name of the present one, so that
it never takes the place of what is so now. A statement that no pattern knows has a slot made of its own words.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import NamedTuple

from memtree.tree import fact_slot_chinese as chinese
from memtree.tree import fact_slot_english as english
from memtree.tree import fact_slot_moods as moods
from memtree.tree.directive_notes import note_of
from memtree.tree.facet_words import TOPICS, About, about, qualifier
from memtree.tree.facets import key_of, normal_key
from memtree.tree.fact import LONGEST, USER
from memtree.tree.fact_key import fact_key
from memtree.tree.fact_projects import attribute_of
from memtree.tree.fact_slot_vocabulary import EVENT
from memtree.tree.fact_subjects import spoken_by

PAST, WISH, PLAN, NOT, TEMPORARY = ".past", ".wish", ".plan", ".not", ".temporary"
_SUFFIXES = (PAST, WISH, PLAN, NOT, TEMPORARY)
UNKNOWN = "said"
_OTHER = "other"  # the category of what no pattern knows


def _words(text: str) -> list[str]:
    return text.split()


_SINGLE = frozenset(
    _words(
        "identity.name identity.nickname identity.surname identity.pronouns identity.birthday identity.age "
        "identity.height "
        "identity.weight identity.handedness health.blood_type health.diet environment.home "
        "environment.address environment.timezone "
        "work.employer work.role work.team belief.religion family.status "
        "family.spouse "
        "contact.email contact.phone "
        "environment.editor environment.os environment.shell "
        "environment.terminal environment.browser environment.keyboard environment.theme communication.language "
        "communication.length communication.tone communication.spelling coding_style.indentation "
        "coding_style.naming coding_style.quotes "
        "coding_style.semicolons coding_style.line_length"
    )
)
_SINGLE_OF_SOME = tuple(f"{one}_" for one in _SINGLE if one.startswith(("coding_style.", "environment.", "communication.")))
_CHOSEN = frozenset(
    _words("environment.editor environment.os environment.shell environment.terminal environment.browser environment.keyboard")
)
_LASTING = frozenset(("education.school", "education.field", "identity.hometown", "identity.birthday"))  # and so is what was
_FAVORITE = "preference.favorite"
_AVOIDS = "health.avoids"
_BY_KEY = {topic.key: topic for topic in TOPICS}
_HAN = re.compile(r"[\u3400-\u9fff]")
_CLAUSE = re.compile(
    r"[.!?。！？；;]\s|\s(?:but|because|although|though|while|since|when|if)\s|[，,]\s*(?:但|因为|所以|不过|虽然)|,\s",
    re.IGNORECASE,
)


class Place(NamedTuple):
    """`subject` is user, what somebody is to the user, or a name; `category` the first part of the slot."""

    subject: str
    slot: str
    category: str


class Located(NamedTuple):
    """A place, and the value that the statement puts there: what follows the words that told the slot."""

    place: Place
    value: str


class _Filled(NamedTuple):
    slot: str
    start: int
    end: int


def place_of(text: str) -> Place:
    """Where a statement belongs. The slot is never empty."""
    return located(text).place


def is_single(slot: str) -> bool:
    """Whether a slot holds one value at a time, so that a new one takes the old one's place."""
    if not is_present(slot):
        return False
    if slot.startswith(("project.", f"{_FAVORITE}_")):
        return ".uses." not in slot
    return slot in _SINGLE or slot.startswith(_SINGLE_OF_SOME)


def is_present(slot: str) -> bool:
    """Whether a slot is for what is so now: not for what was, is wished, planned or denied."""
    return not slot.endswith(_SUFFIXES)


# Every candidate is compared with many facts.
@lru_cache(maxsize=4_096)
def located(text: str) -> Located:
    """A statement's place and value; the value is '' where the slot is made of the statement's own words."""
    text = " ".join(text[:LONGEST].split())
    spoken = spoken_by(text)
    project = attribute_of(spoken.text) if spoken.subject == USER else None
    if project is not None:
        modal = NOT if _denied(spoken.text[: project.end]) else ""
        return _located(USER, f"{project.slot}{modal}", spoken.text[project.end :])
    read = _chinese if _HAN.search(spoken.text) else _english
    found = read(spoken.text)
    if found is not None:
        return _located(spoken.subject, found.slot, spoken.text[found.end :])
    digest = hashlib.sha256(fact_key(text).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Located(Place(spoken.subject, f"{UNKNOWN}.{digest}", _OTHER), "")


def _located(subject: str, slot: str, rest: str) -> Located:
    value = rest.strip(" \t.,;:!?。，；：！？~～'\"“”")
    return Located(Place(subject, slot, slot.partition(".")[0]), value)


def _english(text: str) -> _Filled | None:
    for form in english.FORMS:
        found = form.words.search(text)
        if found is not None and _reaches(found.start()):
            slot = _keyed(form, text, found)
            mood = "" if form.slot == _AVOIDS else _modal(text, found)
            return _Filled(slot if mood == PAST and slot in _LASTING else f"{slot}{mood}", found.start(), found.end())
    return _by_topic(text) or _wanted(text, english.WANTS)


def _keyed(form: english.Form, text: str, found: re.Match[str]) -> str:
    if not form.keyed:
        return form.slot
    rest = text[found.end() :]
    if form.slot == "event":
        what = re.match(EVENT, rest, re.IGNORECASE)
        return f"event.{_short(what[0] if what else rest)}"
    if form.slot == _FAVORITE:
        return _favorite(re.split(r" (?:is|are|has)\b|是", rest)[0])
    return f"{form.slot}.{_short(rest)}"


def _favorite(noun: str) -> str:
    key = normal_key(noun.strip(" .,'"))[:40] or "thing"
    topic = about(noun)
    if topic is not None and topic.topic.tools and topic.topic.facet in ("environment", "stack"):
        return f"{topic.topic.facet}.{topic.topic.key}" if topic.topic.facet == "environment" else f"{_FAVORITE}_{topic.topic.key}"
    return f"{_FAVORITE}_{key.rstrip('s')}"


def _by_topic(text: str) -> _Filled | None:
    """What is used, liked or done, under the topic that it is about; rules for the agent under theirs."""
    used = english.USES.search(text)
    if used is not None and _reaches(used.start()):
        filled = _tool(text, used)
        if filled is not None:
            return filled
    note = note_of(text)
    if note is not None:
        return _Filled(f"{_facet(note[0])}.{note[1]}", 0, 0)
    liked = english.TASTE.search(text)
    if liked is not None and _reaches(liked.start()):
        return _liked(text, liked)
    habit = _HABIT.search(text)
    if habit is not None and _short(text[habit.end() :]):
        return _Filled(f"habit.{_short(text[habit.end() :])}", habit.start(), habit.end())
    return None


_HABIT = re.compile(
    r"\bI(?:'m used to| tend to| (?:always|usually|never|often|typically|normally|mostly)(?= ))|(?:^"
    r"|我)(?:总是|一直|通常|经常|习惯|每天|每周[一二三四五六日天]?|每晚|每早|从不)",
    re.IGNORECASE,
)


def _tool(text: str, used: re.Match[str]) -> _Filled | None:
    rest = text[used.end() :]
    topic = about(rest[:60])
    if topic is None or not topic.topic.tools:
        return None
    slot = f"{topic.topic.facet}.{topic.topic.key}"
    if slot not in _CHOSEN and not _is_generic(topic):
        slot = f"{topic.topic.facet}.{normal_key(topic.word)}"
    where = _WHERE.search(rest)
    limit = qualifier(rest, text[: used.start()], topic) or (where[1] if where is not None else "")
    slot = f"{slot}_{normal_key(limit)}" if limit and limit != topic.word else slot
    return _Filled(f"{slot}{_modal(text, used)}", used.start(), used.end())


_WHERE = re.compile(r"\b(?:at|on|for) (?:my |the |our )?(work|home|laptop|desktop|servers?|phone|office|school)\b", re.IGNORECASE)


def _is_generic(found: About) -> bool:
    return found.word.rstrip("s").replace(" ", "_") in _BY_KEY


def _liked(text: str, liked: re.Match[str]) -> _Filled | None:
    """A choice between things of one kind has the kind's slot, a taste one of its own."""
    rest = text[liked.end() :]
    topic = about(rest[:80])
    chooses = _CHOOSES.search(liked[0]) is not None
    if topic is not None and (chooses or topic.topic.facet in ("communication", "coding_style")):
        slot = f"{topic.topic.facet}.{topic.topic.key}"
        limit = qualifier(rest, text[: liked.start()], topic)
        slot = f"{slot}_{normal_key(limit)}" if limit and limit != topic.word else slot
        return _Filled(f"{slot}{_modal(text, liked, taste=True)}", liked.start(), liked.end())
    key = normal_key(topic.word) if topic is not None and topic.topic.tools else _short(rest)
    return _Filled(f"preference.{key}{_modal(text, liked, taste=True)}", liked.start(), liked.end()) if key else None


_CHOOSES = re.compile(r"prefer|偏好|更喜欢|偏爱|更爱", re.IGNORECASE)


def _wanted(text: str, words: re.Pattern[str]) -> _Filled | None:
    found = words.search(text)
    key = _short(text[found.end() :]) if found is not None and _reaches(found.start()) else ""
    return _Filled(f"goal.{key}", found.start(), found.end()) if found is not None and key else None


def _facet(name: str) -> str:
    return "directives" if name == "anti_preferences" else name


def _short(rest: str) -> str:
    return key_of(_CLAUSE.split(rest, maxsplit=1)[0])


_CONDITION = re.compile(r"\b(?:if|unless|suppose|imagine|whether|assuming)\b|如果|要是|假如", re.IGNORECASE)


def _reaches(at: int) -> bool:
    """Whether what is found is what the statement says: not deep in a long one."""
    return at <= _DEEPEST


_DEEPEST = 160


def _modal(text: str, found: re.Match[str], *, taste: bool = False) -> str:
    """What is said of the slot: '' for how it is now."""
    before, told = text[: found.start()], found[0]
    head = told if _HAN.search(told) else told.partition(" ")[2] if told.casefold().startswith("i ") else told
    after = _CLAUSE.split(text[found.end() :], maxsplit=1)[0]
    if _HAN.search(text):
        return _modal_chinese(text, before, told, taste=taste)
    if moods.WISH.search(head) or _CONDITION.search(before) or (moods.WISH.search(before) and len(before) < 40 and not taste):
        return "" if taste and not _CONDITION.search(before) else WISH
    if moods.PLAN.search(head):
        return PLAN
    denied = moods.NOT.search(head) is not None or moods.ANY_MORE.search(after) is not None
    past = (moods.PAST.search(head) or moods.WAS_PERIOD.search(text)) and not moods.LASTS.search(text)
    if past or re.search(r"\bif I\b", before):
        return PAST
    if denied and not taste:
        return NOT
    for_now = moods.TEMPORARY.search(after)
    return TEMPORARY if for_now and not taste and not _began(told, for_now) else ""


def _modal_chinese(text: str, before: str, told: str, *, taste: bool) -> str:
    if moods.HAN_WISH.search(before) or (moods.HAN_WISH.search(told) and not taste):
        return WISH
    if moods.HAN_PLAN.search(told) or moods.HAN_PLAN.search(before):
        return PLAN
    if moods.HAN_PAST.search(told) or moods.HAN_PAST.search(before) or (not taste and moods.HAN_BEEN.search(text)):
        return PAST
    if moods.HAN_NOT.search(told) and not taste:
        return NOT
    for_now = moods.HAN_TEMPORARY.search(text)
    return TEMPORARY if for_now and not taste and not _began(told, for_now) else ""


def _began(told: str, when: re.Match[str]) -> bool:
    """Whether a time such as `this month` is when something began, not how long it lasts: who moved this month has moved."""
    return moods.CHANGE.search(told) is not None and moods.THIS_TIME.match(when[0]) is not None


def _denied(text: str) -> bool:
    return moods.NOT.search(text) is not None or re.search(r"不再|不是|不用|没有", text) is not None


def _chinese(text: str) -> _Filled | None:
    for form in chinese.FORMS:
        found = form.words.search(text)
        if found is not None and found.start() <= _DEEPEST:
            mood = "" if form.slot == _AVOIDS else _modal(text, found)
            return _Filled(f"{_keyed(form, text, found)}{mood}", found.start(), found.end())
    used = chinese.USES.search(text)
    filled = _tool(text, used) if used is not None else None
    if filled is not None:
        return filled
    liked = chinese.TASTE.search(text)
    if liked is not None and (found_liked := _liked(text, liked)) is not None:
        return found_liked
    note = note_of(text)
    if note is not None:
        return _Filled(f"{_facet(note[0])}.{note[1]}", 0, 0)
    event = chinese.HAPPENS.search(text)
    if event is not None and event.start() <= _DEEPEST:
        return _Filled(f"event.{re.search(chinese.EVENT, event[0])[0]}", event.start(), event.end())  # type: ignore[index]
    habit = _HABIT.search(text)
    if habit is not None and _short(text[habit.end() :]):
        return _Filled(f"habit.{_short(text[habit.end() :])}", habit.start(), habit.end())
    return _wanted(text, chinese.WANTS)
