"""What the user staged while a plan was under way: it is neither overwritten nor taken for ours."""

from __future__ import annotations

from collections.abc import Callable

from memtree.engine.store.index_file import IndexFile
from memtree.engine.store.plan import Plan, PlannedPath
from memtree.tree.objects import Entry

At = Callable[[str], Entry | None]  # what a commit holds under a path


def staged_since(plan: Plan, index: IndexFile, tip: At) -> bool:
    """Whether something was staged on the plan's paths while its maker was dead."""
    return any(_staged(index, planned) not in (planned.staged, planned.result, tip(planned.path)) for planned in plan.paths)


def staged_later(planned: PlannedPath, index: IndexFile, old: At) -> bool:
    """Whether the index holds a version of one path that the plan knows nothing of."""
    return _staged(index, planned) not in (planned.base, planned.disk, planned.result, old(planned.path))


def _staged(index: IndexFile, planned: PlannedPath) -> Entry | None:
    held = index.find(planned.path)
    return held.entry if held is not None else None
