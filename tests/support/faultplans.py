"""Which jobs the fault suite runs: all of them in the deep profile, a fixed choice in the fast one."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence

from support.faultlab import FaultLab
from support.faultrun import Job
from support.faultscenarios import SCENARIOS

DEEP = os.environ.get("MEMTREE_TEST_PROFILE") == "deep"
EDITS = ("append", "replace", "stale", "delete", "folder")


def sampled(steps: Sequence[int], every: int) -> Sequence[int]:
    """Every step in the deep profile, each `every`-th in the fast one."""
    return steps if DEEP else steps[::every]


def placing(lab: FaultLab, scenario: str) -> Iterator[tuple[int, str]]:
    """The steps at which a path's content is moved, where a race matters most, with the path."""
    deletes = [path for path in SCENARIOS[scenario].paths if path.endswith("delete.md")]
    for number, (step, path) in enumerate(lab.trace, 1):
        if step in ("exchange", "rename_new") and path.removeprefix("/") in SCENARIOS[scenario].paths:
            yield number, path.removeprefix("/")
        elif step == "rename" and "/memtree/tmp/" in path and lab.trace[number][1] == "/notes":
            yield from ((number, delete) for delete in deletes)


def random_jobs(lab: FaultLab, scenario: str, seed: int, count: int) -> list[Job]:
    """Races, kills, kills of the recovery and edits after the crash, mixed."""
    dice = random.Random(seed)

    def edit() -> tuple[str, str]:
        return dice.choice(EDITS[:4]), dice.choice(SCENARIOS[scenario].paths)

    def steps(limit: int) -> tuple[int, ...]:
        return tuple(sorted(dice.sample(lab.steps, k=dice.randint(0, limit))))

    jobs = []
    for _ in range(count):
        races = tuple((step, *edit()) for step in steps(3))
        kills = tuple(dice.choice(lab.steps) for _ in range(dice.randint(0, 3)))
        jobs.append(Job(kills=kills, races=races, after=tuple(edit() for _ in range(dice.randint(0, 2 if kills else 0)))))
    return jobs
