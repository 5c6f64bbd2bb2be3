"""token_basis: makes the basis that MiniLM's token vectors are kept in, `python -m memtree.tools.bench.token_basis FILE`.

Texts of our own, made below, are read with the model; the basis are the 64 directions in which the vectors of their tokens lie
most: the first eigenvectors of the tokens' second moments (principal components without taking the mean out: products are kept). It
is written as float16, 384 rows of 64, and its SHA-256 is printed: `indexers/minilm_model.py` names both. The same model and texts
give the same directions, but another processor may round the last bit elsewhere: the file is made once and comes with memtree.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

from memtree.indexers.everyday import ENGLISH
from memtree.indexers.minilm_model import BASIS_WIDTH, MiniLmEmbedder

_TEXTS = 1_500
_SEED = 64
_CLAUSES = 3  # at most in a text

_NAMES = "Ada|Bob|Carol|Dave|Emma|Frank|Grace|Henry|Irene|Jack|Kate|Leo|Maria|Nora|Oscar|Paula|Quentin|Rosa|Sam|Tina"
_PLACES = """
Lisbon|Kyoto|the coast|the mountains|Norway|the city centre|my hometown|the nature reserve|Chicago|a small village|the lake|Berlin
the museum|the library|the town hall|the sports club|the harbour|the clinic|school|the office|the workshop|the market|the opera
"""
_THINGS = """
cello lessons|a triathlon|woodworking|the orchard|my thesis|beekeeping|two parrots|an old tractor|a sailing trip|the cheese stall
a crime novel|calligraphy|a job interview|the tax return|the choir|a retirement party|bridge|the new kitchen|fencing|a podcast
the relay race|my cousin's graduation|a sprained ankle|dental surgery|the sewing machine|a scholarship|volunteering|a train journey
baking without sugar|the quiz night|handball practice|the history of Rome|a lost suitcase|the bike lane|tai chi|a spelling contest
the mortgage|a food truck|a language course|a planetarium visit|a donkey|the theatre tickets|a stage play|the pumpkins|a microscope
the boiler|bird watching|the carnival|a parking fine|the fish pond|a patent|the town council|crochet|a comic strip|rowing
"""
_FEELINGS = """
proud|nervous|relieved|excited|exhausted|grateful|sad|inspired|lonely|calm|worried|happy|angry|surprised|overwhelmed|hopeful
"""
_TIMES = """
last weekend|yesterday|two weeks ago|next month|on Friday|in May 2021|this morning|for three years|since the summer|tomorrow
last Tuesday|in the evening|every Sunday|the week before Christmas|on 14 August|tonight|when I was ten|at the end of the year
"""
_PEOPLE = """
my daughter|my brother|our neighbours|a colleague|my best friend|my parents|the kids|my husband|my aunt|an old teacher|my coach
"""
_FRAMES = (
    "{name}: I started {thing} {time}, and I am so {feeling}!",
    "Wow, {name}, that sounds great. How did you get into {thing}?",
    "{name}\nWe went to {place} {time} with {people}.",
    "That must have been hard. What helped you when you felt {feeling}?",
    "It's been {number} years since {people} moved to {place}.",
    "{name}: Thanks! I took this picture at {place}, it reminds me of {thing}.",
    "Did {people} like {thing}, or was it too much?",
    "I've been thinking about {thing} lately, it makes me {feeling}.",
    "{people} gave me {thing} as a gift {time}.",
    "When did {name} go to {place}?",
    "What does {name} do to feel {feeling}?",
    "How many times has {name} been to {place} {time}?",
    "What kind of books, music or food does {name} enjoy with {people}?",
    "Which hobbies do {name} and {other} both have besides {thing}?",
    "Why did {name} decide to give up {thing}?",
    "Would {name} rather live near {place} or stay with {people}?",
    "{name}\nNot yet, but I applied for {thing} {time}. Fingers crossed!",
    "Congrats, {name}! You worked so hard for {thing}.",
    "I painted it {time} after a walk around {place}.",
    "We raised {number} dollars for {thing}, can you believe it?",
    "My car broke down on the way to {place}, so I missed {thing}.",
    "{name}: Yeah, being with {people} keeps me {feeling}.",
    "The doctor said that I should rest {time} and avoid {thing}.",
    "I'd love to join you at {place}. What should I bring for {thing}?",
    "{people} lost a job {time}, we try to help where we can.",
    "I read a book about {thing} that changed how I see {people}.",
    "We decided to move the meeting about {thing} to {time}.",
    "The report on {thing} is due {time}; {name} writes it, {other} checks it.",
    "Please remember that I prefer short answers and no {thing}.",
    "The server at {place} failed {time}, and {name} restored it from a backup.",
    "Our budget for {thing} is {number} euros a month.",
    "{name} has {number} children, and {other} has a dog called Biscuit.",
)


def texts() -> Iterator[str]:
    """What people say to each other and ask of it later, put together by chance from a fixed seed; then everyday sentences."""
    random = Random(_SEED)
    lists = {"name": _NAMES, "place": _PLACES, "thing": _THINGS, "feeling": _FEELINGS, "time": _TIMES, "people": _PEOPLE}
    words = {name: [one for line in text.split("\n") for one in line.split("|") if one] for name, text in lists.items()}
    for _ in range(_TEXTS):
        clauses = []
        for frame in random.sample(_FRAMES, random.randint(1, _CLAUSES)):
            chosen = {kind: random.choice(some) for kind, some in words.items()}
            clauses.append(frame.format(other=random.choice(words["name"]), number=random.randint(2, 90), **chosen))
        yield " ".join(clauses)
    yield from ENGLISH


def basis(embedder: MiniLmEmbedder) -> bytes:
    """The directions, as the bytes of a file."""
    moments = np.zeros((embedder.dimensions, embedder.dimensions))
    for text in texts():
        tokens = embedder.token_vectors(text).astype(np.float64)
        moments += tokens.T @ tokens
    _, directions = np.linalg.eigh(moments)
    first = directions[:, ::-1][:, :BASIS_WIDTH]
    # An eigenvector may point either way: the largest number is made positive.
    signs = np.sign(first[np.abs(first).argmax(axis=0), np.arange(BASIS_WIDTH)])
    data: bytes = (first * signs).astype("<f2").tobytes()
    return data


def main() -> None:
    data = basis(MiniLmEmbedder())
    Path(sys.argv[1]).write_bytes(data)
    print(hashlib.sha256(data).hexdigest())


if __name__ == "__main__":
    main()
