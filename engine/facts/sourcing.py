"""Sourcing: the turns that a statement rests on. The numbers that a model names are checked; without any, words decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memtree.engine.facts.candidate import Candidate, Said
from memtree.engine.facts.support import alike, least, named, roots, telling, with_answers, with_questions


def sourced(candidates: Sequence[Candidate], said: Sequence[Said]) -> tuple[Candidate, ...]:
    """The candidates with the turns that they rest on, at most six in their order, none where no turn is near enough.

    `observed` becomes the time of the newest of them. A short answer brings the turn that it answers.
    """
    return tuple(_sourced(one, said) for one in candidates)


def _sourced(candidate: Candidate, said: Sequence[Said]) -> Candidate:
    chosen = named(candidate, said) or _found(candidate.text, said)
    if not telling(candidate.text) <= _words(chosen):  # else they say it all by themselves, and answer nothing
        chosen = with_questions(chosen, said)
    times = [one.timestamp for one in chosen if one.timestamp is not None]
    return replace(
        candidate,
        sources=tuple(dict.fromkeys(one.source for one in chosen)),
        seqs=tuple(dict.fromkeys(one.seq for one in chosen)),
        observed=max(times, default=None),
    )


def _found(text: str, said: Sequence[Said]) -> list[Said]:
    """The turns by words; where none has enough of them, an answer with what it answers that have them together."""
    chosen = alike(text, said)
    if chosen:
        return with_answers(text, chosen, said)
    words = telling(text)
    pairs = [pair for one in said if len(pair := with_questions([one], said)) == 2]
    best = max(pairs, key=lambda pair: len(words & (roots(pair[0].text) | roots(pair[1].text))), default=[])
    return best if best and len(words & _words(best)) >= least(len(words)) else []


def _words(turns: Sequence[Said]) -> frozenset[str]:
    return frozenset[str]().union(*(roots(one.text) for one in turns))
