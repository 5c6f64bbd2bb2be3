"""Facets: what the events of a conversation say of its user, each as an observation under a facet and a key.

    I prefer tabs to spaces.    ->  coding_style   indentation   Prefers tabs to spaces
    我住在上海。                  ->  environment    location      住在上海

The key is the topic where its words are known, else the words of the statement, so that what is said again meets what is known.
What speaks of the work at hand ("I like this one") says nothing lasting of a user, and is no observation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memtree.tree.directive_notes import note_of
from memtree.tree.facet_words import STOP_WORDS, About, about, qualifier

if TYPE_CHECKING:
    from memtree.tree.events import Event

FACETS = ("communication", "coding_style", "stack", "workflow", "environment", "directives", "anti_preferences")
LONGEST_KEY = 40  # characters
_LONGEST = 200
_KEY_WORDS, _KEY_HAN = 3, 8
_MOST_MARKED = 0.5  # of a text's characters in marks of what was taken out: then it says nothing
_FEWEST = 2  # letters or digits that a statement is made of


@dataclass(frozen=True, slots=True)
class Observation:
    """Something said of the user. `event` is the id of what was said, `seen` its day as YYYY-MM-DD, '' where that is unknown."""

    facet: str
    key: str
    value: str
    event: str
    seen: str
    confidence: float


def observations_of(events: Iterable[Event], seen: Callable[[Event], str]) -> list[Observation]:
    """What events say of the user, in their order; decisions and commitments are about the work and say nothing."""
    found: list[Observation] = []
    for event in events:
        if event.kind.value in _SORTS:
            for facet, key, value in _statements(event.kind.value, event.text):
                found.append(Observation(facet, key, value, event.id, seen(event), event.confidence))
    return found


def normal_key(key: str) -> str:
    """A key as keys are compared: `Line length` and `line-length` are `line_length`."""
    words = unicodedata.normalize("NFKC", key).casefold().strip(" *`_:：")
    return re.sub(r"[\s_-]+", "_", words)


# -- how people say it

_HAN = re.compile(r"[\u3400-\u9fff]")
_SELF = re.compile(r"\b(?:I|my |call me)", re.IGNORECASE)  # what every English form has


class _Form(NamedTuple):
    """A way to speak of oneself: `said` is what takes the place of the words that are found, `sort` what it tells."""

    words: re.Pattern[str]
    said: str
    sort: str
    key: str = ""
    english: bool = True


def _form(words: str, said: str, sort: str, key: str = "") -> _Form:
    return _Form(re.compile(words, re.IGNORECASE), said, sort, key, not _HAN.search(words))


_LIKE, _CHOOSE, _AVOID, _HABIT, _IS = "like", "choose", "avoid", "habit", "is"
_MUCH = r"(?:(?:really|very much|absolutely|strongly|generally|usually|still|also|just|personally|truly|totally) )*"
_ME = r"(?:我\w{0,4}?|^)"  # where nobody is named the user speaks of themselves

# The first one that is found counts.
_PREFERENCES: tuple[_Form, ...] = (
    _form(rf"\bI {_MUCH}(?:do not|don't|dont) (?:\w+ )?(?:like|love|enjoy)\b", "Does not like", _AVOID),
    _form(rf"\bI {_MUCH}(?:do not|don't|dont) (?:\w+ )?want\b", "Does not want", _AVOID),
    _form(rf"\bI {_MUCH}(?:can't|cannot|can not|cant) stand\b", "Cannot stand", _AVOID),
    _form(rf"\bI {_MUCH}hate\b", "Hates", _AVOID),
    _form(rf"\bI {_MUCH}dislike\b", "Dislikes", _AVOID),
    _form(rf"\bI {_MUCH}avoid\b", "Avoids", _AVOID),
    _form(r"\bI never (?=(?:use|want|like|need|touch|install)\b)", "Never ", _AVOID),
    _form(rf"\bI(?:'d| would)? {_MUCH}prefer\b", "Prefers", _CHOOSE),
    _form(rf"\bI {_MUCH}like\b", "Likes", _LIKE),
    _form(rf"\bI {_MUCH}love\b", "Loves", _LIKE),
    _form(rf"\bI {_MUCH}enjoy\b", "Enjoys", _LIKE),
    _form(r"\bmy (?=favou?rites?\b)", "", _CHOOSE),
    _form(r"\bI(?:'m| am|m) used to\b", "Is used to", _HABIT),
    _form(r"\bI tend to\b", "Tends to", _HABIT),
    _form(r"\bI (?=(?:always|never|usually|mostly|typically|normally) )", "", _HABIT),
    _form(rf"{_ME}(?:(?:不太|不是很|并不|不|没)(?:喜欢|爱|想要|希望|习惯)|讨厌|反感|厌恶|受不了|拒绝|从来?不用?|不用)", "", _AVOID),
    _form(rf"{_ME}(?:偏好|更喜欢|倾向于?|首选|宁愿|最喜欢|偏爱|最爱)", "", _CHOOSE),
    _form(rf"{_ME}(?:喜欢|热爱|爱)", "", _LIKE),
    _form(rf"{_ME}(?:总是|一直|一向|通常|经常|习惯|一般|每次都)", "", _HABIT),
)
_FACTS: tuple[_Form, ...] = (
    _form(r"\bmy name(?: is|'s)\b", "Name is", _IS, "name"),
    _form(r"\b(?:you can |please )?call me\b", "Is called", _IS, "name"),
    _form(r"\bI(?:'m| am|m) (?:currently )?based (?=(?:in|at|near|out)\b)", "Based ", _IS, "location"),
    _form(r"\bI (?:currently )?live (?=(?:in|at|near|on)\b)", "Lives ", _IS, "location"),
    _form(
        r"\bI(?:'ve| have|ve)? (?:just |recently |finally )?(?:moved|relocated) (?=to\b(?! (?:the|an?|this|it)\b))",
        "Moved ",
        _IS,
        "location",
    ),
    _form(r"\bI(?:'m| am|m) (?:originally )?from\b", "Comes from", _IS, "origin"),
    _form(r"\bI (?:currently )?work (?=(?:at|for)\b)", "Works ", _IS, "employer"),
    _form(r"\bI (?:currently )?work as\b", "Works as", _IS, "role"),
    _form(r"\bmy (?:current )?(?:role|job|job title|position|title)(?: is|'s)\b", "Role is", _IS, "role"),
    _form(r"\bmy time ?zone(?: is|'s)\b", "Time zone is", _IS, "timezone"),
    _form(r"\bI(?:'m| am|m) an? (?!bit\b|little\b|lot\b|few\b|fan\b|tad\b|huge fan\b|big fan\b|couple\b)", "Is a ", _IS, "role"),
    _form(r"\bI(?:'ve| have|ve) been\b(?=.*\b(?:years?|months|since|decades?)\b)", "Has been", _IS, "experience"),
    _form(r"我(?:的名字)?(?:叫|是叫)", "叫", _IS, "name"),
    _form(r"我(?:现在|目前)?(?:住在|居住在|定居在|常驻)", "住在", _IS, "location"),
    _form(r"我[^,，。把要想会能可\s]{0,8}搬(?:家到|家去|到|去|来)了?", "搬到", _IS, "location"),
    _form(r"我来自|我是(?=\w{1,8}人)", "来自", _IS, "origin"),
    _form(r"我(?:现在|目前)?(?:就职于|任职于|供职于)", "就职于", _IS, "employer"),
    _form(r"我(?:现在|目前)?在(?=.{1,30}(?:工作|上班))", "在", _IS, "employer"),
    _form(r"我的?(?:所在)?时区是?", "时区", _IS, "timezone"),
    _form(r"我的(?:职位|职业|工作|角色|岗位)是|(?:我|^)是(?:一名|一个|一位|个|名)", "是", _IS, "role"),
)
_SORTS = {"preference": (*_PREFERENCES, *_FACTS), "fact": (*_FACTS, *_PREFERENCES)}  # the classes that say something of a user
_AGAIN = re.compile(
    r"(?:\s*[,;])?\s+(?:and|but|while|although|though)\s+(?=(?:I|my)\b)|\s*[,;]\s*(?=(?:I|my)\b)|\s*[,;，；、]\s*(?=我|是一)",
    re.IGNORECASE,
)
# Before the statement, where they tell nothing of it.
_FILLERS = re.compile(
    r"(?:(?:well|honestly|actually|basically|personally|also|and|but|so|ok|okay|yes|yeah|no|hi|hey|hello|thanks|thank you|btw|"
    r"by the way|generally|in general|as i said|fyi|for the record|just so you know|please note|note|remember|that|please|really|"
    r"because|since|(?:i|i have|i've) changed my mind|on second thoughts?|on reflection|correction|sorry|update|"
    r"其实|另外|而且|但是|不过|那个|嗯|好的|对了|顺便说|记住|请记住|我改主意了|我改变主意了|更正|纠正一下|现在)[\s,.!;:，。；：—-]*)*",
    re.IGNORECASE,
)
# What stands for something at hand: nobody knows later what it was.
_AT_HAND = re.compile(
    r"\s*(?:(?:this|that|it|these|those|them|both|him|her|you|how|what|where|your|its?|neither)\b"
    r"|(?:the|to) (?:first|second|third|last|latter|former|other|new|current|idea|way|look|sound|one|result|approach|version|"
    r"option|know|see|think|say|thank|point|be able|hear)\b|这|那|它|你的|第[一二三四两])",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\s*(?:that |it (?:if|when) |when |if )?you\b(?! know\b)|\s*(?:always |never )want you\b|你|请", re.IGNORECASE
)
_NO_HABIT = re.compile(
    r"(?:always|never|usually|mostly|typically|normally) (?:said|say|got|gets?|saw|see|had|have|knew|know|thought|think|heard|"
    r"understood|understand|forg[eo]t|means?t?|found|find|received|reali[sz]ed?|seems?|fails?|was|were"
    r"|did|asked|told|wanted|happens?)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|me|myself)\b|我", re.IGNORECASE)
_MARKS = re.compile(r"\[(?:secret: [^\]\n]*|personal: [^\]\n]*|forgotten)\]|\[REDACTED\]")
_WORDS = re.compile(r"[a-z][a-z0-9+#.]*[a-z0-9+#]|[a-z0-9]+|[^\W\d_a-z]+", re.IGNORECASE)
_ENDS = " \t.,;:!?。，；：！？…~～"


def _statements(kind: str, text: str) -> Iterator[tuple[str, str, str]]:
    """The facet, key and value of everything that an event says of the user; the first one of a key."""
    text = " ".join(unicodedata.normalize("NFC", text).replace("’", "'").split())
    rule = note_of(text) if kind == "preference" else None
    if rule is not None and not _is_marks(rule.value):
        yield rule
        return
    if text.endswith(("?", "？")):
        return
    known: set[tuple[str, str]] = set()
    forms = _possible(_SORTS[kind], text)
    for clause in _clauses(forms, text):
        statement = _statement(forms, clause)
        if statement is not None and statement[:2] not in known:
            known.add(statement[:2])
            yield statement


def _possible(forms: Sequence[_Form], text: str) -> Sequence[_Form]:
    """The forms that a text can have by its letters."""
    english, chinese = _SELF.search(text) is not None, _HAN.search(text) is not None
    return [form for form in forms if (english if form.english else chinese)]


def _clauses(forms: Sequence[_Form], text: str) -> Iterator[str]:
    """The text cut where the user speaks of themselves again. A part that says nothing by itself belongs to what follows."""
    begin = 0
    for cut in _AGAIN.finditer(text):
        if any(form.words.search(text[begin : cut.start()]) for form in forms):
            yield text[begin : cut.start()]
            begin = cut.end()
    yield text[begin:]


def _statement(forms: Sequence[_Form], text: str) -> tuple[str, str, str] | None:
    """The facet, key and value of a clause, None for one that says nothing lasting."""
    for form in forms:
        found = form.words.search(text)
        if found is not None:
            break
    else:
        return None
    rest = text[found.end() :]
    addressed = form.sort != _IS and _ADDRESSED.match(rest) is not None
    if _is_marks(text) or _is_marks(rest) or _says_nothing(form.sort, rest, addressed=addressed):
        return None
    value = _value(text, found, form.said)
    place = _place(form, rest, text[: found.start()], addressed=addressed)
    return (*place, value) if value and place is not None else None


def _says_nothing(sort: str, rest: str, *, addressed: bool) -> bool:
    if sum(char.isalnum() for char in rest) < _FEWEST:
        return True
    if sort == _HABIT and _NO_HABIT.match(rest.lstrip()):
        return True
    return not addressed and sort != _IS and _AT_HAND.match(rest) is not None


def _place(form: _Form, rest: str, before: str, *, addressed: bool) -> tuple[str, str] | None:
    """The facet and the key of a statement: `rest` is what follows its first words."""
    if form.key:
        return "environment", form.key
    topic = about(rest) or about(before)
    words = key_of(rest)
    if form.sort == _AVOID:
        key = _tool_or_key(topic, always_tool=True) if topic is not None else words
        return ("anti_preferences", key) if key else None
    if topic is None:
        facet = "directives" if addressed else "workflow" if form.sort == _HABIT else "environment"
        return (facet, words) if words else None
    if addressed and topic.topic.facet != "communication":
        return "directives", topic.topic.key
    key = _tool_or_key(topic, always_tool=form.sort == _LIKE and topic.topic.facet == "stack")
    limit = qualifier(rest, before, topic) if key == topic.topic.key else ""
    return topic.topic.facet, f"{key}_{normal_key(limit)}"[:LONGEST_KEY] if limit and limit != topic.word else key


def _tool_or_key(found: About, *, always_tool: bool) -> str:
    """Who likes one tool may like another: each is a key of its own. Of what one prefers there is one."""
    word = normal_key(found.word)[:LONGEST_KEY]
    return word if always_tool and found.topic.tools and word.rstrip("s") != found.topic.key else found.topic.key


def key_of(rest: str) -> str:
    """A key from the words of a statement, '' where none tells anything."""
    found: list[str] = []
    for word in _WORDS.findall(unicodedata.normalize("NFKC", _MARKS.sub(" ", rest)).casefold().replace("'", "")):
        if _HAN.search(word):
            return "_".join([*found, word[:_KEY_HAN]])[:LONGEST_KEY]
        if word not in STOP_WORDS:
            found.append(word)
        if len(found) == _KEY_WORDS:
            break
    return "_".join(found)[:LONGEST_KEY].strip("_.")


def _value(text: str, found: re.Match[str], said: str) -> str:
    """The statement as a note about the user; in the user's own words where a change of person would make it false."""
    before, rest = text[: found.start()], text[found.end() :]
    filler = _FILLERS.fullmatch(before)
    if filler is None or _OWN.search(rest):
        value = text
    elif _HAN.search(found[0]):
        value = said + rest if said else found[0].removeprefix("我") + rest
    else:
        value = said + rest
    return _tidy(value)


def _tidy(value: str) -> str:
    value = " ".join(value.split()).strip(_ENDS)
    if len(value) > _LONGEST:
        value = value[: _LONGEST - 1].rsplit(" ", 1)[0].rstrip(_ENDS) + "…"
    return value[:1].upper() + value[1:]


def _is_marks(text: str) -> bool:
    """Whether little is left beside the marks of what was taken out."""
    marked = sum(len(found) for found in _MARKS.findall(text))
    return marked > 0 and marked >= _MOST_MARKED * len(text.strip())


def headline(facet: str) -> str:
    """The title of a facet's file."""
    return facet.replace("_", " ").capitalize()
