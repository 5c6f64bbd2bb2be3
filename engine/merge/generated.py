"""Derived files: recaps, summaries and facts. One text stands: a person's before a model's before an extraction's.

Of two of a kind the hash of the text decides; only two persons' texts are merged. The front matter is merged key by key, but what
describes the text, or was written with it on both sides, goes with the text that stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter

from memtree.engine.merge.front_matter import RULES, KeyRule, earlier, merge_header, word_of
from memtree.engine.merge.header_keys import HeaderKey, HeaderKeys, read_keys
from memtree.engine.merge.header_lists import read_list
from memtree.engine.merge.keep_both import the_forgetting_side
from memtree.engine.merge.line_ends import level, one_text
from memtree.engine.merge.outcome import Content
from memtree.engine.merge.prose import merge_prose
from memtree.tree.document import Document
from memtree.tree.generated import GENERATOR, HASH, Author, author_of, body_hash
from memtree.tree.paths import RepoPath

_OF_THE_TEXT = frozenset({GENERATOR, HASH, "refresh", "summary_tokens"})
_STATES = (b"active", b"superseded", b"retracted")


def merge_generated(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of recaps and of the summary tree."""
    return _content(path, base, ours, theirs, {})


def merge_fact(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of facts: of two states the more final one, of two ends of validity the earlier one."""
    return _content(path, base, ours, theirs, {"state": _more_final, "invalid_at": earlier, "created_at": earlier})


def _content(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes, rules: Mapping[str, KeyRule]) -> Content:
    same = one_text(base, ours, theirs)
    if same is not None:
        return Content(same)
    levelled = level(base, ours, theirs)
    old = None if levelled.base is None else Document.parse(levelled.base)
    sides = [Document.parse(side) for side in (levelled.ours, levelled.theirs)]
    (best, winner), (other, loser) = sorted(((_standing(old, side), side) for side in sides), key=itemgetter(0), reverse=True)
    if best[:2] == other[:2] == (True, Author.PERSON):
        merged = merge_prose(path, levelled.base, *_agreed(old, winner, loser, rules))
        return replace(merged, data=levelled.written(merged.data))
    forgetting = the_forgetting_side(levelled.base, levelled.ours, levelled.theirs)
    if forgetting is not None:
        return replace(forgetting, data=levelled.written(forgetting.data))
    header = None if old is None else _merge_headers(old, winner, loser, {**RULES, **rules})
    return Content(levelled.written((_front(winner) if header is None else header) + winner.body_bytes()))


def _agreed(base: Document | None, one: Document, two: Document, rules: Mapping[str, KeyRule]) -> tuple[bytes, bytes]:
    """Both files with the same line under every key that both changed and that a rule decides."""
    fronts = (HeaderKeys() if base is None else read_keys(_front(base)), read_keys(_front(one)), read_keys(_front(two)))
    old, first, second = fronts
    if old is None or first is None or second is None:
        return one.data, two.data
    known, mine, other = old.by_name(), first.by_name(), second.by_name()
    chosen = {
        name: line
        for name in rules.keys() & mine.keys() & other.keys()
        if (name not in known or known[name].text not in (mine[name].text, other[name].text))
        and (line := rules[name](*sorted((mine[name].text, other[name].text)))) is not None
    }

    def decided(front: HeaderKeys) -> bytes:
        return replace(front, keys=tuple(replace(key, text=chosen.get(key.name, key.text)) for key in front.keys)).render()

    return decided(first) + one.body_bytes(), decided(second) + two.body_bytes()


def _standing(base: Document | None, side: Document) -> tuple[bool, Author, str, bytes]:
    """What decides whose text stands: who changed it at all, who wrote it, and then only what it is."""
    return base is None or not _same_text(base, side), author_of(side), body_hash(side.body_bytes()), side.data


def _same_text(one: Document, two: Document) -> bool:
    if one.body_bytes() != two.body_bytes():
        return False
    return one.front_matter().text(GENERATOR) == two.front_matter().text(GENERATOR)


def _front(document: Document) -> bytes:
    return document.data[: document.body.start]


def _merge_headers(base: Document, winner: Document, loser: Document, rules: Mapping[str, KeyRule]) -> bytes | None:
    """The front matter, in which the loser gives way; None where it cannot be taken apart."""
    old, first, second = (read_keys(_front(each)) for each in (base, winner, loser))
    if old is None or first is None or second is None:
        return None
    if _same_text(winner, loser):
        return merge_header(old.render(), first.render(), second.render(), rules=rules).data
    old, second = (replace(each, keys=tuple(key for key in each.keys if key.name not in _OF_THE_TEXT)) for each in (old, second))
    before, standing = old.by_name(), first.by_name()
    keys = tuple(_yielding(key, before.get(key.name), standing.get(key.name), rules) for key in second.keys)
    return merge_header(
        old.render() if old.opening else None, first.render(), replace(second, keys=keys).render(), rules=rules
    ).data


def _yielding(key: HeaderKey, old: HeaderKey | None, standing: HeaderKey | None, rules: Mapping[str, KeyRule]) -> HeaderKey:
    """The loser's key, which says what the winner's says where both changed it and nothing else decides."""
    if standing is None or (old is not None and old.text in (key.text, standing.text)):
        return key
    rule = rules.get(key.name)
    if rule is not None and rule(*sorted((key.text, standing.text))) is not None:
        return key
    return key if read_list(key.text) and read_list(standing.text) else replace(key, text=standing.text)


def _more_final(one: bytes, two: bytes) -> bytes | None:
    words = [word_of(text) for text in (one, two)]
    if not all(word in _STATES for word in words):
        return None
    return max((one, two), key=lambda text: (_STATES.index(word_of(text)), text))
