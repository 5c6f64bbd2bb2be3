"""Grounding: what a model says was said must have been said. A statement without a turn that supports it is no fact.

Words alone decide, in both languages. A statement that stands in a turn as it is always passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from memtree.engine.facts.agreement import denied, name_not_said, negation_differs, number_not_said, other_language
from memtree.engine.facts.attribution import kin_not_said, of_another, only_asked, swapped
from memtree.engine.facts.candidate import Candidate, Fallen, Passed, Said, Step
from memtree.engine.facts.support import alike, least, named, roots, signs, telling, with_questions
from memtree.tree.agent_turn import USER
from memtree.tree.events import normalised
from memtree.tree.evidence_words import levelled
from memtree.tree.fact import LONGEST

_ENOUGH = 0.4  # share of a statement's words that its turns must have
_MOST_SIGNS = 0.6  # share of its Chinese characters
_WHY = {
    "empty": "it says nothing",
    "too_long": f"it has more than {LONGEST:,} characters",
    "prompt_text": "it repeats an example or an instruction",
    "not_eligible": "the turns that it names are none that facts come from",
    "unsupported": "no turn says it",
    "other_language": "no turn is in its language",
    "number_not_said": "no turn says this number or day",
    "name_not_said": "no turn says this name",
    "negation_differs": "the turn says the opposite",
    "said_of_another": "the turn says it of another",
    "only_asked": "the turn asks or supposes it",
}
_IN_DATES = re.compile(
    r"[0-9]+(?:st|nd|rd|th|am|pm)?|januar|februar|march|april|jun|july|august|septemb|octob|novemb|decemb"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)da"
)
_CLAUSE_MARKS = ",;，；。.!?！？\n"


def grounded(candidates: Iterable[Candidate], said: Sequence[Said], *, forbidden: frozenset[str] = frozenset()) -> Passed:
    """The candidates that some turn supports; `said` are the turns that facts may come from, `forbidden` texts of prompts.

    What only an agent said is attributed to it. Reasons: empty, too_long, prompt_text, not_eligible, unsupported, other_language,
    number_not_said, name_not_said, negation_differs, said_of_another, only_asked.
    """
    ground = _Ground(said, frozenset(map(normalised, forbidden)))
    kept: list[Candidate] = []
    fallen: list[Fallen] = []
    for one in candidates:
        reason, what, role = ground.judged(one)
        if reason:
            fallen.append(Fallen(one, Step.GROUND, reason, f"{_WHY[reason]}{f': {what}' if what else ''}"))
        else:
            kept.append(one if role == USER else replace(one, attributed_to=role))
    return Passed(tuple(kept), tuple(fallen))


class _Ground:
    """The turns, and what of them many candidates need."""

    def __init__(self, said: Sequence[Said], forbidden: frozenset[str]) -> None:
        self._said = said
        self._forbidden = forbidden
        self._plain = [f" {normalised(one.text)} " for one in said]

    def judged(self, candidate: Candidate) -> tuple[str, str, str]:
        """Why a candidate falls and at what, both '' for one that stays, and the role of who said it."""
        text = candidate.text.strip()
        plain = normalised(text)
        if not plain:
            return "empty", "", ""
        if len(text) > LONGEST:
            return "too_long", "", ""
        verbatim = self._verbatim(text, plain, candidate.seqs)
        if verbatim is not None:
            return "", "", verbatim.role
        if plain in self._forbidden:
            return "prompt_text", "", ""
        chosen = named(candidate, self._said)
        first = self._against(text, chosen, candidate.subject) if chosen else ("unsupported", "")
        if not first[0]:
            return "", "", _role(chosen)
        others = alike(text, self._said)
        if others and others != chosen and not self._against(text, others, candidate.subject)[0]:
            return "", "", _role(others)
        if first[0] == "unsupported" and not others and (language := other_language(text, self._said)):
            return "other_language", language, ""
        if candidate.seqs and not chosen and not others:
            return "not_eligible", "", ""
        if not chosen and others:
            return (*self._against(text, others, candidate.subject), "")
        return (*first, "")

    def _verbatim(self, text: str, plain: str, seqs: tuple[int, ...]) -> Said | None:
        """The turn that a statement stands in as it is, the one that was named first; None where a denial stands before it."""
        wanted = f" {plain} " if text[:1].isascii() else plain
        found = [
            one for one, there in zip(self._said, self._plain, strict=True) if wanted in there or plain.rstrip(" ") == there.strip()
        ]
        found = [one for one in found if not _denied_before(text, one.text)]
        return next((one for one in found if one.seq in seqs), found[0] if found else None)

    def _against(self, text: str, chosen: Sequence[Said], subject: str) -> tuple[str, str]:
        """What speaks against a statement's resting on some turns: a reason and at what, both '' for nothing."""
        said = with_questions(chosen, self._said)
        if language := other_language(text, said):
            return "other_language", language
        if not (_by_words(text, said) or _by_signs(text, said)):
            return "unsupported", ""
        if number := number_not_said(text, said):
            return "number_not_said", number
        if name := name_not_said(text, said, subject):
            return "name_not_said", name
        if kin := kin_not_said(text, said, subject):
            return "name_not_said", kin
        if clause := negation_differs(text, said):
            return "negation_differs", clause
        if other := of_another(text, said) or swapped(text, said):
            return "said_of_another", other
        if sentence := only_asked(text, said):
            return "only_asked", sentence
        return "", ""


def _by_words(text: str, said: Sequence[Said]) -> bool:
    """Whether turns have enough of a statement's words."""
    words = telling(text)
    hits = words & frozenset[str]().union(*(roots(one.text) for one in said))
    # Numbers, months and days are looked at apart, and may stand for `next Friday`.
    words = frozenset(word for word in words if word in hits or not _IN_DATES.fullmatch(word)) or words
    return len(hits) >= least(len(words)) and len(hits) >= _ENOUGH * len(words)


def _by_signs(text: str, said: Sequence[Said]) -> bool:
    """The same for the characters of a statement in Chinese, whose words stand in other pairs when they are said otherwise."""
    own = signs(text)
    hits = own & frozenset[str]().union(*(signs(one.text) for one in said))
    return len(hits) >= max(2, _MOST_SIGNS * len(own))


def _role(chosen: Sequence[Said]) -> str:
    roles = {one.role for one in chosen}
    return USER if USER in roles or not roles else min(roles)


def _denied_before(text: str, there: str) -> bool:
    """Whether the clause in which a statement stands denies it before it begins, as in `I no longer` live in Rome."""
    plain, whole = levelled(text), levelled(there)
    at = whole.find(plain.rstrip(" .。!！…"))
    if at <= 0:
        return False
    before = whole[max(0, at - 100) : at]
    start = max(before.rfind(mark) for mark in _CLAUSE_MARKS) + 1
    return denied(before[start:]) and not denied(plain)
