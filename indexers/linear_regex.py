"""Regular expressions whose search takes time in proportion to the text, whatever they say (RE2). Only this module imports re2.

They are what people and agents send, so none may keep a process busy: repetition is by automaton and never by trying again, and an
expression whose automaton would be very large is refused. There are no backreferences and no looking around.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from memtree.tree.errors import UserError

LONGEST = 1_000  # characters of a pattern
# Where the automaton of a state is not kept, a byte costs a step for each part of the program: 10,000 of them some 20 us.
_LARGEST = 10_000
_MEMORY = 8 << 20  # bytes for what is kept of the automaton; with less, wide repetitions fall back to the slow way
_HINT = "expressions are those of RE2: no backreferences, no looking around; ^ and $ are a line's ends"
_LINE_BY_LINE = "lines are looked at one by one: write ^ and $, and no line end"


class BadPattern(UserError):
    """A pattern that cannot be searched for; `column` counts characters from 1, 0 where it concerns the whole pattern."""

    def __init__(self, message: str, *, column: int = 0, hint: str = _HINT) -> None:
        super().__init__(message, hint=hint)
        self.column = column


class Expression:
    """What is looked for in the bytes of a UTF-8 text. It never reaches over the end of a line."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def find(self, data: bytes, start: int, stop: int) -> int:
        """Where the first match between two places begins, -1 where there is none."""
        found = self._compiled.search(data, start, stop)
        return found.start() if found is not None else -1

    def fits(self, text: str) -> bool:
        """Whether it matches the whole of a text."""
        return self._compiled.fullmatch(text.encode("utf-8", "replace")) is not None


def literal(text: str, *, ignore_case: bool) -> Expression:
    """What finds a text as it stands, also where its accents are encoded in the other way. Raise BadPattern."""
    import re2

    _refuse_unfit(text)
    forms = dict.fromkeys((text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)))
    return Expression(_compiled(b"|".join(re2.escape(form.encode()) for form in forms), ignore_case=ignore_case))


def expression(text: str, *, ignore_case: bool) -> Expression:
    """What a regular expression matches, line by line. Raise BadPattern, which tells where."""
    import re2

    _refuse_unfit(text)
    anchor = re.search(r"(?<!\\)(?:\\\\)*\\([AzZ])", text)
    if anchor:
        column = anchor.start(1)
        raise BadPattern(f"the expression has \\{anchor[1]} in column {column}", column=column, hint=_LINE_BY_LINE)
    try:
        _compiled(text.encode(), ignore_case=ignore_case)  # alone: what is wrong is told of what was written
        found = _compiled(b"(?m)" + text.encode(), ignore_case=ignore_case)
    except re2.error as error:
        raise _told(text, error.args[0]) from None
    if found.programsize > _LARGEST:
        raise BadPattern("the expression is too large: it repeats too much", hint="repeat less, or * and + without a number")
    return Expression(found)


def whole(pattern: str) -> Expression:
    """A trusted expression that `fits` asks about, over line ends too."""
    import re2

    options = re2.Options()
    options.dot_nl = options.never_capture = True
    options.log_errors = False
    return Expression(re2.compile(pattern.encode("utf-8", "replace"), options))


def _compiled(pattern: bytes, *, ignore_case: bool) -> Any:
    import re2

    options = re2.Options()
    options.log_errors, options.never_nl, options.never_capture = False, True, True
    options.case_sensitive, options.max_mem = not ignore_case, _MEMORY
    re2.purge()  # what it keeps of former expressions could come to a gigabyte
    return re2.compile(pattern, options)


def _refuse_unfit(text: str) -> None:
    if not text:
        raise BadPattern("the pattern is empty", hint="give what is to be found")
    if len(text) > LONGEST:
        raise BadPattern(f"the pattern has {len(text):,} characters, more than {LONGEST:,}", hint="give a shorter one")
    end = re.search(r"[\r\n]", text)
    if end:
        raise BadPattern(f"the pattern has a line end in column {end.end()}", column=end.end(), hint=_LINE_BY_LINE)
    half = re.search(r"[\ud800-\udfff]", text)
    if half:
        raise BadPattern(f"the pattern has half a character in column {half.end()}", column=half.end(), hint="send whole ones")


def _told(text: str, error: object) -> BadPattern:
    """What RE2 says of an expression, with the column of the part that it names."""
    said = error.decode("utf-8", "replace") if isinstance(error, bytes) else str(error)
    what, _, part = said.partition(": ")
    at = text.rfind(part) if part else -1
    if what in ("missing )", "unexpected )"):  # named is the whole expression
        at = _unpaired(text, ")" if what.startswith("unexpected") else "(")
    elif what == "trailing \\":
        at = len(text) - 1
    where = f" in column {at + 1}" if at >= 0 else ""
    return BadPattern(f"the expression cannot be read: {what}{where}", column=at + 1)


def _unpaired(text: str, wanted: str) -> int:
    """Where a parenthesis stands that has no other one: the first ")", or the innermost "("; -1 where there is none."""
    opened: list[int] = []
    for match in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]", text):
        if match[0] == "(":
            opened.append(match.start())
        elif match[0] == ")" and opened:
            opened.pop()
        elif match[0] == ")" == wanted:
            return match.start()
    return opened[-1] if opened else -1
