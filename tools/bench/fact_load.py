"""Messages of a megabyte that nothing may hang on: prose in two languages, one long line, one long word, unclosed marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memtree.tools.bench.measure import Result, Series, figure

SIZE = 1_000_000  # bytes
_ONE_LINE = "and then we looked at the harbour again "
_UNCLOSED = {
    "blocks": "<relevant-memories>\n- [fact] the kettle leaks\n",
    "tags": "<system-reminder>the user <b>said <!-- so ",
    "brackets": "<memory-context><![CDATA[[[ {{ ((( ",
    "fences": "```\n~~~\n> `",
    "times": "[time: ",
}


def shapes(prose: Sequence[str], chinese: Sequence[str], size: int = SIZE) -> Iterator[tuple[str, str]]:
    """A name and a message each, of about `size` bytes; `prose` and `chinese` are sentences that they are made of."""
    yield "prose", filled("".join(f"{one}{_after(number)}" for number, one in enumerate(prose)), size)
    yield "chinese", filled("".join(chinese), size)
    yield "one_line", filled(_ONE_LINE, size)
    yield "one_word", filled("x", size)
    for name, mark in _UNCLOSED.items():
        yield f"unclosed_{name}", filled(mark, size)
    yield "unclosed_mixed", filled("".join(_UNCLOSED.values()), size)


def filled(text: str, size: int) -> str:
    """The text again and again, until it has so many bytes; no more than that."""
    data = text.encode()
    return (data * (size // len(data) + 1))[:size].decode("utf-8", "ignore")


def load_figures(messages: Iterator[tuple[str, str]], action: Callable[[str], object], repetitions: int) -> Result:
    """For every shape, what the action takes: `median_ms`, `p95_ms`."""
    found: Result = {}
    for name, message in messages:
        series = Series()
        for _ in range(repetitions):
            series.time(lambda text=message: action(text))  # type: ignore[misc]
        found[name] = {"median_ms": figure(series.median), "p95_ms": figure(series.p95)}
    return found


def _after(number: int) -> str:
    return "\n\n" if number % 5 == 4 else " "
