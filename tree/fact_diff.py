"""What a person reads when facts change: a line for what happened to each, instead of the lines of its file.

    new fact (environment.home): I moved to Lisbon last month. [2026-02]  from turn 12 of session s-1
    superseded (environment.home): I live in Berlin. -> I moved to Lisbon. (since 2026-02; says otherwise)
    text edited (environment.home): I live in [-Berlin-]{+Bern+}.
      sources +1 (turn 9 of session s-1)

A fact and the one that took its place are told together. One to three lines a fact, and at most some hundred characters of each
text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtree.tree.fact import USER, Fact, FactSource, State, read_fact
from memtree.tree.paths import RepoPath
from memtree.tree.words import Mark, Piece, diff_words

Line = tuple[Piece, ...]
_Named = Callable[[str], str]

_LONGEST = 240  # characters of a text that are told
_AROUND = 60  # characters told on each side of a change
_NAMED = 8  # digits of an id


class Versions(NamedTuple):
    """A file before and after; None where there was, or is, none."""

    path: RepoPath
    old: bytes | None
    new: bytes | None


@dataclass(frozen=True, slots=True)
class Story:
    """What happened to one fact, or to one and to what took its place: `paths` are their files."""

    paths: tuple[RepoPath, ...]
    lines: tuple[Line, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The lines as text, changed words as [-removed-] and {+added+}."""
        return tuple("".join(map(_marked, line)) for line in self.lines)


def _unknown(_: str) -> None:
    """The text of a fact that nobody told about."""


def _short(fact: str) -> str:
    return fact[:_NAMED]


def fact_reading(data: bytes, path: RepoPath) -> tuple[str, ...]:
    """What a file's fact says and how it stands, as lines; () for a file that holds none."""
    fact = _fact(path, data)
    if fact is None:
        return ()
    return tuple("".join(map(_marked, line)) for line in _came(fact, _short, what="fact"))


def stories(changes: Sequence[Versions], text_of: Callable[[str], str | None] = _unknown) -> tuple[Story, ...]:
    """What happened to each fact, in the order of the changes. A file that holds no fact has none.

    `text_of` tells the text of a fact that did not change, by its id; None where it is not known.
    """
    read = {one.path: (_fact(one.path, one.old), _fact(one.path, one.new)) for one in changes}
    after = {new.id: (path, new) for path, (_, new) in read.items() if new is not None}

    def named(fact: str) -> str:
        """A fact by its text, else by its id."""
        text = after[fact][1].text if fact in after else text_of(fact)
        return _short(fact) if text is None else _cut(text)

    taken = {new.superseded_by for old, new in read.values() if new is not None and _closes(old, new, State.SUPERSEDED)}
    found = []
    for path, (old, new) in read.items():
        if new is not None and old is None and new.id in taken and new.active:
            continue  # told with what it took the place of
        lines = tuple(_lines(old, new, named))
        paths: tuple[RepoPath, ...] = (path,)
        if new is not None and _closes(old, new, State.SUPERSEDED) and new.superseded_by in after:
            other, successor = after[new.superseded_by]
            if read[other][0] is None and successor.active:
                paths = (path, other)
                told = 1 if old is not None else len(lines)  # behind the line that says what took its place
                lines = (*lines[:told], _plain(f"  {_label('new fact', successor)}: {_shown(successor)}"), *lines[told:])
        if lines:
            found.append(Story(paths, lines))
    return tuple(found)


def _fact(path: RepoPath, data: bytes | None) -> Fact | None:
    read = None if data is None else read_fact(path, data)
    return None if read is None else read.fact


def _closes(old: Fact | None, new: Fact, state: State) -> bool:
    """Whether this change is what closed the fact, also in a file that came closed."""
    return new.state is state and (old is None or old.state is not state or old.superseded_by != new.superseded_by)


def _lines(old: Fact | None, new: Fact | None, named: _Named) -> Iterator[Line]:
    if old is None and new is None:
        return
    if new is None:
        assert old is not None
        yield _plain(f"{_label('deleted fact', old)}: {_cut(old.text)}")
        return
    if old is None:
        yield from _came(new, named)
        return
    told = [*_state(old, new, named), *_text(old, new)]
    less = ", ".join(_less(old, new))
    if less and told:
        yield from told
        yield _plain(f"  {less}")
    elif less:
        yield _plain(f"{_label('fact', new)}: {_cut(new.text)}")
        yield _plain(f"  {less}")
    else:
        yield from told


def _came(new: Fact, named: _Named, what: str = "new fact") -> Iterator[Line]:
    yield _plain(f"{_label('pinned' if new.pinned else what, new)}: {_shown(new)}")
    if new.state is State.SUPERSEDED:
        yield _plain(f"  superseded{_after(new, named)}{_why(new)}")
    elif new.state is State.RETRACTED:
        yield _plain(f"  retracted{_why(new)}")
    elif new.supersedes:
        yield _plain(f"  in place of {named(new.supersedes)}")


def _state(old: Fact, new: Fact, named: _Named) -> Iterator[Line]:
    if (old.state, old.superseded_by) == (new.state, new.superseded_by):
        return
    text = _cut(old.text)
    match new.state:
        case State.SUPERSEDED:
            yield _plain(f"{_label('superseded', new)}: {text}{_after(new, named)}{_why(new)}")
        case State.RETRACTED:
            yield _plain(f"{_label('retracted', new)}: {text}{_why(new)}")
        case State.ACTIVE:
            yield _plain(f"{_label('active again', new)}: {text}")


def _text(old: Fact, new: Fact) -> Iterator[Line]:
    if old.text != new.text:
        pieces = diff_words(_flat(old.text), _flat(new.text))
        yield (Piece(Mark.SAME, f"{_label('text edited', new)}: "), *_near(pieces))


def _near(pieces: tuple[Piece, ...]) -> Iterator[Piece]:
    """The pieces with what is far from any change left out."""
    for at, piece in enumerate(pieces):
        first, last = at == 0, at == len(pieces) - 1
        text = piece.text
        if piece.kind is Mark.SAME and len(text) > 2 * _AROUND + 1:
            text = ("" if first else text[:_AROUND]) + "…" + ("" if last else text[-_AROUND:])
        yield Piece(piece.kind, text if piece.kind is Mark.SAME else _cut(text))


def _less(old: Fact, new: Fact) -> Iterator[str]:
    """What else changed, each in some words."""
    more = [one for one in new.sources if one not in old.sources]
    fewer = [one for one in old.sources if one not in new.sources]
    if more:
        yield f"sources +{len(more)} ({_places(more)})"
    if fewer:
        yield f"sources -{len(fewer)} ({_places(fewer)})"
    if old.slot != new.slot or old.subject != new.subject:
        yield f"was under {_place(old)}"
    if old.tags != new.tags:
        yield f"tags {' '.join(old.tags) or 'none'} -> {' '.join(new.tags) or 'none'}"
    if old.confidence != new.confidence:
        yield f"confidence {old.confidence:g} -> {new.confidence:g}"
    if old.valid_at != new.valid_at:
        yield f"since {new.valid_at or 'an unknown time'}"
    if old.invalid_at != new.invalid_at and (old.state, old.superseded_by) == (new.state, new.superseded_by):
        yield f"until {new.invalid_at}" if new.invalid_at else "without an end"
    if old.temporal != new.temporal:
        yield f"time {_time(old)} -> {_time(new)}"
    if old.kind != new.kind:
        yield "pinned" if new.pinned else "no longer pinned"
    if old.reason != new.reason and old.state is new.state:
        yield f"reason: {_cut(new.reason) or 'none'}"


# -- parts of lines


def _plain(text: str) -> Line:
    return (Piece(Mark.SAME, text),)


def _label(what: str, fact: Fact) -> str:
    place = _place(fact)
    return f"{what} ({place})" if place else what


def _place(fact: Fact) -> str:
    """Of whom and of what: the user's own are not named."""
    slot = "" if fact.slot.startswith("said.") else fact.slot
    return ": ".join(part for part in ("" if fact.subject in ("", USER) else fact.subject, slot) if part)


def _shown(fact: Fact) -> str:
    time = _time(fact)
    places = _places(fact.sources)
    return _cut(fact.text) + f" [{time}]" * (time != "none") + f"  from {places}" * bool(places)


def _time(fact: Fact) -> str:
    return "none" if fact.temporal is None else fact.temporal.display or fact.temporal.resolved_start or "none"


def _places(sources: Sequence[FactSource]) -> str:
    """`turns 4, 8 of session s-1 and turn 2 of session s-2`."""
    by_session: dict[str, list[int]] = {}
    for one in sources:
        by_session.setdefault(one.session, []).append(one.seq)
    return " and ".join(
        f"turn{'s' if len(seqs) > 1 else ''} {', '.join(map(str, seqs))} of session {session}"
        for session, seqs in by_session.items()
    )


def _after(fact: Fact, named: _Named) -> str:
    return f" -> {named(fact.superseded_by)}" if fact.superseded_by else ""


def _why(fact: Fact) -> str:
    parts = [f"since {fact.invalid_at}" if fact.invalid_at else "", _cut(fact.reason)]
    said = "; ".join(part for part in parts if part)
    return f" ({said})" if said else ""


def _flat(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    flat = _flat(text)
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1].rstrip()}…"


def _marked(piece: Piece) -> str:
    if piece.kind is Mark.ADDED:
        return f"{{+{piece.text}+}}"
    return f"[-{piece.text}-]" if piece.kind is Mark.REMOVED else piece.text
