"""Learned spans: from which stretches of a session this machine has learned facts, so that a later look begins with the others."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from memtree.engine.local_state import keep_state, read_state

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

FOLDER = os.path.join("facts", "learned")


def learned_spans(workspace: Workspace, folder: str) -> dict[tuple[int, int], str]:
    """The stretches of a session that were learned from, by their first and last number, and by whom: rules or a model's name."""
    raw = read_state(_place(workspace, folder)).get("spans")
    found: dict[tuple[int, int], str] = {}
    for one in raw if isinstance(raw, list) else ():
        if isinstance(one, list) and len(one) == 3 and isinstance(one[0], int) and isinstance(one[1], int):
            found[one[0], one[1]] = str(one[2])
    return found


def keep_learned(workspace: Workspace, spans: Iterable[tuple[str, int, int]], by: str) -> None:
    """Remember stretches, each a session's folder with its first and last number. A full disk forgets them: they are then learned
    from again, which changes nothing.
    """
    of_each: dict[str, dict[tuple[int, int], str]] = {}
    for folder, first, last in spans:
        of_each.setdefault(folder, {})[first, last] = by
    for folder, new in of_each.items():
        place = _place(workspace, folder)
        known = learned_spans(workspace, folder)
        if any(known.get(span) != by for span in new):
            with contextlib.suppress(OSError):
                os.makedirs(os.path.dirname(place), exist_ok=True)
            keep_state(place, {"spans": sorted([first, last, who] for (first, last), who in (known | new).items())})


def _place(workspace: Workspace, folder: str) -> str:
    return os.path.join(workspace.places.folder, FOLDER, f"{folder}.json")
