"""Derived files: recaps, summaries and facts. One text stands: a person's before a model's before an extraction's.

Of two of a kind the hash of the text decides; only two persons' texts are merged. The front matter is merged key by key, but what
describes the text, or was written with it on both sides, goes with the text that stands. What a fact says of its state is one
value, too: of two states the more final one stands, with what superseded it and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter

from memtree.engine.merge.fact_state import one_state
from memtree.engine.merge.front_matter import RULES, KeyRule, earlier, later, merge_header
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


@dataclass(frozen=True, slots=True)
class _Form:
    """How the front matter of one kind of file is merged: `of_the_text` are the keys that go with the text that stands."""

    rules: Mapping[str, KeyRule] = field(default_factory=dict)
    of_the_text: frozenset[str] = _OF_THE_TEXT
    has_state: bool = False

    def all_rules(self) -> Mapping[str, KeyRule]:
        return {**RULES, **self.rules}


_DERIVED = _Form()
_FACT = _Form(
    {"invalid_at": earlier, "created_at": earlier, "expired_at": earlier, "told_at": later},
    _OF_THE_TEXT | {"temporal"},
    has_state=True,
)


def merge_generated(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of recaps and of the summary tree."""
    return _content(path, base, ours, theirs, _DERIVED)


def merge_fact(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of facts: of two states the more final one, of two ends of validity the earlier one."""
    return _content(path, base, ours, theirs, _FACT)


def _content(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes, form: _Form) -> Content:
    same = one_text(base, ours, theirs)
    if same is not None:
        return Content(same)
    levelled = level(base, ours, theirs)
    old = None if levelled.base is None else Document.parse(levelled.base)
    sides = [Document.parse(side) for side in (levelled.ours, levelled.theirs)]
    (best, winner), (other, loser) = sorted(((_standing(old, side), side) for side in sides), key=itemgetter(0), reverse=True)
    if best[:2] == other[:2] == (True, Author.PERSON):
        merged = merge_prose(path, *_agreed(old, winner, loser, form))
        return replace(merged, data=levelled.written(merged.data))
    forgetting = the_forgetting_side(levelled.base, levelled.ours, levelled.theirs)
    if forgetting is not None:
        return replace(forgetting, data=levelled.written(forgetting.data))
    header = None if old is None and not form.has_state else _merge_headers(old, winner, loser, form)
    return Content(levelled.written((_front(winner) if header is None else header) + winner.body_bytes()))


def _agreed(base: Document | None, one: Document, two: Document, form: _Form) -> tuple[bytes | None, bytes, bytes]:
    """The files with the same line under every key that both changed and that a rule decides, and with one state."""
    fronts = (HeaderKeys() if base is None else read_keys(_front(base)), read_keys(_front(one)), read_keys(_front(two)))
    old, first, second = fronts
    if old is None or first is None or second is None:
        return None if base is None else base.data, one.data, two.data
    if form.has_state:
        old, first, second = one_state(old, first, second)
    known, mine, other = old.by_name(), first.by_name(), second.by_name()
    chosen = {
        name: line
        for name in form.rules.keys() & mine.keys() & other.keys()
        if (name not in known or known[name].text not in (mine[name].text, other[name].text))
        and (line := form.rules[name](*sorted((mine[name].text, other[name].text)))) is not None
    }

    def decided(front: HeaderKeys) -> bytes:
        return replace(front, keys=tuple(replace(key, text=chosen.get(key.name, key.text)) for key in front.keys)).render()

    before = None if base is None else old.render() + base.body_bytes()
    return before, decided(first) + one.body_bytes(), decided(second) + two.body_bytes()


def _standing(base: Document | None, side: Document) -> tuple[bool, Author, str, bytes]:
    """What decides whose text stands: who changed it at all, who wrote it, and then only what it is."""
    return base is None or not _same_text(base, side), author_of(side), body_hash(side.body_bytes()), side.data


def _same_text(one: Document, two: Document) -> bool:
    if one.body_bytes() != two.body_bytes():
        return False
    return one.front_matter().text(GENERATOR) == two.front_matter().text(GENERATOR)


def _front(document: Document) -> bytes:
    return document.data[: document.body.start]


def _merge_headers(base: Document | None, winner: Document, loser: Document, form: _Form) -> bytes | None:
    """The front matter, in which the loser gives way; None where it cannot be taken apart."""
    rules = form.all_rules()
    old = HeaderKeys() if base is None else read_keys(_front(base))
    first, second = (read_keys(_front(each)) for each in (winner, loser))
    if old is None or first is None or second is None:
        return None
    if form.has_state:
        old, first, second = one_state(old, first, second)
    before = old.render() if old.opening else None
    if _same_text(winner, loser):
        return merge_header(before, first.render(), second.render(), rules=rules).data
    old, second = (
        replace(each, keys=tuple(key for key in each.keys if key.name not in form.of_the_text)) for each in (old, second)
    )
    was, standing = old.by_name(), first.by_name()
    keys = tuple(_yielding(key, was.get(key.name), standing.get(key.name), rules) for key in second.keys)
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
