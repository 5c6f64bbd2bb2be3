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
from memtree.tree.fact import USER as MYSELF
from memtree.tree.fact_gate import Reason, Verdict, judge
from memtree.tree.fact_likeness import retraction
from memtree.tree.fact_parts import parts_of
from memtree.tree.fact_slots import Place, place_of
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
# Slots of what hardly changes, told by a statement's own words; what is liked or used at work is not among them.
_SURE_SLOTS = (
    "identity.",
    "family.",
    "health.",
    "work.",
    "education.",
    "contact.",
    "belief.",
    "project.",
    "skill.language",
    "environment.home",
    "possession.car",
)
_HELD = (*_SURE_SLOTS, "environment.", "preference.")
# Said so, a rule or a habit holds beyond the work at hand.
_NOT_OF_NOW = (
    r"(?! (?:mind|thought|knew|saw|heard|had|did|was|were|got|gets?|been|seen?|found|said|told|works?|ends? up|fails?)\b"
    r"| \w{1,20}ed\b)"
)
_UNITS = (
    r"mornings?|evenings?|nights?|days?|weekdays?|weekends?|weeks?|months?|years?|quarters?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
)
_HOLDS = re.compile(
    rf"\b(?:(?:always|never){_NOT_OF_NOW}|from now on|at all times|under no circumstances|whatever happens"
    rf"|every (?:other |single |\d{{1,3}} |two |three |four |six )?(?:{_UNITS})"
    r"|(?:every|all|any|no) (?!of |the |these |those )[\w -]{1,40}? (?:must|has to|have to|needs? to|may)\b)"
    r"|每(?:[一二两三四五六七八九十\d]{1,3}个?)?(?:天|周|星期|个?月|年|晚|早|季度)|一定要|永远|总是|从不|绝不|绝对不|禁止|严禁"
    r"|从今(?:以后|往后)|以后|今后|(?:所有|每个|全部|任何).{1,30}?(?:必须|都要|都得|不能|不得|一律)|(?:前|时|后)都?(?:必须|要先|务必)"
    r"|不(?:要|能|得|许)直接",
    re.IGNORECASE,
)
# Of whom one has, and of what a team works with.
_IS_ONE = re.compile(
    r"(?:my|our) [a-z][a-z -]{1,24}(?: (?-i:[A-Z])[\w'-]{1,24})? (?:is|was|has) (?:an? (?!bit|little|lot|cold|headache)|\d)"
    r"|我(?:们)?(?:的)?(?:直属)?(?:领导|上司|老板|经理|导师|老师|同事|室友|邻居|医生|房东)(?:是|叫)\S{2,6}\Z",
    re.IGNORECASE,
)
_WE_USE = re.compile(
    r"(?:we|our team)(?: all| now| always| still| currently)? use\b|我们(?:团队|组|公司)?(?:都|一直|现在|目前)*(?:用|使用)",
    re.IGNORECASE,
)
# What a slot says of how things stand just now, of nothing that has a name, or of a team that one is of.
_OF_NOW = re.compile(
    r"(?:is|are|was|were) (?:too |still |just |currently |completely |really )?(?:wrong|broken|slow|stale|down|missing|empty"
    r"|unknown|flaky|full|too|not|gone|bad|weird|late)\b|\bfrom (?:the|my|our|your) |试试|试一下|看看|吧[。！!]?\Z",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"(?:please |pls )?(?:never|always)\b|请?(?:不要直接|永远|总是|绝不|禁止|一定)", re.IGNORECASE)
_INSTEAD = re.compile(r"[，,;；]\s*(?:(?:and|but) )?(?=(?:I|my|we|our)\b|我)", re.IGNORECASE)
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
            for holds in _instead(sentence):
                yield holds, CONFIDENCE
        elif _lasts(sentence) and not any(one in normalised(sentence) for one in told):
            yield sentence.strip(), _LESS_SURE


def _instead(sentence: str) -> Iterator[str]:
    """What a sentence that takes something back says to be so instead."""
    for cut in _INSTEAD.finditer(sentence):
        rest = sentence[cut.end() :].strip()
        if retraction(sentence[: cut.start()]) and not retraction(rest) and place_of(rest).slot.startswith(_HELD):
            yield rest
            return


def _lasts(sentence: str) -> bool:
    """Whether a sentence has one of the signs that nothing which passes has, and is no supposing and no order."""
    if sentence.rstrip(" \"'”’").endswith(("?", "？")) or _MARK.search(sentence):
        return False
    if _SUPPOSED.match(sentence) and not _ORDERED.match(sentence):
        return False
    verdict = judge(sentence)
    if not verdict.keep:
        return False
    place = place_of(sentence)
    told = place.slot.startswith(_SURE_SLOTS) and not place.slot.startswith("project.main.") and not _OF_NOW.search(sentence)
    if place.slot.endswith(_UNREAL) or not (told or _is_sure(sentence, verdict) or _of_ours(sentence, place)):
        return False
    words = len(sentence.split()) + len(_HAN.findall(sentence)) // 2
    return words >= _FEWEST or told


def _of_ours(sentence: str, place: Place) -> bool:
    """Whether it says who somebody of the user's is, or which tool the user's team works with."""
    if _WE_USE.match(sentence):
        return place.slot.startswith("stack.") and not _OF_NOW.search(sentence)
    return (place.subject != MYSELF or _HAN.search(sentence) is not None) and _IS_ONE.match(sentence.rstrip("。.! ！")) is not None


def _is_sure(sentence: str, verdict: Verdict) -> bool:
    cue = verdict.cue in _SURE_CUES or (verdict.cue in ("rule", "habit") and _HOLDS.search(sentence) is not None)
    return cue and judge(sentence, Reason.QUERY).keep
