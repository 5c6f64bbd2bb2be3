"""Normalising: which messages of a conversation facts may come from, and what of each was said by whoever wrote it.

A user's message counts whatever a paragraph of it begins with (`System: …` in it is still the user's); what tools, systems and
unknown roles say never does, an agent's answer only where the settings admit it. What programs put into a message, quotations, long
code, and a text that was handed over to be translated or mended are nobody's statements.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtree.engine.facts.candidate import Said, Step
from memtree.tree.agent_turn import ASSISTANT, USER
from memtree.tree.event_patterns import hands_over
from memtree.tree.fact import quote_hash
from memtree.tree.injected import without_injected
from memtree.tree.log_lines import without_log_lines
from memtree.tree.prose import prose_of
from memtree.tree.segments import Message
from memtree.tree.sentences import sentences

MOST_MESSAGES, MOST_CHARS = 200, 100_000
LONGEST = 20_000  # characters of one message
_PARAGRAPHS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_GIVEN = re.compile(r"\s{0,80}(?:>|`{3}|~{3}|\"|“|「|『|«)")
_MOST_SENTENCES = 400
_OPENS_TEXT = re.compile(
    r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*(?:text|txt|md|markdown|plain|plaintext|quote|email|mail)?[ \t\r]*\Z", re.IGNORECASE
)
_CODE_SIGNS = re.compile(r"[={}$|<>\\;]|\w\(|^\s*(?:[#$%>]|//|--)|\s--?\w")
_LITTLE_WORDS = re.compile(
    r"\b(?:the|is|are|was|that|this|you|your|user|i|my|we|our|and|to|of|a|an|in|for|has|have|he|she|they|must|always|never)\b",
    re.IGNORECASE,
)
_HAN = re.compile("[\u3400-\u9fff]")


class Left(NamedTuple):
    """A message, or a part of one, that no fact comes from: at which step it was left out, and why in a word."""

    step: Step
    reason: str
    seq: int
    role: str


@dataclass(frozen=True, slots=True)
class Normalised:
    """What was said, in its order, and what was left out."""

    said: tuple[Said, ...] = ()
    left_out: tuple[Left, ...] = ()

    @property
    def left(self) -> dict[str, int]:
        """How many messages were left out, by reason."""
        return dict(Counter(one.reason for one in self.left_out))


def said_in(
    messages: Sequence[Message],
    *,
    session: str,
    hashes: Sequence[str] = (),
    zones: Sequence[str] = (),
    include_assistant: bool = False,
    max_messages: int = MOST_MESSAGES,
    max_chars: int = MOST_CHARS,
    longest: int = LONGEST,
) -> Normalised:
    """What facts may come from in messages; `hashes` and `zones` stand beside them, where they are known.

    Of too many, the newest are heard. Reasons: role_not_allowed, injected, quoted, no_words, handed_over, over_limit, too_long (its
    end).
    """
    found: list[Said] = []
    left: list[Left] = []
    for place, message in enumerate(messages):
        role = message.role.strip().lower()
        if role != USER and not (include_assistant and role == ASSISTANT):
            left.append(Left(Step.NORMALISE, "role_not_allowed", message.seq, message.role))
            continue
        text, step, reason = _own_words(message.text)
        if len(text) > longest:
            text, step, reason = text[:longest].rstrip(), Step.NORMALISE, "too_long"
        if reason:
            left.append(Left(step, reason, message.seq, message.role))
        if text:
            told = hashes[place] if place < len(hashes) else quote_hash(message.text)
            zone = zones[place] if place < len(zones) else ""
            found.append(Said(session, message.seq, role, text, told, message.timestamp, zone, message.speaker))
    kept, over = _newest(found, max_messages, max_chars)
    left += (Left(Step.NORMALISE, "over_limit", one.seq, one.role) for one in over)
    return Normalised(tuple(kept), tuple(left))


def _own_words(text: str) -> tuple[str, Step, str]:
    """What a message says itself, and where and why nothing or less of it was left; '' for a message that is whole."""
    clean = without_injected(text, quoted=True)
    if not clean.strip():
        return "", Step.CLEAN, "injected" if text.strip() else "no_words"
    own, given = _before_given(clean)
    said = prose_of(without_log_lines(_without_fenced_prose(without_injected(own)))).strip()
    if said:
        return said, Step.NORMALISE, "handed_over" if given else ""
    if given:
        return "", Step.NORMALISE, "handed_over"
    if clean != text:
        return "", Step.CLEAN, "injected"
    return "", Step.CLEAN, "no_words" if without_injected(own) == own else "quoted"


def _without_fenced_prose(text: str) -> str:
    """The text without the fences that hold sentences: what stands in them was copied from somewhere. Commands and code stay."""
    if "```" not in text and "~~~" not in text:
        return text
    kept: list[str] = []
    fence: list[str] = []
    mark = ""
    for line in text.split("\n"):
        if mark:
            fence.append(line)
            if line.strip().startswith(mark) and not line.strip().strip(mark[0]):
                kept += () if any(map(_is_sentence, fence[1:-1])) else fence
                fence, mark = [], ""
        elif (opens := _OPENS_TEXT.match(line)) is not None:
            fence, mark = [line], opens[1]
        else:
            kept.append(line)
    return "\n".join((*kept, *fence))  # one that never ends is none


def _is_sentence(line: str) -> bool:
    line = line[:400]
    if _CODE_SIGNS.search(line):
        return False
    return (len(_LITTLE_WORDS.findall(line)) >= 2 and len(line.split()) >= 5) or len(_HAN.findall(line)) >= 8


def _before_given(text: str) -> tuple[str, bool]:
    """The text without what it hands over to be worked on: what is quoted below the request, or else all that follows it."""
    kept: list[str] = []
    paragraphs = _PARAGRAPHS.split(text)
    given = skips = False
    for place, paragraph in enumerate(paragraphs):
        if skips and _GIVEN.match(paragraph):
            skips = False
            continue
        said = sentences(paragraph, quoted=False)[:_MOST_SENTENCES]
        at = next((number for number, sentence in enumerate(said) if hands_over(sentence)), None)
        if at is None:
            kept.append(paragraph)
            continue
        given = True
        kept.append(_up_to(paragraph, said[at]))
        quoted_next = place + 1 < len(paragraphs) and _GIVEN.match(paragraphs[place + 1]) is not None
        if not quoted_next or at + 1 < len(said):
            break
        skips = True
    return ("\n\n".join(kept), True) if given else (text, False)


def _up_to(paragraph: str, sentence: str) -> str:
    """What stands in a paragraph before a sentence, '' where that cannot be told."""
    at = paragraph.find(sentence[:40])
    return paragraph[:at].rstrip() if at > 0 else ""


def _newest(said: Sequence[Said], messages: int, chars: int) -> tuple[list[Said], list[Said]]:
    """As many of the last messages as fit, one at least, and those before them."""
    size = 0
    for number, one in enumerate(reversed(said)):
        size += len(one.text)
        if number >= messages or (number and size > chars):
            return [*said[len(said) - number :]], [*said[: len(said) - number]]
    return [*said], []
