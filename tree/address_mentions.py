"""Address mentions: what is written to be reached: URLs, mail addresses, handles, hashtags and wikilinks.

Every pattern begins at a mark (`://`, `@`, `#`, `[[`) and reads a bounded stretch on either side of it, so a text costs what its
length costs, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtree.tree.code_places import Place

# Letters of scripts that put spaces between words. Chinese beside an address is no part of it.
WORD = "A-Za-z0-9\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u052f"
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CHINESE_MARKS = "\u2018-\u201d\u2026\u3000-\u3003\u3008-\u3011\u3014-\u301b\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\uff5e"
_KANA_HANGUL = "\u3040-\u30ff\uac00-\ud7af"

_SCHEME = re.compile(rf"(?<![{WORD}_])[hH][tT][tT][pP][sS]?\Z")
_URL = re.compile(rf"://[^\s\0-\x20\x7f<>\"`{{}}|\\^{_CHINESE_MARKS}]++")
# `wiki/北京` is an address, in `org/a这个` a sentence goes on.
_RUN_ON = re.compile(f"(?<=[A-Za-z0-9])[{HAN}{_KANA_HANGUL}]")
_TRAILING = frozenset(".,;:!?'*_~\u2019")
_BRACKETS = {")": "(", "]": "["}
_HOST = re.compile(r"[A-Za-z]{4,5}://[^/?#]*")

_LONGEST_LOCAL = 64
_NOT_BEFORE_AT = ("", " ", "\n", "@", "(")  # what nearly every @ stands behind that belongs to no address
_LOCAL = re.compile(rf"[{WORD}_+%](?:[{WORD}_.+%'-]{{0,62}}[{WORD}_+%-])?")  # read backwards
_DOMAIN = re.compile(
    rf"(?:[{WORD}](?:[{WORD}-]{{0,61}}[{WORD}])?\.){{1,8}}(?:xn--[A-Za-z0-9-]{{2,40}}|[A-Za-z\u00df-\u024f\u0370-\u052f]{{2,24}})"
    rf"(?![{WORD}_@]|:[{WORD}~/])"
)
_IMAGE = re.compile(r"[0-9]+x\.[a-z0-9]{2,4}", re.IGNORECASE)  # icon@2x.png

# The mark stands first in each pattern, because a search for one character is quicker than a look behind at every place.
_BEFORE_HANDLE = rf"@(?<![^\s(\[{{<\"'*_~>|,;:/、，。；：！？（【「《“‘{HAN}]@)(?<![{WORD}][_/]@)"
_HANDLE = re.compile(rf"{_BEFORE_HANDLE}([A-Za-z_][A-Za-z0-9_.-]{{1,38}})(?![{WORD}_@/(-])(?!\.[{WORD}])")
_FEDERATED = re.compile(rf"{_BEFORE_HANDLE}[A-Za-z0-9_][A-Za-z0-9_.-]{{0,62}}\Z")
_HAN_HANDLE = re.compile(rf"@(?<![{WORD}_@]@)([{HAN}]{{2,4}}(?:[A-Za-z0-9_]{{1,16}})?)(?=[\s,，:：、]|\Z)")
_NUMBERED = re.compile(r"#[0-9]{4}(?![\w#-])")
_NUMBERED_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]{0,30}[A-Za-z]")  # read backwards
_COMMIT = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,40}")
_EVERYBODY = frozenset({"all", "channel", "everyone", "here", "me", "media", "import", "param", "return", "returns", "override"})

_HASHTAG = re.compile(rf"#(?<![{WORD}_/&#]#)(?<!\]\(#)(?<!\[\[#)([^\W\d_][\w/-]{{1,99}})(?![\w/-])(?!\()")
_CLOSED_HASHTAG = re.compile(rf"#([^\s#\W\d_](?:[\w·-]{{0,28}}[{HAN}]|[{HAN}])[\w·-]{{0,20}})#(?![A-Za-z0-9_#])")
_COLOUR = re.compile(r"(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
_DIRECTIVES = frozenset({"include", "define", "undef", "ifdef", "ifndef", "elif", "endif", "pragma", "region", "endregion"})

_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]{1,300}+)(?:#[^\[\]|\n]{0,300}+)?(?:\|([^\[\]\n]{0,300}+))?\]\]")


class Link(NamedTuple):
    """A wikilink: what it leads to, what is shown for it, and the whole of it with its brackets."""

    target: Place
    alias: Place | None
    whole: Place


def urls(text: str) -> Iterator[Place]:
    """Yield web addresses without the punctuation of the sentence around them."""
    if "://" not in text:
        return
    for found in _URL.finditer(text):
        scheme = _SCHEME.search(text, max(0, found.start() - 6), found.start())
        if scheme is None:
            continue
        run_on = _RUN_ON.search(text, found.start(), found.end())
        end = _trimmed(text, found.start(), run_on.start() if run_on else found.end())
        host = _HOST.match(text, scheme.start(), end)
        if host is not None and text[host.end() - 1] not in "/:.":
            yield Place(scheme.start(), end)


def _trimmed(text: str, start: int, end: int) -> int:
    """Where an address ends that a sentence may go on behind: one pass, counting brackets."""
    open_count = {mark: text.count(mark, start, end) for mark in "()[]"}
    while end > start:
        last = text[end - 1]
        if last in _BRACKETS:
            if open_count[last] <= open_count[_BRACKETS[last]]:
                break
            open_count[last] -= 1
        elif last in "([":
            open_count[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return end


def has_password(address: str) -> bool:
    """Whether an address names a user with a password: that is no name of anything, and nothing to remember."""
    host = _HOST.match(address)
    user, at, _ = host[0].partition("://")[2].rpartition("@") if host else ("", "", "")
    return bool(at) and ":" in user


def emails(text: str) -> Iterator[Place]:
    """Yield mail addresses; `git@host:folder` and `icon@2x.png` are none, `@ada@host` is a handle."""
    if "@" not in text:
        return
    at = text.find("@")
    while at >= 0:
        domain = _DOMAIN.match(text, at + 1) if text[at - 1 : at] not in _NOT_BEFORE_AT else None
        if domain is not None and not _IMAGE.fullmatch(domain[0]):
            low = max(0, at - _LONGEST_LOCAL)
            local = _LOCAL.match(text[low:at][::-1])
            if local is not None and text[max(0, at - local.end() - 1) : at - local.end()] != "@":
                yield Place(at - local.end(), domain.end())
        at = text.find("@", at + 1)


def handles(text: str) -> Iterator[Place]:
    """Yield handles: `@ada`, `@ada@example.social`, `ada#1234`."""
    if "@" in text:
        for found in _HANDLE.finditer(text):
            name = found[1].rstrip(".-")
            if len(name) > 1 and name.casefold() not in _EVERYBODY and _COMMIT.fullmatch(name) is None:
                yield Place(found.start(), found.start(1) + len(name))
        for found in _HAN_HANDLE.finditer(text):
            yield Place(found.start(), found.end())
        yield from _federated(text)
    if "#" in text:
        for found in _NUMBERED.finditer(text):
            low = max(0, found.start() - 33)
            name = _NUMBERED_NAME.match(text[low : found.start()][::-1])
            before = text[found.start() - name.end() - 1 : found.start() - name.end()] if name else "/"
            if name is not None and not re.match(rf"[{WORD}_./#@-]", before):
                yield Place(found.start() - name.end(), found.end())


def _federated(text: str) -> Iterator[Place]:
    at = text.find("@")
    while at >= 0:
        domain = _DOMAIN.match(text, at + 1) if text[at - 1 : at] not in _NOT_BEFORE_AT else None
        if domain is not None:
            low = max(0, at - _LONGEST_LOCAL - 1)
            name = re.search(_FEDERATED, text[low:at])
            if name is not None:
                yield Place(low + name.start(), domain.end())
        at = text.find("@", at + 1)


def hashtags(text: str) -> Iterator[Place]:
    """Yield tags that begin with a letter; no colours, no directives of C, no links to a heading."""
    if "#" not in text:
        return
    closed = {found.end() - 1: Place(found.start(), found.end(1)) for found in _CLOSED_HASHTAG.finditer(text)}
    yield from closed.values()
    for found in _HASHTAG.finditer(text):
        tag = found[1].rstrip("-/")
        if found.start() not in closed and len(tag) > 1 and not _is_colour(tag) and tag not in _DIRECTIVES:
            yield Place(found.start(), found.start(1) + len(tag))


def _is_colour(tag: str) -> bool:
    return _COLOUR.fullmatch(tag) is not None and (any(char.isdigit() for char in tag) or len(set(tag.casefold())) < 3)


def wikilinks(text: str) -> Iterator[Link]:
    """Yield wikilinks; the ending `.md` and the heading are no part of a target."""
    if "[[" not in text:
        return
    for found in _WIKILINK.finditer(text):
        start, end = found.span(1)
        target = found[1].rstrip("\\ \t")
        end = start + len(target) - (3 if target[-3:].casefold() == ".md" and len(target) > 3 else 0)
        start += len(target) - len(target.lstrip())
        if start < end:
            alias = Place(*found.span(2)) if found[2] and found[2].strip() else None
            yield Link(Place(start, end), alias, Place(found.start(), found.end()))
