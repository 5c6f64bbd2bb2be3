"""Plain: what lasts of what a user said, found by words alone: the events of the conversation, and what is taken back in it.

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
from memtree.tree.fact_likeness import retraction
from memtree.tree.fact_slots import place_of
from memtree.tree.generated import EXTRACTIVE
from memtree.tree.prose import prose_of
from memtree.tree.segments import Message
from memtree.tree.sentences import sentences

_READ = 200_000  # characters of a message
_SENTENCES = 400
_RECOGNISED = 24  # characters by which a sentence is found again in its message
_LONGEST = 300  # characters of a sentence that takes something back
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
        for event in events_of(session, messages):
            text = _ESCAPED.sub("", event.text)
            _add(found, Candidate(text, seqs=event.seqs, confidence=event.confidence))
        for message in messages:
            for sentence in _taken_back(message.text):
                _add(found, Candidate(sentence, seqs=(message.seq,), confidence=CONFIDENCE))
    return tuple(at_its_place(one) for one in sorted(found.values(), key=lambda one: _spoken_at(one, spoken)))


def _spoken_at(candidate: Candidate, spoken: Sequence[Said]) -> tuple[int, int]:
    """Where it was said first: the number of the message, and the place in it."""
    first = candidate.seqs[0]
    text = next((one.text for one in spoken if one.seq == first), "").casefold()
    at = text.find(candidate.text[:_RECOGNISED].casefold())
    return first, at if at >= 0 else len(text)


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


def _taken_back(text: str) -> Iterator[str]:
    """The sentences of a message that say that something holds no longer."""
    for sentence in sentences(prose_of(text[:_READ]), quoted=False)[:_SENTENCES]:
        if hands_over(sentence):
            return  # what follows was given to be translated or mended
        if len(sentence) <= _LONGEST and retraction(sentence) is not None:
            yield sentence.strip()
