"""The gate of facts: whether what a sentence says will matter later, or why not.

Signs that it lasts (`fact_cues_english`, `fact_cues_chinese`) are weighed against signs that it is a question, a state of the
moment, an intention of the next hours, a log entry or how a system is running (`fact_gate_english`, `fact_gate_chinese`). Where
they are as heavy, and where there are none, it is kept: what is dropped wrongly is lost, what is kept wrongly can be taken out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from memtree.tree.fact_gate_parts import Cue, Language, Reason, Rule, Sentence
from memtree.tree.fact_gate_text import HAN, core_of, sentences_in
from memtree.tree.fact_wording import told_by_words

__all__ = ["WORDING", "Reason", "Verdict", "judge"]

WORDING = "wording"

_STRONG = 4  # of a cue that speaks against what an extractor called a text
_FAINT = 2  # of a cue that alone does not keep what words speak against
_FOR_GOOD = 8  # of a cue that makes a request one that is meant for good
_TYPES = {reason.value: reason for reason in Reason}
_WORD = re.compile(r"\w+")
_CLAUSE = re.compile(r"[,，;；:：] ?|\b(?:so|and|but) (?=(?:what|how|why|where|when|which|who|can|could|should|is|are|do|does)\b)")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a text is kept.

    `reason`: why it drops, one of `Reason`, or ''. `cue`: what told that it lasts, '' for nothing; of one that drops, `WORDING`
    where no sign was found and its words alone told.
    """

    keep: bool
    reason: str = ""
    cue: str = ""


class _Weighed(NamedTuple):
    verdict: Verdict
    weight: int  # of the cue
    length: int


def judge(text: str, fact_type: str = "fact") -> Verdict:
    """What the gate says of a text of one or a few sentences; of a long one it reads the beginning and the end.

    `fact_type` is what an extractor called it: one of the reasons drops it unless a strong cue speaks against that, anything else
    says nothing.
    """
    weighed = [_weighed(sentence) for sentence in sentences_in(text)]
    verdict = _all_of(weighed)
    named = _TYPES.get(fact_type.strip().casefold())
    if named is None or not verdict.keep:
        return verdict
    if verdict.cue and max(one.weight for one in weighed if one.verdict.keep) >= _STRONG:
        return verdict
    return Verdict(False, named.value)


def _all_of(weighed: list[_Weighed]) -> Verdict:
    """One verdict of those on a text's sentences: a sentence that has a cue keeps the text, else the longer part decides."""
    kept = [one for one in weighed if one.verdict.keep]
    dropped = [one for one in weighed if not one.verdict.keep]
    if kept:
        best = max(kept, key=lambda one: (one.weight, one.length))
        if not dropped or best.weight or sum(one.length for one in kept) > sum(one.length for one in dropped):
            return best.verdict
    return max(dropped, key=lambda one: one.length).verdict if dropped else Verdict(True)


def _weighed(sentence: Sentence) -> _Weighed:
    language = _language(HAN.search(sentence.full) is not None)
    cue = _cue(sentence, language)
    weight = cue.weight if cue is not None else 0
    # A rule for good may be put as a request.
    polite = weight >= _FOR_GOOD and _compiled(language.standing).match(sentence.core) is not None
    if sentence.asks and not polite:
        return _asked(sentence, language)
    rule = None if polite else _rule(sentence, language, weight)
    if rule is not None:
        return _Weighed(Verdict(False, rule.reason.value), weight, len(sentence.full))
    told = told_by_words(sentence, HAN.search(sentence.full) is not None) if weight <= _FAINT else None
    if told is not None and told.drops:
        return _Weighed(Verdict(False, told.reason.value, WORDING), weight, len(sentence.full))
    return _Weighed(Verdict(True, "", cue.name if cue is not None else ""), weight, len(sentence.full))


def _asked(sentence: Sentence, language: Language) -> _Weighed:
    """A question drops, but for what it says that lasts before it asks."""
    for cut in [*_CLAUSE.finditer(sentence.full)][::-1]:
        head, tail = sentence.full[: cut.start()], sentence.full[cut.end() :]
        if head and tail and _compiled(language.asks).match(core_of(tail)):
            said = _weighed(Sentence(head, head if HAN.search(head) else core_of(head), asks=False))
            if said.verdict.keep and said.weight >= _STRONG:
                return said
    return _Weighed(Verdict(False, Reason.QUERY.value), 0, len(sentence.full))


def _cue(sentence: Sentence, language: Language) -> Cue | None:
    return next((cue for cue in language.cues if _compiled(cue.pattern).search(sentence.full)), None)


def _rule(sentence: Sentence, language: Language, outweighed: int) -> Rule | None:
    """The heaviest rule that a sentence falls under, of those that weigh more than its cue."""
    words = frozenset(_WORD.findall(sentence.core))
    for rule in language.rules:
        if rule.weight <= outweighed:
            break
        if (not rule.needs or rule.needs & words) and _compiled(rule.pattern).match(sentence.core):
            return rule
    return None


# All of them together take half a second, and most sentences need few: the heaviest decides.
@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@lru_cache(maxsize=2)
def _language(chinese: bool) -> Language:
    if chinese:
        from memtree.tree import fact_cues_chinese as cues
        from memtree.tree import fact_gate_chinese as rules
    else:
        from memtree.tree import fact_cues_english as cues  # type: ignore[no-redef]
        from memtree.tree import fact_gate_english as rules  # type: ignore[no-redef]
    return Language(
        tuple(sorted(cues.CUES, key=lambda cue: -cue.weight)),
        tuple(sorted(rules.RULES, key=lambda rule: -rule.weight)),
        rules.ASKS,
        rules.STANDING,
    )
