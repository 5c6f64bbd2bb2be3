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
    """What each feature counts. Windows are turns before and after, within the session.

    Learned on LoCoMo conversations by listwise softmax; what it brings on conversations that it was not learned on, and what 0
    leaves out, is told in docs/performance.md.
    """

    words_1: float = 0.3  # BM25 over the turn and the one before
    words_5: float = 0.5  # BM25 over five turns on either side
    session: float = 0.1  # BM25 over the whole session
    grams: float = 0.5  # BM25 over pieces of four letters: spelling, compounds
    covered_2: float = 1.7  # share of the query's weight found in the turn and the two before
    covered_22: float = 0.6  # the same, two on either side
    answers: float = 1.1  # BM25 of the turn before, where that is a question
    speaker: float = 2.4  # the query asks what this speaker said or did
    question: float = -0.6  # the turn is a question itself
    date: float = 4.0  # a month, year or day in the query matches the turn's
    when: float = 2.1  # the query asks for a time and the turn names one
    time_word: float = 0.3
    length: float = 1.0
    names: float = 1.4  # capitalised words inside sentences
    opening: float = 0.4  # one of the first two turns
    meaning: float = 1.1  # cosine of the turn
    meaning_2: float = 0.0  # of the turn and the two before
    meaning_22: float = 1.9  # of two on either side
    meaning_answers: float = 0.0  # cosine of the turn before, where that is a question
    static_22: float = 0.0  # cosine of two on either side by the default model, beside a better one
    tokens: float = 0.0  # best cosine per query word, mean
    tokens_rare: float = 0.9  # the same, rare words counting more
    tokens_2: float = 0.0  # over the turn and the two before
    tokens_2_rare: float = 0.8
    tokens_5_rare: float = 2.2  # of five on either side
    tokens_next: float = 0.4  # of the turn after
    words_alone: float = 2.0  # times what words count where there is no meaning
    words_of_lists: float = 0.1  # times what words around a turn count where several things are asked and there is meaning


# With MiniLM, which has read the turns, what it made of their tokens counts most. Learned in the same way.
MINILM_TURNS = TurnWeights(
    words_1=0.3,
    words_5=0.3,
    session=0.2,
    grams=0.4,
    covered_2=0.8,
    covered_22=0.6,
    answers=0.5,
    speaker=2.5,
    question=-0.6,
    date=5.4,
    when=2.2,
    time_word=0.2,
    length=0.7,
    names=1.4,
    opening=0.5,
    meaning=0.0,
    meaning_2=0.8,
    meaning_22=0.5,
    meaning_answers=0.5,
    static_22=0.6,
    tokens=1.6,
    tokens_rare=0.8,
    tokens_2=1.7,
    tokens_2_rare=1.1,
    tokens_5_rare=2.7,
    tokens_next=0.8,
    words_of_lists=1.0,
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """All that shapes an order and can be set; `read_turns` are the weights where a model has read the turns."""

    fusion: FusionWeights = field(default_factory=FusionWeights)
    turns: TurnWeights = field(default_factory=TurnWeights)
    read_turns: TurnWeights = MINILM_TURNS
