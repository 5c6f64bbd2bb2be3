"""Telling: what the children of a node say, in sentences of their own, for want of a model that could tell it in its own.

Each child is looked at by itself first, so that none drowns in another; where there are few, each gets its share of the sentences,
and where there are many, those are taken that are nearest to the middle of all and say something that the others do not. By words
and not by meaning: so it is the same on every machine, whatever model that has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memtree.engine.closing.recap_text import harmless, joined, one_sentence, spread, tells_something
from memtree.tree.kinds import Kind
from memtree.tree.markdown_prose import prose_lines
from memtree.tree.sentences import sentences

SENTENCES = 24  # of a summary
CHARACTERS = 4_000
_LEAST = 400
_SHARE = 3  # a summary has a third of what is told at most
_FEW = 12  # children that each get their share
_READ = 40_000  # characters of a child
_CANDIDATES = 40  # sentences of one child
_OF_MANY = 2  # of each where there are many
_TITLE = 80  # characters
# Who says what follows, and when, as chats are written down.
_SPEAKER = re.compile(r"^\*\*[^*\n]{1,200}\*\*(?:[ \t]*\([^()\n]{1,60}\))?[ \t]*$", re.MULTILINE)
# A line of code, or a link with a few words before it: neither tells what a text is about.
_NO_PROSE = re.compile(r"\W*`[^`]+`\W*|[^<>`]{0,40}<?https?://[^\s<>]+>?\W*")
_MARKS = re.compile(r"[*_`\[\]<>#|\\]+")


class Told(NamedTuple):
    """A child's title ('' for none), and the sentences of it that may be told."""

    title: str
    texts: Sequence[str]


class _Taken(NamedTuple):
    """A sentence, and the number of the child that says it."""

    child: int
    text: str


def tell(children: Sequence[Told]) -> str:
    """A paragraph for each child that is told of, in their order; '' where none of them says anything in words."""
    said = [child.texts for child in children]
    size = sum(len(text) for texts in said for text in texts)
    characters = min(CHARACTERS, max(_LEAST, size // _SHARE))
    taken = _of_few(said, characters) if len(children) <= _FEW else _of_many(said, characters)
    paragraphs = []
    for number, child in enumerate(children):
        texts = [one.text for one in taken if one.child == number]
        if texts:
            paragraphs.append(_paragraph(child.title, texts))
    return "\n\n".join(paragraphs)


def plain_title(title: str) -> str:
    """A title as it may stand in a line."""
    return " ".join(harmless(_MARKS.sub(" ", title)).split())[:_TITLE].strip()


def _of_few(said: Sequence[Sequence[str]], characters: int) -> list[_Taken]:
    telling = sum(1 for texts in said if texts) or 1
    taken: list[_Taken] = []
    told: set[str] = set()
    for child, texts in enumerate(said):
        new = [text for text in texts if text.casefold() not in told]
        chosen = _central(new, max(1, SENTENCES // telling), max(characters // telling, _LEAST))
        told.update(text.casefold() for text in chosen)
        taken += [_Taken(child, text) for text in chosen]
    return taken


def _of_many(said: Sequence[Sequence[str]], characters: int) -> list[_Taken]:
    from memtree.indexers.extractive import central_sentences

    found: list[_Taken] = []
    seen: set[str] = set()
    for child, texts in enumerate(said):
        for text in _central(texts, _OF_MANY, CHARACTERS):
            if text.casefold() not in seen:
                seen.add(text.casefold())
                found.append(_Taken(child, text))
    chosen = central_sentences([one.text for one in found], None, count=SENTENCES, characters=characters)
    return [found[at] for at in chosen] or found[:1]


def _central(texts: Sequence[str], count: int, characters: int) -> list[str]:
    """The sentences that stand for a child: the first, which says what it is about, and those nearest to the middle of all."""
    from memtree.indexers.extractive import central_sentences

    if len(texts) <= count and sum(map(len, texts)) <= characters:
        return list(texts)
    chosen = central_sentences(texts, None, count=count, characters=characters, always=[0])
    return [texts[at] for at in chosen] or list(texts[:1])


def child_of(title: str, text: str, kind: Kind = Kind.NOTE) -> Told:
    """A child by its text without front matter: the sentences of it that say something, each once.

    Of a long one those at its beginning and at its end.
    """
    if len(text) > _READ:
        text = f"{text[: _READ * 2 // 3]}\n\n{text[-_READ // 3 :].partition(chr(10))[2]}"
    if kind is Kind.CHAT:
        text = _SPEAKER.sub("", text)
    own = title.casefold()
    found = dict.fromkeys(one for text in sentences(text) if (one := one_sentence(text)) and one.casefold() != own)
    telling = [one for one in found if tells_something(one)]
    telling = [one for one in telling if not _NO_PROSE.fullmatch(one)] or telling
    return Told(title, spread(telling or list(found)[:_OF_MANY] or _any_line(text), _CANDIDATES))


def _any_line(text: str) -> list[str]:
    return [one for line in prose_lines(text) if (one := one_sentence(line.text))][:1]


def _paragraph(title: str, texts: Iterable[str]) -> str:
    told = "".join(joined(list(texts)))
    shown = plain_title(title)
    return f"**{shown}**: {told}" if shown else told
