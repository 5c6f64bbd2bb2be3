"""What each part of a ranking counts: settings, with the defaults that were measured."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """What each leg counts. `recency` is 0 by default: old memory is not worse memory."""

    text: float = 0.7
    vector: float = 0.3
    recency: float = 0.0
    half_life_days: float = 30.0
    floor: float = 0.15  # cosine below which nothing is found by meaning: unrelated texts of the default model lie under it


@dataclass(frozen=True, slots=True)
class TurnWeights:
    """What each feature counts. Windows are turns before and after, within the session."""

    words_1: float = 0.2  # BM25 over the turn and the one before
    words_5: float = 1.3  # BM25 over five turns on either side
    session: float = 1.0  # BM25 over the whole session
    grams: float = 0.4  # BM25 over pieces of four letters: spelling, compounds
    covered_2: float = 0.6  # share of the query's weight found in the turn and the two before
    covered_22: float = 0.2  # the same, two on either side
    answers: float = 1.1  # BM25 of the turn before, where that is a question
    speaker: float = 2.3  # the query names one speaker, and it is theirs
    question: float = -0.7  # the turn is a question itself
    date: float = 2.0  # a month, year or day in the query matches the turn's
    when: float = 1.6  # the query asks for a time and the turn names one
    time_word: float = 0.4
    length: float = 1.1
    names: float = 1.1  # capitalised words inside sentences
    opening: float = 0.5  # one of the first two turns
    meaning: float = 0.6  # cosine of the turn
    meaning_2: float = 0.9  # of the turn and the two before
    meaning_22: float = 1.1  # of two on either side
    tokens: float = -0.1  # best cosine per query word, mean
    tokens_rare: float = 0.6  # the same, rare words counting more
    tokens_2: float = 0.8  # over the turn and the two before
    tokens_2_rare: float = 1.1
    tokens_next: float = 1.2  # of the turn after


@dataclass(frozen=True, slots=True)
class Ranking:
    """All that shapes an order and can be set."""

    fusion: FusionWeights = field(default_factory=FusionWeights)
    turns: TurnWeights = field(default_factory=TurnWeights)
