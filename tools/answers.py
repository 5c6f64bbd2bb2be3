"""Answers: what `memtree search` shows, whoever did the searching."""

from __future__ import annotations

from memtree.engine.asked import Answered
from memtree.tools.output import notes, say, screen


def show_answer(found: Answered, *, narrowed: bool, explain: bool, as_json: bool) -> None:
    """Print the hits, or that there are none, and below them what else is to be known."""
    out = screen()
    if as_json:
        out.json({"query": found.text, "commit": found.commit, "hits": found.hits, "notes": found.remarks})
        return
    if found.hits:
        from memtree.tools.hit_view import hit_lines

        out.show(hit_lines(found.hits, columns=out.columns, explain=explain))
    else:
        say(f"Nothing found{' within these limits' if narrowed else ''}.")
    notes(found.remarks)
