"""How memory stands, as lines that a person and an agent read alike."""

from __future__ import annotations

from collections.abc import Iterator

from memtree.engine.retrieval.checkup import CheckUp
from memtree.tools.render import Line, Look, Span

_WIDE = 14


def check_up_lines(found: CheckUp) -> Iterator[Line]:
    """A stage a line, what there is, and what is wrong on the whole."""
    for stage in found.stages:
        mark = Span("ok  ", Look.GOOD) if stage.ok else Span("BAD ", Look.BAD)
        code = f" ({stage.failure})" if stage.failure else ""
        yield Span(f"{stage.stage:{_WIDE}}"), mark, Span(f"{stage.note}{code}")
        if stage.remedy:
            yield Span(" " * _WIDE), Span(f"until {stage.remedy}", Look.FAINT)
    counted = (f"{name} {'unknown' if value is None else f'{value:,}'}" for name, value in found.counters._asdict().items())
    yield (Span(", ".join(counted), Look.FAINT),)
    yield (Span(told(found), Look.PLAIN if found.healthy else Look.WARNING),)


def told(found: CheckUp) -> str:
    """How memory stands on the whole, in a sentence or two."""
    if found.degraded:
        return f"Memory is degraded: {found.reason}. Results may be incomplete until {found.remedy}."
    return "Memory is whole." if found.healthy else "Memory answers whole; what is marked above is in the way of other things."
