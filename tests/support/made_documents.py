"""Documents to try a merge on: one base that two or three authors change each in their way.

Every word that an author adds is in no other text, so that a loss shows.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from support.laws import told

_COMMON_WORDS = "the a of to and with notes plan tea river city week meeting report small blue old new first last next call"
_COMMON = tuple(_COMMON_WORDS.split())
_WORDS_IN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Part:
    """One block of a made document; `gap` is how many line ends follow it."""

    kind: str
    text: str
    gap: int = 2


@dataclass(frozen=True, slots=True)
class Made:
    """A made document. `keys` are the lines of its front matter."""

    parts: tuple[Part, ...] = ()
    keys: tuple[str, ...] = ()
    crlf: bool = False
    mark: bool = False
    last_newline: bool = True

    def render(self) -> bytes:
        text = "".join(["---\n", *(key + "\n" for key in self.keys), "---\n"]) if self.keys else ""
        for number, part in enumerate(self.parts):
            text += part.text
            if number + 1 < len(self.parts):
                both_items = part.kind == "item" == self.parts[number + 1].kind
                text += "\n" * (part.gap - 1 if both_items else part.gap)
            elif self.last_newline:
                text += "\n"
        data = text.encode()
        return (b"\xef\xbb\xbf" if self.mark else b"") + (data.replace(b"\n", b"\r\n") if self.crlf else data)


@dataclass(slots=True)
class Author:
    """Writes and changes documents. All its new words begin with its name; no two are the same."""

    name: str
    dice: random.Random
    entries: bool = False
    words: int = 0
    _kinds: list[str] = field(default_factory=list)

    def word(self) -> str:
        self.words += 1
        return f"{self.name}{self.words}"

    def phrase(self, most: int = 9) -> str:
        some = [self.word() if self.dice.random() < 0.5 else self.dice.choice(_COMMON) for _ in range(self.dice.randint(2, most))]
        return " ".join([*some, self.word()])

    def document(self, size: int, *, kinds: Sequence[str] = ()) -> Made:
        self._kinds = list(kinds) or list(_WRITERS)
        parts: list[Part] = []
        while len(parts) < size:
            kind = self.dice.choice(self._kinds)
            run = self.dice.randint(1, 4) if kind == "item" else 1
            parts += [self.part(kind) for _ in range(run)]
        keys = [f"title: {self.phrase(3)}", f"status: {self.word()}", f"tags: [{self.word()}, {self.word()}]"]
        with_keys = self.dice.random() < 0.25
        crlf, mark = self.dice.random() < 0.1, self.dice.random() < 0.05
        return Made(tuple(parts), tuple(keys) if with_keys else (), crlf, mark, self.dice.random() < 0.8)

    def part(self, kind: str) -> Part:
        return Part(kind, _WRITERS[kind](self), 2 if self.dice.random() < 0.9 else 3)

    def change(self, made: Made, times: int, *, repeats: bool = True, moves: bool = True) -> Made:
        for _ in range(times):
            steps = [_edit, _edit, _edit, _insert, _insert, _append, _delete, _rewrite, _grow, _resolve, _key, _ends]
            steps += [_move] * moves + [_repeat] * repeats
            made = self.dice.choice(steps)(self, made)
        return made


def _paragraph(author: Author) -> str:
    return "\n".join(author.phrase() for _ in range(author.dice.choice((1, 1, 1, 2, 3))))


def _item(author: Author) -> str:
    text = "- " + author.phrase(6)
    if author.entries and author.dice.random() < 0.5:
        return f"{text} ^m-{author.word()}"
    for _ in range(author.dice.choice((0, 0, 0, 1, 2))):
        text += "\n  - " + author.phrase(4)
    return text


def _table(author: Author) -> str:
    rows = "".join(f"\n| {author.word()} | {author.phrase(3)} |" for _ in range(author.dice.randint(1, 3)))
    return f"| {author.word()} | {author.word()} |\n| --- | --- |{rows}"


def _conflict(author: Author) -> str:
    number = f"{author.dice.getrandbits(32):08x}"
    return f"> [!conflict] c-{number}\n> > {author.phrase()}\n>\n> > {author.phrase()}"


_WRITERS: dict[str, Callable[[Author], str]] = {
    "paragraph": _paragraph,
    "text": _paragraph,
    "heading": lambda author: "#" * author.dice.randint(1, 3) + " " + author.phrase(4),
    "underlined": lambda author: author.phrase(4) + "\n" + author.dice.choice(("====", "----")),
    "item": _item,
    "more items": lambda author: "* " + author.phrase(5),
    "fence": lambda author: f"```text\n{author.phrase()}\n\n{author.phrase()}\n```",
    "table": _table,
    "quote": lambda author: f"> {author.phrase()}\n> {author.phrase()}",
    "callout": lambda author: f"> [!note] {author.phrase(3)}\n> {author.phrase()}",
    "conflict": _conflict,
    "footnote": lambda author: f"[^{author.word()}]: {author.phrase()}",
    "math": lambda author: f"$$\n{author.phrase(3)}\n$$",
    "html": lambda author: f"<div>\n{author.phrase(4)}\n</div>",
    "id": lambda author: f"^{author.word()}",
    "code": lambda author: f"    {author.phrase(3)}",
}
PLAIN_KINDS = ("paragraph", "heading", "item", "item", "fence", "table", "quote")


def forget(made: Made, dice: random.Random) -> tuple[Made, set[tuple[bytes, bytes]]]:
    """A document with one passage forgotten, a whole part or a few words of it, and what it told that is gone for good."""
    places = [
        n
        for n, part in enumerate(made.parts)
        if part.kind in ("paragraph", "item", "quote", "heading") and "[forgotten]" not in part.text
    ]
    if not places:
        return made, set()
    at = dice.choice(places)
    part = made.parts[at]
    first, _, rest = part.text.partition("\n")
    marks = re.match(r"[-># ]*", first)
    words = first[len(marks[0]) if marks else 0 :].split(" ")
    if rest or dice.random() < 0.5:
        text = (marks[0] if marks else "") + "[forgotten]"
    else:
        start = dice.randrange(len(words))
        end = dice.randint(start + 1, len(words))
        text = (marks[0] if marks else "") + " ".join([*words[:start], "[forgotten]", *words[end:]])
    return _changed(made, at, replace(part, text=text)), told(part.text.encode()) - told(text.encode())


def _changed(made: Made, at: int, part: Part) -> Made:
    return replace(made, parts=(*made.parts[:at], part, *made.parts[at + 1 :]))


def _pick(author: Author, made: Made) -> int:
    return author.dice.randrange(len(made.parts)) if made.parts else -1


def _edit(author: Author, made: Made) -> Made:
    """Replace, insert or delete a few words of one part."""
    at = _pick(author, made)
    if at < 0:
        return made
    part = made.parts[at]
    places = [match.span() for match in _WORDS_IN.finditer(part.text) if match[0] not in ("text", "note", "conflict", "div")]
    places = [(start, end) for start, end in places if part.text[start - 1 : start] not in ("-", "^")]
    if len(places) < 3:
        return made
    start, end = author.dice.choice(places)
    change = author.dice.random()
    if change < 0.5:
        text = part.text[:start] + author.word() + part.text[end:]
    elif change < 0.8:
        text = part.text[:start] + f"{author.phrase(2)} " + part.text[start:]
    else:
        text = part.text[:start] + part.text[end:].lstrip(" ")
    return _changed(made, at, replace(part, text=text))


def _insert(author: Author, made: Made) -> Made:
    at = author.dice.randint(0, len(made.parts))
    # Next to an item mostly another item is written.
    near = made.parts[at - 1].kind if at else ""
    kind = near if near == "item" and author.dice.random() < 0.7 else author.dice.choice(author._kinds or list(_WRITERS))
    return replace(made, parts=(*made.parts[:at], author.part(kind), *made.parts[at:]))


def _append(author: Author, made: Made) -> Made:
    kind = made.parts[-1].kind if made.parts and author.dice.random() < 0.5 else "paragraph"
    return replace(made, parts=(*made.parts, author.part(kind)))


def _delete(author: Author, made: Made) -> Made:
    at = _pick(author, made)
    return replace(made, parts=made.parts[:at] + made.parts[at + 1 :]) if at >= 0 else made


def _move(author: Author, made: Made) -> Made:
    at = _pick(author, made)
    if at < 0:
        return made
    rest = made.parts[:at] + made.parts[at + 1 :]
    to = author.dice.randint(0, len(rest))
    return replace(made, parts=(*rest[:to], made.parts[at], *rest[to:]))


def _repeat(author: Author, made: Made) -> Made:
    at = _pick(author, made)
    if at < 0 or made.parts[at].kind == "conflict" or "^m-" in made.parts[at].text:
        return made
    to = author.dice.randint(0, len(made.parts))
    return replace(made, parts=(*made.parts[:to], made.parts[at], *made.parts[to:]))


def _rewrite(author: Author, made: Made) -> Made:
    at = _pick(author, made)
    return _changed(made, at, author.part(made.parts[at].kind)) if at >= 0 else made


def _grow(author: Author, made: Made) -> Made:
    """Add a row to a table, a line inside an item."""
    places = [number for number, part in enumerate(made.parts) if part.kind in ("table", "item") and "^m-" not in part.text]
    if not places:
        return made
    at = author.dice.choice(places)
    part = made.parts[at]
    line = f"| {author.word()} | {author.phrase(3)} |" if part.kind == "table" else f"  - {author.phrase(4)}"
    return _changed(made, at, replace(part, text=f"{part.text}\n{line}"))


def _resolve(author: Author, made: Made) -> Made:
    """Delete one version of a conflict callout."""
    places = [number for number, part in enumerate(made.parts) if part.kind == "conflict" and "\n>\n" in part.text]
    if not places:
        return made
    at = author.dice.choice(places)
    first, _, rest = made.parts[at].text.partition("\n")
    kept = author.dice.choice(rest.split("\n>\n"))
    return _changed(made, at, replace(made.parts[at], text=f"{first}\n{kept}"))


def _key(author: Author, made: Made) -> Made:
    if not made.keys:
        return made
    at = author.dice.randrange(len(made.keys))
    name, _, value = made.keys[at].partition(": ")
    new = f"[{value[1:-1]}, {author.word()}]" if name == "tags" else author.phrase(3)
    return replace(made, keys=(*made.keys[:at], f"{name}: {new}", *made.keys[at + 1 :]))


def _ends(author: Author, made: Made) -> Made:
    chance = author.dice.random()
    if chance < 0.5:
        return replace(made, last_newline=not made.last_newline)
    return replace(made, crlf=not made.crlf) if chance < 0.65 else made


@dataclass(frozen=True, slots=True)
class Case:
    """A base and what each author made of it."""

    base: bytes
    sides: tuple[bytes, ...]


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    sides: int = 2,
    repeats: bool = True,
    moves: bool = True,
    entries: bool = False,
    kinds: Sequence[str] = (),
) -> Case:
    """Documents of up to twelve parts, up to five changes a side. All but the counts comes from one seed: quick to draw."""
    size = draw(st.integers(0, 12))
    changes = [draw(st.integers(0, 5)) for _ in range(sides)]
    seed = draw(st.integers(0, 2**48))
    author = Author("b", random.Random(seed), entries)
    made = author.document(size, kinds=kinds)
    found: list[bytes] = []
    for number, times in enumerate(changes):
        side = Author("xyz"[number], random.Random(seed + 1 + number), entries, _kinds=author._kinds)
        found.append(side.change(made, times, repeats=repeats, moves=moves).render())
    return Case(made.render(), tuple(found))


@st.composite
def forgetting_cases(draw: st.DrawFn, *, repeats: bool = True) -> tuple[Case, set[tuple[bytes, bytes]]]:
    """A first side that forgot up to three passages and changed other things, a second one that made up to two changes."""
    size, times, others, seed = (
        draw(st.integers(1, 8)),
        draw(st.integers(1, 3)),
        draw(st.integers(0, 2)),
        draw(st.integers(0, 2**48)),
    )
    author = Author("b", random.Random(seed))
    made = author.document(size, kinds=("paragraph", "item", "item", "heading", "quote", "table"))
    dice = random.Random(seed + 11)
    # Forgotten last: a stub that was edited away again would be an ordinary deletion.
    mine = Author("x", dice, _kinds=author._kinds).change(made, dice.randint(0, 2), repeats=False, moves=False)
    gone: set[tuple[bytes, bytes]] = set()
    for number in range(times):
        mine, words = forget(mine, random.Random(seed + 7 + number))
        gone |= words
    second = Author("y", random.Random(seed + 2), _kinds=author._kinds).change(made, others, repeats=repeats)
    return Case(made.render(), (mine.render(), second.render())), gone


_SOUP_TEXT = """a b;- x;  - y;* z;1. one;2) two;```;~~~;    code;---;===;# H;## K;> q;> [!note] t;> > v;>;<div>;<!--;-->;<script>
$$;%%;[^1]: f;^id;- e ^m-1;- f ^m-2;> [!conflict] c-01234567;key: v;...;   ;<?;<![CDATA[;<<<<<<< x;=======;>>>>>>> y;*;-;a  ;|a|b|
|-|-|;|1|2|;\tcode;\0"""
_SOUP = [*_SOUP_TEXT.replace("\n", ";").encode().split(b";"), b"", b"\\", b"\xff\xfe", b"\xef\xbb\xbf"]
_SOUP_LINES = st.tuples(st.sampled_from(_SOUP), st.sampled_from([b"\n"] * 8 + [b"\n\n", b"\r\n", b"\r"])).map(b"".join)


@st.composite
def soups(draw: st.DrawFn) -> Case:
    """Lines that mean something in markdown, in no order that a person would write; two sides that differ anywhere."""
    base = draw(st.lists(_SOUP_LINES, max_size=10))
    sides: list[bytes] = []
    for name in (b"x", b"y"):
        lines = list(base)
        for number in range(draw(st.integers(0, 3))):
            at = draw(st.integers(0, len(lines)))
            if draw(st.booleans()):
                lines[at:at] = [draw(st.sampled_from(_SOUP)) + b" %s%d\n" % (name, number)]
            else:
                del lines[at : at + draw(st.integers(1, 3))]
        sides.append(b"".join(lines))
    return Case(b"".join(base), tuple(sides))
