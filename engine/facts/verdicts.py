"""Verdicts: what a judge says of a candidate, and what is believed of it. Each check refuses; none makes anything up."""

from __future__ import annotations

from dataclasses import dataclass

from memtree.engine.closing.same_language import same_language
from memtree.engine.facts.candidate import Outcome
from memtree.tree.evidence_words import evidence_tokens
from memtree.tree.fact import LONGEST
from memtree.tree.fact_key import fact_key, key_words
from memtree.tree.fact_likeness import Likeness, likeness

_KEPT = 0.75  # share of the words of either statement that one made of them has, at least
_BOTH = 1  # words that two statements share, at least, to be one
_DENIAL = frozenset((*"不没无别未莫勿", "not", "no", "never", "nolonger", "without", "neither", "nor", "none", "nothing", "cannot"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to become of a candidate: `target` is the id of the fact that it concerns, `text` what an updated one is to say.

    `reason` is for people, `by` names the judge.
    """

    outcome: Outcome
    target: str = ""
    text: str = ""
    reason: str = ""
    by: str = "model"


def may_be_same(old: str, new: str) -> bool:
    """Whether a statement can be covered by an older one: every number and denial of one stands in the other."""
    if Likeness.CONTRADICTS in (likeness(old, new), likeness(new, old)):
        return False
    return _numbers(new) <= _numbers(old) and _denials(new) == _denials(old) and bool(evidence_tokens(old) & evidence_tokens(new))


def text_of_update(old: str, new: str, made: str) -> tuple[str, str]:
    """What an updated fact says: the judge's text, or else the candidate's own. '' with a reason where neither may be taken.

    The reason `contradicts` says that the candidate does not add to the old statement but takes its place.
    """
    words, more = evidence_tokens(old), evidence_tokens(new)
    contradicts = Likeness.CONTRADICTS in (likeness(old, new), likeness(new, old))
    if contradicts or (fact_key(made or old) == fact_key(old) and not may_be_same(old, new)):
        return "", "contradicts"
    if len(words & more) < _BOTH:
        return "", "the two have nothing in common"
    if made and _grounded(made, old, new):
        return made.strip(), ""
    if words <= more:
        return new, ""
    return "", "its text is not made of the two, and the new one alone would lose something"


def _grounded(made: str, old: str, new: str) -> bool:
    """Whether a text is made of two statements: nothing added, little lost, no number, denial or language that they have not."""
    if len(made) > LONGEST or "\n" in made.strip():
        return False
    parts, words = [evidence_tokens(old), evidence_tokens(new)], evidence_tokens(made)
    if not words <= parts[0] | parts[1] or any(len(part & words) < _KEPT * len(part) for part in parts):
        return False
    numbers, denials = _numbers(old) | _numbers(new), _denials(old) | _denials(new)
    if _numbers(made) != numbers or _denials(made) != denials:
        return False
    return not same_language(made, f"{old}\n{new}")


def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in key_words(text) if any(map(str.isdigit, word)))


def _denials(text: str) -> frozenset[str]:
    return frozenset(key_words(text)) & _DENIAL
