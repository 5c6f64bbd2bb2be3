"""Plain: what lasts of what a user said, found by words alone: events, what is taken back, and what has a sure sign that it lasts.

Sentences as they were spoken, never a transcript: where nothing is told that lasts, there is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memtree.engine.facts.candidate import Candidate, Said
from memtree.tree.agent_turn import USER
from memtree.tree.event_patterns import hands_over
from memtree.tree.events import CONFIDENCE, events_of, normalised
from memtree.tree.fact_gate import Reason, judge
from memtree.tree.fact_likeness import retraction
from memtree.tree.fact_parts import parts_of
from memtree.tree.fact_slots import place_of
from memtree.tree.generated import EXTRACTIVE
from memtree.tree.prose import prose_of
from memtree.tree.segments import Message
from memtree.tree.sentences import sentences

_READ = 200_000  # characters of a message
_SENTENCES = 400
_RECOGNISED = 24  # characters by which a sentence is found again in its message
_LONGEST = 300  # characters of a sentence that takes something back
# Signs of the gate that also hold in talk about the work at hand, which is full of tastes, habits and decisions of the moment.
_SURE_CUES = frozenset({"health", "diet", "goal", "incident", "milestone", "setup", "since", "date", "event", "person", "remember"})
_LESS_SURE = 0.5
_FEWEST = 4  # words, two Chinese characters for one
_UNREAL = (".wish", ".past")
_SUPPOSED = re.compile(
    r"\s{0,4}(?:imagine|suppose|assume|pretend|say|what if|if|let's|let us|please|don't|remember (?:that )?you\b|see|look|write"
    r"|make|fix|add|he|she|they|it"
    r"|假设|假如|如果|要是|想象|比如|请|别|不要|让|帮|记住密码)(?![a-z])",
    re.IGNORECASE,
)
_HAN = re.compile("[\u3400-\u9fff]")
_MARK = re.compile(r"\[(?:secret|personal): ")
_LABELS = 2  # of those who speak; with so many of them a text is a transcript
_LABELLED = re.compile(
    r"^[ \t]{0,8}[*_]{0,2}(?:user|human|assistant|agent|ai|bot|system|tool|me|you|用户|助手|系统|我|你)[*_]{0,2}[ \t]{0,4}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_ESCAPED = re.compile(r"\\(?=[^\w\s\\])")  # as entries of a list are written


def plain_candidates(said: Sequence[Said]) -> tuple[Candidate, ...]:
    """The candidates in messages, in the order in which they were said; what an agent says is none.

    What is said twice is one candidate with the numbers of both messages.
    """
    spoken = [one for one in said if one.role == USER]
    found: dict[str, Candidate] = {}
    for session in dict.fromkeys(one.session for one in spoken):
        messages = [
            Message(one.seq, one.role, _without_transcript(one.text), one.timestamp, one.speaker)
            for one in spoken
            if one.session == session
        ]
        told: dict[int, list[str]] = {}
        for event in events_of(session, messages):
            text = _ESCAPED.sub("", event.text)
            _add(found, Candidate(text, seqs=event.seqs, confidence=event.confidence))
            for seq in event.seqs:
                told.setdefault(seq, []).append(normalised(text))
        for message in messages:
            for sentence, confidence in _others(message.text, told.get(message.seq, [])):
                _add(found, Candidate(sentence, seqs=(message.seq,), confidence=confidence))
    ordered = sorted(found.values(), key=lambda one: _spoken_at(one, spoken))
    return tuple(idea for one in ordered for idea in ideas_of(one))


def _spoken_at(candidate: Candidate, spoken: Sequence[Said]) -> tuple[int, int]:
    """Where it was said first: the number of the message, and the place in it."""
    first = candidate.seqs[0]
    text = next((one.text for one in spoken if one.seq == first), "").casefold()
    at = text.find(candidate.text[:_RECOGNISED].casefold())
    return first, at if at >= 0 else len(text)


def ideas_of(candidate: Candidate) -> tuple[Candidate, ...]:
    """The ideas of a candidate, each at its place: what ceases to hold must not take the rest of its sentence with it."""
    parts = (candidate.text,) if retraction(candidate.text) is not None else parts_of(candidate.text)
    return tuple(at_its_place(replace(candidate, text=part)) for part in parts)


def at_its_place(candidate: Candidate) -> Candidate:
    """The candidate with its subject, slot and category, and whether it takes something back, as its words tell."""
    taken_back = retraction(candidate.text)
    subject, slot, category = place_of(taken_back or candidate.text)
    return replace(
        candidate,
        subject=subject,
        slot=slot,
        category=category,
        retracts=taken_back is not None,
        generator=candidate.generator or EXTRACTIVE,
    )


def _add(found: dict[str, Candidate], new: Candidate) -> None:
    key = normalised(new.text)
    known = found.get(key)
    if known is None:
        found[key] = new
    elif not set(new.seqs) <= set(known.seqs):
        found[key] = replace(known, seqs=tuple(sorted({*known.seqs, *new.seqs})))


def _without_transcript(text: str) -> str:
    """The text without the lines of a conversation that was pasted into it: each was said by somebody at another time."""
    if len(_LABELLED.findall(text[:_READ])) < _LABELS:
        return text
    return "\n".join(line for line in text.split("\n") if _LABELLED.match(line) is None)


def _others(text: str, told: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The sentences of a message that are no events: that something holds no longer, and what has a sure sign that it lasts.

    `told` are the message's events in their normal form: what says one of them is none of these. Each with a confidence.
    """
    for sentence in sentences(prose_of(text[:_READ]), quoted=False)[:_SENTENCES]:
        if hands_over(sentence):
            return  # what follows was given to be translated or mended
        if len(sentence) > _LONGEST:
            continue
        if retraction(sentence) is not None:
            yield sentence.strip(), CONFIDENCE
        elif _lasts(sentence) and not any(one in normalised(sentence) for one in told):
            yield sentence.strip(), _LESS_SURE


def _lasts(sentence: str) -> bool:
    """Whether a sentence has one of the signs that nothing which passes has, and is no supposing and no order."""
    if sentence.rstrip(" \"'”’").endswith(("?", "？")) or _SUPPOSED.match(sentence) or _MARK.search(sentence):
        return False
    verdict = judge(sentence)
    if not verdict.keep or verdict.cue not in _SURE_CUES or not judge(sentence, Reason.QUERY).keep:
        return False
    words = len(sentence.split()) + len(_HAN.findall(sentence)) // 2
    return words >= _FEWEST and not place_of(sentence).slot.endswith(_UNREAL)
