"""facts: what memory makes a fact of what is said, how well, and what that costs; beside peers in the same run.

The gate is beside keeping everything and a bag of words, dates are beside dateutil's fuzzy parser, storing is beside git adding and
committing the same files. Quality is told apart for the sentences that the rules were improved on and those that nobody looked at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from memtree.tools.bench.fact_echo import TOLD, echo_figures
from memtree.tools.bench.fact_load import SIZE, load_figures, shapes
from memtree.tools.bench.fact_quality import bag_of_words, by_dateutil, date_figures, gate_figures, keep_all
from memtree.tools.bench.fact_sets import Half, Span, Timed, labelled, timed
from memtree.tools.bench.fact_writing import writing_figures
from memtree.tools.bench.ground import Ground
from memtree.tools.bench.measure import Result, figure
from memtree.tree.fact_gate import judge
from memtree.tree.injected import without_injected
from memtree.tree.spoken_time import Anchor, times_in

_FIRST_TEXTS = {"en": "I live above a bakery.", "zh": "我住在面包房楼上。"}
_FIRST = """
import json, sys, time
from memtree.tree.fact_gate import judge
def first(text):
    start = time.perf_counter()
    judge(text)
    return time.perf_counter() - start
print(json.dumps([first(text) for text in sys.argv[1:]]))
"""
_BYTES = SIZE // 1_000  # of a message, for each fact that is stored


def facts(ground: Ground, count: int, repetitions: int) -> Result:
    """The quality of the gate and of dates, `count` facts stored, long messages, and what memory shows said to it again."""
    return {
        "files": count,
        "repetitions": repetitions,
        **writing_figures(ground, count),
        "gate": {half.value: _gate(half) for half in Half},
        "dates": {half.value: _dates(half) for half in Half},
        "message_bytes": min(SIZE, _BYTES * count),
        "gate_ready_ms": _ready(ground),
        "clean_and_gate": _load(min(SIZE, _BYTES * count), repetitions),
        "echo": echo_figures(ground, min(TOLD, count)),
    }


def reason(text: str) -> str:
    """Why the gate drops a text, '' when it keeps it."""
    return judge(text).reason


def read(row: Timed) -> Sequence[Span]:
    """The times that memory reads in a sentence."""
    anchor = Anchor(row.anchor, row.zone)
    return [Span(one.resolved_start, one.resolved_end, one.granularity) for one in times_in(row.text, anchor)]


def _gate(half: Half) -> Result:
    rows = labelled(half)
    peers = {"memtree": reason, "keep_all": keep_all, "bag_of_words": bag_of_words}
    return {"sentences": len(rows), **{name: gate_figures(rows, peer) for name, peer in peers.items()}}


def _dates(half: Half) -> Result:
    rows = timed(half)
    return {"sentences": len(rows), "memtree": date_figures(rows, read), "dateutil": date_figures(rows, by_dateutil)}


def _ready(ground: Ground) -> Result:
    """What the first judgement in a process takes more, by language: it compiles the rules."""
    found = json.loads(ground.python("-c", _FIRST, *_FIRST_TEXTS.values(), folder=ground.folder))
    return {language: figure(1000 * seconds) for language, seconds in zip(_FIRST_TEXTS, found, strict=True)}


def _load(size: int, repetitions: int) -> Result:
    rows = labelled(Half.TUNING)
    for text in _FIRST_TEXTS.values():
        judge(text)
    english, chinese = ([row.text for row in rows if row.language == language] for language in ("en", "zh"))
    return load_figures(shapes(english, chinese, size), lambda text: judge(without_injected(text)), repetitions)
