"""RecapText: a segment told in sentences that were said in it, for want of a model that could tell it in its own.

What the user says first is told, because it says what this is about, and what is said last. Between them, in their order and each
with its speaker, stand the sentences that are nearest to the middle of all and say something that the others do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memtree.tree.agent_turn import USER
from memtree.tree.prose import prose_of
from memtree.tree.segments import Message, Segment
from memtree.tree.sentences import sentences
from memtree.tree.token_count import count_tokens

if TYPE_CHECKING:  # numpy comes with it
    from memtree.indexers.embedder import Embedder

CANDIDATES = 60  # sentences that are looked at, at most
_LEAST, _PER_TURN = 10, 4
TOKENS = 2_000  # of the whole recap
_FEWEST, _MOST = 3, 12  # sentences of a recap
_CHARACTERS = 220  # for each of them, on average

_LONGEST = 300  # characters of a sentence
_WORDS, _PAIRS = 3, 6  # telling words of a sentence, or pairs of characters in scripts without spaces
_READ = 300  # characters of a message that are looked at for each sentence that may be taken of it
_NAME = 60

_LABELS = {False: ("User", "Agent", ": "), True: ("用户", "助手", "：")}
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
# What would make of a paragraph another thing than a paragraph.
_BLOCK_ID = re.compile(r"\s\^(?=[A-Za-z0-9-]+\s*\Z)")
_MARK = re.compile(r"\A\s*(?:(?:#{1,6}|[-*+>|=_]|\d{1,9}[.)]|:)(?=[\s>#|]|\Z)\s*)+")
_OPENS = re.compile(r"<!--|-->|%%|\$\$|```|~~~")
_IN_NAME = re.compile(r"[^\w .'’()-]+")

_Item = TypeVar("_Item")


class Said(NamedTuple):
    """A sentence, and the message that it comes from."""

    message: Message
    text: str


def extractive_recap(segment: Segment, embedder: Embedder | None) -> str:
    """The prose: a paragraph a speaker, in the language of the segment, within 2,000 tokens; '' when nothing was said in words.

    May raise what the embedder raises.
    """
    said = candidates(segment)
    if not said:
        return ""
    from memtree.indexers.everyday import is_chinese
    from memtree.indexers.extractive import central_sentences

    texts = [one.text for one in said]
    count = max(_FEWEST, min(_MOST, 2 + len(segment.turns)))
    characters = count * _CHARACTERS
    first = next((at for at, one in enumerate(said) if one.message.role == USER), 0)
    ends = [first, len(said) - 1]
    chosen = central_sentences(texts, embedder, count=count, characters=characters, always=ends)
    return _within(_paragraphs([said[at] for at in chosen], chinese=is_chinese("".join(texts))))


def candidates(segment: Segment) -> list[Said]:
    """The sentences that a recap may be made of, at most CANDIDATES, each once, from all over the segment.

    Small talk only where there is nothing else.
    """
    most = min(CANDIDATES, _LEAST + _PER_TURN * len(segment.turns))
    messages = spread([message for message in segment.messages if message.text.strip()], most)
    if not messages:
        return []
    each = max(2, most // len(messages))
    found: dict[str, Said] = {}
    for message in messages:
        for text in _ends_of(_sentences(message.text, each * _READ), each):
            if said := one_sentence(text):
                found.setdefault(said.casefold(), Said(message, said))
    telling = [one for one in found.values() if tells_something(one.text)]
    return spread(telling or list(found.values()), most)


def tells_something(text: str) -> bool:
    """Whether a sentence has words enough that tell what it is about."""
    from memtree.indexers.relevance import telling_words
    from memtree.indexers.tokens import fold, pairs

    return len(set(telling_words(text))) >= _WORDS or len(pairs(fold(text))) >= _PAIRS


def _sentences(text: str, most: int) -> list[str]:
    """The sentences of a message; of a long one those in so many characters at its beginning and half as many at its end."""
    if len(text) <= most + most // 2:
        return _said(text)
    # The end begins with a whole line, or at least with a whole sentence.
    _, line, end = text[-most // 2 :].partition("\n")
    return [*_said(text[:most]), *(_said(end) if line else _said(text[-most // 2 :])[1:])]


def _said(text: str) -> list[str]:
    prose = prose_of(text)
    return sentences(prose) or sorted(prose.split("\n"), key=lambda line: not any(map(str.isalnum, line)))[:1]


def _ends_of(texts: list[str], most: int) -> list[str]:
    # An answer begins with what it is about and ends with what came of it.
    return texts if len(texts) <= most else [*texts[: most - most // 2], *texts[-(most // 2) :]]


def spread(items: list[_Item], most: int) -> list[_Item]:
    """So many of the items, evenly from all of them, the first and the last among them."""
    if len(items) <= most:
        return items
    return [items[round(at * (len(items) - 1) / (most - 1))] for at in range(most)]


def one_sentence(text: str) -> str:
    """A sentence on one line, cut at a word."""
    line = _one_line(text)
    if len(line) <= _LONGEST:
        return line
    head = line[:_LONGEST]
    at = head.rfind(" ", _LONGEST // 2)
    return head[: at if at > 0 else _LONGEST].rstrip(" ,;:，；：") + "…"


def harmless(text: str) -> str:
    """The text as paragraphs and nothing else: no heading, list or quotation begins in it, no comment, no code, no block id."""
    paragraphs = (_one_line(paragraph) for paragraph in re.split(r"\n[ \t]*\n", text.replace("\r", "\n")))
    return "\n\n".join(filter(None, paragraphs))


def _one_line(text: str) -> str:
    line = " ".join(_MARK.sub("", one) for one in _OPENS.sub(" ", text).split("\n"))
    return _BLOCK_ID.sub(" ", _MARK.sub("", " ".join(line.split()))).strip()


def speaker_of(message: Message, *, chinese: bool = False) -> str:
    """Who says a message: a name where it has one, else whether that is the user."""
    user, agent, _ = _LABELS[chinese]
    name = " ".join(_IN_NAME.sub(" ", message.speaker).split())[:_NAME].strip()
    return name or (user if message.role == USER else agent)


def _paragraphs(said: Sequence[Said], *, chinese: bool) -> Iterator[str]:
    """A paragraph for each time that somebody else speaks."""
    colon = _LABELS[chinese][2]
    for speaker, of_one in groupby(said, key=lambda one: speaker_of(one.message, chinese=chinese)):
        texts = [one.text for one in of_one]
        yield f"{speaker}{colon}" + "".join(joined(texts))


def joined(texts: Sequence[str]) -> Iterator[str]:
    """Sentences as the pieces of a paragraph: each with an end, and with a blank behind it where its script has those."""
    for at, text in enumerate(texts):
        ended = text[-1] in ".!?…。！？;；:：\"'”’»」』)）]`"
        wide = _WIDE.search(text[-2:]) is not None or text[-1] in "。！？；：」』）"
        last = at == len(texts) - 1
        yield text if ended else text + ("。" if wide else ".")
        if not last and not wide:
            yield " "


def _within(paragraphs: Iterator[str]) -> str:
    """As many whole paragraphs as fit."""
    found, left = [], float(TOKENS)
    for paragraph in paragraphs:
        left -= count_tokens(f"{paragraph}\n\n".encode("utf-8", "replace"))
        if left < 0:
            break
        found.append(paragraph)
    return "\n\n".join(found)
