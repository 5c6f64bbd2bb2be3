"""Goals added, edited and deleted in MEMORY_GOALS.md, while every other byte of it stays.

A goal is an item of a list that anybody's markdown shows: an example in a code block is none, though its label counts as given. The
highest label is always remembered, so that none is given again when a person takes a goal out by hand. A change that would make
anything else of another goal (something in the file is opened and never closed) is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtree.tree.block_rules import BOM
from memtree.tree.blocks import BlockKind, scan
from memtree.tree.errors import UserError
from memtree.tree.goals import highest_comment

MOST = 8
MOST_BYTES = 2_000  # of all goals as they are written
HEADING = b"# Long-term Goals"

_END = rb"(?:\r\n|\n|\r(?!\n))"
_GOAL = re.compile(rb"([-*+][ \t]+)\[g([0-9]{1,9})\][ \t]+(?=[^ \t\r\n])[^\r\n]*")
_MORE = re.compile(rb"(?:" + _END + rb"(?:  |\t)[ \t]*[^ \t\r\n][^\r\n]*)*")
_LABEL = re.compile(rb"(?:(?<=[\r\n])|\A)(?:" + BOM + rb")?[ \t>]*[-*+][ \t]+\[g([0-9]{1,9})\]")
_REMEMBERED = re.compile(rb"(?:(?<=[\r\n])|\A)(?:" + BOM + rb")?<!-- goals: ([0-9]{1,9}) -->(?=[ \t]*(?:[\r\n]|\Z))")
_LINE_END = re.compile(rb"[ \t]*" + _END + rb"?")
_ANY_END = re.compile(_END)
_BLANK_BEFORE = re.compile(_END + rb"[ \t]*" + _END + rb"\Z")
_TYPED = re.compile(r"\[?[gG]?([0-9]{1,9})\]?")
_HIGHEST = 999_999_999
_SHOWN = 80  # characters of a goal, or of an id, in a message
_NAMED = 30  # ids or lines in a message


@dataclass(frozen=True, slots=True)
class Standing:
    """A goal where it stands: bytes `start` to `end` are its lines without the last line end, its words begin at `words`.

    `item_end` is where its list item ends: also what stands below in it, behind a blank line. Lines are counted from 1.
    """

    label: int
    text: str
    start: int
    words: int
    end: int
    item_end: int
    first_line: int
    last_line: int

    @property
    def name(self) -> str:
        return f"g{self.label}"

    @property
    def shown(self) -> str:
        """The text for a message."""
        line = " ".join(self.text.split())
        return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


class NoSuchGoal(UserError):
    def __init__(self, asked: str, known: Sequence[str]) -> None:
        hint = f"the ids are {', '.join(known[:_NAMED])}" if len(known) > 1 else f"the only one is {''.join(known)}"
        super().__init__(f"no goal with id {asked[:_SHOWN]!r}", hint=hint if known else "there are no goals yet")


class LabelTwice(UserError):
    def __init__(self, goals: Sequence[Standing], free: int) -> None:
        lines = ", ".join([str(goal.first_line) for goal in goals[:_NAMED]] + ["…"] * (len(goals) > _NAMED))
        super().__init__(
            f"{len(goals)} goals have the label {goals[0].name} (lines {lines})",
            hint=f"give all but one of them labels of their own in MEMORY_GOALS.md, from g{free} on",
        )


class SameGoal(UserError):
    def __init__(self, goal: Standing) -> None:
        super().__init__(f"goal {goal.name} says the same already", hint=f"leave it, or edit {goal.name}")


class GoalsFull(UserError):
    """No goal can be added; the oldest is named, and never dropped."""

    def __init__(self, goals: Sequence[Standing]) -> None:
        oldest = _oldest(goals)
        super().__init__(
            f"there are {len(goals)} goals, and {MOST} is the most: the oldest is {oldest.name}, {oldest.shown}",
            hint="edit or delete one first",
        )


class GoalsTooLong(UserError):
    def __init__(self, size: int, goals: Sequence[Standing]) -> None:
        oldest = f" (the oldest is {_oldest(goals).name}, {_oldest(goals).shown})" if goals else ""
        super().__init__(
            f"the goals would take {size:,} bytes, more than {MOST_BYTES:,}",
            hint=f"say it shorter, or edit or delete another one{oldest}",
        )


class GoalsFileOpen(UserError):
    """Something in the file swallows the goal, or a goal beside it."""

    def __init__(self) -> None:
        super().__init__(
            "MEMORY_GOALS.md cannot be changed so: something in it is opened and never closed, such as a code block or a comment",
            hint="close it, then try again",
        )


class NoLabelLeft(UserError):
    def __init__(self) -> None:
        super().__init__(
            f"MEMORY_GOALS.md holds the label g{_HIGHEST}, and there is none above it", hint="give that goal a smaller one"
        )


# -- reading


def standing(data: bytes) -> list[Standing]:
    """Return every goal of a file, in order, whatever its line ends."""
    found: list[Standing] = []
    line, at = 1, 0
    for start, stop in _items(data):
        goal = _GOAL.match(data, start)
        if goal is None or data[start - 1 : start] not in (b"", b"\n", b"\r", BOM[-1:]):
            continue
        words = _start_of_words(data, goal)
        more = _MORE.match(data, goal.end())
        end = more.end() if more else goal.end()
        line, at = line + _ends(data[at:start]), start
        last = line + _ends(data[start:end])
        item = start + len(data[start:stop].rstrip(b" \t\r\n"))
        text = _ANY_END.sub(b"\n", data[words:end]).decode("utf-8", "replace").rstrip()
        found.append(Standing(int(goal[2]), text, start, words, end, max(item, end), line, last))
    return found


def size_of(goals: Iterable[Standing]) -> int:
    """Return how many bytes the goals take as they are written, a line end each."""
    return sum(goal.end - goal.start + 1 for goal in goals)


def highest_given(data: bytes) -> int:
    """Return the highest label that a file shows anywhere or remembers, 0 for none."""
    return max((int(found[1]) for rule in (_LABEL, _REMEMBERED) for found in rule.finditer(data)), default=0)


def remembers(data: bytes) -> bool:
    """Return whether a file has the comment that remembers labels: without one, its former versions know more than it says."""
    return _REMEMBERED.search(data) is not None


def asked_for(data: bytes, name: str) -> Standing:
    """Return the goal that a person or an agent names: g3, G3, [g3] or 3. Raise NoSuchGoal, LabelTwice."""
    goals = standing(data)
    typed = _TYPED.fullmatch(name.strip())
    found = [goal for goal in goals if typed is not None and goal.label == int(typed[1])]
    if not found:
        raise NoSuchGoal(name.strip(), list(dict.fromkeys(goal.name for goal in goals)))
    if len(found) > 1:
        raise LabelTwice(found, highest_given(data) + 1)
    return found[0]


# -- changing


def with_goal(data: bytes, text: str, *, above: int = 0) -> tuple[bytes, int]:
    """Return the file with one goal more, and its label, which is higher than `above`.

    Raise GoalsFull, SameGoal, GoalsTooLong, GoalsFileOpen, NoLabelLeft.
    """
    goals = standing(data)
    if len(goals) >= MOST:
        raise GoalsFull(goals)
    _refuse_known(goals, text)
    label = max(highest_given(data), above) + 1
    if label > _HIGHEST:
        raise NoLabelLeft
    wanted = [*_told(goals), (label, text)]
    line = b"[g%d] " % label + text.encode()
    for at, added in _places(data, goals, line):
        made = _remembering(data[:at] + added + data[at:], label, line_end_of(data))
        if _told(standing(made)) == wanted:
            _refuse_long(goals, made)
            return made, label
    raise GoalsFileOpen


def with_text(data: bytes, name: str, text: str) -> tuple[bytes, int]:
    """Return the file with another text for a goal, and its label. Raise what `asked_for` and `with_goal` raise."""
    goal = asked_for(data, name)
    goals = standing(data)
    if goal.text == text:
        return data, goal.label
    _refuse_known([one for one in goals if one != goal], text)
    wanted = [(label, text if label == goal.label else old) for label, old in _told(goals)]
    for end in (goal.end, goal.item_end):
        made = data[: goal.words] + text.encode() + data[end:]
        if _told(standing(made)) == wanted:
            _refuse_long(goals, made)
            return made, goal.label
    raise GoalsFileOpen


def without_goal(data: bytes, name: str) -> tuple[bytes, int]:
    """Return the file without a goal, and the label it had. Raise NoSuchGoal, LabelTwice, GoalsFileOpen."""
    goal = asked_for(data, name)
    highest = highest_given(data)
    wanted = [one for one in _told(standing(data)) if one[0] != goal.label]
    for end in (goal.end, goal.item_end):
        made = _remembering(data[: goal.start] + data[_line_end(data, end) :], highest, line_end_of(data))
        if _told(standing(made)) == wanted:
            return made, goal.label
    raise GoalsFileOpen


def _refuse_known(goals: Iterable[Standing], text: str) -> None:
    same = next((goal for goal in goals if same_words(goal.text) == same_words(text)), None)
    if same is not None:
        raise SameGoal(same)


def _refuse_long(goals: Sequence[Standing], made: bytes) -> None:
    """A list that is too long already may become shorter."""
    size = size_of(standing(made))
    if size > max(MOST_BYTES, size_of(goals)):
        raise GoalsTooLong(size, goals)


def _places(data: bytes, goals: Sequence[Standing], line: bytes) -> Iterator[tuple[int, bytes]]:
    """Where a goal could go, best first, with what is put there: below the last one, above the comment, at the end."""
    end = line_end_of(data)
    if goals:
        last = goals[-1]
        mark = _mark(data, last)
        loose = len(goals) > 1 and bool(_BLANK_BEFORE.search(data[: last.start]))
        at = _line_end(data, last.item_end)
        open_line = data[at - 1 : at] not in (b"\r", b"\n")
        yield at, end * (open_line + loose) + mark + line + (b"" if open_line else end)
    item = b"- " + line + end
    if not data.removeprefix(BOM).strip():
        yield len(data), HEADING + end + end + item
        return
    remembered = list(_REMEMBERED.finditer(data))
    if remembered and not data[remembered[-1].end() :].strip():
        at = remembered[-1].start() + len(BOM) * remembered[-1][0].startswith(BOM)
        yield at, _gap(data[:at], end) + item
    yield len(data), _gap(data, end) + item


def _gap(before: bytes, end: bytes) -> bytes:
    """What makes a blank line between a text and what is added to it."""
    if not before.removeprefix(BOM).strip() or _BLANK_BEFORE.search(before):
        return b""
    return end if before.endswith((b"\r", b"\n")) else end + end


def _remembering(data: bytes, label: int, end: bytes) -> bytes:
    """The file whose comment says at least this label; a file without one gets it at its end."""
    found = list(_REMEMBERED.finditer(data))
    if not found:
        return data + (end if data.removeprefix(BOM) and not data.endswith((b"\r", b"\n")) else b"") + highest_comment(label) + end
    for one in reversed(found):
        if int(one[1]) < label:
            data = data[: one.start(1)] + b"%d" % label + data[one.end(1) :]
    return data


# -- bytes


def _items(data: bytes) -> Iterator[tuple[int, int]]:
    """Where the items of the document's own lists begin and end; a byte order mark is passed over."""
    for block in scan(data):
        if block.kind is BlockKind.LIST:
            for start, stop in zip(block.parts, (*block.parts[1:], block.content_end), strict=True):
                yield start + len(BOM) * data.startswith(BOM, start), stop


def _start_of_words(data: bytes, goal: re.Match[bytes]) -> int:
    after = goal.end(2) + 1
    return after + len(data[after : goal.end()]) - len(data[after : goal.end()].lstrip(b" \t"))


def _mark(data: bytes, goal: Standing) -> bytes:
    found = _GOAL.match(data, goal.start)
    return found[1] if found else b"- "


def _line_end(data: bytes, at: int) -> int:
    """Where the line that ends at `at` but for spaces is over, its line end included."""
    found = _LINE_END.match(data, at)
    return found.end() if found else at


def line_end_of(data: bytes) -> bytes:
    """Return the line end that a file uses: CRLF where there is any, else LF, else CR, else LF."""
    return next((end for end in (b"\r\n", b"\n", b"\r") if end in data), b"\n")


def _ends(data: bytes) -> int:
    return len(_ANY_END.findall(data))


def _told(goals: Iterable[Standing]) -> list[tuple[int, str]]:
    return [(goal.label, goal.text) for goal in goals]


def _oldest(goals: Sequence[Standing]) -> Standing:
    return min(goals, key=lambda goal: goal.label)


def same_words(text: str) -> str:
    """Return what two goals that differ in case, spaces and forms of letters have in common."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
